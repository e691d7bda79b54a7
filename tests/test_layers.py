"""Each module imports only the layers it may, and the package stays light to import."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import click_stats

PACKAGE = Path(click_stats.__file__).parent
BASE = {"errors", "glossary", "results", "content", "folders", "texts"}
SECOND = {"items", "models", "answers", "protocol"}
ALLOWED = {
    **dict.fromkeys(BASE, BASE),
    **dict.fromkeys(SECOND, BASE | SECOND),
    "responses": BASE,
    "counts": BASE | {"responses"},
    "parameters": BASE | {"items"},
    "stats": BASE | {"counts", "responses", "parameters", "stats"},
    "trials": BASE | SECOND | {"counts", "responses", "trials"},
    "exports": BASE | SECOND | {"counts", "parameters", "trials", "exports"},
    "adapters": BASE | SECOND | {"adapters"},
    "running": BASE | SECOND | {"counts", "trials", "adapters", "running"},
    "study": BASE | SECOND | {"counts", "trials", "stats", "study"},
    "render": BASE | {"render"},
    "api": BASE
    | SECOND
    | {"counts", "trials", "stats", "study", "exports", "adapters", "running", "render", "doctor", "api"},
    "doctor": BASE | {"render", "doctor"},
    "cli": {"api", "errors", "cli"},
}
# The upward imports: showing a result is asked of the result, and done by render.
EXCEPTIONS = {("results", "render")}
HEAVY = {
    *("numpy", "pandas", "scipy", "matplotlib", "duckdb", "statsmodels", "torch", "openai", "anthropic"),
    *("pymc", "pytensor", "arviz", "nutpie", "numba", "xarray"),
}


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path, *, typing_only: bool) -> set[str]:
    """The layers a module imports; names used for typing only do not count unless asked for."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if not typing_only:
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                node.body = []
    found = set()
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            parts = name.split(".")
            known = {part.stem if part.suffix else part.name for part in PACKAGE.iterdir()}
            if parts[0] == "click_stats" and len(parts) > 1 and parts[1] in known:
                found.add(parts[1])
    return found


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.name != "__init__.py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_its_layers(path):
    own = layer(path)
    # the typed signatures of the command line may name what the API hands it
    found = imported(path, typing_only=own != "cli") - ALLOWED[own]
    assert {name for name in found if (own, name) not in EXCEPTIONS} == set()


def test_the_check_itself_can_fail(tmp_path):
    module = tmp_path / "module.py"
    module.write_text("from click_stats.stats import accuracy\nfrom click_stats import render\n")
    assert imported(module, typing_only=False) == {"stats", "render"}


@pytest.mark.parametrize(
    "statement",
    [
        "import click_stats",
        "import sys; from click_stats.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass",
    ],
)
def test_importing_and_help_stay_light(statement):
    code = f"{statement}\nimport sys, json; print('\\n' + json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in json.loads(run.stdout.splitlines()[-1])}
    assert loaded & HEAVY == set()


def test_public_names_exist():
    for name in click_stats.__all__:
        assert getattr(click_stats, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        click_stats.nothing  # noqa: B018 -- the access is the test

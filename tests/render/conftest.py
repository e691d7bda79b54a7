from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import click_stats as cs
from click_stats.content import find
from click_stats.render import report
from click_stats.results import ResultSet

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from click_stats.render.figures import Drawing

ROOT = Path(__file__).resolve().parents[2]


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"render_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def invented() -> ModuleType:
    """The module of invented results: ``invented.result_set(n_units)``, ``invented.CATEGORIES`` and the like."""
    return _load("resultset")


@pytest.fixture(scope="session")
def results(invented: ModuleType) -> ResultSet:
    """The results of an invented audit of 20 units."""
    return invented.result_set()


@pytest.fixture(scope="session")
def simulated_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run folders of the simulated models of the paper, four items a category."""
    spec = importlib.util.spec_from_file_location("simulate_paper", ROOT / "scripts" / "simulate_paper.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    runs = tmp_path_factory.mktemp("runs")
    backends = [script.read_backend(path) for path in sorted(script.SIMULATED.glob("backends/*.toml"))]
    cs.run(backends, script.some_items(cs.read_items(), 4), out=runs)
    return runs


@pytest.fixture(scope="session")
def replication(simulated_runs: Path, three_files: list[Path]) -> dict[str, ResultSet]:
    """The study on four items a category of the simulated models, on real files, and on what is left of them."""
    models = cs.read_models(ROOT / "fixtures" / "paper-models.csv")
    simulated = cs.analyze("replication", cs.read_trials(simulated_runs), models=models)
    real = cs.analyze("replication", cs.read_trials(three_files))
    rest = {name: one for name, one in real.results.items() if name in {"items", "accuracy"}}
    return {
        "simulated": simulated,
        "real": real,
        "one model": cs.analyze("replication", cs.read_trials(three_files[:1])),
        "accuracy only": ResultSet(real.name, rest, real.meta),
    }


@pytest.fixture(scope="session")
def item_study(simulated_runs: Path, three_files: list[Path]) -> dict[str, ResultSet]:
    """The study of items on nine real files and a few items, on simulated trials, and on poorer data."""
    items = cs.read_items()
    keys = list(items.frame.groupby("category").head(12).index)
    files = sorted((ROOT / "fixtures" / "real-results").glob("*.csv"))[::2]
    models = cs.read_models(ROOT / "fixtures" / "models.csv")
    real = cs.analyze("items", cs.read_trials(files, items, only=keys), models=models)
    simulated = cs.analyze(
        "items", cs.read_trials(simulated_runs), models=cs.read_models(ROOT / "fixtures" / "paper-models.csv")
    )
    rest = {name: one for name, one in real.results.items() if name in {"items", "accuracy", "item_answers"}}
    return {
        "simulated": simulated,
        "real": real,
        "one model": cs.analyze("items", cs.read_trials(three_files[:1], only=keys)),
        "accuracy only": ResultSet(real.name, rest, real.meta),
    }


@pytest.fixture(scope="session")
def written(
    tmp_path_factory: pytest.TempPathFactory, replication: dict[str, ResultSet], item_study: dict[str, ResultSet]
) -> Callable[[str, str, str], tuple[str, Path]]:
    """Write the project of a report once for each shape of the data and language, with empty pictures."""
    made: dict[tuple[str, str, str], Path] = {}
    studies = {"replication": replication, "items": item_study}

    def write(name: str, shape: str, lang: str) -> tuple[str, Path]:
        if (name, shape, lang) not in made:
            folder = made[name, shape, lang] = tmp_path_factory.mktemp(lang)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(report, "save", _touch)
                report.write_project(find("reports", name), studies[name][shape], folder, lang=lang)
        folder = made[name, shape, lang]
        return (folder / "report.qmd").read_text(encoding="utf-8"), folder

    return write


def _touch(drawing: Drawing, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{drawing.id}.svg").touch()

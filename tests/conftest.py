"""What several test folders need: the fixtures' paths, a small set of result files, and the command line in process."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"


def pytest_collection_modifyitems(items):
    """Skip what needs the dataset when it is not there, or fail when it was promised."""
    if os.environ.get("CLICK_STATS_ITEMS"):
        return
    reason = "needs the CLIcK dataset: set CLICK_STATS_ITEMS"
    for item in items:
        if item.get_closest_marker("dataset"):
            if os.environ.get("CLICK_STATS_REQUIRE_ITEMS") == "1":
                pytest.exit(f"{item.nodeid} {reason}", returncode=1)
            item.add_marker(pytest.mark.skip(reason=reason))


@dataclass(frozen=True)
class Run:
    """What a call of the command line left: exit code, stdout, stderr."""

    code: int
    out: str
    err: str


@pytest.fixture
def click_stats(capsys, monkeypatch):
    """Call the command line in this process, without the environment's settings."""
    from click_stats.cli import main

    for name in ("CLICK_STATS_ITEMS", "CLICK_STATS_CONTENT"):
        monkeypatch.delenv(name, raising=False)

    def call(*words):
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        captured = capsys.readouterr()
        return Run(stop.value.code, captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def three_files():
    """Three of the real result files: complete, uneven in coverage, and with empty answers."""
    names = ("gpt-4o-240513", "gpt-5-nano-2025-08-08", "nova-2-lite-medium-2025-12-13")
    return [FIXTURES / "real-results" / f"{name}.csv" for name in names]


@pytest.fixture(scope="session")
def toy_environment(tmp_path_factory):
    """Environment of a process that finds the adapter of tests/adapters/toy_adapter, installed like any package."""
    target = tmp_path_factory.mktemp("toy")
    words = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-index",
    ]
    words += ["--no-build-isolation", "--target", str(target), str(ROOT / "tests" / "adapters" / "toy_adapter")]
    subprocess.run(words, check=True, capture_output=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CLICK_STATS_")}
    return {**environment, "PYTHONPATH": str(target)}

"""An adapter of somebody else's: installed with pip like any package, found by its entry point, run."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conformance import Conformance

from click_stats.adapters.backend import Backend

TOY = Path(__file__).with_name("toy_adapter")


def command_line(environment, *words):
    words = [sys.executable, "-c", "from click_stats.cli import main; main()", *map(str, words)]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False)


class TestToy(Conformance):
    @pytest.fixture
    def adapter(self, monkeypatch):
        monkeypatch.syspath_prepend(TOY)
        from toy_adapter import make

        return make(Backend(name="toy", adapter="toy"))


def test_it_is_found_and_run_by_its_name(toy_environment, tmp_path):
    log = tmp_path / "log"
    words = ["run", "toy:mine", "--option", f"log={log}", "-o", tmp_path / "runs", "--limit", 40, "--json"]
    run = command_line(toy_environment, *words)
    assert run.returncode == 0, run.stderr
    [summary] = json.loads(run.stdout)["runs"]
    assert (summary["backend"], summary["condition"], summary["simulated"]) == ("toy-mine", "default", False)
    asked = log.read_text().splitlines()
    assert len(asked) == len(set(asked)) == summary["asked"] == summary["done"] == summary["total"] >= 480
    compared = command_line(toy_environment, "compare", tmp_path / "runs", "--quiet")
    assert "toy-mine" in compared.stdout, compared.stderr
    again = command_line(toy_environment, *words)
    assert again.returncode == 0
    assert log.read_text().splitlines() == asked
    other = command_line(toy_environment, *words, "--option", "label=1")
    assert other.returncode == 2
    assert "adapter.label: 0 there, 1 now" in other.stderr


def test_without_the_package_there_is_no_such_adapter(click_stats, tmp_path):
    run = click_stats("run", "toy:mine", "-o", tmp_path / "runs")
    assert run.code == 2
    assert "There is no backend 'toy:mine'" in run.err
    assert not (tmp_path / "runs").exists()

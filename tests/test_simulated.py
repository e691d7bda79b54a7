"""The 13 simulated models: declared, calibrated to what was published, and marked as simulated."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pandas as pd
import pytest

import click_stats as cs
from click_stats.adapters.backend import read_backend

ROOT = Path(__file__).resolve().parents[1]
SIMULATED = ROOT / "fixtures" / "simulated"
PAPER = ROOT / "fixtures" / "paper"
POINT = 0.01


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("simulate_paper", ROOT / "scripts" / "simulate_paper.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def targets():
    return pd.read_csv(SIMULATED / "targets.csv")


def test_each_model_of_the_paper_is_declared_and_says_that_it_is_simulated():
    keys = set(pd.read_csv(PAPER / "models.csv")["model_key"])
    declared = {path.stem.removeprefix("simulated-"): read_backend(path) for path in SIMULATED.glob("backends/*.toml")}
    assert set(declared) == keys
    models = cs.read_models(ROOT / "fixtures" / "paper-models.csv")
    for key, backend in declared.items():
        assert backend.adapter == "simulate"
        assert "Simulated" in backend.note
        assert models.find(backend.name).model == models.find(key).model == key


def test_targets_are_the_published_numbers(script, targets):
    again = script.targets(cs.read_items())
    pd.testing.assert_frame_equal(
        again.reset_index(drop=True), targets.drop(columns="simulated"), check_exact=False, atol=1e-9
    )
    cells = pd.read_csv(PAPER / "table5_accuracy.csv").dropna(subset="model_key")
    found = targets.set_index(["model", "category"])
    for cell in cells.itertuples():
        if cell.category not in {"culture", "language"}:
            row = found.loc[(cell.model_key, cell.category)]
            assert row["basis"] == "published cell"
            assert row["target"] == pytest.approx(cell.value / 100, abs=1e-5)


def test_every_accuracy_is_within_a_point_of_what_was_published(targets):
    assert (targets["simulated"] - targets["target"]).abs().max() < POINT
    sizes = cs.read_items().frame.groupby("category").agg(n=("id", "size"), domain=("domain", "first"))
    own = targets.join(sizes, on="category")
    own["right"] = own["simulated"] * own["n"]
    sums = own.groupby(["model", "domain"])[["right", "n"]].sum()
    readme = pd.read_csv(PAPER / "table5_accuracy.csv")
    readme = readme[readme["where"] == "dataset README"]
    assert len(readme) == 26
    for row in readme.itertuples():
        here = sums.loc[(row.model_key, row.category.capitalize())]
        assert here["right"] / here["n"] == pytest.approx(row.value / 100, abs=POINT)


@pytest.mark.parametrize(("key", "category"), [("kullm-12.8b", "Functional"), ("claude-2", "Popular")])
def test_a_run_gives_the_accuracy_that_is_stated(script, targets, key, category):
    options = read_backend(SIMULATED / "backends" / f"simulated-{key}.toml").options
    found = script.accuracies(key, options, cs.read_items(), [category])[category]
    stated = targets.set_index(["model", "category"]).loc[(key, category), "simulated"]
    assert found == pytest.approx(stated, abs=1e-5)


def test_runs_are_marked_and_need_no_texts(tmp_path, script, monkeypatch):
    monkeypatch.setattr(
        "sys.argv",
        ["simulate_paper.py", "-o", str(tmp_path), "--per-category", "2", "--models", "claude-2", "llama-7b"],
    )
    script.main()
    trials = cs.read_trials(tmp_path)
    units = trials.counts().units
    assert set(units["condition"]) == {"simulated"}
    assert sorted(units["model"]) == ["simulated-claude-2", "simulated-llama-7b"]
    counts = trials.counts(responses=True, scores=True)
    assert (counts.statuses.sum(axis=(1, 2)) == counts.statuses.sum(axis=(1, 2))[0]).all()
    assert counts.responses.scores is not None

"""Results to explore: the 20 real files, invented ones with every kind of answer, and a browser where there is one."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import click_stats as cs
from click_stats.counts import STATUSES, Counts
from click_stats.render import explorer
from click_stats.results import Result, ResultSet
from click_stats.stats.item_answers import item_answers

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
EVIL = "</script><img src=x onerror=\"document.title='hacked'\"><b>&'`${1}\u2028"


def _invented(n_items=6, n_units=2, *, trials=1, seed=1, texts=False, evil=False):
    """Counts of invented answers: every status, items of 2 to 5 options, two items of one passage."""
    rng = np.random.default_rng(seed)
    keys = [f"{'AB'[k % 2]}/item_{k}" for k in range(n_items)]
    n_options = 2 + np.arange(n_items) % 4
    items = pd.DataFrame(
        {
            "category": ["AB"[k % 2] for k in range(n_items)],
            "domain": "D",
            "source": [f"S{k % 3}" for k in range(n_items)],
            "n_options": n_options,
            "gold": np.arange(n_items) % 2,
            "cluster": ["shared" if k < 2 else keys[k] for k in range(n_items)],
        },
        index=pd.Index(keys, name="item"),
    )
    names = [f"m{k}" for k in range(n_units)]
    if evil:
        names[0] = EVIL
        items.index = pd.Index([f"A/{EVIL}", *keys[1:]], name="item")
    if texts:
        items["passage"] = ["" if k else f"A passage {EVIL}" for k in range(n_items)]
        items["question"] = [f"Question number {k} <i>?" for k in range(n_items)]
        items["options"] = [tuple(f"text {k}.{option}" for option in range(n)) for k, n in enumerate(n_options)]
    options = np.zeros((n_units, n_items, 5), dtype=np.int64)
    statuses = np.zeros((n_units, n_items, len(STATUSES)), dtype=np.int64)
    for _ in range(trials):
        status = rng.choice(len(STATUSES), size=(n_units, n_items), p=[0.88, *[0.02] * 6])
        choice = rng.integers(0, n_options, size=(n_units, n_items))
        for unit, item in np.ndindex(n_units, n_items):
            statuses[unit, item, status[unit, item]] += 1
            options[unit, item, choice[unit, item]] += status[unit, item] == 0
    units = pd.DataFrame({"model": names, "condition": "default", "protocol": ""}, index=pd.Index(names, name="unit"))
    return Counts(units, items, options, statuses, np.full((n_units, n_items), trials), None, ("A", "B"), ("D",))


def _result_set(counts, *others, **parameters):
    results = {"item_answers": item_answers(counts, **parameters), **{one.name: one for one in others}}
    return ResultSet("item_answers", results, {"version": "0", "benchmark": "Invented", "warnings": ["A warning."]})


@pytest.fixture(scope="session")
def invented():
    """Make invented counts."""
    return _invented


@pytest.fixture(scope="session")
def result_set():
    """Make the results of counts, with results of other analyses beside."""
    return _result_set


@pytest.fixture(scope="session")
def beside():
    """What other analyses say about the six invented items."""
    items = [f"{'AB'[k % 2]}/item_{k}" for k in range(6)]
    difficulty = pd.DataFrame(
        {
            "item": items,
            "difficulty": [-1.5, -0.5, 0.0, 0.5, 2.0, np.nan],
            "difficulty_low": [-2.5, -1.5, -1.0, -0.5, 1.0, np.nan],
            "difficulty_high": [-0.5, 0.5, 1.0, 1.5, 3.0, np.nan],
            "reason": ["", "", "", "", "", "no trial responded"],
            "method": "any",
        }
    )
    flags = pd.DataFrame(
        {
            "item": [items[4], items[4], items[1]],
            "flag": ["wrong key suspected", "no model right", "wrong key suspected"],
            "note": ["a note on it", "none of 2 models is right", "another"],
        }
    )
    rest = pd.DataFrame({"item": items, "item_rest": [0.1, 0.2, -0.3, 0.4, 0.5, np.nan]})
    groups = pd.DataFrame({"item": [items[0]] * 2, "estimate": [0.25, -0.5], "verdict": ["separated", "not separated"]})
    return (
        Result("irt", {"estimates": difficulty}),
        Result("item_analysis", {"estimates": rest, "flags": flags}),
        Result("dif", {"estimates": groups}),
    )


@pytest.fixture(scope="session")
def real():
    """The answers of the 20 real files, with the names of their models."""
    return cs.analyze(
        "item_answers",
        cs.read_trials(FIXTURES / "real-results"),
        models=cs.read_models(FIXTURES / "models.csv"),
    )


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A browser; skipped without one, or failed where it was promised."""
    path = Path(__file__).with_name("browser.py")
    spec = importlib.util.spec_from_file_location("explorer_browser", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.find()
    if found is None:
        reason = f"no browser among {', '.join(module.NAMES)}"
        if os.environ.get("CLICK_STATS_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    browser = module.Browser(found, tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture
def show(browser, tmp_path):
    """Write the page of some results, open it at an address, and return the browser."""

    def open_page(results, fragment="", lang="en"):
        path = tmp_path / "page" / explorer.FILE
        path.parent.mkdir(exist_ok=True)
        explorer.write(results, path, lang=lang)
        browser.open(f"{path.as_uri()}{fragment}")
        return browser

    return open_page

import os
from pathlib import Path

import pandas as pd
import pytest

from click_stats.items import read_items
from click_stats.trials import read_trials

FIXTURES = Path(__file__).parents[2] / "fixtures"
REAL = FIXTURES / "real-results"

DEFINITION = """
name = "Tiny"
revision = "tiny, second edition"
domains = [{ name = "D" }]
categories = [{ name = "One", domain = "D", aliases = ["First"] }, { name = "Two", domain = "D" }]
"""
KEYS = """id,category,source,n_options,gold
a1,One,S,4,0
a2,One,S,4,1
a3,One,S,4,2
a4,One,S,5,4
b1,Two,S,4,3
b2,Two,S,4,2
b3,Two,S,4,1
b4,Two,S,4,0
x1,One,S,4,0
x1,Two,S,4,2
x2,One,S,4,1
x2,Two,S,4,1
"""
"""Made-up keys: the ids x1 and x2 stand for two items each; those of x2 have the same gold letter (B)."""


@pytest.fixture(scope="session")
def click():
    return read_items()


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "tiny.toml").write_text(DEFINITION, encoding="utf-8")
    (folder / "keys.csv").write_text(KEYS, encoding="utf-8")
    return read_items(folder / "keys.csv", folder / "tiny.toml")


@pytest.fixture(scope="session")
def real(click):
    return read_trials(REAL, click)


@pytest.fixture
def write(tmp_path):
    """Write a file of the given text or bytes, and return its path."""

    def _write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return _write


@pytest.fixture
def read(write, tiny):
    """Write one file and read it with the tiny item table."""

    def _read(content, name="m.csv", **options):
        return read_trials(write(name, content), tiny, **options)

    return _read


@pytest.fixture(scope="session")
def dataset_path():
    path = os.environ.get("CLICK_STATS_ITEMS")
    if not path:
        if os.environ.get("CLICK_STATS_REQUIRE_ITEMS") == "1":
            pytest.fail("CLICK_STATS_REQUIRE_ITEMS=1, but CLICK_STATS_ITEMS is not set.")
        pytest.skip("needs the dataset: set CLICK_STATS_ITEMS")
    return Path(path)


@pytest.fixture(scope="session")
def by_item():
    """item -> (status, prediction) of a table with one trial per item."""

    def _by_item(trials):
        frame = trials.frame()
        chosen = [None if option is pd.NA else int(option) for option in frame["prediction"]]
        assert frame["item"].is_unique
        return dict(zip(frame["item"], zip(frame["status"], chosen, strict=True), strict=True))

    return _by_item

import json
import os
from pathlib import Path

import pytest

from click_stats.items import read_items

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture(scope="session")
def click():
    return read_items()


@pytest.fixture(scope="session")
def invented():
    folder = FIXTURES / "invented"
    return read_items(folder / "items.jsonl", folder / "benchmark.toml")


@pytest.fixture(scope="session")
def dataset_path():
    path = os.environ.get("CLICK_STATS_ITEMS")
    if not path:
        if os.environ.get("CLICK_STATS_REQUIRE_ITEMS") == "1":
            pytest.fail("CLICK_STATS_REQUIRE_ITEMS=1, but CLICK_STATS_ITEMS is not set.")
        pytest.skip("needs the dataset: set CLICK_STATS_ITEMS")
    return Path(path)


@pytest.fixture(scope="session")
def dataset(dataset_path):
    return read_items(dataset_path)


DEFINITION = """
name = "Tiny"
domains = [{ name = "D" }, { name = "E" }]
categories = [{ name = "One", domain = "D", aliases = ["First"] }, { name = "Two", domain = "E" }]
"""


@pytest.fixture
def definition(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(DEFINITION, encoding="utf-8")
    return path


@pytest.fixture
def read(tmp_path, definition):
    """Write items as a JSON table and read them."""

    def _read(*entries, name="items.json"):
        path = tmp_path / name
        path.write_text(json.dumps(list(entries), ensure_ascii=False), encoding="utf-8")
        return read_items(path, definition)

    return _read

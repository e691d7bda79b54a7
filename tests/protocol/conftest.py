import json
import os
from pathlib import Path

import pytest

from click_stats.items import read_items

FIXTURES = Path(__file__).parents[2] / "fixtures"

DEFINITION = """
name = "Tiny"
labels = "{labels}"
domains = [{{ name = "D" }}]
categories = [{{ name = "One", domain = "D" }}, {{ name = "Two", domain = "D" }}]
"""


@pytest.fixture(scope="session")
def click():
    return read_items()


@pytest.fixture(scope="session")
def invented():
    folder = FIXTURES / "invented"
    return read_items(folder / "items.jsonl", folder / "benchmark.toml")


@pytest.fixture(scope="session")
def dataset():
    return read_items(Path(os.environ["CLICK_STATS_ITEMS"]))


@pytest.fixture
def read(tmp_path):
    """Read items from dicts, with letters or digits as labels."""

    def _read(*entries, labels="letters"):
        definition = tmp_path / f"tiny-{labels}.toml"
        definition.write_text(DEFINITION.format(labels=labels), encoding="utf-8")
        path = tmp_path / "items.json"
        path.write_text(json.dumps(list(entries), ensure_ascii=False), encoding="utf-8")
        return read_items(path, definition)

    return _read


def entry(number, *, category="One", passage="", n=4, **more):
    """An invented item; its right option is the second."""
    options = [f"보기 {number}-{position}" for position in range(n)]
    return {"id": f"q{number}", "category": category, "passage": passage, "question": f"{number}번 질문은?",
            "options": options, "answer": options[1], **more}  # fmt: skip


@pytest.fixture
def entries():
    return entry


@pytest.fixture
def declare(tmp_path):
    """Write a protocol file and return its path as text."""

    def _declare(text, name="own"):
        path = tmp_path / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return _declare

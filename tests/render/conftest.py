from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

    from click_stats.results import ResultSet


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

"""A browser for the forms, where there is one."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A browser; skipped without one, or failed where it was promised."""
    path = Path(__file__).parents[1] / "explorer" / "browser.py"
    spec = importlib.util.spec_from_file_location("forms_browser", path)
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

"""Pages that are generated are fresh, and links in the pages lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("[abfr]*/README.md")])
LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)#\s]+)[^)]*\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", flags=re.DOTALL)


def test_generated_pages_are_fresh():
    run = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "make_docs.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    prose = CODE.sub("", page.read_text(encoding="utf-8"))
    broken = [link for link in LINK.findall(prose) if not (page.parent / link).exists()]
    assert broken == []

"""The README's example runs as it is written, from the root of a checkout."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.report
def test_the_readme_example_runs(tmp_path, monkeypatch):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    code = code.replace('out="out"', f"out={str(tmp_path / 'out')!r}")
    assert str(tmp_path) in code
    script = tmp_path / "example.py"
    script.write_text(code, encoding="utf-8")
    monkeypatch.chdir(ROOT)
    names = runpy.run_path(str(script))
    assert len(names["acc"].to_frame()) == 20 * 11
    assert (tmp_path / "out" / "report.html").stat().st_size > 10_000
    assert (tmp_path / "out" / "report.pdf").read_bytes().startswith(b"%PDF")

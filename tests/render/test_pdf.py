"""PDF by typst: fonts, PDF/UA-1, characters that no font has, what is asked of a picture (S43)."""

from __future__ import annotations

from pathlib import Path

import pypdf
import pytest

from click_stats.errors import MissingDependencyError, RenderError
from click_stats.render import fonts
from click_stats.render.engines import render_project
from click_stats.render.engines.checks import check_pdf

pytestmark = pytest.mark.report

FIGURES = Path(__file__).parent / "sample" / "figures"


def write(folder: Path, body: str, lang: str = "en") -> Path:
    (folder / "figures").mkdir(exist_ok=True)
    (folder / "figures" / "ladder.svg").write_bytes((FIGURES / "ladder.svg").read_bytes())
    (folder / "report.qmd").write_text(f'---\ntitle: "T"\nlang: {lang}\ntoc: false\n---\n\n{body}\n', encoding="utf-8")
    return folder


def render(folder: Path, body: str, lang: str = "en") -> tuple[str, tuple[str, ...]]:
    (rendered,) = render_project(write(folder, body, lang), ["pdf"], engine="builtin")
    reader = pypdf.PdfReader(rendered.path)
    return "\n".join(page.extract_text() for page in reader.pages), rendered.notes


def test_a_table_cell_in_hangul_can_be_read(tmp_path):
    text, notes = render(tmp_path, "| 범주 | 값 |\n|:--|--:|\n| 역사 | 1 |\n\n: 표 {#tbl-a}", "ko")
    assert "역사" in text
    assert "\x00" not in text
    assert notes == ()


def test_hangul_in_an_english_report_too(tmp_path):
    text, _ = render(tmp_path, "The model 모델-한국어_7B answers.")
    assert "모델" in text


def test_it_meets_pdf_ua_1(tmp_path):
    render(tmp_path, 'Text $x^2$ and\n\n$$\ny = 1\n$$ {#eq-a}\n\n![cap](figures/ladder){#fig-a fig-alt="alt"}')
    raw = (tmp_path / "report.pdf").read_bytes()
    assert b"pdfuaid" in raw
    assert b"/Alt" in raw


def test_a_picture_without_a_text_is_noted_and_its_caption_serves(tmp_path):
    _, notes = render(tmp_path, "![cap](figures/ladder){#fig-a}")
    assert len(notes) == 1
    assert "figures/ladder" in notes[0]


def test_a_korean_report_without_a_font_is_refused(tmp_path, monkeypatch):
    def none():
        raise MissingDependencyError("There is no Korean font", do=fonts.ADVICE)

    monkeypatch.setattr(fonts, "korean_font", none)
    with pytest.raises(MissingDependencyError) as caught:
        render(tmp_path, "역사", "ko")
    assert "fonts-nanum" in caught.value.do
    assert not (tmp_path / "report.pdf").exists()
    text, _ = render(tmp_path, "History")
    assert "History" in text


def test_a_character_that_no_font_has_is_an_error_that_names_it(tmp_path):
    with pytest.raises(RenderError, match="no font here has") as caught:
        render(tmp_path, "A sign: \U00013000")
    assert "\U00013000" in caught.value.found


def test_a_font_that_typst_does_not_find(tmp_path, monkeypatch):
    real = fonts.korean_font()
    choice = fonts.FontChoice("Absent Gothic", real.files, real.source, real.plot_family)
    monkeypatch.setattr(fonts, "korean_font", lambda: choice)
    with pytest.raises(RenderError, match="does not find") as caught:
        render(tmp_path, "역사", "ko")
    assert "Absent Gothic" in caught.value.found


def test_wrong_typst_is_explained(tmp_path):
    with pytest.raises(RenderError, match="could not set") as caught:
        render(tmp_path, "```{=typst}\n#nothing-of-the-name\n```")
    assert "nothing-of-the-name" in caught.value.found


def test_a_long_table_runs_over_pages_with_its_header(tmp_path):
    rows = "\n".join(f"| model-{i} | {i}.0 |" for i in range(120))
    render(tmp_path, f"| unit name | accuracy |\n|:--|--:|\n{rows}\n\n: long {{#tbl-a}}")
    pages = pypdf.PdfReader(tmp_path / "report.pdf").pages
    assert len(pages) >= 3
    texts = [page.extract_text().replace("\xa0", " ") for page in pages]
    assert all("unit name" in text for text in texts if "model-" in text)
    numbers = [text.split()[-1] for text in texts]
    assert numbers == [str(n) for n in range(1, len(pages) + 1)]


@pytest.mark.parametrize("landscape", [False, True])
def test_a_wide_table_stays_on_the_page(tmp_path, landscape):
    head = "| " + " | ".join(f"column {i}" for i in range(14)) + " |"
    rule = "|" + "|".join(["--:"] * 14) + "|"
    row = "| " + " | ".join(["claude-opus-4-5-20251101", *["[−12.3, 45.6]"] * 13]) + " |"
    table = f"{head}\n{rule}\n{row}\n{row}\n\n: wide {{#tbl-a}}"
    render(tmp_path, f"::: {{.landscape}}\n{table}\n:::" if landscape else table)
    reader = pypdf.PdfReader(tmp_path / "report.pdf")
    for page in reader.pages:
        assert 0 < max(starts(page)) < float(page.mediabox.width) - 40
    assert any(page.mediabox.width > page.mediabox.height for page in reader.pages) == landscape


def starts(page: pypdf.PageObject) -> list[float]:
    """Where each piece of text begins, in points from the left."""
    found: list[float] = []

    def see(text, matrix, inner, *_rest) -> None:
        if text.strip():
            found.append(matrix[4] + inner[4] * matrix[0])

    page.extract_text(visitor_text=see)
    return found


def test_hidden_text_does_not_alarm_the_check(tmp_path):
    body = '역사 지리 법 정치\n\n::: {.content-visible when-format="html"}\n붧\n:::'
    render(tmp_path, body, "ko")
    source = (tmp_path / "report.qmd").read_text(encoding="utf-8")
    assert check_pdf((tmp_path / "report.pdf").read_bytes(), source) == []

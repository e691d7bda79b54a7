"""What a rendered report must be, whichever engine made it: one class over both engines and both languages."""

from __future__ import annotations

import io
import os
import re
import shutil
import zipfile
from pathlib import Path

import docx
import pypdf
import pytest
from lxml import etree, html

from click_stats.render.engines import render_project
from click_stats.render.engines.quarto import look_for_quarto
from click_stats.render.project import write_project

pytestmark = pytest.mark.report

SAMPLE = Path(__file__).parent / "sample"
NAME = "my_model-7b_v2|ko"
SIGNS = "<b>&$#@%*"
FIGURE_CAPTION = {
    "en": "Accuracy of 100% <all> models: my_model-7b_v2|ko *first*",
    "ko": "모든 <all> 모형의 정답률 100%: my_model-7b_v2|ko *처음*",
}
TABLE_CAPTION = {"en": "Accuracy in %, 95% interval | <b>&$#@*", "ko": "정답률(%)과 95% 신뢰구간 | <b>&$#@*"}
WORDS = {
    "en": {"fig": "Figure", "tbl": "Table", "sec": "Section", "eq": "Equation"},
    "ko": {"fig": "그림", "tbl": "표", "sec": "절", "eq": "식"},
}
ALT = {
    "en": 'Two dots with intervals: my_model-7b_v2|ko at 61.8 %, "other" at 55.0 % & below.',
    "ko": '점 두 개와 구간: my_model-7b_v2|ko 61.8 %, "other" 55.0 % & 그 아래.',
}
HEADINGS = {
    "en": ["Findings", "Methods", "Intervals", "Without a number", "References"],
    "ko": ["결과", "방법", "구간", "번호 없는 절", "참고 문헌"],
}
CALLOUTS = {
    "en": ["Uneven coverage of *Functional*", "Note", "Read the denominators"],
    "ko": ["고르지 않은 응답 *기능*", "참고", "분모를 볼 것"],
}


def make_sample(folder: Path, lang: str) -> Path:
    shutil.copytree(SAMPLE / "figures", folder / "figures")
    shutil.copy(SAMPLE / "references.bib", folder / "references.bib")
    shutil.copy(SAMPLE / f"report.{lang}.qmd", folder / "report.qmd")
    write_project(folder, lang=lang)
    return folder


def flat(text: str) -> str:
    """Text with all white space, no-break spaces too, as one space."""
    return re.sub(r"\s+", " ", text.replace("\xa0", " ")).strip()


@pytest.fixture(scope="module", params=["builtin", pytest.param("quarto", marks=pytest.mark.quarto)])
def engine(request: pytest.FixtureRequest) -> str:
    if request.param == "quarto":
        found, why = look_for_quarto(required=False)
        if found is None:
            if os.environ.get("CLICK_STATS_REQUIRE_QUARTO") == "1":
                pytest.fail(why)
            pytest.skip(why)
    return request.param


@pytest.fixture(scope="module", params=["en", "ko"])
def lang(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def folder(engine: str, lang: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = make_sample(tmp_path_factory.mktemp(f"{engine}-{lang}"), lang)
    rendered = render_project(made, ["docx", "pdf", "html"], engine=engine)
    assert [one.path for one in rendered] == [made / f"report.{fmt}" for fmt in ("html", "pdf", "docx")]
    assert [one.notes for one in rendered if one.format != "pdf"] == [(), ()]
    return made


@pytest.fixture(scope="module")
def page(folder: Path):
    return html.fromstring((folder / "report.html").read_bytes())


@pytest.fixture(scope="module")
def word(folder: Path):
    return docx.Document(str(folder / "report.docx"))


@pytest.fixture(scope="module")
def pdf(folder: Path):
    return pypdf.PdfReader(folder / "report.pdf")


@pytest.fixture(scope="module")
def pdf_text(pdf):
    return "\n".join(sheet.extract_text() for sheet in pdf.pages)


class TestStructure:
    def test_nothing_else_is_left_in_the_folder(self, folder):
        names = {path.name for path in folder.iterdir()} - {".quarto", ".gitignore"}
        assert names == {
            "_quarto.yml", "_shared", "figures", "references.bib",
            "report.qmd", "report.html", "report.pdf", "report.docx",
        }  # fmt: skip

    # html ---------------------------------------------------------------------------------------------------

    def test_html_names_its_language_and_title(self, page, lang):
        assert page.get("lang", "").startswith(lang)
        assert NAME in page.findtext(".//title")
        assert SIGNS in page.findtext(".//title")
        assert [flat(h.text_content()) for h in page.xpath("//h1[contains(@class,'title')]")] == [
            flat(page.findtext(".//title"))
        ]

    def test_html_has_the_sections_in_order(self, page, lang):
        heads = [
            flat(h.text_content())
            for h in page.xpath("//main//*[self::h1 or self::h2 or self::h3][not(contains(@class,'title'))]")
        ]
        assert [re.sub(r"^[\d.]+ ", "", head) for head in heads] == HEADINGS[lang]
        assert [head.split()[0] for head in heads[:3]] == ["1", "2", "2.1"]
        assert len(set(page.xpath("//@id"))) == len(page.xpath("//@id"))

    def test_html_captions_are_numbered_and_as_typed(self, page, lang):
        captions = [flat(c.text_content()) for c in page.xpath("//figcaption | //caption")]
        assert f"{WORDS[lang]['fig']} 1: {FIGURE_CAPTION[lang]}" in captions
        assert f"{WORDS[lang]['tbl']} 1: {TABLE_CAPTION[lang]}" in captions
        assert sum(caption.startswith(f"{WORDS[lang]['tbl']} 2: ") for caption in captions) == 1

    def test_html_references_are_resolved_links(self, page, lang):
        links = {a.get("href"): flat(a.text_content()) for a in page.xpath("//main//p//a[starts-with(@href,'#')]")}
        words = WORDS[lang]
        assert links["#fig-ladder"] == f"{words['fig']} 1"
        assert links["#tbl-accuracy"] == f"{words['tbl']} 1"
        assert links["#tbl-wide"] == f"{words['tbl']} 2"
        assert links["#eq-wilson"] == f"{words['eq']} 1"
        assert links["#sec-methods"] == f"{words['sec']} 2"
        ids = set(page.xpath("//@id"))
        assert all(href[1:] in ids for href in page.xpath("//a/@href") if href.startswith("#") and href != "#")
        assert "#row-b" in links

    def test_html_picture_has_its_alternative_text(self, page, lang):
        pictures = page.xpath("//figure//img")
        assert [picture.get("alt") for picture in pictures] == [ALT[lang]]

    def test_html_header_cells_have_a_scope(self, page):
        tables = page.xpath("//table")
        assert len(tables) == 2
        for table in tables:
            assert table.xpath(".//thead//th")
            assert set(table.xpath(".//thead//th/@scope")) == {"col"}
            assert len(table.xpath(".//thead//th")) == len(table.xpath(".//thead//th[@scope]"))
            rows = table.xpath(".//tbody/tr")
            assert all(len(row.xpath("./th[@scope='row']")) == 1 for row in rows)

    def test_html_cells_are_as_typed(self, page):
        cells = [flat(cell.text_content()) for cell in page.xpath("//tbody//th")]
        assert NAME in cells
        assert SIGNS in cells

    def test_html_fetches_nothing(self, page, folder):
        loaded = page.xpath(
            "//script/@src | //img/@src | //iframe/@src | //link[@rel!='canonical']/@href | //source/@src | //object/@data"
        )
        assert not [address for address in loaded if re.match(r"(https?:)?//", address)]
        assert not [address for address in loaded if not address.startswith("data:")]
        styles = " ".join(style.text or "" for style in page.xpath("//style"))
        assert not re.search(r"@import|url\(\s*['\"]?(https?:)?//", styles)
        assert len((folder / "report.html").read_bytes()) < 3_000_000

    def test_html_needs_no_script_to_be_read(self, page, engine):
        assert page.xpath("//*[local-name()='math']")
        assert "\\frac" not in flat(
            " ".join(page.xpath("//main//p//text()[not(ancestor::*[local-name()='annotation'])]"))
        )
        if engine == "builtin":
            assert not page.xpath("//script")

    def test_html_shows_callouts_and_what_is_meant_for_it(self, page, lang):
        titles = [
            flat(node.text_content())
            for node in page.xpath("//*[contains(@class,'callout-title')][not(contains(@class,'container'))]")
        ]
        text = flat(page.text_content())
        assert all(title in " ".join(titles) or title in text for title in CALLOUTS[lang])
        assert "Only in html." in text
        assert "Only in docx." not in text
        assert "Not in html." not in text
        assert "{{<" not in text

    # docx ---------------------------------------------------------------------------------------------------

    def test_docx_has_headings_and_title(self, word, lang):
        heads = [flat(p.text) for p in word.paragraphs if p.style.name.startswith("Heading")]
        assert [re.sub(r"^[\d.]+\s*", "", head) for head in heads] == HEADINGS[lang]
        assert NAME in word.core_properties.title
        title = next(p for p in word.paragraphs if p.style.name == "Title")
        assert SIGNS in flat(title.text)

    def test_docx_tables_repeat_their_header_and_hold_the_names(self, word):
        tables = [table for table in word.tables if len(table.rows) > 2]
        assert [(len(table.rows), len(table.columns)) for table in tables] == [(4, 4), (61, 14)]
        for table in tables:
            assert table.rows[0]._tr.xpath("./w:trPr/w:tblHeader")
        column = [flat(row.cells[0].text) for row in tables[0].rows]
        assert column[1:] == [NAME, SIGNS, "other"]

    def test_docx_captions_and_references(self, word, lang):
        text = [flat(p.text) for p in word.paragraphs]
        words = WORDS[lang]
        assert f"{words['fig']} 1: {FIGURE_CAPTION[lang]}" in text
        assert any(line == f"{words['tbl']} 1: {TABLE_CAPTION[lang]}" for line in text)
        body = " ".join(text)
        assert f"{words['eq']} 1" in body
        assert f"{words['sec']} 2" in body
        assert "?@" not in body
        assert "Only in docx." in body
        assert "Only in html." not in body

    def test_docx_picture_has_its_description(self, word, lang):
        pictures = word.element.body.xpath(".//wp:docPr")
        described = [picture.get("descr") for picture in pictures]
        assert ALT[lang] in described
        assert len([d for d in described if d == ALT[lang]]) == 1

    def test_docx_turns_one_page_and_numbers_all(self, word):
        orientations = [section.orientation for section in word.sections]
        assert [int(o) for o in orientations] == [0, 1, 0]
        assert all(section._sectPr.xpath("./w:footerReference") for section in word.sections)

    # PDF ----------------------------------------------------------------------------------------------------

    def test_pdf_text_can_be_read(self, pdf_text, lang):
        text = flat(pdf_text)
        assert "\x00" not in pdf_text
        assert NAME in text
        assert SIGNS in text
        assert all(head in text for head in HEADINGS[lang])
        assert f"{WORDS[lang]['fig']} 1: {FIGURE_CAPTION[lang]}" in text
        assert "−3.2" in text
        assert "Not in html." in text
        assert "Only in" not in text

    def test_pdf_is_tagged_and_names_its_language(self, pdf, lang):
        root = pdf.trailer["/Root"]
        assert root["/Lang"].startswith(lang)
        assert root["/MarkInfo"]["/Marked"]
        assert "/StructTreeRoot" in root
        assert NAME in pdf.metadata.title

    def test_pdf_embeds_its_fonts(self, pdf):
        fonts = fonts_of(pdf)
        assert fonts
        assert all(embedded for embedded in fonts.values()), fonts

    def test_pdf_headings_are_bold(self, pdf, lang):
        names = " ".join(fonts_of(pdf))
        assert "Bold" in names

    def test_pdf_turns_the_wide_table_and_repeats_its_header(self, pdf, lang):
        turned = [sheet for sheet in pdf.pages if sheet.mediabox.width > sheet.mediabox.height]
        assert len(turned) >= 2
        head = "p (max-T)"
        assert all(head in flat(sheet.extract_text()) for sheet in turned if NAME in sheet.extract_text())


def fonts_of(pdf: pypdf.PdfReader) -> dict[str, bool]:
    """Font name -> whether its file is in the PDF, over all pages."""
    found: dict[str, bool] = {}
    for sheet in pdf.pages:
        for font in (sheet["/Resources"].get_object().get("/Font") or {}).values():
            inner = font.get_object()
            inner = inner["/DescendantFonts"][0].get_object() if "/DescendantFonts" in inner else inner
            descriptor = inner["/FontDescriptor"].get_object()
            found[str(inner["/BaseFont"])] = any(key in descriptor for key in ("/FontFile", "/FontFile2", "/FontFile3"))
    return found


def test_builtin_gives_the_same_bytes_twice(tmp_path):
    made = []
    for place in ("one", "two"):
        folder = tmp_path / place
        folder.mkdir()
        render_project(make_sample(folder, "ko"), ["html", "pdf", "docx"], engine="builtin")
        made.append({fmt: (folder / f"report.{fmt}").read_bytes() for fmt in ("html", "pdf", "docx")})
    assert {fmt: made[0][fmt] == made[1][fmt] for fmt in made[0]} == {"html": True, "pdf": True, "docx": True}


def test_word_files_hold_valid_xml(tmp_path):
    render_project(make_sample(tmp_path, "en"), ["docx"], engine="builtin")
    with zipfile.ZipFile(tmp_path / "report.docx") as archive:
        for name in archive.namelist():
            if name.endswith((".xml", ".rels")):
                etree.parse(io.BytesIO(archive.read(name)))

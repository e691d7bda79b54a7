"""Word files: the reference document, table widths, page numbers, descriptions of pictures."""

from __future__ import annotations

import importlib.util
import re
import zipfile
from pathlib import Path

import docx
import pytest
from docx.oxml.ns import qn

from click_stats.errors import RenderError
from click_stats.render.engines import render_project
from click_stats.render.engines.assets import packaged
from click_stats.render.engines.docx_finish import described, finish, stem

pytestmark = pytest.mark.report

FIGURES = Path(__file__).parent / "sample" / "figures"
SCRIPT = Path(__file__).parents[2] / "scripts" / "make_reference_docx.py"


def render(folder: Path, body: str) -> docx.document.Document:
    (folder / "figures").mkdir()
    (folder / "figures" / "ladder.png").write_bytes((FIGURES / "ladder.png").read_bytes())
    (folder / "report.qmd").write_text(f'---\ntitle: "T"\nlang: ko\n---\n\n{body}\n', encoding="utf-8")
    render_project(folder, ["docx"], engine="builtin")
    return docx.Document(str(folder / "report.docx"))


class TestReference:
    @pytest.fixture
    def reference(self):
        return docx.Document(str(packaged("reference.docx")))

    def test_headings_are_bold_with_korean_fonts(self, reference):
        for level in range(1, 7):
            style = reference.styles[f"Heading {level}"]
            assert style.font.bold
            fonts = style.element.rPr.find(qn("w:rFonts"))
            assert fonts.get(qn("w:eastAsia")) == "Malgun Gothic"
            assert fonts.get(qn("w:eastAsiaTheme")) is None

    def test_has_the_styles_that_are_asked_for(self, reference):
        names = {style.name for style in reference.styles}
        assert {"Table Text", "Table Small", "Table Tiny", "Callout", "Callout Title", "Figure How", "Table",
                "Table Caption", "Image Caption", "Verbatim Char", "TOC Heading"} <= names  # fmt: skip

    def test_the_script_makes_the_same_file(self, tmp_path, monkeypatch):
        spec = importlib.util.spec_from_file_location("make_reference_docx", SCRIPT)
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        monkeypatch.setattr(made, "OUT", tmp_path / "reference.docx")
        made.main()
        with zipfile.ZipFile(tmp_path / "reference.docx") as new, zipfile.ZipFile(packaged("reference.docx")) as old:
            assert new.namelist() == old.namelist()
            for name in ("word/styles.xml", "word/document.xml"):
                assert new.read(name) == old.read(name)


def width_of(table) -> int:
    return sum(int(column.get(qn("w:w"))) for column in table._tbl.tblGrid.findall(qn("w:gridCol")))


class TestTables:
    def test_widths_given_are_kept(self, tmp_path):
        word = render(tmp_path, '| a | b |\n|:--|--:|\n| x | 1 |\n\n: c {#tbl-a tbl-colwidths="[75,25]"}')
        grid = [int(c.get(qn("w:w"))) for c in word.tables[0]._tbl.tblGrid.findall(qn("w:gridCol"))]
        assert sum(grid) == pytest.approx(9638, abs=3)
        assert grid[0] == pytest.approx(3 * grid[1], rel=0.01)

    def test_a_small_table_keeps_to_its_size(self, tmp_path):
        word = render(tmp_path, "| a | b |\n|:--|--:|\n| x | 1 |\n\n: c {#tbl-a}")
        assert width_of(word.tables[0]) < 4000

    def test_a_wide_table_fills_the_page_it_is_on(self, tmp_path):
        head = "| " + " | ".join(f"열 이름 {i}" for i in range(12)) + " |\n|" + "--:|" * 12
        table = f"{head}\n| {' | '.join(['claude-opus-4-5', *['[−1.2, 3.4]'] * 11])} |\n\n: c"
        word = render(tmp_path, f"{table} {{#tbl-a}}\n\n::: {{.landscape}}\n{table} {{#tbl-b}}\n:::\n\nEnd.")
        assert width_of(word.tables[0]) == pytest.approx(9638, abs=12)
        assert width_of(word.tables[1]) == pytest.approx(14570, abs=12)
        styles = {p.style.name for row in word.tables[0].rows for cell in row.cells for p in cell.paragraphs}
        assert styles == {"Table Tiny"}

    def test_cells_have_their_column_width_and_rows_stay_whole(self, tmp_path):
        word = render(tmp_path, "| a | b |\n|:--|--:|\n| 가나다라마바사 | 1 |\n\n: c {#tbl-a}")
        (table,) = word.tables
        grid = [c.get(qn("w:w")) for c in table._tbl.tblGrid.findall(qn("w:gridCol"))]
        for row in table.rows:
            assert [cell._tc.tcPr.find(qn("w:tcW")).get(qn("w:w")) for cell in row.cells] == grid
            assert row._tr.xpath("./w:trPr/w:cantSplit")
        assert int(grid[0]) > 2 * int(grid[1])

    def test_the_header_row_is_bold_and_repeats(self, tmp_path):
        word = render(tmp_path, "| a | b |\n|:--|--:|\n| x | 1 |\n\n: c {#tbl-a}")
        head = word.tables[0].rows[0]
        assert head._tr.xpath("./w:trPr/w:tblHeader")
        assert all(run.bold for cell in head.cells for p in cell.paragraphs for run in p.runs)


class TestFinish:
    def test_texts_reach_pictures_by_file_name(self, tmp_path):
        word = render(tmp_path, "![cap](figures/ladder){#fig-a}")
        assert word.inline_shapes
        path = tmp_path / "report.docx"
        assert described(path) == ["cap"]
        assert finish(path, {"ladder": 'say "hi" & <go>'}) == []
        assert described(path) == ['say "hi" & <go>']

    def test_a_picture_without_any_text_is_named(self, tmp_path):
        render(tmp_path, '![cap](figures/ladder){#fig-a fig-alt="x"}')
        path = tmp_path / "report.docx"
        blank(path)
        assert "figures/ladder.png" in finish(path, {})[0]

    def test_no_path_of_this_machine_is_left(self, tmp_path):
        (tmp_path / "references.bib").write_text("@book{a, title = {T}, author = {A, B}, year = 2020}\n")
        (tmp_path / "report.qmd").write_text('---\ntitle: "T"\nbibliography: references.bib\n---\n\nSee [@a].\n')
        render_project(tmp_path, ["docx"], engine="builtin")
        with zipfile.ZipFile(tmp_path / "report.docx") as archive:
            held = b"".join(archive.read(name) for name in archive.namelist())
        assert str(tmp_path).encode() not in held
        assert b"_shared" not in held

    def test_not_a_word_file(self, tmp_path):
        path = tmp_path / "x.docx"
        path.write_bytes(b"no zip")
        with pytest.raises(RenderError, match="broken"):
            finish(path, {})

    @pytest.mark.parametrize("name", ["figures/a.b.svg", "figures\\a.b.png", "a.b"])
    def test_names_without_folder_and_ending(self, name):
        assert stem(name) == "a.b"


def blank(path: Path) -> None:
    """Take the descriptions out, as Quarto leaves them."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["word/document.xml"] = re.sub(rb'(<wp:docPr [^>]*?descr=)"[^"]*"', rb'\1""', parts["word/document.xml"])
    with zipfile.ZipFile(path, "w") as archive:
        for name, raw in parts.items():
            archive.writestr(name, raw)

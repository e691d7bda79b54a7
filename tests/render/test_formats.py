from __future__ import annotations

import csv
import io
import json
import math
import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from click_stats.errors import UsageError
from click_stats.render.formats import FORMATS, latex, text
from click_stats.render.table import Cell, Column, Table

HOSTILE = (
    "my_model-7b_v2|ko", "<b>&$#@%", "95% 신뢰구간", "모델-한국어_7B*", "[x](y)", r"a\b", "{}~^", "a--b...", "'q' \"r\"", "`c`", "!i",
)  # fmt: skip
COLUMNS = (
    Column("unit", "Model_|*%<@$#", header=True),
    Column("estimate", "Accuracy (%)", "percent"),
    Column("conf", "Interval", "interval", ("conf_low", "conf_high")),
    Column("p_value", "p", "p"),
    Column("n_items", "Items", "integer"),
    Column("verdict", "Verdict", "code"),
)


def table(**changes):
    rows = tuple(
        (name, 0.1 + k / 30, (k / 31, 0.1 + k / 29), 0.0004 * k, 1000 + k, "not separated")
        for k, name in enumerate(HOSTILE)
    )
    rows += (
        (
            "nobody",
            Cell(None, "no answer_at all | 100%"),
            Cell(None, "no answer_at all | 100%"),
            math.nan,
            0,
            "not decided",
        ),
    )
    values = {
        "id": "tbl-x",
        "caption": "95% 신뢰구간 | $a_b$ <i>",
        "columns": COLUMNS,
        "rows": rows,
        "notes": ("Note & more",),
    }
    return Table(**(values | changes))


def test_an_unknown_format_names_the_known_ones():
    with pytest.raises(UsageError, match="no format") as caught:
        table().render("word")
    assert "latex" in str(caught.value)


def test_a_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match="columns"):
        table(rows=(("a",),))


def test_csv_holds_raw_values_under_glossary_names():
    rows = list(csv.DictReader(io.StringIO(table().render("csv"))))
    assert list(rows[0]) == ["unit", "estimate", "conf_low", "conf_high", "p_value", "n_items", "verdict", "note"]
    assert tuple(row["unit"] for row in rows[:-1]) == HOSTILE
    for k, row in enumerate(rows[:-1]):
        assert float(row["estimate"]) == pytest.approx(0.1 + k / 30, rel=1e-11)
        assert float(row["conf_low"]) == pytest.approx(k / 31, rel=1e-11)
        assert int(row["n_items"]) == 1000 + k
        assert row["verdict"] == "not separated"
    assert (rows[-1]["estimate"], rows[-1]["conf_high"], rows[-1]["p_value"]) == ("", "", "")
    assert rows[-1]["note"] == "no answer_at all | 100%"


def test_html_shows_names_as_typed_and_scopes_its_headings():
    root = lxml_html.fromstring(table(anchors=tuple(f"row-{k}" for k in range(len(HOSTILE) + 1))).render("html"))
    assert root.xpath("string(.//caption)") == "95% 신뢰구간 | $a_b$ <i>"
    assert [head.text_content() for head in root.xpath(".//thead//th[@scope='col']")] == [
        column.label for column in COLUMNS
    ]
    assert tuple(head.text_content() for head in root.xpath(".//tbody//th[@scope='row']")) == (*HOSTILE, "nobody")
    assert root.xpath(".//tr[@id='row-3']/th")[0].text_content() == HOSTILE[3]
    last = [cell.text_content() for cell in root.xpath(".//tbody/tr[last()]/td")]
    assert last == ["–a", "–a", "–", "0", "not decided by these data"]
    assert [note.text_content() for note in root.xpath(".//p")] == [
        "Note & more", "a no answer_at all | 100%", "–: not defined or not stated",
    ]  # fmt: skip
    assert not root.xpath(".//b | .//i | .//script")


def test_text_lines_up_where_korean_letters_take_two_columns():
    lines = table().render("text").splitlines()
    start = lines.index("") + 1
    body = lines[start : start + 2 + len(HOSTILE) + 1]
    places = {text.width(line[: line.rindex("]") + 1]) for line in body[2:-1]}
    assert len(places) == 1
    assert all(not line.endswith(" ") for line in lines)
    assert "– (a)" in body[-1]
    assert lines[-2:] == ["(a) no answer_at all | 100%", "–: not defined or not stated"]


def test_undefined_is_a_dash_in_every_format_but_csv():
    for fmt in ("text", "markdown", "html"):
        assert "–" in table().render(fmt)
        assert "nan" not in table().render(fmt).lower().replace("nobody", "")
    assert "--\\textsuperscript{a}" in table().render("latex")


def test_korean_tables_have_korean_codes():
    shown = table(lang="ko").render("text")
    assert "구별되지 않음" in shown
    assert "not separated" not in shown


def _latex_text(source: str) -> str:
    """Read back what LaTeX would print, for the escapes that are used; fail on a bare special character."""
    words = {
        "textbackslash{}": "\\", "textasciitilde{}": "~", "textasciicircum{}": "^", "textless{}": "<", "textgreater{}": ">",
        "textbar{}": "|", "textasciigrave{}": "`", "textquotesingle{}": "'",
    }  # fmt: skip
    out, place = "", 0
    while place < len(source):
        rest = source[place:]
        word = next((word for word in words if rest.startswith("\\" + word)), None)
        if word:
            out, place = out + words[word], place + 1 + len(word)
        elif rest[0] == "\\":
            assert rest[1] in "_&%$#{}", rest
            out, place = out + rest[1], place + 2
        elif rest[:2] == "{}":
            place += 2
        elif re.match(r"\{[\[\]*]\}", rest):
            out, place = out + rest[1], place + 3
        elif rest.startswith("$-$"):
            out, place = out + "−", place + 3
        else:
            assert rest[0] not in "_&%$#{}~^<>|[]*", rest
            out, place = out + rest[0], place + 1
    return out


@given(st.text(st.sampled_from("a_&%$#{}~^\\<>|[]*`'-− 한"), max_size=12))
def test_latex_escapes_whatever_has_a_meaning(name):
    escaped = latex.escape(name)
    assert _latex_text(escaped) == name
    assert "--" not in escaped


def test_latex_has_rules_caption_and_label():
    lines = table().render("latex").splitlines()
    assert [line for line in lines if line.endswith("rule")] == ["\\toprule", "\\midrule", "\\bottomrule"]
    assert "\\begin{tabular}{lrrrrl}" in lines
    assert any(
        line.startswith("\\caption{95\\% 신뢰구간 \\textbar{} \\$a\\_b\\$") and line.endswith("\\label{tbl-x}")
        for line in lines
    )
    body = lines[lines.index("\\midrule") + 1 : lines.index("\\bottomrule")]
    assert all(len(re.findall(r"(?<!\\)&", line)) == len(COLUMNS) - 1 and line.endswith("\\\\") for line in body)
    assert not any(line.startswith(("[", "*")) for line in body)


def test_a_long_latex_table_breaks_over_pages_and_repeats_its_head():
    long = table(rows=table().rows * 5).render("latex")
    assert "\\begin{longtable}" in long
    assert "\\endhead" in long
    assert "\\begin{table}" not in long


def _pandoc() -> str | None:
    try:
        import pypandoc
    except ImportError:
        return shutil.which("pandoc")
    return pypandoc.get_pandoc_path()


@pytest.mark.report
def test_markdown_read_by_pandoc_shows_names_as_typed():
    pandoc = _pandoc()
    if pandoc is None:
        pytest.skip("needs pandoc")
    anchors = tuple(f"row-{k}" for k in range(len(HOSTILE) + 1))
    source = table(anchors=anchors).render("markdown")
    tree = json.loads(
        subprocess.run(
            [pandoc, "-f", "markdown", "-t", "json"], input=source, capture_output=True, text=True, check=True
        ).stdout
    )
    page = subprocess.run(
        [pandoc, "-f", "markdown", "-t", "html"], input=source, capture_output=True, text=True, check=True
    ).stdout
    assert len([block for block in tree["blocks"] if block["t"] == "Table"]) == 1
    root = lxml_html.fromstring(page)
    assert [head.text_content() for head in root.xpath(".//thead//th")] == [column.label for column in COLUMNS]
    assert tuple(row.xpath("string(td[1])") for row in root.xpath(".//tbody/tr")) == (*HOSTILE, "nobody")
    assert root.xpath("string(.//caption)").startswith("95% 신뢰구간 | $a_b$ <i>")
    assert root.xpath(".//span[@id='row-4']")[0].text_content() == HOSTILE[4]
    assert "a no answer_at all | 100%" in root.text_content()


def test_markdown_never_breaks_an_interval_and_sets_notes_apart_in_a_document():
    shown = table().render("markdown")
    assert "\\[0.0,\u00a010.0\\]" in shown
    assert "::: {.table-notes .figure-how}\nNote \\& more" in shown
    assert ":::" not in table(id="").render("markdown")


def test_names_get_more_room_than_numbers():
    rule = table().render("markdown").splitlines()[1].strip("|").split("|")
    assert len(rule[0]) == max(map(len, HOSTILE)) + 4
    assert rule[0].startswith(":")
    assert all(cell.endswith(":") for cell in rule[1:5])


def test_every_format_ends_with_one_line_break():
    for fmt in FORMATS:
        shown = table().render(fmt)
        assert shown.endswith("\n")
        assert not shown.endswith("\n\n")

"""Whatever text is escaped comes out as typed, in paragraphs, table cells, headings, captions and attributes (S45)."""

from __future__ import annotations

import json
import string

import pypandoc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from click_stats.render.engines.process import run
from click_stats.render.markdown_text import attribute, escape, plain, readable, yaml_string

pytestmark = pytest.mark.report

TEXTS = st.lists(
    st.text(st.sampled_from(string.punctuation * 3 + "ab1iA \n\t가역−é–"), min_size=1, max_size=16).filter(
        lambda t: bool(plain(t))
    ),
    min_size=1,
    max_size=40,
)
KNOWN = [
    "my_model-7b_v2|ko", "95% 신뢰구간", "<b>&$#@%*", "e.g. this", "Mr. X", "1. one", "(a) b", "a) b", "i. x", "- a", "+ a",
    "# h", "> q", "Table: x", ": x", "::: x", "===", "---", "a -- b", "a --- b", "a ... b", "'q' \"r\"", "{{< meta x >}}",
    "`{python} x`", "@fig-x", "a@b.c", "$x$", "$$x$$", "[a](b)", "![a](b)", "[^1]", "^a^", "~a~", "a\\", "\\", "| a |",
    "https://a.example/b_c?d=e&f=g", "&amp; &lt;", "<!-- c -->", "x {.y}", "10:30", "#1", "%", "A. B", "(@) x", "H~2~O",
]  # fmt: skip


def blocks(markdown: str) -> list:
    ended = run(
        [pypandoc.get_pandoc_path(), "--from=markdown", "--to=json", "--columns=100000", "text.md"],
        cwd=_put(markdown),
        timeout=60,
    )
    assert ended.code == 0, ended.stderr
    return json.loads(ended.stdout)["blocks"]


def _put(markdown: str):
    folder = _put.folder
    (folder / "text.md").write_text(markdown, encoding="utf-8", newline="\n")
    return folder


@pytest.fixture(autouse=True, scope="module")
def _folder(tmp_path_factory):
    _put.folder = tmp_path_factory.mktemp("markdown")


def flat(inlines: list) -> str:
    """Text of inlines that hold nothing but words and spaces; anything else shows up as its name."""
    return "".join(
        {"Str": lambda x: x["c"], "Space": lambda _x: " "}.get(x["t"], lambda x: f"<<{x['t']}>>")(x) for x in inlines
    )


def paragraphs(texts: list[str]) -> None:
    read = blocks("\n\n".join(map(escape, texts)))
    assert [(b["t"], flat(b["c"])) for b in read] == [("Para", plain(text)) for text in texts]


def cells(texts: list[str]) -> None:
    rows = "\n".join(f"| {escape(text)} | z |" for text in texts)
    (table,) = blocks(f"| a | b |\n|:--|--:|\n{rows}\n")
    got = [row[1][0][4] for row in table["c"][4][0][3]]
    assert [flat(cell[0]["c"]) for cell in got] == [plain(text) for text in texts]


def attributes(texts: list[str]) -> None:
    read = blocks("\n\n".join(f"[x]{{fig-alt={attribute(text)}}}" for text in texts))
    assert [dict(b["c"][0]["c"][0][2])["fig-alt"] for b in read] == [plain(text) for text in texts]


def headings(texts: list[str]) -> None:
    read = blocks("\n\n".join(f"# {escape(text)} {{#sec-{i}}}" for i, text in enumerate(texts)))
    assert [(b["t"], flat(b["c"][2])) for b in read] == [("Header", plain(text)) for text in texts]


def captions(texts: list[str]) -> None:
    tables = "\n\n".join(
        f"| a | b |\n|:--|--:|\n| x | 1 |\n\n: {escape(text)} {{#tbl-{i}}}" for i, text in enumerate(texts)
    )
    read = blocks(tables + "\n")
    assert [flat(b["c"][1][1][0]["c"]) for b in read] == [plain(text) for text in texts]


PLACES = [paragraphs, cells, attributes, headings, captions]


@pytest.mark.parametrize("place", PLACES)
def test_known_trouble(place):
    place(KNOWN)


@pytest.mark.parametrize("place", PLACES)
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(texts=TEXTS)
def test_any_text(place, texts):
    place(texts)


def test_no_shortcode_is_left_for_quarto():
    for text in KNOWN:
        assert "{{<" not in escape(text)
        assert "{{<" not in attribute(text)
        assert "{python}" not in escape(text)


def test_one_line_without_control_characters():
    assert plain(" a\r\n\tb\x00c\u2028d  e ") == "a b c d e"
    assert "\n" not in escape("a\n\nb")


@pytest.mark.parametrize("text", ['a: "b" #c \\ {x}', "역사\n지리", "- a", "'", "{{< x >}}"])
def test_yaml_strings_read_back(text):
    yaml = pytest.importorskip("yaml")
    assert yaml.safe_load(f"title: {yaml_string(text)}") == {"title": text}


def test_plain_names_stay_readable():
    assert escape("gpt-4.1-mini (medium)") == "gpt-4.1-mini (medium)"
    assert escape("역사 61.8 %") == "역사 61.8 %"


def test_what_no_font_can_show_becomes_a_square():
    assert readable("가\U0010fc0c나\ue000 ㉠ A") == "가□나□ ㉠ A"

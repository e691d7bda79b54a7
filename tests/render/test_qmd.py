from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from click_stats.errors import RenderError
from click_stats.render import qmd

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = [
    "my_model-7b_v2|ko",
    "<b>&$#@%*",
    "gpt-4o: 95% [ci] {#tbl-x} @fig-a `code` ~x~ ^y^",
    "모델_한국어*7B*",
    "{{< pagebreak >}}",
    'quote " and \\ back',
]


def fill(tmp_path: Path, template: str, lang: str = "en", **context: object) -> str:
    (tmp_path / "t.jinja").write_text(template, encoding="utf-8")
    return qmd.fill(qmd.environment([tmp_path], lang), "t.jinja", context)


def plain(markdown: str) -> str:
    """What pandoc reads in the text: its plain words, without wrapping."""
    pypandoc = pytest.importorskip("pypandoc")
    done = subprocess.run(
        [pypandoc.get_pandoc_path(), "-f", "markdown", "-t", "plain", "--wrap=none"],
        input=markdown.encode(),
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


@pytest.mark.report
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_comes_out_as_typed(tmp_path: Path, name: str) -> None:
    text = fill(tmp_path, "Model << name >> in **<< name >>** and a list:\n\n- << name >>\n", name=name)
    assert plain(text).split("\n")[0] == f"Model {name} in {name} and a list:"
    assert f"- {name}" in plain(text).replace("-   ", "- ")


@pytest.mark.report
@settings(max_examples=25, deadline=None)
@given(
    names=st.lists(
        st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=12),
        min_size=8,
        max_size=8,
    )
)
def test_any_name_comes_out_as_typed(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    text = fill(tmp_path_factory.mktemp("t"), "<% for n in names %>\nx << n >> y\n\n<% endfor %>", names=names)
    assert plain(text).split("\n")[::2] == [f"x {name} y" for name in names]


def test_markdown_is_placed_as_it_is(tmp_path: Path) -> None:
    assert fill(tmp_path, "<< a >>", a=qmd.Markdown("**bold**")) == "**bold**\n"


def test_what_a_macro_writes_is_finished_but_its_values_are_escaped(tmp_path: Path) -> None:
    template = "<% macro bold(x) %>**<< x >>**<% endmacro %><< bold(name) >>"
    assert fill(tmp_path, template, name="a*b") == "**a\\*b**\n"


def test_text_joined_to_markdown_is_escaped_as_markdown() -> None:
    assert qmd.Markdown("**x** ") + "a*b & c" == "**x** a\\*b \\& c"
    assert qmd.Markdown(", ").join(["a_b", qmd.Markdown("*c*")]) == "a\\_b, *c*"


def test_a_name_the_context_lacks_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RenderError, match="does not exist"):
        fill(tmp_path, "<< absent >>")


def test_a_field_that_a_row_lacks_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RenderError, match="does not exist"):
        fill(tmp_path, "<< row.absent >>", row={"there": "x"})


@pytest.mark.parametrize("value", [0.5, float("nan"), None])
def test_a_bare_number_is_an_error(tmp_path: Path, value: float | None) -> None:
    with pytest.raises(RenderError, match="without saying how"):
        fill(tmp_path, "<< value >>", value=value)


def test_a_wrong_template_names_its_line(tmp_path: Path) -> None:
    with pytest.raises(RenderError, match="wrong") as error:
        fill(tmp_path, "fine\n<% if %>\n")
    assert "line 2" in str(error.value)


def test_an_absent_template_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RenderError, match="absent"):
        qmd.fill(qmd.environment([tmp_path], "en"), "none.jinja", {})


def test_quarto_signs_are_no_jinja(tmp_path: Path) -> None:
    text = "# A {#sec-a}\n\n{{< pagebreak >}} {% x %} $$\\frac{a}{b}$$ {#eq-a}\n"
    assert fill(tmp_path, text) == text


@pytest.mark.parametrize("title", [*HOSTILE, "a: b # c", "- list", "'single'", "yes", "line\nbreak", "tab\there \x07"])
def test_a_title_is_valid_in_the_front_matter(tmp_path: Path, title: str) -> None:
    yaml = pytest.importorskip("yaml")
    text = fill(tmp_path, "---\ntitle: << title|yaml >>\nlang: en\n---\n", title=title)
    read = yaml.safe_load(text.split("---")[1])
    assert set(read) == {"title", "lang"}
    assert json.loads(text.splitlines()[1].removeprefix("title: ")) == read["title"]
    assert "{{<" not in read["title"]


def test_numbers_are_written_by_their_unit(tmp_path: Path) -> None:
    row = {"estimate": 0.8123, "conf_low": 0.79, "conf_high": 0.83, "rank_low": 1, "rank_high": 3}
    template = "<< row.estimate|percent >> << row|interval >> << row|ranks >> << n|count >> << p|p >> << d|points >>"
    assert fill(tmp_path, template, row=row, n=1995, p=0.0004, d=-0.012) == (
        "81.2 \\[79.0, 83.0\\] 1–3 1,995 \\<.001 −1.2\n"
    )


@pytest.mark.parametrize(
    ("lang", "names", "limit", "shown"),
    [
        ("en", ["a"], 0, "a"),
        ("en", ["a", "b"], 0, "a and b"),
        ("en", ["a", "b", "c"], 0, "a, b and c"),
        ("en", ["a", "b", "c", "d"], 2, "a, b and 2 more"),
        ("en", ["a", "b", "c"], 2, "a, b and c"),  # "and 1 more" is longer than the name
        ("ko", ["a", "b", "c"], 0, "a, b, c"),
        ("ko", ["a", "b", "c", "d"], 2, "a, b 외 2개"),
        ("en", [], 0, ""),
    ],
)
def test_lists_read_as_sentences(lang: str, names: list[str], limit: int, shown: str) -> None:
    assert qmd.listed(names, lang, limit) == shown


def test_items_of_a_list_are_escaped() -> None:
    assert qmd.listed(["a_b", "c|d"]) == "a\\_b and c\\|d"


def test_code_survives_backticks() -> None:
    assert qmd.code("a") == "`a`"
    assert qmd.code("a `b` c") == "`` a `b` c ``"


def test_lines_of_statements_leave_no_gaps() -> None:
    assert qmd.tidy("\n\na  \n\n\n\nb\n") == "a\n\nb\n"


def test_line_puts_a_paragraph_on_one_line_and_keeps_fixed_spaces() -> None:
    assert qmd.line(qmd.Markdown("\na\n  b\u00a0c\n")) == "a b\u00a0c"

"""Definitions: CLIcK's and those of a user."""

import ast
from pathlib import Path

import pytest

import click_stats
from click_stats.errors import DataError, UsageError
from click_stats.items import labels, read_definition


def test_click_aliases():
    click = read_definition()
    assert click.category("Pop Culture") == "Popular"
    assert click.category("pop  culture") == "Popular"
    assert click.category("Korean Popular") == "Popular"
    assert click.category("History") == "History"
    assert click.category("Physics") is None
    assert click.source("KHE") == "KHB"
    assert click.source("Guess") is None
    assert click.domain_of("Grammar") == "Language"
    assert click.domain_names == ("Culture", "Language")


def test_every_category_and_source_is_named_in_both_languages():
    click = read_definition()
    for entry in (*click.domains, *click.categories, *click.sources):
        assert entry.label_en
        assert any("가" <= char <= "힣" for char in entry.label_ko)


def test_human_anchors_say_where_they_stand():
    anchors = {(anchor.exam, anchor.entity): anchor for anchor in read_definition().anchors}
    kedu = anchors["Kedu (Korean culture part)", "participants"]
    assert (kedu.value, kedu.unit, kedu.years, kedu.where) == (49.9, "percent", "2014-2018", "Section 5.2")
    assert anchors["CSAT Korean", "tier 8"].value == 11
    assert all(anchor.where for anchor in anchors.values())


def test_no_category_stands_in_code():
    """Names that could be those of a category stand in data only, not in any module's strings."""
    names = {entry.name for entry in read_definition().categories}
    found = []
    for path in Path(click_stats.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documentation = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        found += [
            (path.name, node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and node.value in names and id(node) not in documentation
        ]
    assert found == []


def test_labels():
    assert labels(4) == ("A", "B", "C", "D")
    assert labels(3, "digits") == ("1", "2", "3")
    assert labels(11, "digits")[-2:] == ("10", "11")
    assert labels(26)[-1] == "Z"
    for number in (1, 27):
        with pytest.raises(UsageError, match="2 to 26 options"):
            labels(number)
    with pytest.raises(UsageError, match="roman"):
        labels(4, "roman")


def test_labels_default_to_names(definition):
    tiny = read_definition(definition)
    assert tiny.categories[0].label_en == tiny.categories[0].label_ko == "One"
    assert tiny.source("anything") == "anything"
    assert tiny.category("first") == "One"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "Tiny"', 'name = "Tiny"\ncolour = "red"', "colour: Extra inputs"),
        ('domain = "E"', 'domain = "F"', "no such domain: F"),
        ('aliases = ["First"]', 'aliases = ["Two"]', "names both 'One' and 'Two'"),
        ('{ name = "Two", domain = "E" }', '{ name = "One", domain = "E" }', "the same name twice"),
        ('name = "Tiny"', 'name = "Tiny"\nnegated_pattern = "("', "not a regular expression"),
        ('name = "Tiny"', 'name = "Tiny"\nlabels = "roman"', "labels: Input should be"),
        ('name = "Tiny"', "", "name: Field required"),
        ('name = "Tiny"', "name = Tiny", "Invalid value"),
    ],
)
def test_a_wrong_definition_is_refused(definition, old, new, message):
    text = definition.read_text(encoding="utf-8")
    assert old in text
    definition.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_definition(definition)
    assert message in str(error.value)
    assert str(definition) in error.value.what


def test_a_missing_or_undecodable_definition(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_definition(tmp_path / "none.toml")
    path = tmp_path / "korean.toml"
    path.write_bytes('name = "한국"'.encode("cp949"))
    with pytest.raises(DataError, match="not UTF-8"):
        read_definition(path)


def test_definitions_are_frozen():
    click = read_definition()
    with pytest.raises(ValueError, match="frozen"):
        click.name = "other"

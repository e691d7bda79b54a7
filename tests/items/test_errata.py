"""Errata: what a file may say, and what each correction makes of an item table."""

from pathlib import Path

import pytest

from click_stats.errors import DataError, UsageError
from click_stats.items import read_errata, read_items

ITEMS = [
    {"id": "a", "category": "One", "passage": "Rain.", "question": "Wet?", "options": ["yes", "no", "so", "hm"]},
    {"id": "b", "category": "One", "passage": "", "question": "Two and two?", "options": ["3", "4", "four", "5"]},
    {"id": "c", "category": "Two", "passage": "Rain.", "question": "Dry?", "options": ["yes", "no", "so"]},
]
GOLD = {"a": "yes", "b": "4", "c": "no"}
COMMON = 'reason = "the source says so"\nreviewer = "K"\ndate = 2026-01-02\nsource = "a book"\n'


@pytest.fixture
def items(read):
    return read(*({**item, "answer": GOLD[item["id"]]} for item in ITEMS))


@pytest.fixture
def errata(tmp_path, items):
    """Write errata given as (key, rest) and read them; the digest is the item's own."""

    def _errata(*entries, digest=None):
        tables = []
        for key, rest in entries:
            own = items.frame["digest"].get(key, "0" * 16)
            tables.append(f'[[erratum]]\nkey = "{key}"\ndigest = "{digest or own}"\n{COMMON}{rest}\n')
        path = tmp_path / "errata.toml"
        path.write_text("".join(tables), encoding="utf-8")
        return read_errata(path)

    return _errata


REKEY = 'action = "rekey"\nlabel = "C"'
ALSO = 'action = "also-accept"\nlabels = ["C"]'
DROP = 'action = "drop"'
MOVE = 'action = "recategorise"\ncategory = "Two"'


def test_rekey_changes_the_gold_and_nothing_else(items, errata):
    found = items.with_errata(errata(("One/b", REKEY)))
    assert found.frame["gold"].to_dict() == {"One/a": 0, "One/b": 2, "Two/c": 1}
    assert found.frame.drop(columns="gold").equals(items.frame.drop(columns="gold"))
    assert found.digest != items.digest
    assert found.original is items
    assert items.frame.loc["One/b", "gold"] == 1  # the table at hand stays


def test_also_accept_keeps_the_gold(items, errata):
    found = items.with_errata(errata(("One/b", ALSO)))
    assert found.frame.loc["One/b", ["gold", "accepted"]].tolist() == [1, "2"]
    assert found.frame["accepted"].tolist() == ["", "2", ""]
    assert found.digest != items.digest


def test_drop_takes_the_item_out(items, errata):
    found = items.with_errata(errata(("One/a", DROP)))
    assert found.frame.index.tolist() == ["One/b", "Two/c"]
    assert found.overlay.dropped == {"One/a"}


def test_recategorise_moves_the_item_and_keeps_its_key(items, errata):
    found = items.with_errata(errata(("One/a", MOVE)))
    assert found.frame.loc["One/a", ["category", "domain"]].tolist() == ["Two", "E"]
    assert found.frame.index.tolist() == ["One/b", "One/a", "Two/c"]  # in the order of the categories


def test_a_new_text_has_another_digest_and_leaves_its_passage(items, errata):
    text = 'action = "retext"\ntext = { passage = "Sun.", options = ["yes", "no"], label = "B" }'
    found = items.with_errata(errata(("One/a", text)))
    row, before = found.frame.loc["One/a"], items.frame.loc["One/a"]
    assert row[["passage", "question", "options", "n_options", "gold"]].tolist() == [
        *("Sun.", "Wet?", ("yes", "no"), 2, 1)
    ]
    assert row["digest"] not in {"", before["digest"]}
    assert before["cluster"] == items.frame.loc["Two/c", "cluster"]
    assert row["cluster"] == "One/a"
    assert found.labels("One/a") == ("A", "B")


def test_a_new_text_over_keys_only_has_an_unknown_digest(items, errata, tmp_path, definition):
    keys = tmp_path / "keys.csv"
    names = ["id", "category", "n_options", "gold", "digest", "n_chars", "cluster"]
    items.frame[names].to_csv(keys, index=False)
    table = read_items(keys, definition)
    found = table.with_errata(errata(("One/a", 'action = "retext"\ntext = { question = "Damp?" }')))
    assert found.frame.loc["One/a", "digest"] == ""
    assert found.frame["n_chars"].isna().tolist() == [True, False, False]


def test_actions_that_go_together_do_not_depend_on_their_order(items, errata):
    both = [("One/b", 'action = "rekey"\nlabel = "C"'), ("One/b", 'action = "also-accept"\nlabels = ["B"]')]
    first, second = (items.with_errata(errata(*order)) for order in (both, both[::-1]))
    assert first.digest == second.digest
    assert first.errata_digest == second.errata_digest
    assert first.frame.loc["One/b", ["gold", "accepted"]].tolist() == [2, "1"]


def test_the_digest_is_that_of_the_corrections_not_of_the_words_around(errata, tmp_path):
    one = errata(("One/b", REKEY))
    path = tmp_path / "errata.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("a book", "another book"), encoding="utf-8")
    assert read_errata(path).digest == one.digest
    other = errata(("One/b", REKEY.replace("C", "D")))
    assert other.digest != one.digest
    assert one.model_copy(update={"entries": other.entries}).digest == other.digest


def test_a_correction_that_the_items_have_already_is_said(items, errata):
    found = items.with_errata(errata(("One/b", REKEY.replace("C", "B"))))
    assert any("change nothing" in warning and "One/b" in warning for warning in found.warnings)
    assert found.digest == items.digest
    assert found.errata_digest


def test_accepted_options_are_read_from_an_item_table(tmp_path, definition):
    path = tmp_path / "keys.csv"
    path.write_text("id,category,n_options,gold,accepted\na,One,4,0,\nb,One,4,1, 2 3 \n", encoding="utf-8")
    assert read_items(path, definition).frame["accepted"].tolist() == ["", "2 3"]
    path.write_text("id,category,n_options,gold,accepted\na,One,4,0,4\n", encoding="utf-8")
    with pytest.raises(DataError, match="accepted: gold 4 is not among 0 to 3"):
        read_items(path, definition)


@pytest.mark.parametrize(
    ("key", "rest", "digest", "message"),
    [
        ("One/b", REKEY, "1" * 16, "One/b: the erratum is for the text with digest 1111111111111111, but the item's"),
        ("One/z", REKEY, None, "One/z: there is no such item"),
        ("One/b", REKEY.replace("C", "E"), None, "One/b: there is no option E, only A, B, C, D"),
        ("One/b", ALSO.replace('"C"', '"A", "F"'), None, "One/b: there is no option F, only A, B, C, D"),
        ("One/b", MOVE.replace("Two", "Six"), None, "One/b: there is no category 'Six', only One, Two"),
        ("One/b", 'action = "retext"\ntext = { options = ["x", "y"] }', None, "need a label: which one is right"),
        ("One/b", 'action = "retext"\ntext = { question = "?", label = "E" }', None, "One/b: there is no option E"),
    ],
)
def test_errata_that_do_not_fit_are_named(items, errata, key, rest, digest, message):
    with pytest.raises(DataError) as error:
        items.with_errata(errata((key, rest), digest=digest))
    assert message in str(error.value)
    assert str(error.value).startswith("An erratum does not fit the items.")


def test_every_misfit_is_named_at_once(items, errata):
    with pytest.raises(DataError, match="2 errata do not fit") as error:
        items.with_errata(errata(("One/z", DROP), ("Two/c", REKEY.replace("C", "D"))))
    assert "One/z" in str(error.value)
    assert "Two/c" in str(error.value)


def test_an_item_without_a_digest_cannot_be_corrected(tmp_path, definition, errata):
    path = tmp_path / "keys.csv"
    path.write_text("id,category,n_options,gold\na,One,4,0\n", encoding="utf-8")
    with pytest.raises(DataError, match="no digest to check the erratum by"):
        read_items(path, definition).with_errata(errata(("One/a", DROP)))


def test_errata_on_errata_and_dropping_everything_are_refused(items, errata):
    once = items.with_errata(errata(("One/a", DROP)))
    with pytest.raises(UsageError, match="have errata already"):
        once.with_errata(errata(("One/b", DROP)))
    with pytest.raises(DataError, match="drop every item"):
        items.with_errata(errata(*((key, DROP) for key in items.frame.index)))


@pytest.mark.parametrize(
    "entries",
    [
        [("One/b", REKEY), ("One/b", REKEY)],
        [("One/b", REKEY), ("One/b", DROP)],
        [("One/b", ALSO), ("One/b", ALSO)],
        [("One/b", REKEY), ("One/b", 'action = "retext"\ntext = { question = "?" }')],
    ],
)
def test_corrections_of_one_item_that_contradict_each_other(errata, entries):
    with pytest.raises(DataError, match="contradict each other") as error:
        errata(*entries)
    assert "One/b: " in str(error.value)


GOOD = f'[[erratum]]\nkey = "One/b"\ndigest = "{"0" * 16}"\n{COMMON}{REKEY}\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an empty file"),
        ("# nothing yet\n", "an empty file"),
        ('[[errata]]\nkey = "x"\n', "other entries: errata"),
        ("[[erratum]\n", "are no TOML"),
        (GOOD + 'colour = "red"\n', "erratum 1 (One/b), colour: is no entry of this action"),
        (GOOD.replace('label = "C"', ""), "erratum 1 (One/b), label: is missing"),
        (GOOD.replace('reviewer = "K"\n', ""), "erratum 1 (One/b), reviewer: is missing"),
        (GOOD.replace("rekey", "delete"), "erratum 1 (One/b): no such action; one of rekey, also-accept, drop"),
        (GOOD.replace('action = "rekey"', ""), "erratum 1 (One/b): no action; one of rekey"),
        (GOOD.replace("0" * 16, "xyz"), "erratum 1 (One/b), digest"),
        (GOOD.replace("2026-01-02", '"soon"'), "erratum 1 (One/b), date"),
        (GOOD + "version = 2\n[other]\nx = 1\n", "version"),
        ("erratum = 3\n", "erratum"),
        ("erratum = [3]\n", "erratum 1 (no table)"),
    ],
)
def test_a_file_of_a_wrong_form_is_one_clear_message(tmp_path, text, message):
    path = tmp_path / "errata.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_errata(path)
    assert message in str(error.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_errata(tmp_path / "none.toml")
    path = tmp_path / "errata.toml"
    path.write_bytes("reason = '가'".encode("cp949"))
    with pytest.raises(DataError, match="no UTF-8"):
        read_errata(path)


def test_the_example_has_one_of_each_and_fits(invented):
    errata = read_errata(Path(__file__).parents[2] / "fixtures" / "invented" / "errata.toml")
    assert sorted(entry.action for entry in errata.entries) == [
        *("also-accept", "drop", "recategorise", "rekey", "retext")
    ]
    found = invented.with_errata(errata)
    assert len(found) == len(invented) - 1
    assert not any("change nothing" in warning for warning in found.warnings)

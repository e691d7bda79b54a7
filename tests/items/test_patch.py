"""Errata as changes of the dataset's files: corrected where it must be, letter for letter elsewhere."""

import json
import shutil
import subprocess

import pytest

from click_stats.errors import DataError, UsageError
from click_stats.items import Errata, patch, read_items
from click_stats.items.patch.spans import entries, members

ONE = (
    '\ufeff[\r\n    {\r\n        "id":"a1",\r\n        "paragraph":"",\r\n        "question":"Wet?",\r\n'
    '        "choices":[\r\n            "yes",\r\n            "no",\r\n            "so"\r\n        ],\r\n'
    '        "answer":"yes"\r\n    },\r\n\r\n    {"id": "a2", "paragraph": "", "question": "Say \\"]}\\"?",   '
    '"choices": ["x, y", "z"], "answer": "z" },\r\n    {"id":"a3","paragraph":"","question":"Last?",'
    '"choices":["\\uac00","\\ub098"],"answer":"\\uac00"}\r\n]'
)
TWO = '[\n  {"id": "b1", "paragraph": "P", "question": "B?", "choices": ["1", "2", "3"], "answer": "2"}\n]\n'
DEFINITION = """
name = "Tiny"
domains = [{ name = "D" }]
categories = [{ name = "One", domain = "D" }, { name = "Two", domain = "D" }, { name = "Three", domain = "D" }]
"""
WORDS = {"reason": "the  source\nsays so", "reviewer": "K", "date": "2026-01-02", "source": "a book"}


@pytest.fixture
def dataset(tmp_path):
    folder = tmp_path / "data" / "Dataset"
    for name, text in (("A part/One_S.json", ONE), ("B/Two_S.json", TWO)):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes(text.encode("utf-8"))
    (tmp_path / "tiny.toml").write_text(DEFINITION, encoding="utf-8")
    return tmp_path / "data"


@pytest.fixture
def read(dataset):
    return lambda path=dataset: read_items(path, dataset.parent / "tiny.toml")


@pytest.fixture
def corrected(read):
    def _corrected(*given, items=None):
        items = items or read()
        listed = [{"key": key, "digest": items.frame.loc[key, "digest"], **rest, **WORDS} for key, rest in given]
        return items.with_errata(Errata.model_validate({"erratum": listed}))

    return _corrected


REKEY = {"action": "rekey", "label": "B"}
ALSO = {"action": "also-accept", "labels": ["C"]}
DROP = {"action": "drop"}
MOVE = {"action": "recategorise", "category": "Two"}


def texts(changes):
    return {change.name: change.after for change in changes}


def test_only_the_corrected_value_changes(dataset, corrected):
    found = texts(patch.changes(dataset, corrected(("One/a1", REKEY))))
    assert found == {"Dataset/A part/One_S.json": ONE.replace('"answer":"yes"', '"answer":"no"')}


def test_options_accepted_besides_become_a_field_of_their_own(dataset, corrected):
    found = texts(patch.changes(dataset, corrected(("One/a1", ALSO), ("Two/b1", ALSO))))
    assert found["Dataset/A part/One_S.json"] == ONE.replace(
        '"answer":"yes"', '"answer":"yes",\r\n        "accepted":[2]'
    )
    assert found["Dataset/B/Two_S.json"] == TWO.replace('"answer": "2"', '"answer": "2","accepted": [2]')


def test_escapes_and_the_form_of_a_list_stay(dataset, corrected):
    new = {"action": "retext", "text": {"options": ["가", "다", "no"], "label": "B"}}
    found = texts(patch.changes(dataset, corrected(("One/a3", new), ("One/a1", new))))["Dataset/A part/One_S.json"]
    assert '"choices":["\\uac00","\\ub2e4","no"],"answer":"\\ub2e4"' in found
    assert '"choices":[\r\n            "가",\r\n            "다",\r\n            "no"\r\n        ]' in found


@pytest.mark.parametrize("dropped", [["One/a1"], ["One/a2"], ["One/a3"], ["One/a2", "One/a3"], ["One/a1", "One/a2"]])
def test_entries_that_stay_keep_their_letters_when_others_go(dataset, corrected, dropped):
    after = texts(patch.changes(dataset, corrected(*((key, DROP) for key in dropped))))["Dataset/A part/One_S.json"]
    kept = [one.of(ONE) for one in entries(ONE, "x") if f"One/{one.value['id']}" not in dropped]
    assert [one.of(after) for one in entries(after, "x")] == kept
    assert json.loads(after.removeprefix("\ufeff")) == [json.loads(text) for text in kept]
    assert after.startswith("\ufeff[\r\n    {")
    assert after.endswith("}\r\n]")


def test_a_moved_item_stands_in_the_file_of_its_category(dataset, corrected):
    found = texts(patch.changes(dataset, corrected(("One/a2", MOVE), ("One/a2", REKEY))))
    assert [one["id"] for one in json.loads(found["Dataset/B/Two_S.json"])] == ["b1", "a2"]
    assert '"Say \\"]}\\"?",   "choices"' in found["Dataset/B/Two_S.json"]
    assert "a2" not in found["Dataset/A part/One_S.json"]


def test_a_category_without_a_file_gets_one(dataset, read, corrected):
    found = texts(patch.changes(dataset, corrected(("Two/b1", {**MOVE, "category": "Three"}))))
    assert json.loads(found["Dataset/B/Three_S.json"])[0]["id"] == "b1"
    assert json.loads(found["Dataset/B/Two_S.json"]) == []
    for name, text in found.items():
        (dataset / name).write_text(text, encoding="utf-8")
    assert read().frame["category"].tolist() == ["One", "One", "One", "Three"]  # a file may have lost its last item


def test_an_id_that_is_taken_there_is_refused(dataset, read, corrected):
    path = dataset / "Dataset/B/Two_S.json"
    path.write_text(TWO.replace('"b1"', '"a1"'), encoding="utf-8")
    with pytest.raises(DataError, match="cannot move to Two: another item has its id"):
        patch.changes(dataset, corrected(("One/a1", MOVE)))


def test_the_patch_makes_the_same_files_and_items(dataset, read, corrected, tmp_path):
    text = {"action": "retext", "text": {"passage": "Q", "question": "New?", "label": "C"}}
    items = corrected(("One/a1", ALSO), ("One/a1", {**REKEY}), ("One/a2", DROP), ("Two/b1", text))
    changes = patch.changes(dataset, items)
    shutil.copytree(dataset, tmp_path / "copy")
    root = tmp_path / "copy"
    subprocess.run(["git", "apply", "--whitespace=nowarn"], cwd=root, input=patch.patch(changes).encode(), check=True)
    assert {name: (root / name).read_bytes().decode() for name in texts(changes)} == texts(changes)
    again = read(tmp_path / "copy")
    names = ["gold", "accepted", "digest", "n_options", "question", "passage", "n_chars", "has_passage", "category"]
    assert again.frame[names].astype(str).equals(items.frame[names].astype(str))


def test_the_dataset_is_only_read(dataset, corrected):
    before = {path: path.read_bytes() for path in dataset.rglob("*.json")}
    patch.changes(dataset, corrected(("One/a1", REKEY), ("One/a2", DROP)))
    assert {path: path.read_bytes() for path in dataset.rglob("*.json")} == before


@pytest.mark.parametrize(
    ("row", "after"),
    [
        ('{"category":"One","id":"a","question":"?","options":["x","y"],"gold":0}', '"gold":1}'),
        ('{"category":"One","id":"a","question":"?","options":["x","y"],"gold":"0"}', '"gold":"1"}'),
        ('{"category":"One","id":"a","question":"?","options":["x","y"],"label":"A"}', '"label":"B"}'),
        ('{"category":"One","id":"a","question":"?","options":["x","y"],"answer":"A"}', '"answer":"B"}'),
        ('{"category":"One","id":"a","question":"?","options":["x","y"],"answer":"x"}', '"answer":"y"}'),
    ],
)
def test_json_lines_and_every_way_to_state_the_key(dataset, read, corrected, row, after):
    path = dataset / "items.jsonl"
    other = row.replace('"a"', '"b"')
    path.write_text(f"{row}\n{other}\n", encoding="utf-8")
    (change,) = patch.changes(path, corrected(("One/a", REKEY), items=read(path)))
    assert change.after == f"{row[: row.rindex(chr(34) + after.split(chr(34))[1])]}{after}\n{other}\n"
    moved = patch.changes(path, corrected(("One/a", MOVE), items=read(path)))[0].after
    assert moved == f"{row.replace('One', 'Two')}\n{other}\n"


def test_what_is_no_json_is_refused(dataset, read, corrected, tmp_path):
    items = corrected(("One/a1", REKEY))
    table = tmp_path / "t.csv"
    table.write_text("id\n", encoding="utf-8")
    with pytest.raises(UsageError, match="the dataset's own JSON files"):
        patch.changes(table, items)
    with pytest.raises(UsageError, match="no errata"):
        patch.changes(dataset, read())
    (dataset / "Dataset/B/Two_S.json").write_bytes(TWO.replace("P", "가").encode("cp949"))
    with pytest.raises(DataError, match="is not UTF-8"):
        patch.changes(dataset, items)


def test_the_changelog_names_items_and_labels_and_no_texts(corrected):
    items = corrected(("One/a1", ALSO), ("One/a1", REKEY), ("One/a2", DROP), ("Two/b1", {**MOVE, "category": "One"}))
    text = patch.changelog(items)
    assert "4 corrections of 3 items" in text
    assert "- `One/a1`: A → B — the source says so (K, 2026-01-02; a book)" in text
    assert "- `One/a1`: A, also C — " in text
    assert "- `Two/b1`: now `One/b1` — " in text
    assert not any(word in text for word in ("Wet", "yes", "Say"))


def test_members_and_entries_know_where_they_stand():
    text = '{ "a" : [1, {"b": "}"}] ,"c":"\\"," }'
    found = members(text)
    assert {name: span.of(text) for name, span in found.items()} == {"a": '[1, {"b": "}"}]', "c": '"\\","'}
    with pytest.raises(DataError, match=r"x\.json is no JSON"):
        entries("[{]", "x.json")

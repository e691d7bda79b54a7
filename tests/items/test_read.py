"""Items in every form they come in, and every way they can be wrong."""

import csv
import io
import json

import duckdb
import pandas as pd
import pytest

from click_stats.errors import DataError
from click_stats.items import read_items

ENTRY = {
    "id": "a1",
    "category": "One",
    "paragraph": "",
    "question": "어느 것인가?",
    "choices": ["하나", "둘", "셋", "넷"],
    "answer": "둘",
}


def entry(**changes):
    """An item as CLIcK's files write it; None drops a field."""
    return {name: value for name, value in {**ENTRY, **changes}.items() if value is not None}


def refused(read, *entries):
    with pytest.raises(DataError) as error:
        read(*entries)
    return str(error.value)


def table(rows):
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


# --- forms -----------------------------------------------------------------------------------------------------


def test_json(read):
    items = read(entry(), entry(id="b", category="First", answer="넷", level="hard"))
    assert list(items.frame.index) == ["One/a1", "One/b"]
    assert list(items.frame["gold"]) == [1, 3]
    assert list(items.frame["level"]) == ["", "hard"]
    assert items.frame.loc["One/a1", "options"] == ("하나", "둘", "셋", "넷")
    assert list(items.frame["negated"].isna()) == [True, True]  # the definition states no rule
    assert items.warnings == ()


def test_json_lines_give_the_same(read, tmp_path, definition):
    entries = [entry(), entry(id="b")]
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in entries) + "\n\n", encoding="utf-8")
    assert read_items(path, definition).frame.equals(read(*entries).frame)


def test_parquet_gives_the_same(read, tmp_path, definition):
    entries = [entry(number=7), entry(id="b", number=8)]
    frame = pd.DataFrame(entries)  # noqa: F841 -- DuckDB reads it by name
    path = tmp_path / "items [1].parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT * FROM frame) TO '{path}'")
    items = read_items(path, definition)
    assert items.frame.equals(read(*entries).frame)
    assert list(items.frame["number"]) == ["7", "8"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949"])
def test_csv_in_every_encoding_gives_the_same(read, tmp_path, definition, encoding):
    """S30: a byte-order mark renames no column, a spreadsheet's encoding is known."""
    rows = [
        {"id": "01", "category": "One", "question": "뭐?", "options": '["119", "112", "NA", "1.0"]', "answer": "NA"},
        {"id": "18_19", "category": "One", "question": "뭐?", "options": '["가", "나"]', "answer": "나"},
    ]
    path = tmp_path / "items.csv"
    path.write_bytes(table(rows).encode(encoding))
    items = read_items(path, definition)
    # S31: nothing becomes a number or a missing value.
    assert list(items.frame["id"]) == ["01", "18_19"]
    assert items.frame.loc["One/01", "options"] == ("119", "112", "NA", "1.0")
    assert list(items.frame["gold"]) == [2, 1]
    converted = [{**row, "options": json.loads(row["options"])} for row in rows]
    assert items.digest == read(*converted).digest


def test_options_in_columns(tmp_path, definition):
    path = tmp_path / "items.csv"
    path.write_text(
        "id,category,question,option_1,option_2,option_3,option_10,label\n"
        "a,One,뭐?,가,나,다,라,D\n"
        "b,One,뭐?,가,나,,,B\n",
        encoding="utf-8",
    )
    items = read_items(path, definition)
    assert list(items.frame["options"]) == [("가", "나", "다", "라"), ("가", "나")]
    assert list(items.frame["gold"]) == [3, 1]
    assert "option_1" not in items.frame.columns


def test_numbers_in_json_are_text(read):
    items = read(entry(id=7, choices=[119, 112, 1.0, "01"], answer=1.0))
    assert items.frame.loc["One/7", "options"] == ("119", "112", "1.0", "01")
    assert items.frame.loc["One/7", "gold"] == 2


def test_key_table(tmp_path, definition):
    path = tmp_path / "keys.csv"
    path.write_text("id,category,n_options,gold,labels\na,Two,4,3,\nb,One,5,0,digits\n", encoding="utf-8")
    items = read_items(path, definition)
    assert list(items.frame.index) == ["One/b", "Two/a"]  # report order
    assert not items.has_text
    assert items.labels("One/b") == ("1", "2", "3", "4", "5")
    assert items.labels("Two/a") == ("A", "B", "C", "D")
    assert list(items.frame["cluster"]) == ["One/b", "Two/a"]
    # What the table does not say is missing, not 0 or false.
    assert items.frame[["n_chars", "has_passage", "negated"]].isna().all().all()
    assert items.groups_result().to_frame("groups")["n_items"].iloc[0] == 2


def test_clusters_and_negation_of_the_users_own(read):
    items = read(entry(cluster="story", negated=True), entry(id="b", cluster="story", negated=False))
    assert list(items.frame["cluster"]) == ["story", "story"]
    assert list(items.frame["negated"]) == [True, False]


def tree(root, files):
    for name, entries in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")


@pytest.mark.parametrize("above", ["", "Dataset"])
def test_folder_tree(tmp_path, definition, above):
    root = tmp_path / "clone"
    tree(
        root / above,
        {
            "D/Some One/First_Exam.json": [entry(category=None)],
            "E/Two/Two_Book.json": [entry(category=None), entry(category=None, id="b")],
        },
    )
    items = read_items(root, definition)
    assert list(items.frame.index) == ["One/a1", "Two/a1", "Two/b"]
    assert list(items.frame["source"]) == ["Exam", "Book", "Book"]
    assert items.by_id("a1") == ["One/a1", "Two/a1"]  # S26


def test_folder_with_one_table(tmp_path, definition):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "items.csv").write_text("id,category,n_options,gold\na,One,4,0\n", encoding="utf-8")
    assert list(read_items(tmp_path / "data", definition).frame.index) == ["One/a"]


# --- repairs are said ------------------------------------------------------------------------------------------


def test_repaired_whitespace_is_a_note(read):
    entries = [entry(id=f"a{number}", answer="둘 ") for number in range(7)]
    items = read(*entries, entry(id="b"))
    assert items.warnings == (
        "Whitespace repaired to find the right option: 7 items (One/a0, One/a1, One/a2, One/a3, One/a4, ...).",
    )
    assert set(items.frame["gold"]) == {1}


def test_duplicate_options_are_a_warning(read):
    items = read(entry(choices=["하나", "둘", "셋", "하나 "]))
    assert items.warnings == ("The same option twice in one item: 1 item (One/a1).",)


# --- bad input -------------------------------------------------------------------------------------------------


def test_gold_not_among_the_options_names_every_item(read):
    message = refused(read, entry(id="x", answer="여덟"), entry(id="y", answer=""), entry())
    assert "One/x (items.json, entry 1): the answer '여덟' is not among the options" in message
    assert "One/y" in message
    assert "One/a1" not in message


def test_many_faults_are_counted(read):
    message = refused(read, *[entry(id=f"x{number}", answer="?") for number in range(9)])
    assert "and 4 more" in message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"choices": ["둘"]}, "1 options instead of 2 to 26"),
        ({"choices": [str(number) for number in range(27)], "answer": "3"}, "27 options instead of 2 to 26"),
        ({"choices": []}, "0 options instead of 2 to 26"),
        ({"choices": "하나, 둘"}, "options are no list"),
        ({"choices": ["둘", " "]}, "an option without text"),
        ({"question": " "}, "no question"),
        ({"gold": "4"}, "gold 4 is not among 0 to 3"),
        ({"gold": "B"}, "gold is no position from 0: 'B'"),
        ({"label": "E"}, "the label 'E' is not among A, B, C, D"),
        ({"labels": "roman"}, "labels are neither letters nor digits: 'roman'"),
        ({"category": "Three"}, "Tiny has no category 'Three'"),
        ({"category": None}, "missing: category"),
        ({"id": ""}, "an item without an id"),
        ({"choices": None}, "missing: options"),
        ({"answer": None}, "missing: answer (or gold, or label)"),
        ({"question": None}, "missing: n_options, gold"),
        ({"domain": "E"}, "belongs to the domain 'D'"),
        ({"negated": "perhaps"}, "negated is neither true nor false: 'perhaps'"),
        ({"level": {"a": 1}}, "cannot be an object"),
    ],
)
def test_a_wrong_item_is_named(read, changes, message):
    assert message in refused(read, entry(**changes))


def test_the_same_key_twice(read):
    message = refused(read, entry(), entry(category="First"))
    assert "the same item more than once" in message
    assert "One/a1" in message


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,One,1,0", "1 options instead of"),
        ("a,One,,0", "no options instead of"),
        ("a,One,4,4", "gold 4 is not among 0 to 3"),
        ("a,One,4,", "gold is no position"),
        ("a,One,4", "wrong number of columns"),
    ],
)
def test_wrong_key_tables(tmp_path, definition, row, message):
    path = tmp_path / "keys.csv"
    path.write_text(f"id,category,n_options,gold\n{row}\n", encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_items(path, definition)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", b"", "is empty"),
        ("a.json", b"[]", "holds no items"),
        ("a.json", b"{}", "is no list of items"),
        ("a.json", b"[1]", "must be an object"),
        ("a.json", b'[{"id": "a"', "is no JSON"),
        ("a.jsonl", b'{"id": "a"}\n{"id":', "Line 2 of"),
        ("a.csv", b"", "holds no items"),
        ("a.csv", b"id,category,n_options,gold\n", "holds no items"),
        ("a.csv", b'id,category,n_options,gold\n"a,One,4,0\n', "is no CSV"),
        ("a.parquet", b"PAR1", "cannot be read as parquet"),
        ("a.xlsx", b"PK", "is no table of items"),
        ("a.csv", b"id,category\n\xff\xfe,One\n", "cannot be decoded"),
        ("a.csv", "id,category\n한글과 또 한글,One\n".encode()[:-6] + b"\xed\n", "UTF-8: "),
    ],
)
def test_broken_files(tmp_path, definition, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        read_items(path, definition)
    assert message in str(error.value)
    assert name in str(error.value)


def test_broken_utf8_is_not_taken_for_cp949(tmp_path, definition):
    text = "id,category,n_options,gold\n가나다라마바,One,4,0\n"
    path = tmp_path / "keys.csv"
    # A character lost two of its bytes: CP949 would read the rest as other characters.
    path.write_bytes(text.encode().replace("다".encode(), "다".encode()[:1], 1))
    with pytest.raises(DataError, match="cannot be decoded"):
        read_items(path, definition)


def test_a_folder_without_items(tmp_path, definition):
    folder = tmp_path / "empty"
    folder.mkdir()
    with pytest.raises(DataError, match="no items in the folder") as error:
        read_items(folder, definition)
    assert error.value.found == "no JSON file"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("D/notes.json", "is not named <category>_<source>.json"),
        ("D/Three_Exam.json", "no category 'Three'"),
    ],
)
def test_folders_with_other_files(tmp_path, definition, name, message):
    root = tmp_path / "clone"
    tree(root, {name: [entry(category=None)]})
    with pytest.raises(DataError) as error:
        read_items(root, definition)
    assert message in str(error.value)


def test_a_missing_path_says_how_to_get_the_texts(tmp_path):
    with pytest.raises(DataError, match="no items at") as error:
        read_items(tmp_path / "none")
    assert "github.com/rladmstn1714/CLIcK" in error.value.do


def test_unknown_source(tmp_path):
    path = tmp_path / "keys.csv"
    path.write_text("id,category,source,n_options,gold\na,Law,Guess,4,0\n", encoding="utf-8")
    with pytest.raises(DataError, match="no source 'Guess'"):
        read_items(path)

"""Retrieved context: a table of item and text, beside the protocol's file."""

import json

import pytest

from click_stats.errors import DataError
from click_stats.protocol import plan, read_protocol


@pytest.fixture
def items(read, entries):
    return read(entries(1, passage="글"), entries(2))


def texts(found):
    return {r.item: r.prompt for group in found.groups() for r in group}


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_the_text_stands_in_its_line_and_in_the_digest(items, declare, tmp_path, ending):
    protocol = read_protocol(declare(f'rotations = 1\n[context]\nfile = "found.{ending}"'))
    path = tmp_path / f"found.{ending}"

    def write(second):
        rows = [("One/q1", "첫째,\n찾은 글"), ("One/q2", second)]
        if ending == "csv":
            lines = ["item,text", *(f'{item},"{text}"' for item, text in rows)]
        else:
            lines = [json.dumps({"item": item, "text": text}, ensure_ascii=False) for item, text in rows]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    write("둘째")
    found = plan(protocol, items)
    assert "하시오.\n참고: 첫째,\n찾은 글\n맥락: 글\n질문: 1번" in texts(found)["One/q1"]
    assert "하시오.\n참고: 둘째\n질문: 2번" in texts(found)["One/q2"]
    assert protocol.conditions() == ("context",)
    assert found.facts()["context"] == {"file": f"found.{ending}", "items": 2}
    write("다른 글")
    assert plan(protocol, items).digest != found.digest
    moved = protocol.model_copy(
        update={"context": protocol.context.model_copy(update={"file": tmp_path / "moved.csv"})}
    )
    (tmp_path / "moved.csv").write_text('item,text\nOne/q1,"첫째,\n찾은 글"\nOne/q2,둘째\n', encoding="utf-8")
    assert plan(moved, items).digest == found.digest  # where it stands does not matter


def test_items_without_a_text(items, declare, tmp_path):
    (tmp_path / "found.csv").write_text("item,text\nOne/q1,글\nOther/x,글\n", encoding="utf-8")
    with pytest.raises(DataError, match="no context for 1 of 2 items") as caught:
        plan(read_protocol(declare('[context]\nfile = "found.csv"')), items)
    assert caught.value.found == "One/q2"
    found = plan(read_protocol(declare('[context]\nfile = "found.csv"\nmissing = "without"')), items)
    assert "참고" not in texts(found)["One/q2"]


def test_only_what_is_asked_or_shown_needs_a_text(items, declare, tmp_path):
    (tmp_path / "found.csv").write_text("item,text\nOne/q1,찾은 글\n", encoding="utf-8")
    asked = read_protocol(declare('shown = "question"\n[context]\nfile = "found.csv"'))
    assert list(texts(plan(asked, items))) == ["One/q1"]
    with_examples = read_protocol(declare('shown = "question"\n[context]\nfile = "found.csv"\n[few_shot]\nn = 1'))
    with pytest.raises(DataError, match="no context for 1 of 2"):
        plan(with_examples, items)
    assert len(plan(with_examples, items, needs_text=False)) == 4


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("found.csv", "id,text\nOne/q1,글\n", "found.csv, line 2 has no item and text"),
        ("found.csv", "item,text\nOne/q1,글\nOne/q1,글\n", "line 3: an item stands twice"),
        ("found.jsonl", "{", "line 1 is no JSON"),
        ("found.jsonl", "[1]", "line 1 is no object"),
        ("found.jsonl", '{"item": "One/q1", "text": 3}', "no item and text"),
    ],
)
def test_a_wrong_table_names_the_line(items, declare, tmp_path, name, text, said):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=said):
        plan(read_protocol(declare(f'[context]\nfile = "{name}"')), items)


def test_a_missing_file(items, declare):
    with pytest.raises(DataError, match="There is no file"):
        plan(read_protocol(declare('[context]\nfile = "none.csv"')), items)

"""What another revision of the items changed."""

import pytest

from click_stats.items import read_items
from click_stats.items.difference import difference

ITEMS = {
    "a": {"category": "One", "passage": "", "question": "Q a?", "options": ["w", "x", "y"], "answer": "w"},
    "b": {"category": "One", "passage": "", "question": "Q b?", "options": ["w", "x", "y"], "answer": "x"},
    "c": {"category": "Two", "passage": "P", "question": "Q c?", "options": ["w", "x", "y"], "answer": "y"},
}


@pytest.fixture
def tables(read):
    def _tables(**changed):
        new = {key: {**ITEMS.get(key, ITEMS["a"]), **(changed.get(key) or {})} for key in {**ITEMS, **changed}}
        kept = [{"id": key, **item} for key, item in new.items() if changed.get(key, 0) is not None]
        return read(*({"id": key, **item} for key, item in ITEMS.items())), read(*kept, name="new.json")

    return _tables


def changes(old, new, **options):
    return [tuple(row) for row in difference(old, new, **options).to_frame("changes").to_numpy()]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"a": {"question": "Q  a?"}}, []),  # blanks alone are no change
        ({"a": {"answer": "x"}}, [("One/a", "key", "A", "B")]),
        ({"a": {"options": ["x", "w", "y"]}}, [("One/a", "order of options", "1 2 3", "2 1 3")]),
        (
            {"a": {"options": ["x", "w", "y"], "answer": "x"}},
            [("One/a", "key", "A", "A"), ("One/a", "order of options", "1 2 3", "2 1 3")],
        ),
        ({"a": {"options": ["w", "x", "z", "y"]}}, [("One/a", "options", "3", "4")]),
        ({"c": {"passage": "R"}}, [("Two/c", "passage", "", "")]),
        ({"c": {"category": "One"}}, [("Two/c", "category", "Two", "One")]),
        ({"a": {"accepted": "1 2"}}, [("One/a", "accepted", "", "B C")]),
        ({"b": None}, [("One/b", "removed", "One/b", "")]),
        ({"d": {"question": "Q d?"}}, [("One/d", "added", "", "One/d")]),
        ({"b": None, "e": ITEMS["b"]}, [("One/b", "id", "b", "e")]),  # the same texts under another id
    ],
)
def test_each_aspect(tables, changed, expected):
    assert changes(*tables(**changed)) == expected


def test_texts_are_shown_on_request_only(tables):
    old, new = tables(a={"question": "Other?", "options": ["w", "x", "z"]})
    assert changes(old, new) == [("One/a", "question", "", ""), ("One/a", "options", "3", "3")]
    assert changes(old, new, with_texts=True) == [
        ("One/a", "question", "Q a?", "Other?"),
        ("One/a", "options", "w | x | y", "w | x | z"),
    ]


def test_keys_only_know_that_texts_differ_by_their_digests(tables, tmp_path, definition):
    old, new = tables(a={"question": "Other?", "answer": "x"})
    path = tmp_path / "keys.csv"
    old.frame[["id", "category", "n_options", "gold", "digest"]].to_csv(path, index=False)
    assert changes(read_items(path, definition), new) == [("One/a", "key", "A", "B"), ("One/a", "texts", "", "")]


def test_the_result_counts_and_states_both_digests(tables):
    old, new = tables(a={"answer": "x", "question": "Other?"}, b=None)
    found = difference(old, new)
    assert found.to_frame("aspects").to_numpy().tolist() == [["removed", 1], ["key", 1], ["question", 1]]
    assert found.summary == {"n_items_before": 3, "n_items_after": 2, "n_items_changed": 2}
    assert (found.meta["digest_before"], found.meta["digest_after"]) == (old.digest, new.digest)

"""Patches of the whole dataset and of random files: what is read from the patched files is what the errata make."""

import json
import random
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from click_stats.items import Errata, patch, read_items
from click_stats.items.patch.files import _assembled, _File
from click_stats.items.patch.spans import entries, members

WORDS = {"reason": "r", "reviewer": "k", "date": "2026-01-02", "source": "s"}
NAMES = [
    "id",
    "category",
    "domain",
    "source",
    "n_options",
    "gold",
    "accepted",
    "has_passage",
    "n_chars",
    "negated",
    "digest",
]


def a_correction(frame, key, action, rng):
    row = frame.loc[key]
    other = "ABCDE"[(int(row["gold"]) + 1) % int(row["n_options"])]
    rest = {
        "rekey": {"label": other},
        "also-accept": {"labels": [other]},
        "drop": {},
        "recategorise": {"category": "Popular" if row["category"] != "Popular" else "Law"},
        "retext": {"text": {"question": f"invented {rng.random()}"}},
    }[action]
    return {"key": key, "digest": row["digest"], "action": action, **rest, **WORDS}


@pytest.mark.parametrize("seed", [1, 2])
def test_the_patched_dataset_reads_as_the_corrected_items(dataset, dataset_path, tmp_path, seed):
    rng = random.Random(seed)
    actions = ["rekey", "also-accept", "drop", "recategorise", "retext"]
    keys = rng.sample(list(dataset.frame.index), 100)
    chosen = [a_correction(dataset.frame, key, actions[k % 5], rng) for k, key in enumerate(keys)]
    items = dataset.with_errata(Errata.model_validate({"erratum": chosen}))
    changes = patch.changes(dataset_path, items)
    shutil.copytree(dataset_path, tmp_path / "copy")
    for change in changes:
        (tmp_path / "copy" / change.name).write_bytes(change.after.encode("utf-8"))
    again = read_items(tmp_path / "copy").frame
    expected = items.frame.set_axis(items.frame["category"] + "/" + items.frame["id"], axis=0)
    assert set(again.index) == set(expected.index)
    assert again[NAMES].astype(str).equals(expected.loc[again.index, NAMES].astype(str))
    untouched = {entry.of(change.before) for change in changes for entry in entries(change.before, "")}
    kept = {entry.of(change.after) for change in changes for entry in entries(change.after, "")}
    assert len(untouched - kept) <= len(keys)  # every other entry stands there letter for letter


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(st.text(max_size=4), values, max_size=4)


@settings(max_examples=60, deadline=None)
@given(st.lists(objects, max_size=5), st.sampled_from([None, 1, 4]), st.booleans(), st.data())
def test_any_list_of_objects_is_taken_apart_and_put_together(listed, indent, escaped, data):
    text = json.dumps(listed, indent=indent, ensure_ascii=escaped)
    found = entries(text, "x")
    assert [json.loads(one.of(text)) for one in found] == listed
    for one, value in zip(found, listed, strict=True):
        inside = members(one.of(text))
        assert {name: json.loads(span.of(one.of(text))) for name, span in inside.items()} == value
    file = _File("x", text, tuple(found), None)
    stays = [data.draw(st.booleans()) for _ in listed]
    kept = [one.of(text) if stay else None for one, stay in zip(found, stays, strict=True)]
    after = _assembled(file, kept, ['{"new": 1}'])
    expected = [value for value, stay in zip(listed, stays, strict=True) if stay]
    assert json.loads(after) == [*expected, {"new": 1}]
    assert _assembled(file, [one.of(text) for one in found], []) == text

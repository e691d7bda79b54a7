import gc
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from click_stats.counts import STATUSES
from click_stats.errors import DataError, UsageError
from click_stats.trials import Trials, read_trials
from click_stats.trials.counting import planned
from click_stats.trials.schema import COLUMNS, KEY

ROWS = [
    ("m", "default", "One/a1", "1", 0, 0, "ok", "A"),
    ("m", "default", "One/a1", "1", 1, 0, "ok", "B"),
    ("m", "default", "One/a1", "2", 0, 0, "failed", None),
    ("m", "default", "One/a2", "1", 0, 0, "ok", "B"),
    ("m", "default", "One/a2", "1", 0, 1, "ok", "B"),
    ("m", "default", "One/a4", "1", 4, 0, "ok", "A"),
    ("m", "cot", "Two/b1", "1", 0, 0, "refused", None),
    ("m", "cot", "Two/b1", "1", 1, 0, "filtered", None),
    ("n", "default", "Two/b2", "foreign", 0, 0, "empty", None),
]
NAMES = ["model", "condition", "item", "wording", "rotation", "replicate", "status", "label"]


@pytest.fixture(scope="module")
def frame():
    return pd.DataFrame(ROWS, columns=NAMES).assign(
        text=["정답: A", "NA", None, '"B", \n', "01", "", "no", None, None],
        scores=[[-0.5, -1.0, None, -3.0], None, None, None, None, None, None, None, None],
        seconds=[0.25, *[None] * 8],
        policy="paper",
    )


@pytest.fixture(scope="module")
def trials(frame, tiny):
    return Trials.from_frame(frame, tiny)


def same(one, other):
    assert one.units.equals(other.units)
    for name in ("options", "statuses", "planned"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    if one.cells is not None and other.cells is not None:
        pd.testing.assert_frame_equal(one.cells, other.cells)


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_what_is_written_reads_back_as_the_same_table_and_cube(trials, tiny, tmp_path, kind):
    path = trials.write(tmp_path / f"trials.{kind}")
    again = read_trials(path, tiny)
    one, other = trials.frame(), again.frame()
    blank = ["text"]  # an empty response is stored as none
    pd.testing.assert_frame_equal(one.drop(columns=blank), other.drop(columns=blank))
    assert one["text"].replace("", None).tolist() == other["text"].tolist()
    same(trials.counts(cells=True), again.counts(cells=True))
    assert again.account.to_frame("dropped").empty


def test_the_frame_has_the_columns_of_the_schema_sorted_by_key(trials, frame):
    table = trials.frame()
    assert list(table.columns) == list(COLUMNS)
    assert len(table) == len(trials) == len(frame)
    keys = list(table[list(KEY)].itertuples(index=False, name=None))
    assert keys == sorted(keys)
    assert set(table["policy"]) == {"paper"}
    assert trials.relation.columns == list(COLUMNS)


def test_counts_are_those_counted_by_hand(trials, tiny):
    counts = trials.counts(cells=True)
    assert counts.units.index.tolist() == ["m", "m (cot)", "n"]
    assert counts.units["protocol"].tolist() == ["", "", ""]
    place = {item: row for row, item in enumerate(counts.items.index)}
    # a1: A under 0 is option 0; B under 1 is option 2; a4 of five options: A under 4 is option 4, the gold one.
    assert counts.options[0, place["One/a1"]].tolist() == [1, 0, 1, 0, 0]
    assert counts.options[0, place["One/a2"]].tolist() == [0, 2, 0, 0, 0]
    assert counts.options[0, place["One/a4"]].tolist() == [0, 0, 0, 0, 1]
    assert counts.options.sum() == 5
    assert {name: int(counts.statuses[..., at].sum()) for at, name in enumerate(STATUSES)} == {
        "ok": 5, "out_of_option": 0, "empty": 1, "refused": 1, "truncated": 0, "filtered": 1, "failed": 1,
    }  # fmt: skip
    assert counts.correct[0].sum() == 4
    assert counts.items.index.tolist() == tiny.frame.index.tolist()
    assert counts.categories == ("One", "Two")
    assert set(counts.meta["digests"]) == {"trials", "items"}
    cells = counts.cells.set_index(["unit", "item", "wording", "rotation"])
    assert cells.loc[("m", "One/a2", "1", 0)].tolist() == [2, 2]
    assert cells.loc[("m", "One/a1", "1", 1)].tolist() == [1, 0]
    assert ("m", "One/a1", "2", 0) not in cells.index  # a failed call is no answer
    assert cells.loc[("m (cot)", "Two/b1", "1", 0)].tolist() == [1, 0]
    assert trials.counts().cells is None


def test_other_rows_orders_give_the_same_counts(trials, frame, tiny):
    shuffled = frame.sample(frac=1, random_state=5)
    again = Trials.from_frame(shuffled, tiny)
    same(trials.counts(cells=True), again.counts(cells=True))
    assert again.digests == trials.digests


def test_the_digest_tells_other_answers(trials, frame, tiny):
    other = frame.assign(label=frame["label"].replace("B", "C"))
    assert Trials.from_frame(other, tiny).digests["trials"] != trials.digests["trials"]


def test_files_are_never_overwritten_unasked(trials, tmp_path):
    path = tmp_path / "trials.csv"
    path.write_text("mine")
    with pytest.raises(UsageError):
        trials.write(path)
    assert path.read_text() == "mine"
    trials.write(path, force=True)
    assert path.read_text().startswith("model,")
    assert [entry.name for entry in tmp_path.iterdir()] == ["trials.csv"]


def test_only_known_endings_are_written(trials, tmp_path):
    with pytest.raises(UsageError, match="xlsx"):
        trials.write(tmp_path / "trials.xlsx")


def test_a_failed_write_leaves_nothing(tiny, frame, tmp_path):
    trials = Trials.from_frame(frame, tiny)
    trials.database.execute("DROP TABLE unit_name_t")
    with pytest.raises(DataError, match="Cannot write"):
        trials.write(tmp_path / "trials.parquet")
    assert list(tmp_path.iterdir()) == []


def test_json_is_strict(trials, tmp_path):
    def refuse(constant):
        raise AssertionError(constant)

    lines = trials.write(tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line, parse_constant=refuse) for line in lines]
    assert len(rows) == len(ROWS)
    assert [row["scores"] for row in rows if row["scores"]] == [[-0.5, -1.0, None, -3.0]]
    json.loads(trials.account.to_json(), parse_constant=refuse)


def test_corrected_gold_scores_old_runs_anew(trials, tiny):
    from click_stats.items.table import ItemTable

    other = tiny.frame.assign(gold=tiny.frame["gold"].where(tiny.frame.index != "One/a2", 0))
    corrected = trials.with_items(ItemTable(other, tiny.definition))
    assert trials.counts().correct.sum() - corrected.counts().correct.sum() == 2
    assert corrected.counts(cells=True).cells["n_correct"].sum() == 2
    assert corrected.digests["items"] != trials.digests["items"]
    assert trials.with_items(tiny) is trials
    reordered = trials.with_items(ItemTable(tiny.frame.iloc[::-1], tiny.definition)).counts()
    np.testing.assert_array_equal(reordered.options[:, ::-1], trials.counts().options)


def test_items_that_do_not_fit_are_refused(trials, tiny):
    from click_stats.items.table import ItemTable

    with pytest.raises(DataError, match="not in the item table") as caught:
        trials.with_items(ItemTable(tiny.frame.drop("One/a2"), tiny.definition))
    assert caught.value.found == "One/a2"
    more = tiny.frame.assign(n_options=tiny.frame["n_options"].where(tiny.frame.index != "One/a1", 5))
    with pytest.raises(DataError, match="number of options"):
        trials.with_items(ItemTable(more, tiny.definition))
    unused = trials.with_items(ItemTable(tiny.frame.drop("One/a3"), tiny.definition))
    assert unused.counts().options.sum() == trials.counts().options.sum()
    coverage = unused.account.to_frame("coverage").set_index(["unit", "group"])["n_items_total"]
    assert coverage["m", "One"] == 5
    assert unused.account.summary["n_items_total"] == 11
    assert unused.account.meta["digests"] == unused.digests
    assert unused.account.to_frame("sources").equals(trials.account.to_frame("sources"))


def test_the_plan_is_what_most_items_of_a_kind_have():
    stored = np.array([[3, 3, 2, 0, 5, 0], [0, 0, 0, 0, 0, 0], [1, 2, 0, 0, 0, 0]])
    n_options = np.array([4, 4, 4, 4, 5, 5])
    assert planned(stored, n_options, 0 * stored).tolist() == [[3, 3, 3, 3, 5, 5], [1] * 6, [2, 2, 2, 2, 1, 1]]


@settings(max_examples=50)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=30))
def test_the_plan_is_a_mode_of_the_items_answered(stored):
    (plan,) = set(planned(np.array([stored]), np.full(len(stored), 4), np.zeros((1, len(stored)), dtype=int))[0])
    answered = [n for n in stored if n]
    if answered:
        assert answered.count(plan) == max(map(answered.count, answered))
        assert plan == max(n for n in answered if answered.count(n) == answered.count(plan))
    else:
        assert plan == 1


def test_the_temporary_folder_goes_with_the_table(frame, tiny):
    from click_stats.items.table import ItemTable

    trials = Trials.from_frame(frame, tiny)
    folder = Path(trials.database.folder)
    assert folder.is_dir()
    rescored = trials.with_items(ItemTable(tiny.frame.iloc[::-1], tiny.definition))
    del trials
    gc.collect()
    assert rescored.counts().options.sum() == 5  # one table still needs it
    del rescored
    gc.collect()
    assert not folder.exists()
    with Trials.from_frame(frame, tiny) as other:
        folder = Path(other.database.folder)
    assert not folder.exists()


def test_names_of_models_are_taken_from_their_table(frame, tiny):
    from click_stats.models import Model, ModelTable

    models = ModelTable((Model(model="M One", aliases=("m",)),))
    assert Trials.from_frame(frame, tiny, models=models).units.index.tolist() == ["M One", "M One (cot)", "n"]


def test_trials_missing_here_and_there_are_missing(click):
    """With a tenth of 3 x 3 trials missing at random, as many items have 8 as have 9: the plan is 9 for all models."""
    rng = np.random.default_rng(2)
    chosen = click.frame[click.frame["n_options"] == 4].index[:200]
    rows = pd.DataFrame(
        [("ab"[unit], item, str(w), r, 0) for unit in range(2) for item in chosen for w in range(3) for r in range(3)],
        columns=["model", "item", "wording", "rotation", "prediction"],
    )
    kept = rows[rng.random(len(rows)) < np.where(rows["model"] == "a", 0.9, 0.87)]
    counts = Trials.from_frame(kept, click).counts()
    asked = click.frame.index.isin(chosen)
    assert (counts.planned[:, asked] == 9).all()
    assert counts.n("missing")[:, asked].sum() == len(rows) - len(kept)
    one_of_four = rows[(rows["wording"] == "0")].groupby(["model", "item"]).sample(1, random_state=3)
    assert (Trials.from_frame(one_of_four, click).counts().planned[:, asked] == 1).all(), "one random order each"

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.accuracy import ESTIMATES, UNDER_HALF, accuracy
from click_stats.stats.cells import INTERVALS
from click_stats.stats.tools.bootstrap import METHODS
from click_stats.stats.tools.clustered import cluster_mean
from click_stats.stats.tools.intervals import clustered_wilson, wilson

REAL = Path(__file__).resolve().parents[2] / "fixtures" / "real-results"


@pytest.fixture(scope="module")
def counts(counts_of):
    """Three models; categories of 12 and 9 items; B has a passage of three; the last model misses most of B."""
    rng = np.random.default_rng(12)
    right = rng.integers(0, 2, (3, 21))
    trials = np.ones((3, 21), dtype=int)
    trials[2, 14:] = 0
    cluster = [*range(12), 12, 12, 12, *range(13, 19)]
    return counts_of(
        right * trials,
        trials,
        category=["A"] * 12 + ["B"] * 9,
        cluster=cluster,
        n_options=[4] * 15 + [5] * 6,
        statuses={"filtered": 1 - trials},
    )


def cell(result, unit, by, group=None):
    frame = result.to_frame()
    rows = frame[(frame["unit"] == unit) & (frame["by"] == by)]
    return (rows if group is None else rows[rows["group"] == group]).iloc[0]


def test_estimates_by_hand(counts):
    found = accuracy(counts, by=("overall", "macro", "category"))
    score = counts.correct[0].astype(float)
    row = cell(found, "m0", "overall")
    mean = cluster_mean(score, np.array([*range(12), 12, 12, 12, *range(13, 19)]))
    assert row["estimate"] == pytest.approx(score.mean())
    assert row["std_error"] == pytest.approx(mean.std_error)
    assert (row["conf_low"], row["conf_high"]) == pytest.approx(clustered_wilson(mean)[:2])
    assert (row["n_items"], row["n_items_total"], row["n_trials"], row["n_clusters"]) == (21, 21, 21, 19)
    assert row["df"] == 18
    assert row["chance"] == pytest.approx((15 / 4 + 6 / 5) / 21)
    macro = cell(found, "m0", "macro")
    assert macro["estimate"] == pytest.approx((score[:12].mean() + score[12:].mean()) / 2)
    assert macro["chance"] == pytest.approx((1 / 4 + (3 / 4 + 6 / 5) / 9) / 2)
    assert cell(found, "m0", "category", "B")["estimate"] == pytest.approx(score[12:].mean())
    assert list(found.to_frame().columns) == list(ESTIMATES)


def test_groups_come_in_order_and_units_within(counts):
    frame = accuracy(counts, by=("overall", "category", "category x source")).to_frame()
    assert list(dict.fromkeys(zip(frame["by"], frame["group"], strict=True))) == [
        ("overall", "all items"),
        ("category", "A"),
        ("category", "B"),
        ("category x source", "A x s0"),
        ("category x source", "A x s1"),
        ("category x source", "B x s0"),
        ("category x source", "B x s1"),
    ]
    assert list(frame["unit"]) == ["m0", "m1", "m2"] * 7


def test_a_cell_answered_under_half_is_marked_and_said(counts):
    found = accuracy(counts, by=("overall", "category"))
    row = cell(found, "m2", "category", "B")
    assert row["coverage"] == pytest.approx(2 / 9)
    assert UNDER_HALF in row["flag"]
    assert (row["bound_low"], row["bound_high"]) == pytest.approx(
        (counts.correct[2, 12:].sum() / 9, (counts.correct[2, 12:].sum() + 7) / 9)
    )
    assert UNDER_HALF not in cell(found, "m2", "overall")["flag"]
    assert any("m2, B (2 of 9)" in warning for warning in found.meta["warnings"])
    planned = cell(accuracy(counts, by="category", denominator="planned"), "m2", "category", "B")
    assert planned["n_items"] == 9
    assert planned["coverage"] == pytest.approx(2 / 9)
    assert UNDER_HALF in planned["flag"]


def test_plain_wilson_stands_beside_only_where_it_holds(counts):
    found = accuracy(counts, by=("overall", "macro", "category")).to_frame("alternatives")
    rows = found[found["unit"] == "m0"].set_index(["by", "group"])
    assert set(found["method"]) == {"Wilson, plain"}
    a = rows.loc[("category", "A")]
    assert (a["conf_low"], a["conf_high"]) == pytest.approx(wilson(counts.correct[0, :12].mean(), 12)[:2])
    for key, word in ((("overall", "all items"), "passage"), (("macro", "mean of 2 categories"), "categories")):
        assert np.isnan(rows.loc[key, "conf_low"])
        assert word in rows.loc[key, "reason"]


def test_several_trials_refuse_plain_wilson(counts_of):
    found = accuracy(counts_of([[2, 1, 3, 0]], 3), interval="wilson-plain")
    row = found.to_frame().iloc[0]
    assert row["estimate"] == 0.5
    assert np.isnan(row["conf_low"])
    assert "several trials" in row["reason"]
    beside = found.to_frame("alternatives").set_index("method")
    assert beside.loc["clustered Wilson", "conf_low"] > 0


@pytest.mark.parametrize("interval", list(INTERVALS))
def test_every_interval_surrounds_the_estimate_or_says_why_not(counts, interval):
    frame = accuracy(counts, by=("overall", "macro", "category"), interval=interval, seed=4).to_frame()
    undefined = frame["conf_low"].isna()
    assert (frame.loc[undefined, "reason"] != "").all()
    defined = frame[~undefined]
    assert (defined["reason"] == "").all()
    assert ((defined["conf_low"] >= 0) & (defined["conf_low"] <= defined["estimate"])).all()
    assert ((defined["estimate"] <= defined["conf_high"]) & (defined["conf_high"] <= 1)).all()
    assert undefined.sum() < len(frame)


def test_twenty_of_twenty(counts_of):
    """Case S33: flagged, the default has a width, the plain interval stands beside."""
    found = accuracy(counts_of(np.ones((1, 20))))
    row, beside = found.to_frame().iloc[0], found.to_frame("alternatives").iloc[0]
    assert (round(row["conf_low"], 3), row["conf_high"], row["flag"]) == (0.820, 1.0, "degenerate")
    assert (round(beside["conf_low"], 3), beside["conf_high"]) == (0.839, 1.0)
    percentile = accuracy(counts_of(np.ones((1, 20))), interval="percentile")
    assert "no width" in percentile.to_frame()["reason"].item()
    assert percentile.to_frame("alternatives").set_index("method").loc["clustered Wilson", "conf_low"] > 0.8


def test_trials_are_not_questions(counts_of):
    """Case S34: 4 questions x 9 trials."""
    row = accuracy(counts_of([[9, 9, 0, 0]], 9)).to_frame().iloc[0]
    assert row["estimate"] == 0.5
    assert row["std_error"] == pytest.approx(0.2887, abs=1e-4)
    assert (row["n_trials"], row["n_clusters"]) == (36, 4)


def test_trial_weighted_on_request(counts_of):
    counts = counts_of([[1, 0, 6]], [[1, 3, 8]])
    items = accuracy(counts).to_frame().iloc[0]
    trials = accuracy(counts, weight="trials")
    row = trials.to_frame().iloc[0]
    assert items["estimate"] == pytest.approx((1 + 0 + 0.75) / 3)
    assert row["estimate"] == pytest.approx(7 / 12)
    u = np.array([1 - 7 / 12, 0 - 3 * 7 / 12, 6 - 8 * 7 / 12]) / 12
    assert row["std_error"] == pytest.approx(np.sqrt(1.5 * (u**2).sum()))
    assert trials.to_frame("denominators")["estimate"].iloc[0] == pytest.approx(7 / 12)
    assert "counted trials of all items" in trials.meta["method"]


@pytest.mark.parametrize(
    ("correct", "trials", "reason"),
    [
        ([[1]], 1, "only one cluster"),
        ([[0, 0, 0]], 0, "no item was answered"),
        ([[1, 1, 1]], 2, "same mean"),
    ],
)
@pytest.mark.parametrize("interval", ["wilson", "t", "percentile", "bca", "studentised"])
def test_undefined_cells_have_a_reason(counts_of, correct, trials, reason, interval):
    row = accuracy(counts_of(correct, trials), interval=interval).to_frame().iloc[0]
    assert np.isnan(row["conf_low"])
    assert np.isnan(row["conf_high"])
    assert reason in row["reason"]


def test_items_by_models_right(counts):
    found = accuracy(counts).to_frame("items").set_index("item")
    assert found.loc["i0", "n_right"] == counts.correct[:, 0].sum()
    assert found.loc["i20", "n_units"] == 2
    assert list(found["category"]) == ["A"] * 12 + ["B"] * 9


def test_result_survives_json(counts):
    found = accuracy(counts, by=("overall", "category"), interval="t")
    again = Result.from_dict(found.to_dict())
    assert again.to_json() == found.to_json()
    assert "NaN" not in found.to_json()


def test_same_seed_same_bytes(counts):
    first, second = (accuracy(counts, by="category", interval="bca", seed=3).to_json() for _ in range(2))
    assert first == second
    assert accuracy(counts, by="category", interval="bca", seed=4).to_json() != first


@pytest.mark.parametrize(
    ("arguments", "listed"),
    [
        ({"interval": "wald"}, "wilson, wilson-plain, t, percentile, bca, studentised"),
        ({"denominator": "all"}, "responded, planned, in_option"),
        ({"weight": "models"}, "items, trials"),
        ({"target": "both"}, "sampled, fixed"),
        ({"wordings": "many"}, "fixed, sampled"),
        ({"by": "colour"}, "category"),
        ({"level": 95}, "0.95"),
        ({"interval": "bca", "draws": 100}, "1000"),
    ],
)
def test_wrong_arguments_are_told_what_there_is(counts, arguments, listed):
    with pytest.raises(UsageError) as caught:
        accuracy(counts, **arguments)
    assert listed in str(caught.value)


def test_nothing_to_estimate(counts):
    with pytest.raises(UsageError, match="no model or no item"):
        accuracy(counts.select(units=[]))
    with pytest.raises(UsageError, match="no model or no item"):
        accuracy(counts.select(items=np.zeros(21, dtype=bool)))


answers = st.integers(3, 25).flatmap(
    lambda n: st.tuples(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=n, max_size=n),
        st.lists(st.integers(0, 6), min_size=n, max_size=n),
        st.permutations(range(n)),
    )
)
NUMBERS = ["estimate", "std_error", "conf_low", "conf_high", "bound_low", "bound_high", "chance", "coverage"]


@settings(max_examples=25, deadline=None)
@given(answers, st.sampled_from(["wilson", "t"]))
def test_order_of_items_and_names_of_models_do_not_matter(counts_of, case, interval):
    pairs, cluster, order = case
    right, wrong = np.array(pairs).T
    two = np.stack([right, wrong]), np.stack([right + wrong] * 2)
    category = np.array(["A", "B"])[np.arange(len(right)) % 2]
    by = ("overall", "macro", "category")
    first = accuracy(counts_of(*two, category=category, cluster=cluster), by=by, interval=interval).to_frame()
    mixed = counts_of(
        two[0][::-1][:, order],
        two[1][:, order],
        category=category[list(order)],
        cluster=np.array(cluster)[list(order)],
        names=["other", "m0"],
    )
    second = accuracy(mixed, by=by, interval=interval).to_frame()
    first = first.sort_values(["by", "group", "unit"])
    second["unit"] = second["unit"].replace({"other": "m1"})
    second = second.sort_values(["by", "group", "unit"])
    pd.testing.assert_frame_equal(
        first[NUMBERS].reset_index(drop=True), second[NUMBERS].reset_index(drop=True), atol=1e-9
    )
    assert list(first["reason"]) == list(second["reason"])


@settings(max_examples=25, deadline=None)
@given(answers)
def test_asking_for_more_groups_or_models_changes_no_cell(counts_of, case):
    pairs, cluster, _ = case
    right, wrong = np.array(pairs).T
    counts = counts_of(np.stack([right, wrong]), np.stack([right + wrong] * 2), cluster=cluster)
    together = accuracy(counts, by=("overall", "source"), interval="bca", draws=1000).to_frame()
    alone = accuracy(counts.select(units=["m1"]), by="source", interval="bca", draws=1000).to_frame()
    both = together[(together["by"] == "source") & (together["unit"] == "m1")].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, both)


def test_methods_are_named_in_the_result(counts):
    for interval in INTERVALS:
        found = accuracy(counts, by="category", interval=interval, draws=1000)
        if interval in METHODS and interval != "studentised":
            assert set(found.to_frame()["method"]) == {METHODS[interval]}
            assert found.meta["diagnostics"] == {"draws": 1000}
        assert INTERVALS[interval] in found.meta["method"]


@pytest.fixture(scope="module")
def real():
    from click_stats import read_items, read_trials

    return read_trials(REAL, items=read_items()).counts()


def test_real_files(real):
    """The 20 real files: one model counted from its file, and the cells that five models hardly answered."""
    found = accuracy(real, by=("overall", "category"))
    rows = pd.read_csv(REAL / "claude-sonnet-4-2025-12-10.csv", dtype=str)
    row = cell(found, "claude-sonnet-4", "overall")
    assert row["estimate"] == pytest.approx((rows["pred"] == rows["answer"]).mean(), abs=1e-12)
    assert (row["n_items"], row["n_clusters"]) == (1995, 1859)
    marked = found.to_frame()[found.to_frame()["flag"].str.contains(UNDER_HALF)]
    assert set(zip(marked["group"], marked["n_items"], strict=True)) == {("Functional", 14)}
    assert len(marked) == 5
    assert len(found.to_frame()) == 20 * 12
    assert found.summary["unit"] == "gpt-5.2 (medium)"

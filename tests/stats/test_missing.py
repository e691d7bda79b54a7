import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from click_stats.stats import partition
from click_stats.stats.missing import bounds, denominators, statuses


@pytest.fixture
def counts(counts_of):
    """One model, four items: 2 right of 3; filtered twice; one failed, one right; never run."""
    return counts_of(
        [[2, 0, 1, 0]],
        [[3, 0, 1, 0]],
        category=["A", "A", "B", "B"],
        statuses={"filtered": [[0, 2, 0, 0]], "failed": [[0, 0, 1, 0]]},
        missing=[[0, 0, 0, 1]],
    )


def test_bounds_by_kind(counts):
    found = bounds(counts, partition.groups(counts, "overall")).set_index("missing_kind")
    score = 2 / 3
    expected = {
        "missing": ((score + 1 + 0) / 3, (score + 1 + 1) / 3, 3, 1),
        "filtered": ((score + 0 + 1) / 3, (score + 1 + 1) / 3, 3, 2),
        "failed": ((score + 0.5) / 2, (score + 1) / 2, 2, 1),
        "all": ((score + 0 + 0.5 + 0) / 4, (score + 1 + 1 + 1) / 4, 4, 4),
    }
    assert list(found.index) == list(expected)
    for kind, (low, high, n_items, n_trials) in expected.items():
        row = found.loc[kind]
        assert (row["bound_low"], row["bound_high"]) == pytest.approx((low, high))
        assert (row["n_items"], row["n_trials"], row["reason"]) == (n_items, n_trials, "")


def test_bounds_weighted_by_trials(counts):
    found = bounds(counts, partition.groups(counts, "overall"), ["all"], "trials").iloc[0]
    assert (found["bound_low"], found["bound_high"]) == pytest.approx((3 / 8, 7 / 8))


def test_bounds_without_any_trial_are_undefined_with_the_reason(counts):
    found = bounds(counts, partition.groups(counts, "cluster"), ["filtered"]).set_index("group")
    assert found.loc["i0", "reason"] == ""
    assert np.isnan(found.loc["i3", "bound_low"])
    assert np.isnan(found.loc["i3", "bound_high"])
    assert "no trial" in found.loc["i3", "reason"]


def test_macro_bounds_need_every_category(counts):
    (group,) = partition.groups(counts, "macro")
    found = bounds(counts, [group]).set_index("missing_kind")
    assert found.loc["all", "bound_low"] == pytest.approx(((2 / 3 + 0) / 2 + (0.5 + 0) / 2) / 2)
    only_a = counts.select(items=np.array([True, True, False, True]))
    (group,) = partition.groups(only_a, "macro")
    found = bounds(only_a, [group]).set_index("missing_kind")
    assert np.isnan(found.loc["filtered", "bound_low"])
    assert found.loc["filtered", "reason"] == "no item was answered in 1 of 2 categories"
    assert found.loc["all", "reason"] == ""


def test_denominators_side_by_side(counts_of):
    counts = counts_of([[1, 1, 0]], [[1, 1, 0]], statuses={"empty": [[1, 0, 0]], "filtered": [[0, 0, 1]]})
    found = denominators(counts, partition.groups(counts, "overall")).set_index("denominator")
    assert found["estimate"].to_dict() == pytest.approx({"responded": 0.75, "planned": 0.5, "in_option": 1.0})
    assert found["n_items"].to_dict() == {"responded": 2, "planned": 3, "in_option": 2}
    assert found["n_trials"].to_dict() == {"responded": 3, "planned": 4, "in_option": 2}


def test_statuses_are_counted(counts):
    found = statuses(counts).iloc[0]
    assert (found["n_ok"], found["n_filtered"], found["n_failed"], found["n_missing"], found["n_items"]) == (
        4,
        2,
        1,
        1,
        2,
    )


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 5), min_size=1, max_size=12), st.sampled_from(["items", "trials"]))
def test_bounds_hold_the_estimate_whatever_the_unanswered_trials_are(counts_of, rows, weight):
    right, wrong, filtered, failed, missing = np.array(rows).T[:, None]
    counts = counts_of(right, right + wrong, statuses={"filtered": filtered, "failed": failed}, missing=missing)
    groups = partition.groups(counts, "overall")
    found = bounds(counts, groups, weight=weight).set_index("missing_kind")
    assert (found["bound_low"].dropna() <= found["bound_high"].dropna() + 1e-12).all()
    unanswered = filtered + failed + missing
    if (right + wrong + unanswered).sum() == 0:
        assert found["bound_low"].isna().all()
        assert (found["reason"] != "").all()
        return
    truth = counts_of(right + unanswered // 2, right + wrong + unanswered)
    estimate = denominators(truth, groups, weight).set_index("denominator").loc["planned", "estimate"]
    assert found.loc["all", "bound_low"] - 1e-12 <= estimate <= found.loc["all", "bound_high"] + 1e-12

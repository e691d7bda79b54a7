import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from click_stats.errors import UsageError
from click_stats.stats.compare import compare
from click_stats.stats.ranks import RANKS, TIED, ranks

DRAWS = 400


def _counts(counts_of, accuracies, n=400, seed=1):
    rng = np.random.default_rng(seed)
    easy = rng.normal(0, 0.15, n)
    return counts_of(rng.random((len(accuracies), n)) < np.clip(np.array(accuracies)[:, None] + easy, 0, 1))


def test_far_apart_models_have_their_ranks(counts_of):
    frame = ranks(_counts(counts_of, [0.3, 0.9, 0.6]), draws=DRAWS).to_frame()
    assert frame["unit"].tolist() == ["m1", "m2", "m0"]
    assert frame["rank"].tolist() == frame["rank_low"].tolist() == frame["rank_high"].tolist() == [1, 2, 3]
    assert frame["co_leader"].tolist() == [True, False, False]
    assert list(frame.columns) == list(RANKS)


def test_models_that_are_not_separated_lead_together(counts_of):
    found = ranks(_counts(counts_of, [0.8, 0.8, 0.8, 0.3]), draws=DRAWS)
    frame = found.to_frame()
    assert frame["rank_low"].tolist() == [1, 1, 1, 4]
    assert frame["rank_high"].tolist() == [3, 3, 3, 4]
    assert sorted(found.summary["co_leaders"]) == ["m0", "m1", "m2"]
    assert frame["n_worse"].tolist() == [1, 1, 1, 0]


def test_equal_accuracies_share_the_best_rank(counts_of):
    frame = ranks(counts_of([[1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 0]]), draws=DRAWS).to_frame()
    assert frame["rank"].tolist() == [1, 2, 2]
    assert frame["flag"].tolist() == ["", TIED, TIED]


@pytest.mark.parametrize("pairwise", [False, True])
def test_ranks_never_disagree_with_pairs(counts_of, pairwise):
    counts = _counts(counts_of, np.linspace(0.4, 0.8, 7), 300)
    groupings = ("overall", "source")
    frame = ranks(counts, by=groupings, draws=DRAWS, seed=3, pairwise_items=pairwise).to_frame()
    pairs = compare(counts, by=groupings, draws=DRAWS, seed=3, pairwise_items=pairwise).to_frame()
    apart = pairs[pairs["verdict"] == "separated"]
    assert 0 < len(apart) < len(pairs)
    for row in frame.itertuples():
        here = apart[apart["group"] == row.group]
        better = ((here["unit_b"] == row.unit) & (here["estimate"] > 0)) | (
            (here["unit_a"] == row.unit) & (here["estimate"] < 0)
        )
        worse = ((here["unit_a"] == row.unit) & (here["estimate"] > 0)) | (
            (here["unit_b"] == row.unit) & (here["estimate"] < 0)
        )
        assert (row.n_better, row.n_worse) == (better.sum(), worse.sum())
        assert (row.rank_low, row.rank_high) == (1 + better.sum(), 7 - worse.sum())


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_ranks_lie_in_their_intervals(counts_of, seed):
    rng = np.random.default_rng(seed)
    counts = _counts(counts_of, rng.uniform(0.2, 0.9, 5), 60, seed)
    frame = ranks(counts, draws=100).to_frame()
    assert (frame["rank_low"] <= frame["rank"]).all()
    assert (frame["rank"] <= frame["rank_high"]).all()
    assert frame["estimate"].is_monotonic_decreasing
    assert frame["co_leader"].iloc[0]


def test_a_higher_level_widens_the_intervals(counts_of):
    counts = _counts(counts_of, np.linspace(0.4, 0.7, 6), 200)
    one, two = (ranks(counts, level=level, draws=999).to_frame() for level in (0.8, 0.99))
    assert (two["rank_low"] <= one["rank_low"]).all()
    assert (two["rank_high"] >= one["rank_high"]).all()
    assert two["rank_high"].sum() > one["rank_high"].sum()


def test_a_unit_left_out_has_no_rank(counts_of):
    trials = np.ones((3, 20), dtype=int)
    trials[2] = 0
    counts = counts_of(trials * [[1], [0], [1]], trials, missing=1 - trials)
    frame = ranks(counts, draws=DRAWS).to_frame().set_index("unit")
    assert frame.loc["m2", "reason"] == "no item was answered"
    assert frame["rank"].isna().tolist() == [False, False, True]
    assert frame["n_units"].tolist() == [2, 2, 2]


def test_one_unit_and_wrong_arguments(counts_of):
    found = ranks(counts_of([[1, 0]]), draws=DRAWS)
    assert found.to_frame().empty
    assert "one model: nothing to compare" in found.meta["warnings"]
    with pytest.raises(UsageError):
        ranks(counts_of([[1, 0], [1, 1]]), by="colour", draws=DRAWS)


def test_rank_intervals_cover_tied_models(counts_of):
    """All tied: every interval must be 1 to 4, in at least .93 of the data sets."""
    repeats = 200
    covered = 0
    for repeat in range(repeats):
        frame = ranks(_counts(counts_of, [0.6] * 4, 80, repeat), draws=99, seed=repeat).to_frame()
        covered += bool((frame["rank_low"] == 1).all() and (frame["rank_high"] == 4).all())
    assert covered / repeats >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / repeats)

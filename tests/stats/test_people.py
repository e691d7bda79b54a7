"""People beside models: hand values, the size of its tests and cover of its interval, and data that do not allow it."""

import math

import numpy as np
import pytest
from scipy import stats

import click_stats as cs
from click_stats.counts import Counts
from click_stats.errors import UsageError
from click_stats.stats.people import people
from click_stats.stats.people.difficulty import correlation


@pytest.fixture
def both(counts_of):
    """Counts of people r0, r1, ... and models m0, m1, ...; the rows of people may hold NaN: not asked."""

    def _both(of_people, of_models, **options):
        scores = np.vstack([np.atleast_2d(np.asarray(one, dtype=float)) for one in (of_people, of_models)])
        asked = ~np.isnan(scores)
        n_people, n_models = len(np.atleast_2d(of_people)), len(np.atleast_2d(of_models))
        names = [*(f"r{k} (human)" for k in range(n_people)), *(f"m{k}" for k in range(n_models))]
        counts = counts_of(np.nan_to_num(scores), asked.astype(int), names=names, **options)
        conditions = ["human"] * n_people + ["default"] * n_models
        return counts.with_units(counts.units.assign(condition=conditions))

    return _both


def rows(result, **where):
    frame = result.to_frame()
    for name, value in where.items():
        frame = frame[frame[name] == value]
    return frame.set_index("who")


def test_shares_by_hand(both):
    nan = math.nan
    # item 0: both right; 1: one of two; 2: only r0 asked, wrong; 3: nobody asked, so it does not enter for models either
    found = people(both([[1, 1, 0, nan], [1, 0, nan, nan]], [[1, 1, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]]))
    own = rows(found, by="overall")
    assert own.loc["mean of people", "estimate"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert own.loc["mean of models", "estimate"] == pytest.approx((2 / 3 + 1 / 3 + 1 / 3) / 3)
    assert own.loc["best model", "unit"] == "m0"
    assert own.loc["best model", "estimate"] == 1
    assert own.loc["best person", "unit"] == "r0 (human)"
    assert own.loc["best person", "estimate"] == pytest.approx(2 / 3)
    assert own.loc["best person", "flag"].startswith("the best of 2")
    # item 1: one chose the key, one another option: half; item 2: another option
    assert own.loc["majority of people", "estimate"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert set(found.to_frame("items")["item"]) == {"i0", "i1", "i2"}
    assert found.to_frame("respondents")["n_items"].tolist() == [3, 2]


def test_the_majority_can_be_better_than_every_person(both):
    found = people(both([[1, 1, 0], [1, 0, 1], [0, 1, 1]], [[1, 1, 1]]))
    own = rows(found, by="overall")
    assert own.loc["majority of people", "estimate"] == 1
    assert own.loc["best person", "estimate"] == pytest.approx(2 / 3)


def test_items_are_compared_by_fisher_and_newcombe(both):
    rng = np.random.default_rng(2)
    found = people(both((rng.random((12, 8)) < 0.8).astype(int), (rng.random((20, 8)) < 0.5).astype(int))).to_frame(
        "items"
    )
    for row in found.to_dict("records"):
        a, b = round(row["share_people"] * 12), round(row["share_models"] * 20)
        assert row["p_value"] == pytest.approx(stats.fisher_exact([[a, 12 - a], [b, 20 - b]])[1])
        z = stats.norm.isf(0.025)
        low, high = [], []
        for x, n in ((a, 12), (b, 20)):
            centre, half = (x + z * z / 2) / (n + z * z), z / (n + z * z) * math.sqrt(x * (n - x) / n + z * z / 4)
            low.append(centre - half)
            high.append(centre + half)
        assert row["conf_low"] == pytest.approx(row["gap_people"] - math.hypot(a / 12 - low[0], high[1] - b / 20))
        assert row["conf_high"] == pytest.approx(row["gap_people"] + math.hypot(high[0] - a / 12, b / 20 - low[1]))
    adjusted = stats.false_discovery_control(found["p_value"].to_numpy())
    np.testing.assert_allclose(found["p_adjusted"].to_numpy(), adjusted)


def test_newcombes_published_example(both):
    # Newcombe (1998), table II, contrast (a), method 10: 56/70 against 48/80 has the interval 0.0524 to 0.3339.
    of_people, of_models = np.r_[np.ones(56), np.zeros(14)], np.r_[np.ones(48), np.zeros(32)]
    row = people(both(of_people[:, None], of_models[:, None])).to_frame("items").iloc[0]
    assert (row["conf_low"], row["conf_high"]) == (pytest.approx(0.0524, abs=5e-5), pytest.approx(0.3339, abs=5e-5))


def test_items_that_only_one_side_finds_hard_are_found_and_others_are_not(both):
    rng = np.random.default_rng(3)
    p = np.full(60, 0.6)
    of_people, of_models = np.tile(p, (30, 1)), np.tile(p, (30, 1))
    of_people[:, :3], of_models[:, :3] = 0.95, 0.1
    of_people[:, 3:5], of_models[:, 3:5] = 0.1, 0.95
    found = people(both(rng.random((30, 60)) < of_people, rng.random((30, 60)) < of_models)).to_frame("items")
    apart = found[found["verdict"] == "separated"]
    assert apart[apart["side"] == "easier for people"]["item"].tolist() == ["i0", "i1", "i2"]
    assert apart[apart["side"] == "harder for people"]["item"].tolist() == ["i3", "i4"]


def test_the_correlation_is_pearsons(both):
    rng = np.random.default_rng(4)
    hard = rng.random(40)
    counts = both(rng.random((15, 40)) < hard, rng.random((15, 40)) < hard)
    found = people(counts, draws=500, seed=1)
    share = [counts.scores().values[mask].mean(axis=0) for mask in (counts.people, ~counts.people)]
    row = found.to_frame("correlations").iloc[0]
    assert row["correlation_people"] == pytest.approx(np.corrcoef(*share)[0, 1])
    assert row["conf_low"] < row["correlation_people"] < row["conf_high"]


def test_the_interval_of_the_correlation_covers():
    rng = np.random.default_rng(6)
    rho, hits, runs = 0.5, 0, 400
    for seed in range(runs):
        x, y = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=100).T
        found = correlation(x, y, np.arange(100), level=0.95, draws=400, seed=seed)
        hits += found.low <= rho <= found.high
    assert 0.90 < hits / runs < 0.985  # nominal 0.95, percentiles are a little short; Monte Carlo error 0.011


def test_passages_are_resampled_whole():
    rng = np.random.default_rng(7)
    x, y = np.repeat(rng.random((2, 20)), 5, axis=1)
    wide = correlation(x, y, np.repeat(np.arange(20), 5), level=0.95, draws=500, seed=1)
    narrow = correlation(x, y, np.arange(100), level=0.95, draws=500, seed=1)
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)
    assert (wide.n_clusters, narrow.n_clusters) == (20, 100)


def test_where_there_are_no_people_or_no_models_it_steps_aside(counts_of, both):
    without = people(counts_of(np.ones((2, 4), dtype=int)))
    assert "items quiz" in without.meta["reason"]
    assert all(not len(table) for table in without.tables.values())
    counts = both([[1, 0, 1]], [[1, 1, 1]])
    alone = people(counts.select([str(counts.units.index[0])]))
    assert "Only people answered" in alone.meta["reason"]


def test_people_whose_answers_do_not_count_leave_nothing(counts_of):
    nothing = counts_of(
        np.zeros((2, 3), dtype=int), np.array([[0] * 3, [1] * 3]), statuses={"failed": np.array([[1] * 3, [0] * 3])}
    )
    counts = nothing.with_units(nothing.units.assign(condition=["human", "default"]))
    assert "No answer of a person counts" in people(counts).meta["reason"]


@pytest.mark.parametrize("score", [0, 1])
def test_all_right_and_all_wrong(both, score):
    found = people(both(np.full((3, 12), score), np.full((4, 12), score)))
    own = rows(found, by="overall")
    assert own.loc["mean of people", "estimate"] == score
    row = found.to_frame("correlations").iloc[0]
    assert math.isnan(row["correlation_people"])
    assert "do alike on every item" in row["reason"]
    assert set(found.to_frame("items")["verdict"]) == {"not separated"}
    assert "NaN" not in found.to_json()


def test_one_person_one_item_one_model(both):
    found = people(both([[1]], [[0]]))
    assert rows(found, by="overall").loc["mean of people", "reason"]
    assert found.meta["warnings"] == ["Only 1 person answered: what one person reaches is not what people reach."]
    assert "NaN" not in found.to_json()


def test_controls_are_no_models_and_the_stated_kind_counts(both):
    counts = both([[1, 1]], [[0, 0], [1, 1]])
    units = counts.units.assign(condition=["default", "choices-only", "default"], kind=["human", "model", "model"])
    found = people(counts.with_units(units))
    assert rows(found, by="overall").loc["mean of models", "estimate"] == 1
    assert rows(found, by="overall").loc["best person", "n_models"] == 1


def test_who_answered_few_items_is_not_the_best(both):
    nan = math.nan
    found = people(both([[1, nan, nan, nan], [1, 1, 0, 0]], [[1, 1, 1, 1]]))
    assert rows(found, by="overall").loc["best person", "unit"] == "r1 (human)"


@pytest.mark.parametrize("given", [{"level": 1.5}, {"denominator": "all"}, {"draws": 10}, {"by": "colour"}])
def test_wrong_parameters_are_refused(both, given):
    with pytest.raises(UsageError):
        people(both([[1, 0]], [[1, 0]]), **given)


def test_the_public_verb_sees_people(both):
    assert isinstance(counts := both([[1, 0, 1]], [[1, 1, 1]]), Counts)
    assert cs.people(counts).summary["n_people"] == 1

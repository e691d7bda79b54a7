"""Calibration: scikit-learn's values, hand values, recovery of what was planted, size, and bad input."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp, softmax

from click_stats.counts import STATUSES, Counts
from click_stats.errors import UsageError
from click_stats.responses import RESPONSE_COLUMNS, Responses
from click_stats.results import Result
from click_stats.stats.calibration import calibration, reliability
from click_stats.stats.calibration.forecasts import NO_RESPONSES, equal_items, forecasts
from click_stats.stats.calibration.measures import decomposition, measures, spiegelhalter
from click_stats.stats.calibration.selective import area, curve
from click_stats.stats.calibration.temperature import ALL_RIGHT, FLAT, NOT_POSITIVE, temperature

ORACLE = Path(__file__).parents[1] / "oracles" / "calibration"
DRAWS = 199


def counts_of_scores(
    scores, gold, *, item=None, n_options=None, cluster=None, unit=None, prediction=None, category=None
):
    """Counts with one response per row of ``scores`` (T, K); ``gold`` and ``n_options`` by item."""
    scores = np.asarray(scores, dtype=float)
    item = np.arange(len(scores)) if item is None else np.asarray(item)
    gold = np.asarray(gold)
    n_items = gold.size
    n_options = np.full(n_items, scores.shape[1]) if n_options is None else np.asarray(n_options)
    unit = np.zeros(len(scores), dtype=int) if unit is None else np.asarray(unit)
    top = np.nan_to_num(scores, nan=-np.inf).argmax(axis=1)
    prediction = top if prediction is None else np.asarray(prediction)
    replicate = pd.DataFrame({"u": unit, "i": item}).groupby(["u", "i"]).cumcount().to_numpy()
    frame = pd.DataFrame(
        {
            "unit": unit, "item": item, "wording": "1", "rotation": 0, "replicate": replicate, "prediction": prediction,
            "position": prediction, "gold_position": gold[item], "correct": prediction == gold[item],
        },
        columns=list(RESPONSE_COLUMNS),
    )  # fmt: skip
    keys = [f"i{k}" for k in range(n_items)]
    items = pd.DataFrame(
        {
            "category": ["A"] * n_items if category is None else category, "domain": "D", "source": "s",
            "n_options": n_options, "gold": gold, "cluster": keys if cluster is None else [f"c{c}" for c in cluster],
        },
        index=pd.Index(keys, name="item"),
    )  # fmt: skip
    n_units = int(unit.max(initial=0)) + 1
    options = np.zeros((n_units, n_items, scores.shape[1]), dtype=np.int64)
    named = prediction >= 0
    np.add.at(options, (unit[named], item[named], prediction[named]), 1)
    stored = np.zeros((n_units, n_items, len(STATUSES)), dtype=np.int64)
    np.add.at(stored[:, :, 0], (unit, item), 1)
    names = [f"m{k}" for k in range(n_units)]
    units = pd.DataFrame({"model": names, "condition": "default", "protocol": ""}, index=pd.Index(names, name="unit"))
    categories = tuple(dict.fromkeys(items["category"]))
    return Counts(
        units, items, options, stored, stored.sum(axis=2), None, categories, ("D",), {}, Responses(frame, scores)
    )


def calibrated(n, rng, *, spread=2.0, sharp=1.0, n_options=4, trials=1, noise=0.0):
    """Scores and golds: the right option of an item follows softmax of its logits; scores are ``sharp`` times those."""
    logits = rng.normal(0, spread, (n, n_options))
    p = softmax(logits, axis=1)
    gold = (p.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    item = np.repeat(np.arange(n), trials)
    scores = sharp * logits[item] + noise * rng.normal(0, 1, (n * trials, n_options))
    return scores - logsumexp(scores, axis=1, keepdims=True), gold, item


def forecasts_of(*arguments, **settings):
    counts = counts_of_scores(*arguments, **settings)
    codes = pd.factorize(counts.items["cluster"])[0].astype(np.int64)
    return forecasts(counts, codes)[0][0]


@pytest.fixture(scope="module")
def oracle():
    data = pd.read_csv(ORACLE / "input.csv")
    expected = json.loads((ORACLE / "expected.json").read_text(encoding="utf-8"))
    return data.filter(like="score").to_numpy(), data["gold"].to_numpy(), expected


def test_scores_and_bins_are_those_of_scikit_learn(oracle):
    scores, gold, expected = oracle
    result = calibration(counts_of_scores(scores, gold), draws=DRAWS)
    found = result.to_frame().set_index("measure")
    assert found.loc["Brier score", "estimate"] == pytest.approx(expected["brier"], abs=1e-12)
    assert found.loc["log score", "estimate"] == pytest.approx(expected["log"], abs=1e-12)
    bins = result.to_frame("bins")
    assert bins["estimate"].to_numpy() == pytest.approx(np.array(expected["accuracy_by_bin"]), abs=1e-12)
    assert bins["confidence"].to_numpy() == pytest.approx(np.array(expected["confidence_by_bin"]), abs=1e-12)
    gap = np.abs(np.array(expected["accuracy_by_bin"]) - np.array(expected["confidence_by_bin"]))
    ece = float((gap * bins["n_trials"].to_numpy(dtype=float)).sum() / len(gold))
    assert result.to_frame("errors")["ece"].iloc[0] == pytest.approx(ece, abs=1e-12)


def test_the_parts_of_the_brier_score_are_those_of_scikit_learns_isotonic_regression(oracle):
    scores, gold, expected = oracle
    split = decomposition(forecasts_of(scores, gold))
    assert split.score == pytest.approx(expected["brier_top"], abs=1e-12)
    assert split.miscalibration == pytest.approx(expected["brier_top"] - expected["recalibrated"], abs=1e-9)
    assert split.discrimination == pytest.approx(expected["base_rate"] - expected["recalibrated"], abs=1e-9)
    assert split.score == pytest.approx(split.miscalibration - split.discrimination + split.uncertainty, abs=1e-12)


def test_by_hand():
    scores = np.log([[0.7, 0.1, 0.1, 0.1], [0.4, 0.3, 0.2, 0.1]])
    found = calibration(counts_of_scores(scores, [0, 1]), draws=DRAWS).to_frame().set_index("measure")
    assert found.loc["Brier score", "estimate"] == pytest.approx(((0.09 + 0.03) + (0.16 + 0.49 + 0.04 + 0.01)) / 2)
    assert found.loc["log score", "estimate"] == pytest.approx(-(np.log(0.7) + np.log(0.3)) / 2)
    assert found.loc["confidence", "estimate"] == pytest.approx(0.55)
    assert found.loc["overconfidence", "estimate"] == pytest.approx(0.05)
    assert found.loc["Brier score", "uniform"] == pytest.approx(0.75)
    assert found.loc["log score", "uniform"] == pytest.approx(np.log(4))


def test_every_item_weighs_the_same_however_often_it_was_tried():
    scores = np.log([[0.7, 0.1, 0.1, 0.1]] * 3 + [[0.4, 0.3, 0.2, 0.1]])
    counts = counts_of_scores(scores, [0, 1], item=[0, 0, 0, 1])
    found = calibration(counts, draws=DRAWS).to_frame().set_index("measure")
    assert found.loc["confidence", "estimate"] == pytest.approx(0.55)
    assert equal_items(np.array([0, 0, 0, 1])) == pytest.approx([1 / 6, 1 / 6, 1 / 6, 1 / 2])


@pytest.mark.parametrize(("n", "stated"), [(41, 0.133), (280, 0.055), (1995, 0.022)])
def test_a_calibrated_model_shows_a_calibration_error(n, stated):
    # Ten bins from 1/4; within 10 % of the values measured once: they hang on how the confidences lie.
    rng = np.random.default_rng(1)
    nulls, shown = [], []
    for seed in range(30):
        scores, gold, _ = calibrated(n, rng, spread=2.75)
        found = forecasts_of(scores, gold)
        bins = reliability.bins_of(found, 10, "rescaled")
        nulls.append(reliability.null_of(found, bins, 0.95, 100, seed).errors.mean())
        shown.append(bins.error)
    assert np.mean(nulls) == pytest.approx(stated, rel=0.1)
    error = np.std(shown) / np.sqrt(len(shown))
    assert np.mean(shown) == pytest.approx(np.mean(nulls), abs=4 * error)


def test_bins_start_at_one_over_n_and_items_of_different_n_are_kept_apart_or_rescaled():
    scores = np.full((4, 5), -np.inf)
    scores[0, :4] = np.log([0.26, 0.25, 0.245, 0.245])
    scores[1, :4] = np.log([0.97, 0.01, 0.01, 0.01])
    scores[2] = np.log([0.21, 0.2, 0.2, 0.2, 0.19])
    scores[3] = np.log([0.96, 0.01, 0.01, 0.01, 0.01])
    found = forecasts_of(np.where(np.isinf(scores), np.nan, scores), [0, 0, 0, 0], n_options=[4, 4, 5, 5])
    both = reliability.bins_of(found, 10, "rescaled")
    assert both.code.tolist() == [0, 9, 0, 9]
    assert both.n_options.tolist() == [0] * 10
    apart = reliability.bins_of(found, 10, "separate")
    assert apart.code.tolist() == [0, 9, 10, 19]
    assert apart.low[[0, 10]] == pytest.approx([0.25, 0.2])
    assert apart.high[[9, 19]] == pytest.approx([1, 1])
    assert found.probability[0] == pytest.approx([0.26, 0.25, 0.245, 0.245, 0])


def test_the_bivariate_normal_is_that_of_scipy():
    a, b = np.array([-1.2, 0.0, 0.4, 1.5]), np.array([-0.3, 0.0, 1.4, 1.5])
    for rho in (0.2, 0.7, 0.98):
        normal = stats.multivariate_normal([0, 0], [[1, rho], [rho, 1]])
        expected = [normal.cdf([x, y]) - stats.norm.cdf(x) * stats.norm.cdf(y) for x, y in zip(a, b, strict=True)]
        assert reliability._joint(a, b, rho) == pytest.approx(np.array(expected), abs=2e-6)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_the_correlation_of_answers_to_one_item_is_recovered(rho):
    rng = np.random.default_rng(4)
    n, trials = 1500, 6
    item = np.repeat(np.arange(n), trials)
    confidence = rng.uniform(0.3, 0.95, n * trials)
    latent = np.sqrt(rho) * rng.standard_normal(n)[item] + np.sqrt(1 - rho) * rng.standard_normal(n * trials)
    hit = latent < stats.norm.ppf(confidence)
    scores = np.log(np.column_stack([confidence, *[(1 - confidence) / 3] * 3]))
    found = forecasts_of(scores, np.zeros(n, dtype=int), item=item)
    found = found.__class__(**{**vars(found), "hit": hit.astype(float)})
    bins = reliability.bins_of(found, 10, "rescaled")
    assert reliability.correlation_within(found, bins, 0) == pytest.approx(rho, abs=0.05)
    # The null keeps the margins: drawn answers are right as often as stated.
    null = reliability.null_of(found, bins, 0.95, 400, 0)
    assert (null.low[1:] < bins.confidence[1:]).all()
    assert (null.high[1:] > bins.confidence[1:]).all()


@pytest.mark.parametrize(("trials", "noise"), [(1, 0.0), (6, 0.0)])
def test_size_of_the_tests(trials, noise):
    # 120 calibrated data sets: 5 % expected, binomial error 2 %; the big run is benchmarks/calibration.py.
    rng = np.random.default_rng(7)
    rejected, spiegelhalter_rejected = 0, 0
    for seed in range(120):
        scores, gold, item = calibrated(120, rng, trials=trials, noise=noise)
        found = forecasts_of(scores, gold, item=item)
        bins = reliability.bins_of(found, 10, "rescaled")
        rejected += reliability.p_of(bins.error, reliability.null_of(found, bins, 0.95, DRAWS, seed)) < 0.05
        spiegelhalter_rejected += spiegelhalter(found).p_value < 0.05
    assert rejected / 120 <= 0.11
    assert spiegelhalter_rejected / 120 <= 0.11


def test_an_overconfident_model_is_separated_and_the_error_is_recovered_without_bias():
    rng = np.random.default_rng(5)
    found = []
    for seed in range(40):
        scores, gold, _ = calibrated(150, rng, sharp=2.5)
        found.append(calibration(counts_of_scores(scores, gold), draws=DRAWS, seed=seed).to_frame("errors").iloc[0])
    rows = pd.DataFrame(found)
    assert (rows["verdict"] == "separated").mean() > 0.9
    scores, gold, _ = calibrated(60_000, rng, sharp=2.5)
    large = forecasts_of(scores, gold)
    bins = reliability.bins_of(large, 10, "rescaled")
    truth = float((bins.weight * bins.gap**2).sum())
    squares = rows["rms_debiased"] ** 2
    assert squares.mean() == pytest.approx(truth, abs=4 * squares.std() / np.sqrt(40))
    assert rows["ece"].mean() > bins.error  # the plain error is biased upwards


def test_the_area_is_the_mean_accuracy_over_all_coverages():
    rng = np.random.default_rng(2)
    scores, gold, _ = calibrated(200, rng)
    found = forecasts_of(scores, gold)
    hits = found.hit[np.argsort(-found.confidence)]
    accuracy = hits.cumsum() / np.arange(1, 201)
    # The integral between two answers is not the sum at the answers; on a fine grid both agree.
    grid = (np.arange(200_000) + 0.5) / 200_000
    steps = np.minimum((grid * 200).astype(int), 199)
    before = np.concatenate([[0], hits.cumsum()])[steps]
    exact = ((before + (grid * 200 - steps) * hits[steps]) / (grid * 200)).mean()
    assert area(found).estimate == pytest.approx(exact, abs=1e-4)
    rows = curve(found, 0.95)
    assert [row["estimate"] for row in rows] == pytest.approx(accuracy[9::10], abs=1e-12)
    assert rows[-1]["kept"] == 1


def test_ties_in_confidence_share_their_accuracy():
    scores = np.log([[0.7, 0.1, 0.1, 0.1]] * 4)
    found = forecasts_of(scores, [0, 0, 1, 1])
    assert area(found).estimate == pytest.approx(0.5)
    assert [row["estimate"] for row in curve(found, 0.95)] == pytest.approx([0.5] * 20)


def test_the_error_of_the_area_is_that_of_the_jackknife():
    rng = np.random.default_rng(3)
    scores, gold, item = calibrated(250, rng, trials=3, noise=0.5)
    found = forecasts_of(scores, gold, item=item)
    less_one = [area(found.of(np.delete(np.arange(250), i))).estimate for i in range(250)]
    jackknife = np.sqrt(249 / 250 * ((less_one - np.mean(less_one)) ** 2).sum())
    assert area(found).std_error == pytest.approx(jackknife, rel=0.05)


def test_temperature_is_the_maximum_of_the_likelihood_and_recovered():
    rng = np.random.default_rng(6)
    scores, gold, _ = calibrated(2000, rng, sharp=1.6)
    found = forecasts_of(scores, gold)
    best = temperature(found, 0.95, 0)

    def loss(log_t):
        s = scores / np.exp(log_t)
        return (logsumexp(s, axis=1) - s[np.arange(2000), gold]).mean()

    expected = minimize_scalar(loss, bounds=(-3, 3), method="bounded", options={"xatol": 1e-10})
    assert best.value == pytest.approx(np.exp(expected.x), rel=1e-5)
    assert best.low < 1.6 < best.high
    assert best.gain.estimate == pytest.approx(loss(0) - expected.fun, abs=0.002)
    assert best.n_folds == 10


def test_the_interval_of_the_temperature_covers():
    rng = np.random.default_rng(8)
    inside = 0
    for seed in range(150):
        scores, gold, item = calibrated(120, rng, sharp=1.4, trials=2)
        best = temperature(forecasts_of(scores, gold, item=item), 0.95, seed)
        inside += best.low <= 1.4 <= best.high
    assert inside / 150 == pytest.approx(0.95, abs=0.06)


def test_boundaries_of_the_temperature_are_undefined_with_a_reason():
    right = np.log([[0.7, 0.1, 0.1, 0.1]] * 8)
    assert temperature(forecasts_of(right, [0] * 8), 0.95, 0).reason == ALL_RIGHT
    assert temperature(forecasts_of(right, [1] * 8), 0.95, 0).reason == NOT_POSITIVE
    flat = np.full((8, 4), np.log(0.25))
    assert temperature(forecasts_of(flat, [0] * 8), 0.95, 0).reason == FLAT
    impossible = np.array([[0.0, -1.0, -2.0, -np.inf]] * 8)
    found = temperature(forecasts_of(impossible, [3] * 8), 0.95, 0)
    assert found.reason == "the right option has probability 0 in 8 trials: no temperature makes it possible"
    assert np.isnan([found.value, found.low, found.high]).all()


def test_brier_and_log_intervals_cover_in_a_small_simulation():
    rng = np.random.default_rng(9)
    inside = {"Brier score": 0, "log score": 0}
    whole = calibrated(200_000, rng, sharp=1.5, spread=1.5)
    p = np.exp(whole[0])
    gold = whole[1]
    right = p[np.arange(len(gold)), gold]
    truth = {"Brier score": ((p**2).sum(axis=1) - 2 * right + 1).mean(), "log score": -np.log(right).mean()}
    for _ in range(200):
        scores, golds, item = calibrated(100, rng, sharp=1.5, spread=1.5, trials=2)
        found = {one.name: one.interval for one in measures(forecasts_of(scores, golds, item=item), 0.95)}
        for name, value in truth.items():
            inside[name] += found[name].low <= value <= found[name].high
    for name, number in inside.items():
        assert number / 200 == pytest.approx(0.95, abs=0.05), name


def test_percentiles_only_from_1000_items():
    rng = np.random.default_rng(10)
    scores, gold, _ = calibrated(999, rng)
    few = calibration(counts_of_scores(scores, gold), draws=DRAWS).to_frame("errors").iloc[0]
    assert np.isnan(few["ece_low"])
    assert "under 1,000 items" in few["reason"]
    scores, gold, _ = calibrated(1000, rng)
    row = calibration(counts_of_scores(scores, gold), draws=DRAWS).to_frame("errors").iloc[0]
    assert 0 < row["ece_low"] < row["ece_high"]
    assert row["reason"] == ""


def test_the_same_seed_gives_the_same_bytes_and_scores_may_be_shifted():
    rng = np.random.default_rng(11)
    scores, gold, item = calibrated(60, rng, trials=3, noise=0.3)
    first = calibration(counts_of_scores(scores, gold, item=item), draws=DRAWS, seed=3)
    again = calibration(counts_of_scores(scores, gold, item=item), draws=DRAWS, seed=3)
    assert first.to_json() == again.to_json()
    shifted = calibration(counts_of_scores(scores + 2.5, gold, item=item), draws=DRAWS, seed=3)
    pd.testing.assert_frame_equal(first.to_frame(), shifted.to_frame(), atol=1e-10)
    assert shifted.to_frame("trials")["n_unnormalised"].iloc[0] == 180
    assert any("unnormalised" in text for text in shifted.meta["warnings"])


def test_the_order_of_options_and_of_rows_does_not_matter():
    rng = np.random.default_rng(14)
    scores, gold, _ = calibrated(80, rng, sharp=2)
    first = calibration(counts_of_scores(scores, gold), draws=DRAWS)
    order = np.array([2, 0, 3, 1])
    turned = calibration(counts_of_scores(scores[:, order], np.argsort(order)[gold]), draws=DRAWS)
    for name, table in first.tables.items():
        pd.testing.assert_frame_equal(turned.to_frame(name), table, rtol=1e-9, atol=1e-9)
    rows = rng.permutation(80)
    mixed = calibration(counts_of_scores(scores[rows], gold[rows]), draws=DRAWS)
    pd.testing.assert_frame_equal(mixed.to_frame(), first.to_frame(), atol=1e-12)
    pd.testing.assert_frame_equal(mixed.to_frame("selective"), first.to_frame("selective"), atol=1e-12)
    assert mixed.to_frame("errors")["ece"].iloc[0] == pytest.approx(first.to_frame("errors")["ece"].iloc[0])


def test_too_few_draws_for_the_models_are_said():
    rng = np.random.default_rng(15)
    scores, gold, _ = calibrated(12, rng)
    for units, warned in ((9, False), (10, True)):
        counts = counts_of_scores(
            np.tile(scores, (units, 1)), gold, item=np.tile(np.arange(12), units), unit=np.repeat(np.arange(units), 12)
        )
        warnings = calibration(counts, draws=199).meta["warnings"]
        assert any("raise draws" in text for text in warnings) == warned


def test_the_order_of_units_and_groups():
    rng = np.random.default_rng(12)
    scores, gold, _ = calibrated(40, rng)
    both = np.vstack([scores, 2 * scores - logsumexp(2 * scores, axis=1, keepdims=True)])
    counts = counts_of_scores(
        both, gold, item=np.tile(np.arange(40), 2), unit=np.repeat([0, 1], 40), category=["A", "B"] * 20
    )
    result = calibration(counts, by=["overall", "category"], draws=DRAWS)
    errors = result.to_frame("errors")
    assert errors[["unit", "group"]].to_numpy().tolist() == [
        ["m0", "all items"], ["m1", "all items"], ["m0", "A"], ["m1", "A"], ["m0", "B"], ["m1", "B"]
    ]  # fmt: skip
    assert errors["n_items"].tolist() == [40, 40, 20, 20, 20, 20]
    adjusted = errors["p_adjusted"].to_numpy()
    assert (adjusted >= errors["p_value"].to_numpy()).all()
    assert result.summary["n_units"] == 2


def test_without_scores_it_steps_aside(counts_of):
    with pytest.raises(UsageError, match="log-probabilities"):
        calibration(counts_of([[1, 0, 1]]))
    counts = counts_of_scores(np.full((3, 4), np.nan), [0, 1, 2], prediction=[0, 1, 1])
    for scores in (counts.responses.scores, None):
        bare = Responses(counts.responses.frame, scores)
        result = calibration(Counts(**{**vars(counts), "responses": bare}))
        assert result.meta["reason"] == NO_RESPONSES
        assert result.meta["warnings"] == [NO_RESPONSES]
        assert all(not len(result.tables[name]) for name in result.tables if name != "trials")
        assert result.to_frame("trials")["reason"].tolist() == ["no log-probabilities"]
        assert Result.from_dict(json.loads(result.to_json())).to_json() == result.to_json()


def test_unusable_scores_are_left_out_and_counted():
    scores = np.log(np.full((7, 4), 0.1)) + np.array([1.0, 0, 0, 0])
    scores[1, 2] = np.nan
    scores[2] = np.nan
    scores[3, 1] = np.inf
    scores[4] = -np.inf
    scores[5, 3] = -np.inf  # a possible forecast: one option excluded
    result = calibration(counts_of_scores(scores, [0, 0, 0, 0, 0, 3, 1], prediction=[0, 0, 0, 0, 0, 0, 2]), draws=DRAWS)
    account = result.to_frame("trials").iloc[0]
    assert account[["n_trials", "n_scored", "n_no_score", "n_incomplete", "n_not_finite"]].tolist() == [7, 3, 1, 1, 2]
    assert account[["n_zero_gold", "n_disagree"]].tolist() == [1, 1]
    assert account["reason"] == "answers differ from the likeliest option in 1 of 3 trials"
    found = result.to_frame().set_index("measure")
    assert np.isnan(found.loc["log score", "estimate"])
    assert (
        found.loc["log score", "reason"] == "the right option has probability 0 in 1 trials: the log score is infinite"
    )
    assert found.loc["Brier score", "estimate"] > 0
    assert any("4 of 7 trials have no finite log-probability" in text for text in result.meta["warnings"])
    assert "NaN" not in result.to_json()


def test_a_unit_without_scores_stands_beside_one_with_scores():
    rng = np.random.default_rng(13)
    scores, gold, _ = calibrated(30, rng)
    both = np.vstack([scores, np.full_like(scores, np.nan)])
    counts = counts_of_scores(
        both, gold, item=np.tile(np.arange(30), 2), unit=np.repeat([0, 1], 30), prediction=[0] * 60
    )
    errors = calibration(counts, draws=DRAWS).to_frame("errors").set_index("unit")
    assert errors.loc["m1", "verdict"] == "not decided"
    assert errors.loc["m1", "reason"] == "no trial with usable log-probabilities"
    assert errors.loc["m0", "p_adjusted"] == errors.loc["m0", "p_value"]


@pytest.mark.parametrize("right", [0, 1])
def test_all_right_and_all_wrong(right):
    scores = np.log([[0.85, 0.05, 0.05, 0.05]] * 30)
    result = calibration(counts_of_scores(scores, [1 - right] * 30), draws=DRAWS)
    found = result.to_frame().set_index("measure")
    assert found.loc["accuracy of the likeliest option", "estimate"] == right
    assert np.isnan(found.loc["Brier score", "conf_low"])
    assert found.loc["Brier score", "reason"]
    errors = result.to_frame("errors").iloc[0]
    assert errors["ece"] == pytest.approx(abs(0.85 - right))
    # 30 right answers of 30 stated at 85 % are rare (p about .01); 30 wrong ones are impossible.
    assert errors["p_value"] <= 0.05
    assert np.isnan(errors["p_spiegelhalter"])
    assert np.isnan(result.to_frame("temperature")["temperature"].iloc[0])


@pytest.mark.parametrize("trials", [1, 4])
def test_one_item(trials):
    scores = np.log([[0.7, 0.1, 0.1, 0.1]] * trials)
    result = calibration(counts_of_scores(scores, [0], item=[0] * trials), draws=DRAWS)
    found = result.to_frame().set_index("measure")
    assert found.loc["confidence", "estimate"] == pytest.approx(0.7)
    assert found["conf_low"].isna().all()
    assert (found["reason"] != "").all()
    errors = result.to_frame("errors").iloc[0]
    assert np.isnan(errors["rms_debiased"])
    assert errors["verdict"] == ("not separated" if trials == 1 else "not decided")


def test_a_tie_takes_the_option_that_was_answered():
    scores = np.log([[0.4, 0.4, 0.1, 0.1]] * 2)
    found = forecasts_of(scores, [1, 1], prediction=[1, 0])
    assert found.top.tolist() == [1, 0]
    assert found.hit.tolist() == [1, 0]


@pytest.mark.parametrize(
    "settings",
    [{"bins": 1}, {"scale": "log"}, {"level": 1}, {"draws": 50}, {"seed": -1}, {"by": "macro"}, {"by": "nothing"}],
)
def test_wrong_settings_are_named(settings):
    with pytest.raises(UsageError):
        calibration(counts_of_scores(np.log([[0.7, 0.1, 0.1, 0.1]] * 2), [0, 1]), **settings)


def test_too_few_columns_are_named():
    with pytest.raises(UsageError, match="fewer columns"):
        calibration(counts_of_scores(np.log([[0.5, 0.5]]), [0], n_options=[4]))

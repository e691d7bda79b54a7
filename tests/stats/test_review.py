"""Error rates from a review: hand values, coverage by simulation, and what is missing says why."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from click_stats.stats.review import Population, review
from click_stats.stats.review.rates import Sampled, rate, stratified


def score_interval(p, n, level=0.95):
    """Wilson's interval, solved by hand from its quadratic equation."""
    z2 = stats.norm.isf((1 - level) / 2) ** 2
    roots = np.roots([1 + z2 / n, -2 * p - z2 / n, p * p])
    return sorted(float(root) for root in roots.real)


def judged(flagged, good, flags=("r",)):
    rows = [("flagged", code, flags) for code in flagged] + [("not flagged", code, ()) for code in good]
    return pd.DataFrame(
        [
            {
                "item": f"C/{k}",
                "stratum": stratum,
                "flags": own,
                "code": code,
                "answer_given": "A",
                "decided": "agreed" if code else "pending",
            }
            for k, (stratum, code, own) in enumerate(rows)
        ]
    )


POPULATION = Population(100, 900, {"r": 100})


def test_a_large_population_gives_the_plain_wilson_interval():
    found = rate(Sampled(3, 40, 10**9), 0.95)
    np.testing.assert_allclose([found.low, found.high], score_interval(3 / 40, 40), atol=1e-6)
    assert found.std_error == pytest.approx(math.sqrt(3 / 40 * 37 / 40 / 39))


def test_a_finite_population_narrows_it_and_all_read_leaves_nothing_to_estimate():
    found = rate(Sampled(3, 40, 80), 0.95)
    np.testing.assert_allclose([found.low, found.high], score_interval(3 / 40, 40 * 79 / 40), atol=1e-12)
    whole = rate(Sampled(3, 40, 40), 0.95)
    assert (whole.estimate, whole.low, whole.high, whole.std_error) == (3 / 40, 3 / 40, 3 / 40, 0.0)
    assert whole.flag


def test_strata_are_weighted_by_their_items():
    parts = [Sampled(20, 50, 100), Sampled(1, 50, 900)]
    found = stratified(parts, 0.95)
    assert found.estimate == pytest.approx(0.1 * 0.4 + 0.9 * 0.02)
    lows, highs = zip(*[score_interval(0.4, 50 * 99 / 50), score_interval(0.02, 50 * 899 / 850)], strict=True)
    assert found.low == pytest.approx(found.estimate - math.hypot(0.1 * (0.4 - lows[0]), 0.9 * (0.02 - lows[1])))
    assert found.high == pytest.approx(found.estimate + math.hypot(0.1 * (highs[0] - 0.4), 0.9 * (highs[1] - 0.02)))


def test_intervals_of_the_benchmark_cover_the_share_of_its_defective_items():
    rng = np.random.default_rng(5)
    flagged, other = rng.permutation(np.arange(100) < 40), rng.permutation(np.arange(900) < 27)
    truth = (40 + 27) / 1000
    runs, hits = 2000, 0
    for _ in range(runs):
        a, b = rng.choice(flagged, 50, replace=False).sum(), rng.choice(other, 60, replace=False).sum()
        found = stratified([Sampled(int(a), 50, 100), Sampled(int(b), 60, 900)], 0.95)
        hits += found.low <= truth <= found.high
    assert 0.93 < hits / runs < 0.985  # nominal 0.95; Monte Carlo error 0.005, the score interval is a little wide


def test_what_a_review_gives():
    codes = ["wrong key"] * 12 + ["outdated"] * 8 + ["fine"] * 30
    found = review(judged(codes, ["several correct"] + ["fine"] * 49), POPULATION)
    rows = found.to_frame().set_index(["stratum", "defect"])
    any_, key = "any defect", "key not the one right answer"
    assert rows.loc[("flagged", any_), "estimate"] == pytest.approx(0.4)
    assert rows.loc[("flagged", key), "estimate"] == pytest.approx(0.24)
    assert rows.loc[("not flagged", any_), "estimate"] == pytest.approx(0.02)
    assert rows.loc[("all items", any_), "estimate"] == pytest.approx(0.1 * 0.4 + 0.9 * 0.02)
    assert rows.loc[("all items", any_), "n_items_total"] == 1000
    rules = found.to_frame("rules").set_index("defect")
    assert rules.loc[any_, "estimate"] == pytest.approx(0.4)
    assert found.to_frame("codes").set_index("code").loc["wrong key", "n_flagged_items"] == 12
    assert found.summary["estimate"] == pytest.approx(0.058)
    assert "NaN" not in found.to_json()


def test_an_open_item_leaves_its_shares_missing_with_the_reason():
    found = review(judged(["wrong key", None], ["fine", "fine"]), POPULATION)
    rows = found.to_frame().set_index(["stratum", "defect"])
    assert rows.loc[("flagged", "any defect"), "reason"] == "1 of these items await adjudication"
    assert math.isnan(rows.loc[("all items", "any defect"), "estimate"])
    assert rows.loc[("not flagged", "any defect"), "estimate"] == 0
    assert found.summary["estimate"] is None
    assert found.summary["n_open"] == 1
    assert any("await adjudication" in text for text in found.meta["warnings"])
    json.loads(found.to_json())


def test_rules_and_strata_of_which_nothing_was_read_say_so():
    found = review(judged(["fine"], []), Population(1, 0, {"r": 1, "s": 4}))
    rows = found.to_frame().set_index(["stratum", "defect"])
    assert rows.loc[("not flagged", "any defect"), "reason"] == "no item of this kind was reviewed"
    assert rows.loc[("all items", "any defect"), "estimate"] == 0
    rules = found.to_frame("rules").set_index(["flag_rule", "defect"])
    assert rules.loc[("s", "any defect"), "reason"] == "no item of this kind was reviewed"


def test_agreement_is_that_of_the_ratings():
    ratings = pd.DataFrame({"a": ["fine", "fine", "outdated", "fine"], "b": ["fine", "fine", "outdated", "outdated"]})
    found = review(judged(["fine"] * 2, ["fine"] * 2), POPULATION, {"judgement": ratings}, draws=200).to_frame(
        "agreement"
    )
    fleiss = found[found["measure"] == "Fleiss' kappa"].iloc[0]
    observed, share = 0.75, 3 / 8
    expected = share**2 + (1 - share) ** 2
    assert fleiss["estimate"] == pytest.approx((observed - expected) / (1 - expected))

"""Scale and corpus on cells: both tests, their sizes, and what happens when there is nothing to test."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from click_stats.errors import DataError, UsageError
from click_stats.stats.anova import anova
from click_stats.stats.anova.cells import CORPUS, JOINT, SCALE
from click_stats.stats.anova.checks import kruskal, levene, normality, tukey, welch
from click_stats.stats.anova.design import covariate, factor
from click_stats.stats.anova.effects import effects, noncentrality_interval, share_interval
from click_stats.stats.anova.linear import Linear
from click_stats.stats.anova.power import detectable, pattern, power_of
from click_stats.stats.anova.size import sizes
from click_stats.stats.anova.strata import Strata, nested

SIZES = (1.3, 3.8, 5.8, 12.8, 13.0)
QUICK = {"draws": 200}


def _strata(rng, sizes_=SIZES, k=11, model_sd=0.02, cell_sd=0.03, slope=0.0, drop=()):
    x = np.log10(np.asarray(sizes_, dtype=float))
    level = slope * x + rng.normal(0, model_sd, len(x))
    y = 0.4 + rng.normal(0, 0.1, k) + level[:, None] + rng.normal(0, cell_sd, (len(x), k))
    cells = [(m, c) for m in range(len(x)) for c in range(k) if (m, c) not in drop]
    term = covariate("log10_params", [x[m] for m, _ in cells])
    values = np.array([y[cell] for cell in cells])
    return Strata(values, [f"c{c:02}" for _, c in cells], [f"m{m:02}" for m, _ in cells], (term,))


def _counts(counts_of, sizes_=SIZES, corpus=None, tuned=None, family=None, k=4, per=10, seed=0, **more):
    rng = np.random.default_rng(seed)
    share = np.clip(0.5 + rng.normal(0, 0.1, (len(sizes_), 1)) + rng.normal(0, 0.15, (1, k * per)), 0.05, 0.95)
    found = counts_of(rng.binomial(12, share), 12, category=[f"C{j}" for j in range(k) for _ in range(per)], **more)
    units = found.units.assign(
        parameters=list(sizes_),
        korean_corpus=corpus or [None] * len(sizes_),
        tuned=tuned or [None] * len(sizes_),
        family=family or [None] * len(sizes_),
    )
    return found.with_units(units)


def _row(result, design, unit="models", term=None):
    frame = result.to_frame()
    frame = frame[(frame["design"] == design) & (frame["test_unit"] == unit) & (frame["term"] != "category")]
    return (frame if term is None else frame[frame["term"] == term]).iloc[-1]


# ---- the test that counts models


def test_with_complete_cells_the_test_between_models_is_the_regression_of_their_means():
    strata = _strata(np.random.default_rng(1))
    means = pd.Series(strata.y).groupby(list(strata.model)).mean().to_numpy()
    fit = sm.OLS(means, sm.add_constant(np.log10(SIZES))).fit()
    test = strata.tests(2)[1]
    np.testing.assert_allclose([test.statistic, test.p_value], [fit.fvalue, fit.f_pvalue], rtol=1e-9)
    estimate, error, low, high = strata.slope("log10_params")
    np.testing.assert_allclose([estimate, error], [fit.params[1], fit.bse[1]], rtol=1e-9)
    np.testing.assert_allclose([low, high], fit.conf_int()[1], rtol=1e-9)
    assert strata.spread == pytest.approx(11)
    assert (strata.cells.df_residual, strata.df_models) == (43, 3)


def test_categories_are_tested_within_models():
    strata = _strata(np.random.default_rng(2))
    data = pd.DataFrame({"y": strata.y, "c": strata.category, "m": strata.model})
    fit = sm.formula.ols("y ~ C(c) + C(m)", data).fit()
    expected = sm.stats.anova_lm(fit, typ=2)
    assert strata.tests(3)[0].statistic == pytest.approx(expected.loc["C(c)", "F"], rel=1e-9)


def test_the_test_between_models_keeps_its_level_and_the_one_on_cells_does_not():
    """400 data sets without effect: 5 % give or take three standard errors, against far more."""
    rng = np.random.default_rng(3)
    drop = {(0, 1), (0, 2), (3, 7), (4, 4)}
    for missing in ((), drop):
        cells, models = [], []
        for _ in range(400):
            strata = _strata(rng, drop=missing)
            cells.append(strata.cells.tests(2)[1].p_value < 0.05)
            models.append(strata.tests(2)[1].p_value < 0.05)
        assert abs(np.mean(models) - 0.05) < 3 * np.sqrt(0.05 * 0.95 / 400)
        assert np.mean(cells) > 0.2


def test_the_variance_of_models_and_its_interval_are_right_in_simulation():
    rng = np.random.default_rng(4)
    found = [_strata(rng).variance() for _ in range(400)]
    ms = np.array([[v.cell_sd**2, v.model_sd**2] for v in found])
    assert ms[:, 0].mean() == pytest.approx(0.03**2, rel=0.03)
    inside = np.mean([v.low / v.cell_sd <= 0.02 / 0.03 <= v.high / v.cell_sd for v in found])
    assert abs(inside - 0.95) < 3 * np.sqrt(0.95 * 0.05 / 400)


def test_levels_within_families_are_tested_where_families_have_several_models():
    outer, inner = ["a", "a", "a", "b", "b", "c"], [1, 2, 3, 1, 5, 7]
    term = nested("size within family", outer, inner)
    assert term.columns.shape == (6, 3)
    assert term.columns.sum(axis=0).tolist() == [0, 0, 0]
    assert np.linalg.matrix_rank(np.hstack([np.ones((6, 1)), factor("family", outer).columns, term.columns])) == 6


# ---- size


def _exact_size(ratio, k, df_models, df_within, alpha=0.05):
    """Size of the test on cells in a complete design with one coefficient, by integration over both chi-squareds."""
    theta = 1 + k * ratio**2
    df = df_models + df_within
    critical = stats.f.ppf(1 - alpha, 1, df)

    grid = np.linspace(0, 1, 402)[1:-1]
    rest = theta * stats.chi2.ppf(grid, df_models)[:, None] + stats.chi2.ppf(grid, df_within)
    return float(stats.chi2.sf(critical * rest / df / theta, 1).mean())


@pytest.mark.parametrize("ratio", [0.0, 0.5, 1.0])
def test_simulated_size_is_the_exact_one(ratio):
    strata = _strata(np.random.default_rng(5))
    found = sizes(strata, "log10_params", [ratio], draws=20_000, seed=1)[0]
    assert found.cells == pytest.approx(_exact_size(ratio, 11, 3, 40), abs=4 * found.std_error + 0.002)
    assert abs(found.models - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 20_000)


def test_size_does_not_depend_on_the_accuracies():
    first, second = (_strata(np.random.default_rng(seed)) for seed in (6, 7))
    assert sizes(first, "log10_params", [0.7], draws=500) == sizes(second, "log10_params", [0.7], draws=500)


# ---- effect sizes and power


def test_the_interval_of_the_share_leaves_the_tails_it_should():
    low, high = noncentrality_interval(9.0, 2, 40, 0.9)
    assert stats.ncf.sf(9.0, 2, 40, low) == pytest.approx(0.05, abs=1e-8)
    assert stats.ncf.cdf(9.0, 2, 40, high) == pytest.approx(0.05, abs=1e-8)
    assert share_interval(0.3, 1, 43, 55)[0] == 0
    assert all(np.isnan(share_interval(float("nan"), 1, 43, 55)))


def test_the_interval_of_the_share_covers_in_simulation():
    rng = np.random.default_rng(8)
    n, f_sq = 40, 0.25
    x = np.repeat([-1.0, 1.0], n // 2)
    hits = 0
    for _ in range(300):
        model = Linear(np.sqrt(f_sq) * x + rng.standard_normal(n), (covariate("x", x),))
        test = model.tests(2)[0]
        size = effects(test.sum_sq, 1, model.ss_residual, model.df_residual, model.ss_total, n)
        hits += size.share_low <= f_sq / (1 + f_sq) <= size.share_high
    assert abs(hits / 300 - 0.95) < 3 * np.sqrt(0.95 * 0.05 / 300)


def test_power_of_a_slope_is_that_of_the_t_test():
    strata = _strata(np.random.default_rng(9))
    signal = pattern(strata, "log10_params").signal
    assert signal == pytest.approx(11 * ((np.log10(SIZES) - np.log10(SIZES).mean()) ** 2).sum())
    shift = 0.05 * np.sqrt(signal / 0.01)
    t = stats.t.ppf(0.975, 3)
    expected = stats.nct.sf(t, 3, shift) + stats.nct.cdf(-t, 3, shift)
    assert power_of(0.05, signal, 0.01, 1, 3) == pytest.approx(expected, rel=1e-6)
    found = detectable(signal, 0.01, 1, 3)
    assert power_of(found, signal, 0.01, 1, 3) == pytest.approx(0.8, abs=1e-6)
    assert np.isnan(power_of(0.05, signal, 0.01, 1, 0))
    assert np.isnan(detectable(1e-9, 1.0, 1, 3))


def test_power_of_a_factor_is_that_of_the_level_hardest_to_find():
    corpus = ["a"] * 4 + ["b"] * 3 + ["c"]
    cells = [(m, c) for m in range(8) for c in range(3)]
    strata = Strata(
        np.random.default_rng(0).random(24), [str(c) for _, c in cells], [str(m) for m, _ in cells],
        (factor("corpus", [corpus[m] for m, _ in cells]),),
    )  # fmt: skip
    assert pattern(strata, "corpus").signal == pytest.approx(3 * 1 * (1 - 1 / 8))


# ---- the analysis


def test_five_models_in_eleven_categories_have_43_and_three_degrees_of_freedom(counts_of):
    found = anova(_counts(counts_of, k=11), **QUICK)
    cells, models = (_row(found, SCALE, unit) for unit in ("cells", "models"))
    assert (cells["df"], cells["df_residual"], models["df"], models["df_residual"]) == (1, 43, 1, 3)
    assert cells["note"] == (
        "Cells of one model share that model's level; F(1,43) treats 5 models as 55 independent observations. "
        "The model-level test is F(1,3)."
    )
    assert cells["verdict"] == "not decided"
    assert models["verdict"] in {"separated", "not separated"}
    assert 0 <= cells["sim_size"] <= 1
    corpus = anova(_counts(counts_of, (*SIZES, 7), ["x", "y"] * 3, k=11), factor="corpus", **QUICK)
    assert _row(corpus, CORPUS, "cells")["df_residual"] == 54
    assert _row(corpus, CORPUS)["df_residual"] == 4


def test_the_cell_is_the_mean_item_score_and_the_slope_is_per_tenfold(counts_of):
    counts = counts_of(np.repeat([[2], [4], [6], [8]], 8, axis=1), 10, category=["A"] * 4 + ["B"] * 4)
    right = counts.options.copy()
    right[0, 0, :2], right[1, 5, :2], right[2, 6, :2] = (3, 7), (3, 7), (7, 3)
    counts = type(counts)(
        counts.units.assign(parameters=[1.0, 10.0, 100.0, 1000.0]), counts.items, right, counts.statuses,
        counts.planned, None, counts.categories, counts.domains,
    )  # fmt: skip
    found = anova(counts, factor="scale", **QUICK)
    assert found.to_frame("cells")["estimate"].tolist()[:4] == pytest.approx([0.225, 0.2, 0.4, 0.375])
    assert _row(found, SCALE)["estimate"] == pytest.approx(0.2, abs=0.005)


def test_the_types_of_sums_of_squares_agree_where_the_design_is_balanced(counts_of):
    counts = _counts(counts_of)
    found = [_row(anova(counts, factor="scale", ss_type=t, **QUICK), SCALE)["f_statistic"] for t in (1, 2, 3)]
    assert found == pytest.approx([found[0]] * 3)
    corpus = ["x", "x", "x", "y", "y", "y", "x"]
    counts = _counts(counts_of, (*SIZES, 2, 4), corpus)
    first, second = (_row(anova(counts, ss_type=t, **QUICK), JOINT, term="log10_params")["sum_sq"] for t in (1, 2))
    assert first != pytest.approx(second, rel=1e-3)  # size and corpus are not orthogonal


def test_models_without_parameters_are_left_out_by_name(counts_of):
    found = anova(_counts(counts_of, (*SIZES, float("nan"))), factor="scale", **QUICK)
    models = found.to_frame("models").set_index("unit")
    assert models["used"].tolist() == [True] * 5 + [False]
    assert models.loc["m5", "reason"] == "number of parameters unknown"
    assert _row(found, SCALE)["n_units"] == 5


def test_few_models_one_corpus_one_size_give_reasons_not_numbers(counts_of):
    nan = float("nan")
    few = anova(_counts(counts_of, (1, 2, 3, nan, nan), ["x"] * 5), **QUICK)
    assert _row(few, SCALE)["reason"].startswith("3 usable models with a known number of parameters")
    assert _row(few, CORPUS)["reason"] == "all models have one corpus: x"
    assert few.meta["reason"] == few.meta["warnings"][0] == f"No test of scale: {_row(few, SCALE)['reason']}."
    assert (few.to_frame()["verdict"] == "not decided").all()
    assert few.to_frame()["p_value"].isna().all()
    same = anova(_counts(counts_of, (7,) * 5), factor="scale", **QUICK)
    assert _row(same, SCALE)["reason"] == "all models have the same number of parameters"
    none = anova(_counts(counts_of, (nan,) * 5), **QUICK)
    assert "0 usable models with a known corpus" in " ".join(none.meta["warnings"])


def test_every_model_of_its_own_corpus_leaves_no_test_between_models(counts_of):
    found = anova(_counts(counts_of, corpus=list("abcde")), factor="corpus", **QUICK)
    row = _row(found, CORPUS)
    assert row["verdict"] == "not decided"
    assert row["reason"].startswith("no degrees of freedom between models")
    assert np.isnan(row["p_value"])
    assert np.isfinite(_row(found, CORPUS, "cells")["p_value"])


def test_size_and_corpus_that_fix_each_other_are_not_tested_together(counts_of):
    found = anova(_counts(counts_of, (1, 1, 9, 9, 9), list("xxyyy")), **QUICK)
    assert "fixed by one another" in _row(found, JOINT)["reason"]
    assert np.isfinite(_row(found, SCALE)["p_value"])
    with pytest.raises(DataError, match="fixed by the terms before it"):
        Linear(np.arange(5.0), (covariate("a", [1, 1, 9, 9, 9]), factor("b", list("xxyyy"))))


@pytest.mark.parametrize("share", [0, 12])
def test_all_right_or_all_wrong_is_undefined(counts_of, share):
    base = _counts(counts_of)
    counts = counts_of(np.full((5, 40), share), 12, category=list(base.items["category"]))
    counts = counts.with_units(base.units.set_index(counts.units.index))
    found = anova(counts, **QUICK)
    for unit in ("cells", "models"):
        row = _row(found, SCALE, unit)
        assert np.isnan(row["p_value"])
        assert row["reason"]
        assert row["verdict"] == "not decided"
    assert found.to_frame("spread")["reason"].all()
    assert "NaN" not in found.to_json()


def test_one_model_and_one_category_do_not_crash(counts_of):
    one = anova(_counts(counts_of, (7,), ["x"]), **QUICK)
    assert one.meta["reason"]
    flat = anova(_counts(counts_of, k=1, per=40), factor="scale", **QUICK)
    assert _row(flat, SCALE)["reason"] == "one category: cells need two or more"


def test_a_category_answered_by_half_leaves_out_the_model_or_the_cell(counts_of):
    base = _counts(counts_of)
    trials = np.full((5, 40), 12)
    trials[2, :7] = 0
    counts = counts_of(np.minimum(base.correct, trials), trials, category=list(base.items["category"]))
    counts = counts.with_units(base.units)
    whole = anova(counts, factor="scale", **QUICK)
    row = whole.to_frame("models").set_index("unit").loc["m2"]
    assert (bool(row["used"]), row["reason"]) == (False, "C0: answered 3 of 10 items, under half")
    part = anova(counts, factor="scale", incomplete="cell", **QUICK)
    assert _row(part, SCALE)["n_cells"] == 19
    assert bool(part.to_frame("models").set_index("unit").loc["m2", "used"])


def test_humans_and_further_conditions_are_no_further_models(counts_of):
    counts = _counts(counts_of, (*SIZES, 7, 8), names=["a", "b", "c", "d", "e", "f", "g"])
    units = counts.units.assign(kind=["model"] * 5 + ["human", "model"])
    units.loc["g", ["model", "condition"]] = ["a", "medium"]
    found = anova(counts.with_units(units), factor="scale", **QUICK).to_frame("models").set_index("unit")
    assert found["used"].tolist() == [True] * 5 + [False] * 2
    assert found["reason"].tolist()[5:] == ["not a model", "another condition of a model that is used"]


def test_what_goes_together_is_said(counts_of):
    corpus, tuned = list("xxxyyy"), ["no", "no", None, "yes", "yes", "yes"]
    counts = _counts(counts_of, (*SIZES, 7), corpus, tuned, list("ppqrrs"))
    said = " ".join(anova(counts, factor="corpus", **QUICK).to_frame("confounded")["note"])
    assert "Corpus goes together with instruction tuning" in said
    assert "Every family has one corpus" in said
    mixed = _counts(counts_of, (*SIZES, 7), corpus, ["no", "yes"] * 3, list("pqrpqr"))
    said = " ".join(anova(mixed, factor="corpus", **QUICK).to_frame("confounded")["note"])
    assert "instruction tuning" not in said
    assert "Every family" not in said


def test_a_margin_can_show_equivalence_and_nothing_else_does(counts_of):
    counts = _counts(counts_of)
    row = _row(anova(counts, factor="scale", **QUICK), SCALE)
    assert row["verdict"] == "not separated"
    wide = _row(anova(counts, factor="scale", margin=0.9, **QUICK), SCALE)
    assert (wide["verdict"], wide["margin"]) == ("equivalent", 0.9)
    assert _row(anova(counts, factor="scale", margin=0.001, **QUICK), SCALE)["verdict"] == "not separated"


def test_scale_within_families(counts_of):
    family = ["p", "p", "p", "q", "q"]
    line = anova(_counts(counts_of, family=family), factor="scale", scale="log10_params within family", **QUICK)
    assert _row(line, SCALE, term="log10_params")["df_residual"] == 2
    levels = anova(_counts(counts_of, family=family), factor="scale", scale="levels within family", **QUICK)
    row = _row(levels, SCALE, "cells", "size within family")
    assert (row["df"], row["df_residual"]) == (3, 20 - 1 - 3 - 1 - 3)
    assert _row(levels, SCALE, term="size within family")["reason"].startswith("no degrees of freedom between models")
    alone = anova(_counts(counts_of, family=list("pqrst")), factor="scale", scale="levels within family", **QUICK)
    assert _row(alone, SCALE)["reason"] == "no family has models of several sizes"


def test_contrasts_of_corpora_follow_tukey(counts_of):
    counts = _counts(counts_of, (*SIZES, 7), list("xxyyzz"))
    found = anova(counts, factor="corpus", **QUICK)
    means = found.to_frame("cells").groupby("unit")["estimate"].mean().to_numpy()
    expected = stats.tukey_hsd(means[:2], means[2:4], means[4:])
    frame = found.to_frame("contrasts")
    pairs = [(1, 0), (2, 0), (2, 1)]
    assert frame["estimate"].tolist() == pytest.approx(
        [means[2 * a : 2 * a + 2].mean() - means[2 * b : 2 * b + 2].mean() for a, b in pairs]
    )
    assert frame["p_adjusted"].tolist() == pytest.approx([expected.pvalue[pair] for pair in pairs], abs=1e-7)


def test_checks_that_cannot_be_made_say_why():
    assert levene(np.ones(4), [0, 0, 1, 1]).reason == "all values are equal"
    assert levene(np.arange(2.0), [0, 1]).reason
    assert normality(np.arange(2.0)).reason
    assert normality(np.ones(5)).reason
    assert welch(np.arange(3.0), [0, 0, 1]).reason
    assert welch(np.array([1.0, 1.0, 2.0, 3.0]), [0, 0, 1, 1]).reason == "a group without spread"
    assert kruskal(np.ones(3), [0, 0, 1]).reason == "all values are equal"
    assert kruskal(np.arange(3.0), [0, 0, 0]).reason == "one group"
    assert tukey(np.arange(2.0), [0, 1]) == []
    assert all(np.isnan(effects(1.0, 1, 0.0, 3, 1.0, 5)))


def test_the_same_seed_gives_the_same_bytes(counts_of):
    counts = _counts(counts_of, corpus=list("xxyyy"))
    assert anova(counts, seed=3, **QUICK).to_json() == anova(counts, seed=3, **QUICK).to_json()


@pytest.mark.parametrize(
    "wrong",
    [{"alpha": 0}, {"level": 1}, {"power": 2}, {"margin": 0}, {"effects": [2]}, {"draws": 5}, {"seed": -1}, {"ss_type": 4},
     {"models": ["nobody"]}],
)  # fmt: skip
def test_wrong_arguments_are_refused(counts_of, wrong):
    with pytest.raises(UsageError):
        anova(_counts(counts_of), **{**QUICK, **wrong})

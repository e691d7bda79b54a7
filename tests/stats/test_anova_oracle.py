"""The linear model against R (car): tests/oracles/anova."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from click_stats.stats.anova import checks
from click_stats.stats.anova.design import Term, covariate, factor, interaction
from click_stats.stats.anova.effects import effects
from click_stats.stats.anova.linear import Linear

FOLDER = Path(__file__).parent.parent / "oracles" / "anova"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
CELLS = {
    "cells_5x11": "input.csv",
    "cells_6x11": "input_6x11.csv",
    "cells_5x11_unbalanced": "input_5x11_unbalanced.csv",
}
ITEMS = ("items_two_way", "items_ancova", "items_one_way")


def _close(found, expected, p=False):
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    rtol = np.where(p & (expected < 1e-12), 1e-6, 1e-9)
    assert np.all(np.abs(found - expected) <= rtol * np.abs(expected)), (found, expected)


def _items():
    return pd.read_csv(FOLDER / "input_items.csv")


def _model(name, *, backwards=False):
    """The models of script.R; ``backwards`` in the order of its ``type1_reversed``."""
    if name in CELLS:
        data = pd.read_csv(FOLDER / CELLS[name])
        terms = [factor("category", data["category"]), covariate("log10_params", data["log10_params"])]
        return Linear(data["accuracy"].to_numpy(), tuple(terms[::-1] if backwards else terms))
    if name == "cells_5x11_model_as_factor":
        data = pd.read_csv(FOLDER / "input.csv")
        terms = (factor("category", data["category"]), factor("model", data["model"]))
        return Linear(data["accuracy"].to_numpy(), terms)
    data = _items()
    category, corpus = factor("category", data["category"]), factor("corpus", data["corpus"])
    params = covariate("log10_params", data["log10_params"])
    orders = {
        "items_two_way": (
            (category, corpus, interaction(category, corpus)),
            (corpus, category, interaction(corpus, category)),
        ),
        "items_ancova": (
            (category, corpus, params, interaction(category, corpus)),
            (params, corpus, category, interaction(corpus, category)),
        ),
        "items_one_way": ((category,), (category,)),
    }
    return Linear(data["score"].to_numpy(), orders[name][backwards])


def _check_table(model, tests, expected):
    n = len(model.y)
    assert [test.term for test in tests] == expected["terms"]
    assert [test.df for test in tests] == expected["df"]
    assert model.df_residual == expected["df_residual"]
    _close(model.ss_residual, expected["SS_residual"])
    _close([test.sum_sq for test in tests], expected["SS"])
    _close([test.statistic for test in tests], expected["F"])
    _close([test.p_value for test in tests], expected["p"], p=True)
    sizes = [effects(t.sum_sq, t.df, model.ss_residual, model.df_residual, model.ss_total, n) for t in tests]
    for ours, theirs in (
        ("eta_sq", "eta2"),
        ("eta_sq_partial", "partial_eta2"),
        ("omega_sq", "omega2"),
        ("omega_sq_partial", "partial_omega2"),
        ("epsilon_sq", "epsilon2"),
    ):
        _close([getattr(size, ours) for size in sizes], expected[theirs])


@pytest.mark.parametrize("name", [*CELLS, "items_two_way", "items_ancova"])
def test_all_types_of_sums_of_squares_equal_r(name):
    expected, model = EXPECTED[name], _model(name)
    assert len(model.y) == expected["n"]
    _close(model.ss_total, expected["SS_total"])
    _close(model.fit.rsquared, expected["r_squared"])
    _close(model.fit.rsquared_adj, expected["adj_r_squared"])
    _close(np.sqrt(model.fit.scale), expected["sigma"])
    names = _r_names(model)
    _close(model.fit.params, [expected["coef_contr_sum"][key] for key in names])
    _close(model.fit.bse, [expected["se_contr_sum"][key] for key in names])
    for ss_type in (1, 2, 3):
        _check_table(model, model.tests(ss_type), expected[f"type{ss_type}"])
    turned = _model(name, backwards=True)
    _check_table(turned, turned.tests(1), expected["type1_reversed"])
    robust, theirs = model.tests_hc3(), expected["type3_hc3"]
    assert ([t.term for t in robust], [t.df for t in robust]) == (theirs["terms"], theirs["df"])
    _close([t.statistic for t in robust], theirs["F"])
    _close([t.p_value for t in robust], theirs["p"], p=True)
    # Both use the approximation AS R94, whose polynomials amplify the rounding of residuals.
    np.testing.assert_allclose(checks.normality(model.fit.resid).p_value, expected["shapiro_p"], rtol=1e-6)


def _r_names(model):
    names = ["(Intercept)"]
    for term in model.terms:
        k = term.columns.shape[1]
        if term.name == "log10_params":
            names.append(term.name)
        elif ":" in term.name:
            names += [f"category{c + 1}:corpus1" for c in range(k)]
        else:
            names += [f"{term.name}{c + 1}" for c in range(k)]
    return names


@pytest.mark.parametrize("name", ["cells_5x11_model_as_factor", "items_one_way"])
def test_sequential_tables_equal_r(name):
    model = _model(name)
    _check_table(model, model.tests(1), EXPECTED[name])


def test_tests_between_groups_equal_r():
    data = _items()
    score, groups = data["score"].to_numpy(), list(data["category"])
    for ours, theirs, first in (
        (checks.welch(score, groups), EXPECTED["welch_one_way"], "F"),
        (checks.levene(score, groups), EXPECTED["levene_median"], "F"),
        (checks.kruskal(score, groups), EXPECTED["kruskal_wallis"], "H"),
    ):
        _close(ours.statistic, theirs[first])
        _close(ours.df, theirs.get("df1", theirs.get("df")))
        if "df2" in theirs:
            _close(ours.df_residual, theirs["df2"])
        _close(ours.p_value, theirs["p"], p=True)
    tukey, theirs = checks.tukey(score, groups), EXPECTED["tukey_hsd_category"]
    assert [f"{pair.second}-{pair.first}" for pair in tukey] == theirs["pair"]
    _close([pair.estimate for pair in tukey], theirs["diff"])
    # R's ptukey and qtukey are themselves good to about 1e-6 (their documentation); scipy integrates further.
    np.testing.assert_allclose([pair.low for pair in tukey], theirs["lwr"], rtol=0, atol=1e-6)
    np.testing.assert_allclose([pair.high for pair in tukey], theirs["upr"], rtol=0, atol=1e-6)
    np.testing.assert_allclose([pair.p_adjusted for pair in tukey], theirs["p_adj"], rtol=0, atol=1e-6)


def test_type_three_needs_sum_coding():
    """With treatment coding the "type III" test of a main effect is the one at the base level, and depends on it."""
    data, expected = _items(), EXPECTED["items_two_way"]["type3"]

    def treatment(name, values, base):
        levels = [base, *sorted(set(values) - {base})]
        columns = np.array([[value == level for level in levels[1:]] for value in values], dtype=float)
        return Term(name, columns, frozenset([name]))

    found = {}
    for base in ("no", "yes"):
        category, corpus = treatment("category", data["category"], "Economy"), treatment("corpus", data["corpus"], base)
        model = Linear(data["score"].to_numpy(), (category, corpus, interaction(category, corpus)))
        found[base] = [test.statistic for test in model.tests(3)]
        _close(found[base][2], expected["F"][2])  # the interaction does not depend on the coding
        assert abs(found[base][0] / expected["F"][0] - 1) > 0.05
    assert abs(found["no"][0] / found["yes"][0] - 1) > 0.05
    # Types I and II do not depend on the coding at all.
    _close([test.statistic for test in model.tests(2)], EXPECTED["items_two_way"]["type2"]["F"])

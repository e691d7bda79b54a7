"""Classes of evidence and verdicts, without any sampling."""

import numpy as np
import pytest

from click_stats.stats.bayes.evidence import (
    DISAGREE,
    FOR_EFFECT,
    FOR_NULL,
    WEAK,
    Rope,
    agreed,
    bayes_factor,
    over_priors,
    rope,
)

NEAR = {"distance": 0.5, "bound": 9.0, "effective": 5000.0}


@pytest.mark.parametrize(
    ("at_zero", "error", "kind"),
    [
        (3.2, 0.05, FOR_NULL),
        (3.2, 0.15, WEAK),  # twice the error reaches across 3
        (2.9, 0.0, WEAK),
        (1.0, 0.0, WEAK),
        (0.34, 0.0, WEAK),
        (0.30, 0.01, FOR_EFFECT),
        (0.30, 0.02, WEAK),
    ],
)
def test_classes_of_a_bayes_factor(at_zero, error, kind):
    found = bayes_factor(2 * at_zero, 2 * error, 2.0, **NEAR)
    assert found.evidence == kind
    assert found.value == pytest.approx(at_zero)
    assert found.error == pytest.approx(error)
    assert np.isnan(found.bound)


def test_far_from_0_there_is_only_a_bound():
    found = bayes_factor(1e-9, 0.0, 1.0, distance=2.6, bound=0.1, effective=5000.0)
    assert np.isnan(found.value)
    assert (found.bound, found.evidence) == (0.1, FOR_EFFECT)
    assert "bound" in found.reason
    assert bayes_factor(1e-9, 0.0, 1.0, distance=2.6, bound=0.5, effective=5000.0).evidence == WEAK
    assert np.isfinite(bayes_factor(0.2, 0.0, 1.0, distance=2.4, bound=0.1, effective=5000.0).value)


@pytest.mark.parametrize("effective", [3999.0, float("nan")])
def test_without_4000_effective_draws_there_is_no_bayes_factor(effective):
    found = bayes_factor(5.0, 0.0, 1.0, distance=0.1, bound=9.0, effective=effective)
    assert np.isnan([found.value, found.error, found.bound]).all()
    assert found.evidence == ""
    assert "4000" in found.reason


def test_priors_must_agree():
    assert agreed([FOR_NULL] * 3) == FOR_NULL
    assert agreed([FOR_NULL, FOR_NULL, WEAK]) == DISAGREE
    assert agreed([FOR_NULL, "", FOR_NULL]) == ""


@pytest.mark.parametrize(
    ("low", "high", "margin", "verdict"),
    [
        (-0.01, 0.015, 0.02, "equivalent"),
        (-0.03, 0.03, 0.02, "not decided"),  # half-width above the margin
        (0.005, 0.035, 0.02, "not decided"),  # across
        (0.025, 0.04, 0.02, "separated"),
        (0.10, 0.20, 0.02, "separated"),  # wide, but wholly beyond
        (-0.20, -0.021, 0.02, "separated"),
        (-0.01, 0.01, None, "not separated"),
        (0.001, 0.01, None, "separated"),
        (float("nan"), 0.01, 0.02, "not decided"),
    ],
)
def test_verdicts_of_an_interval(low, high, margin, verdict):
    assert rope(low, high, margin).verdict == verdict


def test_too_wide_an_interval_says_that_it_cannot_decide():
    assert rope(-0.03, 0.03, 0.02).reason.startswith("cannot decide")
    assert rope(0.005, 0.035, 0.02).reason == "the interval reaches across the margin"


def test_a_verdict_that_depends_on_the_prior_is_none():
    assert over_priors([Rope("equivalent"), Rope("equivalent"), Rope("separated")], 1).verdict == "not decided"
    assert over_priors([Rope("equivalent")] * 3, 1) == Rope("equivalent")

"""Tables of tests: coefficients, terms, marginal means and their differences."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from click_stats.errors import UsageError
from click_stats.stats.lmm.adjusted import FTest, kenward_roger, kenward_roger_test
from click_stats.stats.lmm.hypotheses import contrasts_of, means_of, terms_of
from click_stats.stats.lmm.satterthwaite import satterthwaite_df, satterthwaite_test
from click_stats.stats.tools.multiplicity import holm

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.lmm.fit import LmmFit
    from click_stats.stats.lmm.hypotheses import Kind

Method = Literal["satterthwaite", "kenward-roger"]
METHODS = ("satterthwaite", "kenward-roger")


def contrast_table(
    fit: LmmFit, contrasts: FloatArray, method: Method = "satterthwaite", *, level: float = 0.95
) -> pd.DataFrame:
    """Return estimate, standard error, t test and interval of each of (q, columns) contrasts.

    Parameters
    ----------
    fit
        A fit by REML.
    contrasts
        (q, columns) weights of the fixed effects.
    method
        ``satterthwaite`` (standard errors as fitted) or ``kenward-roger`` (adjusted ones).
    level
        Of the interval.

    Returns
    -------
    Frame of q rows: ``estimate, std_error, df, statistic, p_value, conf_low, conf_high``.
    """
    vcov, df = _inference(fit, contrasts, method)
    estimate = contrasts @ fit.beta
    error = np.sqrt(np.einsum("ij,jk,ik->i", contrasts, vcov, contrasts))
    statistic = estimate / error
    reach = stats.t.ppf(0.5 + level / 2, df) * error
    return pd.DataFrame(
        {
            "estimate": estimate,
            "std_error": error,
            "df": df,
            "statistic": statistic,
            "p_value": 2.0 * stats.t.sf(np.abs(statistic), df),
            "conf_low": estimate - reach,
            "conf_high": estimate + reach,
        }
    )


def _inference(fit: LmmFit, contrasts: FloatArray, method: Method) -> tuple[FloatArray, FloatArray]:
    """Return the covariance of the fixed effects and the degrees of freedom of each contrast."""
    _check(fit, method)
    if method == "satterthwaite":
        return fit.vcov, satterthwaite_df(fit, contrasts)
    adjusted = kenward_roger(fit)
    df = [kenward_roger_test(adjusted, fit.beta, row[None, :]).df for row in contrasts]
    return adjusted.vcov, np.array(df, dtype=np.float64)


def _check(fit: LmmFit, method: str) -> None:
    if method not in METHODS:
        raise UsageError(f"There are no degrees of freedom {method!r}.", found=", ".join(METHODS))
    if not fit.restricted:
        raise UsageError("Tests of fixed effects need a fit by REML.", do="Fit with restricted=True.")


def t_table(fit: LmmFit, method: Method = "satterthwaite", *, level: float = 0.95) -> pd.DataFrame:
    """Return the table of the coefficients, indexed by their names; columns as in :func:`contrast_table`."""
    found = contrast_table(fit, np.eye(len(fit.names)), method, level=level)
    return found.set_axis(pd.Index(fit.names, name="term"))


def f_table(fit: LmmFit, kind: Kind = "III", method: Method = "satterthwaite") -> pd.DataFrame:
    """Return the F test of each fixed term: ``statistic, df_num, df, p_value``, indexed by the terms.

    ``kind`` is the type, I, II or III (see :func:`~click_stats.stats.lmm.hypotheses.contrasts_of`).
    """
    if kind not in {"I", "II", "III"}:
        raise UsageError(f"There is no type {kind!r} of F table.", found="I, II, III")
    _check(fit, method)
    terms = terms_of(fit)
    adjusted = kenward_roger(fit) if method == "kenward-roger" else None
    tests = []
    for term in terms:
        contrasts = contrasts_of(fit, term, kind)
        tests.append(
            satterthwaite_test(fit, contrasts)
            if adjusted is None
            else kenward_roger_test(adjusted, fit.beta, contrasts)
        )
    return _f_rows(terms, tests)


def _f_rows(terms: list[str], tests: list[FTest]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "statistic": [test.statistic for test in tests],
            "df_num": [test.numerator for test in tests],
            "df": [test.df for test in tests],
            "p_value": [float(stats.f.sf(test.statistic, test.numerator, test.df)) for test in tests],
        },
        index=pd.Index(terms, name="term"),
    )


def joint_test(fit: LmmFit, terms: list[str], method: Method = "kenward-roger") -> FTest:
    """Test that all coefficients of the named terms are 0."""
    _check(fit, method)
    unknown = [term for term in terms if term not in terms_of(fit)]
    if unknown or not terms:
        raise UsageError("Name fixed terms to test.", found=", ".join(unknown), do=f"Choose from {terms_of(fit)}.")
    contrasts = np.eye(len(fit.names))[np.isin(fit.design.terms, terms)]
    if method == "satterthwaite":
        return satterthwaite_test(fit, contrasts)
    return kenward_roger_test(kenward_roger(fit), fit.beta, contrasts)


def marginal_means(fit: LmmFit, name: str, method: Method = "kenward-roger", *, level: float = 0.95) -> pd.DataFrame:
    """Return the estimated marginal mean of each level of a categorical column, indexed by level.

    Numeric predictors stand at their mean, those of two values halfway between them; levels of other categorical
    ones have equal weight.
    """
    levels, contrasts = means_of(fit, name)
    return contrast_table(fit, contrasts, method, level=level).set_axis(pd.Index(levels, name=name))


def pairwise(fit: LmmFit, name: str, method: Method = "kenward-roger", *, level: float = 0.95) -> pd.DataFrame:
    """Return the differences of the marginal means of all pairs of levels.

    Returns
    -------
    Frame with ``level, other`` (the difference is the first minus the second), the columns of :func:`contrast_table`
    (intervals of single differences) and ``p_tukey`` (studentized range over all levels; Tukey and Kramer) and
    ``p_holm``.
    """
    levels, contrasts = means_of(fit, name)
    pairs = list(combinations(range(len(levels)), 2))
    found = contrast_table(fit, np.array([contrasts[i] - contrasts[j] for i, j in pairs]), method, level=level)
    found.insert(0, "level", [levels[i] for i, _ in pairs])
    found.insert(1, "other", [levels[j] for _, j in pairs])
    spread = np.sqrt(2.0) * found["statistic"].abs().to_numpy()
    found["p_tukey"] = stats.studentized_range.sf(spread, len(levels), found["df"].to_numpy())
    found["p_holm"] = holm(found["p_value"].to_numpy())
    return found


class LikelihoodRatio(NamedTuple):
    """Chi-squared statistic, degrees of freedom and p-value."""

    statistic: float
    df: int
    p_value: float


def likelihood_ratio(small: LmmFit, big: LmmFit) -> LikelihoodRatio:
    """Compare two nested fits by maximum likelihood, or by REML when their fixed effects are the same.

    The p-value is that of chi-squared; for a variance, which lies on the boundary under the hypothesis, it is too
    large (about twice for one variance; Self and Liang 1987).
    """
    if small.restricted != big.restricted or small.n_rows != big.n_rows:
        raise UsageError("Both fits must be of the same rows and by the same likelihood.")
    if small.restricted and set(small.names) != set(big.names):
        raise UsageError(
            "Restricted likelihoods compare only with the same fixed effects.", do="Fit both with restricted=False."
        )
    df = big.n_parameters - small.n_parameters
    if df <= 0 or not (set(small.names) <= set(big.names) and set(small.random) <= set(big.random)):
        raise UsageError("The second fit must hold all effects of the first, and more.")
    statistic = max(0.0, 2.0 * (big.loglik - small.loglik))
    return LikelihoodRatio(statistic, df, float(stats.chi2.sf(statistic, df)))

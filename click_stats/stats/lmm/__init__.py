"""Linear mixed models by REML: crossed and nested random intercepts, any number of them.

:func:`~click_stats.stats.lmm.fit.fit_lmm` fits a table, the functions of :mod:`click_stats.stats.lmm.tables` test and
compare its fixed effects, :func:`~click_stats.stats.lmm.components.variance_components` splits scores into variances.
``docs/methods/linear_mixed.md`` has the formulas.
"""

from click_stats.stats.glmm.maximise import ConvergenceError
from click_stats.stats.lmm.adjusted import FTest, kenward_roger
from click_stats.stats.lmm.components import VarianceComponents, variance_components
from click_stats.stats.lmm.fit import LmmFit, fit_lmm
from click_stats.stats.lmm.tables import (
    contrast_table,
    f_table,
    joint_test,
    likelihood_ratio,
    marginal_means,
    pairwise,
    t_table,
)

__all__ = [
    "ConvergenceError",
    "FTest",
    "LmmFit",
    "VarianceComponents",
    "contrast_table",
    "f_table",
    "fit_lmm",
    "joint_test",
    "kenward_roger",
    "likelihood_ratio",
    "marginal_means",
    "pairwise",
    "t_table",
    "variance_components",
]

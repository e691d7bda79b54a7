"""Linear mixed models by REML: crossed and nested random intercepts, any number of them.

:func:`~click_stats.stats.lmm.components.variance_components` splits scores into variance components.
"""

from click_stats.stats.glmm.maximise import ConvergenceError
from click_stats.stats.lmm.components import VarianceComponents, variance_components

__all__ = ["ConvergenceError", "VarianceComponents", "variance_components"]

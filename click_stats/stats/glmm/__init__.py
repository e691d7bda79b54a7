"""Logistic mixed model on counts of correct trials: items and models random, the Laplace likelihood.

:func:`~click_stats.stats.glmm.fit.fit` is the entry; ``docs/methods/mixed.md`` has the formulas.
"""

from click_stats.stats.glmm.data import GlmmData, GlmmSpec
from click_stats.stats.glmm.fit import fit
from click_stats.stats.glmm.maximise import ConvergenceError
from click_stats.stats.glmm.predict import Prediction, predict
from click_stats.stats.glmm.result import GlmmFit
from click_stats.stats.glmm.separation import Separation

__all__ = ["ConvergenceError", "GlmmData", "GlmmFit", "GlmmSpec", "Prediction", "Separation", "fit", "predict"]

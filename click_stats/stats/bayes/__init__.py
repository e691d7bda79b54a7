"""The mixed model by Markov chain Monte Carlo: size and corpus with priors that are shown, and evidence for no effect.

:func:`~click_stats.stats.bayes.analysis.bayes` is the entry; ``docs/methods/bayes.md`` has the formulas. PyMC, ArviZ
and nutpie are imported when something is sampled, never before.
"""

from click_stats.stats.bayes.analysis import bayes

__all__ = ["bayes"]

"""Analysis of variance on cells model x category: scale and corpus.

design, linear      terms in sum coding; least squares with types I, II, III and HC3
effects, checks     effect sizes and their interval; residuals, unequal variances, ranks
strata, size        tests that count cells and tests that count models; how often each errs
cells, confounding  which models a design uses; what goes together with what
power, claim        power for stated effects; what a scale claim could have rested on
analysis            the analysis
"""

from click_stats.stats.anova.analysis import anova
from click_stats.stats.anova.claim import Claim, Spread, claim_power

__all__ = ["Claim", "Spread", "anova", "claim_power"]

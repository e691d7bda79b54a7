"""From logits to percentage points, averaged over the answers at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

if TYPE_CHECKING:
    from click_stats.counts import FloatArray


def in_points(effect: float, fitted: FloatArray) -> float:
    """Return the average change of the probability of a correct answer when logits change by ``effect``.

    The change is taken evenly about each cell's fitted probability p: mean of
    expit(logit p + b/2) - expit(logit p - b/2), an average marginal effect over a finite step. It rises with b, so the
    ends of an interval in logits become the ends of an interval in points; that the p are estimated is not in it.

    Parameters
    ----------
    effect
        Logits; NaN stays NaN.
    fitted
        (cells,) fitted probabilities.

    Returns
    -------
    float
        Share between -1 and 1.
    """
    with np.errstate(divide="ignore"):
        place = logit(fitted)
    return float(np.mean(expit(place + effect / 2) - expit(place - effect / 2)))

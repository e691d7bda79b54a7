"""A quick fit without hierarchy: where the answers alone put models and items, and how firmly.

The sampler measures effects from there (``docs/methods/bayes.md``); the model itself does not depend on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray

LEAST_ABOUT = 1e-3
"""Information that a part is taken to have at least."""


class Rough(NamedTuple):
    """The quick fit of M models, I items and G groups of items.

    Attributes
    ----------
    level_alone, ease_alone
        (M,) level of each model and (I,) ease of each item in logits, without any prior.
    group_alone
        (M, G) deviation of a model in a group of items.
    about
        (M, I) information about the logit of each cell.
    """

    level_alone: FloatArray
    ease_alone: FloatArray
    group_alone: FloatArray
    about: FloatArray


def rough(correct: FloatArray, trials: IntArray, group: IntArray) -> Rough:
    """Fit levels and eases by Newton steps, with weak normal priors so that all right or all wrong stays finite.

    Parameters
    ----------
    correct, trials
        (M, I) counts.
    group
        (I,) code of the group of an item.
    """
    level, ease = np.zeros(correct.shape[0]), np.zeros(correct.shape[1])
    for _ in range(30):
        p = special.expit(level[:, None] + ease)
        ease += ((correct - trials * p).sum(axis=0) - ease) / ((trials * p * (1.0 - p)).sum(axis=0) + 1.0)
        ease -= ease.mean()
        p = special.expit(level[:, None] + ease)
        level += ((correct - trials * p).sum(axis=1) - level / 9.0) / ((trials * p * (1.0 - p)).sum(axis=1) + 1.0 / 9.0)
    p = special.expit(level[:, None] + ease)
    left, about = correct - trials * p, np.maximum(trials * p * (1.0 - p), LEAST_ABOUT)
    member = np.eye(int(group.max()) + 1)[group]
    # One step from the fit with a prior to that without, so that what is shrunk here is not shrunk twice.
    alone = ease + left.sum(axis=0) / about.sum(axis=0)
    return Rough(level, alone, (left @ member) / (about @ member), about)

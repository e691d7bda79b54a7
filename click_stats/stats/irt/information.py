"""What items tell about an ability: information, and the standard error it leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

if TYPE_CHECKING:
    from click_stats.counts import FloatArray

MOST_CELLS = 4_000_000
"""Cells of the table of abilities by items that are held at a time."""


def item_information(
    ability: FloatArray,
    difficulty: FloatArray,
    discrimination: FloatArray | float = 1.0,
    floor: FloatArray | float = 0.0,
) -> FloatArray:
    """Return the (R, I) information of one answer to each item at each of R abilities.

    Parameters
    ----------
    ability
        (R,) abilities in logits.
    difficulty, discrimination, floor
        (I,) each, or one value: P(right) = floor + (1 - floor) / (1 + exp(-discrimination (ability - difficulty))).

    Notes
    -----
    Birnbaum (1968): a² ((P - c)/(1 - c))² (1 - P)/P, which is a² P (1 - P) without a floor.
    """
    slope = np.asarray(discrimination, dtype=np.float64)
    chance = np.asarray(floor, dtype=np.float64)
    own = expit(slope * (ability[:, None] - difficulty))
    found: FloatArray = slope**2 * own**2 * (1 - chance) * (1 - own) / (chance + (1 - chance) * own)
    return found


def total_information(
    ability: FloatArray,
    difficulty: FloatArray,
    discrimination: FloatArray | float = 1.0,
    floor: FloatArray | float = 0.0,
    trials: FloatArray | float = 1.0,
) -> FloatArray:
    """Return the (R,) information of all items, each answered ``trials`` times ((I,) or one value), in pieces.

    Trials of an item are taken as independent given the ability.
    """
    n_items = difficulty.size
    arrays = [np.broadcast_to(np.asarray(one, dtype=np.float64), n_items) for one in (discrimination, floor, trials)]
    step = max(1, MOST_CELLS // max(n_items, 1))
    parts = [
        item_information(ability[start : start + step], difficulty, arrays[0], arrays[1]) @ arrays[2]
        for start in range(0, ability.size, step)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def standard_error(information: FloatArray, prior_sd: float = np.inf) -> FloatArray:
    """Return the standard error of an ability with this information: of the ML estimate, or with a normal prior.

    Infinite information would be 0; no information without a prior is no estimate: NaN.
    """
    precision = information + (0.0 if np.isinf(prior_sd) else prior_sd**-2)
    found = np.full(np.shape(precision), np.nan)
    np.divide(1.0, np.sqrt(precision), out=found, where=precision > 0)
    return found

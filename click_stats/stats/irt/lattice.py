"""Means over the abilities of many models, from values at a few common levels.

What an answer says depends on a model's level only through smooth functions of it. They are worked out at the nodes of
a lattice and interpolated between them, so that the answers of all models enter as sums with fixed weights, and the
work on an item's grid does not grow with the number of models. This is the idea of Bock and Aitkin (1981) with
interpolation in place of quadrature: the nodes need not lie within the posterior of a model, however narrow it is.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.irt.abilities import Abilities
    from click_stats.stats.irt.item_grid import ItemPrior

SPACING, STEEP = 0.4, 1.5
"""Distance of nodes in logits, for an item so many prior standard deviations steeper than most: exact to 1e-5."""
DEGREE, MARGIN = 5, 3
ABILITY_NODES = 7
"""Gauss-Hermite nodes over an ability."""


class Lattice(NamedTuple):
    """Equally spaced levels (Q,), as distances from the mean difficulty of a category, and splines between them.

    Attributes
    ----------
    nodes
        (Q,) in logits.
    knots, cardinal
        Of the splines; (Q, Q) coefficients of those that are 1 at one node and 0 at all others.
    """

    nodes: FloatArray
    knots: FloatArray
    cardinal: FloatArray

    def weights(self, mean: FloatArray, variance: FloatArray) -> FloatArray:
        """Return (U, Q) weights whose products with a function's values at the nodes are its means.

        Parameters
        ----------
        mean, variance
            (U,) of the normal distributions that are averaged over, as distances from the mean difficulty.
        """
        root, weight = _hermite(ABILITY_NODES)
        places = mean[:, None] + np.sqrt(variance)[:, None] * root
        basis = BSpline.design_matrix(places.ravel(), self.knots, DEGREE)  # DEGREE + 1 entries in every row
        entries = basis.data.reshape(*places.shape, -1) * weight[:, None]
        rows = np.arange(len(mean) + 1) * entries[0].size
        averaged = csr_array((entries.ravel(), basis.indices, rows), (len(mean), self.nodes.size))
        found: FloatArray = averaged.toarray() @ self.cardinal
        return found


def lattice(abilities: Abilities, prior: ItemPrior, category: IntArray) -> Lattice:
    """Return nodes that span the levels of all models; ``category`` (G,) is the category of each leaf."""
    reach = _hermite(ABILITY_NODES)[0][-1] * np.sqrt(abilities.leaf_var)
    level = abilities.leaf - prior.means[category]
    step = SPACING / np.exp(STEEP * prior.slope_sd)
    first = np.floor((level - reach).min() / step) - MARGIN
    last = np.ceil((level + reach).max() / step) + MARGIN
    nodes = step * np.arange(first, last + 1)
    spline = make_interp_spline(nodes, np.eye(nodes.size), k=DEGREE)
    return Lattice(nodes, spline.t, spline.c)


@cache
def _hermite(n: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of the mean over a standard normal variable."""
    root, weight = np.polynomial.hermite_e.hermegauss(n)
    return root, weight / weight.sum()


class Curve(NamedTuple):
    """Probability of a right answer, logs of it and of its complement, and d log(p / (1 - p)) / d logit; any shape."""

    p: FloatArray
    log_right: FloatArray
    log_wrong: FloatArray
    slope: FloatArray


def curve(logit: FloatArray, floor: float) -> Curve:
    """Return floor + (1 - floor) / (1 + exp(-logit)) and what derives from it; plain exp and log, which are fastest."""
    logit = np.clip(logit, -300.0, 300.0)
    e = np.exp(-logit)
    log_sum = np.log(1.0 + e)
    s = 1.0 / (1.0 + e)
    log_wrong = -logit - log_sum
    if floor == 0.0:
        return Curve(s, -log_sum, log_wrong, np.ones_like(s))
    p = floor + (1.0 - floor) * s
    return Curve(p, np.log(p), log_wrong + np.log1p(-floor), s / p)

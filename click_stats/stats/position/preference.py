"""How much a model prefers each displayed position, whatever stands there, and its accuracy without that."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special

if TYPE_CHECKING:
    import pandas as pd

    from click_stats.counts import FloatArray, IntArray

STEPS, CLOSE = 100, 1e-9
NUDGE = 1e-4
"""Step of the numerical derivative of the adjusted accuracy."""


class Preference(NamedTuple):
    """Preferences of one model for the positions of items with N options, on the logarithmic scale.

    Attributes
    ----------
    weights
        (N,) log weights of the positions; they add up to 0.
    influence
        (I, N) what each item contributes to the error of the weights; columns add up to 0.
    n_pairs
        Pairs of answers that bear on them.
    """

    weights: FloatArray
    influence: FloatArray
    n_pairs: int


def preference(places: IntArray, item: IntArray, n_items: int) -> Preference:
    """Estimate the preferences from complete rotations.

    Parameters
    ----------
    places
        (B, N) displayed position chosen at each rotation of a block; -1 where no option was named.
    item
        (B,) row number of the block's item, below ``n_items``.

    Notes
    -----
    At rotation r a model chooses the option o at position p with probability proportional to exp(u_o + w_p): content
    times position, as Zheng et al. (2024) split probabilities. Of two answers of a block, o at p and o' at p', the
    exchanged pair (o' where it stood in the first, q, and o where it stood in the second, q') has the same content, so
    that given both options the pair was seen this way round with probability
    1/(1 + exp(-(w_p + w_p' - w_q - w_q'))): u cancels, as in conditional logistic regression (Chamberlain 1980). The
    product over pairs is maximised as a composite likelihood (Lindsay 1988) with Jeffreys' penalty, which keeps the
    weights finite when every exchange goes one way (Firth 1993). Pairs of one item depend on each other: ``influence``
    are the items' scores over the information.
    """
    n = places.shape[1]
    first, second = np.triu_indices(n, 1)
    p, q = places[:, first], places[:, second]
    option = (places + np.arange(n)) % n
    shift = (option[:, second] - option[:, first]) % n
    block, pair = np.nonzero((p >= 0) & (q >= 0) & (shift > 0))
    p, q, shift = p[block, pair], q[block, pair], shift[block, pair]
    unit = np.eye(n)
    x = (unit[p] + unit[q] - unit[(p + shift) % n] - unit[(q - shift) % n])[:, : n - 1]
    kinds, code, times = np.unique(x, axis=0, return_inverse=True, return_counts=True)
    w = np.zeros(n - 1)
    information = np.zeros((n - 1, n - 1))
    for _ in range(STEPS if len(x) else 0):
        chance = special.expit(kinds @ w)
        spread = times * chance * (1 - chance)
        information = kinds.T @ (kinds * spread[:, None])
        inverse = np.linalg.pinv(information, hermitian=True)
        leverage = ((kinds @ inverse) * kinds).sum(axis=1) * spread
        step = inverse @ (kinds.T @ (times * (1 - chance) + leverage * (0.5 - chance)))
        w = w + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < CLOSE:
            break
    scores = np.zeros((n_items, n - 1))
    if len(x):
        np.add.at(scores, item[block], (kinds * (1 - special.expit(kinds @ w))[:, None])[code.ravel()])
    whole = np.vstack([np.eye(n - 1), np.zeros(n - 1)])
    centred = whole - whole.mean(axis=0)
    influence = (scores - scores.mean(axis=0)) @ np.linalg.pinv(information, hermitian=True) @ centred.T
    return Preference(centred @ w, influence, len(x))


def adjusted(places: IntArray, item: IntArray, gold: IntArray, found: Preference) -> FloatArray:
    """Return (I,) values whose mean is the accuracy without preference and whose spread holds the error of the weights.

    Parameters
    ----------
    places, item
        As in :func:`preference`.
    gold
        (I,) right option.

    Notes
    -----
    An answer at position p counts exp(-w_p): summed over the orders, the weights of the options then stand to each
    other as exp(u_o), so that the share of the right one estimates the accuracy of the same content without any
    preference. As a ratio of small sums it is biased; the jackknife over the item's answers removes the first order
    (Quenouille 1956). Answers that name no option stay wrong. With R_i(w) the item's value, the value returned is
    R_i + (sum_j dR_j/dw)' (influence of item i on w).
    """
    value = _ratios(places, item, gold, found.weights)
    slope = np.array(
        [
            (
                _ratios(places, item, gold, found.weights + NUDGE * unit)
                - _ratios(places, item, gold, found.weights - NUDGE * unit)
            ).sum()
            / (2 * NUDGE)
            for unit in np.eye(len(found.weights))
        ]
    )
    linearised: FloatArray = value + found.influence @ slope
    return linearised


def _ratios(places: IntArray, item: IntArray, gold: IntArray, weights: FloatArray) -> FloatArray:
    n = places.shape[1]
    asked = np.bincount(item, minlength=len(gold)) * n
    block, rotation = np.nonzero(places >= 0)
    place, of = places[block, rotation], item[block]
    w = np.exp(-weights[place])
    y = w * ((place + rotation) % n == gold[of])
    named, total, right = (np.bincount(of, part, minlength=len(gold)) for part in (np.ones(len(w)), w, y))
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = right / total
        without = np.where(named[of] > 1, (right[of] - y) / (total[of] - w), 0.0)
        jackknifed = named * ratio - (named - 1) / named * np.bincount(of, without, minlength=len(gold))
        found: FloatArray = np.where(named > 0, jackknifed * named / asked, 0.0)
    return found


def blocks(whole: pd.DataFrame) -> tuple[IntArray, IntArray]:
    """Return (B, N) positions by rotation, and (B,) items, of complete blocks with one number of options."""
    ordered = whole.sort_values(["block", "rotation"], kind="stable")
    n = int(ordered["n_options"].iloc[0])
    places = ordered["position"].to_numpy(dtype=np.int64).reshape(-1, n)
    return places, ordered["item"].to_numpy(dtype=np.int64).reshape(-1, n)[:, 0]

"""Ways to choose k items from the answers of training models, and the weights with which they stand for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage

from click_stats.stats.short_forms.scale import Scale, scale_of

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray

RANDOM, STRATIFIED, INFORMATION, CLUSTERING = "random", "stratified", "information", "clustering"
STRATEGIES = (RANDOM, STRATIFIED, INFORMATION, CLUSTERING)
DRAWN = (RANDOM, STRATIFIED)
"""Strategies that draw items without looking at answers: their mean needs no calibration."""
TIES = 0
"""Seed of the order in which equally near items are taken: the order of the benchmark would favour its head."""
MOST_CLUSTERED = 8000
"""Items beyond which the distances between all of them do not fit in memory."""


class Form(NamedTuple):
    """Chosen items (k,), as positions among all, and their weights (k,), which sum to 1."""

    items: IntArray
    weights: FloatArray


@dataclass(frozen=True)
class Bank:
    """What a form is chosen from.

    Attributes
    ----------
    scores
        (U, I) item scores of the training models, complete.
    correct, trials
        (U, I) the counts they come from.
    floor
        (I,) chance level of each item.
    strata
        (I,) category of each item.
    """

    scores: FloatArray
    correct: FloatArray
    trials: FloatArray
    floor: FloatArray
    strata: IntArray

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.strata.size)

    def of(self, units: IntArray) -> Bank:
        """Return the bank with the answers of some models only."""
        return Bank(self.scores[units], self.correct[units], self.trials[units], self.floor, self.strata)

    def scale(self) -> Scale:
        """Return the scale of these models."""
        return scale_of(self.correct, self.trials, self.floor)


def random_form(bank: Bank, k: int, rng: np.random.Generator) -> Form:
    """Draw k items, each as likely."""
    return _even(np.sort(rng.choice(bank.n_items, size=k, replace=False)))


def stratified_form(bank: Bank, k: int, rng: np.random.Generator) -> Form:
    """Draw from each category as many items as its share of all, and weigh them so that its share is kept."""
    sizes = np.bincount(bank.strata)
    wanted = shares(sizes, k)
    items = [
        rng.choice(np.flatnonzero(bank.strata == code), size=n, replace=False) for code, n in enumerate(wanted) if n
    ]
    chosen = np.concatenate(items)
    return Form(chosen, _by_stratum(bank.strata, chosen))


def information_form(scale: Scale, strata: IntArray, k: int) -> Form:
    """Take, within the share of each category, the items that tell most at the abilities of the training models."""
    total = scale.information(scale.abilities).sum(axis=0)
    order = np.argsort(-total, kind="stable")
    chosen = [order[strata[order] == code][:n] for code, n in enumerate(shares(np.bincount(strata), k)) if n]
    return _even(np.concatenate(chosen))


def cluster_tree(bank: Bank) -> FloatArray:
    """Return the tree of items joined by the likeness of their scores over the training models (Ward 1963)."""
    return np.asarray(linkage(bank.scores.T, method="ward"), dtype=np.float64)


def clustering_form(bank: Bank, tree: FloatArray, k: int) -> Form:
    """Cut the tree into k clusters; the item nearest to the middle of each stands for it, with its size as weight.

    Notes
    -----
    The anchor points of Polo et al. (2024), with Ward's clusters in place of k-means: they do not depend on a seed.
    Equal response patterns cannot be cut; the largest clusters then give further items and share their weight.
    """
    codes = fcluster(tree, k, criterion="maxclust") - 1
    order = np.random.default_rng(TIES).permutation(bank.n_items)
    sizes = np.bincount(codes)
    extra = shares(sizes, k, least=1)
    items, weights = [], []
    for code, n in enumerate(extra):
        members = np.flatnonzero(codes == code)
        middle = bank.scores[:, members].mean(axis=1, keepdims=True)
        apart = ((bank.scores[:, members] - middle) ** 2).sum(axis=0)
        near = np.lexsort((order[members], np.round(apart, 9)))[:n]
        items.append(members[near])
        weights.append(np.full(near.size, members.size / bank.n_items / near.size))
    return Form(np.concatenate(items), np.concatenate(weights))


def shares(sizes: IntArray, k: int, least: int = 0) -> IntArray:
    """Divide k among groups in proportion to their sizes, by largest remainders, never more than a group has."""
    floor: IntArray = np.minimum(sizes, least)
    wanted = np.maximum(k * sizes / sizes.sum(), floor)
    found: IntArray = np.minimum(np.maximum(np.floor(wanted).astype(np.int64), floor), sizes)
    while found.sum() < k:
        lacking = np.where(found < sizes, wanted - found, -np.inf)
        found[int(np.argmax(lacking))] += 1
    while found.sum() > k:
        spare = np.where(found > floor, found - wanted, -np.inf)
        found[int(np.argmax(spare))] -= 1
    return found


def _even(items: IntArray) -> Form:
    return Form(items, np.full(items.size, 1 / items.size))


def _by_stratum(strata: IntArray, chosen: IntArray) -> FloatArray:
    """Return weights that give each category its share of all items; the share of one without items goes to all."""
    share = np.bincount(strata) / strata.size
    here = np.bincount(strata[chosen], minlength=share.size)
    weights = share[strata[chosen]] / here[strata[chosen]]
    return np.asarray(weights / weights.sum(), dtype=np.float64)

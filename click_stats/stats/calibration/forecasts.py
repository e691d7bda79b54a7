"""Stated probabilities of one unit: a softmax over the options of each trial, and what had to be left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import softmax

from click_stats.errors import UsageError
from click_stats.stats.tools.clustered import ClusteredMean, cluster_mean

if TYPE_CHECKING:
    import numpy.typing as npt

    from click_stats.counts import Counts, FloatArray, IntArray

    BoolArray = npt.NDArray[np.bool_]

TIE = 1e-12
"""Two scores closer than this are tied."""
NORMALISED = 1e-6
"""Labels whose probabilities add up to more than 1 by this are no probabilities as they stand."""
NO_RESPONSES = (
    "No trial has log-probabilities of the options: calibration needs them, and accuracy alone says nothing of it."
)


@dataclass(frozen=True)
class Forecasts:
    """T trials of one unit with a probability for every option.

    Attributes
    ----------
    item
        (T,) row of the item in the counts.
    scores, probability
        (T, K) log-probabilities as stored (minus infinity for options that an item does not have), and their softmax
        over the item's options.
    n_options, gold, top
        (T,) number of options N, the right option, and the option with the largest probability.
    confidence, hit
        (T,) probability of ``top``, and whether it is the right one (0 or 1).
    weight
        (T,) adds up to 1; every item weighs the same, and so do the trials of one item.
    clusters
        (I,) passage codes of all items of the counts.
    """

    item: IntArray
    scores: FloatArray
    probability: FloatArray
    n_options: IntArray
    gold: IntArray
    top: IntArray
    confidence: FloatArray
    hit: FloatArray
    weight: FloatArray
    clusters: IntArray

    def __len__(self) -> int:
        return self.item.size

    @property
    def n_items(self) -> int:
        """Number of items with a trial."""
        return int(np.unique(self.item).size)

    @property
    def repeated(self) -> bool:
        """Whether an item has several trials."""
        return self.n_items < len(self)

    def of(self, items: IntArray) -> Forecasts:
        """Return the trials on some items (row numbers)."""
        kept = np.isin(self.item, items)
        return Forecasts(
            self.item[kept],
            self.scores[kept],
            self.probability[kept],
            self.n_options[kept],
            self.gold[kept],
            self.top[kept],
            self.confidence[kept],
            self.hit[kept],
            equal_items(self.item[kept]),
            self.clusters,
        )

    def by_item(self, values: FloatArray) -> FloatArray:
        """Return (I,) the mean of a value over the trials of each item; NaN for items without a trial."""
        size = self.clusters.size
        number = np.bincount(self.item, minlength=size)
        with np.errstate(invalid="ignore", divide="ignore"):
            means: FloatArray = np.bincount(self.item, values, minlength=size) / number
        return means

    def mean(self, values: FloatArray) -> ClusteredMean:
        """Return the mean over items of a value of trials, with its error between passages (CR1)."""
        return cluster_mean(self.by_item(values), self.clusters)


def equal_items(item: IntArray) -> FloatArray:
    """Return weights of trials that add up to 1 and to the same for every item."""
    if not item.size:
        return np.empty(0)
    number = np.bincount(item)
    weights: FloatArray = 1.0 / number[item] / np.count_nonzero(number)
    return weights


def forecasts(counts: Counts, clusters: IntArray) -> tuple[list[Forecasts], list[dict[str, Any]]]:
    """Return the forecasts of every unit, and how many trials had to be left out and why.

    Parameters
    ----------
    counts
        With ``responses`` and their scores.
    clusters
        (I,) passage codes of the items.

    Raises
    ------
    UsageError
        The counts have no responses, or their scores have fewer columns than the items have options.
    """
    if counts.responses is None:
        raise UsageError(
            "Calibration needs the trials with their log-probabilities, which these counts lack.",
            do="Pass the trials, or counts made with trials.counts(responses=True, scores=True).",
        )
    frame, scores = counts.responses.frame, counts.responses.scores
    n_options = counts.items["n_options"].to_numpy(dtype=np.int64)
    gold = counts.items["gold"].to_numpy(dtype=np.int64)
    unit, item = frame["unit"].to_numpy(dtype=np.int64), frame["item"].to_numpy(dtype=np.int64)
    prediction = frame["prediction"].to_numpy(dtype=np.int64)
    if scores is None:
        scores = np.full((len(frame), int(n_options.max(initial=1))), np.nan)
    if scores.shape[1] < n_options[item].max(initial=0):
        raise UsageError(
            "There are fewer columns of log-probabilities than options.",
            found=f"{scores.shape[1]} columns, {int(n_options[item].max())} options",
        )
    found = []
    for row in range(len(counts.units)):
        own = unit == row
        found.append(_of_unit(item[own], scores[own], prediction[own], n_options, gold, clusters))
    return [one for one, _ in found], [account for _, account in found]


def _of_unit(
    item: IntArray, scores: FloatArray, prediction: IntArray, n_options: IntArray, gold: IntArray, clusters: IntArray
) -> tuple[Forecasts, dict[str, Any]]:
    n = n_options[item]
    real = np.arange(scores.shape[1]) < n[:, None]
    missing = np.isnan(scores) & real
    none, incomplete = missing.sum(axis=1) == n, missing.any(axis=1)
    inside = np.where(real & ~missing, scores, -np.inf)
    largest = inside.max(axis=1, initial=-np.inf)
    infinite = ~incomplete & ~np.isfinite(largest)
    kept = ~incomplete & ~infinite
    s, m, right = inside[kept], item[kept], gold[item[kept]]
    p = softmax(s, axis=1) if len(s) else s
    tied = s >= s.max(axis=1, keepdims=True, initial=-np.inf) - TIE
    said = prediction[kept]
    named = (said >= 0) & np.take_along_axis(tied, np.maximum(said, 0)[:, None], axis=1)[:, 0]
    # A tie was settled when the trial was stored; only a trial that answered otherwise takes the first tied option.
    top = np.where(named, said, np.argmax(tied, axis=1) if len(s) else 0)
    rows = np.arange(len(s))
    with np.errstate(over="ignore"):
        mass = np.exp(s).sum(axis=1)
    zero = p[rows, right] == 0
    account = {
        "n_trials": int(item.size),
        "n_scored": int(kept.sum()),
        "n_no_score": int(none.sum()),
        "n_incomplete": int((incomplete & ~none).sum()),
        "n_not_finite": int(infinite.sum()),
        "n_zero_gold": int(zero.sum()),
        "n_disagree": int((~named & (said >= 0)).sum()),
        "n_unnormalised": int((mass > 1 + NORMALISED).sum()),
        "label_mass": float(mass.mean()) if len(s) and mass.max() <= 1 + NORMALISED else np.nan,
    }
    made = Forecasts(
        m, s, p, n[kept], right, top.astype(np.int64), p[rows, top], (top == right).astype(np.float64), equal_items(m),
        clusters,
    )  # fmt: skip
    return made, account

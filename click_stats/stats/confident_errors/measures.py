"""What is measured of every unit and item: trials, entropies, challenging items, confident errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from click_stats.counts import INCORRECT
from click_stats.errors import UsageError
from click_stats.stats import blocks, partition
from click_stats.stats.confident import confident, wrong_options
from click_stats.stats.confident_errors.entropy import entropy, is_challenging, miller_madow

if TYPE_CHECKING:
    import numpy.typing as npt

    from click_stats.counts import Counts, FloatArray, IntArray

CONTENT, CORRECTED, PLACE = "content entropy", "content entropy (Miller-Madow)", "position entropy"
ALL, BELOW = "all items", "challenging items"


@dataclass(frozen=True)
class Measures:
    """Arrays of (units, items).

    Attributes
    ----------
    correct, trials
        Right answers, and trials that responded.
    below
        Whether the item is challenging for the unit.
    balanced
        Whether all rotations were answered equally often: elsewhere what follows is NaN.
    entropies
        By measure: content entropy, its correction, and position entropy.
    sure
        1 for a confident error, 0 for none.
    option
        The wrong option with most trials.
    passages
        (items,) codes of the clusters.
    """

    correct: IntArray
    trials: IntArray
    below: npt.NDArray[np.bool_]
    balanced: npt.NDArray[np.bool_]
    entropies: dict[str, FloatArray]
    sure: FloatArray
    option: IntArray
    passages: IntArray


def measure(counts: Counts, *, threshold: float | None = None, share: float = 0.75) -> Measures:
    """Measure every unit and item.

    Raises
    ------
    UsageError
        Counts without responses.
    """
    if counts.responses is None:
        raise UsageError(
            "Entropy and confident errors need single responses, and these counts have none.",
            do="Pass trials, or counts made with trials.counts(responses=True).",
        )
    n = counts.items["n_options"].to_numpy(dtype=np.int64)
    trials, correct = counts.n("ok", *INCORRECT), counts.correct
    balanced = blocks.balanced(counts)
    frame = counts.responses.frame
    position = frame["position"].to_numpy(dtype=np.int64)
    named = position >= 0
    places = np.zeros(counts.options.shape)
    np.add.at(places, (frame["unit"].to_numpy()[named], frame["item"].to_numpy()[named], position[named]), 1.0)
    size, options = np.broadcast_to(n, trials.shape), counts.options.astype(np.float64)
    found = {
        CONTENT: entropy(options, size), CORRECTED: miller_madow(options, size), PLACE: entropy(places, size),
    }  # fmt: skip
    return Measures(
        correct=correct,
        trials=trials,
        below=is_challenging(correct, trials, n, threshold) & (trials > 0),
        balanced=balanced,
        entropies={name: np.where(balanced, values, np.nan) for name, values in found.items()},
        sure=confident(counts, share),
        option=wrong_options(counts).argmax(axis=2),
        passages=partition.clusters(counts, np.arange(len(n), dtype=np.int64)),
    )

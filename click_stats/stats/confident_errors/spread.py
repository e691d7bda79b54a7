"""How entropies spread over the items of a unit: mean, quartiles, median, and what a uniform guesser gives."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.stats.confident_errors.entropy import guesser
from click_stats.stats.confident_errors.measures import ALL, BELOW, CONTENT, CORRECTED, PLACE
from click_stats.stats.tools.intervals import clustered_t
from click_stats.stats.tools.median import clustered_median
from click_stats.stats.tools.rows import mean_row

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.confident_errors.measures import Measures

INCOMPLETE = "incomplete rotations: entropy is undefined"
ONE_TRIAL = "one trial per item: entropy and confident errors are undefined, challenging means wrong"
NO_ITEMS = "no item"
BINS = 20
UNCAPPED = partial(clustered_t, limits=(0.0, np.inf))
"""A corrected entropy may lie above what is possible."""


def entropy_rows(
    found: Measures, place: int, n_options: IntArray, threshold: float | None, level: float
) -> list[dict[str, Any]]:
    """Return the rows of one unit: each measure over all its items, and over those that challenge it."""
    trials, rows = found.trials[place], []
    for scope, kept in ((ALL, trials > 0), (BELOW, found.below[place])):
        known = kept & np.isfinite(found.entropies[CONTENT][place])
        guess = _guesses(trials[known], n_options[known], threshold, below=scope == BELOW)
        for measure, values in found.entropies.items():
            own = np.where(kept, values[place], np.nan)
            row = {"item_scope": scope, "measure": measure, **summary(own, found.passages, level)}
            if not row["n_items"]:
                most = trials.max(initial=0)
                row["reason"] = ONE_TRIAL if most == 1 else INCOMPLETE if kept.any() else NO_ITEMS
            rows.append({**row, "guesser": guess[measure]})
    return rows


def summary(values: FloatArray, passages: IntArray, level: float) -> dict[str, Any]:
    """Return mean, quartiles and median of entropies (NaN is left out), mean and median with intervals."""
    known = values[np.isfinite(values)]
    low, top = np.quantile(known, [0.25, 0.75]) if len(known) else (np.nan, np.nan)
    median = clustered_median(values, passages, level)
    return {
        **mean_row(values, passages, level, interval=UNCAPPED), "quartile_low": low, "median": median.estimate,
        "median_low": median.low, "median_high": median.high, "quartile_high": top,
    }  # fmt: skip


def _guesses(trials: IntArray, n: IntArray, threshold: float | None, *, below: bool) -> dict[str, float]:
    """Return the means over these items of a uniform guesser's entropies, by measure."""
    if not len(trials):
        return dict.fromkeys((CONTENT, CORRECTED, PLACE), np.nan)
    pairs, times = np.unique(np.column_stack([trials, n]), axis=0, return_counts=True)
    made = [guesser(int(t), int(k), threshold) for t, k in pairs]
    values = np.array([one.challenging if below else one.every for one in made])
    return dict(zip((CONTENT, CORRECTED, PLACE), map(float, times @ values / times.sum()), strict=True))


def histogram(found: Measures, place: int) -> list[dict[str, Any]]:
    """Return how many challenging items of one unit fall into each bin of content entropy; none without any."""
    values = found.entropies[CONTENT][place]
    times, edges = np.histogram(values[found.below[place] & np.isfinite(values)], BINS, (0, 1))
    return [
        {"measure": CONTENT, "bin": k + 1, "bin_low": edges[k], "bin_high": edges[k + 1], "n_items": int(times[k])}
        for k in range(BINS if times.sum() else 0)
    ]

"""The analysis of confident errors: entropy, challenging items, errors that models share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats import partition
from click_stats.stats.confident_errors import confident, scale
from click_stats.stats.confident_errors.challenging import challenging_row
from click_stats.stats.confident_errors.measures import BELOW, CONTENT, measure
from click_stats.stats.confident_errors.sets import shared_rows
from click_stats.stats.confident_errors.spread import entropy_rows, histogram
from click_stats.stats.tools.intervals import check_level
from click_stats.stats.tools.rows import frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, FloatArray

COLUMNS = {
    "estimates": (
        "unit", "item_scope", "measure", "estimate", "std_error", "df", "conf_low", "conf_high", "conf_level",
        "quartile_low", "median", "median_low", "median_high", "quartile_high", "guesser", "n_items", "n_clusters",
        "method", "reason",
    ),
    "distribution": ("unit", "measure", "bin", "bin_low", "bin_high", "n_items"),
    "challenging": (
        "unit", "by", "group", "estimate", "std_error", "df", "conf_low", "conf_high", "conf_level", "n_challenging",
        "n_uncertain", "n_by_position", "n_sure", "n_items", "n_clusters", "method", "reason",
    ),
    "confident": (
        "set_by", "model_set", "by", "group", "estimate", "std_error", "df", "conf_low", "conf_high", "conf_level",
        "n_confident", "n_agreed", "n_items", "n_clusters", "n_units", "members", "method", "reason",
    ),
    "shared": (
        "model_set", "by", "group", "statement", "n_shared", "share", "expected_independent", "expected_difficulty",
        "expected_low", "expected_high", "excess", "conf_level", "verdict", "n_items", "n_units", "reason",
    ),
    "agreed": (
        "set_by", "model_set", "item", "category", "source", "option", "n_units", "n_families", "members",
    ),
    "errors": ("unit", "item", "category", "source", "option", "chosen_share", "n_trials", "n_others"),
    "scale": (
        "measure", "design", "term", "estimate", "std_error", "df", "statistic", "p_value", "conf_low", "conf_high",
        "conf_level", "p_permutation", "p_least", "n_units", "note", "reason",
    ),
}  # fmt: skip
NO_ROTATIONS = (
    "No model answered all orders of the options of any item: entropy over options and over positions cannot be told "
    "apart, and is left undefined. Items below chance and items shared by models are still counted."
)
METHOD = (
    "Entropy of the chosen original options over complete rotations, over log N; items below chance by whole numbers; "
    "errors between passages; shared items against independence given item difficulty."
)


def confident_errors(
    counts: Counts,
    *,
    threshold: float | None = None,
    share: float = 0.75,
    high: float = 0.8,
    sizes: Sequence[float] = (3.0, 10.0),
    level: float = 0.95,
    seed: int = 0,
) -> Result:
    """Tell where models are wrong and sure, and which items they miss together.

    Parameters
    ----------
    counts
        With ``responses``.
    threshold
        Items with an accuracy below it are challenging; by default below chance, ``correct * N < trials`` in integers.
    share
        Least share of the trials on one wrong option that makes a confident error, above one half.
    high
        Normalised entropy from which it counts as high.
    sizes
        Parameters, in billions, that divide models into classes of size; increasing.
    level
        Confidence level.
    seed
        Unused: nothing is drawn. Every analysis takes one.

    Returns
    -------
    Result
        ``estimates``: mean and median of content and position entropy, with a uniform guesser's value.
        ``distribution``: content entropy of challenging items (the paper's Figure 3). ``challenging`` (Figure 2):
        challenging items overall and by category. ``confident``: share of confident errors by model, family and size.
        ``shared``: items challenging for all or for none, right in every trial or in none, against independence.
        ``agreed``: items on which two or more models are sure of one wrong option, of all and by family and size.
        ``errors``: every confident error with its option. ``scale``: model-level tests of entropy and of confident
        errors.

    Raises
    ------
    UsageError
        Counts without responses, or a parameter out of range.
    """
    check_level(level)
    if not 0.5 < share <= 1 or not 0 < high <= 1 or (threshold is not None and not 0 < threshold <= 1):
        raise UsageError(
            "A share lies above one half, an entropy and a threshold above 0, all up to 1.",
            found=f"share {share}, high {high}, threshold {threshold}",
        )
    if not len(sizes) or min(sizes) <= 0 or list(sizes) != sorted(set(sizes)):
        raise UsageError("Bounds of size are positive and increasing.", found=str(list(sizes)))
    found = measure(counts, threshold=threshold, share=share)
    n_options = counts.items["n_options"].to_numpy(dtype=np.int64)
    units = [str(unit) for unit in counts.units.index]
    groups = partition.groups(counts, ["overall", "category"])
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in COLUMNS}
    warnings = []
    for place, unit in enumerate(units):
        key = {"unit": unit}
        rows["estimates"] += [key | row for row in entropy_rows(found, place, n_options, threshold, level)]
        rows["distribution"] += [key | row for row in histogram(found, place)]
        rows["challenging"] += [
            {**key, "by": group.by, "group": group.name} | challenging_row(found, place, group, high, level)
            for group in groups
        ]
        lost = int(((found.trials[place] > 0) & ~found.balanced[place]).sum())
        if lost and found.balanced.any():
            warnings.append(f"{unit}: {lost:,} items without complete rotations have no entropy.")
    sets = confident.sets(counts, sizes)
    rows["confident"] = confident.confident_rows(counts, found, sets, level)
    rows["shared"] = shared_rows(counts, found, threshold, level)
    rows["agreed"] = confident.agreed_rows(counts, found, sets)
    rows["errors"] = confident.error_rows(counts, found)
    for name, values in (
        (f"{CONTENT}, {BELOW}", np.where(found.below, found.entropies[CONTENT], np.nan)),
        ("confident errors", found.sure),
    ):
        rows["scale"] += [{"measure": name, **row} for row in scale.model_tests(counts, _means(values), level)]
    if not found.balanced.any():
        warnings.insert(0, NO_ROTATIONS)
    summary = {"n_units": len(units), "n_confident": int(np.nansum(found.sure))}
    meta: dict[str, Any] = {
        "method": METHOD, "level": level, "threshold": threshold, "share": share, "high": high, "sizes": list(sizes),
        "seed": seed, "reason": "" if found.balanced.any() else NO_ROTATIONS, "warnings": warnings,
    }  # fmt: skip
    return Result(
        "confident_errors", {name: frame(rows[name], columns) for name, columns in COLUMNS.items()}, summary, meta
    )


def _means(values: FloatArray) -> FloatArray:
    """Return (units,) means over the items that have a value; NaN without any."""
    known = np.isfinite(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: FloatArray = np.where(known, values, 0.0).sum(axis=1) / known.sum(axis=1)
    return means

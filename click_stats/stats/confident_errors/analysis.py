"""The analysis of confident errors: entropy, challenging items, errors that models share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.counts import INCORRECT
from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats import blocks, partition
from click_stats.stats.confident import wrong_and_sure, wrong_options
from click_stats.stats.confident_errors import scale
from click_stats.stats.confident_errors.entropy import entropy, guesser, is_challenging, miller_madow
from click_stats.stats.confident_errors.sets import agreed, shared_rows
from click_stats.stats.tools.clustered import cluster_mean
from click_stats.stats.tools.intervals import check_level, clustered_t, clustered_wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, FloatArray

ESTIMATES = (
    "unit", "item_scope", "measure", "estimate", "std_error", "df", "conf_low", "conf_high", "conf_level",
    "quartile_low", "median", "quartile_high", "guesser", "n_items", "n_clusters", "method", "reason",
)  # fmt: skip
DISTRIBUTION = ("unit", "measure", "bin", "bin_low", "bin_high", "n_items")
CHALLENGING = (
    "unit", "by", "group", "estimate", "conf_low", "conf_high", "conf_level", "n_challenging", "n_uncertain",
    "n_by_position", "n_sure", "n_confident", "confident_share", "n_items", "n_clusters", "method", "reason",
)  # fmt: skip
SHARED = (
    "model_set", "by", "group", "statement", "n_shared", "share", "expected_independent", "expected_difficulty",
    "expected_low", "expected_high", "excess", "conf_level", "verdict", "n_items", "n_units", "reason",
)  # fmt: skip
AGREED = ("item", "category", "source", "option", "n_units", "n_families", "members")
SCALE = (
    "design", "term", "estimate", "std_error", "df", "statistic", "p_value", "conf_low", "conf_high", "conf_level",
    "p_permutation", "p_least", "n_units", "note", "reason",
)  # fmt: skip

ALL, BELOW = "all items", "challenging items"
CONTENT, CORRECTED, PLACE = "content entropy", "content entropy (Miller-Madow)", "position entropy"
NO_ROTATIONS = (
    "No model answered all orders of the options of any item: entropy over options and over positions cannot be told "
    "apart, and is left undefined. Items below chance and items shared by models are still counted."
)
INCOMPLETE = "incomplete rotations: entropy is undefined"
ONE_TRIAL = "one trial per item: entropy and confident errors are undefined, challenging means wrong"
NO_ITEMS = "no item"
METHOD = (
    "Entropy of the chosen original options over complete rotations, over log N; items below chance by whole numbers; "
    "errors between passages; shared items against independence given item difficulty."
)
BINS = 20


def confident_errors(
    counts: Counts,
    *,
    threshold: float | None = None,
    share: float = 0.75,
    high: float = 0.8,
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
    level
        Confidence level.
    seed
        Unused: nothing is drawn. Every analysis takes one.

    Returns
    -------
    Result
        ``estimates``: mean content and position entropy, with a uniform guesser's value. ``distribution``: content
        entropy of challenging items (the paper's Figure 3). ``challenging`` (Figure 2): challenging items and
        confident errors overall and by category. ``shared``: items challenging for all or for none, against
        independence. ``agreed``: confident errors of two or more models on one option. ``scale``: model-level tests.

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
    frame = blocks.complete(counts, "confident_errors")
    n = counts.items["n_options"].to_numpy(dtype=np.int64)
    trials, correct = counts.n("ok", *INCORRECT), counts.correct
    below = is_challenging(correct, trials, n, threshold) & (trials > 0)
    content, corrected, place, balanced = _entropies(counts, frame, n)
    sure = wrong_and_sure(counts, share) & (trials > 1)
    passages = partition.clusters(counts, np.arange(len(n), dtype=np.int64))
    units = [str(unit) for unit in counts.units.index]
    estimates, distribution, challenging = [], [], []
    means = np.full(len(units), np.nan)
    warnings = []
    for row, unit in enumerate(units):
        for scope, kept in ((ALL, trials[row] > 0), (BELOW, below[row])):
            for measure, values in ((CONTENT, content), (CORRECTED, corrected), (PLACE, place)):
                own = np.where(kept, values[row], np.nan)
                one = _estimate(own, passages, level)
                guess = _guess(trials[row], n, np.isfinite(own), threshold, below=scope == BELOW)
                if measure != CONTENT:
                    guess = np.nan
                if not one["n_items"]:
                    most = trials[row].max(initial=0)
                    one["reason"] = ONE_TRIAL if most == 1 else INCOMPLETE if kept.any() else NO_ITEMS
                estimates.append({"unit": unit, "item_scope": scope, "measure": measure, **one, "guesser": guess})
                if scope == BELOW and measure == CONTENT:
                    means[row] = one["estimate"]
        found, edges = np.histogram(content[row][below[row] & np.isfinite(content[row])], BINS, (0, 1))
        if found.sum():
            distribution += [
                {"unit": unit, "measure": CONTENT, "bin": k + 1, "bin_low": edges[k], "bin_high": edges[k + 1],
                 "n_items": int(found[k])} for k in range(BINS)
            ]  # fmt: skip
        parts = (content[row], place[row], sure[row])
        challenging += [
            {"unit": unit, "by": group.by, "group": group.name}
            | _challenging(group.items, below[row], trials[row], parts, passages, high, level)
            for group in partition.groups(counts, ["overall", "category"])
        ]
        lost = int(((trials[row] > 0) & ~balanced[row]).sum())
        if lost and balanced.any():
            warnings.append(f"{unit}: {lost:,} items without complete rotations have no entropy.")
    tables = {
        "estimates": _frame(estimates, ESTIMATES),
        "distribution": _frame(distribution, DISTRIBUTION),
        "challenging": _frame(challenging, CHALLENGING),
        "shared": _frame(shared_rows(counts, below, correct, trials, threshold, level), SHARED),
        "agreed": _frame(agreed(counts, wrong_options(counts), sure), AGREED),
        "scale": _frame(scale.model_tests(counts, means, level), SCALE),
    }
    if not balanced.any():
        warnings.insert(0, NO_ROTATIONS)
    overall = tables["challenging"][tables["challenging"]["by"] == "overall"]
    summary = {"n_units": len(units), "n_confident": int(overall["n_confident"].fillna(0).sum())}
    meta: dict[str, Any] = {
        "method": METHOD, "level": level, "threshold": threshold, "share": share, "high": high, "seed": seed,
        "reason": "" if balanced.any() else NO_ROTATIONS, "warnings": warnings,
    }  # fmt: skip
    return Result("confident_errors", tables, summary, meta)


def _entropies(
    counts: Counts, frame: pd.DataFrame, n: np.ndarray
) -> tuple[FloatArray, FloatArray, FloatArray, np.ndarray]:
    """Return (U, I) content entropy, its correction, position entropy, and whether all blocks are complete."""
    shape = counts.options.shape
    unit, item = frame["unit"].to_numpy(dtype=np.int64), frame["item"].to_numpy(dtype=np.int64)
    seen, broken = np.zeros(shape[:2], dtype=bool), np.zeros(shape[:2], dtype=bool)
    seen[unit, item] = True
    torn = ~frame["complete"].to_numpy(dtype=bool)
    broken[unit[torn], item[torn]] = True
    places = np.zeros(shape)
    where = frame["position"].to_numpy(dtype=np.int64)
    named = where >= 0
    np.add.at(places, (unit[named], item[named], where[named]), 1.0)
    balanced = seen & ~broken
    size = np.broadcast_to(n, shape[:2])
    made = (
        entropy(counts.options.astype(np.float64), size),
        miller_madow(counts.options.astype(np.float64), size),
        entropy(places, size),
    )
    content, corrected, place = (np.where(balanced, one, np.nan) for one in made)
    return content, corrected, place, balanced


def _estimate(values: FloatArray, passages: np.ndarray, level: float) -> dict[str, Any]:
    mean = cluster_mean(values, passages)
    interval = clustered_t(mean, level, limits=(0.0, np.inf))
    known = values[np.isfinite(values)]
    low, middle, top = np.quantile(known, [0.25, 0.5, 0.75]) if len(known) else (np.nan,) * 3
    return {
        "estimate": mean.estimate, "std_error": mean.std_error, "df": mean.df, "conf_low": interval.low,
        "conf_high": interval.high, "conf_level": level, "quartile_low": low, "median": middle, "quartile_high": top,
        "n_items": mean.n_items, "n_clusters": mean.n_clusters, "method": interval.method,
        "reason": mean.reason or interval.reason,
    }  # fmt: skip


def _guess(trials: np.ndarray, n: np.ndarray, kept: np.ndarray, threshold: float | None, *, below: bool) -> float:
    """Return the mean over these items of a uniform guesser's content entropy."""
    if not kept.any():
        return float("nan")
    pairs, times = np.unique(np.column_stack([trials[kept], n[kept]]), axis=0, return_counts=True)
    found = [guesser(int(t), int(k), threshold) for t, k in pairs]
    values = np.array([one.challenging if below else one.every for one in found])
    return float(values @ times / times.sum())


def _challenging(
    items: np.ndarray, below: np.ndarray, trials: np.ndarray, parts: tuple[FloatArray, FloatArray, np.ndarray],
    passages: np.ndarray, high: float, level: float,
) -> dict[str, Any]:  # fmt: skip
    content, place, sure = (part[items] for part in parts)
    answered, hard = trials[items] > 0, below[items]
    mean = cluster_mean(np.where(answered, hard, np.nan).astype(np.float64), passages[items])
    interval = clustered_wilson(mean, level)
    single = bool(trials[items].max(initial=0) <= 1)
    row: dict[str, Any] = {
        "estimate": mean.estimate, "conf_low": interval.low, "conf_high": interval.high, "conf_level": level,
        "n_challenging": int(hard.sum()), "n_items": int(answered.sum()), "n_clusters": mean.n_clusters,
        "method": interval.method, "reason": ONE_TRIAL if single and answered.any() else mean.reason or interval.reason,
    }  # fmt: skip
    known = hard & np.isfinite(content)
    if known.any() or (not hard.any() and np.isfinite(content).any()):
        varied = known & (content >= high)
        row |= {
            "n_uncertain": int((varied & (place >= high)).sum()), "n_by_position": int((varied & (place < high)).sum()),
            "n_sure": int((known & (content < high)).sum()),
        }  # fmt: skip
    if not single:
        repeated = trials[items] > 1
        row |= {"n_confident": int(sure.sum()), "confident_share": float(sure[repeated].mean())}
    return row


def _frame(rows: list[dict[str, Any]], names: Sequence[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=list(names))
    for name in names:
        if name.startswith("n_") or name in {"bin", "option"}:
            frame[name] = pd.array(frame[name].tolist(), dtype="Int64")
    texts = [name for name in ("method", "reason", "verdict", "note") if name in frame]
    frame[texts] = frame[texts].astype(object).fillna("")
    return frame

"""The analysis: every model against every human score of an exam whose items it answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pandas as pd
from scipy import stats

from click_stats.counts import Denominator
from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.cells import cell_of, with_items_fixed
from click_stats.stats.families import NOT_DECIDED, NOT_SEPARATED, SEPARATED
from click_stats.stats.human.boundaries import (
    PAPER,
    Boundary,
    conflicts,
    exams,
    paper_boundaries,
    paper_table,
    read_boundaries,
)
from click_stats.stats.partition import Group
from click_stats.stats.tools.intervals import check_level, clustered_wilson
from click_stats.stats.tools.multiplicity import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts
    from click_stats.stats.tools.clustered import ClusteredMean

Target = Literal["sampled", "fixed"]

ESTIMATES = (
    "unit", "exam", "years", "boundary", "boundary_kind", "human_score", "estimate", "std_error", "df", "conf_low",
    "conf_high", "conf_level", "gap", "gap_low", "gap_high", "pass_probability", "p_value", "p_adjusted", "verdict",
    "n_items", "n_items_total", "n_clusters", "target", "method", "sources", "flag", "reason",
)  # fmt: skip
BOUNDARIES = (
    "exam", "years", "boundary", "boundary_kind", "human_score", "n_items", "computable", "sources", "reason",
)  # fmt: skip
PUBLISHED = (
    "exam", "model", "quantity", "relation", "published", "scale_unit", "years", "unit", "estimate", "conf_low",
    "conf_high", "n_items", "sources", "note", "reason",
)  # fmt: skip
CONFLICTS = ("exam", "note", "sources")

METHOD = (
    "Share of right answers on the exam's items beside the human score, which is taken as known; clustered Wilson "
    "interval and score test; probability of reaching the score from a Beta posterior (Jeffreys) at the effective "
    "number of items."
)
SUBSET = (
    "The items taken from an exam are a part of it and are not weighed by points: a share of right answers on them is "
    "no exam score."
)
NOTHING = (
    "No human score can be held against these answers: none is known for the exams the items come from. Give a table "
    "of boundaries with scores."
)
SMALL = "under half answered"
NOT_HERE = "no model of this name in these data"
SIMULATED = "simulated"
"""Part of the names of simulated models, which stand for the models they imitate."""


def human(
    counts: Counts,
    *,
    boundaries: str = "",
    target: Literal["sampled", "fixed"] = "sampled",
    denominator: Denominator = "responded",
    level: float = 0.95,
    seed: int = 0,
) -> Result:
    """Hold models against people on the items of an exam.

    Parameters
    ----------
    counts
        The answers.
    boundaries
        Path of a CSV table of human scores (:func:`click_stats.stats.human.boundaries.read_boundaries`). Those that
        the CLIcK paper prints are always added.
    target
        ``sampled``: the exam's items stand for others like them, the error is between passages; ``fixed``: these items
        are all that is meant, the error is between answers to the same item (counts with ``cells``).
    denominator
        Which trials count.
    level
        Confidence level; 1 less this is the level of the tests, corrected (Holm) over the units of a human score.
    seed
        Not used: nothing is drawn. Every analysis has it.

    Returns
    -------
    Result
        ``estimates``: every unit against every human score that is known, with the difference, the test and the
        probability of reaching the score. ``boundaries``: all human scores, those that are not computable with the
        reason. ``published``: what the paper prints about models on these exams, beside the accuracy found here.
        ``conflicts``: where the paper contradicts itself.

    Raises
    ------
    UsageError
        A table of boundaries that cannot be used, or a parameter out of range.

    Notes
    -----
    With p the mean of the item scores, SE its error and n = p(1 - p)/SE² (the number of clusters when p is 0 or 1): the
    test is t = (p - h)/sqrt(h(1 - h)/n) against the human score h, which agrees with the interval; the probability of
    reaching h is that of a Beta(np + 1/2, n(1 - p) + 1/2) variable, the posterior under Jeffreys' prior (Brown, Cai and
    DasGupta 2001). It concerns the expected share of right answers, not a single sitting.
    """
    del seed
    _check(target, denominator, level)
    known = [*(read_boundaries(boundaries, counts) if boundaries else []), *paper_boundaries(counts)]
    usable = [one for one in known if not one.reason]
    means = {one.items.tobytes(): _means(counts, one, target, denominator) for one in known}
    rows: list[dict[str, Any]] = []
    for one in usable:
        found = means[one.items.tobytes()]
        rows += _decided([_row(str(unit), one, mean, flag, target, level)
                          for unit, (mean, flag) in zip(counts.units.index, found, strict=True)], level)  # fmt: skip
    estimates = _frame(rows, ESTIMATES)
    listed = [
        {
            "exam": one.exam, "years": one.year, "boundary": one.name, "boundary_kind": one.kind,
            "human_score": one.score, "n_items": one.items.size, "computable": not one.reason,
            "sources": one.source, "reason": one.reason,
        }
        for one in known
    ]  # fmt: skip
    tables = {
        "estimates": estimates,
        "boundaries": _frame(listed, BOUNDARIES),
        "published": _published(counts, known, means, level),
        "conflicts": _conflicts(known),
    }
    reason = "" if usable and len(counts.units) else NOTHING
    meta = {
        "method": METHOD,
        "level": level,
        "target": target,
        "denominator": denominator,
        "boundaries": "given" if boundaries else "paper only",
        "reason": reason,
        "warnings": [reason] if reason else [SUBSET],
    }
    return Result("human", tables, _summary(estimates), meta)


def _means(
    counts: Counts, boundary: Boundary, target: Target, denominator: Denominator
) -> list[tuple[ClusteredMean, str]]:
    """Return the accuracy of every unit on the exam's items, and a flag."""
    group = Group("exam", boundary.exam, boundary.items)
    cell = cell_of(counts, counts.scores(denominator), group, "items")
    flags = [""] * len(cell.means)
    if target == "fixed":
        cell, flags = with_items_fixed(cell, counts, "fixed")
    return list(zip(cell.means, flags, strict=True))


def effective(mean: ClusteredMean) -> float:
    """Return the effective number of items: p(1 - p)/SE², the number of clusters where all answers are equal."""
    if mean.std_error == 0:
        return float(mean.n_clusters)
    return mean.estimate * (1 - mean.estimate) / mean.std_error**2


def pass_probability(share: float, n: float, score: float) -> float:
    """Return the posterior probability that the expected share is at least ``score`` (Beta posterior, Jeffreys)."""
    return float(stats.beta.sf(score, share * n + 0.5, (1 - share) * n + 0.5))


def score_test(mean: ClusteredMean, score: float) -> float:
    """Return the two-sided p of the score test against ``score`` at the effective number of items."""
    t = (mean.estimate - score) / np.sqrt(score * (1 - score) / effective(mean))
    return float(2 * stats.t.sf(abs(t), mean.df))


def _row(unit: str, boundary: Boundary, mean: ClusteredMean, flag: str, target: str, level: float) -> dict[str, Any]:
    interval = clustered_wilson(mean, level)
    total = boundary.items.size
    flags = [flag, interval.flag, SMALL if mean.n_items < total / 2 else ""]
    row: dict[str, Any] = {
        "unit": unit, "exam": boundary.exam, "years": boundary.year, "boundary": boundary.name,
        "boundary_kind": boundary.kind, "human_score": boundary.score, "estimate": mean.estimate,
        "std_error": mean.std_error, "df": mean.df, "conf_low": interval.low, "conf_high": interval.high,
        "conf_level": level, "gap": mean.estimate - boundary.score, "gap_low": interval.low - boundary.score,
        "gap_high": interval.high - boundary.score, "n_items": mean.n_items, "n_items_total": total,
        "n_clusters": mean.n_clusters, "target": target, "method": interval.method, "sources": boundary.source,
        "flag": "; ".join(filter(None, flags)), "reason": mean.reason or interval.reason,
        "pass_probability": np.nan, "p_value": np.nan,
    }  # fmt: skip
    if not row["reason"]:
        row["pass_probability"] = pass_probability(mean.estimate, effective(mean), boundary.score)
        row["p_value"] = score_test(mean, boundary.score)
    return row


def _decided(rows: list[dict[str, Any]], level: float) -> list[dict[str, Any]]:
    for row, p in zip(rows, holm([row["p_value"] for row in rows]), strict=True):
        row["p_adjusted"] = float(p)
        row["verdict"] = NOT_DECIDED if np.isnan(p) else SEPARATED if p < round(1 - level, 12) else NOT_SEPARATED
    return rows


def _published(
    counts: Counts, known: Sequence[Boundary], means: dict[bytes, list[tuple[ClusteredMean, str]]], level: float
) -> pd.DataFrame:
    """Return what the paper prints about models, as printed, beside the accuracy of the unit of that name."""
    table = paper_table()
    items = {one.exam: one.items for one in known if one.exam in exams()}
    labels = counts.fact("label")
    stated = [*enumerate(counts.units.index), *enumerate(labels)]
    exact = {_plain(name): row for row, name in stated if isinstance(name, str)}
    names = {name.replace(SIMULATED, ""): row for name, row in exact.items()} | exact
    rows = []
    for one in table[(table["entity_type"] == "model") & table["exam"].isin(items)].to_dict("records"):
        row: dict[str, Any] = {
            "exam": one["exam"], "model": one["entity"], "quantity": one["statistic"], "relation": one["relation"],
            "published": one["value"], "scale_unit": one["unit"], "years": one["years"], "unit": "",
            "sources": f"{PAPER}, {one['where']}", "note": one["notes"], "reason": NOT_HERE,
        }  # fmt: skip
        place = names.get(_plain(one["entity"]))
        if place is not None:
            mean = means[items[one["exam"]].tobytes()][place][0]
            interval = clustered_wilson(mean, level)
            row |= {"unit": str(counts.units.index[place]), "estimate": mean.estimate, "conf_low": interval.low,
                    "conf_high": interval.high, "n_items": mean.n_items,
                    "reason": mean.reason or interval.reason}  # fmt: skip
        rows.append(row)
    return _frame(rows, PUBLISHED)


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _conflicts(known: Sequence[Boundary]) -> pd.DataFrame:
    there = {one.exam for one in known}
    rows = [{"exam": one["exam"], "note": one["says"], "sources": PAPER} for one in conflicts() if one["exam"] in there]
    return _frame(rows, CONFLICTS)


def _summary(estimates: pd.DataFrame) -> dict[str, Any]:
    first = estimates.drop_duplicates("unit") if len(estimates) else estimates
    above = first[(first["verdict"] == SEPARATED) & (first["gap"] > 0)] if len(first) else first
    return {"n_units": len(first), "n_separated": int((first["verdict"] == SEPARATED).sum()), "n_better": len(above)}


NUMBERS = frozenset(
    {
        "human_score", "estimate", "std_error", "df", "conf_low", "conf_high", "conf_level", "gap", "gap_low",
        "gap_high", "pass_probability", "p_value", "p_adjusted", "published",
    }
)  # fmt: skip


def _frame(rows: list[dict[str, Any]], names: Sequence[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=list(names))
    for name in names:
        if name.startswith("n_"):
            frame[name] = pd.array(frame[name].tolist(), dtype="Int64")
        elif name == "computable":
            frame[name] = frame[name].astype("boolean")
        elif name in NUMBERS:
            frame[name] = frame[name].astype("float64")
        else:
            frame[name] = frame[name].astype(object).where(frame[name].notna(), "")
    return frame


def _check(target: str, denominator: str, level: float) -> None:
    check_level(level)
    if target not in get_args(Target):
        raise UsageError(f"There is no target {target!r}.", do="Use sampled or fixed.")
    if denominator not in get_args(Denominator):
        raise UsageError(f"There is no denominator {denominator!r}.", do="Use responded, planned or in_option.")
    if target == "fixed" and denominator != "responded":
        raise UsageError(
            f"With fixed items there is no error under the denominator {denominator!r}.", do="Use responded."
        )

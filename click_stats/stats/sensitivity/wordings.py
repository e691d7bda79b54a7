"""Wordings of one model against each other, and the control that compares a model with itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.counts import STATUSES, Counts
from click_stats.stats.compare import compare
from click_stats.stats.tools.intervals import clopper_pearson

if TYPE_CHECKING:
    from collections.abc import Sequence

ONE_WORDING = "one wording: nothing to compare it with"
REPLICATES, WORDINGS = "replicates", "wordings"
NO_CONTROL = "one answer to a prompt and one wording: nothing to compare a model with itself"
TAKEN = ("estimate", "std_error", "conf_low", "conf_high", "sim_low", "sim_high", "p_value", "p_adjusted", "verdict",
         "n_items", "conf_level", "reason")  # fmt: skip
PAIRS = ("unit", "wording_a", "wording_b", *TAKEN, "n_prompts", "n_changed", "share_changed", "n_items_changed")
TESTS = ("unit", "control", "level_a", "level_b", "by", "group", "estimate", "conf_low", "conf_high", "conf_level",
         "p_value", "n_items", "reason")  # fmt: skip
CONTROL = ("control", "by", "n_units", "n_tests", "n_estimable", "alpha", "n_different", "share_different", "conf_low",
           "conf_high", "conf_level", "reason")  # fmt: skip


def split(counts: Counts, rows: pd.DataFrame, by: str, levels: Sequence[Any]) -> Counts:
    """Return the counts of one unit's responses with a unit for each level of ``by`` (a wording, a replicate)."""
    place = {level: row for row, level in enumerate(levels)}
    kept = rows[rows[by].isin(place)]
    unit, item = kept[by].map(place).to_numpy(dtype=np.int64), kept["item"].to_numpy(dtype=np.int64)
    prediction = kept["prediction"].to_numpy(dtype=np.int64)
    shape = (len(levels), len(counts.items))
    options = np.zeros((*shape, counts.options.shape[2]), dtype=np.int64)
    statuses = np.zeros((*shape, len(STATUSES)), dtype=np.int64)
    named = prediction >= 0
    np.add.at(options, (unit[named], item[named], prediction[named]), 1)
    status = np.where(named, STATUSES.index("ok"), STATUSES.index("out_of_option"))
    np.add.at(statuses, (unit, item, status), 1)
    names = pd.Index([str(level) for level in levels], name="unit")
    units = pd.DataFrame({"model": list(names), "condition": "", "protocol": "one"}, index=names)
    return Counts(units, counts.items, options, statuses, statuses.sum(axis=2), None, counts.categories, counts.domains)


def wording_pairs(
    counts: Counts, by_unit: Sequence[pd.DataFrame], *, level: float, draws: int, seed: int
) -> pd.DataFrame:
    """Return every pair of wordings of every unit: paired differences of accuracy, and answers that changed.

    The pairs of one unit are a family of :func:`click_stats.stats.compare.compare`. An answer changed when the same
    item in the same rotation (and replicate) got another option, or an option where there was none.
    """
    rows = []
    for unit, own in zip(counts.units.index, by_unit, strict=True):
        names = sorted(own["wording"].unique())
        if len(names) < 2:
            rows.append({"unit": unit, "reason": ONE_WORDING})
            continue
        found = compare(
            split(counts, own, "wording", names), by="overall", level=level, alpha=round(1 - level, 12), draws=draws,
            seed=seed,
        ).tables["estimates"]  # fmt: skip
        for row in found.to_dict("records"):
            a, b = str(row["unit_a"]), str(row["unit_b"])
            pair = {"unit": unit, "wording_a": a, "wording_b": b, **{name: row[name] for name in TAKEN}}
            pair["reason"] = row["reason"] if pd.isna(row["p_value"]) else ""  # else it is about tests not shown here
            rows.append(pair | _changed(own[own["wording"] == a], own[own["wording"] == b]))
    return _typed(pd.DataFrame(rows).reindex(columns=list(PAIRS)))


def control(
    counts: Counts, by_unit: Sequence[pd.DataFrame], *, level: float, draws: int, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tests of each unit against itself, and the share of them that call it different.

    With replicates the first two are compared: nothing but chance differs, so a share of ``1 - level`` of the tests
    may be below that level. Without replicates two wordings are compared, which may truly differ: no A/A control.
    """
    used = [_levels(own) for own in by_unit]
    kind = REPLICATES if any(name == REPLICATES for name, _, _ in used) else WORDINGS
    rows: list[dict[str, Any]] = []
    for unit, own, (name, column, levels) in zip(counts.units.index, by_unit, used, strict=True):
        if name != kind:
            continue
        found = compare(
            split(counts, own, column, levels), by=("overall", "category"), level=level, alpha=round(1 - level, 12),
            draws=draws, seed=seed,
        ).tables["estimates"]  # fmt: skip
        for row in found.to_dict("records"):
            kept = {name: row[name] for name in TESTS if name in row}
            kept["reason"] = row["reason"] if pd.isna(row["p_value"]) else ""
            rows.append({"unit": unit, "control": kind, **kept, "level_a": row["unit_a"], "level_b": row["unit_b"]})
    tests = pd.DataFrame(rows).reindex(columns=list(TESTS))
    tests["n_items"] = tests["n_items"].astype("Int64")
    return _shares(tests, kind, level), tests


def _shares(tests: pd.DataFrame, kind: str, level: float) -> pd.DataFrame:
    alpha = round(1 - level, 12)
    rows: list[dict[str, Any]] = []
    for by in ("overall", "category"):
        part = tests[tests["by"] == by]
        p = part["p_value"].dropna().to_numpy(dtype=np.float64)
        row: dict[str, Any] = {"control": kind, "by": by, "n_units": part["unit"].nunique(), "n_tests": len(part)}
        row |= {"n_estimable": len(p), "alpha": alpha, "conf_level": level, "reason": ""}
        if len(p):
            n = int((p <= alpha).sum())
            interval = clopper_pearson(n, len(p), level)
            row |= {"n_different": n, "share_different": n / len(p), "conf_low": interval.low}
            row |= {"conf_high": interval.high}
        else:
            row["reason"] = NO_CONTROL if not len(part) else "all answers agree: no test"
        rows.append(row)
    frame = pd.DataFrame(rows).reindex(columns=list(CONTROL))
    for name in ("n_units", "n_tests", "n_estimable", "n_different"):
        frame[name] = frame[name].astype("Int64")
    return frame


def _levels(own: pd.DataFrame) -> tuple[str, str, list[Any]]:
    """Return which levels a unit is compared at: its first two replicates, else two wordings, else none."""
    replicates = sorted(own["replicate"].unique())
    if len(replicates) > 1:
        return REPLICATES, "replicate", replicates[:2]
    names = sorted(own["wording"].unique())
    return (WORDINGS, "wording", names[:2]) if len(names) > 1 else ("", "", [])


def _changed(a: pd.DataFrame, b: pd.DataFrame) -> dict[str, Any]:
    key = ["item", "rotation", "replicate"]
    both = a[[*key, "prediction"]].merge(b[[*key, "prediction"]], on=key, suffixes=("_a", "_b"))
    other = both["prediction_a"] != both["prediction_b"]
    n = len(both)
    return {
        "n_prompts": n,
        "n_changed": int(other.sum()),
        "share_changed": float(other.mean()) if n else np.nan,
        "n_items_changed": int(both.loc[other, "item"].nunique()),
    }


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    for name in ("n_items", "n_prompts", "n_changed", "n_items_changed"):
        frame[name] = frame[name].astype("Int64")
    for name in ("wording_a", "wording_b", "verdict", "reason"):
        frame[name] = frame[name].astype(object).fillna("").astype(str)
    return frame

"""Rows of the result: before and after, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.stats import partition
from click_stats.stats.families import SEPARATED
from click_stats.stats.tools.clustered import cluster_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, FloatArray
    from click_stats.stats.impact.analysis import Scenario
    from click_stats.stats.impact.standing import Standing
    from click_stats.stats.settings import PairSettings

ESTIMATES = (
    *("erratum", "item", "action", "unit", "by", "group", "score_before", "score_after", "change", "se_before"),
    *("n_items_before", "n_items_after", "n_gaining", "n_losing", "rank_before", "rank_after", "reason"),
)
ERRATA = (
    *("erratum", "item", "action", "n_gaining", "n_losing", "n_unscored", "largest_change"),
    *("n_ranks_changed", "n_verdicts_changed"),
)
ITEMS = ("erratum", "item", "outcome", "n_units", "members")
ANSWERS = ("erratum", "item", "unit", "score_before", "score_after", "outcome")
VERDICTS = (
    *("erratum", "unit_a", "unit_b", "difference_before", "difference_after", "p_before", "p_after"),
    *("verdict_before", "verdict_after", "flag"),
)
WHOLE = {
    *("n_items_before", "n_items_after", "rank_before", "rank_after", "n_gaining", "n_losing", "n_unscored", "n_units")
}
GAINS, LOSES, NOT_SCORED = "gains", "loses", "no longer scored"
NO_SCORE = "no item was answered, before or after"
WITHIN_ERROR = "within the error of the draws"
SAME = 1e-12
SURE = 2.0
"""A p-value closer to the level than so many of its Monte Carlo standard errors could fall on either side."""


def score_rows(
    scenario: Scenario, was: Standing, now: Standing, before: Counts, *, everything: bool
) -> list[dict[str, Any]]:
    """Return one row per unit of each group: overall always, others where ``everything`` or a score changes."""
    clusters = partition.clusters(before, np.arange(len(before.items), dtype=np.int64))
    there, here = _paired(was, now)
    gaining, losing = (here - there > SAME).sum(axis=0), (there - here > SAME).sum(axis=0)
    absent, none = np.full(len(was.ranks), np.nan), np.zeros(len(was.ranks))
    rows = []
    for by, group in {**was.scores, **now.scores}:
        scores, after = (one.scores.get((by, group), absent) for one in (was, now))
        n_before, n_after = (one.n_items.get((by, group), none) for one in (was, now))
        if not (everything or by == partition.OVERALL or not np.allclose(scores, after, 0, SAME, equal_nan=True)):
            continue
        for unit, label in enumerate(before.units.index):
            change = after[unit] - scores[unit]
            row: dict[str, Any] = {"erratum": scenario.erratum, "item": scenario.item, "action": scenario.action}
            row |= {"unit": str(label)}
            row |= {"by": by, "group": group, "score_before": scores[unit], "score_after": after[unit]}
            row |= {"change": change, "n_items_before": n_before[unit], "n_items_after": n_after[unit]}
            row |= {"reason": "" if np.isfinite(change) else NO_SCORE}
            if by == partition.OVERALL:
                row["se_before"] = cluster_mean(there[:, unit], clusters).std_error
                row |= {"n_gaining": gaining[unit], "n_losing": losing[unit]}
                row |= {"rank_before": was.ranks[unit], "rank_after": now.ranks[unit]}
            rows.append(row)
    return rows


def _paired(was: Standing, now: Standing) -> tuple[FloatArray, FloatArray]:
    """Return (I, U) item scores before and after, of the items before."""
    after = now.item_scores.reindex(was.item_scores.index)
    return was.item_scores.to_numpy(dtype=np.float64), after.to_numpy(dtype=np.float64)


def answer_rows(scenario: Scenario, was: Standing, now: Standing) -> list[dict[str, Any]]:
    """Return one row per item and unit whose score of the item changes or falls away."""
    there, here = _paired(was, now)
    gone = np.isfinite(there) & np.isnan(here)
    rows = []
    for item, unit in np.argwhere(gone | (np.abs(here - there) > SAME)):
        old, new = there[item, unit], here[item, unit]
        row = {"erratum": scenario.erratum, "item": str(was.item_scores.index[item])}
        row |= {"unit": str(was.item_scores.columns[unit]), "score_before": old, "score_after": new}
        rows.append(row | {"outcome": NOT_SCORED if gone[item, unit] else GAINS if new > old else LOSES})
    return rows


def _by_item(answers: pd.DataFrame) -> pd.DataFrame:
    """Return one row per erratum, item and outcome, with the models that it meets."""
    if answers.empty:
        return pd.DataFrame(columns=list(ITEMS))
    by = answers.groupby(["erratum", "item", "outcome"], sort=False)["unit"]
    return by.agg(n_units="size", members=", ".join).reset_index()[list(ITEMS)]


def verdict_rows(scenario: Scenario, was: Standing, now: Standing, settings: PairSettings) -> list[dict[str, Any]]:
    """Return one row per pair whose verdict changes, or that is separated the other way round.

    A change is marked where the random draws alone could have made it.
    """
    after = now.verdicts.reindex(was.verdicts.index)
    other = was.verdicts["verdict"] != after["verdict"]
    turned = (after["verdict"] == SEPARATED) & (was.verdicts["estimate"] * after["estimate"] < 0)
    rows = []
    for pair in was.verdicts.index[(other | turned).to_numpy(dtype=bool)]:
        old, new = was.verdicts.loc[pair], after.loc[pair]
        close = any(_near(float(one["p_adjusted"]), settings) for one in (old, new))
        rows.append(
            {
                "erratum": scenario.erratum, "unit_a": pair[0], "unit_b": pair[1],
                "difference_before": old["estimate"], "difference_after": new["estimate"],
                "p_before": old["p_adjusted"], "p_after": new["p_adjusted"],
                "verdict_before": old["verdict"], "verdict_after": new["verdict"],
                "flag": WITHIN_ERROR if close else "",
            }
        )  # fmt: skip
    return rows


def _near(p: float, settings: PairSettings) -> bool:
    error = np.sqrt(settings.alpha * (1.0 - settings.alpha) / settings.draws)
    return bool(abs(p - settings.alpha) <= SURE * error)


def errata_rows(
    scenario: Scenario,
    was: Standing,
    now: Standing,
    changed: Sequence[dict[str, Any]],
    moved: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    """Return in numbers what a scenario changes; the largest change is of an overall score, either way."""
    outcomes = pd.Series([row["outcome"] for row in changed], dtype=object)
    key = next(iter(was.scores))
    change = now.scores[key] - was.scores[key]
    known = change[np.isfinite(change)]
    ranked = np.isfinite(was.ranks) | np.isfinite(now.ranks)
    return {
        "erratum": scenario.erratum,
        "item": scenario.item,
        "action": scenario.action,
        "n_gaining": int((outcomes == GAINS).sum()),
        "n_losing": int((outcomes == LOSES).sum()),
        "n_unscored": int((outcomes == NOT_SCORED).sum()),
        "largest_change": float(known[np.argmax(np.abs(known))]) if len(known) else np.nan,
        "n_ranks_changed": int((ranked & (was.ranks != now.ranks)).sum()),
        "n_verdicts_changed": len(moved),
    }


def tables(
    scores: list[dict[str, Any]],
    errata: list[dict[str, Any]],
    answers: list[dict[str, Any]],
    verdicts: list[dict[str, Any]],
) -> dict[str, pd.DataFrame]:
    """Return the tables of the result."""
    given = {
        "estimates": (scores, ESTIMATES),
        "errata": (errata, ERRATA),
        "verdicts": (verdicts, VERDICTS),
        "answers": (answers, ANSWERS),
    }
    found = {name: pd.DataFrame(rows, columns=list(columns)) for name, (rows, columns) in given.items()}
    found["items"] = _by_item(found["answers"])
    for frame in found.values():
        for name in WHOLE & set(frame.columns):
            frame[name] = frame[name].astype("Int64")
    return found

"""Is number 1 number 1: ranks with the ranks that the data do not rule out, for all models at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.results import Result
from click_stats.stats.compare import NO_MODEL, ONE_MODEL, check, check_alpha
from click_stats.stats.families import SEPARATED, Comparison, Settings, compared
from click_stats.stats.partition import groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, Denominator

RANKS = (
    *("unit", "by", "group", "estimate", "rank", "rank_low", "rank_high", "n_better", "n_worse", "co_leader"),
    *("n_items", "n_units", "conf_level", "method", "flag", "reason"),
)
METHOD = (
    "Rank interval of a model: 1 + the number of models shown to be better, to K - the number shown to be worse, "
    "from the signs of the step-down max-T family of all pairs (Romano-Wolf); all intervals of a family hold together."
)
TIED = "tied"


def ranks(
    counts: Counts,
    *,
    by: str | Sequence[str] = "overall",
    level: float = 0.95,
    pairwise_items: bool = False,
    denominator: Denominator = "responded",
    draws: int = 10_000,
    seed: int = 0,
) -> Result:
    """Rank the units, with simultaneous rank intervals.

    Parameters
    ----------
    counts
        The answers.
    by
        Groupings of the items; each is a family of its own.
    level
        Probability with which all intervals of a family cover.
    pairwise_items
        Compare each pair on its own common items; estimates are then over each unit's own items.
    denominator
        Which trials count.
    draws, seed
        Of the random signs; with the same values the pairs are those of ``compare`` at ``alpha = 1 - level``.

    Returns
    -------
    Result
        ``estimates``: units tied in accuracy share the best rank; ``co_leader`` marks all whose interval holds 1.
    """
    settings = Settings(level, check_alpha(1 - level), None, pairwise_items, denominator, draws, seed)
    check(settings)
    groupings = [by] if isinstance(by, str) else list(by)
    for one in groupings:
        groups(counts, one)
    warnings = list(counts.meta.get("warnings", []))
    if len(counts.units) < 2:
        warnings.append(ONE_MODEL if len(counts.units) else NO_MODEL)
        frame = pd.DataFrame(columns=list(RANKS))
    else:
        frame = pd.concat(
            [
                _group(counts, found, k, settings)
                for found in (compared(counts, one, settings) for one in groupings)
                for k in range(len(found.sets))
            ],
            ignore_index=True,
        )
    meta: dict[str, Any] = {
        "method": METHOD,
        "seed": seed,
        "draws": draws,
        "level": level,
        "denominator": denominator,
        "digests": dict(counts.meta.get("digests", {})),
        "warnings": warnings,
        "diagnostics": {},
    }
    return Result("ranks", {"estimates": frame}, _summary(frame), meta)


def _group(counts: Counts, found: Comparison, k: int, settings: Settings) -> pd.DataFrame:
    chosen, accuracy = found.sets[k], found.accuracy[k]
    labels = counts.units.index.to_numpy(dtype=object)
    pairs = found.every.rows[found.every.rows["group"] == chosen.group.name]
    apart = pairs[pairs["verdict"] == SEPARATED]
    winners = np.where(apart["estimate"] > 0, apart["unit_a"], apart["unit_b"])
    losers = np.where(apart["estimate"] > 0, apart["unit_b"], apart["unit_a"])
    taking_part = len(chosen.units)
    rows = []
    for unit, label in enumerate(labels):
        row: dict[str, Any] = {"unit": label, "by": chosen.group.by, "group": chosen.group.name}
        row |= {"estimate": accuracy[unit], "n_items": len(chosen.items), "n_units": taking_part}
        row |= {"conf_level": settings.level, "method": "step-down max-T", "flag": "", "reason": ""}
        if unit in chosen.left_out:
            row |= {"estimate": np.nan, "n_items": 0, "reason": chosen.left_out[unit]}
        elif np.isnan(accuracy[unit]):
            row |= {"reason": "no item that all answered"}
        else:
            better, worse = int((losers == label).sum()), int((winners == label).sum())
            rank = 1 + int((accuracy > accuracy[unit] + 1e-12).sum())
            if (np.abs(accuracy - accuracy[unit]) <= 1e-12).sum() > 1:
                row["flag"] = TIED
            row |= {"rank": rank, "rank_low": 1 + better, "rank_high": taking_part - worse}
            row |= {"n_better": better, "n_worse": worse, "co_leader": better == 0}
        rows.append(row)
    frame = pd.DataFrame(rows).reindex(columns=list(RANKS))
    for name in ("rank", "rank_low", "rank_high", "n_better", "n_worse", "n_items", "n_units"):
        frame[name] = frame[name].astype("Int64")
    frame["co_leader"] = frame["co_leader"].astype("boolean")
    return frame.sort_values(["rank"], kind="stable", na_position="last", ignore_index=True)


def _summary(frame: pd.DataFrame) -> dict[str, Any]:
    if frame.empty:
        return {"n_units": 0, "co_leaders": []}
    first = frame[(frame["by"] == frame["by"].iat[0]) & (frame["group"] == frame["group"].iat[0])]
    leaders = first.loc[first["co_leader"].fillna(value=False).astype(bool), "unit"].tolist()
    return {"n_units": int(first["n_units"].iat[0]), "co_leaders": leaders}

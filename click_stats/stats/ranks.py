"""Is number 1 number 1: ranks with the ranks that the data do not rule out, for all models at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.results import Result
from click_stats.stats.compare import pair_meta
from click_stats.stats.families import SEPARATED, Comparison, compared
from click_stats.stats.partition import groups
from click_stats.stats.settings import PairSettings

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
    settings = PairSettings(level, 1 - level, None, pairwise_items, denominator, draws, seed)
    groupings = [by] if isinstance(by, str) else list(by)
    groups(counts, groupings)  # an unknown one is an error before anything is computed
    found = [compared(counts, one, settings) for one in groupings] if len(counts.units) > 1 else []
    frames = [_group(counts, one, k, settings) for one in found for k in range(len(one.sets))]
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(RANKS))
    return Result("ranks", {"estimates": frame}, _summary(frame), pair_meta(counts, settings, METHOD))


def _group(counts: Counts, found: Comparison, k: int, settings: PairSettings) -> pd.DataFrame:
    chosen, accuracy = found.sets[k], found.accuracy[k]
    labels = counts.units.index.to_numpy(dtype=object)
    pairs = found.every.rows[found.every.rows["group"] == chosen.group.name]
    apart = pairs[pairs["verdict"] == SEPARATED]
    winners = np.where(apart["estimate"] > 0, apart["unit_a"], apart["unit_b"])
    losers = np.where(apart["estimate"] > 0, apart["unit_b"], apart["unit_a"])
    taking_part = len(chosen.units)
    n_items = np.full(len(labels), len(chosen.items))
    if settings.pairwise:
        n_items = (counts.scores(settings.denominator).trials[:, chosen.group.items] > 0).sum(axis=1)
    rows = []
    for unit, label in enumerate(labels):
        row: dict[str, Any] = {"unit": label, "by": chosen.group.by, "group": chosen.group.name}
        row |= {"estimate": accuracy[unit], "n_items": int(n_items[unit]), "n_units": taking_part}
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
    first = frame[(frame["by"] == frame["by"].iloc[0]) & (frame["group"] == frame["group"].iloc[0])]
    leaders = first["co_leader"].fillna(value=False).to_numpy(dtype=bool)
    return {"n_units": len(first), "co_leaders": first["unit"].to_numpy()[leaders].tolist()}

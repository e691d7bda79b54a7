"""The tables of the result: one row per item, per set of items, per suspect, per voter, per group of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.sparse import csgraph, csr_matrix

from click_stats.stats import partition
from click_stats.stats.item_analysis import classical
from click_stats.stats.item_analysis.reliability import reliability
from click_stats.stats.tools.rows import frame

if TYPE_CHECKING:
    from click_stats.counts import Counts, FloatArray, IntArray
    from click_stats.stats.item_analysis.answers import Answers
    from click_stats.stats.item_analysis.miskey import Voters, Votes

ESTIMATES = (
    "item", "category", "source", "n_options", "n_units", "n_trials", "estimate", "std_error", "df", "conf_low",
    "conf_high", "conf_level", "item_rest", "item_rest_low", "item_rest_high", "category_rest", "category_rest_low",
    "category_rest_high", "alpha_if_dropped", "category_alpha_if_dropped", "n_unused", "flag", "reason",
)  # fmt: skip
RELIABILITY = (
    "by", "group", "n_units", "n_items", "n_items_total", "cronbach_alpha", "conf_low", "conf_high", "conf_level",
    "kr20", "lambda6", "reason",
)  # fmt: skip
SUSPECTS = (
    "place", "item", "category", "source", "key_option", "other_option", "vote_score", "share_other", "share_key",
    "n_units", "family_score", "family_place", "is_flagged",
)  # fmt: skip
VOTERS = ("unit", "estimate", "independence", "n_items")
MODEL_GROUPS = (
    "item", "by", "group", "n_units", "estimate", "conf_low", "conf_high", "conf_level", "item_rest", "item_rest_low",
    "item_rest_high", "reason",
)  # fmt: skip
HALF = 0.5


class Item:
    """Classical statistics of all items: proportions, correlations with the rest of the test and of the category."""

    def __init__(self, answers: Answers, counts: Counts, level: float) -> None:
        self.level = level
        self.proportion = classical.proportions(answers.scores, answers.model, level)
        self.rest = classical.rest_scores(answers.scores)
        self.item_rest = classical.correlations(answers.scores, self.rest, answers.model, level)
        within = np.full(answers.scores.shape, np.nan)
        for group in partition.groups(counts, "category"):
            within[:, group.items] = classical.rest_scores(answers.scores[:, group.items])
        self.category_rest = classical.correlations(answers.scores, within, answers.model, level)
        there = answers.there
        deviations = np.where(there, answers.scores - self.proportion.value, 0.0)
        n = there.sum(axis=1)
        self.ability: FloatArray = np.where(n > 0, deviations.sum(axis=1) / np.maximum(n, 1), np.nan)


def estimates(
    answers: Answers, found: Item, dropped: tuple[FloatArray, FloatArray], n_unused: IntArray, flags: pd.DataFrame
) -> pd.DataFrame:
    """Return one row per item."""
    items = answers.items
    p, rest, own = found.proportion, found.item_rest, found.category_rest
    flagged = flags.groupby("item", sort=False)["flag"].agg("; ".join) if len(flags) else pd.Series(dtype=object)
    columns: dict[str, Any] = {
        "item": items.index.to_numpy(dtype=object),
        "category": items["category"].astype(str).to_numpy(dtype=object),
        "source": items["source"].astype(str).to_numpy(dtype=object) if "source" in items else "",
        "n_options": answers.n_options,
        "n_units": answers.there.sum(axis=0),
        "n_trials": answers.trials.sum(axis=0),
        "estimate": p.value, "std_error": p.std_error, "df": p.df, "conf_low": p.low, "conf_high": p.high,
        "conf_level": found.level,
        "item_rest": rest.value, "item_rest_low": rest.low, "item_rest_high": rest.high,
        "category_rest": own.value, "category_rest_low": own.low, "category_rest_high": own.high,
        "alpha_if_dropped": dropped[0], "category_alpha_if_dropped": dropped[1],
        "n_unused": n_unused,
        "flag": [flagged.get(item, "") for item in items.index],
        "reason": [_joined(*why) for why in zip(p.reason, rest.reason, own.reason, strict=True)],
    }  # fmt: skip
    return pd.DataFrame(columns, columns=list(ESTIMATES))


def _joined(*reasons: str) -> str:
    return "; ".join(dict.fromkeys(filter(None, reasons)))


def reliabilities(answers: Answers, counts: Counts, level: float) -> tuple[pd.DataFrame, tuple[FloatArray, FloatArray]]:
    """Return the reliability of the test and of each category, and alpha if an item is dropped, from either.

    A set of items rests on the models that answered at least half of it, and on the items that all of these answered.
    """
    rows: list[dict[str, Any]] = []
    dropped = {by: np.full(len(answers.gold), np.nan) for by in ("overall", "category")}
    for group in partition.groups(counts, ["overall", "category"]):
        part = answers.scores[:, group.items]
        there = ~np.isnan(part)
        units = there.mean(axis=1) >= HALF if part.shape[1] else np.zeros(len(part), dtype=bool)
        whole = there[units].all(axis=0) if units.any() else np.zeros(part.shape[1], dtype=bool)
        found = reliability(part[units][:, whole], level)
        dropped[group.by][group.items[whole]] = found.dropped
        reasons = [one.reason for one in (found.alpha, found.kr20, found.lambda6)]
        rows.append(
            {
                "by": group.by, "group": group.name, "n_units": int(units.sum()), "n_items": int(whole.sum()),
                "n_items_total": part.shape[1], "cronbach_alpha": found.alpha.value, "conf_low": found.low,
                "conf_high": found.high, "conf_level": level, "kr20": found.kr20.value,
                "lambda6": found.lambda6.value, "reason": _joined(*reasons),
            }
        )  # fmt: skip
    return frame(rows, RELIABILITY), (dropped["overall"], dropped["category"])


def suspects(answers: Answers, votes: Votes, by_family: Votes, flagged: set[int], most: int) -> pd.DataFrame:
    """Return the items whose key is most in doubt, those with more votes for another option than for the key."""
    order = _by_score(votes.score)
    place = {int(item): rank for rank, item in enumerate(_by_score(by_family.score), start=1)}
    rows = [
        {
            "place": rank, "item": answers.items.index[item], "category": answers.items["category"].iloc[item],
            "source": answers.items["source"].iloc[item] if "source" in answers.items else "",
            "key_option": int(answers.gold[item]) + 1, "other_option": int(votes.other[item]) + 1,
            "vote_score": votes.score[item], "share_other": votes.share_other[item],
            "share_key": votes.share_key[item], "n_units": int(answers.there[:, item].sum()),
            "family_score": by_family.score[item], "family_place": place[int(item)], "is_flagged": int(item) in flagged,
        }
        for rank, item in enumerate(order[:most], start=1)
        if votes.score[item] > 0
    ]  # fmt: skip
    return frame(rows, SUSPECTS)


def _by_score(score: FloatArray) -> IntArray:
    order: IntArray = np.argsort(-np.nan_to_num(score, nan=-np.inf), kind="stable").astype(np.int64)
    return order


def voters(answers: Answers, known: Voters) -> pd.DataFrame:
    """Return what the answers of each unit count for."""
    return pd.DataFrame(
        {
            "unit": list(map(str, answers.units.index)), "estimate": known.accuracy,
            "independence": known.independence, "n_items": answers.there.sum(axis=1),
        },
        columns=list(VOTERS),
    )  # fmt: skip


def model_groups(answers: Answers, by: str, rest: FloatArray, level: float) -> pd.DataFrame:
    """Return proportions and item-rest correlations of every item within each group of models.

    The rest score is that of the whole data, so that groups are seen on one scale.
    """
    stated = answers.units[by] if by in answers.units else pd.Series(None, index=answers.units.index, dtype=object)
    frames = []
    for name in dict.fromkeys(str(value) for value in stated if value is not None and value == value and value != ""):  # noqa: PLR0124 -- NaN
        own = (stated.astype(str) == name).to_numpy()
        p = classical.proportions(answers.scores[own], answers.model[own], level)
        r = classical.correlations(answers.scores[own], rest[own], answers.model[own], level)
        frames.append(
            pd.DataFrame(
                {
                    "item": answers.items.index.to_numpy(dtype=object), "by": by, "group": name,
                    "n_units": answers.there[own].sum(axis=0), "estimate": p.value, "conf_low": p.low,
                    "conf_high": p.high, "conf_level": level, "item_rest": r.value, "item_rest_low": r.low,
                    "item_rest_high": r.high,
                    "reason": [_joined(*why) for why in zip(p.reason, r.reason, strict=True)],
                },
                columns=list(MODEL_GROUPS),
            )
        )  # fmt: skip
    return pd.concat(frames, ignore_index=True) if frames else frame([], MODEL_GROUPS)


def n_blocks(answers: Answers) -> int:
    """Return into how many groups the units fall that share no item, directly or through others."""
    there = answers.there
    rows = there[there.any(axis=1)]
    if not len(rows):
        return 0
    return int(csgraph.connected_components(csr_matrix(rows.astype(np.int64) @ rows.T), directed=False)[0])

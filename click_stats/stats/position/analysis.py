"""The analysis of position: what is chosen where, and what accuracy is left when position cannot help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats import blocks, partition
from click_stats.stats.families import NOT_DECIDED, NOT_SEPARATED, SEPARATED
from click_stats.stats.one_right import with_one_right
from click_stats.stats.position.accuracies import ADJUSTED, STRICT, VOTE, accuracies, preference_rows
from click_stats.stats.position.tables import CHOICES, ONE_ORDER, by_gold, choices, one_order, tests
from click_stats.stats.tools.intervals import check_level
from click_stats.stats.tools.multiplicity import holm
from click_stats.stats.tools.rows import frame

if TYPE_CHECKING:
    from click_stats.counts import Counts

COLUMNS = {
    "estimates": (
        "unit", "n_options", "position", "estimate", "expected", "departure", "std_error", "df", "conf_low",
        "conf_high", "conf_level", "n_items", "n_trials", "n_clusters", "method", "reason",
    ),
    "tests": (
        "unit", "n_options", "measure", "statistic", "df", "df_residual", "p_value", "p_adjusted", "p_method",
        "verdict", "alpha", "n_items", "n_clusters", "reason",
    ),
    "gold": (
        "unit", "n_options", "position", "estimate", "std_error", "df", "conf_low", "conf_high", "conf_level",
        "n_items", "n_trials", "n_clusters", "method", "reason",
    ),
    "preferences": (
        "unit", "n_options", "position", "preference", "preference_se", "preference_low", "preference_high",
        "conf_level", "n_pairs", "n_items", "n_clusters", "reason",
    ),
    "accuracies": (
        "unit", "measure", "estimate", "std_error", "df", "conf_low", "conf_high", "conf_level", "n_items",
        "n_items_lost", "n_trials", "n_clusters", "method", "reason",
    ),
}  # fmt: skip
NO_ROTATIONS = (
    "No model answered all orders of the options of any item: what is chosen at a position cannot be told from what "
    "stands there. Only shares of chosen positions beside those of the right options are shown; ask with all rotations."
)
METHOD = (
    "Answers to complete rotations, where each option stands once at each position; shares and accuracies with errors "
    "between passages, departures from balance by a clustered F test, Holm over the models; preferences for positions "
    "by conditional likelihood of exchanged answers."
)


def position(counts: Counts, *, level: float = 0.95, draws: int = 999, seed: int = 0) -> Result:
    """Tell whether models favour displayed positions, and how accurate they are when position cannot help.

    Parameters
    ----------
    counts
        With ``responses``.
    level
        Confidence level; 1 less this is the level of the tests, corrected (Holm) over models and option numbers.
    draws, seed
        Of the test that stands in where the covariance has no full rank.

    Returns
    -------
    Result
        ``estimates``: share of each displayed position among the answers, beside the balanced expectation (with one
        order: beside the share of right options there, without a test). ``tests``: are choices, and is accuracy, even
        over positions. ``gold``: accuracy by displayed position of the right option. ``preferences``: log weight of
        each position, whatever stands there (:func:`.preference.preference`). ``accuracies``: mean, strict circular
        (right in every order; Zheng et al. 2024, Liu et al. 2024), majority vote over the orders with ties split, and
        bias-adjusted: that of the same content with equal weights of the positions (:func:`.preference.adjusted`).

    Raises
    ------
    UsageError
        Counts without responses, or a parameter out of range.
    """
    check_level(level)
    if draws < 1:
        raise UsageError("The test needs draws.", found=str(draws), do="Use for example 999.")
    counts, left_out = with_one_right(counts)
    responses = blocks.complete(counts, "position")
    passages = partition.clusters(counts, np.arange(len(counts.items), dtype=np.int64))
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in COLUMNS}
    warnings = []
    for place, name in enumerate(map(str, counts.units.index)):
        own = responses[responses["unit"] == place]
        whole = own[own["complete"]]
        if len(own) and not len(whole):
            warnings.append(f"{name}: no item with all orders of its options; position is not tested.")
        n_lost = own["item"].nunique() - whole["item"].nunique()
        for n in map(int, sorted(counts.items["n_options"].unique())):
            key = {"unit": name, "n_options": n}
            part = whole[whole["n_options"] == n]
            if len(part):
                rows["estimates"] += [{**key, **one} for one in choices(part, n, passages, level)]
                rows["gold"] += [{**key, **one} for one in by_gold(part, n, passages, level)]
                rows["tests"] += [{**key, **one} for one in tests(part, n, passages, level, draws, seed)]
            else:
                rows["estimates"] += [{**key, **one} for one in one_order(own[own["n_options"] == n], n)]
        key = {"unit": name, "n_items_lost": n_lost}
        if len(whole):
            found, preferences = accuracies(whole, passages, level)
            rows["accuracies"] += [{**key, **one} for one in found]
            rows["preferences"] += [
                {"unit": name, "n_options": n, **one}
                for n, (items, preference) in preferences.items()
                for one in preference_rows(items, preference, passages, level)
            ]
        else:
            rows["accuracies"] += [
                {**key, "measure": one, "n_items": 0, "reason": ONE_ORDER} for one in (STRICT, VOTE, ADJUSTED)
            ]
    adjusted = holm([one["p_value"] for one in rows["tests"]])
    for test, p in zip(rows["tests"], adjusted, strict=True):
        test["p_adjusted"] = float(p)
        test["verdict"] = NOT_DECIDED if np.isnan(p) else SEPARATED if p < round(1 - level, 12) else NOT_SEPARATED
    tables = {name: frame(rows[name], columns) for name, columns in COLUMNS.items()}
    reason = "" if len(tables["tests"]) else NO_ROTATIONS
    tested = tables["tests"][tables["tests"]["measure"] == CHOICES]
    summary = {
        "n_units": int(tested["unit"].nunique()),
        "n_separated": int(tested.loc[tested["verdict"] == SEPARATED, "unit"].nunique()),
    }
    meta: dict[str, Any] = {
        "method": METHOD, "level": level, "draws": draws, "seed": seed, "reason": reason,
        "warnings": [reason] if reason else [*left_out, *warnings],
    }  # fmt: skip
    return Result("position", tables, summary, meta)

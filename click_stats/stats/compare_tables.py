"""The tables of a comparison: pairs, families, letters and the items compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.stats.families import SEPARATED
from click_stats.stats.pairs import LEAST_COVERAGE
from click_stats.stats.partition import CROSSING, OVERALL
from click_stats.stats.tools.letters import letters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts
    from click_stats.stats.families import Comparison, Family
    from click_stats.stats.settings import PairSettings

PAIRS = (
    *("unit_a", "unit_b", "by", "group", "estimate", "std_error", "df", "conf_low", "conf_high", "conf_level"),
    *("sim_low", "sim_high", "statistic", "p_value", "p_method", "p_holm", "p_bh", "p_adjusted"),
    *("p_mcnemar", "p_mcnemar_midp", "n_a_only", "n_b_only", "odds_ratio", "odds_low", "odds_high"),
    *("se_ratio", "correlation", "bound_low", "bound_high", "n_items", "n_clusters", "margin", "p_tost"),
    *("verdict", "verdict_changes", "sign_conflict", "same_protocol", "method", "test_family", "flag", "reason"),
)
FAMILIES = (
    *("test_family", "by", "correction", "n_tests", "n_estimable", "alpha", "critical_value", "n_draws", "note"),
)
LETTERS = ("unit", "by", "group", "letters")
ITEM_SETS = ("by", "group", "n_items", "n_items_total", "n_items_lost", "n_units", "note")
FEW_SHARED = (
    "Comparisons over all items rest on under half of them: leave out the models with few answers, or compare each "
    "pair on its own items (--pairwise-items)."
)
WITHIN_OVERALL = f"{OVERALL}{CROSSING}category"
"""Grouping of the rows of the item sets that say what all items keep of each category."""
CORRECTION = "step-down max-T"


def tables(counts: Counts, found: Sequence[Comparison], settings: PairSettings) -> dict[str, pd.DataFrame]:
    """Return all tables of a comparison; empty ones, with their columns, when nothing was compared."""
    return {
        "estimates": pair_table(counts, [one.every for one in found]),
        "reference": pair_table(counts, [one.reference for one in found if one.reference is not None]),
        "families": family_table(found, settings),
        "letters": letter_table(counts, found),
        "item_sets": item_set_table(counts, found, settings),
    }


def pair_table(counts: Counts, families: Sequence[Family]) -> pd.DataFrame:
    """Return the rows of the families, one under the other."""
    if not families:
        return pd.DataFrame(columns=list(PAIRS))
    frame = pd.concat([family.rows for family in families], ignore_index=True)
    frame["same_protocol"] = _same_protocol(counts, frame)
    return frame[list(PAIRS)]


def _same_protocol(counts: Counts, frame: pd.DataFrame) -> list[str]:
    if "protocol" not in counts.units:
        return ["not stated"] * len(frame)
    stated = dict(zip(counts.units.index, counts.units["protocol"].fillna("").astype(str), strict=True))
    pairs = [(stated[a], stated[b]) for a, b in zip(frame["unit_a"], frame["unit_b"], strict=True)]
    return ["not stated" if not (a and b) else "yes" if a == b else "no" for a, b in pairs]


def family_table(found: Sequence[Comparison], settings: PairSettings) -> pd.DataFrame:
    """Return the families with their sizes and critical values."""
    rows = []
    for one in found:
        for family in (one.every, one.reference):
            if family is None:
                continue
            note = f"simultaneous intervals of level {1 - settings.alpha:.6g}"
            missing = len(family.rows) - family.n_estimable
            if missing:
                note += f"; {missing:,} tests are not estimable and left out of the corrections"
            row = (family.name, one.by, CORRECTION, len(family.rows), family.n_estimable, settings.alpha)
            rows.append((*row, family.critical, settings.draws, note))
    return pd.DataFrame(rows, columns=list(FAMILIES))


def letter_table(counts: Counts, found: Sequence[Comparison]) -> pd.DataFrame:
    """Return the letters of every unit in every group: two units share one unless they are separated."""
    rows = []
    labels = list(counts.units.index)
    place = {label: k for k, label in enumerate(labels)}
    for one in found:
        apart_by_group = one.every.rows[one.every.rows["verdict"] == SEPARATED].groupby("group")
        for chosen, accuracy in zip(one.sets, one.accuracy, strict=True):
            apart = np.zeros((len(labels), len(labels)), dtype=bool)
            if chosen.group.name in apart_by_group.groups:
                pairs = apart_by_group.get_group(chosen.group.name)
                a, b = pairs["unit_a"].map(place).to_numpy(), pairs["unit_b"].map(place).to_numpy()
                apart[a, b] = apart[b, a] = True
            order = [int(k) for k in np.argsort(-accuracy, kind="stable") if k in chosen.units]
            dealt = dict(zip(order, letters(apart[np.ix_(order, order)]), strict=True))
            rows += [(label, one.by, chosen.group.name, dealt.get(k, "")) for k, label in enumerate(labels)]
    return pd.DataFrame(rows, columns=list(LETTERS))


def item_set_table(counts: Counts, found: Sequence[Comparison], settings: PairSettings) -> pd.DataFrame:
    """Return the items of each group, and for all items also what is left of each category."""
    labels = list(map(str, counts.units.index))
    categories = counts.items["category"].to_numpy()
    rows: list[tuple[Any, ...]] = []
    for one in found:
        for chosen in one.sets:
            name, total, kept = chosen.group.name, len(chosen.group.items), len(chosen.items)
            notes = [f"{who} left out: {why}" for who, why in chosen.absent(labels)]
            if settings.pairwise:
                sizes = one.every.rows.loc[one.every.rows["group"] == name, "n_items"]
                kept, most = (int(sizes[sizes > 0].min()), int(sizes.max())) if (sizes > 0).any() else (0, 0)
                notes.insert(0, f"each pair's common items: {kept:,} to {most:,}")
            rows.append((one.by, name, kept, total, total - kept, len(chosen.units), "; ".join(notes)))
            if one.by == OVERALL and not settings.pairwise:
                for category in counts.categories or sorted(set(categories)):
                    inside = int((categories[chosen.items] == category).sum())
                    whole = int((categories == category).sum())
                    rows.append((WITHIN_OVERALL, category, inside, whole, whole - inside, len(chosen.units), ""))
    return pd.DataFrame(rows, columns=list(ITEM_SETS))


def warnings(counts: Counts, found: Sequence[Comparison], settings: PairSettings) -> list[str]:
    """Return what a reader must know about the items compared."""
    labels = list(map(str, counts.units.index))
    left_out = [
        f"{who}, {chosen.group.name} ({why})"
        for one in found
        for chosen in one.sets
        for who, why in chosen.absent(labels)
    ]
    said = ["Left out of comparisons: " + "; ".join(left_out) + "."] if left_out else []
    for one in found:
        kept, total = len(one.sets[0].items), len(one.sets[0].group.items)
        if one.by == OVERALL and not settings.pairwise and kept < total:
            said.append(f"Of {total:,} items, {kept:,} were answered by all models compared.")
            if kept < LEAST_COVERAGE * total:
                said.append(FEW_SHARED)
        conflicts = int(one.every.rows["sign_conflict"].sum())
        if conflicts:
            said.append(
                f"In {conflicts:,} comparisons ({one.every.name}) the difference on shared items and that of the "
                "accuracies on each model's own items have opposite signs."
            )
    return said

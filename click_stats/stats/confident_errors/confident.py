"""Confident errors: how many, of which models, families and sizes, and on which option models agree."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from click_stats.stats import partition
from click_stats.stats.confident import wrong_options
from click_stats.stats.tools.clustered import unit_means
from click_stats.stats.tools.rows import mean_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, IntArray
    from click_stats.stats.confident_errors.measures import Measures

MODEL, FAMILY, SIZE, EVERY = "model", "family", "size", "all models"
NO_ROTATIONS = "no item was answered in all rotations equally often: a liked position looks like a liked option"
BELOW_SIZE, BETWEEN_SIZES, FROM_SIZE = "below {high}B", "{low}B to {high}B", "{low}B and more"
NO_SIZE, NO_FAMILY = "size not known", "family not known"


class Set(NamedTuple):
    """Models whose confident errors are counted together: how they were put together, a name, row numbers."""

    by: str
    name: str
    units: IntArray


def sets(counts: Counts, sizes: Sequence[float]) -> list[Set]:
    """Return each model, family and class of size (parameters in billions, bounds ``sizes``), in order of the units."""
    names = [str(name) for name in counts.units.index]
    family = [NO_FAMILY if pd.isna(one) or one == "" else str(one) for one in counts.fact("family")]
    parameters = pd.to_numeric(counts.fact("parameters"), errors="coerce").to_numpy(dtype=np.float64)
    bounds = [f"{bound:g}" for bound in sizes]
    classes = [BELOW_SIZE.format(high=bounds[0])]
    classes += [BETWEEN_SIZES.format(low=a, high=b) for a, b in pairwise(bounds)]
    classes += [FROM_SIZE.format(low=bounds[-1]), NO_SIZE]
    place = np.where(np.isfinite(parameters), np.searchsorted(list(sizes), parameters, side="right"), len(bounds) + 1)
    found = [Set(MODEL, name, np.array([k])) for k, name in enumerate(names)]
    for by, labels, order in (
        (FAMILY, np.array(family, dtype=object), list(dict.fromkeys(family))),
        (SIZE, np.array(classes, dtype=object)[place], classes),
    ):
        found += [Set(by, name, np.flatnonzero(labels == name)) for name in order if (labels == name).any()]
    return found


def confident_rows(counts: Counts, found: Measures, known: Sequence[Set], level: float) -> list[dict[str, Any]]:
    """Return the share of confident errors of each set of models, overall and by category.

    A set's value of an item is the mean over its models; the items are the sample, the models these.
    """
    shared = same_option(found)
    names = [str(name) for name in counts.units.index]
    rows = []
    for one in known:
        sure = found.sure[one.units]
        for group in partition.groups(counts, ["overall", "category"]):
            own = sure[:, group.items]
            row = mean_row(unit_means(own), found.passages[group.items], level)
            if row["n_items"]:
                row["n_confident"] = int(np.nansum(own))
                if len(names) > 1:
                    row["n_agreed"] = int(((own == 1) & (shared[one.units][:, group.items] > 0)).sum())
            else:
                row["reason"] = NO_ROTATIONS
            members = ", ".join(names[k] for k in one.units)
            rows.append({
                "set_by": one.by, "model_set": one.name, "by": group.by, "group": group.name, **row,
                "n_units": len(one.units), "members": members,
            })  # fmt: skip
    return rows


def same_option(found: Measures) -> IntArray:
    """Return (units, items) how many other units are sure of the same wrong option; 0 where this one is not."""
    sure = found.sure == 1
    same = (found.option[:, None] == found.option[None]) & sure[:, None] & sure[None]
    others: IntArray = np.where(sure, same.sum(axis=1) - 1, 0)
    return others


def error_rows(counts: Counts, found: Measures) -> list[dict[str, Any]]:
    """Return every confident error: unit, item, the wrong option, its share, and how many others are sure of it."""
    others = same_option(found)
    category, source = (counts.items[name].astype(str).to_numpy() for name in ("category", "source"))
    most = np.take_along_axis(wrong_options(counts), found.option[..., None], axis=2)[..., 0]
    return [
        {
            "unit": str(counts.units.index[unit]), "item": str(counts.items.index[item]), "category": category[item],
            "source": source[item], "option": int(found.option[unit, item]) + 1,
            "chosen_share": float(most[unit, item] / found.trials[unit, item]),
            "n_trials": int(found.trials[unit, item]), "n_others": int(others[unit, item]),
        }
        for unit, item in zip(*np.nonzero(found.sure == 1), strict=True)
    ]  # fmt: skip


def agreed_rows(counts: Counts, found: Measures, known: Sequence[Set]) -> list[dict[str, Any]]:
    """Return items on which two or more models of a set are sure of one wrong option, most models first.

    Of all models, then within each family and class of size.
    """
    everyone = Set(EVERY, EVERY, np.arange(len(counts.units)))
    kept = [one for one in (everyone, *known) if len(one.units) > 1]
    return [row for one in kept for row in _agreed(counts, found, one)]


def _agreed(counts: Counts, found: Measures, one: Set) -> list[dict[str, Any]]:
    sure, option = found.sure[one.units] == 1, found.option[one.units]
    family = counts.fact("family").to_numpy(dtype=object)[one.units]
    names = np.array([str(counts.units.index[k]) for k in one.units], dtype=object)
    rows = []
    for item in np.flatnonzero(sure.sum(axis=0) > 1):
        for choice in np.unique(option[sure[:, item], item]):
            own = sure[:, item] & (option[:, item] == choice)
            if own.sum() < 2:
                continue
            facts = counts.items.iloc[int(item)]
            rows.append({
                "set_by": one.by, "model_set": one.name, "item": str(counts.items.index[int(item)]),
                "category": str(facts["category"]), "source": str(facts["source"]), "option": int(choice) + 1,
                "n_units": int(own.sum()),
                "n_families": len({name for name in family[own] if not pd.isna(name)}) or None,
                "members": ", ".join(names[own]),
            })  # fmt: skip
    return sorted(rows, key=lambda row: (-row["n_units"], row["item"]))

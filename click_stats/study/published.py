"""Compares a study with the numbers that the CLIcK paper published, source by source.

Nothing is picked where the sources contradict each other: each published number has a row of its own, and rows about
the same cell whose numbers differ are marked. Whether averages over culture and language are means over items or over
categories is not stated; both are shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.results import Result
from click_stats.study import paper
from click_stats.study.challenging import challenging
from click_stats.study.entropies import directions, entropies

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.counts import Counts
    from click_stats.models import ModelTable

METHOD = (
    "Published numbers beside those of the data at hand. A published number is inside when it lies in the interval of "
    "the data at hand; that interval takes no account of the error of the published number."
)
NO_MODEL = "none of the models is one of the paper's"
OTHER_BENCHMARK = "the items are not those of the paper's benchmark"
ESTIMATES = (
    *("unit", "by", "group", "published_model", "published_in", "published", "conflict", "estimate", "conf_low"),
    *("conf_high", "conf_level", "published_gap", "inside", "category_mean", "n_items", "reason"),
)
RANGES = (
    *("by", "group", "published_in", "published_low", "published_high", "conflict", "range_low", "range_high"),
    *("n_units", "reason"),
)
CONFLICTS = ("model", "group", "published_model", "published_in", "published")
SIZES = ("statement", "published_in", "published", "n_items")
CROSSED = ("category", "domain", "source", "n_options", "n_items")
SAME = 5e-5
"""Shares are published with two decimals in percent: numbers closer than this are the same."""


def published(results: Mapping[str, Result], counts: Counts, known: ModelTable) -> Result:
    """Return the Result ``published``: the paper's Tables 1, 2 and 5 and its Figures 2 and 3 beside the data at hand.

    Parameters
    ----------
    results
        Results of the study so far; accuracies are taken from ``accuracy``.
    counts
        The answers of the units that the study compares.
    known
        Facts of the models, whose names and aliases say which are the paper's.

    Returns
    -------
    Result
        ``estimates`` (Table 5): one row per unit and published accuracy. ``ranges``: ranges stated for all open
        models. ``conflicts``: numbers on which the sources differ. ``sizes``, ``crossed`` (Tables 1 and 2): stated
        numbers of items, and those of the item table by category and source. ``challenging`` (Figure 2): shares of
        items answered below chance. ``entropies`` (Figure 3): of the options chosen on these
        items; ``directions``: whether they fall with size where that was stated. With
        ``meta["reason"]`` there is nothing to compare.
    """
    keys = paper.keys_of(counts.units, known)
    stated = paper.accuracies()
    ours = set(counts.items["category"]) <= set(paper.categories())
    estimates = _estimates(results, counts, keys, stated) if ours else _frame([], ESTIMATES)
    measured = entropies(counts, keys)
    tables = {
        "estimates": estimates,
        "ranges": _ranges(results, counts, keys) if ours else _frame([], RANGES),
        "conflicts": _conflicts(stated) if ours else _frame([], CONFLICTS),
        "sizes": _sizes(counts) if ours else _frame([], SIZES),
        "crossed": _crossed(counts) if ours else _frame([], CROSSED),
        "challenging": challenging(counts, keys),
        "entropies": measured,
        "directions": directions(measured, keys),
    }
    reason = "" if ours and keys else NO_MODEL if ours else OTHER_BENCHMARK
    compared = estimates[estimates["reason"] == ""]
    summary = {
        "n_published": len(compared),
        "n_inside": int(compared["inside"].eq(other=True).sum()),
        "n_models": len(set(keys.values())),
    }
    meta: dict[str, Any] = {"method": METHOD, "models": keys, "warnings": []}
    return Result("published", tables, summary, {**meta, "reason": reason} if reason else meta)


def _frame(rows: Sequence[Mapping[Any, Any]], columns: tuple[str, ...], **types: str) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(columns)).astype(types)


def _accuracy(results: Mapping[str, Result]) -> pd.DataFrame:
    return results["accuracy"].to_frame() if "accuracy" in results else pd.DataFrame(columns=["unit", "by", "group"])


def _estimates(
    results: Mapping[str, Result], counts: Counts, keys: Mapping[str, str], stated: pd.DataFrame
) -> pd.DataFrame:
    accuracy = _accuracy(results)
    means = _category_means(accuracy, counts)
    spread = stated.groupby(["model_key", "group"])["published"].agg(lambda values: values.max() - values.min())
    rows = []
    for unit, key in keys.items():
        own = accuracy[accuracy["unit"] == unit]
        for number in stated[stated["model_key"] == key].to_dict("records"):
            row = {str(name): number[name] for name in ("by", "group", "published_model", "published_in", "published")}
            row |= {"unit": unit, "conflict": bool(spread[key, number["group"]] > SAME)}
            if number["by"] == "domain":
                row["category_mean"] = means.get((unit, number["group"]), np.nan)
            cell = own[(own["by"] == number["by"]) & (own["group"] == number["group"])]
            rows.append(row | _beside(cell, number["published"]))
    return _frame(rows, ESTIMATES, inside="boolean", conflict="boolean", n_items="Int64")


def _beside(cell: pd.DataFrame, value: float) -> dict[str, Any]:
    """Return an accuracy of the data at hand beside a published one."""
    if not len(cell):
        return {"reason": "the study has no accuracy of this group"}
    here = cell.iloc[0]
    low, high = float(here["conf_low"]), float(here["conf_high"])
    known = bool(np.isfinite([low, high]).all())
    return {
        **{name: here[name] for name in ("estimate", "conf_low", "conf_high", "conf_level", "n_items")},
        "published_gap": here["estimate"] - value,
        "inside": low <= value <= high if known else pd.NA,
        "reason": "" if known else str(here["reason"] or "no interval"),
    }


def _category_means(accuracy: pd.DataFrame, counts: Counts) -> dict[tuple[str, str], float]:
    """Return unit and domain -> mean of the accuracies of its categories; NaN where one of them is not known."""
    cells = accuracy[accuracy["by"] == "category"]
    domains = counts.items.groupby("category", observed=True)["domain"].first()
    means = cells.groupby(["unit", cells["group"].map(domains)])["estimate"].agg(
        lambda values: values.mean(skipna=False)
    )
    return {(str(key[0]), str(key[1])): float(mean) for key, mean in zip(means.index, means, strict=True)}


def _ranges(results: Mapping[str, Result], counts: Counts, keys: Mapping[str, str]) -> pd.DataFrame:
    """Return the ranges stated for the open models beside those of the open models at hand."""
    access = paper.models()["access"]
    units = [unit for unit, key in keys.items() if access[key] == paper.OPEN]
    cells = _accuracy(results)
    cells = cells[(cells["by"] == "category") & cells["unit"].isin(units)]
    domains = counts.items.groupby("category", observed=True)["domain"].first()
    stated = paper.ranges()
    rows = []
    for number in stated.to_dict("records"):
        of = cells["group"] if number["by"] == "category" else cells["group"].map(domains)
        here = cells.loc[of == number["group"], "estimate"].dropna()
        same = stated[stated["group"] == number["group"]]
        rows.append(
            {
                **{str(name): value for name, value in number.items()},
                "conflict": bool(len(same[["published_low", "published_high"]].drop_duplicates()) > 1),
                "range_low": here.min() if len(here) else np.nan,
                "range_high": here.max() if len(here) else np.nan,
                "n_units": len(units),
                "reason": "" if len(here) else "no open model of the paper has an accuracy here",
            }
        )
    return _frame(rows, RANGES, conflict="boolean", n_units="Int64")


def _conflicts(stated: pd.DataFrame) -> pd.DataFrame:
    """Return the published accuracies on which the sources differ for one model, or name another model for a number."""
    rows = []
    for key, own in stated.groupby("model_key", sort=False):
        for _, cell in own.groupby("group", sort=False):
            if cell["published"].max() - cell["published"].min() > SAME or len(set(cell["published_model"])) > 1:
                rows += [{"model": key, **number} for number in cell.to_dict("records")]
    # A number without a model of the paper: another source gives it to one.
    for number in stated[stated["model_key"].isna()].to_dict("records"):
        twin = stated[(stated["group"] == number["group"]) & (stated["published"] == number["published"])].dropna()
        rows += [{"model": other["model_key"], **other} for other in twin.to_dict("records")]
        rows += [{"model": other["model_key"], **number} for other in twin.to_dict("records")]
    return _frame(rows, CONFLICTS)


def _sizes(counts: Counts) -> pd.DataFrame:
    """Return how many items and categories the paper states, beside those of the item table."""
    items = counts.items
    textbook = items["source"] == paper.TEXTBOOK
    domain = items.groupby("category", observed=True)["domain"].first()
    here = {
        "items in total": len(items), "exam items": int((~textbook).sum()), "textbook items": int(textbook.sum()),
        "categories": len(domain), "categories of culture": int((domain == "Culture").sum()),
        "categories of language": int((domain == "Language").sum()),
    }  # fmt: skip
    rows = [{**number, "n_items": here[number["statement"]]} for number in paper.sizes().to_dict("records")]
    return _frame(rows, SIZES, n_items="Int64")


def _crossed(counts: Counts) -> pd.DataFrame:
    """Return the number of items by category, source and number of options, categories in report order."""
    names = ["category", "domain", "source", "n_options"]
    sizes = counts.items.groupby(names, observed=True, sort=True).size().rename("n_items").reset_index()
    order = {name: place for place, name in enumerate(counts.categories or dict.fromkeys(counts.items["category"]))}
    return sizes.sort_values("category", key=lambda column: column.map(order), kind="stable", ignore_index=True)[
        list(CROSSED)
    ]

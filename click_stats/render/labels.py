"""Names of units and item groups as readers see them, in report order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from click_stats.render import codes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click_stats.results import ResultSet

HALF = 0.5
"""A unit that answered less than this share of a group is left out of comparisons there."""


@dataclass(frozen=True)
class Labels:
    """Names for one set of results and one language.

    Attributes
    ----------
    units
        Name of each unit in reports, in the order of the accuracy table.
    groups
        Name of each item group by ``(by, group)``, in report order.
    lang
        Language, ``en`` or ``ko``.
    """

    units: Mapping[str, str]
    groups: Mapping[tuple[str, str], str]
    lang: str = "en"

    def unit(self, name: str) -> str:
        """Return the name of a unit in reports."""
        return self.units.get(name, name)

    def group(self, by: str, name: str) -> str:
        """Return the name of an item group; one without a label is shown as it is."""
        return self.groups.get((by, name)) or codes.text(name, self.lang)

    def names(self, by: str) -> list[str]:
        """Return the groups of a grouping in report order."""
        return [name for one, name in self.groups if one == by]


def labels(results: ResultSet, lang: str = "en") -> Labels:
    """Collect the names from the models, the items and the accuracies of a study; any of them may be absent."""
    estimates = frame(results, "accuracy")
    named_in = estimates if "unit" in estimates else frame(results, "item_answers", "units")
    units = dict.fromkeys(named_in["unit"].astype(str)) if "unit" in named_in else {}
    models = frame(results, "models", "models")
    shown = dict(zip(models["unit"], models["label"], strict=True)) if "label" in models and "unit" in models else {}
    named = {unit: str(shown.get(unit) or unit) for unit in units}
    if len(set(named.values())) < len(named):  # two units under one label could not be told apart
        named = {unit: unit for unit in units}
    groups: dict[tuple[str, str], str] = {}
    for row in frame(results, "items", "groups").to_dict("records"):
        groups[str(row["by"]), str(row["group"])] = str(row.get(f"label_{lang}") or row["group"])
    if "group" in estimates:
        for by, group in zip(estimates["by"], estimates["group"], strict=True):
            groups.setdefault((str(by), str(group)), codes.text(group, lang))
    return Labels(named, groups, lang)


def frame(results: ResultSet, result: str, name: str = "estimates", **where: object) -> pd.DataFrame:
    """Return the rows of a table whose columns equal ``where``; an empty frame when there is no such table."""
    if result not in results or name not in results[result].tables:
        return pd.DataFrame()
    found = results[result].tables[name]
    for column, value in where.items():
        if column not in found:
            return found.iloc[:0]
        found = found[found[column] == value]
    return found


def largest(values: pd.Series[float]) -> int:
    """Return the position of the largest value; undefined ones do not count."""
    return int(np.nanargmax(values.to_numpy(dtype=float, na_value=np.nan)))


def smallest(values: pd.Series[float]) -> int:
    """Return the position of the smallest value; undefined ones do not count."""
    return int(np.nanargmin(values.to_numpy(dtype=float, na_value=np.nan)))


def shared_items(results: ResultSet) -> bool:
    """Tell whether all models were compared on one set of items, not each pair on its own."""
    return not any(results[name].meta.get("pairwise_items") for name in ("compare", "ranks") if name in results)

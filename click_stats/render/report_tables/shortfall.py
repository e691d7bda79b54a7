"""Where models fall short and where they are wrong and sure, by category: what to collect data for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render import numbers
from click_stats.render.report_tables.base import level

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker
    from click_stats.render.table import Table

SHORTFALL, BEST, CONFIDENT = "shortfall", "shortfall of the best model", "confident errors"
INTERVAL = ("conf_low", "conf_high")


def tables(make: Maker) -> Iterator[Table]:
    """Yield the table, the category in which models fall short most first."""
    found = make.rows("shortfall")
    groups: dict[tuple[str, str], dict[str, dict[str, object]]] = {}
    for row in found:
        groups.setdefault((row["by"], row["group"]), {})[row["measure"]] = row
    if not groups:
        return
    columns = [
        make.column("group", header=True),
        make.column("shortfall", "percent", make.text("shortfall_mean")),
        make.column("shortfall_interval", "interval", make.text("interval_percent"), fields=INTERVAL),
        make.column("best", "percent", make.text("shortfall_best")),
        make.column("best_unit", "text", make.text("shortfall_best_unit")),
        make.column("confident", "percent", make.text("shortfall_confident")),
        make.column("confident_interval", "interval", make.text("interval_percent"), fields=("sure_low", "sure_high")),
        make.column("n_items", "integer"), make.column("n_units", "integer"),
    ]  # fmt: skip
    rows, keys = [], []
    order = sorted(groups, key=lambda key: -(_value(groups[key][SHORTFALL])))
    for by, group in order:
        own = groups[by, group]
        best = own.get(BEST, {})
        rows.append([
            make.names.group(by, group), make.cell(own[SHORTFALL], "estimate"), make.cell(own[SHORTFALL], INTERVAL),
            make.cell(best, "estimate"), make.names.unit(str(best["unit"])) if best.get("unit") else numbers.DASH,
            make.cell(own[CONFIDENT], "estimate"), make.cell(own[CONFIDENT], INTERVAL),
            own[SHORTFALL]["n_items"], own[SHORTFALL]["n_units"],
        ])  # fmt: skip
        keys.append((by, group))
    notes = [make.text("shortfall_note", level=level(found))]
    yield make.table("tbl-shortfall", columns, rows, notes=notes, keys=keys)


def _value(row: dict[str, object]) -> float:
    estimate = row["estimate"]
    return estimate if isinstance(estimate, float) else -1.0

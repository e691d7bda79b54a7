"""Finding about sensitivity to wording, position and repetition."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from click_stats.render.finding import NOT_DECIDED, SEPARATED, Finding, Row, rows, size
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from click_stats.results import ResultSet

NAME, ALL = "sensitivity", "all items"


def sensitivity(results: ResultSet) -> Finding | None:
    """How well the design tells models apart, and whether the wording moves their accuracies."""
    if NAME not in results:
        return None
    run = [
        row
        for row in rows(frame(results, NAME, "generalisability", group=ALL))
        if row["as_run"] and row["g_coefficient"] is not None
    ]
    pairs = [row for row in rows(frame(results, NAME, "wordings")) if row["wording_a"]]
    split = [row for row in rows(frame(results, NAME)) if row["variance_share"] is not None]
    if not run and not pairs and not split:
        return None
    separated = [row for row in pairs if row["verdict"] == SEPARATED]
    changed = [row["share_changed"] for row in pairs if row["share_changed"] is not None]
    facts = {
        "run": run[0] if run else None,
        "level": results[NAME].meta.get("level"),
        "random": results[NAME].meta.get("wordings") == "random",
        "n_split": len({row["unit"] for row in split}),
        "shares": _shares(split),
        "n_pairs": len(pairs),
        "n_separated": len(separated),
        "n_undecided": sum(row["verdict"] == NOT_DECIDED for row in pairs),
        "n_models": len({row["unit"] for row in pairs}),
        "n_models_separated": len({row["unit"] for row in separated}),
        "largest": max((row for row in pairs if row["estimate"] is not None), key=size, default=None),
        "changed": median(changed) if changed else None,
        "n_wordings": max((row["n_wordings"] or 1 for row in split), default=1),
        "control": next(iter(rows(frame(results, NAME, "control", by="overall"))), None),
    }
    table = "tbl-sensitivity-wordings" if pairs else "tbl-sensitivity-generalisability" if run else ""
    return Finding(NAME, facts, table or "tbl-sensitivity-components")


def _shares(split: list[Row]) -> dict[str, float]:
    """Return the median share over models and groups of the items alone, of all with wording, all with position."""
    by_table: dict[tuple[str, str], dict[str, float]] = {}
    for row in split:
        by_table.setdefault((row["unit"], row["group"]), {})[row["component"]] = row["variance_share"]
    if not by_table:
        return {}
    return {
        name: median(
            sum(value for key, value in one.items() if key == name or (name != "item" and name in key.split(":")))
            for one in by_table.values()
        )
        for name in ("item", "wording", "position", "residual")
    }

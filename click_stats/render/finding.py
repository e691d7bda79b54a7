"""A finding: what was found, the facts its sentences need, and where its rows stand. The words are the templates'."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from click_stats.render.labels import frame
from click_stats.render.numbers import undefined

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from click_stats.results import ResultSet

SEPARATED, NOT_SEPARATED, EQUIVALENT, NOT_DECIDED = "separated", "not separated", "equivalent", "not decided"

Row = dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """One finding.

    Attributes
    ----------
    kind
        What was found; each template has a macro of this name. A report has each kind at most once.
    facts
        Names, shares (0 to 1), counts and whole rows of the result tables; an undefined number is None.
    table
        Id of the table of the report that holds the rows; empty when it is not one table.
    """

    kind: str
    facts: Mapping[str, Any]
    table: str

    @property
    def id(self) -> str:
        """Id of the finding in the document, the same in every language."""
        return f"finding-{self.kind.replace('_', '-')}"


def rows(table: pd.DataFrame) -> list[Row]:
    """Return rows as dictionaries whose undefined values are None."""
    return [
        {str(key): None if undefined(value) else value for key, value in row.items()}
        for row in table.to_dict("records")
    ]


def reference_of(results: ResultSet) -> str | None:
    """Return the reference against which the study compared, if any."""
    against = frame(results, "compare", "reference")
    return str(against["unit_b"].iloc[0]) if len(against) else None


def size(row: Row) -> float:
    """Return the size of a difference, whatever its direction."""
    return abs(float(row["estimate"]))


def larger_first(row: Row) -> Row:
    """Turn a pair around so that its difference is not negative: A is then the better one."""
    if row["estimate"] is None or row["estimate"] >= 0:
        return row
    turned = {**row, "unit_a": row["unit_b"], "unit_b": row["unit_a"]}
    for low, high in (("conf_low", "conf_high"), ("sim_low", "sim_high"), ("bound_low", "bound_high")):
        if low in row:
            turned[low], turned[high] = minus(row[high]), minus(row[low])
    for name in ("estimate", "statistic"):
        turned[name] = minus(row.get(name))
    turned["n_a_only"], turned["n_b_only"] = row.get("n_b_only"), row.get("n_a_only")
    for name in ("odds_ratio", "odds_low", "odds_high"):  # no finding speaks of them; half-turned they would mislead
        turned.pop(name, None)
    return turned


def minus(value: float | None) -> float | None:
    """Return the opposite of a number that may be undefined."""
    return None if value is None else 0.0 - value

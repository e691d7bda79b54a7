"""What the templates of a report may name: values and functions made from the results."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from click_stats.render import codes, qmd
from click_stats.render.figures import FIGURES
from click_stats.render.finding import Finding, Row, reference_of, rows
from click_stats.render.findings import find
from click_stats.render.findings_published import marks
from click_stats.render.labels import Labels, frame, labels
from click_stats.render.report_tables import report_tables
from click_stats.render.table import row_anchor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from click_stats.render.figures import Drawing
    from click_stats.render.finding import Row
    from click_stats.render.table import Table
    from click_stats.results import ResultSet

SIMULATED_ANSWERS = re.compile(r"The answers of .+ are simulated: .+")
"""The warning of each simulated run."""
HEADLINES = ("marks", "single", "leaders", "pairs")
"""Findings that stand before the first figure, so that it fits on the first page; the others follow it."""

SHOWN = ("account", "items", "models", "extraction", "accuracy", "compare", "ranks", "power", "conditions")
"""Results that reports show in sections of their own; the others have a part each (``_<name>.<lang>.qmd.jinja``)."""
BESIDE = ("item_answers",)
"""Results that only a page beside the report shows."""


@dataclass(frozen=True)
class Context:
    """What the templates of a report may name.

    Attributes
    ----------
    results
        The results.
    names
        Names of units and item groups in the language of the report.
    tables, figures
        By id, in the order in which they are made; templates place those that exist.
    command
        The command that made the report, as typed; empty when it was made from Python.
    beside
        Files that stand beside the report, by name of the page.
    """

    results: ResultSet
    names: Labels
    tables: Mapping[str, Table]
    figures: Mapping[str, Drawing]
    command: str = ""
    beside: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, results: ResultSet, lang: str, command: Sequence[str] = (), beside: Mapping[str, str] | None = None
    ) -> Context:
        """Make the tables and figures of the results in ``lang``."""
        drawings = [drawing for draw in FIGURES.values() if (drawing := draw(results, lang)) is not None]
        figures = {drawing.id: drawing for drawing in drawings}
        tables = report_tables(results, lang)
        return cls(results, labels(results, lang), tables, figures, typed(command), beside or {})

    def values(self) -> dict[str, Any]:
        """Return values and functions by the names that templates use."""
        accuracy = frame(self.results, "accuracy")
        items = frame(self.results, "items", "groups", by="overall")
        compare = frame(self.results, "compare", "families")
        return {
            "benchmark": str(self.results.meta.get("benchmark") or "CLIcK"),
            "n_units": len(self.names.units),
            "n_items": int(items["n_items"].iloc[0]) if len(items) else int(accuracy["n_items_total"].max()),
            "level": float(accuracy["conf_level"].iloc[0]),
            "alpha": float(compare["alpha"].iloc[0]) if len(compare) else None,
            "denominator": str(accuracy["denominator"].iloc[0]),
            "fixed": bool((accuracy["target"] == "fixed").any()),
            "interval_methods": list(dict.fromkeys(accuracy["method"])),
            "reference": reference_of(self.results),
            "reference_chosen": "compare" in self.results and chosen_from_data(self.results["compare"].meta),
            "account": account(self.results),
            "findings": find(self.results),
            "headlines": HEADLINES,
            "warnings": warnings(self.results),
            "tables": self.tables,
            "figures": self.figures,
            "table": self.table,
            "rows": self.rows,
            "aside": self.aside,
            "stated": self.stated,
            "parts": [name for name in self.results.results if name not in {*SHOWN, *BESIDE}],
            "label": self.label,
            "link": self.link,
            "see": self.see,
            "command": self.command,
            "beside": self.beside,
        }

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filters that depend on the results: names of units."""
        return {"unit": self.names.unit, "units": lambda rows, key="unit": [self.names.unit(row[key]) for row in rows]}

    def table(self, name: str) -> qmd.Markdown:
        """Return a table with its caption and id."""
        return qmd.Markdown(self.tables[name].render("markdown").rstrip("\n"))

    def rows(self, result: str, name: str = "estimates", **where: Any) -> list[Row]:
        """Return the rows of a result's table whose columns equal ``where``; an undefined value is None."""
        return rows(frame(self.results, result, name, **where))

    def stated(self, result: str, key: str) -> Any:
        """Return a parameter as the analysis states it; None when it does not, or was not made."""
        return self.results[result].meta.get(key) if result in self.results else None

    def aside(self, result: str) -> str:
        """Return why an analysis stepped aside, in the language of the report; nothing when it ran or is absent."""
        reason = self.results[result].meta.get("reason") if result in self.results else ""
        return codes.text(reason, self.names.lang) if reason else ""

    def label(self, row: Mapping[str, Any]) -> str:
        """Return the name of the item group of a row; a row without ``by`` is of a category."""
        by = str(row.get("by", "category"))
        return codes.text("macro", self.names.lang) if by == "macro" else self.names.group(by, str(row["group"]))

    def see(self, name: str) -> qmd.Markdown:
        """Return a reference in brackets, with a space before it; nothing when there is no such table or figure."""
        return qmd.Markdown(f" (@{name})" if name in self.tables or name in self.figures else "")

    def link(self, found: Finding, row: Mapping[str, Any] | None = None) -> qmd.Markdown:
        """Return a link to the table of a finding, naming the row where there is one.

        A table that the report does not show is still in ``results.json``.
        """
        english = self.names.lang == "en"
        table = self.tables.get(found.table)
        place = qmd.Markdown((f"@{table.id}" if english else f"(@{table.id})") if table else "`results.json`")
        if row is None:
            return place
        units = [str(row[key]) for key in ("unit", "unit_a", "unit_b") if row.get(key)]
        names = [self.names.unit(unit) for unit in units]
        if row.get("by") not in {None, "overall"} or not units:
            names.append(self.label(row))
        text = qmd.Markdown(" – ").join(names)
        keys = [units, units[::-1], units[:1], [str(row.get("by")), str(row.get("group"))]]
        anchors = [row_anchor(table.id, *key) for key in keys] if table else []
        anchor = next((one for one in anchors if table and one in table.anchors), None)
        if anchor:
            text = qmd.Markdown("[") + text + qmd.Markdown(f"](#{anchor})")
        return text + qmd.Markdown(", " if english else " ") + place


def typed(command: Sequence[str]) -> str:
    """Return a command as one line; characters that no document can hold, as in odd file names, are escaped."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in shlex.join(command)
    )


def chosen_from_data(meta: Mapping[str, Any]) -> bool:
    """Tell whether the reference was picked by the data, not named by the reader."""
    return str(meta.get("reference_chosen", "as asked")) != "as asked"


def account(results: ResultSet) -> dict[str, int] | None:
    """Return how many files and rows were read; None when the results hold no account."""
    sources = frame(results, "account", "sources")
    if not len(sources):
        return None
    return {
        "n_files": int(sources["file"].nunique()),
        "rows_read": int(sources["rows_read"].sum()),
        "rows_kept": int(sources["rows_kept"].sum()),
    }


def warnings(results: ResultSet) -> list[str]:
    """Return the warnings of the study and of every result, each once; a finding says which models are simulated."""
    metas = [results.meta, *(result.meta for result in results.results.values())]
    found = dict.fromkeys(str(text) for meta in metas for text in meta.get("warnings", ()))
    return [text for text in found if marks(results) is None or not SIMULATED_ANSWERS.fullmatch(text)]

"""What all tables of a report need: results, names, texts, and how a row becomes cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from click_stats import glossary
from click_stats.render import codes, numbers
from click_stats.render.labels import frame, labels
from click_stats.render.table import Cell, Column, Table, row_anchor
from click_stats.texts import merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from click_stats.render.labels import Labels
    from click_stats.render.table import Kind
    from click_stats.results import ResultSet

Row = dict[str, Any]


@cache
def texts() -> Mapping[str, Mapping[str, str]]:
    """Return the captions, headings and notes of tables by key, each in English and Korean."""
    entries: dict[str, dict[str, str]] = merged("click_stats.render.report_tables", "texts")
    return entries


@dataclass(frozen=True)
class Maker:
    """Makes the tables of one report.

    Attributes
    ----------
    results
        The results of the study.
    lang
        Language, ``en`` or ``ko``.
    """

    results: ResultSet
    lang: str

    @cached_property
    def names(self) -> Labels:
        """Names of units and item groups."""
        return labels(self.results, self.lang)

    @cached_property
    def units(self) -> list[str]:
        """Units from the most to the least accurate overall."""
        overall = frame(self.results, "accuracy", by="overall")
        if not len(overall):
            return list(self.names.units)
        return list(overall.sort_values("estimate", ascending=False, kind="stable", na_position="last")["unit"])

    def rows(self, result: str, name: str = "estimates", **where: Any) -> list[Row]:
        """Return the rows of a result's table whose columns equal ``where``, undefined values as None."""
        found = frame(self.results, result, name, **where)
        return [
            {str(key): None if numbers.undefined(value) else value for key, value in row.items()}
            for row in found.to_dict("records")
        ]

    def by_unit(self, rows: Iterable[Row], key: str = "unit") -> dict[str, list[Row]]:
        """Return rows by unit, the most accurate unit first."""
        found: dict[str, list[Row]] = {unit: [] for unit in self.units}
        for row in rows:
            found.setdefault(str(row[key]), []).append(row)
        return {unit: own for unit, own in found.items() if own}

    def text(self, key: str, /, **gaps: Any) -> str:
        """Return a text in the language of the report, its gaps filled."""
        return texts()[key][self.lang].format(**gaps)

    def say(self, remark: Any) -> str:
        """Return a remark of an analysis in the language of the report."""
        return codes.text(remark, self.lang) if remark else ""

    def column(
        self,
        key: str,
        kind: Kind = "text",
        label: str | None = None,
        *,
        fields: tuple[str, ...] | None = None,
        header: bool = False,
    ) -> Column:
        """Return a column, headed by the glossary's label unless another is given."""
        return Column(key, label or glossary.label(key, self.lang), kind, fields, header)

    def unit_column(self, key: str = "unit") -> Column:
        """Return the column that names the row's unit."""
        return self.column(key, header=True)

    def cell(self, row: Row, key: str | Sequence[str]) -> Any:
        """Return a value of a row, or several as a tuple; an undefined one with its reason."""
        value = row.get(key) if isinstance(key, str) else tuple(row.get(part) for part in key)
        missing = value is None if isinstance(key, str) else value[0] is None  # type: ignore[index]
        return Cell(None, self.say(row.get("reason"))) if missing else value

    def table(
        self,
        ident: str,
        columns: Sequence[Column],
        rows: Sequence[Sequence[Any]],
        *,
        notes: Iterable[str] = (),
        keys: Sequence[tuple[str, ...]] = (),
        caption: str = "",
        **gaps: Any,
    ) -> Table:
        """Return a table with the caption of its id; ``keys`` name its rows and become their anchors."""
        anchors = tuple(row_anchor(ident, *key) for key in keys)
        return Table(
            ident,
            caption or self.text(ident.removeprefix("tbl-"), **gaps),
            tuple(columns),
            tuple(map(tuple, rows)),
            tuple(note for note in notes if note),
            anchors,
            self.lang,
        )

    def method(self, rows: Sequence[Row]) -> str:
        """Return a note that names the methods and the level of intervals."""
        methods = list(dict.fromkeys(self.say(row["method"]) for row in rows if row.get("method")))
        return self.text("note_interval", methods=", ".join(methods), level=level(rows)) if methods else ""


def level(rows: Sequence[Row]) -> str:
    """Return the confidence level that rows state, in percent."""
    return next((numbers.level(row["conf_level"]) for row in rows if row.get("conf_level") is not None), numbers.DASH)

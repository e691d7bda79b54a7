"""The value every analysis returns: tidy tables with named columns, and how they were made."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats import glossary
from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

JSON_DIGITS = 12
"""Significant digits written to JSON: fewer than a float holds, so that the order of a sum leaves no trace."""


@dataclass(frozen=True)
class Result:
    """What an analysis found.

    Attributes
    ----------
    name
        Name of the analysis.
    tables
        Ordered tidy frames by name, ``estimates`` first. Columns are those of the glossary.
        A missing number stands in a row whose ``reason`` says why.
    summary
        One row of headline values.
    meta
        ``method``, ``version``, ``seed``, ``call``, ``digests``, ``diagnostics``, ``warnings`` and the like;
        values that JSON can hold.
    """

    name: str
    tables: Mapping[str, pd.DataFrame]
    summary: Mapping[str, Any] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, frame in self.tables.items():
            glossary.check(map(str, frame.columns), f"{self.name}.{name}")
        for key in ("tables", "summary", "meta"):
            object.__setattr__(self, key, MappingProxyType(dict(getattr(self, key))))

    def __repr__(self) -> str:
        tables = ", ".join(f"{name} ({len(frame):,} rows)" for name, frame in self.tables.items())
        return f"<Result {self.name}: {tables}>"

    def to_frame(self, name: str = "estimates") -> pd.DataFrame:
        """Return a copy of one table (``summary`` gives the one-row summary)."""
        if name == "summary":
            return pd.DataFrame([dict(self.summary)])
        if name not in self.tables:
            raise UsageError(
                f"The result {self.name!r} has no table {name!r}.",
                found=", ".join(self.tables),
                do="Use one of these.",
            )
        return self.tables[name].copy()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold; undefined numbers are None."""
        return {
            "name": self.name,
            "summary": plain(self.summary),
            "meta": plain(self.meta),
            "tables": {
                name: {"columns": list(map(str, frame.columns)), "rows": _rows(frame)}
                for name, frame in self.tables.items()
            },
        }

    def to_json(self) -> str:
        """Return the result as JSON: no NaN, twelve significant digits, stable bytes."""
        return dump_json(self.to_dict())

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Result:
        """Rebuild a result from :meth:`to_dict`."""
        tables = {
            name: _typed(pd.DataFrame(table["rows"], columns=table["columns"], dtype=object))
            for name, table in data["tables"].items()
        }
        return cls(data["name"], tables, data["summary"], data["meta"])

    def to_text(self, name: str = "estimates", lang: str = "en", columns: Sequence[str] | None = None) -> str:
        """Return one table, or some of its columns, as text for a terminal."""
        return self._render(name, "text", lang, columns)

    def to_markdown(self, name: str = "estimates", lang: str = "en", columns: Sequence[str] | None = None) -> str:
        """Return one table, or some of its columns, as a Markdown pipe table."""
        return self._render(name, "markdown", lang, columns)

    def to_latex(self, name: str = "estimates", lang: str = "en", columns: Sequence[str] | None = None) -> str:
        """Return one table, or some of its columns, as LaTeX with booktabs rules."""
        return self._render(name, "latex", lang, columns)

    def _repr_html_(self) -> str:
        return self._render(next(iter(self.tables)), "html")

    def _render(self, name: str, fmt: str, lang: str = "en", columns: Sequence[str] | None = None) -> str:
        from click_stats.render import tables  # noqa: PLC0415 -- the one upward import, on use

        glossary.check_language(lang)
        return tables.result_table(self, name, lang=lang, columns=columns).render(fmt)

    def plot(self, ax: Axes | None = None, *, lang: str = "en") -> Axes:
        """Draw the result's main figure on ``ax`` (a new one by default) and return the axes."""
        from click_stats.render import figures  # noqa: PLC0415 -- the one upward import, on use

        glossary.check_language(lang)
        return figures.plot(self, ax=ax, lang=lang)


@dataclass(frozen=True)
class ResultSet:
    """The results of a study by name, with what is needed to make them again.

    Attributes
    ----------
    name
        Name of the study.
    results
        Ordered results by name.
    meta
        Version, seed, parameters and digests; no time, path or thread count.
    """

    name: str
    results: Mapping[str, Result]
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<ResultSet {self.name}: {', '.join(self.results)}>"

    def __getitem__(self, name: str) -> Result:
        return self.results[name]

    def __contains__(self, name: object) -> bool:
        return name in self.results

    def to_json(self) -> str:
        """Return all results as JSON: same input, seed and versions, same bytes."""
        results = {name: result.to_dict() for name, result in self.results.items()}
        return dump_json({"study": self.name, "meta": plain(self.meta), "results": results})

    @classmethod
    def from_json(cls, text: str) -> ResultSet:
        """Rebuild the results of a study from :meth:`to_json`."""
        data = json.loads(text)
        results = {name: Result.from_dict(value) for name, value in data["results"].items()}
        return cls(data["study"], results, data["meta"])


def plain(value: Any) -> Any:
    """Turn numpy and pandas values into plain ones; a number that is undefined becomes None."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        items = sorted(value) if isinstance(value, (set, frozenset)) else value
        return [plain(item) for item in items]
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(f"{float(value):.{JSON_DIGITS}g}") if math.isfinite(value) else None
    return value if isinstance(value, str) else str(value)


def dump_json(data: Any) -> str:
    """Write plain data as JSON that a strict reader accepts, one stable form."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _rows(frame: pd.DataFrame) -> list[list[Any]]:
    return [[plain(value) for value in row] for row in frame.itertuples(index=False, name=None)]


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    """Give columns their glossary types: undefined integers need pandas' nullable type."""
    kinds: dict[str, Any] = {"integer": "Int64", "number": "float64", "boolean": "boolean", "text": "object"}
    return frame.astype({name: kinds[glossary.columns()[name].type] for name in frame.columns})

"""Parameters of items read back: from the results of an item response model, or from an exported table."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from click_stats.items.table import ItemTable

NEEDED = "difficulty"
NUMBERS = (
    *("difficulty", "difficulty_se", "difficulty_low", "difficulty_high"),
    *("discrimination", "discrimination_se", "discrimination_low", "discrimination_high", "floor"),
)
"""Columns of parameters, those that are there in this order."""
DIGEST = "digest"
"""Column that tells whether an item is still the one that was calibrated."""
GAPS = frozenset({"", "NA", "nan", "NaN", "None", "null"})


def read_parameters(path: str | Path, items: ItemTable | None = None) -> pd.DataFrame:
    """Read the parameters of items for scoring.

    Parameters
    ----------
    path
        ``results.json`` of a study with the analysis ``irt``, the JSON of that analysis alone, or a CSV file with the
        columns ``item`` and ``difficulty`` and any of :data:`NUMBERS`, as ``click-stats export items`` writes it.
    items
        Where given, every item of the file must be in this table.

    Returns
    -------
    DataFrame
        Index ``item``; ``difficulty`` (logits), ``discrimination`` (1 where the file has none) and ``floor`` (0 where
        it has none), then standard errors and intervals that the file has, and its ``digest`` of the items. Items
        without a difficulty are left out.

    Raises
    ------
    DataError
        The file cannot be read, has no such columns, names an item twice or one that is not in ``items``, or a value
        is no number or out of range.
    """
    path = Path(path)
    rows = _rows(path)
    if not rows:
        raise DataError(f"{path} holds no parameters of items.", do="Check that the file is complete.")
    missing = [name for name in ("item", NEEDED) if name not in rows[0]]
    if missing:
        raise DataError(
            f"{path} lacks columns of parameters.",
            found=f"missing: {', '.join(missing)}; there: {', '.join(map(str, rows[0]))}",
            do="Give a table with item and difficulty, or the results of the analysis irt.",
        )
    names = [name for name in NUMBERS if name in rows[0]]
    frame = pd.DataFrame(
        [[_number(row[name], name, str(row["item"]), path) for name in names] for row in rows],
        columns=names,
        index=pd.Index([str(row["item"]) for row in rows], name="item", dtype=object),
        dtype=np.float64,
    )
    frame = frame.assign(
        **{name: value for name, value in (("discrimination", 1.0), ("floor", 0.0)) if name not in frame}
    )
    if DIGEST in rows[0]:
        frame[DIGEST] = ["" if row[DIGEST] is None else str(row[DIGEST]) for row in rows]
    frame = frame[frame[NEEDED].notna()]
    frame["discrimination"], frame["floor"] = frame["discrimination"].fillna(1.0), frame["floor"].fillna(0.0)
    _check(frame, path, items)
    return frame[[name for name in (*NUMBERS, DIGEST) if name in frame]]


def _rows(path: Path) -> Sequence[Mapping[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(
            f"The parameters {path} cannot be read.", found=error.strerror or str(error), do="Check the path."
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(f"The parameters {path} are no UTF-8 text.", do="Save the file as UTF-8.") from error
    if path.suffix.lower() != ".json":
        return list(csv.DictReader(text.splitlines()))
    try:
        data = json.loads(text)
    except ValueError as error:
        raise DataError(f"The parameters {path} are no JSON.", found=str(error)) from error
    data = data if isinstance(data, dict) else {}
    result = data.get("results", {}).get("irt") if "results" in data else data
    try:
        table = result["tables"]["estimates"]
        return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    except (KeyError, TypeError, ValueError) as error:
        reason = (result or {}).get("meta", {}).get("reason", "") if isinstance(result, dict) else ""
        raise DataError(
            f"{path} holds no results of the analysis irt.",
            found=reason or ", ".join(map(str, data.get("results", data))),
            do="Make them with: click-stats analyze irt FILES -o results",
        ) from error


def _number(value: Any, name: str, item: str, path: Path) -> float:
    if value is None or str(value).strip() in GAPS:
        return np.nan
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise DataError(f"{path}: {name} of {item} is no number.", found=str(value), do="Correct the file.")
    return number


def _check(frame: pd.DataFrame, path: Path, items: ItemTable | None) -> None:
    twice = frame.index[frame.index.duplicated()]
    _refuse(path, "names items more than once", twice)
    _refuse(path, "has a discrimination that is not above 0", frame.index[frame["discrimination"] <= 0])
    _refuse(path, "has a floor outside 0 to 1", frame.index[(frame["floor"] < 0) | (frame["floor"] >= 1)])
    if not len(frame):
        raise DataError(f"{path} has no item with a difficulty.", do="Check that the model could be fitted.")
    if items is not None:
        _refuse(
            path, "has parameters of items that are not in the item table", frame.index.difference(items.frame.index)
        )


def _refuse(path: Path, what: str, which: Iterable[Any]) -> None:
    found = list(dict.fromkeys(map(str, which)))
    if found:
        shown = ", ".join(found[:5]) + (f" and {len(found) - 5} more" if len(found) > 5 else "")
        raise DataError(f"{path} {what}.", found=shown, do="Correct the file, or give that of these items.")

"""Scores of people to hold models against: a user's table of boundaries, and what the paper prints."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from click_stats import content
from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from click_stats.counts import Counts, IntArray

Kind = Literal["mean", "cut"]
REQUIRED = ("exam", "year", "score", "boundary", "source")
OPTIONAL = ("kind", "domain", "category")
MEAN: Kind = "mean"
CUT: Kind = "cut"
PAPER = "CLIcK paper"

ONLY_SHARES = "the boundary is a share of test-takers; the score at it is not known"
ONLY_LEVELS = "the cut scores of the levels are not known"
NO_ITEMS = "no item of this exam"


@dataclass(frozen=True)
class Boundary:
    """One score of people on an exam.

    Attributes
    ----------
    exam, year, name, source
        As stated: the exam, the year or years, what the score is, and where it is printed.
    kind
        ``mean``: the mean of the people who sat the exam; ``cut``: a score to reach.
    score
        Share of right answers, 0 to 1; NaN when it is not known.
    items
        Positions of the exam's items in the counts.
    reason
        Why no model can be held against it; empty when it can.
    """

    exam: str
    year: str
    name: str
    kind: Kind
    score: float
    source: str
    items: IntArray
    reason: str = ""


@cache
def exams() -> Mapping[str, Mapping[str, str]]:
    """Return the item columns by which the paper's exams are found, by exam."""
    entries = _declared()["exam"]
    return {entry["name"]: {key: value for key, value in entry.items() if key != "name"} for entry in entries}


def conflicts() -> Sequence[Mapping[str, str]]:
    """Return where the paper contradicts itself about an ``exam``: what it ``says``."""
    return _declared()["conflict"]


@cache
def _declared() -> Mapping[str, list[dict[str, str]]]:
    text = files("click_stats.stats.human").joinpath("exams.toml").read_text(encoding="utf-8")
    entries: dict[str, list[dict[str, str]]] = tomllib.loads(text)
    return entries


def items_of(counts: Counts, exam: str, part: Mapping[str, str] | None = None) -> IntArray:
    """Return the positions of an exam's items: those of its ``source``, or as ``exams.toml`` says."""
    chosen = {**exams().get(exam, {"source": exam}), **(part or {})}
    mask = np.ones(len(counts.items), dtype=bool)
    for column, value in chosen.items():
        mask &= (counts.items[column] == value).to_numpy() if column in counts.items else False
    return np.flatnonzero(mask).astype(np.int64)


def read_boundaries(path: str | Path, counts: Counts) -> list[Boundary]:
    """Read a user's table.

    CSV in UTF-8 with the columns ``exam`` (a value of the item column ``source``, or an exam of the paper), ``year``,
    ``score`` (percent of right answers, above 0 and below 100), ``boundary`` (its name), ``source`` (where it is
    printed); optional ``kind`` (``cut``, the default, or ``mean``), ``domain``, ``category`` (only these items).

    Raises
    ------
    UsageError
        The file is not there or cannot be read, or any row is wrong: all of them are named at once.
    """
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise UsageError(
            f"The table of boundaries {str(path)!r} cannot be read.",
            found=str(error),
            do="Give a CSV file in UTF-8 with the columns " + ", ".join(REQUIRED) + ".",
        ) from error
    missing = [name for name in REQUIRED if name not in table]
    unknown = [name for name in table if name not in {*REQUIRED, *OPTIONAL}]
    if missing or unknown:
        raise UsageError(
            f"The table of boundaries {str(path)!r} does not have the columns it needs.",
            found="; ".join(
                ([f"missing: {', '.join(missing)}"] if missing else [])
                + ([f"unknown: {', '.join(map(str, unknown))}"] if unknown else [])
            ),
            do=f"Use {', '.join(REQUIRED)}, and if wanted {', '.join(OPTIONAL)}.",
        )
    rows = [{str(key): str(value).strip() for key, value in row.items()} for row in table.to_dict("records")]
    problems = _problems(rows, counts)
    if problems:
        raise UsageError(
            f"The table of boundaries {str(path)!r} has rows that cannot be used.",
            found="; ".join(problems[:10]) + (f"; and {len(problems) - 10} more" if len(problems) > 10 else ""),
            do="Correct these rows; scores are percent of right answers, e.g. 60.",
        )
    return [
        Boundary(
            row["exam"],
            row["year"],
            row["boundary"],
            MEAN if row.get("kind") == MEAN else CUT,
            float(row["score"]) / 100,
            row["source"],
            items_of(counts, row["exam"], _part(row)),
        )
        for row in rows
    ]


def _part(row: Mapping[str, str]) -> dict[str, str]:
    return {name: row[name] for name in ("domain", "category") if row.get(name)}


def _problems(rows: Sequence[Mapping[str, str]], counts: Counts) -> list[str]:
    """Return what is wrong, with the line of the file."""
    found = [] if rows else ["there is no row"]
    seen: dict[tuple[str, ...], int] = {}
    for line, row in enumerate(rows, start=2):
        found += [f"line {line}: {name} is empty" for name in REQUIRED if not row[name]]
        try:
            score = float(row["score"])
        except ValueError:
            score = np.nan
        if row["score"] and not 0 < score < 100:
            found.append(f"line {line}: score {row['score']!r} is no percentage between 0 and 100")
        if row.get("kind", "") not in {"", MEAN, CUT}:
            found.append(f"line {line}: kind {row['kind']!r} is neither {MEAN} nor {CUT}")
        if row["exam"] and not items_of(counts, row["exam"], _part(row)).size:
            known = ", ".join(dict.fromkeys([*map(str, sorted(counts.items["source"].dropna().unique())), *exams()]))
            found.append(f"line {line}: no item of exam {row['exam']!r} (there are {known})")
        key = (row["exam"], row["year"], row["boundary"], *_part(row).values())
        if key in seen:
            found.append(f"line {line}: the same exam, year and boundary as line {seen[key]}")
        seen.setdefault(key, line)
    return found


def paper_table() -> pd.DataFrame:
    """Return the human anchors that the paper prints, as texts; ``value`` as a number."""
    table = pd.read_csv(content.paper("humans.csv"), dtype=str, keep_default_na=False)
    return table.assign(value=pd.to_numeric(table["value"], errors="coerce"))


def paper_boundaries(counts: Counts) -> list[Boundary]:
    """Return the paper's human means and grade boundaries for the exams that the items hold.

    Of the grades only shares of test-takers are printed, of the TOPIK levels nothing: they are listed with that reason.
    """
    table = paper_table()
    found = []
    for exam in exams():
        items = items_of(counts, exam)
        if not items.size:
            continue
        own = table[table["exam"] == exam]
        for row in own[own["statistic"] == "mean correct"].to_dict("records"):
            name = f"mean of {row['entity']}"
            source = f"{PAPER}, {row['where']}"
            found.append(Boundary(exam, row["years"], name, MEAN, float(row["value"]) / 100, source, items))
        grades = own[(own["entity_type"] == "grade boundary") & (own["entity"] != "scale")]
        for row in grades.to_dict("records"):
            name = f"{row['entity']}: {row['value']:g} % {row['statistic'].removeprefix('share of test-takers ')}"
            source = f"{PAPER}, {row['where']}"
            found.append(Boundary(exam, row["years"], name, CUT, np.nan, source, items, ONLY_SHARES))
        levels = own[own["statistic"].isin(["lowest level", "highest level"])].set_index("statistic")
        if len(levels) == 2:
            low, high = (f"{float(levels['value'][which]):g}" for which in ("lowest level", "highest level"))
            source = f"{PAPER}, {levels['where'].iloc[0]}"
            found.append(Boundary(exam, "", f"levels {low} to {high}", CUT, np.nan, source, items, ONLY_LEVELS))
    return found

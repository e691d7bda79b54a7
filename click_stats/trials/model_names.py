"""Model, condition and date from the name of a result file."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from click_stats.errors import DataError
from click_stats.trials.schema import DEFAULT_CONDITION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DATE = re.compile(r"^(?P<rest>.+)-(?:(?P<long>\d{4}-\d{2}-\d{2})|(?P<short>\d{6}))$")
EFFORT = re.compile(r"^(?P<rest>.+?)\s*\((?P<effort>[^()]+)\)$")


NOT_PRINTED = {"Cc", "Cf", "Cs"}
"""Unicode categories of characters that no report can hold: control, invisible format, lone surrogates."""


def clean_name(name: str) -> str:
    """Return a name as it is typed and printed: composed (NFC), single blanks, nothing invisible.

    Some systems store file names decomposed: fonts then draw the letters of a Hangul syllable one by one. Control
    characters are not allowed in XML, and so neither in docx nor in SVG.
    """
    composed = unicodedata.normalize("NFC", " ".join(name.split()))
    return "".join(character for character in composed if unicodedata.category(character) not in NOT_PRINTED).strip()


class Run(NamedTuple):
    """What a file name says: ``date`` is ISO, or empty; ``written`` is the date as it stands in the name."""

    model: str
    condition: str
    date: str
    written: str


def parse_stem(stem: str, benchmark: str = "CLIcK") -> Run:
    """Read the stem of a result file.

    A leading ``[CLIcK] `` is dropped; a trailing ``-YYMMDD`` or ``-YYYY-MM-DD`` is the date if there is such
    a day; a bracketed word (``gpt-5.2(medium)``) is the condition. An unbracketed ``-medium`` is part of the
    name: it cannot be told from names such as ``mistral-medium``.
    """
    stem = clean_name(stem) or stem
    rest = re.sub(rf"^\[{re.escape(benchmark)}\]\s*", "", stem, flags=re.IGNORECASE) or stem
    rest, condition = _effort(rest)
    rest, day, written = _date(rest)
    if condition == DEFAULT_CONDITION:
        rest, condition = _effort(rest)
    return Run(rest, condition, day, written)


def name_runs(stems: Mapping[str, str], benchmark: str = "CLIcK") -> dict[str, Run]:
    """Name the run of every file; where one model comes with several dates, each keeps its date in its name.

    Parameters
    ----------
    stems
        File name shown to the user -> stem.

    Raises
    ------
    DataError
        Two files are of one model, condition and date.
    """
    runs = {file: parse_stem(stem, benchmark) for file, stem in stems.items()}
    dates = defaultdict(set)
    for run in runs.values():
        dates[run.model].add(run.date)
    named = {
        file: run._replace(model=f"{run.model}-{run.written}") if run.written and len(dates[run.model]) > 1 else run
        for file, run in runs.items()
    }
    refuse_twins({file: (run.model, run.condition, run.date) for file, run in named.items()})
    return named


def refuse_twins(runs: Mapping[str, tuple[str, str, str]]) -> None:
    """Raise DataError when two files claim to be the same model, condition and date."""
    for run, n in Counter(runs.values()).items():
        if n > 1:
            files = [file for file, other in runs.items() if other == run]
            raise DataError(
                "Several files are of the same " + _words(run) + ".",
                found=", ".join(files),
                do="Keep one of them, or tell them apart in the name: another date, or a condition in brackets.",
            )


def _words(run: Sequence[str]) -> str:
    model, condition, day = run
    return f"model, condition and date ({model}, {condition}, {day or 'no date'})"


def _effort(name: str) -> tuple[str, str]:
    found = EFFORT.match(name)
    return (found["rest"], found["effort"].strip()) if found else (name, DEFAULT_CONDITION)


def _date(name: str) -> tuple[str, str, str]:
    found = DATE.match(name)
    if not found:
        return name, "", ""
    written = found["long"] or found["short"]
    text = found["long"] or f"20{written[:2]}-{written[2:4]}-{written[4:]}"
    try:
        return found["rest"], date.fromisoformat(text).isoformat(), written
    except ValueError:
        return name, "", ""

"""Reads an errata file, and says in one message what is wrong with it."""

from __future__ import annotations

import tomllib
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from click_stats.errors import DataError
from click_stats.items.errata.entries import TOGETHER, Errata

if TYPE_CHECKING:
    from typing import Any

ACTIONS = "rekey, also-accept, drop, recategorise, retext"
FORM = (
    f"Write [[erratum]] tables with key, digest, action ({ACTIONS}), reason, reviewer, date and source; see the guide "
    "on repairing a benchmark."
)
SAID = {
    "union_tag_not_found": f"no action; one of {ACTIONS}",
    "union_tag_invalid": f"no such action; one of {ACTIONS}",
    "missing": "is missing",
    "extra_forbidden": "is no entry of this action",
}
"""What pydantic finds wrong, in our words; otherwise in its own."""


def read_errata(path: str | Path) -> Errata:
    """Read corrections from a TOML file.

    Raises
    ------
    DataError
        The file cannot be read, is empty or no TOML, states something unknown or leaves something out, or holds
        corrections of one item that contradict each other.
    """
    where = Path(path)
    try:
        data = tomllib.loads(where.read_text(encoding="utf-8-sig"))
    except OSError as error:
        found = error.strerror or str(error)
        raise DataError(f"The errata {where} cannot be read.", found=found, do="Check the path.") from error
    except UnicodeDecodeError as error:
        raise DataError(f"The errata {where} are no UTF-8 text.", do="Save the file as UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"The errata {where} are no TOML.", found=str(error), do="Mend the file.") from error
    if not data.get("erratum"):
        other = sorted(set(data) - {"erratum"})
        found = f"other entries: {', '.join(other)}" if other else "an empty file"
        raise DataError(f"The errata {where} hold no corrections.", found=found, do=FORM)
    try:
        errata = Errata.model_validate(data)
    except ValidationError as error:
        raise DataError(f"The errata {where} have a wrong form.", found=_faults(error, data), do=FORM) from error
    _refuse_conflicts(errata, where)
    return errata


def _faults(error: ValidationError, data: dict[str, Any]) -> str:
    """Say in one line what is wrong, with the number and the item of each erratum."""
    found = [problem for problem in error.errors() if problem["type"] != "too_short" or len(problem["loc"]) > 1]
    return "; ".join(
        f"{_place(problem['loc'], data)}: {SAID.get(problem['type'], problem['msg'])}" for problem in found
    )


def _place(where: tuple[int | str, ...], data: dict[str, Any]) -> str:
    if len(where) < 2 or not isinstance(where[1], int):
        return ".".join(map(str, where))
    entry = data["erratum"][where[1]]
    key = entry.get("key", "no key") if isinstance(entry, dict) else "no table"
    # After the number stands the action, which the item's own fields follow.
    names = ".".join(map(str, where[3:]))
    return f"erratum {where[1] + 1} ({key})" + (f", {names}" if names else "")


def _refuse_conflicts(errata: Errata, where: Path) -> None:
    by_item: dict[str, list[str]] = {}
    for entry in errata.entries:
        by_item.setdefault(entry.key, []).append(entry.action)
    faults = [
        f"{key}: {first} and {second}"
        for key, actions in by_item.items()
        for first, second in combinations(actions, 2)
        if frozenset((first, second)) not in TOGETHER
    ]
    if faults:
        raise DataError(
            f"The errata {where} contradict each other.",
            found="; ".join(faults),
            do="Keep one of them. Several options go into one also-accept; the key of a new text into its retext.",
        )

"""Letters for a table of pairwise comparisons: units that share a letter are not separated."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

ALPHABET = string.ascii_lowercase + string.ascii_uppercase


def letters(separated: npt.NDArray[np.bool_], order: Sequence[int] | npt.NDArray[np.int64] | None = None) -> list[str]:
    """Return the letters of each unit, by insertion and absorption.

    Parameters
    ----------
    separated
        (K, K) symmetric: whether two units are separated.
    order
        Units from best to worst; letters are dealt in this order (the given order by default).

    Returns
    -------
    list of str
        Two units share a letter if and only if they are not separated. A letter beyond the 52nd is a number in
        parentheses.

    Notes
    -----
    Piepho (2004), J. Comput. Graph. Stat. 13:456-466.
    """
    n = len(separated)
    sequence = list(range(n)) if order is None else [int(unit) for unit in order]
    columns: list[frozenset[int]] = [frozenset(sequence)] if n else []
    for i, first in enumerate(sequence):
        for second in sequence[i + 1 :]:
            if separated[first, second]:
                columns = _absorb(_split(columns, first, second))
    place = {unit: k for k, unit in enumerate(sequence)}
    columns.sort(key=lambda column: sorted(place[unit] for unit in column))
    marks = [ALPHABET[k] if k < len(ALPHABET) else f"({k + 1})" for k in range(len(columns))]
    return ["".join(mark for mark, column in zip(marks, columns, strict=True) if unit in column) for unit in range(n)]


def _split(columns: list[frozenset[int]], first: int, second: int) -> list[frozenset[int]]:
    found: list[frozenset[int]] = []
    for column in columns:
        if first in column and second in column:
            found += [column - {first}, column - {second}]
        else:
            found.append(column)
    return found


def _absorb(columns: list[frozenset[int]]) -> list[frozenset[int]]:
    """Drop every column that lies within another one."""
    kept: list[frozenset[int]] = []
    for column in sorted(set(columns), key=lambda members: (-len(members), sorted(members))):
        if not any(column <= other for other in kept):
            kept.append(column)
    return kept

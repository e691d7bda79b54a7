"""Items that occur twice: equal texts by digest, and near-duplicates where the texts are at hand."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd


TEXTS = ("question", "options")
NO_TEXT = "the item table has keys only: near-duplicates need the texts"
NO_DIGEST = "the item table has no digests and no texts"
SAME, ORDER, NEAR = "same text", "same question, options in another order", "near-duplicate"
GRAM = 3
BLOCK = 512


class Pair(NamedTuple):
    """Two items (row numbers, the earlier first), what they share, how alike they are, and whether the keys agree."""

    a: int
    b: int
    kind: str
    similarity: float
    same_key: bool | None


def has_texts(items: pd.DataFrame) -> bool:
    """Tell whether the item table holds the texts of the questions."""
    return set(TEXTS) <= set(items.columns)


def duplicates(items: pd.DataFrame, threshold: float) -> list[Pair]:
    """Return pairs of items that are the same or nearly the same, the most alike first.

    Parameters
    ----------
    items
        With ``digest``, or with texts (``question``, ``options`` and, where there is one, ``passage``), or with both.
    threshold
        Least similarity of near-duplicates: the Jaccard index of the sets of three successive letters of question and
        options (Broder 1997). A passage that two items share on purpose does not make them alike; passages that differ
        make them as different as the passages are.

    Notes
    -----
    Equal digests mean equal passage, question and options in the same order: the key index can be compared. With
    texts the key's own text is.
    """
    found: dict[tuple[int, int], Pair] = {}
    gold = items["gold"].to_numpy(dtype=np.int64)
    if "digest" in items:
        for rows in _groups(items["digest"]):
            for place, a in enumerate(rows):
                for b in rows[place + 1 :]:
                    found[a, b] = Pair(a, b, SAME, 1.0, bool(gold[a] == gold[b]))
    if has_texts(items):
        for a, b, similarity in _alike(_grams(items), threshold):
            pair = _near(items, a, b, similarity)
            if pair.similarity >= threshold:
                found.setdefault((a, b), pair)
    return sorted(found.values(), key=lambda pair: (-pair.similarity, pair.a, pair.b))


def _groups(values: pd.Series[str]) -> Iterable[list[int]]:
    places: dict[str, list[int]] = {}
    for row, value in enumerate(values):
        if isinstance(value, str) and value:
            places.setdefault(value, []).append(row)
    return (rows for rows in places.values() if len(rows) > 1)


def _plain(text: object) -> str:
    """Return letters and digits only, in one form: spacing and punctuation are no difference."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", str(text)).casefold())


def _near(items: pd.DataFrame, a: int, b: int, similarity: float) -> Pair:
    options = [[_plain(option) for option in items["options"].iloc[row]] for row in (a, b)]
    questions = [_plain(items["question"].iloc[row]) for row in (a, b)]
    passages = [_plain(items["passage"].iloc[row]) if "passage" in items else "" for row in (a, b)]
    equal = questions[0] == questions[1] and passages[0] == passages[1] and sorted(options[0]) == sorted(options[1])
    keys = [texts[int(items["gold"].iloc[row])] for texts, row in zip(options, (a, b), strict=True)]
    if not equal:
        return Pair(
            a, b, NEAR, similarity if passages[0] == passages[1] else min(similarity, _jaccard(*passages)), None
        )
    return Pair(a, b, SAME if options[0] == options[1] else ORDER, 1.0, keys[0] == keys[1])


def _letters(text: str) -> set[str]:
    """Return the sets of successive letters of a text: the text itself when it is shorter."""
    return {text[k : k + GRAM] for k in range(max(1, len(text) - GRAM + 1))} if text else set()


def _jaccard(a: str, b: str) -> float:
    first, second = _letters(a), _letters(b)
    return len(first & second) / max(len(first | second), 1)


def _grams(items: pd.DataFrame) -> sparse.csr_matrix:
    """Return (I, grams) which successive letters occur in question and options of each item."""
    vocabulary: dict[str, int] = {}
    rows: list[int] = []
    columns: list[int] = []
    for row, (question, options) in enumerate(zip(items["question"], items["options"], strict=True)):
        parts: Sequence[str] = [_plain(question), *map(_plain, options)]
        grams = set().union(*map(_letters, parts))
        columns += [vocabulary.setdefault(gram, len(vocabulary)) for gram in sorted(grams)]
        rows += [row] * len(grams)
    ones = np.ones(len(rows), dtype=np.float64)
    return sparse.csr_matrix((ones, (rows, columns)), shape=(len(items), max(len(vocabulary), 1)))


def _alike(grams: sparse.csr_matrix, threshold: float) -> Iterable[tuple[int, int, float]]:
    """Yield pairs of rows whose Jaccard index reaches the threshold, block by block."""
    sizes = np.asarray(grams.sum(axis=1)).ravel()
    for start in range(0, grams.shape[0], BLOCK):
        shared = (grams[start : start + BLOCK] @ grams.T).tocoo()
        a, b, common = shared.row + start, shared.col, shared.data
        index = common / (sizes[a] + sizes[b] - common)
        for k in np.flatnonzero((a < b) & (index >= threshold)):
            yield int(a[k]), int(b[k]), float(index[k])

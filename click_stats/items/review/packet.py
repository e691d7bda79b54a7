"""The blind packet: which items are reviewed, and under which opaque name each reviewer sees them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from click_stats.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.items.table import ItemTable

Stratum = Literal["flagged", "not flagged"]
FLAGGED: Stratum = "flagged"
NOT_FLAGGED: Stratum = "not flagged"
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Signs of opaque names: none that is easily taken for another."""
KEY_FILE = Path("private") / "key.json"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Entry(_Frozen):
    """An item of the packet.

    Attributes
    ----------
    item, digest
        Its key, and the digest of its texts.
    stratum, flags
        Whether it was drawn as a suspect, and what it is suspected of.
    """

    item: str
    digest: str
    stratum: Stratum
    flags: tuple[str, ...] = ()


class Row(_Frozen):
    """An item as one reviewer sees it: ``options`` are places in the source, in the order shown."""

    id: str
    item: str
    options: tuple[int, ...]


class Sheet(_Frozen):
    """What one reviewer gets: all items of the packet in an order of its own."""

    reviewer: str
    rows: tuple[Row, ...]


class Packet(_Frozen):
    """What the maintainer keeps: it tells which items are suspects, and what the opaque names stand for.

    Attributes
    ----------
    benchmark, item_digest
        What is reviewed: name, and digest of the item table.
    seed, lang
        Seed of all draws; language of the forms.
    n_flagged, n_not_flagged
        Items of either kind in the benchmark, from which the packet's were drawn at random.
    n_by_flag
        Items in the benchmark by flag.
    entries
        The items, in the order of the benchmark.
    sheets
        One for each reviewer.
    """

    benchmark: str
    item_digest: str
    seed: int
    lang: str
    n_flagged: int = Field(ge=0)
    n_not_flagged: int = Field(ge=0)
    n_by_flag: dict[str, int]
    entries: tuple[Entry, ...]
    sheets: tuple[Sheet, ...]

    def check(self, items: ItemTable) -> None:
        """Raise DataError unless the items of the packet stand in the table with the same texts."""
        frame = items.frame
        other = [
            one.item
            for one in self.entries
            if one.item not in frame.index or frame.loc[one.item, "digest"] != one.digest
        ]
        if other:
            raise DataError(
                f"{len(other)} items of the packet have other texts in these items, or are not among them.",
                found=", ".join(other[:5]),
                do="Use the revision of the items that the packet was made from.",
            )


def draw(
    items: ItemTable,
    analysed: Sequence[str],
    flags: Mapping[str, Sequence[str]],
    *,
    suspects: int,
    good: int,
    reviewers: int = 2,
    shuffle: bool = False,
    lang: str = "en",
    seed: int = 0,
) -> Packet:
    """Draw the items of a packet, and an order and opaque names for each reviewer.

    Parameters
    ----------
    items
        The benchmark.
    analysed
        Keys of the items that could be flagged.
    flags
        Flags by item.
    suspects, good
        How many flagged and not flagged items are drawn, each at random and no more than there are.
    reviewers
        Number of reviewers, 2 or more: each sees every item.
    shuffle
        Show the options of each item in an order of its own to each reviewer.
    seed
        Seed of all draws.

    Raises
    ------
    UsageError
        Fewer than two reviewers, or no item to review.
    DataError
        Items were analysed that are not in the table.
    """
    if reviewers < 2:
        raise UsageError("A review needs two reviewers or more.", found=str(reviewers), do="Use --reviewers 2.")
    lost = sorted(set(analysed) - set(map(str, items.frame.index)))
    if lost:
        raise DataError(
            f"{len(lost)} analysed items are not in the item table.",
            found=", ".join(lost[:5]),
            do="Give the items that the results are about.",
        )
    wanted = set(analysed)
    pool = [str(key) for key in items.frame.index if key in wanted]
    strata: dict[Stratum, list[str]] = {
        FLAGGED: [key for key in pool if flags.get(key)],
        NOT_FLAGGED: [key for key in pool if not flags.get(key)],
    }
    rng = np.random.default_rng(seed)
    sizes = {FLAGGED: min(suspects, len(strata[FLAGGED])), NOT_FLAGGED: min(good, len(strata[NOT_FLAGGED]))}
    chosen: dict[str, Stratum] = {
        str(key): stratum
        for stratum, keys in strata.items()
        for key in rng.choice(np.array(keys, dtype=object), size=sizes[stratum], replace=False)
    }
    if not chosen:
        raise UsageError("There is no item to review.", found=f"{suspects} suspects, {good} good items asked for")
    entries = tuple(
        Entry(
            item=key, digest=str(items.frame.loc[key, "digest"]), stratum=chosen[key], flags=tuple(flags.get(key, ()))
        )
        for key in pool
        if key in chosen
    )
    names = iter(_names(rng, reviewers * len(entries)))
    sheets = []
    for number in range(1, reviewers + 1):
        rows = []
        for place in rng.permutation(len(entries)):
            n_options = int(items.frame.loc[entries[place].item, "n_options"])
            shown = rng.permutation(n_options) if shuffle else np.arange(n_options)
            rows.append(Row(id=next(names), item=entries[place].item, options=tuple(map(int, shown))))
        sheets.append(Sheet(reviewer=f"reviewer-{number}", rows=tuple(rows)))
    known = [flag for key in pool for flag in set(flags.get(key, ()))]
    return Packet(
        benchmark=items.definition.name,
        item_digest=items.digest,
        seed=seed,
        lang=lang,
        n_flagged=len(strata[FLAGGED]),
        n_not_flagged=len(strata[NOT_FLAGGED]),
        n_by_flag={flag: known.count(flag) for flag in sorted(set(known))},
        entries=entries,
        sheets=tuple(sheets),
    )


def read_packet(folder: str | Path) -> Packet:
    """Read the private part of a packet from its folder.

    Raises
    ------
    DataError
        The folder holds none, or one that cannot be read.
    """
    path = Path(folder) / KEY_FILE
    try:
        return Packet.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(
            f"The folder {folder} holds no key of a review packet.",
            found=error.strerror or str(error),
            do=f"Give the folder that `items review export` wrote: it holds {KEY_FILE.as_posix()}.",
        ) from error
    except (ValidationError, UnicodeDecodeError) as error:
        raise DataError(f"The key of the review packet in {folder} is damaged.", do="Get it from a copy.") from error


def _names(rng: np.random.Generator, n: int) -> list[str]:
    """Return ``n`` different opaque names."""
    found: dict[str, None] = {}
    while len(found) < n:
        found["".join(LETTERS[sign] for sign in rng.integers(0, len(LETTERS), size=6))] = None
    return list(found)

"""A formula of the user, split into what describes items and what describes models."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

ITEMS = ("category", "domain", "source", "passage")


class Parts(NamedTuple):
    """Terms of a formula.

    Attributes
    ----------
    items, models
        Terms of items only and of models only, joined by ``+``.
    crossed
        Whether a term joins both: then one stage is fitted, not two.
    names
        Columns of models that occur.
    """

    items: str
    models: str
    crossed: bool
    names: tuple[str, ...]


def split(fixed: str, known: Sequence[str]) -> Parts:
    """Return the parts of a formula.

    Raises
    ------
    UsageError
        A column that neither items nor models have.
    """
    items: list[str] = []
    models: list[str] = []
    names: list[str] = []
    crossed = False
    for piece in filter(None, (part.strip() for part in fixed.split("+"))):
        if piece == "1":
            continue
        columns = [part.strip() for part in piece.replace("*", ":").split(":")]
        unknown = [name for name in columns if name not in ITEMS and name not in known]
        if unknown:
            raise UsageError(
                f"There is no column {unknown[0]!r} for the fixed effects.", found=", ".join([*ITEMS, *known])
            )
        own = [name for name in columns if name not in ITEMS]
        names += own
        if own and len(own) < len(columns):
            crossed = True
        (models if own else items).append(piece)
    return Parts(" + ".join(items), " + ".join(models), crossed, tuple(dict.fromkeys(names)))

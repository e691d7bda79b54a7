"""Two groups of models from a fact that is known of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from click_stats.counts import Counts, FloatArray, IntArray

SMALLEST = 3
"""Models that each group needs: with fewer, the models less three leave nothing to estimate an error from."""
NAMED = 6


@dataclass(frozen=True)
class Contrast:
    """A reference and a focal group of units, or the reason why there are none.

    Attributes
    ----------
    fact
        What the models are divided by, e.g. ``access``.
    reference, focal
        Names of the groups.
    units
        (n,) the units in either, as rows of the counts.
    member
        (n,) 1 for the focal group.
    reason
        Why the contrast cannot be made; empty otherwise.
    """

    fact: str
    reference: str
    focal: str
    units: IntArray
    member: FloatArray
    reason: str = ""


def by_model(counts: Counts) -> Counts:
    """Return the counts with the conditions of each model added up: another condition is no further model."""
    models = pd.Series(counts.units.get("model", counts.units.index), index=counts.units.index)
    codes, _ = pd.factorize(models)
    first = ~models.duplicated().to_numpy()
    if first.all():
        return counts
    member = (codes == np.arange(codes.max() + 1)[:, None]).astype(np.int64)
    several = models.duplicated(keep=False).to_numpy()
    units = counts.units[first].copy()
    units.index = pd.Index(np.where(several, models, counts.units.index)[first], name=counts.units.index.name)
    options, statuses = (np.einsum("mu,uik->mik", member, one) for one in (counts.options, counts.statuses))
    return replace(
        counts, units=units, options=options, statuses=statuses, planned=member @ counts.planned, cells=None,
        responses=None,
    )  # fmt: skip


def contrast(counts: Counts, spec: str) -> Contrast:
    """Divide the models by a fact.

    Parameters
    ----------
    counts
        The answers, with facts of the models.
    spec
        A fact of the models: with numbers or dates they are divided at the median (the focal group is the lower
        half), with words there must be two of them (the focal group is the less accurate). ``fact=value`` makes the
        models with this value the focal group, and all others of which the fact is known the reference.

    Raises
    ------
    UsageError
        No such fact is among the columns of the model table.
    """
    fact, _, value = (part.strip() for part in spec.partition("="))
    if fact not in counts.units.columns:
        known = [str(name) for name in counts.units.columns if name not in {"condition", "protocol", "output_tokens"}]
        if fact not in FACTS:
            raise UsageError(
                f"Models cannot be grouped by {fact!r}: it is no fact of them.",
                found=", ".join(known),
                do="Use a column of the model table (--models), e.g. access, or access=open.",
            )
        return _none(fact, "it is known of no model: give a table of models")
    stated = counts.fact(fact)
    known_of = np.flatnonzero(stated.notna() & (stated.astype(str).str.strip() != ""))
    if not len(known_of):
        return _none(fact, "it is known of no model: give a table of models")
    values = stated.iloc[known_of]
    if value:
        return _of_value(fact, value, known_of, values)
    numbers = _as_numbers(values)
    if numbers is not None:
        return _halves(fact, known_of, numbers, values)
    return _of_words(counts, fact, known_of, values)


FACTS = ("vendor", "family", "base_model", "parameters", "parameters_active", "release_date", "access",
         "korean_corpus", "tuned")  # fmt: skip
"""Facts that a model table may lack without being wrong."""


def _of_value(fact: str, value: str, units: IntArray, values: pd.Series) -> Contrast:
    words = values.astype(str).str.strip().str.removesuffix(".0")  # numbers with gaps are read as 7.0
    member = (words == value.removesuffix(".0")).to_numpy()
    if not member.any():
        listed = ", ".join(dict.fromkeys(map(str, values)))
        raise UsageError(f"No model has {fact} {value!r}.", found=listed, do="Use one of these.")
    return _made(fact, f"not {value}", value, units, member)


def _halves(fact: str, units: IntArray, numbers: FloatArray, values: pd.Series) -> Contrast:
    if len(np.unique(numbers)) < 2:
        return _none(fact, "it is the same for all models of which it is known")
    middle = float(np.median(numbers))
    cut = max(one for one in numbers if one <= middle) if middle < numbers.max() else max(numbers[numbers < middle])
    member = numbers <= cut
    edge = str(values.iloc[int(np.flatnonzero(numbers == cut)[0])]).removesuffix(".0")
    over = "above" if pd.to_numeric(values, errors="coerce").notna().all() else "after"
    return _made(fact, f"{over} {edge}", f"up to {edge}", units, member)


def _of_words(counts: Counts, fact: str, units: IntArray, values: pd.Series) -> Contrast:
    words = values.astype(str).str.strip()
    found = list(dict.fromkeys(words))
    if len(found) != 2:
        shown = "; ".join(found[:NAMED])
        many = f"it has {len(found)} values ({shown}), not two: name one, e.g. {fact}={found[0]}"
        return _none(fact, many if len(found) > 1 else "it is the same for all models of which it is known")
    scores = counts.scores()[0][units]
    with np.errstate(invalid="ignore"):
        accuracy = np.array([np.nanmean(one) if np.isfinite(one).any() else np.nan for one in scores])
    means = [np.nanmean(accuracy[(words == word).to_numpy()]) for word in found]
    focal = found[int(np.argmin(means))]
    reference = found[1 - found.index(focal)]
    return _made(fact, reference, focal, units, (words == focal).to_numpy())


def _made(fact: str, reference: str, focal: str, units: IntArray, member: np.ndarray) -> Contrast:
    sizes = {reference: int((~member).sum()), focal: int(member.sum())}
    n = min(sizes.values())
    if n < SMALLEST:
        return _none(fact, f"a group has {n} model{'' if n == 1 else 's'}; each needs {SMALLEST}")
    return Contrast(fact, reference, focal, units.astype(np.int64), member.astype(np.float64))


def _none(fact: str, reason: str) -> Contrast:
    return Contrast(fact, "", "", np.zeros(0, dtype=np.int64), np.zeros(0), reason)


def _as_numbers(values: pd.Series) -> FloatArray | None:
    """Return numbers, or dates as numbers (2024, 2024-08 and 2024-08-31 alike); None for words."""
    numbers = pd.to_numeric(values, errors="coerce")
    if numbers.notna().all():
        return numbers.to_numpy(dtype=np.float64)
    parts = values.astype(str).str.extract(r"^(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?$")
    if parts[0].isna().any():
        return None
    year, month, day = (pd.to_numeric(parts[place]).fillna(1) for place in range(3))
    return (year * 372 + (month - 1) * 31 + day).to_numpy(dtype=np.float64)

"""What a model was made from, and by what: instruction tuning, further pretraining, or both."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Hashable

TUNING, PRETRAINING, BOTH = "tuning", "further pretraining", "tuning and further pretraining"
NEITHER, UNKNOWN = "no change stated", "not known"
CHANGES = (TUNING, PRETRAINING, BOTH)
TUNING_WORDS = ("tun", "sft", "rlhf", "dpo", "조정", "튜닝")
"""A stage of ``korean_corpus`` (its stages are joined by ``+``) that has one of these words is tuning, no corpus."""


class Change(NamedTuple):
    """What lies between a base model and a model made from it.

    Attributes
    ----------
    change
        One of ``CHANGES``, ``NEITHER`` or ``UNKNOWN``.
    tuned, corpus
        (derived, base) as stated; None where nothing is.
    """

    change: str
    tuned: tuple[str | None, str | None]
    corpus: tuple[str | None, str | None]


def base_of(units: pd.DataFrame, unit: str) -> str | None:
    """Return the unit that is the base model of ``unit``, by name or label; None unless it is exactly one.

    A name may carry a prefix that ends in ``-`` or ``/`` (``EleutherAI/polyglot-ko-5.8b``).
    """
    wanted = named_base(units, unit)
    if wanted is None:
        return None
    wanted = wanted.casefold()
    exact, prefixed = [], []
    for other, row in units.iterrows():
        if other == unit:
            continue
        texts = {str(other).casefold(), str(row["model"]).casefold(), str(row.get("label", "")).casefold()}
        if wanted in texts:
            exact.append(str(other))
        elif any(text.endswith((f"-{wanted}", f"/{wanted}")) for text in texts):
            prefixed.append(str(other))
    found = exact or prefixed
    return found[0] if len(found) == 1 else None


def named_base(units: pd.DataFrame, unit: str) -> str | None:
    """Return the base model that the facts name, whether it is among the units or not."""
    return _fact(units, unit, "base_model")


def change(units: pd.DataFrame, derived: str, base: str) -> Change:
    """Tell tuning from pretraining by the facts ``tuned`` and ``korean_corpus`` of both models."""
    tuned = (_fact(units, derived, "tuned"), _fact(units, base, "tuned"))
    corpus = (_fact(units, derived, "korean_corpus"), _fact(units, base, "korean_corpus"))
    if None in tuned or None in corpus:
        return Change(UNKNOWN, tuned, corpus)
    trained = _pretraining(str(corpus[0])) != _pretraining(str(corpus[1]))
    kinds = {(True, False): TUNING, (False, True): PRETRAINING, (True, True): BOTH, (False, False): NEITHER}
    return Change(kinds[tuned[0] != tuned[1], trained], tuned, corpus)


def _pretraining(corpus: str) -> frozenset[str]:
    stages = (stage.strip().casefold() for stage in corpus.split("+"))
    return frozenset(stage for stage in stages if stage and not any(word in stage for word in TUNING_WORDS))


def _fact(units: pd.DataFrame, unit: Hashable, name: str) -> str | None:
    value = units[name].get(unit) if name in units else None
    return str(value) if value is not None and pd.notna(value) and str(value).strip() else None

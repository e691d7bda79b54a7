"""What goes together with what a design tests, among the models that it uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.stats.anova.confounding import confounded
from click_stats.stats.mixed.cells import ACCESS, SCALE, THRESHOLD, WITHIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

FACTS = ("korean_corpus", "tuned", "family", "parameters", "log10_params")


def notes(units: pd.DataFrame, design: str, knots: Sequence[float]) -> list[str]:
    """Return sentences on what the models of a design have in common.

    Parameters
    ----------
    units
        The models used: ``korean_corpus, tuned, family, parameters, log10_params``.
    design
        The design.
    knots
        Sizes in billions at which the slope may change.
    """
    found = confounded(units, SCALE if design in {WITHIN, THRESHOLD, ACCESS} else design)
    if design == THRESHOLD and len(units):
        for knot in knots:
            found += _sides(units, knot)
        if len(knots) > 1:
            found.append(
                f"{len(knots)} changes of slope are estimated together from {len(units)} models: each rests on few."
            )
    return found


def _sides(units: pd.DataFrame, knot: float) -> list[str]:
    """Return how many models lie on each side of a size, and what they do not share."""
    size = (10.0 ** units["log10_params"]).astype(float)
    low, high = units[size <= knot * (1 + 1e-9)], units[size > knot * (1 + 1e-9)]
    found = [f"Up to {knot:g} billion parameters: {len(low)} models; above: {len(high)}."]
    for fact, what in (("family", "family"), ("korean_corpus", "corpus")):
        one, two = set(low[fact].dropna()), set(high[fact].dropna())
        if one and two and not one & two:
            found.append(
                f"The models up to {knot:g} billion parameters and those above share no {what}: a change of slope "
                f"there cannot be told from a difference of {what}."
            )
    return found

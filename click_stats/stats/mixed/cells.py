"""What is fitted: correct of trials by model and item, the facts of the models, and which models a design can use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pandas as pd

from click_stats.stats.bayes.data import facts
from click_stats.stats.glmm.data import GlmmData

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.counts import Counts, Denominator

Parameters = Literal["total", "active"]
SCALE, CORPUS, JOINT, ACCESS, WITHIN, THRESHOLD = (
    "scale",
    "corpus",
    "scale and corpus",
    "access",
    "size within family",
    "threshold",
)
ABOVE = "above_threshold"
FORMULAS: Mapping[str, str] = {
    SCALE: "log10_params",
    CORPUS: "corpus",
    JOINT: "log10_params + corpus",
    ACCESS: "access",
    WITHIN: "family + log10_params",
}
"""Model-level formula of each design but ``threshold``; the category of items is always in the first stage."""
FEWEST = 4


@dataclass(frozen=True)
class Cells:
    """The counts and facts.

    Attributes
    ----------
    data
        One row for each model and item with a trial; ``model, item, category, domain, source, passage, family``.
    units
        Facts of the models used, indexed by their labels: ``log10_params, corpus, access, family``, and for each of
        ``knots`` how far the size lies above it (``above_threshold``, ``above_threshold_2``, ...).
    left_out
        Units without any part in the analysis, with the reason.
    knots
        Sizes in billions at which the slope may change, rising; none without three sizes.
    """

    data: GlmmData
    units: pd.DataFrame
    left_out: dict[str, str]
    knots: tuple[float, ...]

    def formula(self, design: str) -> str:
        """Return the model-level formula of a design, which may be a formula itself."""
        if design == THRESHOLD:
            return " + ".join(["log10_params", *(above(k) for k in range(len(self.knots)))])
        return FORMULAS.get(design, design)

    def knot(self, column: str) -> float:
        """Return the size at which the slope changes by a column ``above_threshold...``; NaN for another column."""
        places = [k for k in range(len(self.knots)) if above(k) == column]
        return self.knots[places[0]] if places else np.nan


def above(k: int) -> str:
    """Return the column of the ``k``-th size at which the slope may change (0 the first)."""
    return ABOVE if k == 0 else f"{ABOVE}_{k + 1}"


def cells(
    counts: Counts, *, parameters: Parameters, denominator: Denominator, threshold: Sequence[float] = ()
) -> Cells | None:
    """Return the cells of all models with a counted answer; None when nothing was counted.

    ``threshold`` has sizes in billions at which the slope may change; the middle one of the sizes when there are none.
    """
    units = facts(counts)
    if parameters == "active":
        units["log10_params"] = units["log10_active"]
    for name in ("access", "family"):
        value = counts.fact(name)
        units[name] = value.where(value.notna(), None).astype(object)
    correct, trials = counts.correct, counts.scores(denominator).trials
    people = counts.people
    answered = trials.sum(axis=1) > 0
    left_out = {
        str(unit): "not a model" if person else "no answer counted"
        for unit, person, any_ in zip(units.index, people, answered, strict=True)
        if person or not any_
    }
    kept = np.flatnonzero(answered & ~people)
    rows, columns = np.nonzero(trials[kept] > 0)
    if not len(rows):
        return None
    items = counts.items.iloc[columns]
    frame = pd.DataFrame(
        {
            "model": units.index.astype(str).to_numpy()[kept][rows],
            "item": items.index.astype(str),
            "category": items["category"].astype(str).to_numpy(),
            "domain": items["domain"].astype(str).to_numpy(),
            "source": items["source"].astype(str).to_numpy(),
            "passage": items["cluster"].astype(str).to_numpy(),
            "correct": correct[kept][rows, columns],
            "trials": trials[kept][rows, columns],
        }
    )
    units = units.iloc[kept].set_axis(units.index.astype(str)[kept])
    size = units["log10_params"]
    distinct = np.unique(size.dropna())
    knots = tuple(sorted(set(map(float, threshold))))
    if not knots and len(distinct) >= 3:
        knots = (float(10 ** distinct[(len(distinct) - 1) // 2]),)
    for k, knot in enumerate(knots):
        units[above(k)] = (size - np.log10(knot)).clip(lower=0.0)
    for name in ("log10_params", "corpus", "access", "family", *map(above, range(len(knots)))):
        frame[name] = units[name].reindex(frame["model"]).to_numpy()
    return Cells(GlmmData.from_frame(frame), units, left_out, knots)


class Choice(NamedTuple):
    """Which models a design uses.

    Attributes
    ----------
    used
        Labels.
    left_out
        The others, with the reason.
    reason
        Why there is no test; empty when there is one.
    """

    used: tuple[str, ...]
    left_out: dict[str, str]
    reason: str


def choose(units: pd.DataFrame, names: tuple[str, ...]) -> Choice:
    """Return the models with all predictors, and whether they suffice for a test between models."""
    left_out = {}
    for unit, row in units.iterrows():
        # How far a size lies above a knot is unknown with the size itself.
        absent = [name for name in names if pd.isna(row[name]) and not name.startswith(ABOVE)]
        if absent:
            left_out[str(unit)] = "unknown: " + " and ".join(absent)
    used = tuple(str(unit) for unit in units.index if str(unit) not in left_out)
    known = units.loc[list(used)]
    what = " and ".join(names)
    reason = ""
    if len(used) < FEWEST:
        reason = f"{len(used)} usable models with a known {what}, but a test between models needs {FEWEST} or more"
    else:
        same = [name for name in names if len(set(known[name])) == 1]
        if same:
            reason = f"all models have the same {same[0]}"
    return Choice(used, left_out, reason)

"""The analysis: which facts of items go with their difficulty, and how much of it they explain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.errors import DataError, UsageError
from click_stats.results import Result
from click_stats.stats import partition
from click_stats.stats.dif.groups import contrast
from click_stats.stats.difficulty import rows
from click_stats.stats.difficulty.model import Answers, fitted
from click_stats.stats.difficulty.terms import USUAL, build
from click_stats.stats.difficulty.variance import TERMS
from click_stats.stats.glmm import ConvergenceError
from click_stats.stats.glmm.data import CELL
from click_stats.stats.tools.intervals import check_level
from click_stats.stats.tools.words import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, Denominator, IntArray
    from click_stats.stats.difficulty.terms import Design

METHOD = (
    "Logistic mixed model of right answers on facts of the items; items, passages and models random (restricted "
    "Laplace likelihood). Difficulty is minus the logit. Groups of models: departures of each model's coefficients "
    "from the common ones, Welch's t over models."
)
FEWEST_MODELS = 3
FEWEST_ITEMS = 10
FEW_MODELS = "Difficulty is modelled from {n} models on, and {m} have answers: read more models."
FEW_ITEMS = "{n} items have answers and a value in every term: too few for a model of difficulty with these terms."
NOTHING_VARIES = "Every answer is right, or every answer is wrong: no item is harder than another."
NOT_FITTED = "The mixed model could not be fitted to these answers: use fewer terms, or read more models."
NO_CELLS = (
    "Effects of single cells of models by items ({n}) are left out of the model of difficulty, which would take "
    "minutes: effects on difficulty are then up to a tenth too small."
)
NO_VALUE = "Items left out because they have no value of {term}: {n}."


def difficulty(
    counts: Counts,
    *,
    terms: str | Sequence[str] = USUAL,
    by_models: str = "access",
    level: float = 0.95,
    alpha: float = 0.05,
    denominator: Denominator = "responded",
    seed: int = 0,
) -> Result:
    """Explain the difficulty of items by facts of them.

    Parameters
    ----------
    counts
        The answers. People (``kind`` human) take no part.
    terms
        Columns of the table of items, a sequence or words with commas: numbers as they are, words as levels;
        ``log10_chars`` is the logarithm of the number of characters. A column that is a combination of earlier ones
        has no coefficient, so the order matters.
    by_models
        How models are divided in two for the interactions (:func:`click_stats.stats.dif.groups.contrast`).
    level
        Confidence level of the intervals.
    alpha
        Family-wise error of the tests of a table (Holm).
    denominator
        Which trials count.
    seed
        Of the draws for the intervals of the shares explained.

    Returns
    -------
    Result
        ``estimates``: each level or number; positive effects are harder. ``tests``: each term as a whole. ``variance``:
        what the terms explain of the variance of difficulties. ``interactions``: differences between two groups of
        models. When the data do not allow it, all are empty and ``meta`` has the reason.

    Raises
    ------
    UsageError
        An unknown term or fact of the models, or a level out of range.

    Notes
    -----
    The sources stand with the functions. Coefficients are associations among these items given the other terms; exams
    differ in more than is known of them.
    """
    terms = named(terms)
    _check(terms, level, alpha)
    meta: dict[str, Any] = {
        "method": METHOD, "terms": terms, "by_models": by_models, "level": level, "alpha": alpha,
        "denominator": denominator, "seed": seed, "reason": "", "digests": dict(counts.meta.get("digests", {})),
        "warnings": list(counts.meta.get("warnings", ())),
    }  # fmt: skip
    models = counts.select([str(unit) for unit in counts.units.index[~counts.people]])
    trials = models.scores(denominator).trials
    sides = contrast(models, by_models)
    n_models = int(trials.any(axis=1).sum())
    design = build(models.items, terms, np.asarray((trials > 0).any(axis=0)))
    found = _why_not(n_models, design) or _fits(models, design, trials, level, alpha, seed)
    if isinstance(found, str):
        return Result("difficulty", rows.frames(), {}, {**meta, "reason": found})
    meta["warnings"] += [NO_VALUE.format(n=n, term=term) for term, n in design.missing.items()]
    variance = rows.variance_rows(found)
    total = sum(row["sd_logit"] ** 2 for row in variance)
    share = next((row["variance_share"] for row in variance if row["component"] == TERMS), None)
    here = np.flatnonzero(design.complete)
    tables = rows.frames(
        estimates=rows.estimate_rows(found),
        tests=rows.test_rows(found, terms, total),
        variance=variance,
        interactions=rows.interaction_rows(found, sides),
    )
    meta["random_effects"] = list(found.plain.random)
    if found.answers.replicated and CELL not in found.plain.random:
        meta["warnings"].append(NO_CELLS.format(n=found.answers.n_cells))
    summary = {"n_units": n_models, "n_items": len(here), "variance_share": share}
    return Result("difficulty", tables, summary, meta)


def _fits(counts: Counts, design: Design, trials: IntArray, level: float, alpha: float, seed: int) -> rows.Fits | str:
    """Return the fits with and without the terms, or why there are none."""
    here = np.flatnonzero(design.complete)
    correct, shown = counts.correct[:, here].astype(np.float64), trials[:, here].astype(np.float64)
    correct = np.where(shown > 0, correct, 0.0)
    if correct.sum() in {0.0, shown.sum()}:
        return NOTHING_VARIES
    answers = Answers(correct, shown, partition.clusters(counts, here))
    try:
        plain = fitted(answers, design.matrix[:, :0])
        full = fitted(answers, design.matrix) if design.used else None
    except (ConvergenceError, DataError):
        return NOT_FITTED
    return rows.Fits(design, answers, full, plain, level, alpha, seed)


def _why_not(n_models: int, design: Design) -> str:
    if n_models < FEWEST_MODELS:
        return FEW_MODELS.format(n=FEWEST_MODELS, m=n_models)
    n_items = int(design.complete.sum())
    if n_items < max(FEWEST_ITEMS, 2 * (1 + len(design.used))):
        return FEW_ITEMS.format(n=n_items)
    return ""


def _check(terms: Sequence[str], level: float, alpha: float) -> None:
    check_level(level)
    if not 0 < alpha < 1:
        raise UsageError("The level of a test lies between 0 and 1.", found=str(alpha))
    if not terms:
        raise UsageError("No term is given.", do="Name columns of the table of items, e.g. terms=category,source.")

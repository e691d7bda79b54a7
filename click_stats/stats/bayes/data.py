"""What is sampled: correct of trials by model and item, and the predictors of models and of items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.errors import DataError, UsageError
from click_stats.stats.glmm import design as designs
from click_stats.stats.glmm.data import GlmmSpec, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, Denominator, FloatArray, IntArray

FEWEST_MODELS = 4
DEFAULT_TERMS = ("log10_params", "corpus")
"""Predictors of models when none are named; the category is the predictor of items."""
REQUIRED = ("item", "model")
OPTIONAL = ("model:category", "family", "cell")
"""Random effects that may be added: deviations of a model in a category, of a family, of a model on an item."""


class Aside(DataError):  # noqa: N818 -- not an error of the user: the analysis steps aside
    """These data do not allow the analysis; the message is the reason that the result carries."""


@dataclass(frozen=True)
class Predictors:
    """Columns of fixed effects, centred.

    Attributes
    ----------
    names
        ``log10_params``, ``corpus[trace]`` (against the base level).
    matrix, raw
        (rows, columns) columns less their mean over rows, and as they are.
    numeric
        (columns,) whether the column is a number and not a level.
    terms
        (columns,) the term each column belongs to.
    base
        Base level of each categorical term.
    """

    names: tuple[str, ...]
    matrix: FloatArray
    raw: FloatArray
    numeric: tuple[bool, ...]
    terms: tuple[str, ...]
    base: dict[str, str]


@dataclass(frozen=True)
class BayesData:
    """Counts and predictors of M models and I items.

    Attributes
    ----------
    correct, trials
        (M, I) counts; 0 trials where a model did not answer.
    models, items
        Labels of the units and keys of the items.
    of_models, of_items
        Predictors that vary between models (M rows) and between items (I rows).
    category
        (I,) code of the category of an item, for the effect of a model in a category.
    family
        (M,) code of the family of a model; all 0 when families are not asked for.
    n_items_total
        Items that any of the models answered, of which ``items`` may be a sample.
    left_out
        Units that take no part, with the reason.
    notes
        Sentences for the reader.
    """

    correct: IntArray
    trials: IntArray
    models: tuple[str, ...]
    items: tuple[str, ...]
    of_models: Predictors
    of_items: Predictors
    category: IntArray
    family: IntArray
    n_items_total: int
    left_out: dict[str, str]
    notes: tuple[str, ...] = ()


class _Frame(Table):
    def __init__(self, columns: pd.DataFrame) -> None:
        self.columns = columns


def facts(counts: Counts) -> pd.DataFrame:
    """Return the facts of the units, with ``log10_params``, ``log10_active`` (of billions) and ``corpus`` added."""
    frame = counts.units.copy()
    for name, source in (("log10_params", "parameters"), ("log10_active", "parameters_active")):
        values = pd.to_numeric(counts.fact(source), errors="coerce").astype(np.float64)
        frame[name] = np.log10(values.where(values > 0))
    corpus = counts.fact("korean_corpus")
    frame["corpus"] = corpus.where(corpus.notna() & (corpus.astype(str).str.strip() != ""), None)
    return frame


def prepare(
    counts: Counts,
    *,
    fixed: str = "",
    random: Sequence[str] = REQUIRED,
    max_items: int | None = None,
    denominator: Denominator = "responded",
    seed: int = 0,
) -> BayesData:
    """Choose models, items and predictors.

    Without ``fixed`` the predictors are category, size and corpus, or as many of them as the models allow, with a note.

    Raises
    ------
    Aside
        Fewer than four models with all predictors, predictors that these models do not tell apart, or answers that
        are all right or all wrong.
    UsageError
        An unknown column or random effect, or an interaction.
    """
    check_random(random)
    shown = counts.scores(denominator).trials
    if shown.sum() and counts.correct.sum() in {0, shown.sum()}:
        raise Aside("Every answer is " + ("right." if counts.correct.sum() else "wrong."))
    frame = facts(counts)
    people = frame["kind"].astype(str) == "human" if "kind" in frame else pd.Series(data=False, index=frame.index)
    categories = set(counts.items["category"])
    if fixed.strip():
        return _with(counts, frame, people, split(counts, frame, fixed), random, max_items, denominator, seed)
    item_terms = ["category"] if len(categories) > 1 else []
    tries = [list(DEFAULT_TERMS), [DEFAULT_TERMS[0]], [DEFAULT_TERMS[1]]]
    first: Aside | None = None
    for model_terms in tries:
        try:
            found = _with(counts, frame, people, (model_terms, item_terms), random, max_items, denominator, seed)
        except Aside as error:
            first = first or error
            continue
        lost = [name for name in DEFAULT_TERMS if name not in model_terms]
        if not lost or first is None:
            return found
        note = f"{lost[0]} left out: {first.what}"
        return BayesData(**{**vars(found), "notes": (*found.notes, note)})
    assert first is not None
    raise first


def check_random(random: Sequence[str]) -> None:
    """Raise UsageError for random effects that the model does not have."""
    unknown = [name for name in random if name not in (*REQUIRED, *OPTIONAL)]
    if unknown or any(name not in random for name in REQUIRED):
        raise UsageError(
            "The random effects of the Bayesian model are item and model, and what may be added to them.",
            found=", ".join(random),
            do="Name item and model, and any of: " + ", ".join(OPTIONAL) + ".",
        )


def split(counts: Counts, frame: pd.DataFrame, fixed: str) -> tuple[list[str], list[str]]:
    """Return the terms of a formula that describe models, and those that describe items."""
    of_models: list[str] = []
    of_items: list[str] = []
    for term in (part.strip() for part in fixed.split("+")):
        if term in {"", "1"}:
            continue
        if ":" in term or "*" in term:
            raise UsageError(
                f"The Bayesian model has no interactions, such as {term!r}.",
                do="Name main effects only; the analysis 'mixed' has interactions.",
            )
        if term in counts.items.columns:
            of_items.append(term)
        elif term in frame.columns:
            of_models.append(term)
        else:
            raise UsageError(
                f"There is no column {term!r} for the fixed effects.",
                found=", ".join(map(str, [*frame.columns, *counts.items.columns])),
            )
    return of_models, of_items


def _with(
    counts: Counts,
    frame: pd.DataFrame,
    people: pd.Series[bool],
    terms: tuple[list[str], list[str]],
    random: Sequence[str],
    max_items: int | None,
    denominator: Denominator,
    seed: int,
) -> BayesData:
    of_models, of_items = terms
    trials = counts.scores(denominator).trials
    left_out: dict[str, str] = {}
    needed = [*of_models, *(["family"] if "family" in random else [])]
    for row, unit in enumerate(map(str, frame.index)):
        absent = [name for name in needed if name not in frame or bool(pd.isna(frame[name].iloc[row]))]
        if bool(people.iloc[row]):
            left_out[unit] = "not a model"
        elif trials[row].sum() == 0:
            left_out[unit] = "no answer counted"
        elif absent:
            left_out[unit] = "unknown: " + " and ".join(absent)
    kept = np.array([str(unit) not in left_out for unit in frame.index], dtype=bool)
    if kept.sum() < FEWEST_MODELS:
        raise Aside(
            f"{kept.sum()} models have answers and a known {' and '.join(needed) or 'name'}, "
            f"but an effect of models needs at least {FEWEST_MODELS}."
        )
    for name in of_models:
        values = frame[name][kept]
        if len(set(values)) == 1:
            raise Aside(f"All models have the same {name}: {values.iloc[0]}.")
    models = _predictors(frame[kept], of_models)
    if models.matrix.shape[1] + 1 >= kept.sum():
        raise Aside(
            f"{kept.sum()} models cannot tell {models.matrix.shape[1]} effects of models apart and leave a spread "
            "between models."
        )
    answered = np.flatnonzero((trials[kept] > 0).any(axis=0))
    chosen = sample_items(counts, answered, max_items, seed)
    correct, shown = counts.correct[kept][:, chosen], trials[kept][:, chosen]
    if correct.sum() in {0, shown.sum()}:
        raise Aside("Every answer is " + ("right." if correct.sum() else "wrong."))
    families = frame["family"].astype(str)[kept] if "family" in random else pd.Series("", index=frame.index[kept])
    notes = []
    if len(chosen) < len(answered):
        notes.append(f"{len(chosen)} of {len(answered)} items, drawn within categories")
    return BayesData(
        correct=correct,
        trials=shown,
        models=tuple(map(str, frame.index[kept])),
        items=tuple(map(str, counts.items.index[chosen])),
        of_models=models,
        of_items=_predictors(counts.items.iloc[chosen], of_items),
        category=pd.factorize(counts.items["category"].iloc[chosen], sort=True)[0].astype(np.int64),
        family=pd.factorize(families, sort=True)[0].astype(np.int64),
        n_items_total=len(answered),
        left_out=left_out,
        notes=tuple(notes),
    )


def sample_items(counts: Counts, answered: IntArray, max_items: int | None, seed: int) -> IntArray:
    """Return at most ``max_items`` of the items, the same share of every category, increasing."""
    if max_items is None or len(answered) <= max_items:
        return answered
    rng = np.random.default_rng(seed)
    codes = pd.factorize(counts.items["category"].to_numpy()[answered], sort=True)[0]
    quota = np.bincount(codes) * max_items / len(answered)
    number = np.floor(quota).astype(np.int64)
    rest = np.argsort(number - quota, kind="stable")[: max_items - int(number.sum())]  # largest remainders
    number[rest] += 1
    drawn = [rng.choice(answered[codes == code], size, replace=False) for code, size in enumerate(number)]
    return np.sort(np.concatenate(drawn))


def _predictors(frame: pd.DataFrame, terms: Sequence[str]) -> Predictors:
    table = _Frame(frame.reset_index(drop=True).drop(columns="model", errors="ignore"))
    try:
        design = designs.build(table, GlmmSpec(" + ".join(terms)))
    except DataError as error:
        reason = error.what if not error.found else f"{error.what} ({error.found})"
        raise Aside(reason) from error
    raw = design.matrix[:, 1:]
    kinds: list[bool] = [not name.endswith("]") for name in design.names[1:]]
    mean: Any = raw.mean(axis=0, keepdims=True) if raw.size else 0.0
    return Predictors(design.names[1:], raw - mean, raw, tuple(kinds), design.terms[1:], design.base)

"""What is sampled: correct of trials by model and item, and the predictors of models and of items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from click_stats.errors import UsageError
from click_stats.stats.bayes.formula import GROUPINGS, Terms, factors, split
from click_stats.stats.bayes.predictors import Aside, Groups, Predictors, groups, predictors
from click_stats.stats.partition import clusters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, Denominator, IntArray

FEWEST_MODELS = 4
DEFAULT_TERMS = ("log10_params", "corpus")
"""Predictors of models when none are named; the category is the predictor of items."""
REQUIRED = ("item", "model")
OPTIONAL = ("passage", *(f"model:{name}" for name in GROUPINGS), "family", "cell")
"""Random effects that may be added: a shared passage, a model in a group of items, a family, a model on an item."""
NO_PASSAGE = "passage left out: no two of these items share one"


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
    groups
        Groups of items in which models may differ (the categories, unless another column is named), with the
        interactions of the two.
    category
        (I,) code of the category of an item, for the checks.
    family
        (M,) code of the family of a model; all 0 when families are not asked for.
    passage
        (I,) code of the passage that an item shares with others, -1 where it shares none.
    random
        Random effects, as asked for and as interactions need.
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
    groups: Groups
    category: IntArray
    family: IntArray
    passage: IntArray
    random: tuple[str, ...]
    n_items_total: int
    left_out: dict[str, str]
    notes: tuple[str, ...] = ()

    @property
    def effects(self) -> tuple[str, ...]:
        """Names of the effects of models: those of their facts, then how these differ between groups of items."""
        return (*self.of_models.names, *self.groups.names)

    @property
    def grouped(self) -> bool:
        """Whether models differ between groups of items."""
        return f"model:{self.groups.column}" in self.random

    def base(self, effect: str) -> str:
        """Return the level against which an effect is held; empty for numbers."""
        known = {**self.of_models.base, self.groups.column: self.groups.base_name}
        heads = [part.split("[")[0] for part in factors(effect) if part.endswith("]")]
        return "; ".join(known[head] for head in heads)


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
        An unknown column or random effect, or an interaction that the model does not have.
    """
    check_random(random)
    shown = counts.scores(denominator).trials
    if shown.sum() and counts.correct.sum() in {0, shown.sum()}:
        raise Aside("Every answer is " + ("right." if counts.correct.sum() else "wrong."))
    frame = facts(counts)
    people = frame["kind"].astype(str) == "human" if "kind" in frame else pd.Series(data=False, index=frame.index)
    categories = set(counts.items["category"])
    if fixed.strip():
        return _with(counts, frame, people, terms_of(counts, fixed), random, max_items, denominator, seed)
    item_terms = ("category",) if len(categories) > 1 else ()
    tries = [list(DEFAULT_TERMS), [DEFAULT_TERMS[0]], [DEFAULT_TERMS[1]]]
    first: Aside | None = None
    for model_terms in tries:
        try:
            terms = Terms(tuple(model_terms), item_terms)
            found = _with(counts, frame, people, terms, random, max_items, denominator, seed)
        except Aside as error:
            first = first or error
            continue
        lost = [name for name in DEFAULT_TERMS if name not in model_terms]
        if not lost or first is None:
            return found
        note = f"{lost[0]} left out: {first.what}"
        return replace(found, notes=(*found.notes, note))
    assert first is not None
    raise first


def check_random(random: Sequence[str]) -> None:
    """Raise UsageError for random effects that the model does not have."""
    unknown = [name for name in random if name not in (*REQUIRED, *OPTIONAL)]
    if unknown or any(name not in random for name in REQUIRED) or len([n for n in random if ":" in n]) > 1:
        raise UsageError(
            "The random effects of the Bayesian model are item and model, and what may be added to them.",
            found=", ".join(random),
            do="Name item and model, and any of: " + ", ".join(OPTIONAL) + " (models in one kind of groups only).",
        )


def terms_of(counts: Counts, fixed: str) -> Terms:
    """Return the terms of a formula, checked against the facts of the models and the columns of the items."""
    return split(fixed, list(facts(counts).columns), list(counts.items.columns))


def _with(
    counts: Counts,
    frame: pd.DataFrame,
    people: pd.Series[bool],
    terms: Terms,
    random: Sequence[str],
    max_items: int | None,
    denominator: Denominator,
    seed: int,
) -> BayesData:
    trials = counts.scores(denominator).trials
    left_out: dict[str, str] = {}
    needed = [*terms.facts, *(["family"] if "family" in random else [])]
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
    for name in terms.facts:
        values = frame[name][kept]
        if len(set(values)) == 1:
            raise Aside(f"All models have the same {name}: {values.iloc[0]}.")
    models = predictors(frame[kept], terms.models)
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
    random, column = _grouping(random, terms, notes)
    passage = _shared(clusters(counts, chosen)) if "passage" in random else np.full(len(chosen), -1, dtype=np.int64)
    if "passage" in random and passage.max(initial=-1) < 0:
        notes.append(NO_PASSAGE)
    items = counts.items.iloc[chosen]
    of_items = predictors(items, terms.items)
    return BayesData(
        correct=correct,
        trials=shown,
        models=tuple(map(str, frame.index[kept])),
        items=tuple(map(str, counts.items.index[chosen])),
        of_models=models,
        of_items=of_items,
        groups=groups(items, column, terms.crossed, models, of_items),
        category=pd.factorize(items["category"], sort=True)[0].astype(np.int64),
        family=pd.factorize(families, sort=True)[0].astype(np.int64),
        passage=passage,
        random=random,
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


def _grouping(random: Sequence[str], terms: Terms, notes: list[str]) -> tuple[tuple[str, ...], str]:
    """Return the random effects with the one that an interaction needs, and the column that makes the groups.

    How an effect of models differs between groups is judged against how models differ between them anyway; without that
    random effect every item would count as evidence of its own.
    """
    asked = next((name.removeprefix("model:") for name in random if name.startswith("model:")), "")
    if not terms.grouping:
        return tuple(random), asked or "category"
    if asked and asked != terms.grouping:
        raise UsageError(
            f"Effects that differ by {terms.grouping} need the random effect 'model:{terms.grouping}'.",
            found=", ".join(random),
            do=f"Name it in place of 'model:{asked}'.",
        )
    if asked:
        return tuple(random), asked
    notes.append(f"model:{terms.grouping} added to the random effects: the interaction is judged against it")
    return (*random, f"model:{terms.grouping}"), terms.grouping


def _shared(codes: IntArray) -> IntArray:
    """Return codes of the passages that two or more of the items share, -1 for the other items."""
    size = np.bincount(codes)
    place = np.where(size > 1, np.cumsum(size > 1) - 1, -1)
    found: IntArray = place[codes]
    return found

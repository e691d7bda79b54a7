"""The analysis: items with their share right, models with their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.item_answers.packed import pack

if TYPE_CHECKING:
    from click_stats.counts import Counts, FloatArray

FACTS = ("category", "domain", "source", "cluster", "n_options", "gold")
LABELS = "labels"
TEXTS = ("passage", "question")
METHOD = (
    "Item score of a model: right answers of its trials that responded. Estimate of an item: mean of the models' item "
    "scores; of a model: mean of its item scores."
)
NO_ANSWERS = "There is no answer to show: no trial responded. Give files with answers."
NOT_ANSWERED = "no trial responded"
WITH_TEXTS = "The results contain texts of the benchmark's items: not for publication without the owner's permission."


def item_answers(counts: Counts, *, with_texts: bool = False, seed: int = 0) -> Result:
    """Say what every model answered to every item.

    Parameters
    ----------
    counts
        The answers.
    with_texts
        Add passage, question and options of the items, from the user's own copy of the benchmark. Results that hold
        them are marked: they are not for publication.
    seed
        Not used: nothing is drawn. Every analysis has it.

    Returns
    -------
    Result
        ``estimates``: one row per item, with its facts and the mean of the models' item scores. ``units``: one row per
        model. ``answers``: one line of text per model that holds the answers to all items in the order of ``estimates``
        (:mod:`click_stats.stats.item_answers.packed`), since a row per model and item would be a hundred times as long.
        With texts also ``texts`` (one row per item) and ``option_texts`` (one row per option).

    Raises
    ------
    UsageError
        Texts are asked for, and the items have none.
    """
    del seed
    scores, trials = counts.scores("responded")
    names = counts.units.index.astype(str)
    tables = {
        "estimates": _items(counts, scores, trials.sum(axis=0)),
        "units": _units(counts, scores, trials.sum(axis=1)),
        "answers": pd.DataFrame({"unit": names, "answers": pack(counts)}),
    }
    warnings = list(counts.meta.get("warnings", ()))
    if with_texts:
        tables |= _texts(counts)
        warnings.append(WITH_TEXTS)
    answered = np.isfinite(scores)
    summary = {"n_units": len(counts.units), "n_items": len(counts.items), "n_trials": int(trials.sum())}
    meta = {
        "method": METHOD,
        "denominator": "responded",
        "with_texts": with_texts,
        "reason": "" if answered.any() else NO_ANSWERS,
        "warnings": warnings,
    }
    return Result("item_answers", tables, summary, meta)


def _items(counts: Counts, scores: FloatArray, trials: Any) -> pd.DataFrame:
    n_units = np.isfinite(scores).sum(axis=0)
    own = [LABELS] if LABELS in counts.items else []
    return pd.DataFrame(
        {
            "item": counts.items.index.astype(str),
            **{name: counts.items[name].to_numpy() for name in (*FACTS, *own)},
            "estimate": _mean(scores, axis=0),
            "n_units": n_units,
            "n_trials": trials,
            "reason": np.where(n_units > 0, "", NOT_ANSWERED),
        }
    )


def _units(counts: Counts, scores: FloatArray, trials: Any) -> pd.DataFrame:
    n_items = np.isfinite(scores).sum(axis=1)
    return pd.DataFrame(
        {
            "unit": counts.units.index.astype(str),
            "model": counts.units["model"].to_numpy(),
            "condition": counts.units["condition"].to_numpy(),
            "estimate": _mean(scores, axis=1),
            "n_items": n_items,
            "n_trials": trials,
            "reason": np.where(n_items > 0, "", NOT_ANSWERED),
        }
    )


def _mean(scores: FloatArray, axis: int) -> FloatArray:
    """Return the mean over an axis, NaN where nothing was scored."""
    known = np.isfinite(scores)
    with np.errstate(invalid="ignore"):
        mean: FloatArray = np.where(known, scores, 0.0).sum(axis=axis) / known.sum(axis=axis)
    return mean


def _texts(counts: Counts) -> dict[str, pd.DataFrame]:
    if not {*TEXTS, "options"} <= set(counts.items.columns):
        raise UsageError(
            "The texts of the items were asked for, and the item table has keys only.",
            do="Give the items with their texts (--items PATH), or leave out --with-texts.",
        )
    keys = counts.items.index.astype(str)
    options = [
        (key, number, text)
        for key, texts in zip(keys, counts.items["options"], strict=True)
        for number, text in enumerate(texts, start=1)
    ]
    return {
        "texts": pd.DataFrame({"item": keys, **{name: counts.items[name].to_numpy() for name in TEXTS}}),
        "option_texts": pd.DataFrame(options, columns=["item", "option", "option_text"]),
    }

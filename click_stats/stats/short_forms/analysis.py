"""The analysis: how few items do nearly as well, which ones, and how sure that is for a new model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.short_forms import forms
from click_stats.stats.short_forms.adaptive import replay
from click_stats.stats.short_forms.crossval import (
    FEWEST_TRAINING,
    Calibration,
    Part,
    drawn,
    errors,
    folds,
    held_out,
    learned,
)
from click_stats.stats.short_forms.forms import Bank
from click_stats.stats.short_forms.rows import Data, curve_row, form_rows, model_rows, tables
from click_stats.stats.tools.words import named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.counts import Counts, Denominator
    from click_stats.stats.short_forms.forms import Form
    from click_stats.stats.short_forms.scale import Conversion, Scale

METHOD = (
    "Whole scores of models predicted from k items that were chosen without them (families held out together); mean "
    "absolute error, Kendall's tau."
)
AS_IS, LINE, TABLE = "weighted mean as it is", "straight line", "conversion table"
TOO_FEW_MODELS = (
    "Short forms are judged by models that took no part in choosing them: at least {n} are needed that answered half "
    "of the items, and here there are {m}. Read more models."
)
TOO_FEW_ITEMS = (
    "Fewer than {n} items were answered by all of these models: there is nothing to shorten. Leave out models with "
    "gaps."
)
FEW_FAMILIES = "holding out a family leaves fewer than {n} models to learn from"
BY_TABLE = "read from the table of conversions"
TOO_MANY = "too many items for the distances between all of them"
FEWEST_MODELS = FEWEST_TRAINING + 1
FEWEST_ITEMS = 20
HALF = 0.5


def short_forms(
    counts: Counts,
    *,
    sizes: Sequence[int] = (25, 50, 100, 200, 400),
    choose: int = 100,
    strategies: str | Sequence[str] = forms.STRATEGIES,
    n_folds: int = 5,
    draws: int = 200,
    adaptive: bool = True,
    denominator: Denominator = "responded",
    seed: int = 0,
) -> Result:
    """Choose few items that tell nearly what all tell, and measure how nearly on models that were held out.

    Parameters
    ----------
    counts
        The answers. Models that answered under half of the items take no part; the items are those that all others
        answered.
    sizes
        Numbers of items to try; those that are not smaller than the number of items are left out.
    choose
        Number of items of the forms that are written out.
    strategies
        Any of ``random`` and ``stratified`` (drawn, by category), ``information`` (most informative for these models,
        by category) and ``clustering`` (one item for each cluster of response patterns, weighed by its size); a
        sequence, or words with commas.
    n_folds
        Parts into which the models are divided, whole families at a time.
    draws
        Draws of each random form.
    adaptive
        Whether to replay adaptive tests.
    denominator
        Which trials count.
    seed
        Of draws and folds.

    Returns
    -------
    Result
        ``estimates``: error of the whole score against the number of items, for each strategy. ``forms``: the items of
        the forms of ``choose`` items, chosen from all models. ``scoring``, ``conversion``: how their weighted mean, or
        their number of right answers, becomes a whole score. ``adaptive``: the same as ``estimates`` for adaptive
        tests. ``models``: predictions of each model.

    Raises
    ------
    UsageError
        An unknown strategy, or a number out of range.
    """
    strategies = named(strategies)
    sizes = sorted({*sizes, choose})
    _check(sizes, strategies, n_folds, draws)
    meta: dict[str, Any] = {
        "method": METHOD, "seed": seed, "draws": draws, "n_folds": n_folds, "choose": choose,
        "denominator": denominator, "reason": "", "digests": counts.meta.get("digests", {}),
        "warnings": list(counts.meta.get("warnings", ())),
    }  # fmt: skip
    found = _data(counts, denominator, n_folds, seed)
    if isinstance(found, str):
        return Result("short_forms", tables([], [], [], [], [], []), {}, {**meta, "reason": found})
    sizes = [k for k in sizes if k < found.bank.n_items]
    parts = _parts(found) if adaptive or set(strategies) - set(forms.DRAWN) else []
    curve: list[dict[str, Any]] = []
    models: list[dict[str, Any]] = []
    for strategy in strategies:
        why = _why_not(strategy, found, parts)
        if why:
            curve.append({"strategy": strategy, "n_units": len(found.units), "reason": why})
            continue
        if strategy in forms.DRAWN:
            predicted = drawn(found.bank, strategy, sizes, draws, seed)
        else:
            predicted = held_out(found.bank, parts, strategy, sizes)
        curve += [curve_row(strategy, k, predicted[k], found) for k in sizes]
        if choose in sizes:
            models += model_rows(strategy, choose, predicted[choose], found)
    errors_at = {row["strategy"]: row["rmse"] for row in curve if row.get("n_chosen") == choose}
    listed, scoring, conversion = _final(counts, found, errors_at, choose, seed)
    replayed = _adaptive(found, parts, sizes) if adaptive and sizes else []
    best = min((row for row in curve if row.get("n_chosen") == choose), key=lambda row: row["estimate"], default={})
    summary = {
        "n_units": len(found.units), "n_items": found.bank.n_items, "strategy": best.get("strategy"),
        "n_chosen": best.get("n_chosen"), "estimate": best.get("estimate"),
    }  # fmt: skip
    return Result("short_forms", tables(curve, listed, scoring, conversion, replayed, models), summary, meta)


def _data(counts: Counts, denominator: Denominator, n_folds: int, seed: int) -> Data | str:
    """Return complete answers of the models that take part, or why there is nothing to do."""
    scores, trials = counts.scores(denominator)
    kept = np.flatnonzero(((trials > 0).mean(axis=1) >= HALF) & ~counts.people)
    if len(kept) < FEWEST_MODELS:
        return TOO_FEW_MODELS.format(n=FEWEST_MODELS, m=len(kept))
    items = np.flatnonzero((trials[kept] > 0).all(axis=0)).astype(np.int64)
    if len(items) < FEWEST_ITEMS:
        return TOO_FEW_ITEMS.format(n=FEWEST_ITEMS)
    here = np.ix_(kept, items)
    bank = Bank(
        scores[here],
        counts.correct[here].astype(np.float64),
        trials[here].astype(np.float64),
        1.0 / counts.items["n_options"].to_numpy(dtype=np.float64)[items],
        pd.factorize(counts.items["category"].iloc[items])[0].astype(np.int64),
    )
    units = tuple(map(str, counts.units.index[kept]))
    family, model = counts.fact("family").iloc[kept], counts.units.get("model", counts.units.index)
    groups = [
        f"family {name}" if pd.notna(name) and str(name) else f"model {own}"
        for name, own in zip(family, np.asarray(model, dtype=object)[kept], strict=True)
    ]
    return Data(bank, units, items, bank.scores.mean(axis=1), folds(groups, n_folds, seed))


def _parts(data: Data) -> list[Part]:
    """Return the folds with their training models and scale; none when a fold leaves too few to learn from."""
    everyone = np.arange(len(data.units))
    rest = [np.setdiff1d(everyone, out) for out in data.folds]
    if min(map(len, rest)) < FEWEST_TRAINING:
        return []
    banks = [data.bank.of(units) for units in rest]
    return [Part(out, bank, bank.scale()) for out, bank in zip(data.folds, banks, strict=True)]


def _why_not(strategy: str, data: Data, parts: Sequence[Part]) -> str:
    if strategy in forms.DRAWN:
        return ""
    if not parts:
        return FEW_FAMILIES.format(n=FEWEST_TRAINING)
    return TOO_MANY if strategy == forms.CLUSTERING and data.bank.n_items > forms.MOST_CLUSTERED else ""


def _final(
    counts: Counts, data: Data, errors_at: Mapping[str, float], k: int, seed: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the forms of k items chosen from all models, and how to read a score on them."""
    listed: list[dict[str, Any]] = []
    scoring: list[dict[str, Any]] = []
    conversion: list[dict[str, Any]] = []
    scale = data.bank.scale() if forms.INFORMATION in errors_at else None
    for strategy, error in errors_at.items():
        form, line, method = _chosen(data.bank, scale, strategy, k, seed)
        listed += form_rows(counts, data, strategy, form)
        row: dict[str, Any] = {"strategy": strategy, "n_chosen": k, "rmse": error, "method": method, "reason": ""}
        if isinstance(line, Calibration):
            row |= line._asdict()
        else:
            row["reason"] = BY_TABLE
            conversion += [
                {"strategy": strategy, "n_chosen": k, "number_right": n, "predicted_score": score, "score_se": spread}
                for n, (score, spread) in enumerate(zip(line.score, line.std_error, strict=True))
            ]
        scoring.append(row)
    return listed, scoring, conversion


def _chosen(
    bank: Bank, scale: Scale | None, strategy: str, k: int, seed: int
) -> tuple[Form, Calibration | Conversion, str]:
    if strategy in forms.DRAWN:
        choose = forms.random_form if strategy == forms.RANDOM else forms.stratified_form
        return choose(bank, k, np.random.default_rng(seed)), Calibration(0.0, 1.0), AS_IS
    form, line = learned(bank, scale, strategy, [k])[k]
    return form, line, LINE if isinstance(line, Calibration) else TABLE


def _adaptive(data: Data, parts: Sequence[Part], sizes: Sequence[int]) -> list[dict[str, Any]]:
    """Return the error of adaptive tests after so many items, each model on the scale of those outside its fold."""
    if not parts:
        return [{"n_units": len(data.units), "reason": FEW_FAMILIES.format(n=FEWEST_TRAINING)}]
    longest = max(sizes)
    runs = {int(unit): replay(part.scale, data.bank.scores[unit], longest) for part in parts for unit in part.out}
    rows = []
    for k in sizes:
        predicted = np.array([[runs[unit].score[k - 1] for unit in range(len(data.units))]])
        error = errors(predicted, data.whole)
        rows.append(
            {
                "n_chosen": k, "estimate": error.absolute, "rmse": error.root_square, "bias": error.bias,
                "rank_correlation": error.tau,
                "score_se": float(np.mean([run.score_sd[k - 1] for run in runs.values()])),
                "ability_se": float(np.mean([run.ability_sd[k - 1] for run in runs.values()])),
                "n_units": len(data.units), "reason": "",
            }
        )  # fmt: skip
    return rows


def _check(sizes: Sequence[int], strategies: Sequence[str], n_folds: int, draws: int) -> None:
    unknown = [name for name in strategies if name not in forms.STRATEGIES]
    if unknown:
        raise UsageError(
            f"There is no strategy {unknown[0]!r}.", do="Use some of: " + ", ".join(forms.STRATEGIES) + "."
        )
    for name, value, least in (("sizes", min(sizes), 2), ("n_folds", n_folds, 2), ("draws", draws, 1)):
        if value < least:
            raise UsageError(f"{name} must be at least {least}.", found=str(value))

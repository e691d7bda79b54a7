"""The analyses: do models answer alike, and do raters agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd

from click_stats.errors import DataError, UsageError
from click_stats.results import Result
from click_stats.stats import partition
from click_stats.stats.agreement.measures import Scale, Weights
from click_stats.stats.agreement.rows import (
    CATEGORIES,
    ESTIMATES,
    PAIRS,
    Draws,
    Ratings,
    all_raters,
    by_category,
    pairs,
)
from click_stats.stats.tools.intervals import check_level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, IntArray

CHOSEN, RIGHT, GIVEN = "option chosen", "right or wrong", "as given"
METHOD = (
    "Agreement beyond chance: Krippendorff's alpha (missing ratings allowed) and Fleiss' kappa (items that all rated) "
    "of all raters, Cohen's kappa of every two; percentile intervals from resampled clusters of items."
)
ONE_MODEL = "Agreement needs the answers of two models or more; here there is one. Pass more files."
NOT_TWO = "Agreement needs two raters or more who rated an item in common. Give a table with a column for each rater."
FEWEST_DRAWS = 200


def agreement(
    counts: Counts,
    *,
    by: str | Sequence[str] = ("overall", "category"),
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Result:
    """Return how far models agree beyond chance, in the options they choose and in what they get right.

    Parameters
    ----------
    counts
        The answers. A model's rating of an item is the option it chose most often (missing on a tie, or when it named
        none), and whether more than half of its trials are right (missing at exactly half).
    by
        Groups of items.
    level, draws, seed
        Confidence level, number of resamples, seed of the draws.

    Returns
    -------
    Result
        ``estimates``: all models together, for each group. ``pairs``: every two models over all items. ``categories``:
        Fleiss' kappa of each option against the others.

    Raises
    ------
    UsageError
        A parameter out of range, or an unknown grouping.

    Notes
    -----
    Kappa of right and wrong is the error consistency of Geirhos, Meding and Wichmann (2020): 0 when two models err as
    independent ones of the same accuracies would, 1 when they err on the same items.
    """
    how = _checked(level, draws, seed)
    grouped = partition.groups(counts, [one for one in ([by] if isinstance(by, str) else by) if one != partition.MACRO])
    clusters = partition.clusters(counts, np.arange(len(counts.items)))
    names = tuple(map(str, counts.units.index))
    reason = ONE_MODEL if len(names) < 2 else ""
    estimates: list[dict[str, Any]] = []
    two: list[dict[str, Any]] = []
    single: list[dict[str, Any]] = []
    for rated, codes, categories in () if reason else _models(counts):
        whole = Ratings(rated, codes, names, categories, np.arange(len(categories), dtype=np.float64))
        for group in grouped:
            part = Ratings(rated, codes[group.items], names, categories, whole.values)
            estimates += all_raters(part, clusters[group.items], how, by=group.by, group=group.name)
        two += pairs(whole, clusters, how)
        single += by_category(whole, clusters, how)
    return _result(estimates, two, single, how, reason, list(counts.meta.get("warnings", ())), dict(counts.meta))


def rater_agreement(
    ratings: pd.DataFrame,
    *,
    scale: Scale = "nominal",
    weights: Weights = "none",
    clusters: Sequence[Any] | None = None,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Result:
    """Return how far raters agree beyond chance.

    Parameters
    ----------
    ratings
        A row for each item, a column for each rater; empty where a rater said nothing. For ``ordinal`` and
        ``interval`` the ratings are numbers.
    scale
        ``nominal`` (names), ``ordinal`` (grades in order) or ``interval`` (numbers whose differences count), for
        Krippendorff's alpha.
    weights
        ``none``, ``linear`` or ``quadratic``: the credit Cohen's kappa gives to ratings that are close.
    clusters
        What belongs together, one entry for each item; by default each item stands alone.
    level, draws, seed
        Confidence level, number of resamples, seed of the draws.

    Returns
    -------
    Result
        As of :func:`agreement`, over all items.

    Raises
    ------
    DataError
        Ratings that are no numbers where numbers are needed, or no ratings at all.
    UsageError
        A parameter out of range, or weights without an order of the categories.
    """
    how = _checked(level, draws, seed)
    _one_of("scale", scale, get_args(Scale))
    _one_of("weights", weights, get_args(Weights))
    if weights != "none" and scale == "nominal":
        raise UsageError("Weights need categories in an order.", found="scale=nominal", do="Set scale=ordinal.")
    coded = _coded(ratings, scale, weights)
    groups_of = np.arange(len(ratings)) if clusters is None else pd.factorize(pd.Series(list(clusters)))[0]
    if len(groups_of) != len(ratings):
        raise UsageError("Clusters do not fit the ratings.", found=f"{len(groups_of)} entries, {len(ratings)} items")
    common = ((coded.codes >= 0).sum(axis=1) > 1).any()
    reason = "" if len(coded.raters) > 1 and common else NOT_TWO
    codes = groups_of.astype(np.int64)
    estimates = [] if reason else all_raters(coded, codes, how, by="overall", group="all items")
    two = [] if reason else pairs(coded, codes, how)
    single = [] if reason else by_category(coded, codes, how)
    return _result(estimates, two, single, how, reason, [], {})


def _models(counts: Counts) -> list[tuple[str, IntArray, tuple[str, ...]]]:
    """Return what models chose and whether it was right, as codes (I, U)."""
    most = counts.options.max(axis=2)
    tied = (counts.options == most[:, :, None]).sum(axis=2) > 1
    chosen = np.where((most > 0) & ~tied, counts.options.argmax(axis=2), -1)
    scores, trials = counts.scores("responded")
    right = np.where((trials > 0) & (scores != 0.5), scores > 0.5, -1)
    options = tuple(str(place + 1) for place in range(counts.options.shape[2]))
    return [
        (CHOSEN, chosen.T.astype(np.int64), options),
        (RIGHT, right.T.astype(np.int64), ("wrong", "right")),
    ]


def _coded(ratings: pd.DataFrame, scale: Scale, weights: Weights) -> Ratings:
    if not ratings.size or not ratings.notna().to_numpy().any():
        raise DataError("The table holds no ratings.", do="Give a row for each item and a column for each rater.")
    table = ratings
    if scale != "nominal":
        try:
            table = ratings.apply(pd.to_numeric)
        except (ValueError, TypeError) as error:
            raise DataError(
                f"Ratings on the scale {scale!r} must be numbers.",
                found=str(error).split(" at ")[0],
                do="Set scale=nominal.",
            ) from error
    flat = table.to_numpy(dtype=object).ravel()
    present = ~pd.isna(flat)
    if scale != "nominal" and not np.isfinite(flat[present].astype(np.float64)).all():
        raise DataError("Ratings must be finite numbers.", found="inf", do="Leave a missing rating empty.")
    distinct = sorted(set(flat[present]), key=lambda value: (isinstance(value, str), value))
    place = {value: code for code, value in enumerate(distinct)}
    codes = np.array(
        [place[value] if known else -1 for value, known in zip(flat, present, strict=True)], dtype=np.int64
    )
    values = np.arange(len(distinct)) if scale == "nominal" else np.array(distinct)
    return Ratings(
        GIVEN,
        codes.reshape(table.shape),
        tuple(map(str, table.columns)),
        tuple(map(str, distinct)),
        values.astype(np.float64),
        scale,
        weights,
    )


def _checked(level: float, draws: int, seed: int) -> Draws:
    check_level(level)
    if draws < FEWEST_DRAWS:
        raise UsageError(f"An interval needs at least {FEWEST_DRAWS} draws.", found=str(draws))
    return Draws(level, draws, seed)


def _one_of(name: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise UsageError(f"There is no {name} {value!r}.", do="Use one of: " + ", ".join(choices))


def _result(
    estimates: list[dict[str, Any]],
    two: list[dict[str, Any]],
    single: list[dict[str, Any]],
    how: Draws,
    reason: str,
    warnings: list[str],
    given: dict[str, Any],
) -> Result:
    tables = {
        name: pd.DataFrame(rows).reindex(columns=list(columns))
        for name, rows, columns in (
            ("estimates", estimates, ESTIMATES),
            ("pairs", two, PAIRS),
            ("categories", single, CATEGORIES),
        )
    }
    first = next((row for row in estimates if row["estimate"] is not None), {})
    summary = {"measure": first.get("measure"), "estimate": first.get("estimate"), "n_items": first.get("n_items")}
    meta = {
        "method": METHOD,
        "level": how.level,
        "draws": how.draws,
        "seed": how.seed,
        "reason": reason,
        "digests": given.get("digests", {}),
        "warnings": warnings,
    }
    return Result("agreement", tables, summary, meta)

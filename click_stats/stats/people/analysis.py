"""The analysis: how good people are, by category, and how their difficulties compare with those of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from click_stats.counts import Denominator
from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats import partition
from click_stats.stats.people.difficulty import correlation, item_rows
from click_stats.stats.people.scores import Scores, scores_of
from click_stats.stats.tools.intervals import check_level
from click_stats.stats.tools.rows import frame, mean_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, FloatArray, IntArray
    from click_stats.stats.partition import Group

ESTIMATES = (
    "by", "group", "who", "unit", "estimate", "std_error", "df", "conf_low", "conf_high", "conf_level", "n_items",
    "n_clusters", "n_people", "n_models", "method", "flag", "reason",
)  # fmt: skip
RESPONDENTS = (
    "unit", "estimate", "std_error", "df", "conf_low", "conf_high", "conf_level", "n_items", "n_clusters", "method",
    "reason",
)  # fmt: skip
CORRELATIONS = (
    "by", "group", "correlation_people", "conf_low", "conf_high", "conf_level", "n_items", "n_clusters", "n_people",
    "n_models", "method", "reason",
)  # fmt: skip
ITEMS = (
    "item", "category", "share_people", "share_models", "gap_people", "conf_low", "conf_high", "conf_level", "p_value",
    "p_adjusted", "verdict", "side", "n_people", "n_models", "reason",
)  # fmt: skip
MEAN_PEOPLE, BEST_PERSON, MAJORITY = "mean of people", "best person", "majority of people"
MEAN_MODELS, BEST_MODEL = "mean of models", "best model"
METHOD = (
    "Share of right answers on the items that people answered: mean over items of the mean over people, or models, "
    "who answered; clustered Wilson intervals over passages, people and models as given. Item by item: Fisher's exact "
    "test, Benjamini-Hochberg over items."
)
BOOTSTRAP = "percentiles over resampled passages"
NOBODY = (
    "No answers of people are at hand: make a form with `items quiz`, and give the files that people send back beside "
    "those of the models."
)
NO_MODEL = "Only people answered: nothing of theirs can be held against models. Pass result files of models too."
NO_SCORE = "No answer of a person counts, so that there is nothing to compare."
BEST_OF = "the best of {n}, chosen by these answers: too high on others"
ONE_PERSON = "Only 1 person answered: what one person reaches is not what people reach."
FEW_PEOPLE = "Only {n} people answered: what they reach is not what people reach."
HALF = 0.5
"""Who answered less of a group than this share of its items cannot be its best."""
ENOUGH = 5


def people(
    counts: Counts,
    *,
    by: str | Sequence[str] = ("overall", "category"),
    denominator: Denominator = "responded",
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Result:
    """Return what people reach beside models, and where their difficulties differ.

    Parameters
    ----------
    counts
        The answers of people (``Counts.people``) and of models. Only items that a person answered enter; models under a
        control protocol do not.
    by
        Groups of items.
    denominator
        Which trials count. A person who named no option is wrong.
    level, draws, seed
        Confidence level; resamples and seed of the intervals of correlations.

    Returns
    -------
    Result
        ``estimates``: by group, what people reach on average, the best of them, and the option that most chose; beside
        it models. ``respondents``: every person. ``correlations``: of the shares of people and of models that get an
        item right. ``items``: items that are easier or harder for people.

    Raises
    ------
    UsageError
        A parameter out of range, or an unknown grouping.
    """
    check_level(level)
    if denominator not in get_args(Denominator):
        raise UsageError(f"There is no denominator {denominator!r}.", do="Use responded, planned or in_option.")
    if draws < 200:
        raise UsageError("An interval needs at least 200 draws.", found=str(draws))
    meta: dict[str, Any] = {
        "method": METHOD, "by": [by] if isinstance(by, str) else list(by), "denominator": denominator, "level": level,
        "draws": draws, "seed": seed, "digests": counts.meta.get("digests", {}), "reason": "", "warnings": [],
    }  # fmt: skip
    reason = NOBODY if not counts.people.any() else NO_MODEL if counts.people.all() else ""
    found = None if reason else scores_of(counts, denominator)
    if found is not None and not len(found.items):
        reason = NO_SCORE
    if reason or found is None:
        names = (
            ("estimates", ESTIMATES),
            ("respondents", RESPONDENTS),
            ("correlations", CORRELATIONS),
            ("items", ITEMS),
        )
        return Result(
            "people", {name: frame([], own) for name, own in names}, {"n_people": 0}, {**meta, "reason": reason}
        )
    groups = [one for one in partition.groups(found.counts, by) if one.by != partition.MACRO]
    n_people, n_models = len(found.people.names), len(found.models.names)
    lead = {"n_people": n_people, "n_models": n_models}
    estimates = [{**row, **lead} for group in groups for row in _rows(found, group, level)]
    respondents = [
        {"unit": unit, **_mean(found, own, np.arange(len(own), dtype=np.int64), level)}
        for unit, own in zip(found.people.names, found.people.scores, strict=True)
    ]
    correlations = [
        {**row, **lead} for group in groups for row in [_correlation(found, group, level=level, draws=draws, seed=seed)]
    ]
    items = item_rows(found, level)
    tables = {
        "estimates": frame(estimates, ESTIMATES),
        "respondents": frame(respondents, RESPONDENTS),
        "correlations": frame(correlations, CORRELATIONS),
        "items": frame(items, ITEMS),
    }
    if n_people < ENOUGH:
        meta["warnings"] = [ONE_PERSON if n_people == 1 else FEW_PEOPLE.format(n=n_people)]
    summary = {
        "n_people": n_people,
        "n_items": len(found.items),
        "estimate": estimates[0]["estimate"],
        "correlation": correlations[0]["correlation_people"],
        "n_separated": sum(row.get("verdict") == "separated" for row in items),
    }
    return Result("people", tables, summary, meta)


def _rows(found: Scores, group: Group, level: float) -> list[dict[str, Any]]:
    """Return what people and models reach in a group."""
    lead = {"by": group.by, "group": group.name}
    best_person = _best(found.people.names, found.people.scores[:, group.items])
    best_model = _best(found.models.names, found.models.scores[:, group.items])
    rows = [
        {"who": MEAN_PEOPLE, **_mean(found, found.people.share, group.items, level)},
        {"who": BEST_PERSON, **_of_best(found, found.people.scores, best_person, found.people.names, group, level)},
        {"who": MAJORITY, **_mean(found, found.majority, group.items, level)},
        {"who": MEAN_MODELS, **_mean(found, found.models.share, group.items, level)},
        {"who": BEST_MODEL, **_of_best(found, found.models.scores, best_model, found.models.names, group, level)},
    ]
    return [{**lead, **row} for row in rows]


def _best(names: Sequence[str], scores: FloatArray) -> int | None:
    """Return the unit with the highest mean of those that answered at least half of the items; the first on a tie."""
    n = (~np.isnan(scores)).sum(axis=1)
    enough = n >= max(1.0, HALF * scores.shape[1])
    if not len(names) or not enough.any():
        return None
    means = np.where(enough, np.nansum(scores, axis=1) / np.maximum(n, 1), -np.inf)
    return int(np.argmax(means))


def _of_best(
    found: Scores, scores: FloatArray, best: int | None, names: Sequence[str], group: Group, level: float
) -> dict[str, Any]:
    if best is None:
        return {"conf_level": level, "reason": "nobody answered half of the items"}
    flag = BEST_OF.format(n=len(names)) if len(names) > 1 else ""
    return {"unit": names[best], **_mean(found, scores[best], group.items, level), "flag": flag}


def _mean(found: Scores, values: FloatArray, items: IntArray, level: float) -> dict[str, Any]:
    clusters = partition.clusters(found.counts, items)
    return mean_row(values[items], clusters, level)


def _correlation(found: Scores, group: Group, *, level: float, draws: int, seed: int) -> dict[str, Any]:
    one = correlation(
        found.people.share[group.items],
        found.models.share[group.items],
        partition.clusters(found.counts, group.items),
        level=level,
        draws=draws,
        seed=seed,
    )
    return {
        "by": group.by, "group": group.name, "conf_level": level, "n_items": one.n_items, "n_clusters": one.n_clusters,
        "method": BOOTSTRAP, "reason": one.reason,
        "correlation_people": one.value, "conf_low": one.low, "conf_high": one.high,
    }  # fmt: skip

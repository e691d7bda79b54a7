"""The analysis: every item, every category, and every division of the models into two groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats

from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats import partition
from click_stats.stats.dif.adjusted import Adjusted, adjusted
from click_stats.stats.dif.groups import Contrast, by_model, contrast
from click_stats.stats.dif.logistic import logistic
from click_stats.stats.dif.mantel_haenszel import ets_class
from click_stats.stats.dif.matching import matched, matching_score, purified
from click_stats.stats.families import NOT_DECIDED, NOT_SEPARATED, SEPARATED
from click_stats.stats.item_analysis.answers import respondents
from click_stats.stats.tools.intervals import check_level
from click_stats.stats.tools.multiplicity import benjamini_hochberg, holm
from click_stats.stats.tools.words import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, Denominator, FloatArray

ESTIMATES = (
    "contrast", "item", "category", "source", "n_reference", "n_focal", "estimate", "std_error", "df", "conf_low",
    "conf_high", "conf_level", "detectable", "mh_delta", "mh_delta_se", "p_mh", "group_log_odds", "group_log_odds_se",
    "p_uniform", "p_nonuniform", "p_value", "p_adjusted", "r2_change", "ets_class", "verdict", "reason",
)  # fmt: skip
CONTRASTS = (
    "contrast", "group_reference", "group_focal", "n_reference", "n_focal", "members_reference", "members_focal",
    "ability_gap", "n_items", "n_anchor", "n_class_b", "n_class_c", "n_separated", "detectable", "alpha", "reason",
)  # fmt: skip
GROUPS = (
    "contrast", "by", "group", "n_reference", "n_focal", "n_items", "estimate", "std_error", "df", "conf_low",
    "conf_high", "conf_level", "detectable", "p_value", "p_adjusted", "verdict", "reason",
)  # fmt: skip
WHOLE = {"n_reference", "n_focal", "n_items", "n_anchor", "n_class_b", "n_class_c", "n_separated"}
METHOD = (
    "Two groups of models at equal score on the other items: difference in shares (analysis of covariance, t), "
    "Mantel-Haenszel delta and class, logistic regression (uniform, non-uniform, joint likelihood-ratio test) on a "
    "purified anchor, Benjamini-Hochberg over the items of a contrast. The unit is the model."
)
NOTHING = (
    "No two groups of models can be formed: give a table of models (--models) with a fact such as access, and three "
    "models or more on each side."
)
FEW = "under {n} models in a group: effect size, interval and power only"
NO_TEST = "every model of the contrast has the same score here"
ADDED_UP = "The conditions of one model are added up: another condition is no further model."
NO_SCORE = "the groups cannot be told apart from the score"
SMALLEST_GROUP = 20
"""Models that each group needs for a verdict on an item."""
POWER = 0.8


def dif(
    counts: Counts,
    *,
    contrasts: str | Sequence[str] = ("access", "parameters", "release_date", "korean_corpus"),
    denominator: Denominator = "responded",
    level: float = 0.95,
    alpha: float = 0.05,
    seed: int = 0,
) -> Result:
    """Find items and categories that are harder for one group of models than its score on the rest explains.

    Parameters
    ----------
    counts
        The answers, with facts of the models. Conditions of one model are added up; units under a control protocol,
        which were not shown the whole question, and people are left out.
    contrasts
        How models are divided in two (:func:`click_stats.stats.dif.groups.contrast`): a sequence, or words with commas.
    denominator
        Which trials count.
    level
        Confidence level of the intervals.
    alpha
        Level of the tests: false discovery rate over the items, family-wise error over the categories of a contrast.
    seed
        Not used: nothing is drawn. Every analysis has it.

    Returns
    -------
    Result
        ``estimates``: every item in every contrast. A positive estimate favours the focal group. ``contrasts``: the
        groups, the anchor and the counts of flagged items; one that cannot be made has its reason. ``groups``: the same
        question for categories and sources.

    Raises
    ------
    UsageError
        An unknown fact, or a level out of range.

    Notes
    -----
    The sources stand with the functions. Below 20 models in a group item-level tests cannot tell: effect sizes,
    intervals and the detectable difference are shown, verdicts are not, and the anchor is all items.
    """
    del seed
    check_level(level)
    if not 0 < alpha < 1:
        raise UsageError("The level of a test lies between 0 and 1.", found=str(alpha))
    asked = counts.select(respondents(counts)[0])
    counts = by_model(asked)
    made = [contrast(counts, spec) for spec in named(contrasts)]
    scores, _ = counts.scores(denominator)
    items: list[dict[str, Any]] = []
    sides: list[dict[str, Any]] = []
    bundles: list[dict[str, Any]] = []
    for one in made:
        y = scores[one.units]
        found, about = _items(counts, one, y, level, alpha)
        items += found
        sides.append(about)
        bundles += _bundles(counts, one, y, level, alpha)
    tables = {
        name: pd.DataFrame(rows).reindex(columns=list(columns))
        for name, rows, columns in (
            ("estimates", items, ESTIMATES), ("contrasts", sides, CONTRASTS), ("groups", bundles, GROUPS),
        )
    }  # fmt: skip
    for frame in tables.values():
        for name in WHOLE & set(frame.columns):
            frame[name] = frame[name].astype("Int64")
    reason = "" if items else NOTHING
    summary = {
        "n_contrasts": sum(not one.reason for one in made),
        "n_separated": sum(row["verdict"] == SEPARATED for row in items),
    }
    meta = {
        "method": METHOD,
        "level": level,
        "alpha": alpha,
        "denominator": denominator,
        "smallest_group": SMALLEST_GROUP,
        "reason": reason,
        "digests": counts.meta.get("digests", {}),
        "warnings": [
            *counts.meta.get("warnings", ()), *([ADDED_UP] if len(counts.units) < len(asked.units) else []),
        ],
    }  # fmt: skip
    return Result("dif", tables, summary, meta)


def _items(
    counts: Counts, one: Contrast, y: FloatArray, level: float, alpha: float
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    sizes = {"n_reference": int((one.member == 0).sum()), "n_focal": int(one.member.sum())}
    lead = {"contrast": one.fact, **sizes}
    names = list(map(str, counts.units.index[one.units]))
    about: dict[str, Any] = {
        "contrast": one.fact,
        "group_reference": one.reference,
        "group_focal": one.focal,
        "members_reference": ", ".join(name for name, focal in zip(names, one.member, strict=True) if not focal),
        "members_focal": ", ".join(name for name, focal in zip(names, one.member, strict=True) if focal),
        **sizes,
        "alpha": alpha,
        "reason": one.reason,
    }
    if one.reason:
        return [], about
    answered = np.isfinite(y)
    both = answered[one.member == 0].any(axis=0) & answered[one.member == 1].any(axis=0)
    kept = np.flatnonzero(both)
    y = y[:, kept]
    enough = min(sizes.values()) >= SMALLEST_GROUP
    anchor = purified(y, one.member)[0] if enough else np.ones(len(kept), dtype=bool)
    score = matching_score(y, anchor)
    untested = np.full(len(kept), np.nan)
    mh = matched(y, one.member, anchor)
    fit = logistic(y, one.member, score)
    gap = adjusted(y, one.member, score)
    shown = _interval(gap, level)
    mh_p, p_uniform, p_nonuniform, p_joint = (
        p if enough else untested for p in (mh.p_value, fit.p_uniform, fit.p_nonuniform, fit.p_joint)
    )
    p_adjusted = benjamini_hochberg(p_joint)
    classes = ets_class(mh) if enough else [""] * len(kept)
    per = counts.items.iloc[kept]
    rows = []
    for place, (item, category, source) in enumerate(zip(per.index, per["category"], per["source"], strict=True)):
        tested = bool(np.isfinite(p_joint[place]))
        verdict = (SEPARATED if p_adjusted[place] < alpha else NOT_SEPARATED) if tested else NOT_DECIDED
        there = np.isfinite(y[:, place])
        rows.append(
            lead
            | {
                "item": item, "category": category, "source": source,
                "n_reference": int(there[one.member == 0].sum()), "n_focal": int(there[one.member == 1].sum()),
                **{key: values[place] for key, values in shown.items()}, "conf_level": level,
                "mh_delta": mh.delta[place], "mh_delta_se": 2.35 * mh.std_error[place], "p_mh": mh_p[place],
                "group_log_odds": fit.group[place], "group_log_odds_se": fit.group_error[place],
                "p_uniform": p_uniform[place], "p_nonuniform": p_nonuniform[place],
                "p_value": p_joint[place], "p_adjusted": p_adjusted[place], "r2_change": fit.r2_change[place],
                "ets_class": classes[place], "verdict": verdict,
                "reason": _why(y[:, place], gap.estimate[place], enough=enough),
            }
        )  # fmt: skip
    mean = np.nanmean(y, axis=1)
    about |= {
        "ability_gap": float(mean[one.member == 1].mean() - mean[one.member == 0].mean()),
        "n_items": len(kept),
        "n_anchor": int(anchor.sum()),
        "n_class_b": classes.count("B") if enough else None,
        "n_class_c": classes.count("C") if enough else None,
        "n_separated": sum(row["verdict"] == SEPARATED for row in rows) if enough else None,
        "detectable": float(np.nanmedian(shown["detectable"])) if np.isfinite(shown["detectable"]).any() else None,
        "reason": "" if enough else FEW.format(n=SMALLEST_GROUP),
    }
    return rows, about


def _why(scores: FloatArray, estimate: float, *, enough: bool) -> str:
    """Say why an item has no verdict; nothing when it has one."""
    there = scores[np.isfinite(scores)]
    if np.ptp(there) == 0:
        return NO_TEST
    if not np.isfinite(estimate):
        return NO_SCORE
    return "" if enough else FEW.format(n=SMALLEST_GROUP)


def _bundles(counts: Counts, one: Contrast, y: FloatArray, level: float, alpha: float) -> list[dict[str, Any]]:
    """Return rows of categories and sources: the mean over their items, matched on all other items."""
    if one.reason:
        return []
    rows: list[dict[str, Any]] = []
    sizes = {"n_reference": int((one.member == 0).sum()), "n_focal": int(one.member.sum())}
    for by in ("category", "source"):
        groups = partition.groups(counts, by)
        if len(groups) < 2:
            continue
        inside, outside = (np.full((len(y), len(groups)), np.nan) for _ in range(2))
        for place, group in enumerate(groups):
            rest = np.setdiff1d(np.arange(y.shape[1]), group.items)
            inside[:, place], outside[:, place] = _mean(y[:, group.items]), _mean(y[:, rest])
        inside = np.where(np.isfinite(outside), inside, np.nan)
        gap = adjusted(inside, one.member, np.nan_to_num(outside))
        shown, p = _interval(gap, level), gap.p_value
        p_adjusted = holm(p)
        for place, group in enumerate(groups):
            tested = bool(np.isfinite(p[place]))
            verdict = (SEPARATED if p_adjusted[place] < alpha else NOT_SEPARATED) if tested else NOT_DECIDED
            reason = "" if tested else NO_SCORE
            rows.append(
                {
                    "contrast": one.fact, "by": by, "group": group.name, **sizes, "n_items": len(group.items),
                    **{key: values[place] for key, values in shown.items()}, "conf_level": level,
                    "p_value": p[place], "p_adjusted": p_adjusted[place], "verdict": verdict, "reason": reason,
                }
            )  # fmt: skip
    return rows


def _interval(gap: Adjusted, level: float) -> dict[str, FloatArray]:
    """Return estimates with their interval, and the difference that would be found with a power of 80 %."""
    half = gap.quantile(level) * gap.std_error
    seen = (gap.quantile(level) + stats.t.ppf(POWER, np.where(gap.df > 0, gap.df, np.nan))) * gap.std_error
    return {
        "estimate": gap.estimate, "std_error": gap.std_error, "df": gap.df, "conf_low": gap.estimate - half,
        "conf_high": gap.estimate + half, "detectable": seen,
    }  # fmt: skip


def _mean(y: FloatArray) -> FloatArray:
    """Return (U,) means over items, NaN for a unit that answered under half of them."""
    there = np.isfinite(y)
    n = there.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(there, y, 0.0).sum(axis=1) / n
    return np.asarray(np.where(2 * n >= y.shape[1], mean, np.nan), dtype=np.float64)

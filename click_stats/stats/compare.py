"""Which models differ: every pair, and each against a reference, on the items they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd

from click_stats.counts import Denominator
from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.families import NOT_DECIDED, SEPARATED, Comparison, Family, Settings, compared
from click_stats.stats.partition import CROSSING, OVERALL, groups
from click_stats.stats.tools.letters import letters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts

PAIRS = (
    *("unit_a", "unit_b", "by", "group", "estimate", "std_error", "df", "conf_low", "conf_high", "conf_level"),
    *("sim_low", "sim_high", "statistic", "p_value", "p_method", "p_holm", "p_bh", "p_adjusted"),
    *("p_mcnemar", "p_mcnemar_midp", "n_a_only", "n_b_only", "odds_ratio", "odds_low", "odds_high"),
    *("se_ratio", "correlation", "bound_low", "bound_high", "n_items", "n_clusters", "margin", "p_tost"),
    *("verdict", "verdict_changes", "sign_conflict", "same_protocol", "method", "test_family", "flag", "reason"),
)
"""Columns of the tables of pairs, in order."""

METHOD = (
    "Paired differences of item scores. Interval per comparison: clustered t (CR1), with fewer than 10 discordant "
    "items Bonett-Price. p-value: sign-flip permutation over clusters. Family: step-down max-T (Romano-Wolf, "
    "Rademacher signs on centred cluster sums, standard errors recomputed in every draw); an adjusted p-value is "
    "never below the unadjusted one. Equivalence: two one-sided tests, adjusted by Holm within the family. McNemar's "
    "tests and the odds ratio take items as independent, passages or not."
)
CORRECTION = "step-down max-T"
ONE_MODEL = "one model: nothing to compare"
NO_MODEL = "no model: nothing to compare"


def compare(
    counts: Counts,
    *,
    reference: str | None = None,
    by: str | Sequence[str] = ("overall", "category"),
    level: float = 0.95,
    alpha: float = 0.05,
    margin: float | None = None,
    pairwise_items: bool = False,
    denominator: Denominator = "responded",
    draws: int = 10_000,
    seed: int = 0,
) -> Result:
    """Compare all pairs of units, and each unit with a reference.

    Parameters
    ----------
    counts
        The answers.
    reference
        Label of a unit, or the name of a model that has one; by default the unit with the highest accuracy.
    by
        Groupings of the items; each is a family of its own.
    level
        Confidence level of the interval per comparison.
    alpha
        Family-wise error of the tests; simultaneous intervals have level ``1 - alpha``.
    margin
        Margin of equivalence as a share; None asks for no equivalence.
    pairwise_items
        Compare each pair on its own common items rather than on those common to all units.
    denominator
        Which trials count.
    draws, seed
        Of the random signs.

    Returns
    -------
    Result
        ``estimates`` (every pair), ``reference``, ``families``, ``letters``, ``item_sets``. With one unit the
        tables are empty and a warning says so.

    Raises
    ------
    UsageError
        An unknown reference or grouping, or an argument out of range.
    """
    settings = Settings(level, check_alpha(alpha), margin, pairwise_items, denominator, draws, seed)
    check(settings)
    groupings = [by] if isinstance(by, str) else list(by)
    for one in groupings:
        groups(counts, one)
    chosen, stated = find_reference(counts, reference, denominator)
    meta = _meta(counts, settings, chosen, stated)
    if len(counts.units) < 2:
        meta["warnings"].append(ONE_MODEL if len(counts.units) else NO_MODEL)
        return Result("compare", _empty(), {"n_units": len(counts.units), "reference": chosen}, meta)
    found = [compared(counts, one, settings, chosen) for one in groupings]
    tables = {
        "estimates": _pairs(counts, [one.every for one in found]),
        "reference": _pairs(counts, [one.reference for one in found if one.reference is not None]),
        "families": _families(found, settings),
        "letters": _letters(counts, found),
        "item_sets": _item_sets(counts, found, settings),
    }
    meta["warnings"] += _warnings(counts, found, tables["item_sets"], settings)
    return Result("compare", tables, _summary(counts, tables, chosen), meta)


def check_alpha(alpha: float) -> float:
    """Return ``alpha``, without the rounding of 1 - level; UsageError when it is not between 0 and 1."""
    if not 0 < alpha < 1:
        raise UsageError("The level of a test must lie between 0 and 1.", found=str(alpha), do="Use for example 0.05.")
    return round(alpha, 12)


def check(settings: Settings) -> None:
    """Raise UsageError when a setting is out of range."""
    if not 0 < settings.level < 1:
        found = str(settings.level)
        raise UsageError("A confidence level must lie between 0 and 1.", found=found, do="Use for example 0.95.")
    if settings.margin is not None and not 0 < settings.margin < 1:
        found = str(settings.margin)
        raise UsageError("A margin is a share above 0 and below 1.", found=found, do="For 2 points use 0.02.")
    least = int(np.ceil(2 / settings.alpha))
    if settings.draws < least:
        found = str(settings.draws)
        raise UsageError("There are too few draws for this level.", found=found, do=f"Use at least {least}.")
    if settings.denominator not in get_args(Denominator):
        choices = ", ".join(get_args(Denominator))
        raise UsageError(f"There is no denominator {settings.denominator!r}.", do=f"Use one of: {choices}.")


def find_reference(counts: Counts, reference: str | None, denominator: Denominator = "responded") -> tuple[str, str]:
    """Return the label of the reference and how it was chosen.

    Raises
    ------
    UsageError
        No unit has this label, nor is it the model of exactly one; the message lists the units.
    """
    labels = [str(label) for label in counts.units.index]
    if reference is None:
        scores = counts.scores(denominator)
        answered = scores.trials > 0
        anything = answered.any(axis=1)
        shared = answered[anything].all(axis=0)
        values = scores.values[:, shared] if shared.any() else scores.values
        with np.errstate(invalid="ignore"):
            means = np.nansum(values, axis=1) / (~np.isnan(values)).sum(axis=1)
        best = int(np.nanargmax(means)) if np.isfinite(means).any() else 0
        where = "on the items that all answered" if shared.any() else "on its own items"
        return (labels[best] if labels else ""), f"the highest accuracy {where}"
    if reference in labels:
        return reference, "as asked"
    models = counts.units["model"].astype(str).tolist()
    matches = [label for label, model in zip(labels, models, strict=True) if model == reference]
    if len(matches) == 1:
        return matches[0], "as asked"
    what = f"There is no model {reference!r} to compare with."
    if matches:
        what, labels = f"The reference {reference!r} stands for several conditions.", matches
    raise UsageError(what, found=reference, do="Use one of: " + ", ".join(labels))


def _meta(counts: Counts, settings: Settings, reference: str, stated: str) -> dict[str, Any]:
    return {
        "method": METHOD,
        "seed": settings.seed,
        "draws": settings.draws,
        "level": settings.level,
        "alpha": settings.alpha,
        "margin": settings.margin,
        "denominator": settings.denominator,
        "reference": reference,
        "reference_chosen": stated,
        "items": "each pair's common items" if settings.pairwise else "items common to all models compared",
        "equivalence": "two one-sided tests, adjusted by Holm within the family",
        "digests": dict(counts.meta.get("digests", {})),
        "warnings": list(counts.meta.get("warnings", [])),
        "diagnostics": {},
    }


def _pairs(counts: Counts, families: Sequence[Family]) -> pd.DataFrame:
    frame = pd.concat([family.rows for family in families], ignore_index=True)
    frame["same_protocol"] = _same_protocol(counts, frame)
    frame = frame[list(PAIRS)]
    for name in ("n_items", "n_clusters"):
        frame[name] = frame[name].astype("int64")
    return frame


def _same_protocol(counts: Counts, frame: pd.DataFrame) -> list[str]:
    if "protocol" not in counts.units:
        return ["not stated"] * len(frame)
    stated = counts.units["protocol"].fillna("").astype(str)
    stated.index = stated.index.astype(str)
    pairs = zip(stated.loc[frame["unit_a"]], stated.loc[frame["unit_b"]], strict=True)
    return ["not stated" if not (a and b) else "yes" if a == b else "no" for a, b in pairs]


def _families(found: Sequence[Comparison], settings: Settings) -> pd.DataFrame:
    rows = []
    for one in found:
        for family in (one.every, one.reference):
            if family is None:
                continue
            missing = len(family.rows) - family.n_estimable
            note = f"simultaneous intervals: {1 - settings.alpha:.6g}"
            if missing:
                note += f"; {missing:,} tests not estimable: left out of the corrections"
            rows.append(
                {
                    "test_family": family.name,
                    "by": one.by,
                    "correction": CORRECTION,
                    "n_tests": len(family.rows),
                    "n_estimable": family.n_estimable,
                    "alpha": settings.alpha,
                    "critical_value": family.critical,
                    "n_draws": settings.draws,
                    "note": note,
                }
            )
    return pd.DataFrame(rows)


def _letters(counts: Counts, found: Sequence[Comparison]) -> pd.DataFrame:
    rows = []
    place = {label: k for k, label in enumerate(counts.units.index)}
    for one in found:
        for chosen, accuracy in zip(one.sets, one.accuracy, strict=True):
            pairs = one.every.rows[one.every.rows["group"] == chosen.group.name]
            apart = np.zeros((len(place), len(place)), dtype=bool)
            for row in pairs[pairs["verdict"] == SEPARATED].itertuples(index=False):
                a, b = place[row.unit_a], place[row.unit_b]
                apart[a, b] = apart[b, a] = True
            order = [unit for unit in np.argsort(-accuracy, kind="stable") if unit in chosen.units]
            inside = letters(apart[np.ix_(order, order)])
            dealt = dict(zip(order, inside, strict=True))
            rows += [
                {"unit": label, "by": one.by, "group": chosen.group.name, "letters": dealt.get(k, "")}
                for label, k in place.items()
            ]
    return pd.DataFrame(rows)


def _item_sets(counts: Counts, found: Sequence[Comparison], settings: Settings) -> pd.DataFrame:
    """Return the items of each group; for all items also what is left of each category."""
    labels = counts.units.index.to_numpy(dtype=object)
    categories = counts.items["category"].to_numpy()
    names = list(counts.categories) or sorted(set(categories))
    rows = []
    for one in found:
        for chosen in one.sets:
            total = len(chosen.group.items)
            notes = [f"{labels[unit]} left out: {why}" for unit, why in chosen.left_out.items()]
            kept = len(chosen.items)
            if settings.pairwise:
                sizes = one.every.rows.loc[one.every.rows["group"] == chosen.group.name, "n_items"]
                sizes = sizes[sizes > 0]
                kept = int(sizes.min()) if len(sizes) else 0
                notes.insert(0, f"each pair's common items: {kept:,} to {sizes.max() if len(sizes) else 0:,}")
            rows.append(_item_set_row(one.by, chosen.group.name, kept, total, len(chosen.units), notes))
            if one.by == OVERALL and not settings.pairwise:
                for name in names:
                    inside = int((categories[chosen.items] == name).sum())
                    rows.append(
                        _item_set_row(
                            f"{OVERALL}{CROSSING}category",
                            name,
                            inside,
                            int((categories == name).sum()),
                            len(chosen.units),
                            [],
                        )
                    )
    return pd.DataFrame(rows)


def _item_set_row(by: str, group: str, kept: int, total: int, n_units: int, notes: Sequence[str]) -> dict[str, Any]:
    row = {"by": by, "group": group, "n_items": kept, "n_items_total": total, "n_items_lost": total - kept}
    return row | {"n_units": n_units, "note": "; ".join(notes)}


def _warnings(counts: Counts, found: Sequence[Comparison], item_sets: pd.DataFrame, settings: Settings) -> list[str]:
    warnings = []
    labels = counts.units.index
    left_out = [
        f"{labels[unit]}, {chosen.group.name} ({why})"
        for one in found
        for chosen in one.sets
        for unit, why in chosen.left_out.items()
    ]
    if left_out:
        warnings.append("Left out of comparisons: " + "; ".join(left_out) + ".")
    whole = item_sets[item_sets["by"] == OVERALL]
    for row in whole[whole["n_items_lost"] > 0].itertuples(index=False):
        if not settings.pairwise:
            warnings.append(f"Of {row.n_items_total:,} items {row.n_items:,} were answered by all models compared.")
    return warnings


def _summary(counts: Counts, tables: dict[str, pd.DataFrame], reference: str) -> dict[str, Any]:
    first = tables["families"].iloc[0]
    rows = tables["estimates"][tables["estimates"]["test_family"] == first["test_family"]]
    return {
        "n_units": len(counts.units),
        "reference": reference,
        "test_family": first["test_family"],
        "n_tests": int(first["n_tests"]),
        "n_separated": int((rows["verdict"] == SEPARATED).sum()),
        "n_not_decided": int((rows["verdict"] == NOT_DECIDED).sum()),
        "median_se_ratio": float(rows["se_ratio"].median()),
    }


def _empty() -> dict[str, pd.DataFrame]:
    families = [
        "test_family",
        "by",
        "correction",
        "n_tests",
        "n_estimable",
        "alpha",
        "critical_value",
        "n_draws",
        "note",
    ]
    return {
        "estimates": pd.DataFrame(columns=list(PAIRS)),
        "reference": pd.DataFrame(columns=list(PAIRS)),
        "families": pd.DataFrame(columns=families),
        "letters": pd.DataFrame(columns=["unit", "by", "group", "letters"]),
        "item_sets": pd.DataFrame(
            columns=["by", "group", "n_items", "n_items_total", "n_items_lost", "n_units", "note"]
        ),
    }

"""Which models differ: every pair, and each against a reference, on the items they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.compare_tables import tables, warnings
from click_stats.stats.families import NOT_DECIDED, SEPARATED, compared
from click_stats.stats.partition import groups
from click_stats.stats.settings import PairSettings
from click_stats.stats.tools.clustered import item_means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, Denominator

METHOD = (
    "Paired differences of item scores. Interval per comparison: clustered t (CR1), with fewer than 10 discordant "
    "items Bonett-Price. p-value: sign-flip permutation over clusters. Family: step-down max-T (Romano-Wolf, "
    "Rademacher signs on centred cluster sums, standard errors recomputed in every draw); an adjusted p-value is "
    "never below the unadjusted one. Equivalence: two one-sided tests, adjusted by Holm within the family. McNemar's "
    "tests, the odds ratio and Bonett-Price take items as independent, passages or not. Bounds for missing answers are "
    "over all items of the group and need not hold the estimate, which is over shared items."
)
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
    settings = PairSettings(level, alpha, margin, pairwise_items, denominator, draws, seed)
    groupings = [by] if isinstance(by, str) else list(by)
    groups(counts, groupings)  # an unknown one is an error before anything is computed
    chosen, stated = find_reference(counts, reference, denominator)
    meta = pair_meta(counts, settings, METHOD)
    meta |= {"reference": chosen, "reference_chosen": stated, "alpha": settings.alpha, "margin": margin}
    found = [compared(counts, one, settings, chosen) for one in groupings] if len(counts.units) > 1 else []
    made = tables(counts, found, settings)
    meta["warnings"] += warnings(counts, found, settings)
    summary: dict[str, Any] = {"n_units": len(counts.units), "reference": chosen}
    if found:
        first = found[0].every
        verdicts = first.rows["verdict"]
        summary |= {"test_family": first.name, "n_tests": len(first.rows)}
        summary |= {"n_separated": int((verdicts == SEPARATED).sum())}
        summary |= {"n_not_decided": int((verdicts == NOT_DECIDED).sum())}
        summary |= {"median_se_ratio": float(first.rows["se_ratio"].median())}
    return Result("compare", made, summary, meta)


def pair_meta(counts: Counts, settings: PairSettings, method: str) -> dict[str, Any]:
    """Return how pairs were compared; without two units the warnings say so."""
    found: dict[str, Any] = {
        "method": method,
        "seed": settings.seed,
        "draws": settings.draws,
        "level": settings.level,
        "denominator": settings.denominator,
        "pairwise_items": settings.pairwise,
        "digests": dict(counts.meta.get("digests", {})),
        "warnings": list(counts.meta.get("warnings", [])),
        "diagnostics": {},
    }
    if len(counts.units) < 2:
        found["warnings"].append(ONE_MODEL if len(counts.units) else NO_MODEL)
    return found


def find_reference(counts: Counts, reference: str | None, denominator: Denominator = "responded") -> tuple[str, str]:
    """Return the label of the reference and how it was chosen.

    By default it is the unit with the highest accuracy on the items that all units with any answer share.

    Raises
    ------
    UsageError
        No unit has this label, nor is it the model of exactly one; the message lists the units.
    """
    labels = [str(label) for label in counts.units.index]
    if reference is None:
        if not labels:
            return "", "no model"
        scores = counts.scores(denominator)
        answered = scores.trials > 0
        anything = answered.any(axis=1)
        shared = answered[anything].all(axis=0)
        means = item_means(scores.values[:, shared] if shared.any() else scores.values)
        where = "the items that all answered" if shared.any() else "its own items"
        return labels[int(np.argmax(np.nan_to_num(means, nan=-1.0)))], f"the highest accuracy on {where}"
    if reference in labels:
        return reference, "as asked"
    models = counts.units["model"].astype(str)
    matches = [label for label, model in zip(labels, models, strict=True) if model == reference]
    if len(matches) == 1:
        return matches[0], "as asked"
    if matches:
        what = f"The reference {reference!r} stands for several conditions of one model."
        raise UsageError(what, found=reference, do="Use one of: " + ", ".join(matches))
    raise UsageError(
        f"There is no model {reference!r} to compare with.", found=reference, do="Use one of: " + ", ".join(labels)
    )

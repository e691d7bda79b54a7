"""Trials and errata to the counts before and after, and from there to what the errata change."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from click_stats.errors import DataError
from click_stats.items.notes import listed
from click_stats.stats.impact import Scenario
from click_stats.stats.impact import impact as of_counts
from click_stats.stats.impact.analysis import TOGETHER
from click_stats.study.run import select_models, without_people

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts
    from click_stats.items import Errata
    from click_stats.items.errata.entries import Erratum
    from click_stats.models import ModelTable
    from click_stats.results import Result
    from click_stats.trials import Trials


def impact(
    errata: Errata,
    trials: Trials,
    models: ModelTable | None = None,
    *,
    one_by_one: bool = True,
    **parameters: Any,
) -> Result:
    """Return what errata change; see :func:`click_stats.stats.impact.impact`.

    Parameters
    ----------
    errata
        Checked against the items of the trials; those of items that were not chosen when reading are left out.
    trials
        The answers, with the items before the errata.
    models
        Selects and orders the models.
    one_by_one
        Whether to show each erratum alone too.
    """
    items = trials.items.original
    outside = [key for key in errata.keys if key not in items.frame.index and key in trials.keys]
    kept = [entry for entry in errata.entries if entry.key not in outside]
    if not kept:
        raise DataError("No erratum is about the chosen items.", found=listed(outside), do="Choose other items.")

    def counted(entries: Sequence[Erratum]) -> Counts:
        table = items.with_errata(errata.model_copy(update={"entries": tuple(entries)})) if entries else items
        counts = trials.with_items(table).counts()
        return without_people(counts if models is None else select_models(models, counts))

    scenarios = [Scenario(TOGETHER, "", "", counted(kept))]
    if one_by_one:
        scenarios += [
            Scenario(str(number), entry.key, entry.action, counted([entry]))
            for number, entry in enumerate(errata.entries, start=1)
            if entry in kept
        ]
    found = of_counts(counted([]), scenarios, **parameters)
    if not outside:
        return found
    warnings = [*found.meta["warnings"], f"Errata of items that were not chosen are left out: {listed(outside)}."]
    return replace(found, meta={**found.meta, "warnings": warnings})

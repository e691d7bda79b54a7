"""Trials and errata to the counts before and after, and from there to what the errata change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.stats.impact import Scenario
from click_stats.stats.impact import impact as of_counts
from click_stats.stats.impact.analysis import TOGETHER
from click_stats.study.run import select_models

if TYPE_CHECKING:
    from click_stats.counts import Counts
    from click_stats.items import Errata
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
        Checked against the items of the trials.
    trials
        The answers, with the items before the errata.
    models
        Selects and orders the models.
    one_by_one
        Whether to show each erratum alone too.
    """
    items = trials.items.original

    def counted(chosen: Errata | None) -> Counts:
        counts = trials.with_items(items if chosen is None else items.with_errata(chosen)).counts()
        return counts if models is None else select_models(models, counts)

    scenarios = [Scenario(TOGETHER, "", "", counted(errata))]
    if one_by_one:
        scenarios += [
            Scenario(str(number), alone.entries[0].key, alone.entries[0].action, counted(alone))
            for number, alone in enumerate(errata.one_by_one(), start=1)
        ]
    return of_counts(counted(None), scenarios, **parameters)

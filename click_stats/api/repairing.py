"""Repair a benchmark: what corrections change, what revisions differ in, and the files to publish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from click_stats.items import Errata
    from click_stats.models import ModelTable
    from click_stats.results import Result
    from click_stats.trials import Trials

    PathLike = str | Path


def impact(
    errata: Errata | PathLike,
    trials: Trials,
    *,
    models: ModelTable | None = None,
    one_by_one: bool = True,
    **parameters: Any,
) -> Result:
    """Return what corrections of items do to scores, ranks and verdicts, each alone and all together.

    Parameters
    ----------
    errata
        From :func:`read_errata`, or the path of the file.
    trials
        The answers, read with the items before the errata.
    models
        Selects and orders the models.
    one_by_one
        Whether to show each erratum alone too.
    parameters
        Of :func:`click_stats.stats.impact.impact`: ``alpha, denominator, draws, seed, progress``.

    Raises
    ------
    DataError
        The errata cannot be read, or are not about these items.
    """
    from click_stats.items import Errata, read_errata
    from click_stats.study.impact import impact

    chosen = errata if isinstance(errata, Errata) else read_errata(errata)
    return impact(chosen, trials, models, one_by_one=one_by_one, **parameters)

"""What corrections of items do to scores, ranks and verdicts: each alone, and all together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.impact.standing import standing
from click_stats.stats.impact.tables import answer_rows, errata_rows, score_rows, tables, verdict_rows
from click_stats.stats.settings import PairSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click_stats.counts import Counts, Denominator

    Progress = Callable[[int, int, str], None]

METHOD = (
    "The same answers, scored by the items before and after the errata. Scores are means over each model's own items; "
    "ranks and verdicts are over the items that all models share, verdicts from the step-down max-T family of all "
    "pairs with the same seed before and after."
)
UNCERTAINTY = (
    "Given the answers and the errata, the change of a score is arithmetic: its standard error is 0, and no test is "
    "made of it. Uncertain are the scores on both sides, as estimates for other items like these; whether the errata "
    "are right; what items that nobody reviewed would change; and verdicts whose p-value lies within the error of the "
    "random draws of the level."
)
TOGETHER = "all"
"""Name of the scenario with all errata."""


class Scenario(NamedTuple):
    """Counts after one erratum, or after all.

    Attributes
    ----------
    erratum
        Number of the erratum in its file, from 1; :data:`TOGETHER` for all.
    item, action
        What it corrects, and how; empty for all together.
    counts
        The same answers of the same units, scored by the corrected items.
    """

    erratum: str
    item: str
    action: str
    counts: Counts


def impact(
    before: Counts,
    after: Sequence[Scenario],
    *,
    alpha: float = 0.05,
    denominator: Denominator = "responded",
    draws: int = 10_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Result:
    """Return what each scenario changes, paired by model, pair and item.

    Parameters
    ----------
    before
        The answers, scored by the items as they were.
    after
        The same units under corrected items.
    alpha
        Family-wise error of the tests of all pairs.
    denominator
        Which trials count.
    draws, seed
        Of the random signs.
    progress
        Called as ``progress(done, total, erratum)``.

    Returns
    -------
    Result
        ``estimates``: unit, group, score and rank before and after, for all errata together every group, for each
        alone those whose scores change and overall. ``errata``: what each changes, in numbers. ``verdicts``: the
        pairs whose verdict changes. ``answers``: unit and item whose score changes; ``items``: the same by item.

    Raises
    ------
    UsageError
        A scenario has other units, or an argument is out of range.
    """
    settings = PairSettings(1.0 - alpha, alpha, None, False, denominator, draws, seed)
    for scenario in after:
        if not scenario.counts.units.index.equals(before.units.index):
            raise UsageError("Before and after the errata must be the same models.", found=scenario.erratum)
    was = standing(before, settings)
    scores, errata, answers, verdicts = [], [], [], []
    for done, scenario in enumerate(after):
        if progress:
            progress(done, len(after), scenario.erratum)
        now = standing(scenario.counts, settings, was)
        scores += score_rows(scenario, was, now, before, everything=scenario.erratum == TOGETHER)
        answers += (changed := answer_rows(scenario, was, now))
        verdicts += (moved := verdict_rows(scenario, was, now, settings))
        errata.append(errata_rows(scenario, was, now, changed, moved))
    if progress:
        progress(len(after), len(after), "")
    meta = {
        "method": METHOD,
        "uncertainty": UNCERTAINTY,
        "seed": seed,
        "draws": draws,
        "alpha": alpha,
        "denominator": denominator,
        "digests": dict(after[-1].counts.meta.get("digests", {})) if after else {},
        "digests_before": dict(before.meta.get("digests", {})),
        "warnings": [] if len(before.units) > 1 else ["one model: no ranks and no pairs"],
    }
    return Result("impact", tables(scores, errata, answers, verdicts), _summary(before, after, errata), meta)


def _summary(before: Counts, after: Sequence[Scenario], errata: Sequence[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {"n_units": len(before.units), "n_errata": sum(one.erratum != TOGETHER for one in after)}
    whole = [row for row in errata if row["erratum"] == TOGETHER]
    if whole:
        found |= {name: whole[0][name] for name in ("largest_change", "n_ranks_changed", "n_verdicts_changed")}
    return found

"""Scale and corpus as the paper tested them, on cells, beside the test that counts models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from click_stats.errors import DataError, UsageError
from click_stats.results import Result
from click_stats.stats.anova import rows
from click_stats.stats.anova.cells import CORPUS, JOINT, SCALE, Design, Incomplete, Parameters, Scale, cells, design
from click_stats.stats.anova.claims import claims
from click_stats.stats.anova.confounding import confounded
from click_stats.stats.anova.linear import SsType  # noqa: TC001 -- studies read the signature at run time
from click_stats.stats.anova.published import published, recomputed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, Denominator

Factor = Literal["scale", "corpus", "both"]
DESIGNS = {"scale": (SCALE,), "corpus": (CORPUS,), "both": (SCALE, CORPUS, JOINT)}
METHOD = (
    "Ordinary least squares on model x category cells with sum coding; size and corpus are tested against the spread "
    "of models (whole plots), and beside it against the residual of the cells, as the paper did."
)
EFFECTS = (0.01, 0.02, 0.05, 0.1)


class Settings(NamedTuple):
    """Arguments that all parts share."""

    scale: Scale
    ss_type: SsType
    effects: tuple[float, ...]
    margin: float | None
    power: float
    alpha: float
    level: float
    draws: int
    seed: int


def anova(
    counts: Counts,
    *,
    factor: Factor = "both",
    scale: Scale = "log10_params",
    ss_type: SsType = 2,
    models: Sequence[str] = (),
    parameters: Parameters = "total",
    denominator: Denominator = "responded",
    incomplete: Incomplete = "model",
    effects: Sequence[float] = EFFECTS,
    margin: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    level: float = 0.95,
    draws: int = 4_000,
    seed: int = 0,
) -> Result:
    """Test size and corpus of models on the cells model x category.

    A cell is the mean item score of one model in one category. The model of the cells is
    ``accuracy ~ category + size``, ``+ corpus``, or both, by ordinary least squares in sum coding. Size and corpus are
    constant within a model, and all cells of a model share its level; so the F that divides by the residual of the
    cells counts each model as many times as there are categories. It is shown, with the share of data sets in
    which it would reject without any effect at the observed spread of models; the verdict is that of the F that divides
    by the spread of models (the whole-plot test of a split plot).

    Parameters
    ----------
    counts
        The answers, with the facts of the models (``parameters, korean_corpus, family, tuned``).
    factor
        ``scale``, ``corpus``, or ``both``: each alone, and both in one model.
    scale
        ``log10_params``: a line in the logarithm of size. ``log10_params within family``: the same within families,
        which have levels of their own. ``levels within family``: a level for every size of a family.
    ss_type
        Type of the sums of squares, 1, 2 or 3; with type 1 category comes first, then size, then corpus.
    models
        Units to use; all when empty.
    parameters
        Whether size is ``total`` or ``active`` parameters.
    denominator
        Which trials count.
    incomplete
        When a model answered under half of a category, leave out the ``model`` or only the ``cell``.
    effects
        True effects, as shares, whose power is computed: per tenfold parameters, or of one corpus against the others.
    margin
        Margin of equivalence of the effect of tenfold parameters, as a share; None asks for no equivalence.
    power, alpha
        Power wanted and two-sided level of the tests. There is no correction over tests.
    level
        Confidence level of the intervals.
    draws, seed
        Of the simulations of size and of what the claim could have rested on.

    Returns
    -------
    Result
        ``estimates``: every term, tested against the cells and against the models, with effect sizes and verdict.
        ``cells``, ``models``: what went in, and what was left out and why. ``spread``: standard deviations of cells and
        models, and the simulated size of both tests over the interval of the latter. ``confounded``: what goes together
        among the models. ``checks``: residuals, unequal variances, ranks. ``contrasts``: pairs of corpora. ``power``:
        for stated effects. ``claim``, ``claim_curve``: what designs of stated size could have seen. ``published``,
        ``recomputed``: which models the paper's two tests need, and what published numbers let one recompute.

    Raises
    ------
    UsageError
        An unknown model, or a level, power, margin or number of draws out of range.
    """
    settings = Settings(scale, ss_type, tuple(effects), margin, power, alpha, level, draws, seed)
    _check(settings)
    found = cells(counts, models=models, denominator=denominator, parameters=parameters, incomplete=incomplete)
    designs = [_possible(design(found, name, scale)) for name in DESIGNS[factor]]
    tables = rows.tables(found, designs, settings)
    tables |= claims(counts, found, designs, settings, denominator)
    n_categories = len(set(found.frame["category"]))
    tables |= {"published": published(n_categories), "recomputed": recomputed(found, n_categories, alpha)}
    tables["confounded"] = _confounded(found.units, designs)
    warnings = [f"No test of {one.name}: {one.reason}." for one in designs if one.strata is None]
    warnings += dict.fromkeys(tables["confounded"]["note"])
    meta: dict[str, Any] = {
        "method": METHOD,
        "factor": factor,
        "scale": scale,
        "ss_type": ss_type,
        "parameters": parameters,
        "denominator": denominator,
        "incomplete": incomplete,
        "effects": list(effects),
        "margin": margin,
        "power": power,
        "alpha": alpha,
        "level": level,
        "n_draws": draws,
        "seed": seed,
        "warnings": [*counts.meta.get("warnings", []), *warnings],
    }
    if all(one.strata is None for one in designs):
        meta["reason"] = warnings[0]
    return Result("anova", tables, _summary(tables["estimates"]), meta)


def _possible(one: Design) -> Design:
    """Return the design, without its data where a term is fixed by the others."""
    if one.strata is None:
        return one
    try:
        _ = one.strata.cells, one.strata.blocks
    except DataError:
        reason = "size and corpus are fixed by one another in these models: their effects cannot be told apart"
        if one.name != JOINT:
            reason = "the cells that are left do not connect models and categories"
        return Design(one.name, one.used, one.left_out, None, (), reason)
    return one


def _confounded(units: pd.DataFrame, designs: Sequence[Design]) -> pd.DataFrame:
    """Return what goes together with what, one sentence a row."""
    made = [one for one in designs if one.strata is not None]
    rows = [(one.name, text) for one in made for text in confounded(units.loc[list(one.used)], one.name)]
    return pd.DataFrame(rows, columns=["design", "note"], dtype=object)


def _summary(estimates: pd.DataFrame) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in (SCALE, CORPUS):
        part = estimates[(estimates["design"] == name) & (estimates["test_unit"] == "models")]
        part = part[part["term"] != "category"]
        if len(part):
            row = part.iloc[-1]
            found |= {
                f"{name}_{key}": row[key] for key in ("n_units", "f_statistic", "df_residual", "p_value", "verdict")
            }
    return found


def _check(settings: Settings) -> None:
    for what, value in (("power", settings.power), ("alpha", settings.alpha), ("level", settings.level)):
        if not 0 < value < 1:
            raise UsageError(
                f"The {what} must lie between 0 and 1.", found=str(value), do="Use for example 0.8 or 0.05."
            )
    if settings.margin is not None and not 0 < settings.margin < 1:
        raise UsageError(
            "A margin is a share above 0 and below 1.", found=str(settings.margin), do="2 points are 0.02."
        )
    if not all(0 < one < 1 for one in settings.effects):
        raise UsageError(
            "Stated effects are shares above 0 and below 1.",
            found=", ".join(map(str, settings.effects)),
            do="2 points are 0.02.",
        )
    if settings.draws < 100 or settings.seed < 0 or settings.ss_type not in {1, 2, 3}:
        raise UsageError(
            "A simulation needs 100 draws or more and a seed from 0, and sums of squares are of type 1, 2 or 3.",
            found=f"draws {settings.draws}, seed {settings.seed}, ss_type {settings.ss_type}",
        )
    if not np.isfinite(settings.effects).all():
        raise UsageError("Stated effects must be numbers.", found=str(settings.effects))

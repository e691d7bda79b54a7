"""How often a test says "separated" where nothing is: by simulation at a stated spread of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

from click_stats.stats.anova.design import factor, matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray
    from click_stats.stats.anova.strata import Strata


class Size(NamedTuple):
    """Rejection rates of the two tests without any effect, for one ratio of model to cell SD."""

    ratio: float
    cells: float
    models: float
    std_error: float


def sizes(
    strata: Strata, term: str, ratios: Sequence[float], *, alpha: float = 0.05, draws: int = 4_000, seed: int = 0
) -> list[Size]:
    """Simulate both tests of ``term`` on the design at hand, without effect.

    A cell is drawn as a normal level of its model (SD = ratio) plus a normal deviation of its own (SD 1); category
    effects drop out of both tests. All draws are projected at once, and the same draws serve every ratio.

    Parameters
    ----------
    strata
        The design; its accuracies are not used.
    term
        A term between models; tested after all others.
    ratios
        Standard deviations of models over that of a cell.

    Returns
    -------
    list of Size
        ``models`` is NaN where there is no test between models.
    """
    n = len(strata.y)
    terms = strata.cells.terms
    tested = next(one for one in terms if one.name == term)
    others = np.linalg.qr(matrix([one for one in terms if one is not tested], n))[0]
    effect = np.linalg.qr(tested.columns - others @ (others.T @ tested.columns))[0]
    explained = np.hstack([others, effect])
    blocks = np.linalg.qr(matrix([factor("category", strata.category), factor("model", strata.model)], n))[0]
    rng = np.random.default_rng(seed)
    own = rng.standard_normal((draws, n))
    level = rng.standard_normal((draws, strata.n_models)) @ strata.indicators.T
    ss_within = _rest(own, blocks)
    df, df_cells, df_models = tested.columns.shape[1], strata.cells.df_residual, strata.df_models
    found = []
    for ratio in ratios:
        y = own + ratio * level
        ss_effect, ss_cells = ((y @ effect) ** 2).sum(axis=1), _rest(y, explained)
        cells = _rejected(ss_effect / df, ss_cells / df_cells, df, df_cells, alpha)
        models = np.nan
        if df_models >= 1:
            models = _rejected(ss_effect / df, (ss_cells - ss_within) / df_models, df, df_models, alpha)
        found.append(Size(float(ratio), cells, models, float(np.sqrt(cells * (1 - cells) / draws))))
    return found


def _rejected(effect: FloatArray, error: FloatArray, df: int, df_error: int, alpha: float) -> float:
    return float((effect > stats.f.ppf(1 - alpha, df, df_error) * error).mean())


def _rest(y: FloatArray, q: FloatArray) -> FloatArray:
    """Return for every row of ``y`` the sum of squares that the orthonormal columns of ``q`` leave."""
    rest: FloatArray = (y**2).sum(axis=1) - ((y @ q) ** 2).sum(axis=1)
    return rest

"""What a fit of the mixed model found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from click_stats.counts import FloatArray
    from click_stats.stats.glmm.separation import Separation


@dataclass(frozen=True)
class GlmmFit:
    """Maximum of the Laplace likelihood, or of the restricted one.

    Attributes
    ----------
    names
        Fixed effects: ``(intercept)``, ``category[Law]``, ``log10_params``.
    beta, se
        (columns,) logits; NaN where separation leaves no finite estimate.
    vcov
        (columns, columns) covariance of ``beta`` from the observed information about beta and log sd together.
    random
        Random effects.
    sd, log_sd, log_sd_se
        (random,) standard deviations in logits; where the maximum is at 0: 0, -inf and NaN.
    covariance
        Of the finite ``beta`` and then of the ``log_sd`` above 0, jointly.
    restricted
        Which of the two.
    loglik
        With the binomial coefficients. Under separation its supremum.
    n_parameters, n_cells, n_trials
        Counts; parameters without finite estimate count.
    n_levels
        Levels of each random effect.
    modes, mode_sd
        Conditional modes of each random effect (logits, by level) and their conditional standard deviations at the
        estimated parameters. For ``cell`` by the cell's position in the data.
    fitted
        (cells,) probability at the modes, in the order of the data.
    base
        Base level of each categorical predictor.
    separation
        What has no finite estimate, or None.
    notes
        Sentences for the reader: separation, standard deviations of 0.
    converged
        Always true: anything else is a ConvergenceError.
    decrement
        g' H^-1 g at the end.
    n_iter, n_evaluations
        Iterations; evaluations of likelihood and gradient.
    """

    names: tuple[str, ...]
    beta: FloatArray
    se: FloatArray
    vcov: FloatArray
    random: tuple[str, ...]
    sd: FloatArray
    log_sd: FloatArray
    log_sd_se: FloatArray
    covariance: FloatArray
    restricted: bool
    loglik: float
    n_parameters: int
    n_cells: int
    n_trials: int
    n_levels: dict[str, int]
    modes: dict[str, pd.Series]
    mode_sd: dict[str, pd.Series]
    fitted: FloatArray
    base: dict[str, str]
    separation: Separation | None
    notes: tuple[str, ...]
    converged: bool
    decrement: float
    n_iter: int
    n_evaluations: int

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return 2.0 * self.n_parameters - 2.0 * self.loglik

"""The draws of all chains in a row, and the logits that they stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.stats.bayes.cells import deviations

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.bayes.data import BayesData


@dataclass(frozen=True)
class Draws:
    """Draws of all chains in a row, S = chains x draws.

    Attributes
    ----------
    chains
        Number of chains.
    level, offset
        (S, M) levels of the models, and the part of them that is their families'.
    sd_model
        (S,) standard deviation of models.
    ease
        (S, I) ease of the items, less its mean over items.
    group, sd_group
        (S, M, G) deviations of models in groups of items, and (S,) their standard deviation; None without.
    sd_cell
        (S,) standard deviation of the deviations in the cells, or None.
    """

    chains: int
    level: FloatArray
    offset: FloatArray
    sd_model: FloatArray
    ease: FloatArray
    group: FloatArray | None = None
    sd_group: FloatArray | None = None
    sd_cell: FloatArray | None = None

    @classmethod
    def of(cls, idata: Any, data: BayesData) -> Draws:
        """Take the draws out of :class:`arviz.InferenceData`."""
        posterior = idata.posterior

        def flat(name: str) -> FloatArray:
            values = np.asarray(posterior[name], dtype=np.float64)
            joined: FloatArray = values.reshape(-1, *values.shape[2:])
            return joined

        ease, level = flat("item_ease"), flat("model_level")
        group = f"model_{data.groups.column}"
        return cls(
            chains=int(posterior.sizes["chain"]),
            level=level,
            offset=flat("family_effect")[:, data.family] if "family_effect" in posterior else np.zeros_like(level),
            sd_model=flat("sd_model"),
            ease=ease - ease.mean(axis=1, keepdims=True),
            group=flat(group) if group in posterior else None,
            sd_group=flat(f"sd_{group}") if group in posterior else None,
            sd_cell=flat("sd_cell") if "sd_cell" in posterior else None,
        )

    def logits(self, row: int, data: BayesData, rng: np.random.Generator) -> FloatArray:
        """Return (M, I) logits of one draw; deviations of the cells are drawn anew, given the counts."""
        found: FloatArray = self.level[row][:, None] + self.ease[row][None, :]
        if self.group is not None:
            own = self.group[row]
            found = found + (own - own.mean(axis=1, keepdims=True))[:, data.groups.codes]
        if self.sd_cell is not None:
            found = found + deviations(rng, data.correct, data.trials, found, float(self.sd_cell[row]))
        return found

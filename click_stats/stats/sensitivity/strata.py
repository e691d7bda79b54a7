"""Error variances of a design over items of several numbers of options, and their intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy import stats

from click_stats.stats.sensitivity import intervals, passages
from click_stats.stats.sensitivity.components import RESIDUAL
from click_stats.stats.sensitivity.designs import Design, error_parts
from click_stats.stats.sensitivity.layout import ITEM, MODEL, POSITION, WORDING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from click_stats.stats.sensitivity.within import Parts

SAMPLED, FIXED, RELATIVE, ABSOLUTE = "sampled", "fixed", "relative", "absolute"


class Strata:
    """Components by number of options, with the sizes of the benchmark's parts: strata, whose variances add up.

    Parameters
    ----------
    parts
        Number of options to components, all defined.
    sizes
        Number of options to items in the benchmark.
    n_wordings, n_replicates
        As observed.
    random
        Whether wordings are a sample of all wordings.
    one_order
        Whether each item was shown in one order.
    """

    targets: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        parts: Mapping[int, Parts],
        sizes: Mapping[int, int],
        *,
        n_wordings: int,
        n_replicates: int,
        random: bool,
        one_order: bool = False,
    ) -> None:
        self.parts = dict(parts)
        self.sizes = {n: sizes[n] for n in parts}
        self.n_wordings, self.n_replicates = n_wordings, n_replicates
        self.random, self.one_order = random, one_order

    @property
    def n_items(self) -> int:
        """Items of these parts."""
        return sum(self.sizes.values())

    def designs(self) -> Iterator[tuple[int, int, int]]:
        """Yield wordings, rotations and replicates of the designs considered, the smallest first."""
        most = self.n_wordings * (2 if self.random and self.n_wordings > 1 else 1)
        rotations = 1 if self.one_order else max(self.parts)
        for wordings in range(1, most + 1):
            for rotation in range(1, rotations + 1):
                for replicates in sorted({1, self.n_replicates}):
                    yield wordings, rotation, replicates

    def calls(self, n_items: float, wordings: int, rotations: int, replicates: int) -> int:
        """Return the number of prompts sent to a model."""
        each = sum(self.sizes[n] / self.n_items * min(rotations, n) for n in self.parts)
        return round(n_items * wordings * each * replicates)

    def variance(
        self, target: str, n_items: float, wordings: int, rotations: int, replicates: int
    ) -> tuple[float, float]:
        """Return the error variance, and the part of it that more items do not lessen (wordings)."""
        total = shared = 0.0
        for n, parts in self.parts.items():
            own, common = self._weights(n, target, n_items, wordings, rotations, replicates)
            known = {**parts.known, **parts.passages}
            total += sum(weight * max(known[name], 0.0) for name, weight in own.items())
            shared += math.sqrt(sum(weight * max(known[name], 0.0) for name, weight in common.items()))
        return total + shared**2, shared**2

    def interval(
        self, target: str, n_items: float, wordings: int, rotations: int, replicates: int, *, level: float
    ) -> tuple[float, float]:
        """Return the ends of the interval of the error variance; NaN without one.

        The jackknife over passages, or the covariance of REML. Both hold wordings and models as they are, so there is
        none where wordings are a sample.
        """
        if self.random and self.n_wordings > 1:
            return math.nan, math.nan
        design = (wordings, rotations, replicates)
        square, df = 0.0, 0
        for n, weights in self._linear(target, n_items, design).items():
            parts = self.parts[n]
            if parts.left_out:
                values = sum(weight * parts.left_out[name] for name, weight in weights.items())
                square += intervals.jackknife(np.asarray(values), level).std_error ** 2
            elif parts.covariance is not None:
                loads = np.array([weights.get(name, 0.0) for name in parts.spreads])
                square += float(loads @ parts.covariance @ loads)
            else:
                return math.nan, math.nan
            df += parts.n_clusters - 1
        variance = self.variance(target, n_items, *design)[0]
        half = float(stats.t.ppf((1 + level) / 2, df)) * math.sqrt(square)
        return max(0.0, variance - half), variance + half

    def _weights(
        self, n: int, target: str, n_items: float, wordings: int, rotations: int, replicates: int
    ) -> tuple[dict[str, float], dict[str, float]]:
        """Return what components count with in the error variance, and those that the strata have in common.

        What wordings do to all items together is taken as common: standard deviations add up, with the shares of the
        items.
        """
        parts, share = self.parts[n], self.sizes[n] / self.n_items
        design = Design(n_items * share, wordings, min(rotations, n), replicates)
        counted = [name for name in parts.known if self._counts(target, name)]
        factors = error_parts(
            dict.fromkeys(counted, 1.0), design.levels(), parts.universe, replicates=replicates, inside={POSITION: ITEM}
        )
        factors |= {name: 1.0 / design.items for name in parts.passages if self._counts(target, name)}
        common = {name: share**2 * value for name, value in factors.items() if name in (WORDING, f"{MODEL}:{WORDING}")}
        return {name: share**2 * value for name, value in factors.items() if name not in common}, common

    def _linear(self, target: str, n_items: float, design: tuple[int, int, int]) -> dict[int, dict[str, float]]:
        """Return the derivative of the error variance by each component, by number of options."""
        root = math.sqrt(self.variance(target, n_items, *design)[1])
        found = {}
        for n, parts in self.parts.items():
            own, common = self._weights(n, target, n_items, *design)
            here = math.sqrt(sum(weight * max(parts.known[name], 0.0) for name, weight in common.items()))
            found[n] = {**own, **{name: weight * root / here for name, weight in common.items() if here > 0}}
        return found

    @staticmethod
    def _counts(target: str, name: str) -> bool:
        """Return whether a component is part of the error."""
        raise NotImplementedError


class Within(Strata):
    """The components of one model. Targets: the items ``sampled``, or these very items (``fixed``)."""

    targets = (SAMPLED, FIXED)

    @staticmethod
    def _counts(target: str, name: str) -> bool:
        return target == SAMPLED or name not in (ITEM, passages.of(ITEM))


class Between(Strata):
    """The components over models. Targets: the ``relative`` error, which moves models apart, and the ``absolute``."""

    targets = (RELATIVE, ABSOLUTE)

    @staticmethod
    def _counts(target: str, name: str) -> bool:
        if name == MODEL:
            return False
        return target == ABSOLUTE or name == RESIDUAL or MODEL in passages.facets(name)

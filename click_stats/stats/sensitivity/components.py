"""Variance components of complete crossed designs by expected mean squares, and their form in finite universes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from click_stats.counts import FloatArray, IntArray

RESIDUAL = "residual"
JOIN = ":"


@dataclass(frozen=True)
class MeanSquares:
    """Mean squares of a complete crossed design, over all rows and without each cluster of rows in turn.

    Attributes
    ----------
    names
        Facets; the first one is that of the rows.
    squares, degrees
        Term to (1 + G,) mean squares and degrees of freedom: of all rows first, then without each of the G
        clusters. ``residual`` is there unless nothing is left for it.
    levels
        Facet to its number of levels, (1 + G,) for the rows.
    replicates
        Answers in a cell.
    """

    names: tuple[str, ...]
    squares: Mapping[str, FloatArray]
    degrees: Mapping[str, FloatArray]
    levels: Mapping[str, FloatArray]
    replicates: int

    @property
    def terms(self) -> list[str]:
        """All terms but the residual, main effects first."""
        return [name for name in self.squares if name != RESIDUAL]


def mean_squares(
    cells: FloatArray,
    names: Sequence[str],
    *,
    within: FloatArray | None = None,
    replicates: int = 1,
    terms: Sequence[str] | None = None,
    clusters: IntArray | None = None,
    residual: bool = True,
) -> MeanSquares:
    """Split a complete crossed design into orthogonal parts.

    Parameters
    ----------
    cells
        One axis for each facet: means of the cells, nothing missing.
    names
        Names of the facets, in the order of the axes.
    within
        (rows,) sum of squares of the answers about the mean of their cell, by level of the first facet.
    replicates
        Answers in each cell.
    terms
        Terms to keep (``item``, ``item:wording``); the others are pooled into the residual. All when None, but for
        the highest interaction of a design without replicates, which is the residual.
    clusters
        (rows,) cluster codes of the first facet, to leave out in turn (for the jackknife); None leaves none out.
    residual
        Without replicates: whether the highest interaction is called the residual (the spread of single answers) or
        stands under its own name, the answers being certain.

    Raises
    ------
    UsageError
        A facet has fewer than two levels, or there is an unknown term.
    """
    names = tuple(names)
    if cells.ndim != len(names) or min(cells.shape) < 2:
        raise UsageError("Each facet of a design needs two levels or more.", found=" x ".join(map(str, cells.shape)))
    every = [JOIN.join(part) for part in _subsets(names) if part]
    kept = list(every) if terms is None else [name for name in every if name in set(terms)]
    unknown = [name for name in terms or () if name not in every]
    if unknown:
        raise UsageError(f"There is no term {unknown[0]!r}.", found=", ".join(every))
    if residual and replicates == 1 and every[-1] in kept:
        kept.remove(every[-1])
    n_rows = cells.shape[0]
    codes = np.zeros(n_rows, dtype=np.int64) if clusters is None else clusters
    n_clusters = 0 if clusters is None else int(codes.max()) + 1
    rows = np.r_[n_rows, n_rows - np.bincount(codes, minlength=n_clusters)[:n_clusters]].astype(np.float64)
    sums: dict[str, FloatArray] = {}
    degrees: dict[str, FloatArray] = {}
    for part in _subsets(names[1:]):
        effect = _project(cells, names, part).reshape(n_rows, -1)
        total = _without(effect, codes, n_clusters)
        about_zero = _without((effect**2).sum(axis=1, keepdims=True), codes, n_clusters)[:, 0]
        of_means = (total**2).sum(axis=1) / rows
        size = math.prod(cells.shape[names.index(name)] - 1 for name in part)
        if part:
            sums[JOIN.join(part)], degrees[JOIN.join(part)] = replicates * of_means, np.full(len(rows), float(size))
        joined = JOIN.join((names[0], *part))
        sums[joined], degrees[joined] = replicates * (about_zero - of_means), size * (rows - 1)
    left = np.zeros(len(rows))
    left_df = np.zeros(len(rows))
    if replicates > 1:
        own = np.zeros(n_rows) if within is None else within
        left += _without(own[:, None], codes, n_clusters)[:, 0]
        left_df += rows * math.prod(cells.shape[1:]) * (replicates - 1)
    for name in every:
        if name not in kept:
            left, left_df = left + sums[name], left_df + degrees[name]
    squares = {name: sums[name] / degrees[name] for name in kept}
    found_df = {name: degrees[name] for name in kept}
    if left_df[0] > 0:
        squares[RESIDUAL], found_df[RESIDUAL] = left / left_df, left_df
    levels = {name: np.full(len(rows), float(size)) for name, size in zip(names, cells.shape, strict=True)}
    levels[names[0]] = rows
    return MeanSquares(names, squares, found_df, levels, replicates)


def components(found: MeanSquares) -> dict[str, FloatArray]:
    """Return the variance components of the random model, (1 + G,) each; they may be negative.

    Equating mean squares with their expectations when all facets are random (Searle, Casella and McCulloch 1992,
    section 4.3; Brennan 2001, section 3.3): E MS(a) = residual + sum over terms b that contain a of n(b) variance(b),
    n(b) the answers at one combination of the levels of b. Solved from the highest interaction down.
    """
    noise = found.squares.get(RESIDUAL, np.zeros_like(next(iter(found.squares.values()))))
    solved: dict[str, FloatArray] = {}
    for name in sorted(found.terms, key=lambda term: -len(_parts(term))):
        above = [other for other in solved if _parts(other) > _parts(name)]
        rest = found.squares[name] - noise - sum(_answers(found, other) * solved[other] for other in above)
        solved[name] = rest / _answers(found, name)
    ordered = {name: solved[name] for name in found.terms}
    return {**ordered, RESIDUAL: noise} if RESIDUAL in found.squares else ordered


def finite(variances: Mapping[str, FloatArray], universe: Mapping[str, float]) -> dict[str, FloatArray]:
    """Return components for facets with finitely many levels in their universe (a fixed facet has those observed).

    variance*(a) = sum over terms b that contain a of variance(b) / product of the universe sizes of the facets that b
    has beyond a (Cornfield and Tukey 1956; Brennan 2001, section 5.1). With divisor N - 1 a main effect of a fixed
    facet is then the variance of its means. Facets that are not named have an infinite universe.
    """
    found = {}
    for name in variances:
        total = variances[name]
        for other in variances:
            beyond = _parts(other) - _parts(name)
            if RESIDUAL not in (name, other) and beyond and _parts(name) < _parts(other):
                total = total + variances[other] / math.prod(universe.get(part, math.inf) for part in beyond)
        found[name] = total
    return found


def single_answer(name: str, universe: Mapping[str, float]) -> float:
    """Return how much of a finite component one answer drawn at random carries: product of 1 - 1/N over its facets."""
    return 1.0 if name == RESIDUAL else math.prod(1 - 1 / universe.get(part, math.inf) for part in _parts(name))


def loadings(found: MeanSquares, name: str, universe: Mapping[str, float]) -> dict[str, float]:
    """Return the coefficients of the mean squares in the finite component ``name``."""
    weights = {}
    for source in found.squares:
        unit = {other: np.array([float(other == source)]) for other in found.squares}
        first = {facet: levels[:1] for facet, levels in found.levels.items()}
        alone = MeanSquares(found.names, unit, found.degrees, first, found.replicates)
        weights[source] = float(finite(components(alone), universe)[name][0])
    return weights


def _answers(found: MeanSquares, name: str) -> FloatArray:
    """Return the number of answers at one combination of the levels of a term."""
    total = np.full_like(found.levels[found.names[0]], float(found.replicates))
    for facet in found.names:
        if facet not in _parts(name):
            total = total * found.levels[facet]
    return total


def _parts(name: str) -> frozenset[str]:
    return frozenset(name.split(JOIN))


def _subsets(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for size in range(len(names) + 1):
        yield from combinations(names, size)


def _project(cells: FloatArray, names: tuple[str, ...], part: tuple[str, ...]) -> FloatArray:
    """Return the effect of the columns' facets ``part`` in each row, in every cell of the design."""
    effect = cells
    for axis, name in enumerate(names[1:], start=1):
        mean = effect.mean(axis=axis, keepdims=True)
        effect = effect - mean if name in part else np.broadcast_to(mean, effect.shape)
    return effect


def _without(values: FloatArray, codes: IntArray, n_clusters: int) -> FloatArray:
    """Return (1 + G, columns) sums over all rows, then over those outside each cluster."""
    total = values.sum(axis=0)
    if not n_clusters:
        return np.asarray(total[None, :], dtype=np.float64)
    own = np.zeros((n_clusters, values.shape[1]))
    np.add.at(own, codes, values)
    found: FloatArray = np.concatenate([total[None, :], total[None, :] - own])
    return found

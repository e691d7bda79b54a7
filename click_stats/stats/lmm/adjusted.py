"""Kenward and Roger's covariance of the fixed effects, and what their degrees of freedom need."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.lmm.fit import LmmFit

MOST_LEVELS = 3000
"""Levels of all random effects together above which the method is refused: it needs their full covariance."""


class Adjusted(NamedTuple):
    """Small-sample inference on the fixed effects.

    Attributes
    ----------
    vcov
        (columns, columns) adjusted covariance.
    plain
        The covariance without adjustment.
    slopes
        For each variance, the residual one last, (columns, columns) P = -X'V^-1 (dV) V^-1 X.
    information
        (variances, variances) covariance W of the variances, from the expected information.
    """

    vcov: FloatArray
    plain: FloatArray
    slopes: tuple[FloatArray, ...]
    information: FloatArray


def kenward_roger(fit: LmmFit) -> Adjusted:
    """Return the adjusted covariance of Kenward and Roger (1997), as pbkrtest has it (Halekoh and Hojsgaard 2014).

    V = sum_k variance_k Z_k Z_k' + residual I is linear in the variances, so no second derivatives come in. Variances
    at 0 take part: the expected information exists there.

    Raises
    ------
    UsageError
        The fit is not by REML, or the random effects have too many levels.
    """
    if not fit.restricted:
        raise UsageError("The method of Kenward and Roger needs a fit by REML.", do="Fit with restricted=True.")
    found = fit.solved
    groups = list(found.groups.values())
    count = int(sum(len(group.levels) for group in groups))
    if count > MOST_LEVELS:
        raise UsageError(
            f"The method of Kenward and Roger is not offered for more than {MOST_LEVELS:,} levels of random effects.",
            found=f"{count:,}",
            do="Take Satterthwaite's degrees of freedom.",
        )
    x, plain, residual = found.matrix, found.vcov, float(found.variances[-1])
    rows = len(x)
    index = np.arange(rows)
    z = sparse.csr_array(
        sparse.hstack([sparse.csr_array((np.ones(rows), (index, group.codes))) for group in groups])
        if groups
        else sparse.csr_array((rows, 0))
    )
    gram = (z.T @ z).toarray()
    sizes = [len(group.levels) for group in groups]
    root = np.repeat(np.sqrt(found.ratios), sizes)
    inverse = np.linalg.inv(np.eye(count) + root[:, None] * gram * root)
    spread = root[:, None] * inverse * root
    once = x - z @ (spread @ (z.T @ x))  # H^-1 X
    twice = once - z @ (spread @ (z.T @ once))
    seen, again = z.T @ once, z.T @ twice  # Z'H^-1 X, Z'H^-2 X
    through = np.eye(count) - gram @ spread
    middle = through @ gram  # Z'H^-1 Z
    places = np.split(np.arange(count), np.cumsum(sizes)[:-1]) if groups else []
    n = len(groups) + 1
    slopes = [-seen[one].T @ seen[one] / residual**2 for one in places] + [-once.T @ once / residual**2]
    crossed = [[np.zeros_like(plain)] * n for _ in range(n)]  # Q = X'V^-1 dV_i V^-1 dV_j V^-1 X
    traces = np.zeros((n, n))  # tr(V^-1 dV_i V^-1 dV_j)
    for i, one in enumerate(places):
        for j, two in enumerate(places):
            block = middle[np.ix_(one, two)]
            crossed[i][j] = seen[one].T @ block @ seen[two] / residual**3
            traces[i, j] = (block**2).sum() / residual**2
        crossed[i][n - 1] = seen[one].T @ again[one] / residual**3
        crossed[n - 1][i] = crossed[i][n - 1].T
        traces[i, n - 1] = traces[n - 1, i] = (middle[one] * through[one]).sum() / residual**2
    crossed[n - 1][n - 1] = once.T @ twice / residual**3
    traces[n - 1, n - 1] = (rows - count + (inverse**2).sum()) / residual**2
    information = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            product = (plain @ slopes[i] * (plain @ slopes[j]).T).sum()
            information[i, j] = traces[i, j] - 2.0 * (plain * crossed[i][j].T).sum() + product
    spread_of_variances = np.asarray(2.0 * np.linalg.inv(0.5 * (information + information.T)), dtype=np.float64)
    bias = np.zeros_like(plain)
    for i in range(n):
        for j in range(n):
            bias += spread_of_variances[i, j] * (crossed[i][j] - slopes[i] @ plain @ slopes[j])
    adjusted = plain + 2.0 * plain @ bias @ plain
    return Adjusted(0.5 * (adjusted + adjusted.T), plain, tuple(slopes), spread_of_variances)


class FTest(NamedTuple):
    """A scaled F test.

    Attributes
    ----------
    statistic
        F, scaled.
    numerator, df
        Degrees of freedom.
    scale
        What the Wald F was multiplied by.
    """

    statistic: float
    numerator: int
    df: float
    scale: float


def kenward_roger_test(adjusted: Adjusted, beta: FloatArray, contrasts: FloatArray) -> FTest:
    """Test contrasts beta = 0 with (q, columns) independent contrasts (Kenward and Roger 1997, section 4)."""
    q = len(contrasts)
    plain = adjusted.plain
    theta = contrasts.T @ np.linalg.solve(contrasts @ plain @ contrasts.T, contrasts)
    parts = [theta @ plain @ slope @ plain for slope in adjusted.slopes]
    own = np.array([np.trace(part) for part in parts])
    pairs = np.array([[(one * two.T).sum() for two in parts] for one in parts])
    a1 = float(own @ adjusted.information @ own)
    a2 = float((adjusted.information * pairs).sum())
    b = (a1 + 6.0 * a2) / (2.0 * q)
    g = ((q + 1) * a1 - (q + 4) * a2) / ((q + 2) * a2)
    base = 3 * q + 2 * (1 - g)
    c1, c2, c3 = g / base, (q - g) / base, (q + 2 - g) / base
    mean = 1.0 / (1.0 - a2 / q)
    variance = (2.0 / q) * (1.0 + c1 * b) / ((1.0 - c2 * b) ** 2 * (1.0 - c3 * b))
    rho = variance / (2.0 * mean**2)
    df = 4.0 + (q + 2) / (q * rho - 1.0)
    scale = df / (mean * (df - 2.0))
    value = contrasts @ beta
    wald = float(value @ np.linalg.solve(contrasts @ adjusted.vcov @ contrasts.T, value)) / q
    return FTest(scale * wald, q, df, scale)

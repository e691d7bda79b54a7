"""The look that all figures share: settings, colours, sizes, and how they are checked."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure

from click_stats.errors import MissingDependencyError
from click_stats.render import fonts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes

WIDTH = 7.2
"""Width of a figure in inches: a page of A4 between its margins."""
PNG_DPI = 200
MOST = 8.8
"""Greatest height of a figure in inches."""
CROWDED = 38
"""Rows above which letters get smaller."""

INK = "#222222"
MUTED = "#6b6b6b"
FAINT = "#d9d9d9"
GRID = "#ececec"
# Okabe and Ito's colours, told apart with any colour vision.
BLUE, ORANGE, GREEN, VERMILION, SKY, PINK, YELLOW = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442",
)  # fmt: skip

SETTINGS: Mapping[str, Any] = {
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.titleweight": "normal",
    "axes.labelsize": 8.0,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "hatch.linewidth": 0.5,
    "text.color": INK,
    "text.parse_math": False,  # a name with two dollar signs is no formula
    "axes.unicode_minus": True,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "click-stats",
    "path.simplify": False,
}


@contextmanager
def settings() -> Iterator[None]:
    """Draw with the settings of the figures; a letter that no font has is an error, not a box.

    Without a Korean font, figures that need none can still be drawn.

    Raises
    ------
    RenderError
        A glyph is missing.
    """
    try:
        families = fonts.plot_families()
    except MissingDependencyError:
        families = [fonts.SYMBOLS]
    with mpl.rc_context({**SETTINGS, "font.family": families}), fonts.every_glyph():
        yield


def new_figure(height: float, width: float = WIDTH) -> Figure:
    """Return an empty figure of ``width`` x ``height`` inches that lays itself out."""
    return Figure(figsize=(width, height), layout="constrained")


def row_axis(ax: Axes, names: list[str]) -> None:
    """Give ``ax`` a row for each name, the first on top, without tick marks."""
    ax.set_yticks(range(len(names)), fitted(names), fontsize=min(7.5, 7.5 * CROWDED / max(len(names), 1)))
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def row_height(n: int, each: float = 0.215, rest: float = 0.85, least: float = 1.6) -> float:
    """Return the height of a figure with ``n`` rows, in inches: at most that of a page."""
    return min(MOST, max(least, rest + each * n))


def fitted(names: Sequence[str], most: int = 34) -> list[str]:
    """Shorten long names in the middle, unless two of them would then look alike."""
    short = [
        name if len(name) <= most else f"{name[: most // 2]}…{name[len(name) - most // 2 + 1 :]}" for name in names
    ]
    return short if len(set(short)) == len(set(names)) else list(names)


def step(n: int) -> int:
    """Return the distance of ticks that count up to ``n`` on a narrow axis: four or five of them."""
    return max(5, 5 * round(n / 20))

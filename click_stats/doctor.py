"""What is installed, and what each lack costs."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from click_stats import __version__

INSTALL_REPORT = "pip install 'click-stats[report]'"
INSTALL_BAYES = "pip install 'click-stats[bayes]'"


class Finding(NamedTuple):
    """One thing looked for.

    Attributes
    ----------
    name
        What was looked for.
    found
        Whether it is there.
    detail
        Version or place, or what was seen instead.
    cost
        What cannot be done without it.
    remedy
        How to get it.
    """

    name: str
    found: bool
    detail: str
    cost: str = ""
    remedy: str = ""


def examine() -> list[Finding]:
    """Look for the engines, fonts and extras and return what was found."""
    return [
        Finding("click-stats", found=True, detail=f"{__version__}, Python {platform.python_version()} at {sys.prefix}"),
        _package("pypandoc_binary", "the built-in engine: no report in HTML, PDF or docx", INSTALL_REPORT),
        _package("typst", "no report in PDF by the built-in engine", INSTALL_REPORT),
        _quarto(),
        _font(),
        _package("pymc", "no Bayesian analysis of scale and corpus", INSTALL_BAYES),
        _package("arviz", "no Bayesian analysis of scale and corpus", INSTALL_BAYES),
        _package("nutpie", "the Bayesian analysis samples with PyMC, several times slower", INSTALL_BAYES),
        _package("huggingface_hub", "items cannot be read by a Hugging Face id", "pip install 'click-stats[hub]'"),
    ]


def _package(name: str, cost: str, remedy: str) -> Finding:
    try:
        return Finding(name, found=True, detail=version(name))
    except PackageNotFoundError:
        return Finding(name, found=False, detail="not installed", cost=cost, remedy=remedy)


def _quarto() -> Finding:
    from click_stats.render.engines.quarto import look_for_quarto

    found, why = look_for_quarto(required=False)
    return Finding(
        "Quarto CLI",
        found=found is not None,
        detail=why if found is None else f"{found.version} at {found.program}, {why}",
        cost="reports are made by the built-in engine, which looks plainer; nothing is missing from them",
        remedy="install Quarto 1.4 or newer from quarto.org, if you want its look",
    )


def _font() -> Finding:
    from click_stats.errors import ClickStatsError
    from click_stats.render import fonts

    try:
        choice = fonts.korean_font()
    except ClickStatsError as error:
        return Finding(
            "Korean font",
            found=False,
            detail=error.what,
            cost="Korean text cannot be drawn in figures and PDF",
            remedy=INSTALL_REPORT,
        )
    return Finding("Korean font", found=True, detail=f"{choice.family} ({choice.source})")

"""Joins template, style, script and data into one file that fetches nothing."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from click_stats.glossary import check_language
from click_stats.render.explorer.data import collect, words
from click_stats.render.standalone import in_html, policy

if TYPE_CHECKING:
    from pathlib import Path

    from click_stats.results import ResultSet

FILE = "explorer.html"
_PACKAGE = "click_stats.render.explorer"


def write(results: ResultSet, path: Path, *, lang: str = "en") -> Path:
    """Write the explorer of some results to ``path``; see :func:`page`."""
    path.write_text(page(results, lang=lang), encoding="utf-8", newline="\n")
    return path


def page(results: ResultSet, *, lang: str = "en") -> str:
    """Return the explorer of some results as html.

    Parameters
    ----------
    results
        Results that hold ``item_answers``. Where they also hold analyses with rows by item (``item_analysis``, ``irt``,
        ``dif``), their flags can be filtered and their numbers stand beside each item.
    lang
        Language of the words, ``en`` or ``ko``.

    Raises
    ------
    UsageError
        The results hold no answers by item, or there is no such language.

    Notes
    -----
    The content security policy allows the one script and the one style sheet by their digests, and nothing else: no
    address, no image, no form. Data stand in an element that is not run; the script enters them as text only.
    """
    check_language(lang)
    data = collect(results, lang)
    style, script = _piece("page.css"), _piece("page.js")
    environment = Environment(
        loader=PackageLoader(_PACKAGE, "."), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    return environment.get_template("page.html.jinja").render(
        lang=lang,
        policy=policy(style, script),
        words=words(lang),
        style=Markup(style),  # noqa: S704 -- our own file
        script=Markup(script),  # noqa: S704 -- our own file
        data=Markup(in_html(data.payload)),  # noqa: S704 -- escaped by in_html
        **data.shown,
    )


def _piece(name: str) -> str:
    return files(_PACKAGE).joinpath(name).read_text(encoding="utf-8")

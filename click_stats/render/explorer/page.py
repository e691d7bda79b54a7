"""Joins template, style, script and data into one file that fetches nothing."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from click_stats.glossary import check_language
from click_stats.render.explorer.data import collect, words

if TYPE_CHECKING:
    from pathlib import Path

    from click_stats.results import ResultSet

FILE = "explorer.html"
_PACKAGE = "click_stats.render.explorer"
_HTML_SIGNS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
"""Signs that could end the data's element, or a line of JavaScript, written as JSON may write them."""


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
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    environment = Environment(
        loader=PackageLoader(_PACKAGE, "."), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    return environment.get_template("page.html.jinja").render(
        lang=lang,
        policy=policy,
        words=words(lang),
        style=Markup(style),  # noqa: S704 -- our own file
        script=Markup(script),  # noqa: S704 -- our own file
        data=Markup(in_html(data.payload)),  # noqa: S704 -- escaped by in_html
        **data.shown,
    )


def in_html(data: Any) -> str:
    """Return data as JSON that may stand inside a script element: no sign of it can end the element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_HTML_SIGNS)


def _piece(name: str) -> str:
    return files(_PACKAGE).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")

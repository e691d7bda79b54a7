"""Joins template, style, script and questions into one file that fetches nothing."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from click_stats.glossary import check_language
from click_stats.render.standalone import in_html, policy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Kind = Literal["quiz", "review"]
_PACKAGE = "click_stats.render.forms"


@cache
def words(lang: str) -> Mapping[str, str]:
    """Return the words of the forms in one language."""
    text = files(_PACKAGE).joinpath("texts.toml").read_text(encoding="utf-8")
    return {name: entry[lang] for name, entry in tomllib.loads(text).items()}


def form(
    kind: Kind,
    questions: Sequence[Mapping[str, Any]],
    *,
    name: str,
    file: str,
    benchmark: str,
    lang: str = "en",
    codes: Sequence[Mapping[str, str]] = (),
    may_lack: Sequence[str] = (),
    one_answer: Sequence[str] = (),
) -> str:
    """Return a form as html.

    Parameters
    ----------
    kind
        ``quiz``: one option, or none known; asks for a code of the respondent, and saves a long table of trials.
        ``review``: the options that are right, one code and a remark; saves one row per item.
    questions
        One mapping per item: ``id``, ``category`` (as shown; empty: not shown), ``passage``, ``question``, ``options``
        in the order shown, ``labels``, and for a quiz ``rotation`` and ``ask`` (the item's key).
    name
        Tells this form from others: progress is kept in the browser under it.
    file
        Name of the saved file without its ending; in a quiz the respondent's code is put behind it.
    benchmark
        Whose texts the form shows.
    lang
        Language of the words, ``en`` or ``ko``.
    codes
        For a review: ``code``, ``label`` and ``meaning`` of each code, in order.
    may_lack, one_answer
        Codes that may stand without an answer, and codes that go with exactly one.
    """
    check_language(lang)
    said = words(lang)
    style, script = (files(_PACKAGE).joinpath(one).read_text(encoding="utf-8") for one in ("form.css", "form.js"))
    environment = Environment(
        loader=PackageLoader(_PACKAGE, "."), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    payload = {
        "kind": kind, "name": name, "file": file, "words": said, "questions": list(questions), "codes": list(codes),
        "may_lack": list(may_lack), "one_answer": list(one_answer),
    }  # fmt: skip
    return environment.get_template("form.html.jinja").render(
        lang=lang,
        kind=kind,
        policy=policy(style, script),
        words=said,
        title=said[f"{kind}_title"].format(benchmark=benchmark),
        intro=said[f"{kind}_intro"],
        codes=codes,
        style=Markup(style),  # noqa: S704 -- our own file
        script=Markup(script),  # noqa: S704 -- our own file
        data=Markup(in_html(payload)),  # noqa: S704 -- escaped by in_html
    )

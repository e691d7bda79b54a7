"""The text engine of reports: Jinja templates whose every value is escaped for Quarto's Markdown.

Delimiters are ``<< >>`` for values, ``<% %>`` for statements and ``<# #>`` for comments, since ``{{``, ``{%`` and
``{#`` mean something in a Quarto document. A value that is not :class:`Markdown` is escaped, so that a model named
``my_model|ko`` or ``<b>&$#@%*`` comes out as typed; a name that the context does not hold is an error.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from click_stats.errors import RenderError
from click_stats.render import codes, numbers
from click_stats.render.markdown_text import attribute, escape, readable, yaml_string
from click_stats.render.terms import term

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path


class Markdown(Markup):
    """Text that is Markdown already and is placed as it is.

    It is a :class:`markupsafe.Markup` because Jinja then knows what a macro returns to be finished text. What is
    joined to it, by ``+``, ``join`` or ``%``, is escaped as Markdown, not as HTML.
    """

    __slots__ = ()

    @classmethod
    def escape(cls, s: Any, /) -> Markdown:
        """Return ``s`` as Markdown: as it is when it is finished text, else escaped."""
        return s if isinstance(s, cls) else cls(s) if hasattr(s, "__html__") else cls(escape(str(s)))


def finished(value: Any) -> Markdown:
    """Turn a value of a template into text (Jinja's ``finalize``).

    Raises
    ------
    RenderError
        A float or None: numbers are written by a filter that knows their unit, never by Python's ``str``.
    """
    if value is None or isinstance(value, float):
        raise RenderError(
            "A template prints a number without saying how.",
            found=repr(value),
            do="Use one of the filters for points, intervals, probabilities or counts.",
        )
    return Markdown.escape(value)


def environment(
    folders: Sequence[Path], lang: str, filters: Mapping[str, Callable[..., Any]] | None = None
) -> jinja2.Environment:
    """Return the Jinja environment of reports, with the filters of :func:`number_filters`.

    Parameters
    ----------
    folders
        Where templates and the macros they import are looked for, first come first.
    lang
        Language of the numbers and coded words, ``en`` or ``ko``.
    filters
        Filters beside those of :func:`number_filters`.
    """
    made = jinja2.Environment(
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        # Jinja's own escaping must be on for macros to return Markup; ``finished`` leaves it nothing to do.
        autoescape=True,
        finalize=finished,
        loader=jinja2.FileSystemLoader([str(folder) for folder in folders]),
    )
    made.filters.update({**number_filters(lang), **(filters or {})})
    return made


def fill(made: jinja2.Environment, name: str, context: Mapping[str, Any]) -> str:
    """Return template ``name`` filled with ``context``; runs of blank lines become one.

    Raises
    ------
    RenderError
        The template is absent or wrong, or names something that the context does not hold.
    """
    try:
        text = made.get_template(name).render(context)
    except jinja2.TemplateNotFound as error:
        raise RenderError("A template of the report is absent.", found=str(error)) from error
    except jinja2.TemplateSyntaxError as error:
        raise RenderError(
            "A template of the report is wrong.", found=f"{error.name}, line {error.lineno}: {error.message}"
        ) from error
    except jinja2.UndefinedError as error:
        raise RenderError(
            "A template of the report names a value that does not exist.", found=f"{name}: {error.message}"
        ) from error
    return tidy(text)


def tidy(text: str) -> str:
    """Strip trailing spaces and collapse blank lines, which statements of a template leave behind."""
    lines: list[str] = []
    for line in text.splitlines():
        stripped = line.rstrip()
        if stripped or (lines and lines[-1]):
            lines.append(stripped)
    return "\n".join(lines).strip("\n") + "\n"


def listed(values: Iterable[Any], lang: str = "en", limit: int = 0) -> Markdown:
    """Join values for a sentence, each escaped: ``a, b and c`` in English, ``a, b, c`` in Korean.

    Parameters
    ----------
    limit
        The most values that are named; the number of the others follows. 0 names all.
    """
    parts = [Markdown.escape(value) for value in values]
    rest = len(parts) - limit if limit and len(parts) > limit + 1 else 0
    if rest:
        shown = Markdown(", ").join(parts[:limit])
        return shown + Markdown(f" and {rest} more" if lang == "en" else f" 외 {rest}개")
    if lang == "en" and len(parts) > 1:
        return Markdown(", ").join(parts[:-1]) + Markdown(" and ") + parts[-1]
    return Markdown(", ").join(parts)


def quoted(value: Any) -> Markdown:
    """Write a value of an attribute, such as that of ``fig-alt=``."""
    return Markdown(attribute(str(value)))


def yaml(value: Any) -> Markdown:
    """Write a text of the front matter that is read as Markdown, such as the title."""
    return Markdown(yaml_string(str(Markdown.escape(value))))


def code(text: Any) -> Markdown:
    """Write inline code as typed, between as many backticks as it needs."""
    plain = " ".join(str(text).split())
    fence = "`"
    while fence in plain:
        fence += "`"
    return Markdown(f"{fence} {plain} {fence}" if "`" in plain else f"`{plain}`")


def verbatim(text: Any) -> Markdown:
    """Write a line of a code block as typed."""
    return Markdown(" ".join(str(text).split()))


def line(text: Any) -> Markdown:
    """Put finished text on one line: what a macro wrote over several lines becomes one paragraph."""
    return Markdown(re.sub(r"[ \t\n]+", " ", str(Markdown.escape(text))).strip(" "))


def number_filters(lang: str) -> dict[str, Callable[..., Any]]:
    """Return the filters by which templates write numbers and coded words in ``lang``."""
    return {
        "code": code,
        "count": numbers.integer,
        "interval": lambda row: numbers.interval(row["conf_low"], row["conf_high"]),
        "interval_points": lambda row: numbers.interval_points(row["conf_low"], row["conf_high"]),
        "sim_points": lambda row: numbers.interval_points(row["sim_low"], row["sim_high"]),
        "bounds": lambda row: numbers.interval(row["bound_low"], row["bound_high"]),
        "bounds_points": lambda row: numbers.interval_points(row["bound_low"], row["bound_high"]),
        "level": numbers.level,
        "line": line,
        "listed": lambda values, limit=0: listed(values, lang, limit),
        "number": numbers.number,
        "p": numbers.p_value,
        "percent": numbers.percent,
        "points": numbers.points,
        "quoted": quoted,
        "readable": lambda text: readable(str(text)),
        "ranks": lambda row: numbers.ranks(row["rank_low"], row["rank_high"]),
        "term": lambda name: term(name, lang),
        "size": lambda difference: numbers.percent(abs(difference)),
        "verbatim": verbatim,
        "word": lambda value: codes.text(value, lang),
        "yaml": yaml,
    }

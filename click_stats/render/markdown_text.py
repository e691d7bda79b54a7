"""Writes plain text into Markdown so that it comes out as typed, in pandoc and in Quarto alike.

Names of models, items and columns hold ``_ | * % < @ $ #``: each means something in Markdown, and an
``@`` even becomes a citation. Every text that did not start life as Markdown passes through here.
"""

from __future__ import annotations

import json
import re
import unicodedata

# With pandoc's `all_symbols_escapable` a backslash makes any of these literal, in paragraphs, headings,
# captions and pipe-table cells. Quotes are here because `smart` would curl them.
_ALWAYS = re.compile(r"""[\\`*_{}\[\]<>$@#|~^"'&!]""")
# `--` and `...` would become a dash and an ellipsis.
_RUNS = re.compile(r"(?<=-)-|-(?=-)|(?<=\.)\.|\.(?=\.)")
# A full stop after a short word may be one of pandoc's abbreviations, whose space is made unbreakable.
_ABBREVIATION = re.compile(r"(?<=[A-Za-z])\.(?=\s)")
# What opens a list, a definition, a title block or a caption when it stands first on its line.
_OPENING = re.compile(r"^(?:[-+:%=]|\()")
_ENUMERATOR = re.compile(r"^([0-9A-Za-z]+)([.)])(?=\s|$)")
_CAPTION = re.compile(r"^([Tt]able)(:)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]+")
_SPACES = re.compile(r"[ \t]+")
NO_GLYPH = "□"


def plain(text: str) -> str:
    """Return ``text`` on one line: control characters and runs of spaces become one space."""
    return _SPACES.sub(" ", _CONTROL.sub(" ", text)).strip(" ")


def escape(text: str) -> str:
    """Return Markdown that shows ``text`` as typed, in running text and inside a pipe-table cell.

    Line breaks and runs of spaces become one space, since a Markdown paragraph cannot hold them.

    Parameters
    ----------
    text
        Any text: a model's name, a caption, a sentence.
    """
    text = plain(text)
    text = _ALWAYS.sub(r"\\\g<0>", text)
    text = _RUNS.sub(r"\\\g<0>", text)
    text = _ABBREVIATION.sub(r"\\.", text)
    text = _OPENING.sub(r"\\\g<0>", text)
    text = _ENUMERATOR.sub(r"\1\\\2", text)
    return _CAPTION.sub(r"\1\\:", text)


def attribute(text: str) -> str:
    """Return ``text`` as a quoted attribute value, such as that of ``fig-alt=``.

    A quotation mark and a backslash are escaped; an ampersand would start an entity.
    """
    text = plain(text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    # Quarto looks for `{{<` in the raw text, before any Markdown is read.
    return '"' + text.replace("{{<", "{&#123;<") + '"'


def yaml_string(text: str) -> str:
    """Return ``text`` as a YAML string; JSON's double-quoted form is one.

    The title and the abstract of a front matter are read as Markdown: pass ``escape(text)``.
    """
    return json.dumps(text, ensure_ascii=False)


def readable(text: str) -> str:
    """Replace characters that no font can show, private ones and unassigned ones, by an empty square.

    Texts of exams hold signs of the publisher's own fonts: what they stood for is lost in the file already.
    """
    return "".join(NO_GLYPH if unicodedata.category(letter) in {"Co", "Cn", "Cs"} else letter for letter in text)

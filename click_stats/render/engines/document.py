"""Reads what an engine must know of ``report.qmd``: front matter, language, texts of pictures."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from click_stats.errors import RenderError

if TYPE_CHECKING:
    from collections.abc import Mapping

Lang = Literal["en", "ko"]
REGION: Mapping[str, str] = {"en": "en-US", "ko": "ko-KR"}

_FRONT = re.compile(r"\A---\r?\n(.*?)\r?\n(?:---|\.\.\.)\s*$", re.DOTALL | re.MULTILINE)
_LANG = re.compile(r"""^lang:\s*["']?([A-Za-z-]+)""", re.MULTILINE)
_PICTURE = re.compile(r"""\]\(([^()\s]+)\)\{((?:[^{}"]|"(?:[^"\\]|\\.)*")*)\}""")
_ALT = re.compile(r'fig-alt="((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True)
class Document:
    """Front matter of a report, as pandoc reads it.

    Attributes
    ----------
    meta
        Plain values: text for words and strings, bool, list, dict.
    """

    meta: Mapping[str, Any]

    @property
    def lang(self) -> Lang:
        """``ko`` for Korean, else ``en``."""
        return "ko" if str(self.meta.get("lang", "en")).lower().startswith("ko") else "en"

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return the ``key`` of the front matter that is true or false."""
        value = self.meta.get(key, default)
        return value if isinstance(value, bool) else default

    def text(self, key: str) -> str:
        """Return the text of ``key``, empty when absent."""
        value = self.meta.get(key, "")
        return value if isinstance(value, str) else ""


def read_ast(text: str) -> Document:
    """Return the document that pandoc's JSON ``text`` holds.

    Raises
    ------
    RenderError
        It is not pandoc's JSON.
    """
    try:
        tree = json.loads(text)
        meta = {key: _plain(value) for key, value in tree["meta"].items()}
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise RenderError("pandoc's reading of the report could not be understood.", found=str(error)) from error
    return Document(meta)


def _plain(value: Mapping[str, Any]) -> Any:
    match value["t"]:
        case "MetaMap":
            return {key: _plain(inner) for key, inner in value["c"].items()}
        case "MetaList":
            return [_plain(inner) for inner in value["c"]]
        case "MetaBool":
            return bool(value["c"])
        case "MetaString":
            return str(value["c"])
        case _:
            return _words(value["c"])


def _words(tree: Any) -> str:
    """Return the text of inlines or blocks, without formatting."""
    if isinstance(tree, list):
        return "".join(_words(node) for node in tree)
    if not isinstance(tree, dict):
        return ""
    match tree["t"]:
        case "Str":
            return str(tree["c"])
        case "Space" | "SoftBreak" | "LineBreak":
            return " "
        case "Code" | "Math" | "RawInline":
            return str(tree["c"][-1])
        case "Para" | "Plain":
            return _words(tree["c"]) + " "
        case "Quoted" | "Span" | "Link":
            return _words(tree["c"][1])
        case _:
            return _words(tree.get("c", []))


def lang_of(text: str) -> Lang:
    """Return the language that the front matter of the source ``text`` names, without pandoc."""
    front = _FRONT.match(text)
    said = _LANG.search(front[1]) if front else None
    return "ko" if said and said[1].lower().startswith("ko") else "en"


def picture_texts(text: str) -> dict[str, str]:
    """Return path -> ``fig-alt`` of the pictures in the source ``text``, without pandoc."""
    found: dict[str, str] = {}
    for path, attributes in _PICTURE.findall(text):
        alt = _ALT.search(attributes)
        if alt:
            found[path] = html.unescape(re.sub(r"\\(.)", r"\1", alt[1]))
    return found

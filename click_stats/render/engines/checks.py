"""Looks at a finished file before it takes its name: an engine's exit code of 0 is no proof."""

from __future__ import annotations

import re
import zipfile
import zlib
from html.parser import HTMLParser
from typing import TYPE_CHECKING, ClassVar

from click_stats.errors import RenderError
from click_stats.render import fonts
from click_stats.render.engines.document import lang_of
from click_stats.render.engines.docx_finish import BODY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from click_stats.render.engines.base import Format

# What Quarto, pandoc's citeproc and our filter leave where a reference leads nowhere.
_UNRESOLVED = re.compile(r"\?@?(?:fig|tbl|sec|eq)-[\w-]+|\((?:fig|tbl|sec|eq)-[\w-]+\?\)")
_TAGS = re.compile(r"<[^>]+>")
_STYLE_ADDRESS = re.compile(r"(?:@import\s+|url\(\s*)[\"']?(https?:)?//", re.IGNORECASE)
_HANGUL = re.compile(r"[가-힣]")
_PARTLY = 0.2
"""Share of the report's syllables that may be absent from a PDF: text shown in another format only."""


def check(target: Path, fmt: Format, *, text: str) -> list[str]:
    """Check the finished file ``target`` and return notes.

    Parameters
    ----------
    target
        The file.
    fmt
        What it should be.
    text
        The report's source.

    Raises
    ------
    RenderError
        The file is absent, empty or broken, holds an unresolved reference, or lacks the Hangul of the source.
    """
    if not target.is_file() or target.stat().st_size == 0:
        raise RenderError("The engine wrote no file.", found=f"no {target.name}", do="Render again.")
    match fmt:
        case "html":
            return check_html(target.read_text(encoding="utf-8", errors="replace"))
        case "docx":
            return check_docx(target)
        case _:
            return check_pdf(target.read_bytes(), text)


def check_html(page: str) -> list[str]:
    """Check an html page: complete, references resolved; note what it would fetch."""
    if "</html>" not in page[-200:].lower():
        raise RenderError("The html file breaks off.", found=page[-60:].strip(), do="Render again.")
    reader = _Page()
    reader.feed(page)
    _resolved(" ".join(reader.texts))
    return [f"The html fetches {address} from the network." for address in dict.fromkeys(reader.fetched)]


def check_docx(target: Path) -> list[str]:
    """Check a Word file: whole, references resolved."""
    try:
        with zipfile.ZipFile(target) as archive:
            broken = archive.testzip()
            body = archive.read(BODY).decode("utf-8")
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError) as error:
        raise RenderError("The Word file is broken.", found=str(error), do="Render again.") from error
    if broken:
        raise RenderError("The Word file is broken.", found=broken, do="Render again.")
    _resolved(_TAGS.sub("", body))
    return []


def check_pdf(raw: bytes, text: str) -> list[str]:
    """Check a PDF: whole, and every Korean syllable of a Korean report in its fonts.

    A PDF names the characters of each font it holds (ToUnicode). A syllable drawn as a box is not among them.
    """
    if not raw.startswith(b"%PDF-") or b"%%EOF" not in raw[-64:]:
        raise RenderError("The PDF breaks off.", found=f"{len(raw)} bytes", do="Render again.")
    wanted = set(_HANGUL.findall(text)) if lang_of(text) == "ko" else set()
    held = set(pdf_characters(raw))
    if "\x00" in held:
        raise RenderError("The PDF holds characters without a meaning.", found="U+0000", do=fonts.ADVICE)
    lacking = sorted(wanted - held)
    if len(lacking) > _PARTLY * len(wanted):
        raise RenderError(
            "The PDF lacks the report's Hangul: its font has none.",
            found=f"{len(lacking)} of {len(wanted)} syllables are missing, such as {' '.join(lacking[:5])}",
            do=fonts.ADVICE,
        )
    return []


def pdf_characters(raw: bytes) -> Iterator[str]:
    """Yield the characters that the fonts of a PDF map to, from their ToUnicode tables."""
    for stream in _streams(raw):
        if b"begincmap" not in stream:
            continue
        for block in re.findall(rb"beginbfchar(.*?)endbfchar", stream, re.DOTALL):
            for goal in re.findall(rb"<[0-9A-Fa-f]+>\s*<([0-9A-Fa-f]+)>", block):
                yield from _utf16(goal)
        for block in re.findall(rb"beginbfrange(.*?)endbfrange", stream, re.DOTALL):
            for low, high, goal in re.findall(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>", block):
                first = _utf16(goal)
                if len(first) == 1:
                    yield from (chr(ord(first) + step) for step in range(int(high, 16) - int(low, 16) + 1))
            for goals in re.findall(rb"\[([^\]]*)\]", block):
                for goal in re.findall(rb"<([0-9A-Fa-f]+)>", goals):
                    yield from _utf16(goal)


def _streams(raw: bytes) -> Iterator[bytes]:
    for found in re.finditer(rb"(?<!end)stream\r?\n", raw):
        try:
            yield zlib.decompressobj().decompress(raw[found.end() :])
        except zlib.error:
            end = raw.find(b"endstream", found.end())
            yield raw[found.end() : end]


def _utf16(digits: bytes) -> str:
    return bytes.fromhex(digits.decode()).decode("utf-16-be", "replace")


def _resolved(text: str) -> None:
    found = dict.fromkeys(_UNRESOLVED.findall(text))
    if found:
        raise RenderError(
            "The report refers to what it does not hold.",
            found=", ".join(found),
            do="Correct the reference in report.qmd or add what it names.",
        )


class _Page(HTMLParser):
    """Collects the text of a page and the addresses that a browser would fetch to show it."""

    _LOADED: ClassVar = {
        **dict.fromkeys(("script", "img", "iframe", "source", "video", "audio", "embed"), "src"),
        "object": "data",
        "link": "href",
    }
    _SILENT = frozenset({"script", "style"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.fetched: list[str] = []
        self._within = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an address that is fetched."""
        self._within = tag if tag in self._SILENT else ""
        address = dict(attrs).get(self._LOADED.get(tag, "")) or ""
        if address.startswith(("http://", "https://", "//")):
            self.fetched.append(address)

    def handle_endtag(self, tag: str) -> None:
        """Leave a script or a style sheet."""
        if tag == self._within:
            self._within = ""

    def handle_data(self, data: str) -> None:
        """Take the text, or the addresses of a style sheet."""
        if self._within == "style":
            if _STYLE_ADDRESS.search(data):
                self.fetched.append("a style sheet's address")
        elif not self._within:
            self.texts.append(data)

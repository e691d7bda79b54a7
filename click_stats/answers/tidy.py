"""What of a response is read: without reasoning blocks, in plain characters, one blank between words."""

from __future__ import annotations

from typing import NamedTuple

from click_stats.answers.cues import REASONING_TAG
from click_stats.answers.normalise import collapse

FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
"""Full-width forms of ASCII characters."""
INVISIBLE = dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x200E, 0x200F))


class Visible(NamedTuple):
    """The part of a response that is addressed to the reader.

    Attributes
    ----------
    text
        What is left.
    unclosed
        Whether the response ends within a reasoning block.
    """

    text: str
    unclosed: bool


def drop_reasoning(text: str) -> Visible:
    """Return what stands outside reasoning blocks.

    A closing tag without an opening one ends a block that the prompt's template opened: all before it is
    dropped. A block that is never closed runs to the end.
    """
    kept: list[str] = []
    start, inside = 0, False
    for tag in REASONING_TAG.finditer(text):
        if tag["close"] or tag["final"]:
            if tag["final"] or not inside:
                kept.clear()
            start, inside = tag.end(), False
        elif not inside:
            kept.append(text[start : tag.start()])
            inside = True
    return Visible("".join(kept if inside else [*kept, text[start:]]), inside)


def tidy(text: str) -> str:
    """Return a text in NFC and plain characters, its lines collapsed and those that are empty left out."""
    plain = text.translate(INVISIBLE).translate(FULL_WIDTH)
    return "\n".join(filter(None, map(collapse, plain.splitlines())))

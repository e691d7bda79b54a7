"""A wording: how a question is put, as data, and whose it is."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Origin = Literal["paper", "click-stats", "user"]
"""Whose a wording is: quoted in the paper, our own paraphrase, or a user's."""
PACKAGED = "wordings.toml"
PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
IN_LINES = ("context", "passage", "question", "options")
IN_INSTRUCTIONS = ("labels", "label_word")
IN_OPTION = ("label", "text")


class LabelWords(BaseModel):
    """What a wording calls a label: a letter of the alphabet or a number."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    letters: str = "알파벳"
    digits: str = "번호"


class Wording(BaseModel):
    """How a question is put.

    Attributes
    ----------
    origin
        Whose it is. A user's own needs not say so.
    note
        A remark for people; no part of the prompt.
    instruction, instruction_with_passage, instruction_without_question
        First line, for a question alone, one with a passage, and for controls that hide the question. The first
        is taken where another is left out. ``{labels}`` and ``{label_word}`` are filled in.
    lines
        The lines below it; one that names a text which is not there is left out. The last line is the answer cue
        and ends without a space: the space belongs to the answer.
    option, separator
        How one option is written, and what stands between two.
    label_separator
        What stands between two labels of the instruction.
    label_word
        What the instruction calls a label.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    origin: Origin = "user"
    note: str = ""
    instruction: str = Field(min_length=1)
    instruction_with_passage: str = ""
    instruction_without_question: str = ""
    lines: tuple[str, ...] = Field(min_length=2)
    option: str = "{label}: {text}"
    separator: str = ", "
    label_separator: str = ", "
    label_word: LabelWords = LabelWords()

    @model_validator(mode="after")
    def _complete(self) -> Wording:
        for name in ("instruction", "instruction_with_passage", "instruction_without_question"):
            text = getattr(self, name)
            if text:
                check_placeholders(name, text, IN_INSTRUCTIONS, needed=("labels",))
        for line in self.lines:
            check_placeholders("lines", line, IN_LINES)
        joined = "\n".join(self.lines)
        for name in ("question", "options"):
            if joined.count(f"{{{name}}}") != 1:
                raise ValueError(f"lines must hold {{{name}}} once")
        if self.lines[-1] != self.lines[-1].rstrip() or PLACEHOLDER.search(self.lines[-1]):
            raise ValueError("the last of lines must be the answer cue: fixed text without a space at its end")
        check_placeholders("option", self.option, IN_OPTION, needed=IN_OPTION)
        return self

    @property
    def cue(self) -> str:
        """The answer cue: the last line."""
        return self.lines[-1]


def check_placeholders(where: str, text: str, known: Sequence[str], needed: Sequence[str] = ()) -> None:
    """Raise ValueError when ``text`` holds an unknown placeholder or lacks a needed one."""
    found = PLACEHOLDER.findall(text)
    unknown = [name for name in found if name not in known]
    missing = [name for name in needed if name not in found]
    if unknown:
        raise ValueError(f"{where} holds an unknown {{{unknown[0]}}}; known: {', '.join(known)}")
    if missing:
        raise ValueError(f"{where} must hold {{{missing[0]}}}")


def fill(text: str, values: Mapping[str, str]) -> str:
    """Put values in place of ``{names}``; braces within the values stay as they are."""
    return PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)


@cache
def packaged() -> Mapping[str, Wording]:
    """Return the wordings that come with click-stats, by name."""
    text = files("click_stats.protocol").joinpath(PACKAGED).read_text(encoding="utf-8")
    return {name: Wording.model_validate(entry) for name, entry in tomllib.loads(text).items()}

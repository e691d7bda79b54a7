"""A protocol: in which wordings, orders and surroundings every question is asked, read from TOML."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from click_stats import content
from click_stats.errors import UsageError
from click_stats.items.digest import digest
from click_stats.protocol.wording import IN_INSTRUCTIONS, Wording, check_placeholders, packaged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PACKAGED = "protocols.toml"
KIND: Literal["protocols"] = "protocols"
RESERVED = ("foreign",)
"""Wordings of trials whose prompt we do not know go by this name."""
NAME = re.compile(r"[\w.+-]+")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FewShot(_Frozen):
    """Examples before the question, drawn from its category.

    Attributes
    ----------
    n
        Number of examples.
    seed
        Which examples: they depend on the seed and the item's key only, so that all trials of an item share them.
    rotated
        Whether the options of each example are rotated, so that the right one does not always stand where the
        source put it.
    answer
        What is shown as the example's answer: its label, or label and text as options are scored.
    """

    n: int = Field(ge=1, le=100)
    seed: int = Field(default=0, ge=0)
    rotated: bool = True
    answer: Literal["label", "option"] = "label"


class ChainOfThought(_Frozen):
    """An instruction to reason first and to end with an answer line; it stands in place of the wording's own.

    Attributes
    ----------
    instruction, instruction_with_passage
        For a question alone and one with a passage; the first is taken where the second is left out.
    cue
        Last line of the prompt, in place of the answer cue.
    """

    instruction: str = (
        "주어진 질문을 천천히 읽고, 단계별로 생각한 뒤 {labels} 중에서 정답을 고르시오. "
        "마지막 줄에는 '정답: ' 다음에 {label_word} 하나만 쓰시오."
    )
    instruction_with_passage: str = (
        "주어진 맥락과 질문을 천천히 읽고, 단계별로 생각한 뒤 {labels} 중에서 정답을 고르시오. "
        "마지막 줄에는 '정답: ' 다음에 {label_word} 하나만 쓰시오."
    )
    cue: str = Field(default="풀이:", min_length=1)

    @model_validator(mode="after")
    def _complete(self) -> ChainOfThought:
        for name in ("instruction", "instruction_with_passage"):
            check_placeholders(name, getattr(self, name), IN_INSTRUCTIONS, needed=("labels",))
        if self.cue != self.cue.rstrip():
            raise ValueError("cue must end without a space")
        return self


class Context(_Frozen):
    """Text found elsewhere (retrieved) for each item, shown in a line of its own.

    Attributes
    ----------
    file
        CSV with the columns ``item`` and ``text``, or JSON lines with these keys; a relative path is taken from
        the folder of the protocol's file.
    missing
        What to do about items without a text: ``error``, or ``without`` to ask them without.
    """

    file: Path
    missing: Literal["error", "without"] = "error"


class Protocol(_Frozen):
    """How every question is asked.

    Attributes
    ----------
    name, title, note
        Its name, what it is in a line, and a remark.
    wordings
        Names of the wordings, in order: packaged ones or those of ``wording``.
    wording
        Wordings of the user's own, by name.
    rotations
        ``all`` N rotations of an item's options, the first n, or a list of rotations (those below N are used).
    replicates
        How often each prompt is asked.
    shown
        ``all``; ``question``: no passage, and only items that have one; ``choices``: neither passage nor question.
        Options are always shown.
    few_shot, chain_of_thought, context
        What surrounds the question; None without.
    system
        System prompt; empty without.
    chat_template
        Whether local models see the prompt through their chat template.
    """

    name: str = Field(min_length=1)
    title: str = ""
    note: str = ""
    wordings: tuple[str, ...] = Field(default=("1",), min_length=1)
    wording: dict[str, Wording] = Field(default_factory=dict)
    rotations: (
        Literal["all"]
        | Annotated[int, Field(ge=1, le=26)]
        | Annotated[tuple[Annotated[int, Field(ge=0, le=25)], ...], Field(min_length=1)]
    ) = "all"
    replicates: int = Field(default=1, ge=1)
    shown: Literal["all", "question", "choices"] = "all"
    few_shot: FewShot | None = None
    chain_of_thought: ChainOfThought | None = None
    context: Context | None = None
    system: str = ""
    chat_template: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> Protocol:
        known = packaged()
        for name, own in self.wording.items():
            if name in known or name in RESERVED or not NAME.fullmatch(name):
                raise ValueError(f"wording: {name!r} cannot be the name of a wording of your own")
            if own.origin != "user":
                raise ValueError(f"wording.{name}.origin: a wording of your own has the origin 'user'")
        unknown = [name for name in self.wordings if name not in known and name not in self.wording]
        if unknown:
            raise ValueError(f"wordings: there is no {unknown[0]!r}; known: {', '.join([*known, *self.wording])}")
        if len(set(self.wordings)) < len(self.wordings):
            raise ValueError("wordings: one stands twice")
        if isinstance(self.rotations, tuple) and len(set(self.rotations)) < len(self.rotations):
            raise ValueError("rotations: one stands twice")
        if self.few_shot and self.chain_of_thought:
            raise ValueError("few_shot and chain_of_thought do not go together: the examples have no reasoning")
        if self.shown == "choices" and self.chain_of_thought:
            raise ValueError("chain_of_thought needs the question to be shown")
        if self.context and any("{context}" not in "\n".join(entry.lines) for entry in self.texts().values()):
            raise ValueError("context: every wording needs a line with {context}")
        return self

    def texts(self) -> dict[str, Wording]:
        """Return the wordings by name, in order."""
        return {name: self.wording.get(name) or packaged()[name] for name in self.wordings}

    def rotations_of(self, n_options: int) -> tuple[int, ...]:
        """Return the rotations in which an item of ``n_options`` options is asked.

        Raises
        ------
        UsageError
            None of the protocol's rotations is one of the item's.
        """
        if self.rotations == "all":
            return tuple(range(n_options))
        if isinstance(self.rotations, int):
            return tuple(range(min(self.rotations, n_options)))
        found = tuple(rotation for rotation in self.rotations if rotation < n_options)
        if not found:
            raise UsageError(
                f"The protocol {self.name!r} has no rotation for items with {n_options} options.",
                found=", ".join(map(str, self.rotations)),
                do="Rotations count from 0; name one that is smaller than the number of options.",
            )
        return found

    def require_kind(self, kind: Literal["score", "generate"]) -> None:
        """Raise UsageError when an adapter of this kind cannot follow the protocol."""
        if self.chain_of_thought and kind == "score":
            raise UsageError(
                f"The protocol {self.name!r} asks for reasoning, and this backend scores options without writing.",
                do="Use a backend that generates text, or a protocol without chain_of_thought.",
            )

    def conditions(self) -> tuple[str, ...]:
        """Return the names of what differs on purpose from asking the question plainly: parts of the condition."""
        named = {
            "choices-only": self.shown == "choices",
            "question-only": self.shown == "question",
            f"{self.few_shot.n if self.few_shot else 0}-shot": self.few_shot,
            "chain of thought": self.chain_of_thought,
            f"system prompt {digest([self.system])[:4]}": self.system,
            "context": self.context,
            "chat template": self.chat_template,
        }
        return tuple(name for name, there in named.items() if there)


def protocol_names(extra: Sequence[Path] = ()) -> list[str]:
    """Return the names of the protocols there are: packaged ones and those in ``protocols/`` of the folders given."""
    return list(dict.fromkeys([*_packaged(), *content.names(KIND, extra)]))


def read_protocol(name: str, extra: Sequence[Path] = ()) -> Protocol:
    """Read a protocol by name, or from a TOML file.

    Parameters
    ----------
    name
        Name of a file ``protocols/NAME.toml`` in one of the folders ``extra``, of a packaged protocol, or the path
        of a TOML file.
    extra
        Folders searched before the packaged ones.

    Raises
    ------
    UsageError
        There is none, or it has a wrong form; the message names the key.
    """
    if name in content.names(KIND, extra):
        return _from_file(content.find(KIND, name, extra))
    if name in _packaged():
        return _validated({"name": name, **_packaged()[name]}, PACKAGED)
    if name.endswith(".toml") and Path(name).is_file():
        return _from_file(Path(name))
    raise UsageError(
        f"There is no protocol {name!r}.",
        found=", ".join(protocol_names(extra)),
        do="Use one of these names, the path of a TOML file, or a folder of your own with --content.",
    )


def _from_file(path: Path) -> Protocol:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"The protocol file {path.name} is not valid TOML.", found=str(error), do="Mend the file."
        ) from error
    found = _validated({"name": path.stem, **data}, path.name)
    if found.context is None:
        return found
    beside = found.context.model_copy(update={"file": path.parent / found.context.file})
    return found.model_copy(update={"context": beside})


def _validated(data: Mapping[str, Any], where: str) -> Protocol:
    try:
        return Protocol.model_validate(data)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}".lstrip(": ") for problem in error.errors()
        )
        raise UsageError(
            f"The protocol {data['name']!r} ({where}) has a wrong form.",
            found=faults,
            do="Keys: " + ", ".join(Protocol.model_fields),
        ) from error


@cache
def _packaged() -> Mapping[str, dict[str, Any]]:
    return tomllib.loads(files("click_stats.protocol").joinpath(PACKAGED).read_text(encoding="utf-8"))

"""From a wording and a question to the text that is sent."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from click_stats.protocol.wording import fill

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.protocol.protocol import Protocol
    from click_stats.protocol.wording import Wording


@dataclass(frozen=True)
class Question:
    """The texts of an item, as they are sent.

    Attributes
    ----------
    passage, question, context
        Empty when not there.
    options
        In the source's order.
    labels
        In displayed order.
    gold
        Position of the right option in the source's order; shown in examples only.
    """

    passage: str
    question: str
    options: tuple[str, ...]
    labels: tuple[str, ...]
    gold: int
    context: str = ""


def clean(text: str) -> str:
    """Return a text as it is sent: NFC, no whitespace at its ends, else as it stands in the source."""
    return unicodedata.normalize("NFC", text).strip()


def order(n_options: int, rotation: int) -> tuple[int, ...]:
    """Return the original option at each displayed position: ``(p + rotation) mod n_options``."""
    return tuple((position + rotation) % n_options for position in range(n_options))


def example(wording: Wording, protocol: Protocol, question: Question, rotation: int) -> str:
    """Return a question with its answer, as an example before another question."""
    lines = _lines(wording, protocol, question, rotation)
    position = (question.gold - rotation) % len(question.options)
    label = question.labels[position]
    named = protocol.few_shot and protocol.few_shot.answer == "option"
    answer = _option(wording, label, question.options[question.gold]) if named else label
    return "\n".join([*lines, f"{wording.cue} {answer}"])


def prompt(
    wording: Wording, protocol: Protocol, question: Question, rotation: int, examples: Sequence[str] = ()
) -> str:
    """Return the text to send: instruction, examples, question, answer cue. It does not end in a space."""
    thought = protocol.chain_of_thought
    cue = thought.cue if thought else wording.cue
    asked = "\n".join([*_lines(wording, protocol, question, rotation), cue])
    instruction = _instruction(wording, protocol, question)
    return "\n\n".join([instruction, *examples, asked]) if examples else f"{instruction}\n{asked}"


def _instruction(wording: Wording, protocol: Protocol, question: Question) -> str:
    source = protocol.chain_of_thought or wording
    passage = question.passage and protocol.shown == "all"
    text = source.instruction_with_passage if passage else ""
    if protocol.shown == "choices":
        text = wording.instruction_without_question
    digits = question.labels[0].isdigit()
    values = {
        "labels": wording.label_separator.join(question.labels),
        "label_word": wording.label_word.digits if digits else wording.label_word.letters,
    }
    return fill(text or source.instruction, values)


def _lines(wording: Wording, protocol: Protocol, question: Question, rotation: int) -> list[str]:
    """Return the lines below the instruction and above the cue; those of absent texts are left out."""
    shown = order(len(question.options), rotation)
    options = [
        _option(wording, label, question.options[original])
        for label, original in zip(question.labels, shown, strict=True)
    ]
    values = {
        "context": question.context,
        "passage": question.passage if protocol.shown == "all" else "",
        "question": "" if protocol.shown == "choices" else question.question,
        "options": wording.separator.join(options),
    }
    absent = [f"{{{name}}}" for name, value in values.items() if not value]
    lines = (line for line in wording.lines[:-1] if not any(name in line for name in absent))
    return [fill(line, values) for line in lines]


def _option(wording: Wording, label: str, text: str) -> str:
    return fill(wording.option, {"label": label, "text": text})

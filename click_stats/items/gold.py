"""Which option is right: found by position, by label, or by the whole text of the option."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.answers.normalise import collapse, normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

COLUMNS = ("gold", "label", "answer")
"""Where the key may stand: position from 0, label as displayed, or text of the option (or its label)."""
REPAIRED = "Whitespace repaired to find the right option"
SET_ASIDE = "Quotation marks or a final period set aside to find the right option"
TWICE = "The right option stands twice; the first one counts"
_FORMS: tuple[tuple[Callable[[str], str], str], ...] = ((str, ""), (collapse, REPAIRED), (normalise, SET_ASIDE))


def is_number(value: str) -> bool:
    """Whether a text is a whole number of plain digits."""
    return value.isascii() and value.isdecimal()


def from_position(value: str, n_options: int) -> int | str:
    """Return the position that ``value`` states, counted from 0, or what is wrong with it."""
    if not is_number(value):
        return f"gold is no position from 0: {value!r}"
    position = int(value)
    return position if position < n_options else f"gold {position} is not among 0 to {n_options - 1}"


def from_label(value: str, labels: Sequence[str]) -> int | str:
    """Return the position of a label as displayed, or what is wrong with it."""
    label = value.strip()
    return labels.index(label) if label in labels else f"the label {label!r} is not among {', '.join(labels)}"


def from_answer(answer: str, options: Sequence[str], labels: Sequence[str]) -> tuple[int | str, list[str]]:
    """Return the position of the option that ``answer`` means, and what had to be repaired to find it.

    The whole text is compared, first as written, then in NFC with whitespace collapsed, then without outer quotes
    and one final period; never parts of it, since an option may be contained in another. An answer that is no
    option's text may be a label. In place of a position, a sentence part says what is wrong.
    """
    label = answer.strip()
    for form, note in _FORMS:
        found = [position for position, option in enumerate(options) if form(option) == form(answer)]
        if len({collapse(options[position]) for position in found}) > 1:
            return f"the answer {answer!r} matches several options", []
        if not found:
            continue
        if label in labels and labels.index(label) != found[0]:
            return f"the answer {answer!r} is the text of one option and the label of another: give gold or label", []
        return found[0], [text for text in (note, TWICE if len(found) > 1 else "") if text]
    if label in labels:
        return labels.index(label), []
    return f"the answer {answer!r} is not among the options", []

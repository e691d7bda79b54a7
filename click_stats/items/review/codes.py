"""What a reviewer can say of an item; the words stand in ``codes.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from click_stats.answers.normalise import collapse

FINE, WRONG_KEY = "fine", "wrong key"
SEVERAL, NONE = "several correct", "no correct option"
MAY_LACK_ANSWER = ("unclear question", "unclear options", NONE, "outdated", "missing context")
"""Codes that may stand without an option marked as right."""
ONE_ANSWER = (FINE, WRONG_KEY, "wrong category")
"""Codes that mean one right option."""


class Code(NamedTuple):
    """One judgement: its name in files, and label and meaning by language."""

    code: str
    label: dict[str, str]
    meaning: dict[str, str]


@cache
def codes(*, blind: bool = False) -> tuple[Code, ...]:
    """Return the codes in the order of forms; a blind reviewer has not ``wrong key``, which only the key can tell."""
    text = files("click_stats.items.review").joinpath("codes.toml").read_text(encoding="utf-8")
    known = tuple(Code(**entry) for entry in tomllib.loads(text)["code"])
    return tuple(one for one in known if not (blind and one.code == WRONG_KEY))


def read_code(text: str) -> str | None:
    """Return the code that a person wrote, in English or Korean and whatever its case; None when there is none."""
    said = collapse(text).casefold()
    for one in codes():
        if said in {one.code, *(collapse(label).casefold() for label in one.label.values())}:
            return one.code
    return None


def fault(code: str, n_answers: int) -> str:
    """Return why a code and a number of options marked as right contradict each other; empty when they do not."""
    if code in ONE_ANSWER and n_answers != 1:
        return f"{code!r} needs exactly one option, not {n_answers}"
    if code == SEVERAL and n_answers < 2:
        return f"{code!r} needs two options or more, not {n_answers}"
    if code == NONE and n_answers:
        return f"{code!r} goes with no option, not {n_answers}"
    if not n_answers and code not in MAY_LACK_ANSWER:
        return f"{code!r} needs an option"
    return ""

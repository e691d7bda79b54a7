"""The rules that find the answer in a response, in the order in which they are asked."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from click_stats.answers import cues
from click_stats.answers.policies import LENIENT
from click_stats.answers.reading import CONFLICT, LOOK_BACK, MOST_TERMS, Named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from click_stats.answers.labels import Mark
    from click_stats.answers.reading import Reading

SEVERAL = "Several options are named."
SAME_TEXT = "Several options have this text."
DENIED = "The only options named are denied."
DISCUSSED = "The only option named is an entry in a list of options."

_OPENERS = re.compile(cues.OPENERS)
_TAIL = re.compile(r"[ .,:;!]{0,4}")
_TAIL_OF_ORDINAL = re.compile(rf"{cues.CLOSERS} ?(?:{cues.COPULA})?[ .,:;!]{{0,4}}{cues.CLOSERS}")


class Verdict(NamedTuple):
    """What a rule found: the displayed positions it takes for the answer. Only a single one is an answer."""

    options: frozenset[int]
    note: str = ""


def whole_label(reading: Reading) -> Verdict | None:
    """The response is a label, in whatever decoration; lower case counts."""
    found = _alone(reading, reading.text, lower=True)
    if found is None:
        return None
    other = reading.options is not None and set(reading.options.bare(reading.text)) - {found}
    return Verdict(frozenset({found}), CONFLICT if other else "")


def whole_text(reading: Reading) -> Verdict | None:
    """The response is the text of an option (criterion ii)."""
    found = reading.options.bare(reading.text) if reading.options is not None else ()
    return Verdict(frozenset(found), SAME_TEXT if len(found) > 1 else "") if found else None


def whole_ordinal(reading: Reading) -> Verdict | None:
    """The response is an ordinal mark: ``②``, ``3번``; only under ``lenient``."""
    term = reading.ordinal(reading.opened(0)) if reading.policy == LENIENT else None
    if term is None:
        return None
    text = reading.options.bare(reading.text[term.after :].lstrip(" .):")) if reading.options is not None else ()
    if not (_TAIL_OF_ORDINAL.fullmatch(reading.text, term.after) or set(term.options) & set(text)):
        return None
    return Verdict(frozenset(term.options), term.note)


def cue(reading: Reading) -> Verdict | None:
    """A phrase hands over the answer: ``정답: B``, ``A가 정답입니다`` (criterion iii); the last one counts."""
    return _last(_cues(reading))


def conclusion(reading: Reading) -> Verdict | None:
    """A sentence ends in the answer: ``옳지 않은 것은 B입니다``, ``Therefore, B.``; the last one counts."""
    places = [found.end() for found in cues.CONCLUSION.finditer(reading.text)]
    return _last(_stated(reading, reading.named(place)) for place in reversed(places))


def label_line(reading: Reading) -> Verdict | None:
    """The first or last line is a label, alone or with its text, and no other line is another one (criterion iv)."""
    lines = reading.text.split("\n")
    bare = [_alone(reading, line) for line in lines]
    full = [_with_text(reading, line) if found is None else found for found, line in zip(bare, lines, strict=True)]
    for answers in (bare, full):
        named = {answer for answer in answers if answer is not None}
        if len(named) == 1 and named & {answers[0], answers[-1]}:
            return Verdict(frozenset(named))
    return None


def opening(reading: Reading) -> Verdict | None:
    """The response opens with a label and explains it, without offering another one (criterion iv)."""
    offered = [mark for mark in reading.marks if cues.OFFERED.match(reading.text, mark.end)]
    if not offered or offered[0].start > reading.opened(0) or len({mark.option for mark in offered}) > 1:
        return None
    return _single(reading, offered)


def single_label(reading: Reading) -> Verdict | None:
    """Exactly one label occurs, is not denied, and is offered: not merely an entry of a list (criterion i)."""
    if not reading.marks:
        return None
    found = _single(reading, reading.marks)
    discussed = len(found.options) == 1 and any(
        mark.option in found.options and _is_entry(reading, mark) for mark in reading.marks
    )
    return Verdict(frozenset(), DISCUSSED) if discussed else found


RULES: dict[str, Callable[[Reading], Verdict | None]] = {
    "whole_label": whole_label,
    "whole_text": whole_text,
    "whole_ordinal": whole_ordinal,
    "cue": cue,
    "conclusion": conclusion,
    "label_line": label_line,
    "opening": opening,
    "single_label": single_label,
}
"""The first that speaks decides, also where it finds that the response names no single option."""


# ---- lines ----
def _alone(reading: Reading, line: str, *, lower: bool = False) -> int | None:
    """Return the label that a line consists of."""
    mark = reading.labels.at(line, _opened(line), lower=lower)
    return mark.option if mark is not None and _TAIL.fullmatch(line, mark.after) else None


def _with_text(reading: Reading, line: str) -> int | None:
    """Return the label that stands on a line with its own option text, or the option whose text the line is."""
    if reading.options is None:
        return None
    mark = reading.labels.at(line, _opened(line))
    between = cues.DELIMITER.match(line, mark.after) if mark is not None else None
    if mark is not None and between is not None and mark.option in reading.options.bare(line[between.end() :]):
        return mark.option
    equal = reading.options.bare(line)
    return equal[0] if len(equal) == 1 else None


def _opened(line: str) -> int:
    found = _OPENERS.match(line)
    return found.end() if found else 0


# ---- labels ----
def _single(reading: Reading, marks: Sequence[Mark]) -> Verdict:
    left = frozenset(mark.option for mark in marks if mark.option is not None) - reading.withdrawn
    if not left:
        return Verdict(left, DENIED)
    first = next(mark for mark in marks if mark.option in left)
    beside = reading.own_text(first.after)[1]
    return Verdict(left, CONFLICT if len(left) == 1 and beside and first.option not in beside else "")


def _is_entry(reading: Reading, mark: Mark) -> bool:
    before = reading.text[max(mark.start - LOOK_BACK, 0) : mark.start]
    return bool(cues.ITEM_BEFORE.search(before) and cues.ITEM_AFTER.match(reading.text, mark.end))


# ---- cues ----
def _last(found: Iterable[Named]) -> Verdict | None:
    """Return what is named by the last cue that names anything; what a later one denies is no answer."""
    denied: set[int] = set()
    for named in found:
        denied |= named.withdrawn
        options = frozenset(named.options - denied)
        if not named.terms or (named.options and not options):
            continue
        several = "" if len(options) < 2 else SAME_TEXT if len(named.terms) == 1 else SEVERAL
        return Verdict(options, several or next((term.note for term in named.terms if term.note), ""))
    return None


def _cues(reading: Reading) -> Iterator[Named]:
    """Yield what is named at each cue, the last one first."""
    text = reading.text
    places: list[tuple[int, int | re.Match[str]]] = [(found.start(), found) for found in cues.CUE.finditer(text)]
    places += [(mark.start, n) for n, mark in enumerate(reading.marks) if cues.CUE_AFTER.match(text, mark.end)]
    for _, found in sorted(places, key=lambda place: place[0], reverse=True):
        yield _behind(reading, found) if isinstance(found, int) else _before(reading, found)


def _behind(reading: Reading, place: int) -> Named:
    """Return the label that a cue stands behind, with those joined to it: ``A와 D가 정답입니다``."""
    named = reading.named(reading.marks[place].start)
    for before in range(place - 1, max(place - MOST_TERMS, -1), -1):
        if not cues.JOINS.fullmatch(reading.text, reading.marks[before].after, reading.marks[before + 1].start):
            break
        named.terms += reading.named(reading.marks[before].start).terms[:1]
    return named


def _before(reading: Reading, found: re.Match[str]) -> Named:
    """Return what is named behind a cue.

    Where only a blank links the two (``Answer B``), the name must be all that the sentence says; a new line links
    them only where the cue is a heading.
    """
    text, end = reading.text, found.end()
    linked = bool(found["link"] or found["closed"] or found["word"].startswith("\\"))
    if not linked and text.startswith("\n", end):
        linked = cues.HEADING.search(text[max(found.start() - LOOK_BACK, 0) : found.start()]) is not None
        if not linked:
            return Named()
    named = reading.named(end, lower=linked, texts=linked)
    if not linked:
        return _stated(reading, named)
    return named if named.terms or named.withdrawn else _rest_of_sentence(reading, end)


def _stated(reading: Reading, named: Named) -> Named:
    """Return what is named if it is what the sentence says, else nothing."""
    stated = named.terms and cues.PREDICATE.match(reading.text, named.terms[-1].after)
    return named if stated else Named(withdrawn=named.withdrawn)


def _rest_of_sentence(reading: Reading, place: int) -> Named:
    """Return the only label in a sentence that a cue begins, if it ends it: ``정답은 뒤에 적은 B이다``."""
    sentence = cues.SENTENCE.match(reading.text, place)
    end = sentence.end() if sentence else place
    first = bisect_left(reading.starts, place)
    within = reading.marks[first : bisect_left(reading.starts, end, lo=first)]
    return _stated(reading, reading.named(within[0].start)) if len(within) == 1 else Named()

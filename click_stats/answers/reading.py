"""One response being read: which answer is named at a place, and what is said of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from click_stats.answers import cues
from click_stats.answers.policies import LENIENT, ORDINALS, families

if TYPE_CHECKING:
    from click_stats.answers.labels import Labels, Mark
    from click_stats.answers.options import Options
    from click_stats.answers.policies import Family

MOST_TERMS = 26
"""Names read after one cue: more than an item has options says nothing."""
LOOK_BACK = 40
"""Characters before a name in which a negation or the start of the line is looked for."""
_OPENERS, _FILLERS = re.compile(cues.OPENERS), re.compile(cues.FILLERS, re.IGNORECASE)
_BESIDE = re.compile(r"[.):]? ?[(\[]?")
_BRACKET, _BUT = re.compile(r" ?[(\[]"), re.compile(r"[ ,]{0,2}(?:but|rather)? ?")

CONFLICT = "The text beside the label is that of another option; the label counts."
ORDINAL = "An ordinal mark, which only the policy lenient reads."
FOREIGN = "A label that the item does not have."


class Term(NamedTuple):
    """An answer named at a place: displayed positions (none for a name that is no option), and its extent."""

    options: tuple[int, ...]
    start: int
    after: int
    kind: str
    note: str = ""


@dataclass
class Named:
    """What is named after a cue.

    Attributes
    ----------
    terms
        Names given as the answer; several when several are.
    withdrawn
        Displayed positions that are named and denied.
    """

    terms: list[Term] = field(default_factory=list)
    withdrawn: set[int] = field(default_factory=set)

    @property
    def options(self) -> set[int]:
        """The displayed positions named."""
        return {option for term in self.terms for option in term.options}


@dataclass
class Reading:
    """A tidied response with the labels and option texts it may name.

    Attributes
    ----------
    text
        The visible part, tidied.
    labels, options
        What the item shows; ``options`` is None where its texts are not at hand.
    policy
        Name of the policy.
    """

    text: str
    labels: Labels
    options: Options | None
    policy: str

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """All labels of the item in the text."""
        return tuple(self.labels.find(self.text))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where the :attr:`marks` stand."""
        return tuple(mark.start for mark in self.marks)

    @cached_property
    def withdrawn(self) -> frozenset[int]:
        """Positions whose label is named and denied somewhere."""
        return frozenset(
            mark.option for mark in self.marks if mark.option is not None and self.denied(mark.start, mark.after)
        )

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """Ordinal marks that may be read here: none where the option texts are not at hand."""
        return families(self.options.texts) if self.options is not None else ()

    def denied(self, start: int, after: int) -> bool:
        """Tell whether the name between these places is withdrawn: ``A가 아니라``, ``not A``."""
        before = self.text[max(start - LOOK_BACK, 0) : start]
        return bool(cues.NEGATED_AFTER.match(self.text, after) or cues.NEGATED_BEFORE.search(before))

    def opened(self, place: int) -> int:
        """Return where a name begins: behind opening marks and words that only introduce it."""
        for pattern in (_OPENERS, _FILLERS, _OPENERS):
            found = pattern.match(self.text, place)
            place = found.end() if found else place
        return place

    def term(self, place: int, *, lower: bool = True, texts: bool = True) -> Term | None:
        """Return the answer named at ``place`` or behind opening marks there.

        An option text that begins with a label (``A 마을``) is the text; otherwise a label beats a text.
        """
        start = self.opened(place)
        found = None
        if self.options is not None and texts:
            found = self.options.at(self.text, start) or self.options.at(self.text, place)
        mark = self.labels.at(self.text, start, lower=lower)
        if mark is not None and not (found and found.start <= mark.start and found.end > mark.end):
            return self._label(mark)
        if found is not None:
            return self._text(found.positions, found.start, found.after)
        return self._ordinal_with_name(start, texts=texts)

    def _ordinal_with_name(self, start: int, *, texts: bool) -> Term | None:
        """Return the ordinal mark at ``start``, or the label or option text beside it: ``4번 D``, ``② 창덕궁``."""
        term = self.ordinal(start)
        beside = _BESIDE.match(self.text, term.after) if term is not None else None
        if term is None or beside is None:
            return term
        mark = self.labels.at(self.text, beside.end())
        if mark is not None:
            return self._label(mark)
        found = self.options.at(self.text, beside.end()) if self.options is not None and texts else None
        return self._text(found.positions, found.start, found.after) if found is not None else term

    def ordinal(self, start: int) -> Term | None:
        """Return the ordinal mark at ``start``: an option under ``lenient``, under ``paper`` a name of none."""
        for family in ORDINALS if self.policy != LENIENT else self.families:
            found = family.mark.match(self.text, start)
            if found is None or not family.ends.match(self.text, found.end()):
                continue
            after = found.end() + self.text.startswith("번", found.end())
            if self.policy != LENIENT:
                return Term((), start, after, "ordinal", ORDINAL)
            position = family.position(found[1])
            known = 0 <= position < len(self.labels.positions)
            return Term((position,) if known else (), start, after, "ordinal", "" if known else FOREIGN)
        return None

    def _label(self, mark: Mark) -> Term:
        if mark.option is None:
            return Term((), mark.start, mark.after, "label", FOREIGN)
        after, positions = self.own_text(mark.after)
        note = CONFLICT if positions and mark.option not in positions else ""
        return Term((mark.option,), mark.start, after, "label", note)

    def own_text(self, place: int) -> tuple[int, tuple[int, ...]]:
        """Return the option text that stands beside a label, and where it ends."""
        between = cues.DELIMITER.match(self.text, place)
        if self.options is None or between is None:
            return place, ()
        found = self.options.at(self.text, self.opened(between.end()))
        return (found.after, found.positions) if found else (place, ())

    def _text(self, positions: tuple[int, ...], start: int, after: int) -> Term:
        bracket = _BRACKET.match(self.text, after)
        mark = self.labels.at(self.text, bracket.end()) if bracket else None
        if mark is None or mark.option is None or mark.after == mark.end:
            return Term(positions, start, after, "text")
        return Term((mark.option,), start, mark.after, "label", "" if mark.option in positions else CONFLICT)

    def named(self, place: int, *, lower: bool = True, texts: bool = True) -> Named:
        """Return what is named from ``place`` on: one answer, or a list of them; what is denied is passed over."""
        found = Named()
        for _ in range(MOST_TERMS):
            start = self.opened(place)
            refused = cues.NOT.match(self.text, start)
            term = self.term(refused.end() if refused else place, lower=lower, texts=texts)
            if term is None:
                break
            denied = cues.NEGATED_AFTER.match(self.text, term.after)
            if refused or denied:
                found.withdrawn.update(term.options)
                place = denied.end() if denied else self._gap(term.after)
                continue
            if found.terms and not self.ends(term.after):
                break
            if not cues.OPEN_QUESTION.match(self.text, term.after):
                found.terms.append(term)
            if among := cues.AMONG.match(self.text, term.after):
                found.terms.clear()
                place = among.end()
                continue
            join = cues.JOINS.match(self.text, term.after)
            if join is None:
                break
            place = join.end()
        return found

    def ends(self, after: int) -> bool:
        """Tell whether a later name of a list is part of it: nothing is said of it alone."""
        return bool(
            cues.PREDICATE.match(self.text, after)
            or cues.JOINS.match(self.text, after)
            or cues.AMONG.match(self.text, after)
        )

    def _gap(self, place: int) -> int:
        found = _BUT.match(self.text, place)
        return found.end() if found else place

"""From the text of a response to the option it names, by rules that are tried in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from click_stats.answers.cues import REFUSALS
from click_stats.answers.labels import label_set, letters
from click_stats.answers.options import option_set
from click_stats.answers.policies import PAPER, check_policy
from click_stats.answers.reading import Reading
from click_stats.answers.rules import RULES, SEVERAL
from click_stats.answers.tidy import drop_reasoning, tidy
from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

CUT_SHORT = ("length", "max_tokens", "max_output_tokens", "model_length")
FILTERED = ("filter", "content_filter", "safety")
REFUSED = ("refusal",)
"""What logs call the ends of a generation, in lower case."""

UNCLOSED = "The response ends within its reasoning."
NOTHING = "No label and no option text is named."
NONE_RULE = "none"


class Extraction(NamedTuple):
    """What a response names.

    Attributes
    ----------
    option
        Displayed position of the option, from 0; None where none is named.
    status
        ``ok``, ``out_of_option``, ``empty``, ``refused``, ``truncated`` or ``filtered``.
    rule
        Rule that decided: a name of :data:`click_stats.answers.rules.RULES`, or ``none``.
    note
        What is worth knowing about it, in a sentence; empty when nothing is.
    """

    option: int | None
    status: str
    rule: str
    note: str = ""


def extract(
    text: str | None,
    options: Sequence[str] | None,
    *,
    labels: Sequence[str] | None = None,
    policy: str = PAPER,
    finish_reason: str = "",
) -> Extraction:
    """Return the option that a response names.

    Parameters
    ----------
    text
        The response as it came; None when nothing came.
    options
        Option texts in displayed order; None where they are not at hand: then only labels are read.
    labels
        Labels in displayed order, letters or numbers; None: letters for ``options``.
    policy
        ``paper`` or ``lenient``; see :data:`click_stats.answers.policies.POLICIES`.
    finish_reason
        Why the generation ended, as the log says; empty when it does not.

    Raises
    ------
    UsageError
        There is no such policy, the labels are of no known kind, or they are not as many as the options.
    """
    check_policy(policy)
    if labels is None:
        if options is None:
            raise UsageError("Neither labels nor options are given.", do="Give at least one of them.")
        labels = letters(len(options))
    if options is not None and len(labels) != len(options):
        raise UsageError("There must be a label for every option.", found=f"{len(labels)} and {len(options)}")
    visible, unclosed = drop_reasoning(text or "")
    reading = Reading(
        tidy(visible),
        label_set(tuple(labels)),
        None if options is None else option_set(tuple(options)),
        policy,
    )
    for rule, find in RULES.items():
        verdict = find(reading) if reading.text else None
        if verdict is None:
            continue
        if len(verdict.options) == 1:
            return Extraction(next(iter(verdict.options)), "ok", rule, verdict.note)
        note = verdict.note or (SEVERAL if verdict.options else NOTHING)
        return Extraction(None, _status(reading.text, finish_reason, unclosed=unclosed), rule, note)
    note = UNCLOSED if unclosed else (NOTHING if reading.text else "")
    return Extraction(None, _status(reading.text, finish_reason, unclosed=unclosed), NONE_RULE, note)


def _status(text: str, finish_reason: str, *, unclosed: bool) -> str:
    """Return the status of a response that names no option."""
    reason = finish_reason.strip().lower()
    if reason in CUT_SHORT or (unclosed and not reason):
        return "truncated"
    if reason in FILTERED:
        return "filtered"
    if reason in REFUSED or REFUSALS.search(text):
        return "refused"
    return "out_of_option" if text else "empty"

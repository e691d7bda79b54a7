"""All analyses, on one screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.stats.accuracy import accuracy
from click_stats.stats.agreement import agreement
from click_stats.stats.anova import anova
from click_stats.stats.bayes import bayes
from click_stats.stats.calibration import calibration
from click_stats.stats.compare import compare
from click_stats.stats.conditions import conditions
from click_stats.stats.confident_errors import confident_errors
from click_stats.stats.dif import dif
from click_stats.stats.difficulty import difficulty
from click_stats.stats.human import human
from click_stats.stats.irt import irt
from click_stats.stats.item_analysis import item_analysis
from click_stats.stats.item_answers import item_answers
from click_stats.stats.linking import linking
from click_stats.stats.mixed import mixed
from click_stats.stats.people import people
from click_stats.stats.position import position
from click_stats.stats.power import power
from click_stats.stats.ranks import ranks
from click_stats.stats.sensitivity import sensitivity
from click_stats.stats.short_forms import short_forms
from click_stats.stats.shortfall import shortfall

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from click_stats.results import Result

ANALYSES: Mapping[str, Callable[..., Result]] = {
    "accuracy": accuracy,  # how good, how sure
    "compare": compare,  # which models differ
    "ranks": ranks,  # is number 1 number 1
    "power": power,  # what could be seen
    "conditions": conditions,  # what did a setting change
    "anova": anova,  # scale and corpus, as the paper tested them
    "mixed": mixed,  # the same with items and models random
    "bayes": bayes,  # is there no effect
    "calibration": calibration,  # do scores mean anything
    "sensitivity": sensitivity,  # wording, rotation, replicate
    "confident_errors": confident_errors,  # wrong and sure
    "position": position,  # does order matter
    "human": human,  # against people
    "item_analysis": item_analysis,  # which items look broken
    "item_answers": item_answers,  # who answered what, for the explorer
    "irt": irt,  # how hard is each item
    "dif": dif,  # unfair to a group of models
    "difficulty": difficulty,  # what makes items hard
    "short_forms": short_forms,  # fewer items, same answer
    "linking": linking,  # new models on the scale of known items
    "agreement": agreement,  # do models answer alike
    "people": people,  # what people reach, and what is hard for them
    "shortfall": shortfall,  # what to collect data for
}
"""Name to function ``f(counts, *, ..., seed) -> Result``."""

WITH_PEOPLE = frozenset({"people"})
"""Analyses that are handed the answers of people too; all others see models only."""

NEEDS: Mapping[str, tuple[str, ...]] = {
    "calibration": ("responses", "scores"),
    "sensitivity": ("responses",),
    "confident_errors": ("responses",),
    "position": ("responses",),
    "shortfall": ("responses",),
    "item_analysis": ("responses",),
}
"""What an analysis needs besides the counts: ``responses`` (one row per trial), ``scores`` (log-probabilities)."""

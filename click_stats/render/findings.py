"""What a report says first: facts chosen from the results. The words are the templates'.

Nothing here is text for a reader, so that a new language needs no change here. A *gap* is a category of which less than
half was answered; a *verdict* is read from the results, never made here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render import findings_data as data
from click_stats.render import findings_models as models
from click_stats.render import findings_published as paper
from click_stats.render.findings_agreement import agreement
from click_stats.render.findings_anova import anova
from click_stats.render.findings_bayes import bayes
from click_stats.render.findings_calibration import calibration
from click_stats.render.findings_dif import dif
from click_stats.render.findings_difficulty import difficulty
from click_stats.render.findings_human import human
from click_stats.render.findings_irt import irt
from click_stats.render.findings_item_analysis import item_analysis
from click_stats.render.findings_linking import linking
from click_stats.render.findings_mixed import mixed
from click_stats.render.findings_people import people
from click_stats.render.findings_position import confident_errors, position
from click_stats.render.findings_sensitivity import sensitivity
from click_stats.render.findings_short_forms import short_forms

if TYPE_CHECKING:
    from collections.abc import Callable

    from click_stats.render.finding import Finding
    from click_stats.results import ResultSet

MAKERS: tuple[Callable[[ResultSet], Finding | None], ...] = (
    paper.marks,
    paper.published,
    models.single,
    models.leaders,
    models.pairs,
    models.reference,
    models.categories,
    models.equivalence,
    models.conflict,
    data.chance,
    data.uncertainty,
    data.detectable,
    data.coverage,
    data.missing,
    data.protocol,
    data.gold,
    data.duplicates,
    data.unread,
    data.undecided,
    anova,
    mixed,
    bayes,
    confident_errors,
    position,
    calibration,
    human,
    item_analysis,
    irt,
    sensitivity,
    dif,
    difficulty,
    short_forms,
    linking,
    agreement,
    people,
)
"""In the order of the report, the most important first."""


def find(results: ResultSet) -> list[Finding]:
    """Return the findings of a study.

    Any of the results may be absent or empty: a finding about it is then left out, and with one model the first finding
    says so.
    """
    return [finding for maker in MAKERS if (finding := maker(results)) is not None]

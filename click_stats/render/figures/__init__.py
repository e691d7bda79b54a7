"""The figures of reports, one file each; every one is a function of the results of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.figures.agreement import figure_agreement
from click_stats.render.figures.anova import figure_anova, figure_anova_claim
from click_stats.render.figures.bayes import figure_bayes
from click_stats.render.figures.calibration import figure_calibration
from click_stats.render.figures.calibration_selective import figure_calibration_selective
from click_stats.render.figures.challenging import figure_challenging
from click_stats.render.figures.detectable import figure_detectable
from click_stats.render.figures.dif import figure_dif
from click_stats.render.figures.differences import figure_differences
from click_stats.render.figures.difficulty import figure_difficulty
from click_stats.render.figures.drawing import Drawing, save, save_data
from click_stats.render.figures.heatmap import figure_heatmap
from click_stats.render.figures.human import figure_human
from click_stats.render.figures.irt import figure_irt
from click_stats.render.figures.irt_groups import figure_irt_groups
from click_stats.render.figures.irt_information import figure_irt_information
from click_stats.render.figures.item_analysis import figure_item_analysis
from click_stats.render.figures.items_right import figure_items_right
from click_stats.render.figures.ladder import figure_ladder
from click_stats.render.figures.mixed import figure_mixed, figure_mixed_levels
from click_stats.render.figures.people import figure_people
from click_stats.render.figures.plot import plot
from click_stats.render.figures.position import figure_confident_errors, figure_position
from click_stats.render.figures.published import figure_published
from click_stats.render.figures.sensitivity import figure_sensitivity, figure_sensitivity_designs
from click_stats.render.figures.short_forms import figure_short_forms
from click_stats.render.figures.shortfall import figure_shortfall
from click_stats.render.figures.statuses import figure_statuses
from click_stats.render.figures.triangle import figure_triangle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from click_stats.results import ResultSet

__all__ = ["FIGURES", "Drawing", "draw", "plot", "save", "save_data"]

FIGURES: Mapping[str, Callable[[ResultSet, str], Drawing | None]] = {
    "fig-ladder": figure_ladder,
    "fig-differences": figure_differences,
    "fig-heatmap": figure_heatmap,
    "fig-triangle": figure_triangle,
    "fig-detectable": figure_detectable,
    "fig-statuses": figure_statuses,
    "fig-items-right": figure_items_right,
    "fig-anova": figure_anova,
    "fig-anova-claim": figure_anova_claim,
    "fig-mixed": figure_mixed,
    "fig-mixed-levels": figure_mixed_levels,
    "fig-bayes": figure_bayes,
    "fig-challenging": figure_challenging,
    "fig-confident_errors": figure_confident_errors,
    "fig-position": figure_position,
    "fig-calibration": figure_calibration,
    "fig-calibration-selective": figure_calibration_selective,
    "fig-human": figure_human,
    "fig-item_analysis": figure_item_analysis,
    "fig-irt": figure_irt,
    "fig-irt-groups": figure_irt_groups,
    "fig-irt-information": figure_irt_information,
    "fig-sensitivity": figure_sensitivity,
    "fig-sensitivity-designs": figure_sensitivity_designs,
    "fig-dif": figure_dif,
    "fig-difficulty": figure_difficulty,
    "fig-short-forms": figure_short_forms,
    "fig-agreement": figure_agreement,
    "fig-people": figure_people,
    "fig-published": figure_published,
    "fig-shortfall": figure_shortfall,
}
"""Figures by id, in the order of reports."""


def draw(results: ResultSet, lang: str = "en") -> dict[str, Drawing]:
    """Return the figures that the results allow, by id: without comparisons some are left out."""
    made = {name: figure(results, lang) for name, figure in FIGURES.items()}
    return {name: drawing for name, drawing in made.items() if drawing is not None}

"""The public verbs: read three tables, ask models, analyse, report.

Heavy imports stand inside the functions, so that ``import click_stats`` and the command line's help stay light.
"""

from click_stats.api.analysing import analyze, report
from click_stats.api.asking import backends, estimate, find_backend, plan, protocols, run
from click_stats.api.asking_people import quiz
from click_stats.api.exploring import explore
from click_stats.api.exporting import export, read_parameters
from click_stats.api.installation import doctor
from click_stats.api.reading import read_errata, read_items, read_keys, read_models, read_trials
from click_stats.api.repairing import diff_items, impact, patch_items
from click_stats.api.reviewing import export_review, holds_results, import_review
from click_stats.api.verbs import (
    accuracy,
    agreement,
    anova,
    bayes,
    calibration,
    compare,
    conditions,
    confident_errors,
    dif,
    difficulty,
    human,
    irt,
    item_analysis,
    item_answers,
    linking,
    mixed,
    people,
    position,
    power,
    ranks,
    rater_agreement,
    sensitivity,
    short_forms,
    shortfall,
)

__all__ = [
    "accuracy",
    "agreement",
    "analyze",
    "anova",
    "backends",
    "bayes",
    "calibration",
    "compare",
    "conditions",
    "confident_errors",
    "dif",
    "diff_items",
    "difficulty",
    "doctor",
    "estimate",
    "explore",
    "export",
    "export_review",
    "find_backend",
    "holds_results",
    "human",
    "impact",
    "import_review",
    "irt",
    "item_analysis",
    "item_answers",
    "linking",
    "mixed",
    "patch_items",
    "people",
    "plan",
    "position",
    "power",
    "protocols",
    "quiz",
    "ranks",
    "rater_agreement",
    "read_errata",
    "read_items",
    "read_keys",
    "read_models",
    "read_parameters",
    "read_trials",
    "report",
    "run",
    "sensitivity",
    "short_forms",
    "shortfall",
]

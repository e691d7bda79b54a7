"""The public verbs: read three tables, ask models, analyse, report.

Heavy imports stand inside the functions, so that ``import click_stats`` and the command line's help stay light.
"""

from click_stats.api.analysing import (
    accuracy,
    analyze,
    anova,
    bayes,
    calibration,
    compare,
    conditions,
    confident_errors,
    human,
    irt,
    mixed,
    position,
    power,
    ranks,
    report,
    sensitivity,
)
from click_stats.api.asking import backends, estimate, find_backend, plan, protocols, run
from click_stats.api.installation import doctor
from click_stats.api.reading import read_items, read_keys, read_models, read_trials

__all__ = [
    "accuracy",
    "analyze",
    "anova",
    "backends",
    "bayes",
    "calibration",
    "compare",
    "conditions",
    "confident_errors",
    "doctor",
    "estimate",
    "find_backend",
    "human",
    "irt",
    "mixed",
    "plan",
    "position",
    "power",
    "protocols",
    "ranks",
    "read_items",
    "read_keys",
    "read_models",
    "read_trials",
    "report",
    "run",
    "sensitivity",
]

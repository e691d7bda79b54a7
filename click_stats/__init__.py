"""click-stats: how sure a benchmark score is, which differences are real, which questions are broken."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from click_stats.api import (
        accuracy,
        agreement,
        analyze,
        anova,
        bayes,
        calibration,
        compare,
        conditions,
        confident_errors,
        dif,
        diff_items,
        difficulty,
        explore,
        export,
        export_review,
        human,
        impact,
        import_review,
        irt,
        item_analysis,
        item_answers,
        linking,
        mixed,
        patch_items,
        people,
        plan,
        position,
        power,
        quiz,
        ranks,
        rater_agreement,
        read_errata,
        read_items,
        read_keys,
        read_models,
        read_parameters,
        read_trials,
        report,
        run,
        sensitivity,
        short_forms,
        shortfall,
    )
    from click_stats.counts import Counts
    from click_stats.errors import ClickStatsError
    from click_stats.items import Errata, ItemTable
    from click_stats.models import ModelTable
    from click_stats.results import Result
    from click_stats.trials import Trials

__version__ = "0.1.0"

_WHERE = {
    "ClickStatsError": "click_stats.errors",
    "Counts": "click_stats.counts",
    "Errata": "click_stats.items",
    "ItemTable": "click_stats.items",
    "ModelTable": "click_stats.models",
    "Result": "click_stats.results",
    "Trials": "click_stats.trials",
    "accuracy": "click_stats.api",
    "agreement": "click_stats.api",
    "analyze": "click_stats.api",
    "anova": "click_stats.api",
    "bayes": "click_stats.api",
    "calibration": "click_stats.api",
    "compare": "click_stats.api",
    "conditions": "click_stats.api",
    "confident_errors": "click_stats.api",
    "dif": "click_stats.api",
    "diff_items": "click_stats.api",
    "difficulty": "click_stats.api",
    "export": "click_stats.api",
    "export_review": "click_stats.api",
    "explore": "click_stats.api",
    "human": "click_stats.api",
    "impact": "click_stats.api",
    "import_review": "click_stats.api",
    "item_answers": "click_stats.api",
    "linking": "click_stats.api",
    "item_analysis": "click_stats.api",
    "irt": "click_stats.api",
    "mixed": "click_stats.api",
    "patch_items": "click_stats.api",
    "people": "click_stats.api",
    "plan": "click_stats.api",
    "position": "click_stats.api",
    "power": "click_stats.api",
    "quiz": "click_stats.api",
    "ranks": "click_stats.api",
    "rater_agreement": "click_stats.api",
    "read_errata": "click_stats.api",
    "read_items": "click_stats.api",
    "read_keys": "click_stats.api",
    "read_models": "click_stats.api",
    "read_parameters": "click_stats.api",
    "read_trials": "click_stats.api",
    "report": "click_stats.api",
    "run": "click_stats.api",
    "sensitivity": "click_stats.api",
    "short_forms": "click_stats.api",
    "shortfall": "click_stats.api",
}

__all__ = [
    "ClickStatsError",
    "Counts",
    "Errata",
    "ItemTable",
    "ModelTable",
    "Result",
    "Trials",
    "accuracy",
    "agreement",
    "analyze",
    "anova",
    "bayes",
    "calibration",
    "compare",
    "conditions",
    "confident_errors",
    "dif",
    "diff_items",
    "difficulty",
    "explore",
    "export",
    "export_review",
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


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_WHERE])

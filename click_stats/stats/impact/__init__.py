"""What corrections of items do to scores, ranks and verdicts."""

from click_stats.stats.impact.analysis import Scenario, impact

__all__ = ["Scenario", "impact"]

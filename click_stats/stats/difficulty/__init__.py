"""What makes items hard: difficulty explained by facts of the items."""

from click_stats.stats.difficulty.analysis import difficulty

__all__ = ["difficulty"]

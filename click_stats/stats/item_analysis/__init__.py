"""Classical item analysis: which items are hard, which tell models apart, and which look broken."""

from click_stats.stats.item_analysis.analysis import item_analysis

__all__ = ["item_analysis"]

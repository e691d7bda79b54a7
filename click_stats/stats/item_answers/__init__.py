"""What every model answered to every item, packed small."""

from click_stats.stats.item_answers.analysis import item_answers

__all__ = ["item_answers"]

"""Whether the displayed position of an option matters."""

from click_stats.stats.position.analysis import position

__all__ = ["position"]

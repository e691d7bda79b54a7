"""The explorer: one html file, opened from disk, that shows every item with what every model answered."""

from click_stats.render.explorer.page import FILE, page, write

__all__ = ["FILE", "page", "write"]

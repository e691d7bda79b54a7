"""Where models are wrong and sure, and which items they miss together."""

from click_stats.stats.confident_errors.analysis import confident_errors

__all__ = ["confident_errors"]

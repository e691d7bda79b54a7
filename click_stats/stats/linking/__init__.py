"""New models on the scale of items that were calibrated before: abilities and whole scores from a subset of items."""

from click_stats.stats.linking.analysis import linking

__all__ = ["linking"]

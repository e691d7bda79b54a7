"""Item response models: difficulty and discrimination of items, abilities of models."""

from click_stats.stats.irt.analysis import irt

__all__ = ["irt"]

"""How far an accuracy moves with items, wordings, displayed positions and repetition (generalisability theory)."""

from click_stats.stats.sensitivity.analysis import sensitivity

__all__ = ["sensitivity"]

"""What a model's text says: comparison of texts."""

from click_stats.answers.normalise import collapse, normalise

__all__ = ["collapse", "normalise"]

"""What a model's text says: comparison of texts, and the option that a response names."""

from click_stats.answers.extract import Extraction, extract
from click_stats.answers.normalise import collapse, normalise
from click_stats.answers.policies import POLICIES

__all__ = ["POLICIES", "Extraction", "collapse", "extract", "normalise"]

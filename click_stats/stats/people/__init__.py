"""People beside models: what people reach, and which items are hard for one and easy for the other."""

from click_stats.stats.people.analysis import people

__all__ = ["people"]

"""Models beside people: human means and pass marks of the exams that items were taken from."""

from click_stats.stats.human.analysis import human

__all__ = ["human"]

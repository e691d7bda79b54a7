"""Trials: one row per answer of a model to an item, read from logs and counted."""

from click_stats.trials.read import read_trials
from click_stats.trials.table import Trials

__all__ = ["Trials", "read_trials"]

"""Differential item functioning: items that are harder for one group of models than its ability explains."""

from click_stats.stats.dif.analysis import dif

__all__ = ["dif"]

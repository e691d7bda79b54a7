"""Importers of foreign logs: one module per format, listed in :mod:`click_stats.trials.importers.sniff`."""

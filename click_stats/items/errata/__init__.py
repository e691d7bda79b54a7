"""Corrections of items: read from a file, checked, laid over an item table."""

from click_stats.items.errata.apply import Overlay, with_errata
from click_stats.items.errata.entries import Errata
from click_stats.items.errata.read import read_errata

__all__ = ["Errata", "Overlay", "read_errata", "with_errata"]

"""Questions of a benchmark: their definition, keys, clusters and checks."""

from click_stats.items.definition import Definition, labels, read_definition
from click_stats.items.errata import Errata, read_errata
from click_stats.items.keys import read_keys
from click_stats.items.read import read_items
from click_stats.items.table import ItemTable

__all__ = ["Definition", "Errata", "ItemTable", "labels", "read_definition", "read_errata", "read_items", "read_keys"]

"""Results for other programs, and parameters read back from them. One file per format."""

from click_stats.exports.every_eval_ever import write_every_eval_ever
from click_stats.exports.item_table import item_table, write_items
from click_stats.exports.py_irt import write_py_irt
from click_stats.exports.wide import write_wide
from click_stats.parameters import read_parameters

__all__ = ["item_table", "read_parameters", "write_every_eval_ever", "write_items", "write_py_irt", "write_wide"]

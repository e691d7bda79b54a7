"""Errata as changes of the dataset's own files: what is not corrected stays letter for letter."""

from click_stats.items.patch.changelog import changelog, patch
from click_stats.items.patch.files import Change, changes

__all__ = ["Change", "changelog", "changes", "patch"]

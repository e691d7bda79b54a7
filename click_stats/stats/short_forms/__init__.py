"""Fewer items, nearly the same answer: forms chosen and judged by models that took no part in choosing."""

from click_stats.stats.short_forms.analysis import short_forms

__all__ = ["short_forms"]

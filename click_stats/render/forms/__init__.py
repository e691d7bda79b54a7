"""Forms for people: html files that open from disk, ask one item after another, and save the answers as a file."""

from click_stats.render.forms.page import form, words

__all__ = ["form", "words"]

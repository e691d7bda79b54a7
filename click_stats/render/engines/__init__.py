"""Turns a finished project folder into html, PDF and docx, by Quarto or by pandoc and typst."""

from click_stats.render.engines.base import FORMATS, Choice, Format, Rendered, choose
from click_stats.render.engines.rendering import render_project

__all__ = ["FORMATS", "Choice", "Format", "Rendered", "choose", "render_project"]

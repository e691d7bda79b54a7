"""Makes a report's folder a Quarto project that renders by hand: ``_quarto.yml`` and the shared pieces."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from click_stats.errors import MissingDependencyError
from click_stats.render import fonts
from click_stats.render.engines.assets import PROJECT_FILES, packaged
from click_stats.render.engines.base import SHARED
from click_stats.render.markdown_text import yaml_string

if TYPE_CHECKING:
    from click_stats.render.engines.document import Lang

_WORDS = {
    # Quarto's Korean has 섹션 and 방정식 for these two.
    "ko": """\
language:
  crossref-sec-prefix: 절
  crossref-eq-prefix: 식
  toc-title-document: 차례
""",
    "en": "",
}

_PROJECT = """\
# Quarto project of this report: `quarto render` here makes html, PDF (through typst) and docx.
# The PDF needs a Korean font with a bold face: an installed one, or its files in {shared}/fonts.
project:
  type: default
  render:
    - report.qmd
lang: {lang}
{words}csl: {shared}/references.csl
filters:
  - {shared}/pages.lua
  - quarto
  - {shared}/tables.lua
tbl-colwidths: false
toc: true
toc-depth: 2
number-sections: true
format:
  html:
    theme: default
    css: {shared}/quarto.css
    embed-resources: true
    html-math-method: mathml
    html-table-processing: none
    default-image-extension: svg
  typst:
    papersize: a4
    margin:
      x: 2cm
      y: 2.2cm
    fontsize: 10pt
{mainfont}    font-paths:
      - {shared}/fonts
    citeproc: true
    include-in-header:
      - file: {shared}/preamble.typ
    default-image-extension: svg
  docx:
    reference-doc: {shared}/reference.docx
    default-image-extension: png
"""


def write_project(folder: str | Path, *, lang: Lang) -> list[Path]:
    """Write ``_quarto.yml`` and copy the shared pieces into ``folder``; return what was written.

    Both engines render such a folder once it holds ``report.qmd``, its figures and its references.

    Parameters
    ----------
    folder
        The report's folder; made if absent.
    lang
        ``en`` or ``ko``: the words of references, and whether a Korean font is named.
    """
    folder = Path(folder)
    shared = folder / SHARED
    shared.mkdir(parents=True, exist_ok=True)
    written = [folder / "_quarto.yml"]
    written[0].write_text(quarto_yml(lang), encoding="utf-8", newline="\n")
    for name in PROJECT_FILES:
        written.append(shared / name)
        shutil.copyfile(packaged(name), written[-1])
    return written


def quarto_yml(lang: Lang) -> str:
    """Return the text of ``_quarto.yml``: one font, since Quarto's schema refuses a list; none where none is found."""
    try:
        mainfont = f"    mainfont: {yaml_string(fonts.korean_font().family)}\n"
    except MissingDependencyError:
        mainfont = ""
    return _PROJECT.format(lang=lang, words=_WORDS[lang], shared=SHARED, mainfont=mainfont)

"""Finishes a Word file: texts for pictures, page numbers in every section, table widths, one date.

Works on the zip and its XML, so that it needs nothing installed and serves both engines.
"""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from click_stats.errors import RenderError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

BODY = "word/document.xml"
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_WP = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
_PIC = "http://schemas.openxmlformats.org/drawingml/2006/picture"
_MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_FIXED = (2026, 1, 1, 0, 0, 0)
_DATE = re.compile(r"(<dcterms:(?:created|modified)[^>]*>)[^<]*(<)")
_FULL = 5000  # Word's fiftieths of a percent

# The shortest fixed-width line of the reference document, should a section not say its size (twentieths of a point).
_TEXT_WIDTH = 9638


def finish(path: Path, texts: Mapping[str, str]) -> list[str]:
    """Rewrite the Word file ``path`` in place and return notes.

    Parameters
    ----------
    path
        A docx made by pandoc, ours or Quarto's.
    texts
        Name of a picture's file without folder and extension -> its text for readers who cannot see it.

    Raises
    ------
    RenderError
        The file is not a Word file.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        root = _parse(parts[BODY])
    except (zipfile.BadZipFile, KeyError, ET.ParseError) as error:
        raise RenderError("The engine's Word file is broken.", found=f"{path.name}: {error}") from error
    without = _describe(root, texts)
    _number_pages(root)
    _set_widths(root)
    parts[BODY] = ET.tostring(root, encoding="UTF-8", xml_declaration=True)
    core = "docProps/core.xml"
    if core in parts:
        date = "{:04d}-{:02d}-{:02d}T{:02d}:{:02d}:{:02d}Z".format(*_FIXED)
        parts[core] = _DATE.sub(rf"\g<1>{date}\g<2>", parts[core].decode()).encode()
    # Whatever the front matter and the command line say lands there, paths of this machine among it.
    properties = "docProps/custom.xml"
    if properties in parts:
        parts[properties] = re.sub(rb"(<Properties\b[^>]*?)/?>.*", rb"\1/>", parts[properties], flags=re.DOTALL)
    path.write_bytes(_zipped(parts))
    return [f"The picture {name} has no text of its own for readers who cannot see it." for name in without]


def described(path: Path) -> list[str]:
    """Return the texts of all pictures in the Word file ``path``, in order; empty where there is none."""
    with zipfile.ZipFile(path) as archive:
        root = ET.fromstring(archive.read(BODY))  # noqa: S314 (a file we just made)
    return [inner.get("descr", "") for inner in root.iter(f"{{{_WP}}}docPr")]


def _parse(raw: bytes) -> ET.Element:
    names = ET.iterparse(io.BytesIO(raw), events=["start-ns"])  # noqa: S314 (a file we just made)
    for _event, (prefix, address) in names:
        ET.register_namespace(prefix, address)
    root = ET.fromstring(raw)  # noqa: S314 (a file we just made)
    # It names prefixes that are no longer declared once nothing uses them.
    root.attrib.pop(f"{{{_MC}}}Ignorable", None)
    return root


def _describe(root: ET.Element, texts: Mapping[str, str]) -> list[str]:
    """Give each picture its text; pandoc keeps the file's name in the picture's inner properties."""
    without: list[str] = []
    for drawing in root.iter(f"{{{_W}}}drawing"):
        outer = drawing.find(f".//{{{_WP}}}docPr")
        inner = drawing.find(f".//{{{_PIC}}}cNvPr")
        if outer is None:
            continue
        name = inner.get("descr", "") if inner is not None else ""
        text = texts.get(stem(name), "")
        if text:
            outer.set("descr", text)
        elif not outer.get("descr"):
            # Pictures of the engine itself, such as a callout's sign, say nothing that the title does not.
            outer.set("descr", outer.get("title", ""))
            if name.startswith("figures/"):
                without.append(name)
    return without


def stem(name: str) -> str:
    """Return the name of a picture's file without folder and extension."""
    return re.sub(r"\.(svg|png|jpg|jpeg|pdf)$", "", name.replace("\\", "/").rsplit("/", 1)[-1])


def _number_pages(root: ET.Element) -> None:
    """Give every section the footer of the last, which comes from the reference document."""
    sections = list(root.iter(f"{{{_W}}}sectPr"))
    if not sections:
        return
    footers = sections[-1].findall(f"{{{_W}}}footerReference")
    for section in sections[:-1]:
        if section.find(f"{{{_W}}}footerReference") is None:
            for place, footer in enumerate(footers):
                section.insert(place, footer)


def _set_widths(root: ET.Element) -> None:
    """Set the columns of tables that have relative widths to the text width of their section."""
    for table, width in _tables(root):
        properties = table.find(f"{{{_W}}}tblPr")
        grid = table.find(f"{{{_W}}}tblGrid")
        whole = properties.find(f"{{{_W}}}tblW") if properties is not None else None
        for row in table.iter(f"{{{_W}}}tr"):
            _keep_row_together(row)
        if whole is None or grid is None or whole.get(f"{{{_W}}}type") != "pct":
            continue
        share = min(float(whole.get(f"{{{_W}}}w", _FULL)) / _FULL, 1.0)
        columns = grid.findall(f"{{{_W}}}gridCol")
        given = [float(column.get(f"{{{_W}}}w", 0)) for column in columns]
        if not sum(given):
            continue
        sizes = [round(width * share * one / sum(given)) for one in given]
        whole.set(f"{{{_W}}}type", "dxa")
        whole.set(f"{{{_W}}}w", str(sum(sizes)))
        for column, size in zip(columns, sizes, strict=True):
            column.set(f"{{{_W}}}w", str(size))
        for row in table.findall(f"{{{_W}}}tr"):
            for cell, size in zip(row.findall(f"{{{_W}}}tc"), sizes, strict=False):
                _set_cell(cell, size)


def _keep_row_together(row: ET.Element) -> None:
    properties = row.find(f"{{{_W}}}trPr")
    if properties is None:
        properties = ET.Element(f"{{{_W}}}trPr")
        row.insert(0, properties)
    if properties.find(f"{{{_W}}}cantSplit") is None:
        properties.insert(0, ET.Element(f"{{{_W}}}cantSplit"))


def _set_cell(cell: ET.Element, size: int) -> None:
    properties = cell.find(f"{{{_W}}}tcPr")
    if properties is None:
        properties = ET.Element(f"{{{_W}}}tcPr")
        cell.insert(0, properties)
    width = properties.find(f"{{{_W}}}tcW")
    if width is None:
        width = ET.Element(f"{{{_W}}}tcW")
        properties.insert(0, width)
    width.set(f"{{{_W}}}w", str(size))
    width.set(f"{{{_W}}}type", "dxa")


def _tables(root: ET.Element) -> Iterator[tuple[ET.Element, int]]:
    """Yield each table of the body with the text width of its section; a section's size stands at its end."""
    waiting: list[ET.Element] = []
    body = root.find(f"{{{_W}}}body")
    for block in body if body is not None else ():
        if block.tag == f"{{{_W}}}tbl":
            waiting.append(block)
        section = block if block.tag == f"{{{_W}}}sectPr" else block.find(f".//{{{_W}}}sectPr")
        if section is not None:
            width = _text_width(section)
            yield from ((table, width) for table in waiting)
            waiting = []
    yield from ((table, _TEXT_WIDTH) for table in waiting)


def _text_width(section: ET.Element) -> int:
    size, margins = section.find(f"{{{_W}}}pgSz"), section.find(f"{{{_W}}}pgMar")
    if size is None or margins is None:
        return _TEXT_WIDTH
    sides = sum(float(margins.get(f"{{{_W}}}{side}", 0)) for side in ("left", "right"))
    return int(float(size.get(f"{{{_W}}}w", 0)) - sides)


def _zipped(parts: Mapping[str, bytes]) -> bytes:
    """Return the zip with one date for all parts, so that the same report has the same bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in parts.items():
            entry = zipfile.ZipInfo(name, _FIXED)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, raw)
    return made.getvalue()

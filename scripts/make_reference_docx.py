"""Make reports/_shared/reference.docx: the styles that pandoc and Quarto fill in, bold headings, Korean fonts.

    python scripts/make_reference_docx.py

Starts from python-docx's own blank document (MIT) and writes the same bytes every time.
"""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import docx
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

OUT = Path(__file__).parents[1] / "reports" / "_shared" / "reference.docx"
LATIN, KOREAN, MONO = "Calibri", "Malgun Gothic", "Consolas"
INK, SOFT, LINK = RGBColor(0x1C, 0x1F, 0x23), RGBColor(0x56, 0x5D, 0x66), RGBColor(0x0B, 0x57, 0xA4)

# name, size in points, bold, colour, space before, space after, based on
PARAGRAPHS = [
    ("Body Text", 10.5, False, INK, 0, 6, "Normal"),
    ("First Paragraph", 10.5, False, INK, 0, 6, "Body Text"),
    ("Compact", 10.5, False, INK, 0, 2, "Body Text"),
    ("Title", 22, True, INK, 0, 4, "Normal"),
    ("Subtitle", 13, False, SOFT, 0, 12, "Normal"),
    ("Author", 10.5, False, SOFT, 0, 4, "Normal"),
    ("Date", 10.5, False, SOFT, 0, 8, "Normal"),
    ("Abstract Title", 10.5, True, INK, 6, 2, "Normal"),
    ("Abstract", 10.5, False, INK, 0, 12, "Normal"),
    ("Heading 1", 16, True, INK, 20, 8, "Normal"),
    ("Heading 2", 13, True, INK, 16, 6, "Normal"),
    ("Heading 3", 11.5, True, INK, 12, 4, "Normal"),
    ("Heading 4", 10.5, True, INK, 10, 4, "Normal"),
    ("Heading 5", 10.5, True, SOFT, 10, 4, "Normal"),
    ("Heading 6", 10.5, True, SOFT, 10, 4, "Normal"),
    ("TOC Heading", 13, True, INK, 12, 6, "Normal"),
    ("Caption", 9.5, True, INK, 6, 4, "Normal"),
    ("Table Caption", 9.5, True, INK, 12, 4, "Caption"),
    ("Image Caption", 9.5, True, INK, 2, 6, "Caption"),
    ("Figure", 10.5, False, INK, 6, 2, "Normal"),
    ("Captioned Figure", 10.5, False, INK, 6, 2, "Figure"),
    ("Bibliography", 10, False, INK, 0, 4, "Normal"),
    ("Footnote Text", 9, False, INK, 0, 2, "Normal"),
    ("Block Text", 10.5, False, SOFT, 4, 8, "Normal"),
    ("Source Code", 9, False, INK, 4, 8, "Normal"),
    ("Definition Term", 10.5, True, INK, 4, 0, "Normal"),
    ("Definition", 10.5, False, INK, 0, 4, "Normal"),
    ("Callout Title", 10.5, True, LINK, 10, 0, "Normal"),
    ("Callout", 10.5, False, INK, 0, 8, "Normal"),
    ("Figure How", 9.5, False, SOFT, 0, 12, "Normal"),
    ("Table Text", 9, False, INK, 1, 1, "Normal"),
    ("Table Small", 8, False, INK, 1, 1, "Normal"),
    ("Table Tiny", 6.5, False, INK, 1, 1, "Normal"),
]
DROPPED = ("docProps/thumbnail.jpeg", "word/stylesWithEffects.xml", "customXml/")
KEEP_NEXT = {"Table Caption", "Callout Title", "Captioned Figure", "TOC Heading"}


def fonts_of(run_properties, latin: str) -> None:
    """Name the fonts outright; a theme's names would win over them."""
    for old in run_properties.findall(qn("w:rFonts")):
        run_properties.remove(old)
    fonts = OxmlElement("w:rFonts")
    for key, name in {"ascii": latin, "hAnsi": latin, "eastAsia": KOREAN, "cs": latin}.items():
        fonts.set(qn(f"w:{key}"), name)
    run_properties.insert(0, fonts)


def child(parent, tag: str, **values: str):
    element = OxmlElement(tag)
    for key, value in values.items():
        element.set(qn(f"w:{key}"), value)
    parent.append(element)
    return element


def paragraph_styles(document) -> None:
    styles = document.styles
    for name, size, bold, colour, before, after, base in PARAGRAPHS:
        style = styles[name] if name in styles else styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = styles[base]
        style.font.size, style.font.bold, style.font.italic = Pt(size), bold, False
        style.font.color.rgb = colour
        fonts_of(style.element.get_or_add_rPr(), MONO if name == "Source Code" else LATIN)
        form = style.paragraph_format
        form.space_before, form.space_after = Pt(before), Pt(after)
        form.alignment = WD_ALIGN_PARAGRAPH.LEFT
        if name.startswith("Heading") or name in KEEP_NEXT:
            form.keep_with_next = True
        for border in style.element.get_or_add_pPr().findall(qn("w:pBdr")):
            style.element.pPr.remove(border)
        style.hidden, style.quick_style = False, True
    # Table cells take their side from the table, not from the style.
    for name in ("Table Text", "Table Small", "Table Tiny"):
        styles[name].paragraph_format.alignment = None
    for name in ("Callout", "Callout Title"):
        box(styles[name].element.get_or_add_pPr())
    for level in (1, 2, 3):
        name = f"TOC {level}"
        style = styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = styles["Normal"]
        style.paragraph_format.left_indent = Pt(12 * (level - 1))
        style.paragraph_format.space_after = Pt(2)


def box(properties) -> None:
    """A bar at the left and a tint: the paragraph reads as a box, in the order that the schema wants."""
    border = OxmlElement("w:pBdr")
    child(border, "w:left", val="single", sz="24", space="8", color="0B57A4")
    shade = OxmlElement("w:shd")
    for key, value in {"val": "clear", "color": "auto", "fill": "F3F5F7"}.items():
        shade.set(qn(f"w:{key}"), value)
    properties.insert_element_before(border, "w:shd", "w:tabs", "w:spacing", "w:ind", "w:jc", "w:rPr")
    properties.insert_element_before(shade, "w:tabs", "w:spacing", "w:ind", "w:jc", "w:rPr")


def character_styles(document) -> None:
    styles = document.styles
    for name in ("Verbatim Char", "Hyperlink", "Footnote Reference", "Section Number"):
        style = styles.add_style(name, WD_STYLE_TYPE.CHARACTER)
        if name == "Verbatim Char":
            fonts_of(style.element.get_or_add_rPr(), MONO)
        elif name == "Hyperlink":
            style.font.color.rgb = LINK
        elif name == "Footnote Reference":
            style.font.superscript = True


def table_style(document) -> None:
    """The style "Table" of pandoc: a rule above and below, one under the bold header row."""
    style = document.styles.add_style("Table", WD_STYLE_TYPE.TABLE)
    element = style.element
    table = child(element, "w:tblPr")
    borders = child(table, "w:tblBorders")
    child(borders, "w:top", val="single", sz="8", space="0", color="1C1F23")
    child(borders, "w:bottom", val="single", sz="8", space="0", color="1C1F23")
    child(borders, "w:insideH", val="single", sz="2", space="0", color="C9CED6")
    margins = child(table, "w:tblCellMar")
    for side in ("left", "right"):
        child(margins, f"w:{side}", w="60", type="dxa")
    first = child(element, "w:tblStylePr", type="firstRow")
    child(child(first, "w:rPr"), "w:b")
    cell = child(first, "w:tcPr")
    child(child(cell, "w:tcBorders"), "w:bottom", val="single", sz="6", space="0", color="1C1F23")
    child(cell, "w:vAlign", val="bottom")


def drop_unused(document) -> None:
    """The blank document brings a hundred coloured table styles that nobody asked for."""
    styles = document.styles.element
    for style in list(styles):
        if style.get(qn("w:type")) == "table" and style.get(qn("w:default")) != "1":
            styles.remove(style)


def defaults(document) -> None:
    normal = document.styles["Normal"]
    normal.font.size = Pt(10.5)
    fonts_of(normal.element.get_or_add_rPr(), LATIN)
    for found in document.styles.element.iter(qn("w:rPrDefault")):
        properties = found.find(qn("w:rPr"))
        fonts_of(properties, LATIN)
        for lang in properties.findall(qn("w:lang")):
            lang.set(qn("w:eastAsia"), "ko-KR")


def page(document) -> None:
    section = document.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = Mm(20)
    section.header_distance = section.footer_distance = Mm(10)
    paragraph = section.footer.paragraphs[0]
    paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
    run = paragraph.add_run()._r  # noqa: SLF001 (python-docx has no fields)
    child(run, "w:fldChar", fldCharType="begin")
    code = child(run, "w:instrText")
    code.text = " PAGE "
    child(run, "w:fldChar", fldCharType="end")


def write(document, path: Path) -> None:
    """Write with fixed times, so that a rebuilt file is the same file."""
    made = io.BytesIO()
    document.save(made)
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in sorted(old.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            if name.startswith(DROPPED):
                continue
            data = old.read(name)
            if name.endswith(".rels"):
                data = re.sub(rb"<Relationship [^>]*(?:thumbnail|stylesWithEffects|customXml)[^>]*/>", b"", data)
            if name == "[Content_Types].xml":
                data = re.sub(rb"<Override [^>]*(?:stylesWithEffects|customXml)[^>]*/>", b"", data)
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, data)


def main() -> None:
    document = docx.Document()
    drop_unused(document)
    defaults(document)
    paragraph_styles(document)
    character_styles(document)
    table_style(document)
    page(document)
    document.core_properties.title = ""
    document.core_properties.author = ""
    document.core_properties.comments = ""
    write(document, OUT)
    print(f"wrote {OUT.name}, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()

from __future__ import annotations

import csv
import re
import warnings
from itertools import combinations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from click_stats import glossary
from click_stats.errors import RenderError, UsageError
from click_stats.render import figures
from click_stats.render.figures.drawing import texts
from click_stats.render.figures.style import fitted, settings
from click_stats.results import Result, ResultSet

LANGUAGES = ("en", "ko")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def drawings(results):
    """All figures in both languages, laid out once."""
    made = {lang: figures.draw(results, lang) for lang in LANGUAGES}
    with settings():
        for drawing in [*made["en"].values(), *made["ko"].values()]:
            FigureCanvasAgg(drawing.figure).draw()
    return made


AUDIT = {
    "fig-ladder", "fig-differences", "fig-heatmap", "fig-triangle", "fig-detectable", "fig-statuses", "fig-items-right",
}  # fmt: skip


def each(drawings):
    return [(lang, name, drawing) for lang, made in drawings.items() for name, drawing in made.items()]


def test_all_seven_figures_are_there_in_report_order(drawings):
    for lang in LANGUAGES:
        assert list(drawings[lang]) == [name for name in figures.FIGURES if name in AUDIT]
        assert all(drawing.id == name for name, drawing in drawings[lang].items())


def test_every_figure_has_its_texts_and_the_alt_text_is_not_the_caption(drawings):
    for lang, name, drawing in each(drawings):
        for text in (drawing.title, drawing.caption, drawing.alt, drawing.how_to_read):
            assert text.strip(), (lang, name)
            assert "{" not in text
            assert not re.search(r"\bnan\b|<NA>|None", text), (lang, name, text)
        assert drawing.alt != drawing.caption
        assert re.search(r"[가-힣]", drawing.caption + drawing.how_to_read) is not None or lang == "en"


def test_alt_text_tells_the_finding(drawings, results):
    overall = results["accuracy"].to_frame().query("by == 'overall'")
    best = overall.loc[overall["estimate"].idxmax()]
    for lang in LANGUAGES:
        alt = drawings[lang]["fig-ladder"].alt
        assert best["unit"] in alt
        assert f"{100 * best['estimate']:.1f}%" in alt
        assert f"[{100 * best['conf_low']:.1f}, {100 * best['conf_high']:.1f}]" in alt
    verdicts = results["compare"].to_frame().query("by == 'overall'")["verdict"].value_counts()
    assert f"not separated {verdicts['not separated']}" in drawings["en"]["fig-triangle"].alt


PARTICLES = "은|는|이|가|을|를|과|와|으로|로|의|에|에서|보다|도|만"


def test_no_korean_particle_follows_a_gap():
    glued = re.compile(rf"\}}\)?(?:{PARTICLES})(?![가-힣])")
    for section, entries in texts().items():
        for key, entry in entries.items():
            assert set(entry) == {"en", "ko"}, (section, key)
            assert not glued.search(entry["ko"]), (section, key, entry["ko"])
            gaps = [set(re.findall(r"\{(\w+)\}", entry[lang])) for lang in LANGUAGES]
            assert gaps[0] == gaps[1], (section, key)


def _boxes(labels, renderer):
    shown = [label for label in labels if label.get_visible() and label.get_text()]
    return [(label.get_text(), label.get_rotation(), label.get_window_extent(renderer)) for label in shown]


def _overlap(one, other):
    """Tell whether two boxes share more than a pixel of area on both sides."""
    wide = min(one.x1, other.x1) - max(one.x0, other.x0)
    high = min(one.y1, other.y1) - max(one.y0, other.y0)
    return wide > 1 and high > 1


def test_no_tick_label_covers_another(drawings):
    for lang, name, drawing in each(drawings):
        renderer = FigureCanvasAgg(drawing.figure).get_renderer()
        for ax in drawing.figure.axes:
            for labels in (ax.get_xticklabels(), ax.get_yticklabels()):
                boxes = _boxes(labels, renderer)
                for (one, turned, box), (other, _, next_box) in combinations(boxes, 2):
                    if turned:  # the boxes of slanted labels cross where the letters do not: compare their ends
                        assert abs(box.x0 - next_box.x0) > 8, (lang, name, one, other)
                    else:
                        assert not _overlap(box, next_box), (lang, name, one, other)


def _texts(figure):
    """Return every text that is seen: ticks outside the limits of their axis are not drawn."""
    found = [*figure.texts, *(text for legend in figure.legends for text in legend.get_texts())]
    for ax in filter(lambda ax: ax.get_visible(), figure.axes):
        found += [*ax.texts, ax.xaxis.label, ax.yaxis.label, ax.title, ax._left_title]
        if ax.get_legend():
            found += ax.get_legend().get_texts()
        for ticks, labels, limits in (
            (ax.get_xticks(), ax.get_xticklabels(), ax.get_xlim()),
            (ax.get_yticks(), ax.get_yticklabels(), ax.get_ylim()),
        ):
            found += [label for tick, label in zip(ticks, labels, strict=False) if min(limits) <= tick <= max(limits)]
    return [text for text in found if text.get_visible() and text.get_text().strip()]


def test_no_text_is_cut_off_at_the_edge(drawings):
    for lang, name, drawing in each(drawings):
        renderer = FigureCanvasAgg(drawing.figure).get_renderer()
        page = drawing.figure.bbox
        seen = _texts(drawing.figure)
        assert len(seen) > 10
        for text in seen:
            box = text.get_window_extent(renderer)
            assert _inside(box, page), (lang, name, text.get_text(), box, page)


def _inside(box, page):
    return box.x0 >= page.x0 - 1 and box.x1 <= page.x1 + 1 and box.y0 >= page.y0 - 1 and box.y1 <= page.y1 + 1


def test_no_letter_is_too_small_to_read(drawings):
    for _, name, drawing in each(drawings):
        assert drawing.figure.get_size_inches()[0] <= 7.3
        for text in _texts(drawing.figure):
            assert text.get_fontsize() >= 5.5, (name, text.get_text())


def test_data_are_what_is_plotted(drawings):
    ladder = drawings["en"]["fig-ladder"]
    axis = ladder.figure.axes[0]
    dots = next(line for line in axis.lines if line.get_marker() == "o")
    assert np.allclose(dots.get_xdata(), 100 * ladder.data["estimate"])
    assert [label.get_text() for label in axis.get_yticklabels()] == list(ladder.data["unit"])
    heat = drawings["en"]["fig-heatmap"]
    printed = [text.get_text() for text in heat.figure.axes[0].texts]
    assert printed == [f"{100 * value:.1f}" for value in heat.data["estimate"]]
    triangle = drawings["en"]["fig-triangle"]
    numbers = [
        float(text.get_text().replace("−", "-"))
        for text in triangle.figure.axes[0].texts
        if re.match(r"[+−]?\d+\.\d$", text.get_text())
    ]
    assert sorted(map(abs, numbers)) == pytest.approx(sorted(np.round(100 * triangle.data["estimate"].abs(), 1)))


def test_triangle_marks_every_verdict_by_shape(drawings):
    drawing = drawings["en"]["fig-triangle"]
    axis = drawing.figure.axes[0]
    shapes = pd.Series([line.get_marker() for line in axis.lines]).value_counts()
    verdicts = drawing.data["verdict"].value_counts()
    assert shapes["o"] == verdicts["not separated"]
    assert shapes.get("^", 0) + shapes.get("v", 0) == verdicts["separated"]


def test_heat_map_hatches_what_is_not_separated_and_crosses_what_was_left_out(drawings, invented):
    drawing = drawings["en"]["fig-heatmap"]
    hatches = pd.Series([patch.get_hatch() for patch in drawing.figure.axes[0].patches]).value_counts()
    left_out = drawing.data[drawing.data["coverage"] < 0.5]
    assert list(left_out["unit"]) == [invented.GAP_UNIT]
    assert hatches["xxxx"] == 1
    assert hatches["/////"] == int(
        ((drawing.data["verdict"] == "not separated") & (drawing.data["coverage"] >= 0.5)).sum()
    )


def test_saved_data_are_the_frame_in_columns_of_the_glossary(drawings, tmp_path):
    for drawing in drawings["ko"].values():
        path = figures.save_data(drawing, tmp_path)
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert list(rows[0]) == list(drawing.data.columns)
        glossary.check(rows[0], drawing.id)
        assert len(rows) == len(drawing.data)
    rows = pd.read_csv(tmp_path / "fig-ladder.csv")
    assert np.allclose(rows["estimate"], drawings["ko"]["fig-ladder"].data["estimate"], rtol=1e-11)


def test_files_are_saved_in_three_formats_and_svg_is_the_same_every_time(results, tmp_path):
    first = figures.FIGURES["fig-ladder"](results, "ko")
    paths = figures.save(first, tmp_path / "a")
    assert [path.name for path in paths] == ["fig-ladder.svg", "fig-ladder.png", "fig-ladder.pdf"]
    again = figures.FIGURES["fig-ladder"](results, "ko")
    figures.save(again, tmp_path / "b")
    for ending in ("svg", "png", "pdf"):
        one, other = ((tmp_path / folder / f"fig-ladder.{ending}").read_bytes() for folder in ("a", "b"))
        assert one == other, ending
    svg = (tmp_path / "a" / "fig-ladder.svg").read_text(encoding="utf-8")
    assert "<dc:date>" not in svg
    assert "http://" not in re.sub(
        r'(xmlns(:\w+)?|rdf:resource)="[^"]*"|"http://www\.w3\.org[^"]*"', "", svg.split("<defs>", 1)[1]
    )
    assert b"CreationDate" not in (tmp_path / "a" / "fig-ladder.pdf").read_bytes()


def test_pdf_embeds_its_fonts(drawings, tmp_path):
    pypdf = pytest.importorskip("pypdf")
    (path,) = figures.save(drawings["ko"]["fig-heatmap"], tmp_path, ["pdf"])
    page = pypdf.PdfReader(path).pages[0]
    assert "대중문화" in page.extract_text()
    fonts = [font.get_object() for font in page["/Resources"]["/Font"].values()]
    assert all(font["/Subtype"] == "/Type0" for font in fonts)


def test_an_unknown_format_is_refused(drawings, tmp_path):
    with pytest.raises(UsageError, match="no format"):
        figures.save(drawings["en"]["fig-ladder"], tmp_path, ["gif"])


def test_a_letter_that_no_font_has_is_an_error(results, tmp_path):
    frame = results["accuracy"].to_frame()
    frame["unit"] = frame["unit"].replace({"gpt-4o": "model-\U00013000"})
    changed = Result("accuracy", {**results["accuracy"].tables, "estimates": frame})
    drawing = figures.FIGURES["fig-ladder"](ResultSet("audit", {"accuracy": changed}), "en")
    with pytest.raises(RenderError):
        figures.save(drawing, tmp_path, ["png"])


@pytest.mark.parametrize("n_units", [1, 2, 5])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_few_units_leave_out_what_cannot_be_drawn(invented, n_units, lang, tmp_path):
    made = figures.draw(invented.result_set(n_units), lang)
    expected = set(AUDIT)
    if n_units == 1:
        expected -= {"fig-differences", "fig-triangle", "fig-detectable", "fig-items-right"}
    assert set(made) == expected
    for drawing in made.values():
        figures.save(drawing, tmp_path, ["png"])


def test_many_units_with_long_names_still_fit_a_page(invented):
    made = figures.draw(invented.result_set(40), "en")
    with settings():
        for drawing in made.values():
            FigureCanvasAgg(drawing.figure).draw()
    for name, drawing in made.items():
        assert drawing.figure.get_size_inches()[1] <= 9, name
        renderer = FigureCanvasAgg(drawing.figure).get_renderer()
        for ax in drawing.figure.axes:
            boxes = [box for _, _, box in _boxes(ax.get_yticklabels(), renderer)]
            assert not any(_overlap(one, other) for one, other in combinations(boxes, 2)), name
    assert not [text for text in made["fig-triangle"].figure.axes[0].texts if text.get_text().startswith("+")]
    assert "+" not in made["fig-triangle"].how_to_read


def test_long_names_are_shortened_unless_they_would_look_alike():
    assert fitted(["short", "a" * 20 + "-" + "b" * 20], 10) == ["short", "aaaaa…bbbb"]
    alike = ["x" * 20 + "1" + "y" * 20, "x" * 20 + "2" + "y" * 20]
    assert fitted(alike, 10) == alike


def test_undefined_estimates_do_not_stop_a_figure(results, tmp_path):
    changed = dict(results.results)
    for name in ("accuracy", "compare", "ranks", "power"):
        tables = dict(results[name].tables)
        for table, original in results[name].tables.items():
            frame = original.copy()
            for column in (
                "estimate",
                "conf_low",
                "conf_high",
                "sim_low",
                "sim_high",
                "detectable",
                "bound_low",
                "bound_high",
            ):
                if column in frame:
                    frame[column] = frame[column].astype(float)
                    frame.loc[frame.index % 3 == 0, column] = np.nan
            if "verdict" in frame:
                frame.loc[frame["estimate"].isna(), "verdict"] = "not decided"
            tables[table] = frame
        changed[name] = Result(name, tables)
    for drawing in figures.draw(ResultSet("audit", changed), "ko").values():
        assert not re.search(r"\bnan\b", drawing.alt)
        figures.save(drawing, tmp_path, ["png"])


def test_names_with_dollars_are_no_formulas(results, tmp_path):
    frame = results["accuracy"].to_frame()
    frame["unit"] = frame["unit"].replace({"gpt-4o": "a$b_c$d"})
    drawing = figures.FIGURES["fig-ladder"](
        ResultSet("audit", {"accuracy": Result("accuracy", {"estimates": frame})}), "en"
    )
    labels = drawing.figure.axes[0].get_yticklabels()
    assert all(not label.get_parse_math() for label in labels)
    assert "a$b_c$d" in [label.get_text() for label in labels]


@pytest.mark.parametrize("name", ["accuracy", "compare", "ranks", "power"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_result_draws_itself_on_given_axes(results, name, lang):
    ax = Figure().subplots()
    assert results[name].plot(ax, lang=lang) is ax
    assert ax.lines or ax.collections or ax.patches
    assert len(ax.figure.axes) == 1
    own = results[name].plot(lang=lang)
    assert own is not ax
    assert own.figure.number in plt.get_fignums()  # so that a notebook shows it


def test_what_is_drawn_of_an_accuracy_depends_on_its_groups(results):
    frame = results["accuracy"].to_frame()
    by_category = Result("accuracy", {"estimates": frame[frame["by"] == "category"]})
    assert len(by_category.plot().texts) == 20 * 11
    one = Result("accuracy", {"estimates": frame[(frame["by"] == "category") & (frame["unit"] == "gpt-4o")]})
    assert [label.get_text() for label in one.plot().get_yticklabels()][:2] == ["History", "Geography"]


def test_compare_without_a_reference_is_drawn_as_a_triangle(results):
    alone = Result("compare", {"estimates": results["compare"].to_frame()})
    assert len(alone.plot().lines) == 190


def test_results_without_a_figure_say_so(results):
    with pytest.raises(UsageError, match="no figure"):
        results["account"].plot()
    empty = Result("compare", {"estimates": results["compare"].to_frame().iloc[:0]})
    with pytest.raises(UsageError, match="no estimates"):
        empty.plot()


def test_drawing_leaves_the_user_s_settings_alone(results):
    before = dict(mpl.rcParams)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figures.draw(results)
    assert dict(mpl.rcParams) == before

"""The Korean font: which is chosen, that both typst and matplotlib use it, that a missing glyph is an error (S43, S44)."""

from __future__ import annotations

import logging
import sys
import warnings
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.ft2font import FT2Font

from click_stats.errors import MissingDependencyError, RenderError
from click_stats.render import fonts

pytestmark = pytest.mark.report


@pytest.fixture(autouse=True)
def _fresh():
    fonts._candidates.cache_clear()
    yield
    fonts._candidates.cache_clear()


@pytest.fixture
def packaged() -> tuple[Path, ...]:
    files = fonts._packaged_files()
    assert [path.name for path in files] == ["NanumGothic.ttf", "NanumGothicBold.ttf"]
    return files


def faces(monkeypatch: pytest.MonkeyPatch, listed: dict[str, list[tuple[Path, int]]]) -> None:
    monkeypatch.setattr(fonts, "_system_faces", lambda: listed)


class TestChoice:
    def test_the_files_are_there_and_have_hangul_and_a_bold_face(self):
        choice = fonts.korean_font()
        assert all(path.is_file() for path in choice.files)
        assert {ord("가"), ord("힣"), ord("A")} <= set(FT2Font(str(choice.files[0])).get_charmap())
        assert len(choice.files) >= 2 or choice.files[0].suffix == ".ttc"

    def test_a_system_font_with_a_bold_face_comes_before_the_packaged_one(self, monkeypatch, packaged):
        faces(monkeypatch, {"Malgun Gothic": [(packaged[0], 400), (packaged[1], 700)]})
        choice = fonts.korean_font()
        assert (choice.family, choice.source, choice.folders) == ("Malgun Gothic", "system", ())

    def test_a_system_font_without_a_bold_face_does_not(self, monkeypatch, packaged):
        faces(monkeypatch, {"Noto Sans KR": [(packaged[0], 400)]})
        choice = fonts.korean_font()
        assert (choice.family, choice.source) == ("NanumGothic", "koreanize-matplotlib")
        assert choice.folders == (packaged[0].parent,)
        assert [(one.family, one.bold, one.chosen) for one in fonts.report_fonts()] == [
            ("Noto Sans KR", False, False),
            ("NanumGothic", True, True),
        ]

    def test_a_font_of_that_name_without_hangul_does_not(self, monkeypatch):
        latin = fonts.symbol_folder() / "DejaVuSans.ttf"
        faces(monkeypatch, {"Malgun Gothic": [(latin, 400), (latin, 700)]})
        assert fonts.korean_font().source == "koreanize-matplotlib"

    def test_a_collection_has_one_name_for_typst_and_one_for_matplotlib(self, monkeypatch, packaged):
        faces(monkeypatch, {"Noto Sans CJK JP": [(packaged[0], 400), (packaged[1], 700)]})
        choice = fonts.korean_font()
        assert (choice.family, choice.plot_family) == ("Noto Sans CJK KR", "Noto Sans CJK JP")

    def test_none_at_all_is_an_error_that_says_what_to_install(self, monkeypatch):
        faces(monkeypatch, {})
        monkeypatch.setattr(fonts, "find_spec", lambda _name: None)
        with pytest.raises(MissingDependencyError, match="boxes") as caught:
            fonts.korean_font()
        assert "Malgun Gothic" in caught.value.found
        assert "click-stats[report]" in caught.value.do
        assert "fonts-nanum" in caught.value.do
        assert fonts.report_fonts() == []

    def test_the_package_is_never_imported(self):
        fonts.korean_font()
        fonts.plot_families()
        assert "koreanize_matplotlib" not in sys.modules

    def test_settings_of_matplotlib_stay(self):
        before = dict(mpl.rcParams)
        fonts.plot_families()
        assert dict(mpl.rcParams) == before

    def test_typst_knows_the_family_in_bold(self):
        typst = pytest.importorskip("typst")
        choice = fonts.korean_font()
        known = typst.Fonts(font_paths=[str(path) for path in choice.folders]).fonts()
        assert any(face.weight >= 600 for face in known if face.family == choice.family)


def draw(text: str, families: list[str]) -> None:
    with mpl.rc_context({"font.family": families}):
        figure = Figure(figsize=(2, 1))
        figure.text(0.1, 0.5, text)
        figure.savefig(Path("/dev/null") if sys.platform != "win32" else "NUL", format="png")


class TestFigures:
    def test_hangul_and_the_minus_sign_have_glyphs(self):
        families = fonts.plot_families()
        assert families[-1] == "DejaVu Sans"
        with fonts.every_glyph():
            draw("조선 역사 −3.2 ≤ ±", families)

    def test_the_font_is_found_by_its_name(self):
        families = fonts.plot_families()
        found = Path(font_manager.findfont(families[0], fallback_to_default=False))
        assert found in fonts.korean_font().files

    def test_a_missing_glyph_is_an_error_that_names_it(self):
        with pytest.raises(RenderError, match="fonts lack") as caught, fonts.every_glyph():
            draw("조선", ["DejaVu Sans"])
        assert "조 (U+C870)" in caught.value.found
        assert "fonts-nanum" in caught.value.do

    def test_a_missing_sign_is_an_error_too(self):
        with pytest.raises(RenderError) as caught, fonts.every_glyph():
            draw("\U0001f4a9", fonts.plot_families())
        assert "U+1F4A9" in caught.value.found

    def test_other_warnings_pass(self):
        with warnings.catch_warnings(record=True) as seen, fonts.every_glyph():
            warnings.simplefilter("always")
            warnings.warn("something else", UserWarning, stacklevel=1)
        assert [str(one.message) for one in seen] == ["something else"]

    def test_the_subsetter_is_quiet_inside_only(self):
        logger = logging.getLogger("fontTools.subset")
        before = logger.level
        with fonts.every_glyph():
            assert logger.level == logging.ERROR
        assert logger.level == before

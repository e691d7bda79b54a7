"""The Korean text: written, not translated, and no particle stands on a value whose last sound is unknown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from click_stats.content import find

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Particles that follow a word directly. Those of two forms (은/는, 이/가 ...) depend on its last sound; the others are
# listed too, since "no particle" is a rule that can be checked.
PARTICLES = (
    "은", "는", "이", "가", "을", "를", "와", "과", "의", "로", "으로", "에", "에서", "에게", "도", "만", "까지", "부터", "보다", "처럼",
    "이나", "나", "이라", "라", "이다", "다", "이며", "며", "이고", "고",
)  # fmt: skip
# What may close around a value: emphasis, code, quotation marks; and the end of a condition.
GLUED = re.compile(
    r">>(?:[*_`’”\"']|<%-?[^%]*-?%>)*(" + "|".join(sorted(PARTICLES, key=len, reverse=True)) + r")(?![가-힣])"
)
REFERENCE = re.compile(r"@(?:tbl|fig|eq|sec)-[\w-]+")


def templates(lang: str) -> list[Path]:
    """All templates of a language: those of the reports, their parts and what they share."""
    return sorted(find("reports", "audit").parent.glob(f"*/*.{lang}.*jinja"))


def lines() -> Iterator[tuple[str, str]]:
    for path in templates("ko"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            yield f"{path.parent.name}/{path.name}:{number}", line


def test_all_templates_are_looked_at() -> None:
    names = [path.name for path in templates("ko")]
    assert {"findings.ko.jinja", "sections.ko.jinja", "report.ko.qmd.jinja"} <= set(names)
    assert sorted(names) == sorted(path.name.replace(".en.", ".ko.") for path in templates("en"))


@pytest.mark.parametrize(
    "bad", ["<< x >>은 크다", "**<< x >>**가", "<< n >>의 값", "`<< x >>`로", "<< x >><% endif %>를 쓴다"]
)
def test_the_scan_finds_glued_particles(bad: str) -> None:
    assert GLUED.search(bad)


@pytest.mark.parametrize(
    "good", ["모델(<< x >>)과", "<< n >>개의", "±<< m >> 이내에서", "<< n >>가지", "<< x >>: 크다", "<< p >>%p이다"]
)
def test_the_scan_leaves_other_words_alone(good: str) -> None:
    assert not GLUED.search(good)


def test_no_particle_touches_a_value() -> None:
    assert [(number, found.group()) for number, line in lines() if (found := GLUED.search(line))] == []


def test_references_stand_in_brackets() -> None:
    loose = [
        (number, found.group())
        for number, line in lines()
        for found in REFERENCE.finditer(line)
        if line[: found.start()].count("(") <= line[: found.start()].count(")")
    ]
    assert loose == []


def test_the_style_is_the_plain_one() -> None:
    polite = re.compile(r"(?:습니다|합니다|입니다|십시오|세요|해요|예요)")
    assert [number for number, line in lines() if polite.search(line)] == []


def test_no_emphasis_in_italics() -> None:
    # Korean fonts have no italic face: such emphasis is not seen in print.
    single = re.compile(r"(?<![*\\\w{}^])\*(?![*}\s])[^*\n<>$]+\*(?!\*)")
    assert [(number, line) for number, line in lines() if single.search(line)] == []


def test_results_are_never_called_significant_or_without_effect() -> None:
    for lang, words in {
        "ko": ("유의하", "유의미", "효과가 없", "차이가 없다고"),
        "en": ("significant", "no effect", "no difference"),
    }.items():
        for path in templates(lang):
            text = path.read_text(encoding="utf-8")
            # Evidence for no effect is what the Bayesian part is about; it has other grounds than a large p-value.
            assert [word for word in words if word in text] == [] or path.name.startswith("_bayes"), path.name


def test_the_four_verdicts_are_named() -> None:
    text = "\n".join(line for _, line in lines())
    for verdict in (
        "**구별된다**",
        "**구별되지 않는다**",
        "**±m 이내에서 동등하다**",
        "**이 자료로는 판단할 수 없다**",
    ):
        assert verdict in text

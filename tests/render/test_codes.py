from __future__ import annotations

import re

import numpy as np
import pytest

from click_stats.render import codes

PARTICLES = "은|는|이|가|을|를|과|와|으로|로|의|에|에서|보다|도|만"


def test_every_word_has_both_languages():
    for code, entry in codes.words().items():
        assert set(entry) == {"en", "ko"}, code
        assert all(entry.values()), code


def test_every_remark_is_known_by_its_own_text_and_fills_its_gaps():
    for _, entry in codes.remarks():
        gaps = set(re.findall(r"\{(\w+)\}", entry["is"]))
        filled = entry["is"].format(**{gap: "12" if gap in {"n", "total"} else f"<{gap}>" for gap in gaps})
        for lang in ("en", "ko"):
            said = codes.text(filled, lang)
            assert "{" not in said
            assert set(re.findall(r"\{(\w+)\}", entry.get(lang, ""))) <= gaps
        words = re.sub(r"\{\w+\}", "", entry["is"])
        assert re.search("[가-힣]", codes.text(filled, "ko")) or not re.search("[a-z]", words), entry["is"]


def test_no_korean_particle_follows_a_gap():
    glued = re.compile(rf"\}}\)?(?:{PARTICLES})(?![가-힣])")
    assert [entry["ko"] for _, entry in codes.remarks() if glued.search(entry["ko"])] == []


@pytest.mark.parametrize(
    ("code", "korean"),
    [
        ("not separated", "구별되지 않음"),
        (True, "예"),
        (np.bool_(False), "아니요"),
        ("5 discordant items", "불일치 문항 5개: 보넷-프라이스 구간"),
        (
            "a: answered 14 of 133 items, under half; b: answered 1 of 2 items, under half",
            "a: 문항 133개 가운데 14개에만 답함(절반 미만); b: 문항 2개 가운데 1개에만 답함(절반 미만)",
        ),
        (
            "Left out of comparisons: a, F (answered 14 of 133 items, under half); b, G (answered 1 of 2 items, under half).",
            "비교에서 뺀 것: a, F(문항 133개 가운데 14개에만 답함(절반 미만)); b, G(문항 2개 가운데 1개에만 답함(절반 미만)).",
        ),
        ("a left out: answered 14 of 133 items, under half", "a: 뺌(문항 133개 가운데 14개에만 답함(절반 미만))"),
        ("3 models, all items (4 of 9)", "모델 3개, 전체 문항(9개 중 4개)"),
        ("a remark nobody foresaw {x}", "a remark nobody foresaw {x}"),
        ("degenerate; tied", "모든 답이 맞거나 틀려 구간의 너비를 군집 수로 정함; 동점"),
    ],
)
def test_korean(code, korean):
    assert codes.text(code, "ko") == korean


def test_english_says_codes_in_words():
    assert codes.text("not decided") == "not decided by these data"
    assert codes.text("degenerate").startswith("all answers right, or all wrong")
    assert codes.text("gpt-4o: answered 14 of 133 items, under half") == "gpt-4o: answered 14 of 133 items, under half"

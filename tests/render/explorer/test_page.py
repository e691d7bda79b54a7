"""The file: small, without texts and addresses, harmless whatever the names are, and the same in both languages."""

import base64
import hashlib
import json
import re
from importlib.resources import files

import pytest
from lxml import html

from click_stats.errors import RenderError, UsageError
from click_stats.render import beside as pages
from click_stats.render import explorer
from click_stats.render.explorer.data import words
from click_stats.results import ResultSet
from click_stats.stats.item_answers.packed import unpack

MEGABYTE = 1_000_000
HANGUL = re.compile("[가-힣]")
SCRIPT = files("click_stats.render.explorer").joinpath("page.js").read_text(encoding="utf-8")


def data_of(page):
    return json.loads(html.fromstring(page).get_element_by_id("data").text)


def banners(page):
    return html.fromstring(page).xpath("//p[@class='banner'][@role='note']/text()")


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_twenty_models_and_1995_items_are_well_under_three_megabytes(real, lang):
    page = explorer.page(real, lang=lang)
    assert len(page.encode()) < 0.4 * MEGABYTE  # measured: 0.28; flags and difficulties of all items add 0.45
    data = data_of(page)
    assert len(data["items"]["item"]) == 1995
    assert len(data["units"]) == 20


def test_what_is_in_the_page_is_what_was_answered(real):
    data, answers = data_of(explorer.page(real)), real["item_answers"]
    items = answers.to_frame()
    assert data["items"]["item"] == items["item"].tolist()
    assert data["items"]["gold"] == items["gold"].tolist()
    assert data["items"]["estimate"] == pytest.approx(items["estimate"].tolist(), abs=1e-5)
    lines = dict(zip(*answers.to_frame("answers")[["unit", "answers"]].T.to_numpy(), strict=True))
    for unit in data["units"]:
        assert unit["answers"] == lines[unit["id"]]
        gold = [chr(65 + key) for key in data["items"]["gold"]]
        words_ = unpack(unit["answers"])
        spoke = [any(letter.isupper() or letter in "oert" for letter in word) for word in words_]
        right = sum(key in word for key, word in zip(gold, words_, strict=True))
        assert unit["estimate"] == pytest.approx(right / sum(spoke), abs=1e-5)


def test_models_have_the_names_of_reports(real):
    labels = [unit["label"] for unit in data_of(explorer.page(real))["units"]]
    assert "GPT-4o" in labels


def test_nothing_is_fetched_and_only_our_script_may_run(real):
    page = explorer.page(real)
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//|@import|url\(", page)
    root = html.fromstring(page)
    policy = root.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    script = root.xpath("//script[not(@type)]")
    assert len(script) == 1
    for element, rule in ((script[0], "script-src"), (root.xpath("//style")[0], "style-src")):
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        assert f"{rule} 'sha256-{digest}'" in policy
    assert root.xpath("//@style | //@onclick | //@onload") == []


def test_the_script_writes_text_never_markup():
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", SCRIPT)
    assert "</script" not in SCRIPT.lower()


def test_names_cannot_break_out(invented, result_set):
    counts = invented(evil=True)
    page = explorer.page(result_set(counts))
    assert page.count("</script>") == 2
    assert "<img" not in page
    data = data_of(page)
    assert data["units"][0]["label"] == counts.units.index[0]
    assert data["items"]["item"][0] == counts.items.index[0]


def test_texts_are_absent_unless_the_results_hold_them(invented, result_set):
    counts = invented(texts=True)
    quiet = explorer.page(result_set(counts))
    assert data_of(quiet)["texts"] is None
    for text in ("Question number", "A passage", "text 3.1"):
        assert text not in quiet
    assert banners(quiet) == []
    asked = explorer.page(result_set(counts, with_texts=True))
    data = data_of(asked)
    assert data["texts"]["question"][3] == "Question number 3 <i>?"
    assert data["texts"]["options"][3] == [f"text 3.{option}" for option in range(5)]
    assert "not for publication" in banners(asked)[0]


def test_other_analyses_are_joined_by_item(invented, result_set, beside):
    data = data_of(explorer.page(result_set(invented(), *beside)))
    assert data["flags"]["codes"] == ["wrong key suspected", "no model right"]
    assert data["flags"]["items"] == {"4": [0, 1], "1": [0]}
    assert [measure["name"] for measure in data["measures"]] == ["difficulty", "rest"]
    assert data["measures"][0]["values"] == [-1.5, -0.5, 0.0, 0.5, 2.0, None]
    titles = {part["title"]: part for part in data["details"]}
    assert list(titles) == ["Item analysis", "Item response theory", "Differences between groups of models"]
    columns = titles["Item response theory"]["columns"]
    assert [column["label"] for column in columns] == ["Difficulty", "Reason"]
    assert {"low", "high"} <= set(columns[0])
    groups = titles["Differences between groups of models"]
    assert groups["rows"] == {"0": [[0.25, 0], [-0.5, 1]]}
    assert groups["texts"] == ["separated", "not separated"]


def test_without_them_it_works_too(invented, result_set, beside):
    empty = [type(one)(one.name, {}, meta={"reason": "Stepped aside."}) for one in beside]
    for others in ([], empty):
        page = explorer.page(result_set(invented(), *others))
        data = data_of(page)
        assert data["flags"]["codes"] == data["measures"] == data["details"] == []
        assert ('name="flag"' in page, 'name="dmin"' in page) == (False, False)
        assert ("Stepped aside." in page) == bool(others)


def test_one_model_has_no_pairs(invented, result_set):
    assert 'name="relation"' not in explorer.page(result_set(invented(n_units=1)))


def test_simulated_answers_are_marked(invented, result_set):
    counts = invented()
    marked = counts.with_units(counts.units.assign(condition=["simulated", "default"]))
    assert banners(explorer.page(result_set(marked), lang="ko")) == [
        "모의 답이며, 이름을 빌린 모델에 관해서는 아무것도 말해 주지 않는다: m0."
    ]
    assert banners(explorer.page(result_set(counts), lang="ko")) == []


def test_both_languages_have_the_same_words_and_gaps():
    english, korean = words("en"), words("ko")
    assert english.keys() == korean.keys()
    for name, text in english.items():
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", korean[name])), name
        assert HANGUL.search(korean[name]) or korean[name] == "%p", name
        assert not HANGUL.search(text), name
        assert not re.search(r"\}(?:은|는|이|가|을|를|과|와|으로|로|의|에|도)(?![가-힣])", korean[name]), name


def test_every_word_of_the_script_is_there():
    used = set(re.findall(r"(?<![\w.])words\.(\w+)", SCRIPT))
    assert used - words("en").keys() == set()


def test_the_korean_page_has_no_english_words(invented, result_set):
    root = html.fromstring(explorer.page(result_set(invented()), lang="ko"))
    assert root.get("lang") == "ko"
    for word in ("Filters", "Search", "Category", "Answer"):
        assert word not in "".join(root.xpath("//body//text()[not(parent::script)]"))


def test_wrong_calls_say_what_to_do(invented, result_set):
    with pytest.raises(UsageError, match="item_answers"):
        explorer.page(ResultSet("audit", {}))
    with pytest.raises(UsageError, match="no language 'fr'"):
        explorer.page(result_set(invented()), lang="fr")


@pytest.mark.parametrize("text", ["beside = [", 'beside = ["map"]', "colour = 1"])
def test_a_report_that_declares_something_else_is_refused(tmp_path, text):
    assert pages.declared(tmp_path) == {}
    (tmp_path / "report.toml").write_text(text)
    with pytest.raises(RenderError, match=r"report\.toml"):
        pages.declared(tmp_path)

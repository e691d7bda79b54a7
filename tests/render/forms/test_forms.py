"""The forms that people fill in, in a real browser: keys, progress, the saved file, and what reads it."""

import json
import re
import time
from pathlib import Path

import pytest

import click_stats as cs
from click_stats.errors import DataError
from click_stats.items import review
from click_stats.render.forms import form, words

INVENTED = Path(__file__).parents[3] / "fixtures" / "invented"
EVIL = "</script><img src=x onerror=\"document.title='hacked'\"><b>&'`"


@pytest.fixture(scope="module")
def items():
    return cs.read_items(INVENTED / "items.jsonl", definition=INVENTED / "benchmark.toml")


@pytest.fixture
def load(browser, tmp_path):
    """Open a form, with nothing kept, and let its files go to a folder."""

    def _load(path, *, fresh=True):
        browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path / "saved"))
        browser.open(path.as_uri())
        if fresh:
            browser.evaluate("localStorage.clear()")
            browser.open(path.as_uri())
        return browser

    return _load


def saved(folder, name):
    """The file that the browser saved, once it is there."""
    path = folder / "saved" / name
    limit = time.monotonic() + 20
    while not path.is_file() and time.monotonic() < limit:
        time.sleep(0.05)
    return path


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def key(browser, code):
    """Press a digit."""
    event = {"key": code, "code": f"Digit{code}", "windowsVirtualKeyCode": ord(code), "text": code}
    browser.call("Input.dispatchKeyEvent", type="keyDown", **event)
    browser.call("Input.dispatchKeyEvent", type="keyUp", key=code)


def click(browser, selector):
    browser.evaluate(f"document.querySelector({json.dumps(selector)}).click()")


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_quiz_names_no_key_and_says_what_it_holds(items, tmp_path, lang):
    page = cs.quiz(items, n=31, lang=lang, out=tmp_path / "quiz.html").read_text(encoding="utf-8")
    assert f'<html lang="{lang}">' in page
    assert words(lang)["with_texts"] in page
    assert "default-src &#39;none&#39;" in page
    assert "built-in method" not in page
    for question in data_of(page)["questions"]:
        assert set(question) == {"id", "ask", "rotation", "category", "passage", "question", "options", "labels"}


def test_words_are_there_in_both_languages():
    assert words("en").keys() == words("ko").keys()
    gaps = {name: set(re.findall(r"\{(\w+)\}", text)) for name, text in words("en").items()}
    assert gaps == {name: set(re.findall(r"\{(\w+)\}", text)) for name, text in words("ko").items()}


def test_a_quiz_needs_texts(tmp_path):
    with pytest.raises(DataError, match="needs the texts"):
        cs.quiz(cs.read_items(), out=tmp_path / "quiz.html")


@pytest.mark.browser
@pytest.mark.parametrize("shuffle", [False, True])
def test_a_person_answers_by_keyboard_and_the_file_is_read_as_a_human(items, load, tmp_path, shuffle):
    path = cs.quiz(items, n=12, seed=2, shuffle=shuffle, lang="ko", out=tmp_path / "quiz.html")
    questions = data_of(path.read_text(encoding="utf-8"))["questions"]
    browser = load(path)
    browser.evaluate("document.getElementById('who').focus()")
    browser.type("가-01")
    browser.evaluate("document.getElementById('item').focus()")
    for place in range(11):
        key(browser, str(place % 3 + 1))
        browser.press("Enter")
    assert browser.text("#item-title") == "문항 12 / 12"
    browser.evaluate("document.querySelector('[name=option][value=\"-1\"]').click()")
    assert browser.text("#progress") == "12개 가운데 12개 답함"
    click(browser, "#save")
    file = saved(tmp_path, "answers-가-01.csv")
    trials = cs.read_trials(file, items).frame().set_index("item")
    assert set(trials["model"]) == {"가-01"}
    assert set(trials["condition"]) == {"human"}
    for place, question in enumerate(questions[:-1]):
        shown = question["options"][place % 3]
        source = items.frame.loc[question["ask"], "options"]
        assert source[int(trials.loc[question["ask"], "prediction"])] == shown
        assert trials.loc[question["ask"], "rotation"] == question["rotation"]
    assert trials.loc[questions[-1]["ask"], "status"] == "empty"
    assert cs.read_trials(file, items).counts().people.all()
    assert browser.faults() == []
    assert all(one.startswith(("file:", "blob:", "data:")) for one in browser.requests())


@pytest.mark.browser
def test_progress_is_kept_and_can_be_deleted(items, load, tmp_path):
    path = cs.quiz(items, n=5, out=tmp_path / "quiz.html")
    browser = load(path)
    key(browser, "2")
    browser.press("Enter")
    assert browser.text("#progress") == "1 of 5 answered"
    browser = load(path, fresh=False)
    assert browser.text("#progress") == "1 of 5 answered"
    assert browser.text("#item-title") == "Item 2 of 5"
    click(browser, "#previous")
    assert browser.evaluate("document.querySelector('[name=option]:checked').value") == "1"
    browser.evaluate("window.confirm = () => true")
    click(browser, "#clear")
    assert browser.text("#progress") == "0 of 5 answered"
    assert browser.evaluate("localStorage.length") == 0


@pytest.mark.browser
@pytest.mark.parametrize("who", ["", "a b", "=1+1", "x,y"])
def test_nothing_is_saved_without_a_code(items, load, tmp_path, who):
    browser = load(cs.quiz(items, n=3, out=tmp_path / "quiz.html"))
    key(browser, "1")
    browser.evaluate(
        f"{{ const one = document.getElementById('who'); one.value = {json.dumps(who)}; one.dispatchEvent(new Event('input')); }}"
    )
    click(browser, "#save")
    assert browser.text("#said").startswith("Enter your code first")
    assert browser.evaluate("document.activeElement.id") == "who"


@pytest.mark.browser
def test_texts_that_are_markup_are_shown_as_text(load, tmp_path):
    question = {
        "id": "1", "ask": "A/1", "rotation": 0, "category": EVIL, "passage": EVIL, "question": EVIL,
        "options": [EVIL, "b"], "labels": ["A", "B"],
    }  # fmt: skip
    path = tmp_path / "evil.html"
    path.write_text(form("quiz", [question], name="evil", file="answers", benchmark=EVIL), encoding="utf-8")
    browser = load(path)
    assert browser.faults() == []
    assert browser.evaluate("document.images.length") == 0
    assert browser.text(".question") == EVIL


@pytest.fixture
def packet(items, tmp_path):
    keys = list(map(str, items.frame.index))
    found = review.draw(items, keys, {keys[0]: ["r"], keys[5]: ["r"]}, suspects=2, good=2, seed=1, lang="ko")
    known = review.codes(blind=True)
    codes = [{"code": one.code, "label": one.label["ko"], "meaning": one.meaning["ko"]} for one in known]
    paths = []
    for sheet in found.sheets:
        questions = [
            {
                "id": row.id,
                "category": "바다",
                "passage": "",
                "question": str(items.frame.loc[row.item, "question"]),
                "options": list(items.frame.loc[row.item, "options"]),
                "labels": list(items.labels(row.item)),
            }
            for row in sheet.rows
        ]
        path = tmp_path / f"{sheet.reviewer}.html"
        page = form("review", questions, name=sheet.rows[0].id, file=sheet.reviewer, benchmark="Rainbow Island",
                    lang="ko", codes=codes, may_lack=review.MAY_LACK_ANSWER, one_answer=review.ONE_ANSWER)  # fmt: skip
        path.write_text(page, encoding="utf-8")
        paths.append(path)
    return found, paths


@pytest.mark.browser
def test_reviewers_fill_the_form_and_the_file_is_read(items, packet, load, tmp_path):
    known, paths = packet
    files = []
    for sheet, path in zip(known.sheets, paths, strict=True):
        browser = load(path)
        assert len(browser.texts("[name=code]")) == 8
        for place in range(4):
            key(browser, "1")
            if place == 1:
                click(browser, "[name=code][value='several correct']")
                assert browser.text(".fault") == "옳은 선택지를 둘 이상 모두 표시한다."
                key(browser, "3")
                assert browser.text(".fault") == ""
            elif place == 2:
                click(browser, "[name=code][value=outdated]")
                browser.evaluate("document.getElementById('remark').focus()")
                browser.type('쉼표, "따옴표"')
            else:
                click(browser, "[name=code][value=fine]")
            click(browser, "#next")
        assert browser.text("#progress") == "4개 가운데 4개 답함"
        click(browser, "#save")
        files.append(saved(tmp_path, f"{sheet.reviewer}.csv"))
        assert browser.faults() == []
    opinions = review.read_opinions(known, items, files)
    by_place = [next(o for o in opinions if o.item == row.item) for row in known.sheets[0].rows]
    assert [one.answer for one in by_place] == [(0,), (0, 2), (0,), (0,)]
    assert by_place[1].code == "several correct"
    assert by_place[2].remark == '쉼표, "따옴표"'


@pytest.mark.browser
def test_digits_typed_into_a_remark_choose_nothing(packet, load):
    browser = load(packet[1][0])
    browser.evaluate("document.getElementById('remark').focus()")
    key(browser, "1")
    assert browser.evaluate("document.getElementById('remark').value") == "1"
    assert browser.evaluate("document.querySelectorAll('[name=option]:checked').length") == 0


@pytest.mark.browser
def test_everything_a_person_can_operate_has_a_name_and_fits_a_phone(packet, load, browser):
    browser.call("Emulation.setDeviceMetricsOverride", width=360, height=700, deviceScaleFactor=1, mobile=True)
    load(packet[1][0])
    assert browser.evaluate("document.documentElement.scrollWidth") <= 360
    browser.call("Emulation.clearDeviceMetricsOverride")
    nodes = [node for node in browser.call("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
    roles = {"button", "checkbox", "radio", "textbox", "link"}
    operable = [node for node in nodes if node["role"]["value"] in roles]
    assert len(operable) > 15
    assert [node["role"]["value"] for node in operable if not node["name"]["value"]] == []

"""The page in a real browser: filters, links, keys, colours, paper; what it shows is what was counted."""

import base64
import io
import json
import time
from itertools import pairwise
from urllib.parse import quote, urlencode

import numpy as np
import pypdf
import pytest

from click_stats.counts import Counts
from click_stats.stats.item_answers.packed import unpack

pytestmark = pytest.mark.browser

A, B = "gpt-4o-240513", "phi-4"
CONTROLS = {"button", "link", "searchbox", "textbox", "spinbutton", "combobox", "checkbox"}
"""Roles that a person can operate."""


def fragment(item="", **filters):
    return f"#{quote(item)}" + (f"?{urlencode(filters)}" if filters else "")


def number(browser):
    """How many items pass the filters, as the page says."""
    said = browser.text("#found").split(" of ")[0].replace(",", "")
    return int(said) if said.isdigit() else 0


def focused(browser):
    return browser.evaluate("document.activeElement.id || document.activeElement.innerText || ''")


@pytest.fixture(scope="module")
def units(real):
    return real["item_answers"].to_frame("units")["unit"].tolist()


@pytest.fixture(scope="module")
def items(real):
    return real["item_answers"].to_frame()


@pytest.fixture(scope="module")
def answered(real):
    """Per model the one letter that it answered to each item."""
    lines = real["item_answers"].to_frame("answers")
    return {
        unit: np.array(["".join(word) for word in unpack(line)])
        for unit, line in zip(lines["unit"], lines["answers"], strict=True)
    }


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_it_opens_from_disk_without_an_error_and_asks_for_nothing(show, real, lang):
    browser = show(real, fragment("History/Kedu_history_23"), lang)
    assert browser.faults() == []
    assert [address.split("/")[-1] for address in browser.requests()] == ["explorer.html"]
    assert browser.evaluate("document.documentElement.lang") == lang
    assert browser.text("h1") == {"en": "Items of CLIcK", "ko": "CLIcK 문항 살펴보기"}[lang]
    assert browser.text("#item-title") == "History/Kedu_history_23"
    assert len(browser.texts("#rows tr")) == 50
    assert browser.texts("#rows tr[aria-current] a") == ["History/Kedu_history_23"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, lambda items: items["item"].notna()),
        ({"category": "Law"}, lambda items: items["category"] == "Law"),
        ({"source": "KIIP", "category": "Society"}, lambda items: (items["source"] == "KIIP") & (items["category"] == "Society")),
        ({"min": 20, "max": 45.5}, lambda items: items["estimate"].between(0.2, 0.455)),
        ({"max": 0}, lambda items: items["estimate"] == 0),
        ({"q": "csat 2"}, lambda items: items["item"].str.lower().str.contains("csat") & items["item"].str.contains("2")),
        ({"category": "no such category"}, lambda items: items["item"].notna()),
    ],
)  # fmt: skip
def test_filters_in_the_address(show, real, items, filters, expected):
    wanted = items[expected(items)]
    browser = show(real, fragment(**filters))
    assert number(browser) == len(wanted)
    assert browser.texts("#rows a") == wanted["item"].tolist()[:50]


@pytest.mark.parametrize("relation", ["differ", "a_better", "b_better", "same_wrong"])
def test_pairs_of_models(show, real, items, answered, units, relation):
    a, b = (next(unit for unit in units if unit.startswith(name[:6])) for name in (A, B))
    left, other = answered[a], answered[b]
    gold = np.array([chr(65 + key) for key in items["gold"]])
    spoke = ~(np.isin(left, ["f", "x", "m"]) | np.isin(other, ["f", "x", "m"]))
    named = np.char.isupper(left.astype(str))
    same = (left == other) | (np.isin(left, list("oert")) & np.isin(other, list("oert")))
    wanted = (
        spoke
        & {
            "differ": ~same,
            "a_better": (left == gold) & (other != gold),
            "b_better": (left != gold) & (other == gold),
            "same_wrong": (left == other) & (left != gold) & named,
        }[relation]
    )
    browser = show(real, fragment(a=a, b=b, relation=relation))
    assert number(browser) == wanted.sum() > 0
    assert browser.texts("#rows a") == items["item"][wanted].tolist()[:50]
    assert len(browser.texts("#heads th")) == 5  # item, source, share, and the answers of both


def test_sorting_by_the_header_and_by_the_address(show, real, items):
    browser = show(real, fragment(sort="share"))
    order = items.sort_values("estimate", kind="stable")["item"].tolist()
    assert browser.texts("#rows a") == order[:50]
    assert browser.evaluate("document.querySelector('[aria-sort]').getAttribute('aria-sort')") == "ascending"
    browser.evaluate("document.querySelector('[data-sort=share]').click()")
    assert browser.evaluate("location.hash") == "#?sort=-share"
    assert (
        browser.texts("#rows a") == items.sort_values("estimate", ascending=False, kind="stable")["item"].tolist()[:50]
    )
    assert browser.evaluate("document.activeElement.dataset.sort") == "share"


def test_one_item_as_counted(show, real, items, answered):
    row = items.set_index("item").loc["History/Kedu_history_23"]
    place = items["item"].tolist().index("History/Kedu_history_23")
    browser = show(real, fragment("History/Kedu_history_23"))
    letters = [answers[place] for answers in answered.values()]
    shown = dict(zip(*([browser.texts(f"#options tbody {cell}") for cell in ("th", "td:last-child")]), strict=True))
    for option in "ABCD":
        name = option if option != chr(65 + row["gold"]) else f"{option} ✓ key"
        assert int(shown[name]) == letters.count(option)
    results = browser.texts("#models tbody td:last-child")
    assert len(results) == len(letters)
    assert results.count("✓ right") == letters.count(chr(65 + row["gold"]))
    assert f"{100 * row['estimate']:.1f}% (mean of {row['n_units']} models)" in browser.text("#detail dl")


def test_several_trials_are_counts_and_shares_are_means_over_models(show, invented, result_set):
    counts = invented(n_units=3, trials=12, seed=5)
    browser = show(result_set(counts), fragment("B/item_3"))
    item = counts.items.index.get_loc("B/item_3")
    shares = counts.options[:, item] / counts.n("ok", "out_of_option", "empty", "refused", "truncated")[:, item, None]
    shown = [text.strip() for text in browser.texts("#options tbody td:nth-child(2)")]
    assert shown[:5] == [f"{100 * share:.0f}%" for share in shares.mean(axis=0)]
    heads = browser.texts("#models thead th")
    rows = [browser.texts(f"#models tbody tr:nth-child({k}) > *") for k in (1, 2, 3)]
    assert heads[2:7] == ["A", "✓ B", "C", "D", "E"]
    for row in rows:
        assert list(map(int, row[2:7])) == counts.options[counts.units.index.get_loc(row[0]), item].tolist()


def test_flags_difficulties_and_other_analyses(show, invented, result_set, beside):
    results = result_set(invented(), *beside)
    assert number(show(results, fragment(flag="wrong key suspected"))) == 2
    assert number(show(results, fragment(flag="+"))) == 2
    assert number(show(results, fragment(flag="-"))) == 4
    assert number(show(results, fragment(dmin=-0.5, dmax=0.5))) == 3
    browser = show(results, fragment("A/item_4", sort="-difficulty"))
    assert browser.texts("#rows a") == ["A/item_4", "B/item_3", "A/item_2", "B/item_1", "A/item_0", "B/item_5"]
    assert "2.00 (1.00 – 3.00)" in browser.text("#detail")
    assert "a note on it" in browser.text("#detail dl")
    assert browser.texts("#rows tr:first-child .tag") == ["wrong key suspected", "no model right"]
    groups = show(results, fragment("A/item_0")).text("#detail table:not([id])")
    assert groups.split("\n") == ["Estimate (points)\tVerdict", "+25.0\tseparated", "−50.0\tnot separated"]
    assert "no trial responded" in show(results, fragment("B/item_5")).text("#detail")


def test_items_of_one_passage_lead_to_each_other(show, invented, result_set):
    browser = show(result_set(invented()), fragment("A/item_0", category="A"))
    browser.evaluate(
        "[...document.querySelectorAll('#detail dd a')].find((one) => one.innerText === 'B/item_1').click()"
    )
    assert browser.text("#item-title") == "B/item_1"
    assert browser.evaluate("location.hash") == "#B/item_1?category=A"


def test_the_keyboard_is_enough(show, real):
    browser = show(real)
    stops = []
    for _ in range(4):
        browser.press("Tab")
        stops.append(focused(browser))
    assert stops[:3] == ["Skip to the list of items", "Skip to the item", "theme"]
    assert browser.evaluate("document.activeElement.name") == "q"
    browser.type("Kedu_history")
    assert browser.evaluate("location.hash") == "#?q=Kedu_history"
    assert number(browser) == len([one for one in browser.texts("#rows a") if "Kedu_history" in one])
    browser.evaluate("document.querySelector('.skip').focus()")
    browser.press("Enter")
    first = focused(browser)
    assert first.startswith("History/Kedu_history_")
    browser.press("ArrowDown")
    second = focused(browser)
    assert second not in {first, ""}
    assert browser.text("#item-title") == second  # moving shows
    browser.press("ArrowUp")
    assert focused(browser) == first
    browser.press("Enter")
    assert focused(browser) == "item-title"  # reading begins at the item
    browser.press("Escape")
    assert focused(browser) == first
    browser.press("End")
    assert browser.text("#item-title") == focused(browser) == browser.texts("#rows a")[-1]


def test_arrows_cross_pages_and_going_back_returns(show, real, items):
    browser = show(real, fragment(items["item"][49]))
    browser.evaluate("document.querySelector('tr[aria-current] a').focus()")
    browser.press("ArrowDown")
    assert browser.text("#page") == "Page 2 of 40"
    assert focused(browser) == items["item"][50]
    browser.evaluate("document.querySelector('#rows tr:nth-child(3) a').click()")
    assert browser.text("#item-title") == items["item"][52]
    browser.evaluate(
        "new Promise((done) => { window.addEventListener('hashchange', done, { once: true }); history.back(); })"
    )
    assert browser.text("#item-title") == items["item"][50]
    browser.evaluate("document.querySelector('[data-step=\"1\"]').click()")
    assert browser.text("#item-title") == items["item"][51]


def test_clearing_keeps_the_item(show, real):
    browser = show(real, fragment("Law/PSAT_17_4", category="Law", q="psat", a="x", sort="share"))
    browser.evaluate("document.querySelector('[type=reset]').click()")
    assert browser.evaluate("location.hash") == "#Law/PSAT_17_4"
    assert number(browser) == 1995
    assert browser.evaluate("document.forms[0].elements.q.value") == ""


@pytest.mark.parametrize("hash_", ["#No/such_item", "#%E0%A4%A", "#?page=999&sort=nothing&min=abc", "#?page=-3"])
def test_addresses_that_name_nothing_do_no_harm(show, real, hash_):
    browser = show(real, hash_)
    assert browser.faults() == []
    assert browser.text("#detail")
    assert number(browser) in {0, 1995}


def test_names_that_are_markup_are_shown_as_text(show, invented, result_set):
    counts = invented(evil=True, texts=True)
    browser = show(result_set(counts, with_texts=True), fragment(counts.items.index[0]))
    assert browser.faults() == []
    assert browser.evaluate("document.title") == "Items of Invented"
    assert browser.evaluate("document.images.length") == 0
    assert browser.evaluate("document.querySelector('#item-title').textContent") == counts.items.index[0]
    names = browser.evaluate("[...document.querySelectorAll('#models tbody th')].map((one) => one.textContent)")
    assert counts.units.index[0] in names
    assert "text 0.1" in browser.text("#options")
    assert "A passage" in browser.text("#detail")
    assert number(show(result_set(counts, with_texts=True), fragment(q="NUMBER 5 <i>"))) == 1


def test_everything_a_person_can_operate_has_a_name(show, real):
    browser = show(real, fragment("History/Kedu_history_23"))
    nodes = [node for node in browser.call("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
    roles = [node["role"]["value"] for node in nodes]
    assert {"main", "search", "navigation", "banner", "contentinfo", "status", "table"} <= set(roles)
    operable = [node for node in nodes if node["role"]["value"] in CONTROLS]
    assert len(operable) > 60
    assert [node["role"]["value"] for node in operable if not node["name"]["value"]] == []
    levels = browser.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((one) => Number(one.tagName[1]))")
    assert levels[0] == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def contrast(browser, selector):
    """The ratio of contrast of an element's text to the page, by WCAG."""
    colours = browser.evaluate(
        f"[getComputedStyle(document.querySelector({json.dumps(selector)})).color, "
        "getComputedStyle(document.body).backgroundColor]"
    )
    light = []
    for colour in colours:
        parts = np.array([float(part) for part in colour[4:-1].split(",")[:3]]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        light.append(float(linear @ [0.2126, 0.7152, 0.0722]))
    return (max(light) + 0.05) / (min(light) + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_schemes_can_be_read(show, real, scheme):
    browser = show(real, fragment("History/Kedu_history_20"))
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    for selector in ("body", ".top p", "#rows a", ".right-mark", ".wrong-mark", "footer"):
        assert contrast(browser, selector) >= 4.5, selector
    followed = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    other = {"light": "dark", "dark": "light"}[scheme]
    browser.evaluate(
        f"{{ const one = document.querySelector('#theme'); one.value = '{other}'; one.dispatchEvent(new Event('change')); }}"
    )
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") != followed
    browser.call("Emulation.setEmulatedMedia", features=[])


def test_on_paper_an_item_stands_alone(show, real):
    browser = show(real, fragment("History/Kedu_history_23"))
    printed = base64.b64decode(browser.call("Page.printToPDF", preferCSSPageSize=False)["data"])
    pages = pypdf.PdfReader(io.BytesIO(printed)).pages
    text = "".join(page.extract_text() for page in pages)
    assert len(pages) <= 2
    assert "History/Kedu_history_23" in text
    assert "GPT-4o" in text
    assert "Clear filters" not in text
    assert "History/Kedu_history_24" not in text


def test_a_narrow_window_scrolls_in_one_direction_only_and_leads_to_the_item(show, browser, real):
    browser.call("Emulation.setDeviceMetricsOverride", width=360, height=700, deviceScaleFactor=1, mobile=True)
    show(real, fragment("History/Kedu_history_23"))
    assert browser.evaluate("document.documentElement.scrollWidth") <= 360
    assert abs(browser.evaluate("document.querySelector('#item-title').getBoundingClientRect().top")) < 50
    browser.call("Emulation.clearDeviceMetricsOverride")


def test_twenty_thousand_items_stay_quick(show, invented, result_set):
    few = invented(n_items=200, n_units=20)
    repeat = {
        name: np.tile(getattr(few, name), (1, 100, *[1] * (getattr(few, name).ndim - 2)))
        for name in ("options", "statuses", "planned")
    }
    items = few.items.iloc[np.tile(np.arange(200), 100)]
    items.index = [f"{category}/{place}" for place, category in enumerate(items["category"])]
    counts = Counts(**{**vars(few), **repeat, "items": items.assign(cluster=items.index)})
    browser = show(result_set(counts))
    assert number(browser) == 20_000
    started = time.perf_counter()
    browser.evaluate("document.querySelector('[name=q]').focus()")
    browser.type("19")
    browser.evaluate("document.querySelector('[data-sort=share]').click()")
    shown = number(browser)
    assert time.perf_counter() - started < 2
    assert shown == sum("19" in key for key in items.index)

"""The dataset has no licence: none of its texts may be in the project."""

import csv
import importlib.util
import json
import re
import sys
import unicodedata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "fixtures" / "real-results").glob("*.csv"))
HANGUL = re.compile(r"[ᄀ-ᇿ㄰-㆏가-힣]")


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("make_real_results", ROOT / "scripts" / "make_real_results.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_twenty_files_came_with_their_licence():
    assert len(FILES) == 20
    assert "MIT License" in (ROOT / "fixtures" / "real-results" / "LICENSE-MIT.txt").read_text(encoding="utf-8")


def test_no_response_holds_hangul_or_more_than_labels(script):
    for path in FILES:
        for row in rows(path):
            assert not HANGUL.search("".join(row.values())), (path.name, row["id"])
            assert row["response"] == script.CUT or script.MODEST.fullmatch(row["response"])


def test_what_was_cut_is_listed(script):
    text = (ROOT / "fixtures" / "README.md").read_text(encoding="utf-8")
    section = text.partition(script.BEGIN)[2].partition(script.END)[0]
    listed = dict(re.findall(r"^\| `(.+?)` \| [\d,]+ \| (\d+) \|$", section, flags=re.MULTILINE))
    assert {name: int(n) for name, n in listed.items()} == {
        path.name: sum(row["response"] == script.CUT for row in rows(path)) for path in FILES
    }


@pytest.mark.parametrize(
    ("response", "kept"),
    [
        ("A", True),
        ("### ANSWER  \nD", True),
        ("B\n\n### ANSWER\nB", True),
        ("[EMPTY_RESPONSE]", True),
        ("A, D", True),
        ("B: some words of an option", False),
        ("The answer is A", False),
        ("ㄱ", False),
        ("1592", False),
    ],
)
def test_only_labels_and_sentinels_are_kept(script, tmp_path, response, kept):
    path = tmp_path / "m.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [["id", "pred", "response"], ["a", "A", response], ["b", "", "B"]]
        )
    text, n_cut = script.cut_file(path, {})
    assert n_cut == (0 if kept else 1)
    if kept:
        assert text.encode() == path.read_bytes()
    else:
        assert text == "id,pred,response\na,A,[cut]\nb,,B\n"


def test_a_kept_response_that_is_an_option_of_its_item_is_cut(script, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("id,pred,response\na,,(b)\nb,,(b)\n", encoding="utf-8")
    assert script.cut_file(path, {"a": {"(b)"}}) == ("id,pred,response\na,,[cut]\nb,,(b)\n", 1)


@pytest.mark.dataset
def test_no_response_holds_a_text_of_the_dataset(dataset_path):
    def plain(text):
        return " ".join(unicodedata.normalize("NFC", text).split())

    texts = {}
    for path in sorted(dataset_path.rglob("*.json")):
        for item in json.loads(path.read_text(encoding="utf-8")):
            options = {plain(choice) for choice in item["choices"]}
            texts.setdefault(item["id"], set()).update(text for text in options if len(text) > 1)
    assert len(texts) == 1987
    for path in FILES:
        for row in rows(path):
            response = plain(row["response"])
            assert not any(text in response for text in texts.get(row["id"], ())), (path.name, row["id"])

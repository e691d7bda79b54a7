"""Clusters of items that share a passage, and digests of texts."""

import hashlib
import unicodedata

from click_stats.items.digest import digest, item_digest, n_chars
from click_stats.items.passages import clusters

PASSAGE = "바다가 푸르다. 산도 푸르다."


def test_passages_are_compared_with_whitespace_collapsed_and_across_categories():
    keys = ["A/1", "B/2", "A/3", "A/4", "A/5"]
    texts = [PASSAGE, PASSAGE.replace(" ", "\n "), "다른 글", "", " \n"]
    shared = "p-" + hashlib.sha256(unicodedata.normalize("NFC", PASSAGE).encode()).hexdigest()[:16]
    assert clusters(keys, texts) == [shared, shared, "A/3", "A/4", "A/5"]


def test_the_name_of_a_cluster_does_not_depend_on_the_other_items():
    assert clusters(["x", "y"], [PASSAGE] * 2)[0] == clusters(["a", "b", "c"], [PASSAGE, PASSAGE, "글"])[0]
    assert clusters(["x"], [PASSAGE]) == ["x"]


def test_item_digest_is_as_documented():
    expected = hashlib.sha256("글 하나\x1f무엇?\x1f가\x1f나".encode()).hexdigest()[:16]
    assert item_digest("글\n 하나", " 무엇?", ["가 ", "나"]) == expected
    assert item_digest(*[unicodedata.normalize("NFD", text) for text in ("글 하나", "무엇?")], ["가", "나"]) == expected
    assert item_digest("", "글 하나 무엇?", ["가", "나"]) != expected
    assert item_digest("글 하나", "무엇?", ["나", "가"]) != expected
    assert len(digest([])) == 16


def test_characters_are_counted_with_whitespace_collapsed():
    assert n_chars("가 \n나", "다?", ["a", " b"]) == 3 + 2 + 1 + 1

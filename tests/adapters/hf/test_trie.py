"""The trie holds every string once, whatever their order."""

import random

from hypothesis import given
from hypothesis import strategies as st

from click_stats.adapters.hf.strings import Scored
from click_stats.adapters.hf.trie import build

STRINGS = st.lists(
    st.lists(st.integers(0, 2), min_size=2, max_size=8).flatmap(
        lambda ids: st.integers(1, len(ids) - 1).map(lambda start: Scored(tuple(ids), start))
    ),
    min_size=1,
    max_size=12,
)


def read_back(trie, node):
    ids = []
    while node >= 0:
        ids.append(trie.tokens[node])
        node = trie.parents[node]
    return tuple(reversed(ids))


@given(STRINGS)
def test_every_target_stands_after_its_own_beginning(strings):
    trie = build(strings)
    for string, targets in zip(strings, trie.targets, strict=True):
        assert [(read_back(trie, node), token) for node, token in targets] == [
            (string.ids[:index], string.ids[index]) for index in range(string.start, len(string.ids))
        ]


@given(STRINGS)
def test_no_beginning_stands_in_it_twice(strings):
    trie = build(strings)
    beginnings = {string.ids[:n] for string in strings for n in range(1, len(string.ids))}
    assert sorted(read_back(trie, node) for node in range(len(trie))) == sorted(beginnings)
    assert trie.depths == [len(read_back(trie, node)) - 1 for node in range(len(trie))]
    assert all(parent < node for node, parent in enumerate(trie.parents))


@given(STRINGS)
def test_order_does_not_matter(strings):
    shuffled = list(strings)
    random.Random(1).shuffle(shuffled)
    assert len(build(strings)) == len(build(shuffled))


def test_the_mask_shows_a_token_its_own_beginning_only():
    from click_stats.adapters.hf.packed import ancestors

    trie = build([Scored((1, 2, 3, 9), 3), Scored((1, 2, 4, 9), 3), Scored((1, 5, 9), 2)])
    assert trie.tokens == [1, 2, 3, 4, 5]
    assert ancestors(trie.parents).astype(int).tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [1, 1, 0, 1, 0],
        [1, 0, 0, 0, 1],
    ]

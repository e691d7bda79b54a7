import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from click_stats.stats.tools.letters import letters


def _matrix(n, pairs):
    found = np.zeros((n, n), dtype=bool)
    for a, b in pairs:
        found[a, b] = found[b, a] = True
    return found


@settings(max_examples=60)
@given(st.data())
def test_units_share_a_letter_unless_separated(data):
    n = data.draw(st.integers(1, 8))
    every = [(a, b) for a in range(n) for b in range(a + 1, n)]
    pairs = data.draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    separated = _matrix(n, pairs)
    found = letters(separated, data.draw(st.permutations(range(n))))
    for a, b in every:
        assert bool(set(found[a]) & set(found[b])) != separated[a, b]
    assert all(found)
    used = [frozenset(k for k in range(n) if mark in found[k]) for mark in set("".join(found))]
    assert not any(one < other for one in used for other in used), "a letter that says nothing"


@pytest.mark.parametrize(
    ("n", "pairs", "expected"),
    [
        (3, [], ["a", "a", "a"]),
        (3, [(0, 2)], ["a", "ab", "b"]),
        (3, [(0, 1), (0, 2), (1, 2)], ["a", "b", "c"]),
        (4, [(0, 2), (0, 3), (1, 3)], ["a", "ab", "bc", "c"]),
        (1, [], ["a"]),
        (0, [], []),
    ],
)
def test_known_displays(n, pairs, expected):
    assert letters(_matrix(n, pairs)) == expected


def test_letters_are_dealt_from_the_best_unit():
    assert letters(_matrix(3, [(0, 2)]), [2, 1, 0]) == ["b", "ab", "a"]


def test_more_groups_than_letters():
    found = letters(_matrix(60, [(a, b) for a in range(60) for b in range(a + 1, 60)]))
    assert found[0] == "a"
    assert found[51] == "Z"
    assert found[52] == "(53)"
    assert len(set(found)) == 60

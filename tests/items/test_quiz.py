"""The sample of a quiz: shares of groups are kept by largest remainders, and a turn of the options is recorded."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from click_stats.errors import UsageError
from click_stats.items.quiz import draw, quotas


@pytest.mark.parametrize(
    ("sizes", "n", "expected"),
    [([5, 5], 4, [2, 2]), ([6, 3, 1], 5, [3, 2, 0]), ([1, 1, 1], 2, [1, 1, 0]), ([10], 10, [10]), ([3, 0], 2, [2, 0])],
)
def test_quotas_by_hand(sizes, n, expected):
    assert quotas(sizes, n) == expected


@given(st.lists(st.integers(0, 400), min_size=1, max_size=12), st.data())
def test_quotas_add_up_and_are_within_one_of_the_share(sizes, data):
    n = data.draw(st.integers(0, sum(sizes)))
    found = quotas(sizes, n)
    assert sum(found) == n
    for size, quota in zip(sizes, found, strict=True):
        assert 0 <= quota <= size
        assert abs(quota - (n * size / sum(sizes) if sum(sizes) else 0)) < 1


def test_a_hundred_items_keep_the_shares_of_the_categories(click):
    drawn = draw(click, 100, seed=1)
    assert len({question.item for question in drawn}) == 100
    here = Counter(click.frame.loc[[question.item for question in drawn], "category"])
    whole = click.frame["category"].value_counts()
    for category, n in whole.items():
        assert abs(here[category] - 100 * n / 1995) < 1
    assert {question.rotation for question in drawn} == {0}
    assert [question.item for question in drawn] != sorted(question.item for question in drawn)


def test_seeds_and_turns(click):
    assert draw(click, 20, seed=1) == draw(click, 20, seed=1) != draw(click, 20, seed=2)
    turned = draw(click, 60, seed=1, shuffle=True)
    assert {question.rotation for question in turned} >= {0, 1, 2, 3}
    for question in turned:
        assert question.rotation < click.frame.loc[question.item, "n_options"]
    assert len(draw(click, 5, stratify="none")) == 5


@pytest.mark.parametrize(("changes", "message"), [({"n": 0}, "1 item or more"), ({"n": 1996}, "1 item or more"), ({"n": 5, "stratify": "colour"}, "no column 'colour'")])  # fmt: skip
def test_what_cannot_be_is_refused(click, changes, message):
    with pytest.raises(UsageError, match=message):
        draw(click, **changes)

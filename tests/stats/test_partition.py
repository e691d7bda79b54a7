"""Groups of items: report order, crossings, and the edges at which pandas' grouping changes its mind."""

import numpy as np
import pandas as pd
import pytest

from click_stats.counts import STATUSES, Counts
from click_stats.errors import UsageError
from click_stats.stats import partition


def counts_of(category, source=None, cluster=None):
    n = len(category)
    items = pd.DataFrame(
        {
            "category": category,
            "domain": ["D"] * n,
            "source": source or ["S"] * n,
            "n_options": 4,
            "gold": 0,
            "cluster": cluster or list(range(n)),
        },
        index=pd.Index([f"i{k}" for k in range(n)], name="item"),
    )
    units = pd.DataFrame({"model": ["m"], "condition": ["default"]}, index=pd.Index(["m"], name="unit"))
    zero = np.zeros((1, n, 4), dtype=np.int64)
    statuses = np.zeros((1, n, len(STATUSES)), dtype=np.int64)
    return Counts(units, items, zero, statuses, np.ones((1, n), dtype=np.int64), None, ("Z", "A", "M"), ("D",))


def test_categories_stand_in_report_order():
    found = partition.groups(counts_of(["A", "Z", "M", "A"]), "category")
    assert [group.name for group in found] == ["Z", "A", "M"]
    assert [list(group.items) for group in found] == [[1], [0, 3], [2]]


def test_a_category_without_items_is_no_group():
    assert [group.name for group in partition.groups(counts_of(["M", "M"]), "category")] == ["M"]


def test_crossings_keep_the_order_of_both():
    found = partition.groups(counts_of(["A", "Z", "A", "Z"], ["t", "t", "s", "t"]), "category x source")
    assert [group.name for group in found] == ["Z x t", "A x s", "A x t"]
    assert [list(group.items) for group in found] == [[1, 3], [2], [0]]


def test_one_item_and_as_many_groupings_as_items():
    assert len(partition.groups(counts_of(["A"]), "category")) == 1
    assert len(partition.groups(counts_of(["A", "M"]), "category x source")) == 2


def test_overall_and_macro_hold_every_item():
    overall, macro = partition.groups(counts_of(["A", "Z", "A"]), ["overall", "macro"])
    assert list(overall.items) == list(macro.items) == [0, 1, 2]
    assert overall.strata is None
    assert list(macro.strata) == [0, 1, 0]
    assert macro.name == "mean of 2 categories"


def test_groups_of_one_grouping_cover_each_item_once():
    found = partition.groups(counts_of(list("ZAMZAMA"), list("aabbaab")), "category x source")
    everything = np.concatenate([group.items for group in found])
    assert sorted(everything) == list(range(7))


def test_an_unknown_grouping_names_the_columns():
    with pytest.raises(UsageError, match="no item column 'colour'") as caught:
        partition.groups(counts_of(["A"]), "category x colour")
    assert "source" in str(caught.value)


def test_clusters_are_codes_of_what_varies_together():
    counts = counts_of(["A"] * 4, cluster=["p", "q", "p", "r"])
    assert list(partition.clusters(counts, np.array([0, 1, 2, 3]))) == [0, 1, 0, 2]
    assert list(partition.clusters(counts, np.array([1, 3]))) == [0, 1]

"""Items of which several options are right, where an analysis needs the one that is."""

import numpy as np
import pytest

from click_stats.counts import right_options
from click_stats.stats.one_right import with_one_right


@pytest.fixture
def counts(counts_of):
    made = counts_of([[1, 0, 1], [0, 0, 1]], 1)
    made.items["accepted"] = ["", "1 2", ""]
    return made


def test_accepted_options_are_right_besides_the_gold(counts):
    assert right_options(counts.items, 4).tolist() == [
        *([True, False, False, False], [True, True, True, False], [True, False, False, False])
    ]
    assert counts.correct.tolist() == [[1, 1, 1], [0, 1, 1]]  # a wrong answer is option 1 here
    assert np.isin(counts.right.sum(axis=1), [1, 3]).all()


def test_they_are_left_out_and_told(counts):
    kept, warnings = with_one_right(counts)
    assert list(kept.items.index) == ["i0", "i2"]
    assert warnings == ["Items with several right options are left out: 1 item."]
    assert with_one_right(kept) == (kept, [])

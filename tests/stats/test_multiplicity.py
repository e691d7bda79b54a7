import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from click_stats.stats.tools.multiplicity import benjamini_hochberg, holm, n_estimable

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "paired" / "expected.json").read_text())
VECTORS = ["p_adjust_exact_mcnemar_main_pairs", "p_adjust_with_NA", "p_adjust_without_NA"]


@pytest.mark.parametrize("name", VECTORS)
def test_agrees_with_r(name):
    expected = {key: np.array(value, dtype=float) for key, value in ORACLE[name].items() if key != "pairs"}
    assert holm(expected["raw"]) == pytest.approx(expected["holm"], rel=1e-9, nan_ok=True)
    assert benjamini_hochberg(expected["raw"]) == pytest.approx(expected["BH"], rel=1e-9, nan_ok=True)
    assert n_estimable(expected["raw"]) == np.isfinite(expected["raw"]).sum()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_agrees_with_statsmodels(p):
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1], abs=1e-12)


def test_a_missing_value_is_no_test():
    p = [0.01, 0.04, np.nan, 0.03]
    assert holm(p) == pytest.approx([0.03, 0.06, np.nan, 0.06], nan_ok=True)
    assert benjamini_hochberg(p) == pytest.approx([0.03, 0.04, np.nan, 0.04], nan_ok=True)
    assert n_estimable(p) == 3


def test_a_family_without_tests():
    assert holm([]).size == 0
    assert np.isnan(holm([np.nan, np.nan])).all()
    assert np.isnan(benjamini_hochberg([np.nan])).all()


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20), st.randoms(use_true_random=False))
def test_order_does_not_matter(p, random):
    order = list(range(len(p)))
    random.shuffle(order)
    for adjust in (holm, benjamini_hochberg):
        assert adjust(np.array(p)[order]) == pytest.approx(adjust(p)[order], abs=1e-15)
        assert (adjust(p) >= np.array(p) - 1e-15).all()

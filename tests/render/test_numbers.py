from __future__ import annotations

import math

import pandas as pd
import pytest

from click_stats.render import numbers


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.8123, "81.2"), (1.0, "100.0"), (0.0, "0.0"), (-0.5, "−50.0"), (math.nan, "–"), (None, "–"), (pd.NA, "–")],
)
def test_percent(share, text):
    assert numbers.percent(share) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.012, "+1.2"), (-0.008, "−0.8"), (0.0002, "0.0"), (-0.0002, "0.0"), (0.0, "0.0"), (None, "–")]
)
def test_points_have_a_sign_unless_they_round_to_nothing(value, text):
    assert numbers.points(value) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0, "<.001"),
        (0.00099, "<.001"),
        (0.001, ".001"),
        (0.0496, ".050"),
        (0.9989, ".999"),
        (0.9999, ">.999"),
        (1.0, "1.000"),
        (math.nan, "–"),
    ],
)
def test_p_value(p, text):
    assert numbers.p_value(p) == text


def test_counts_and_numbers():
    assert numbers.integer(1995) == "1,995"
    assert numbers.integer(pd.NA) == "–"
    assert numbers.number(1.514) == "1.51"
    assert numbers.number(-0.3) == "−0.30"
    assert numbers.number(12345.6) == "12,346"
    assert numbers.number(math.inf) == "∞"


def test_intervals_and_ranks():
    assert numbers.interval(0.761, 0.853) == "[76.1, 85.3]"
    assert numbers.interval_points(-0.012, 0.034) == "[−1.2, +3.4]"
    assert numbers.interval_number(0.5, 2) == "[0.50, 2.00]"
    assert numbers.coefficient(0.99583) == "0.996"
    assert numbers.interval_coefficient(0.9928, None) == numbers.DASH
    assert numbers.interval_coefficient(0.9928, 0.998) == "[0.993, 0.998]"
    assert numbers.interval(math.nan, 0.5) == "–"
    assert numbers.ranks(1, 3) == "1–3"
    assert numbers.ranks(4, 4) == "4"
    assert numbers.ranks(None, 4) == "–"


def test_level():
    assert numbers.level(0.95) == "95%"
    assert numbers.level(0.999) == "99.9%"

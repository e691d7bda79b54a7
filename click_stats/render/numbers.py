"""Numbers as a reader sees them: shares as percent, differences as points, p-values, intervals, ranks."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

DASH = "–"
"""Stands for an undefined value (its reason is a footnote) and between two ranks."""
MINUS = "−"
LARGE = 10_000


def undefined(value: Any) -> bool:
    """Tell whether ``value`` is None, NaN or missing."""
    if value is None or value is pd.NA or value is pd.NaT:
        return True
    return isinstance(value, float) and math.isnan(value)


def percent(share: float, digits: int = 1) -> str:
    """Return a share of 1 in percent, without the sign: ``81.2``."""
    return DASH if undefined(share) else _minus(f"{100 * float(share):,.{digits}f}")


def points(difference: float, digits: int = 1) -> str:
    """Return a difference of shares in points, always with its sign unless it rounds to nothing: ``+1.2``."""
    if undefined(difference):
        return DASH
    text = f"{100 * float(difference):+,.{digits}f}"
    return text[1:] if not text.strip("+-0.,") else _minus(text)


def p_value(p: float) -> str:
    """Return a p-value with three decimals and no leading zero: ``.023``, ``<.001``, ``>.999``."""
    if undefined(p):
        return DASH
    if p < 0.001:
        return "<.001"
    if p >= 1:
        return "1.000"
    return ">.999" if p > 0.999 else f"{float(p):.3f}"[1:]


def integer(count: float) -> str:
    """Return a count with separated thousands: ``1,995``."""
    return DASH if undefined(count) else _minus(f"{int(count):,d}")


def number(value: float, digits: int = 2) -> str:
    """Return any other number: ``1.51``; very large ones without decimals."""
    if undefined(value):
        return DASH
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    return _minus(f"{float(value):,.{0 if abs(value) >= LARGE else digits}f}")


def coefficient(value: float) -> str:
    """Return a number near 1 whose distance from it matters, such as a reliability: ``0.996``."""
    return number(value, 3)


def interval(low: float, high: float, digits: int = 1) -> str:
    """Return an interval of shares in percent: ``[76.1, 85.3]``."""
    return DASH if undefined(low) or undefined(high) else f"[{percent(low, digits)}, {percent(high, digits)}]"


def interval_points(low: float, high: float, digits: int = 1) -> str:
    """Return an interval of differences in points: ``[−1.2, +3.4]``."""
    return DASH if undefined(low) or undefined(high) else f"[{points(low, digits)}, {points(high, digits)}]"


def interval_number(low: float, high: float, digits: int = 2) -> str:
    """Return an interval of other numbers: ``[0.61, 1.90]``."""
    return DASH if undefined(low) or undefined(high) else f"[{number(low, digits)}, {number(high, digits)}]"


def interval_coefficient(low: float, high: float) -> str:
    """Return an interval of coefficients: ``[0.993, 0.998]``."""
    return interval_number(low, high, 3)


def estimated(share: float, low: float, high: float) -> str:
    """Return a share with its interval, in percent: ``81.2 [76.1, 85.3]``."""
    return DASH if undefined(share) else f"{percent(share)} {interval(low, high)}"


def tested(difference: float, p: float) -> str:
    """Return a difference in points with its p-value: ``−6.5 (<.001)``."""
    return DASH if undefined(difference) else f"{points(difference)} ({p_value(p)})"


def ranks(low: float, high: float) -> str:
    """Return an interval of ranks: ``1–3``, or ``1`` when both ends agree."""
    if undefined(low) or undefined(high):
        return DASH
    return integer(low) if int(low) == int(high) else f"{integer(low)}{DASH}{integer(high)}"


def level(share: float) -> str:
    """Return a confidence level: ``95%``."""
    return DASH if undefined(share) else f"{100 * float(share):.6g}%"


def _minus(text: str) -> str:
    return text.replace("-", MINUS)

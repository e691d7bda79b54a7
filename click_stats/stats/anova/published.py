"""The paper's two tests: which models their degrees of freedom need, and what published numbers let one recompute.

The paper does not list the models of its tests. Their residual degrees of freedom are read in two ways: as those of a
model with category blocks (n K - K - 1), or as the total that some programs print (n K - 1), n models and K categories.
"""

from __future__ import annotations

import csv
import tomllib
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from click_stats import content
from click_stats.stats.anova.cells import SCALE
from click_stats.stats.anova.design import Term
from click_stats.stats.anova.strata import Strata

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.counts import FloatArray
    from click_stats.stats.anova.cells import Cells

PUBLISHED = (
    *("design", "reading", "f_published", "df_published", "p_published", "n_units", "n_cells", "model_set"),
    *("n_cells_published", "note"),
)
RECOMPUTED = (
    *("design", "model_set", "n_units", "measured_on", "numbers_from", "test_unit", "estimate", "f_statistic", "df"),
    *("df_residual", "p_value", "model_sd", "n_sets", "f_low", "f_high", "verdict", "reason"),
)
RESIDUAL, TOTAL, NAMED = "residual df, category blocks", "total df", "as the text names them"
README, TEXT, AT_HAND = "README of the dataset", "README; text where it differs", "data at hand"
CELLS = "category cells"
DOMAINS = ("culture", "language")
BASE, FROM_README, OWN_COUNT = "Polyglot-Ko", "dataset README", "own count"
PREFIX = "simulated-"
"""Name of a simulated model: this before the name of the model that it stands for."""


class Line(NamedTuple):
    """Regression of one value per model on one predictor: F(1, n - 2)."""

    estimate: float
    f: float
    p: float
    residual_sd: float


@cache
def facts() -> Mapping[str, Any]:
    """Return the published tests, sets of models, and what is published of each model.

    ``tests``: design, f, df_residual, p. ``sets``: design, name, models, subsets. ``models``: by key, parameters
    (billions), derived (made from Polyglot-Ko), cells (number of categories whose accuracy is stated), and the averages
    ``culture`` and ``language`` as shares by the README of the dataset; ``culture_text``, ``language_text`` where the
    text of the paper states another. ``n_categories``: of the benchmark.
    """
    sets = tomllib.loads(files("click_stats.stats.anova").joinpath("published.toml").read_text(encoding="utf-8"))
    tests = [
        {"design": row["test"], "f": float(row["F"]), "df_residual": int(row["df2"]), "p": float(row["p"])}
        for row in _rows("table6_anova")
    ]
    models: dict[str, dict[str, Any]] = {}
    for row in _rows("models"):
        if row["parameters_billion"]:
            known = {"parameters": float(row["parameters_billion"]), "derived": row["base_model"] == BASE, "cells": 0}
            models.setdefault(row["model_key"], known)
    accuracies = [row for row in _rows("table5_accuracy") if row["model_key"] in models]
    for row in sorted(accuracies, key=lambda row: row["where"] != FROM_README):  # the README first
        own, value = models[row["model_key"]], float(row["value"]) / 100
        if row["category"] not in DOMAINS:
            own["cells"] += 1
        elif own.setdefault(row["category"], value) != value:
            own[f"{row['category']}_text"] = value
    categories = {row["category"] for row in _rows("sources") if row["table"] == OWN_COUNT}
    return {**sets, "tests": tests, "models": models, "n_categories": len(categories)}


def _rows(name: str) -> list[dict[str, str]]:
    with content.paper(f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def line(x: FloatArray, y: FloatArray) -> Line:
    """Regress ``y`` on ``x``; F and the standard deviation are NaN without residual degrees of freedom."""
    u, v = x - x.mean(), y - y.mean()
    ss_x = float(u @ u)
    df = len(x) - 2
    if ss_x <= 0:
        return Line(np.nan, np.nan, np.nan, np.nan)
    slope = float(u @ v) / ss_x
    rest = float(((v - slope * u) ** 2).sum())
    if df < 1 or rest <= 0:
        return Line(slope, np.nan, np.nan, np.nan)
    f = slope**2 * ss_x / (rest / df)
    return Line(slope, f, float(stats.f.sf(f, 1, df)), float(np.sqrt(rest / df)))


def published(n_categories: int) -> pd.DataFrame:
    """Return how many models each reading of the published tests needs, and how many of their cells are published.

    Nothing when the data at hand have another number of categories: the arithmetic is CLIcK's.
    """
    known = facts()
    k = known["n_categories"]
    rows: list[dict[str, Any]] = []
    for test in known["tests"] if n_categories == k else ():
        base = {"design": test["design"], "f_published": test["f"], "df_published": test["df_residual"]}
        base["p_published"] = test["p"]
        for reading, cells in ((RESIDUAL, test["df_residual"] + k + 1), (TOTAL, test["df_residual"] + 1)):
            n = cells // k
            fits = [one for one in known["sets"] if one["design"] == test["design"] and len(one["models"]) == n]
            row = {**base, "reading": reading, "n_units": n, "n_cells": cells, "note": "" if fits else "not named"}
            if fits:
                row |= {"model_set": fits[0]["name"], "n_cells_published": _stated(fits[0]["models"])}
            rows.append(row)
        for one in known["sets"]:
            if one["design"] == test["design"]:
                n = len(one["models"])
                note = f"would give residual df {n * k - k - 1}, total df {n * k - 1}"
                row = {**base, "reading": NAMED, "n_units": n, "n_cells": n * k, "model_set": one["name"]}
                rows.append({**row, "n_cells_published": _stated(one["models"]), "note": note})
    frame = pd.DataFrame(rows, columns=list(PUBLISHED))
    for name in ("n_units", "n_cells", "n_cells_published"):
        frame[name] = frame[name].astype("Int64")
    return frame


def recomputed(found: Cells, n_categories: int, alpha: float = 0.05) -> pd.DataFrame:
    """Return the model-level test on published averages, and both tests on the cells at hand, for each set of models.

    Sets with ``subsets`` also give the range of F over all choices of that many of their models: what an unnamed choice
    could have decided. Numbers of sources that contradict each other are all used, each in a row of its own.
    """
    known = facts()
    rows: list[dict[str, Any]] = []
    for one in known["sets"] if n_categories == known["n_categories"] else ():
        base = {"design": one["design"], "model_set": one["name"], "n_units": len(one["models"])}
        x = _predictor(one["design"], one["models"])
        averages = _averages(one["models"])
        for measure, source, y in averages:
            if source == TEXT and _same(x, y, next(z for domain, _, z in averages if domain == measure)):
                continue  # the sources swap models of one size, which no test of size can tell
            own = {**base, "measured_on": measure, "numbers_from": source, "test_unit": "models"}
            rows.append({**own, **_row(line(x, y), len(y) - 2, alpha)})
            rows += [{**own, **_range(x, y, size)} for size in one.get("subsets", ())]
        rows += _at_hand(found, one, base, alpha)
    frame = pd.DataFrame(rows, columns=list(RECOMPUTED))
    for name in ("n_units", "n_sets"):
        frame[name] = frame[name].astype("Int64")
    return frame


def _stated(models: Sequence[str]) -> int:
    return sum(facts()["models"][name]["cells"] for name in models)


def _predictor(design: str, models: Sequence[str]) -> FloatArray:
    known = [facts()["models"][name] for name in models]
    if design == SCALE:
        return np.log10([one["parameters"] for one in known])
    return np.array([float(one["derived"]) for one in known])


def _averages(models: Sequence[str]) -> list[tuple[str, str, FloatArray]]:
    """Return the published averages of each domain as shares; twice where the sources differ for these models."""
    known = [facts()["models"][name] for name in models]
    found = [(domain, README, np.array([one[domain] for one in known])) for domain in DOMAINS]
    for domain in DOMAINS:
        if any(f"{domain}_text" in one for one in known):
            values = np.array([one.get(f"{domain}_text", one[domain]) for one in known])
            found.append((domain, TEXT, values))
    return found


def _same(x: FloatArray, y: FloatArray, z: FloatArray) -> bool:
    """Tell whether two sets of values differ only in which of several equal models has which."""
    return sorted(zip(x, y, strict=True)) == sorted(zip(x, z, strict=True))


def _row(fit: Line, df: int, alpha: float) -> dict[str, Any]:
    row: dict[str, Any] = {"estimate": fit.estimate, "f_statistic": fit.f, "df": 1, "df_residual": df, "p_value": fit.p}
    row |= {"model_sd": fit.residual_sd, "reason": ""}
    if not np.isfinite(fit.p):
        return {**row, "verdict": "not decided", "reason": "no residual variation between these models"}
    return {**row, "verdict": "separated" if fit.p < alpha else "not separated"}


def _range(x: FloatArray, y: FloatArray, size: int) -> dict[str, Any]:
    """Return the smallest and largest F over all choices of ``size`` models, and the median slope and SD."""
    fits = [line(x[list(chosen)], y[list(chosen)]) for chosen in combinations(range(len(x)), size)]
    fits = [fit for fit in fits if np.isfinite(fit.f)]
    values = [fit.f for fit in fits]
    return {
        "n_units": size, "n_sets": len(fits), "f_low": min(values), "f_high": max(values), "df": 1,
        "df_residual": size - 2, "estimate": float(np.median([fit.estimate for fit in fits])),
        "model_sd": float(np.median([fit.residual_sd for fit in fits])), "reason": "",
    }  # fmt: skip


def _at_hand(found: Cells, one: Mapping[str, Any], base: Mapping[str, Any], alpha: float) -> list[dict[str, Any]]:
    """Return both tests of a set on the data at hand; nothing when not all of its models are there."""
    usable = found.units[found.units["reason"] == ""]
    by_name = {str(model).removeprefix(PREFIX): str(unit) for unit, model in usable["model"].items()}
    if any(name not in by_name for name in one["models"]):
        return []
    units = [by_name[name] for name in one["models"]]
    rows = found.frame[found.frame["unit"].isin(units) & found.frame["estimate"].notna()]
    values = dict(zip(units, _predictor(one["design"], one["models"]), strict=True))
    x = np.array([[values[unit]] for unit in rows["unit"]])
    term = Term(one["design"], x, frozenset([one["design"]]))
    strata = Strata(rows["estimate"].to_numpy(), list(rows["category"]), list(rows["unit"]), (term,))
    slope, _, _, _ = strata.slope(one["design"])
    result = []
    for unit, tests, df in (
        ("cells", strata.cells.tests(2), strata.cells.df_residual),
        ("models", strata.tests(2), strata.df_models),
    ):
        test = next(t for t in tests if t.term == one["design"])
        fit = Line(slope, test.statistic, test.p_value, strata.variance().model_sd)
        row = {**base, "measured_on": CELLS, "numbers_from": AT_HAND, "test_unit": unit, **_row(fit, df, alpha)}
        if unit == "cells":
            row["verdict"] = "not decided"
        result.append(row)
    return result

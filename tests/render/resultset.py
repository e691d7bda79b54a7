"""A whole set of audit results, invented from a seed: the contract of the tables, with hostile names and gaps.

The numbers hang together (an item-response simulation on CLIcK's category sizes), but the intervals are the simplest
that will do: rendering is what is tested with them.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from click_stats.results import Result, ResultSet

CATEGORIES = {
    "History": ("역사", "Culture", 280),
    "Geography": ("지리", "Culture", 131),
    "Law": ("법", "Culture", 219),
    "Politics": ("정치", "Culture", 84),
    "Society": ("사회", "Culture", 309),
    "Tradition": ("전통", "Culture", 222),
    "Economy": ("경제", "Culture", 59),
    "Popular": ("대중문화", "Culture", 41),
    "Textual": ("독해", "Language", 285),
    "Functional": ("화용", "Language", 133),
    "Grammar": ("문법", "Language", 232),
}
DOMAINS = {"Culture": "문화", "Language": "언어"}
UNITS = (
    "gpt-5.2 (medium)", "gpt-51-medium", "claude-sonnet-4", "gpt-5.2", "gpt-5-mini", "gpt-4.1", "gpt-4o",
    "gpt-5-chat", "gpt-5.1-chat", "qwen3-next", "gpt-4-turbo", "gpt-4.1-mini", "gpt-5-nano", "nova-2-lite-medium",
    "nova-2-pro", "gpt-4.1-nano", "phi-4", "my_model-7b_v2|ko", "<b>&$#@%", "모델-한국어_7B*",
)  # fmt: skip
ABILITY = (
    2.6,
    2.2,
    1.9,
    1.85,
    1.75,
    1.7,
    1.68,
    1.55,
    1.4,
    1.2,
    1.15,
    1.1,
    1.05,
    0.85,
    0.75,
    0.55,
    0.45,
    0.3,
    -0.05,
    -0.3,
)
GAP_UNIT = "gpt-5-chat"
FILTERED_UNIT = "gpt-5.1-chat"
EMPTY_UNIT = "nova-2-lite-medium"
REFERENCE = "gpt-4o"
Z = 1.959964
SIM = 3.55
Frame = pd.DataFrame


@cache
def result_set(n_units: int = len(UNITS)) -> ResultSet:
    """Return the results of an audit of the first ``n_units`` units."""
    world = _World(n_units)
    with np.errstate(invalid="ignore", divide="ignore"):  # a category in which two units answered alike
        results = {
            "account": _account(world),
            "models": _models(world),
            "items": _items(world),
            "accuracy": _accuracy(world),
            "compare": _compare(world),
            "ranks": _ranks(world),
            "power": _power(world),
        }
    return ResultSet(
        "audit", results, {"version": "0.1.0", "seed": 1, "call": {}, "digests": {"items": "0123456789abcdef"}}
    )


class _World:
    """Scores (units, items), NaN where a unit gave no answer, and the groups of items."""

    def __init__(self, n_units: int) -> None:
        rng = np.random.default_rng(20)
        self.units = [
            *UNITS,
            *(f"model-with-a-long-name-that-goes-on-{k}b-instruct" for k in range(n_units - len(UNITS))),
        ][:n_units]
        sizes = [size for _, _, size in CATEGORIES.values()]
        self.category = np.repeat(list(CATEGORIES), sizes)
        self.domain = np.repeat([domain for _, domain, _ in CATEGORIES.values()], sizes)
        shift = dict(zip(CATEGORIES, rng.normal(0, 0.35, len(CATEGORIES)), strict=True))
        difficulty = rng.normal(0, 1.1, self.category.size) + np.array([shift[name] for name in self.category])
        ability = np.resize(ABILITY, n_units)[:, None] + rng.normal(0, 0.12, (n_units, 1))
        chance = 0.24
        p = chance + (1 - chance) / (1 + np.exp(-(ability - difficulty[None, :])))
        self.scores = (rng.random(p.shape) < p).astype(float)
        self.filtered = np.zeros(p.shape, dtype=bool)
        self.missing = np.zeros(p.shape, dtype=bool)
        self.empty = np.zeros(p.shape, dtype=bool)
        functional = np.flatnonzero(self.category == "Functional")
        if GAP_UNIT in self.units:
            self.missing[self.units.index(GAP_UNIT), functional[14:]] = True
        if FILTERED_UNIT in self.units:
            self.filtered[self.units.index(FILTERED_UNIT), rng.choice(p.shape[1], 90, replace=False)] = True
        if EMPTY_UNIT in self.units:
            self.empty[self.units.index(EMPTY_UNIT), rng.choice(p.shape[1], 220, replace=False)] = True
        self.scores[self.empty] = 0.0
        self.scores[self.filtered | self.missing] = np.nan
        self.groups: list[tuple[str, str, np.ndarray]] = [("overall", "all items", np.ones(p.shape[1], dtype=bool))]
        self.groups += [("domain", name, self.domain == name) for name in DOMAINS]
        self.groups += [("category", name, self.category == name) for name in CATEGORIES]

    def shared(self, by: str, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the units kept in a group and the items that all of them answered."""
        answered = ~np.isnan(self.scores[:, inside])
        kept = answered.mean(axis=1) >= 0.5 if by == "category" else np.ones(len(self.units), dtype=bool)
        items = np.flatnonzero(inside)[answered[kept].all(axis=0)]
        return kept, items


def _wilson(p: float, n: float) -> tuple[float, float]:
    centre = (p + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * np.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
    return float(centre - half), float(centre + half)


def _accuracy(world: _World) -> Result:
    rows: list[dict[str, Any]] = []
    plain: list[dict[str, Any]] = []
    denominators: list[dict[str, Any]] = []
    bounds: list[dict[str, Any]] = []
    for i, unit in enumerate(world.units):
        model, _, condition = unit.partition(" (")
        for by, group, inside in world.groups:
            score = world.scores[i, inside]
            n_total, n = int(inside.sum()), int((~np.isnan(score)).sum())
            p = float(np.nanmean(score))
            low, high = _wilson(p, n / 1.05)
            unknown = n_total - n
            bound_low, bound_high = p * n / n_total, (p * n + unknown) / n_total
            few = n / n_total < 0.5
            rows.append({
                "unit": unit, "model": model, "condition": condition.rstrip(")") or "default", "by": by, "group": group,
                "estimate": p, "std_error": np.sqrt(p * (1 - p) / n), "df": n * 0.9 - 1, "conf_low": low, "conf_high": high,
                "conf_level": 0.95, "n_items": n, "n_items_total": n_total, "coverage": n / n_total, "n_trials": n,
                "n_clusters": max(int(n * 0.9), 2), "chance": 0.2436, "bound_low": bound_low, "bound_high": bound_high,
                "denominator": "responded", "target": "sampled", "method": "clustered Wilson",
                "flag": "answered under half of the items" if few else "", "reason": "",
            })  # fmt: skip
            admissible = by == "category" and group not in {"Textual", "Functional", "Grammar"}
            plain_low, plain_high = _wilson(p, n) if admissible else (np.nan, np.nan)
            plain.append({
                "unit": unit, "by": by, "group": group, "method": "Wilson, plain", "conf_low": plain_low, "conf_high": plain_high,
                "reason": "" if admissible else "items share passages: plain Wilson would be too narrow",
            })  # fmt: skip
            option = n - int(world.empty[i, inside].sum())
            for name, value, count in (
                ("responded", p, n), ("planned", p * n / n_total, n_total), ("in_option", p * n / option, option),
            ):  # fmt: skip
                denominators.append(
                    {
                        "unit": unit,
                        "by": by,
                        "group": group,
                        "denominator": name,
                        "estimate": value,
                        "n_items": count,
                        "n_trials": count,
                        "reason": "",
                    }
                )
            n_filtered, n_missing = int(world.filtered[i, inside].sum()), int(world.missing[i, inside].sum())
            for kind, count in (("missing", n_missing), ("filtered", n_filtered), ("failed", 0), ("all", unknown)):
                total = n + count
                bounds.append({
                    "unit": unit, "by": by, "group": group, "missing_kind": kind, "bound_low": p * n / total,
                    "bound_high": (p * n + count) / total, "n_items": total, "n_trials": count,
                })  # fmt: skip
    statuses = [
        {
            "unit": unit, "n_ok": int((~np.isnan(world.scores[i])).sum() - world.empty[i].sum()), "n_out_of_option": 0,
            "n_empty": int(world.empty[i].sum()), "n_refused": 0, "n_truncated": 0, "n_filtered": int(world.filtered[i].sum()),
            "n_failed": 0, "n_missing": int(world.missing[i].sum()), "n_items": world.category.size,
        }
        for i, unit in enumerate(world.units)
    ]  # fmt: skip
    items = pd.DataFrame(
        {
            "item": [f"{category}/{k}" for k, category in enumerate(world.category)],
            "category": world.category,
            "n_right": np.nansum(world.scores > 0.5, axis=0),
            "n_units": (~np.isnan(world.scores)).sum(axis=0),
        }
    )
    tables = {
        "estimates": pd.DataFrame(rows), "alternatives": pd.DataFrame(plain), "denominators": pd.DataFrame(denominators),
        "bounds": pd.DataFrame(bounds), "statuses": pd.DataFrame(statuses), "items": items,
    }  # fmt: skip
    meta = {
        "method": "clustered Wilson interval",
        "seed": 0,
        "level": 0.95,
        "denominator": "responded",
        "warnings": [],
        "diagnostics": {},
    }
    return Result("accuracy", tables, {"n_units": len(world.units)}, meta)


def _pair_frame(world: _World, pairs: list[tuple[int, int]], family: str) -> Frame:
    rows: list[dict[str, Any]] = []
    for by, group, inside in world.groups:
        kept, items = world.shared(by, inside)
        n = items.size
        for i, j in pairs:
            row: dict[str, Any] = {"unit_a": world.units[i], "unit_b": world.units[j], "by": by, "group": group}
            names = (
                "estimate",
                "std_error",
                "df",
                "conf_low",
                "conf_high",
                "sim_low",
                "sim_high",
                "statistic",
                "p_value",
                "p_holm",
                "p_bh",
                "p_adjusted",
                "p_mcnemar",
                "p_mcnemar_midp",
                "odds_ratio",
                "odds_low",
                "odds_high",
                "se_ratio",
                "correlation",
                "bound_low",
                "bound_high",
                "margin",
                "p_tost",
            )
            row |= dict.fromkeys(names, np.nan)
            row |= {
                "conf_level": 0.95, "p_method": "sign-flip, exact", "n_a_only": pd.NA, "n_b_only": pd.NA, "n_items": n,
                "n_clusters": max(int(n * 0.9), 2), "verdict": "not decided", "verdict_changes": False, "sign_conflict": False,
                "same_protocol": "not stated", "method": "paired, clustered", "test_family": f"{family}, {by}", "flag": "", "reason": "",
            }  # fmt: skip
            if not (kept[i] and kept[j]):
                row["reason"] = "one of the two answered under half of the items"
                rows.append(row)
                continue
            a, b = world.scores[i, items], world.scores[j, items]
            d = a - b
            only_a, only_b = int((d > 0).sum()), int((d < 0).sum())
            estimate, error = float(d.mean()), float(d.std(ddof=1) / np.sqrt(n))
            t = estimate / error if error else np.nan
            p = float(2 * _tail(abs(t)))
            adjusted = min(1.0, p * len(pairs))
            row |= {
                "estimate": estimate, "std_error": error, "df": n * 0.9 - 1, "conf_low": estimate - Z * error, "conf_high": estimate + Z * error,
                "sim_low": estimate - SIM * error, "sim_high": estimate + SIM * error, "statistic": t, "p_value": p,
                "p_holm": adjusted, "p_bh": min(1.0, p * 4), "p_adjusted": adjusted, "p_mcnemar": p, "p_mcnemar_midp": p,
                "n_a_only": only_a, "n_b_only": only_b, "odds_ratio": only_a / only_b if only_b else np.nan,
                "se_ratio": float(np.sqrt((a.var() + b.var()) / d.var())), "correlation": float(np.corrcoef(a, b)[0, 1]),
                "bound_low": estimate - 0.02 * (FILTERED_UNIT in (row["unit_a"], row["unit_b"])),
                "bound_high": estimate + 0.02 * (FILTERED_UNIT in (row["unit_a"], row["unit_b"])),
                "verdict": "separated" if adjusted < 0.05 else "not separated",
            }  # fmt: skip
            row["verdict_changes"] = bool(0.01 < adjusted < 0.3 and row["bound_low"] < row["estimate"])
            rows.append(row)
    frame = pd.DataFrame(rows)
    frame["n_a_only"] = frame["n_a_only"].astype("Int64")
    frame["n_b_only"] = frame["n_b_only"].astype("Int64")
    return frame


def _tail(z: float) -> float:
    from math import erfc, sqrt

    return 0.5 * erfc(z / sqrt(2))


@cache
def _pairs(n_units: int) -> Frame:
    world = _World(n_units)
    return _pair_frame(world, list(combinations(range(n_units), 2)), "all pairs")


def _compare(world: _World) -> Result:
    n_units = len(world.units)
    estimates = _pairs(n_units) if n_units > 1 else _pair_frame(world, [(0, 0)], "all pairs").iloc[:0]
    tables = {"estimates": estimates}
    k = world.units.index(REFERENCE) if REFERENCE in world.units else 0
    if n_units > 1:
        tables["reference"] = _pair_frame(world, [(i, k) for i in range(n_units) if i != k], "against the reference")
    families = [
        {
            "test_family": f"{kind}, {by}",
            "by": by,
            "correction": "step-down max-T",
            "n_tests": count * groups,
            "n_estimable": count * groups,
            "alpha": 0.05,
            "critical_value": SIM,
            "n_draws": 10_000,
            "note": "",
        }
        for kind, count in (("all pairs", n_units * (n_units - 1) // 2), ("against the reference", n_units - 1))
        for by, groups in (("overall", 1), ("category", 11))
    ]
    sets, letters = [], []
    for by, group, inside in world.groups:
        kept, items = world.shared(by, inside)
        left_out = [unit for unit, keep in zip(world.units, kept, strict=True) if not keep]
        sets.append({
            "by": by, "group": group, "n_items": items.size, "n_items_total": int(inside.sum()), "n_items_lost": int(inside.sum()) - items.size,
            "n_units": int(kept.sum()), "note": f"left out: {', '.join(left_out)}" if left_out else "",
        })  # fmt: skip
        means = [float(np.mean(world.scores[i, items])) for i in range(n_units)]
        order = [i for i in np.argsort(means)[::-1] if kept[i]]
        for place, i in enumerate(order):
            letters.append(
                {
                    "unit": world.units[i],
                    "by": by,
                    "group": group,
                    "letters": "".join(sorted({chr(97 + place // 3), chr(97 + max(place - 1, 0) // 3)})),
                }
            )
    tables |= {"families": pd.DataFrame(families), "letters": pd.DataFrame(letters), "item_sets": pd.DataFrame(sets)}
    meta = {
        "method": "paired, clustered",
        "seed": 0,
        "level": 0.95,
        "alpha": 0.05,
        "reference": world.units[k],
        "denominator": "responded",
        "warnings": [],
        "diagnostics": {},
    }
    return Result("compare", tables, {"n_pairs": n_units * (n_units - 1) // 2}, meta)


def _ranks(world: _World) -> Result:
    rows: list[dict[str, Any]] = []
    pairs = _pairs(len(world.units)) if len(world.units) > 1 else None
    for by, group, inside in world.groups:
        if by == "domain":
            continue
        kept, items = world.shared(by, inside)
        means = np.array([float(np.mean(world.scores[i, items])) for i in range(len(world.units))])
        part = (
            pairs[(pairs["by"] == by) & (pairs["group"] == group) & (pairs["verdict"] == "separated")]
            if pairs is not None
            else None
        )
        k = int(kept.sum())
        for i, unit in enumerate(world.units):
            row: dict[str, Any] = {
                "unit": unit,
                "by": by,
                "group": group,
                "n_items": items.size,
                "n_units": k,
                "conf_level": 0.95,
                "method": "simultaneous, from the signed family of all pairs",
                "flag": "",
                "reason": "",
            }
            if not kept[i]:
                row |= {
                    "estimate": np.nan,
                    "rank": pd.NA,
                    "rank_low": pd.NA,
                    "rank_high": pd.NA,
                    "n_better": pd.NA,
                    "n_worse": pd.NA,
                    "co_leader": pd.NA,
                    "reason": "answered under half of the items",
                }
                rows.append(row)
                continue
            better = worse = 0
            if part is not None:
                better = int(
                    ((part["unit_b"] == unit) & (part["estimate"] > 0)).sum()
                    + ((part["unit_a"] == unit) & (part["estimate"] < 0)).sum()
                )
                worse = int(
                    ((part["unit_a"] == unit) & (part["estimate"] > 0)).sum()
                    + ((part["unit_b"] == unit) & (part["estimate"] < 0)).sum()
                )
            rank = 1 + int((means[kept] > means[i]).sum())
            row |= {
                "estimate": means[i],
                "rank": rank,
                "rank_low": 1 + better,
                "rank_high": k - worse,
                "n_better": better,
                "n_worse": worse,
                "co_leader": better == 0,
            }
            rows.append(row)
    frame = pd.DataFrame(rows)
    for name in ("rank", "rank_low", "rank_high", "n_better", "n_worse"):
        frame[name] = frame[name].astype("Int64")
    frame["co_leader"] = frame["co_leader"].astype("boolean")
    return Result(
        "ranks",
        {"estimates": frame},
        {},
        {"method": "simultaneous rank intervals", "seed": 0, "level": 0.95, "warnings": [], "diagnostics": {}},
    )


def _power(world: _World) -> Result:
    rows: list[dict[str, Any]] = []
    k = world.units.index(REFERENCE) if REFERENCE in world.units else 0
    for by, group, inside in world.groups:
        if by == "domain":
            continue
        kept, items = world.shared(by, inside)
        for i, unit in enumerate(world.units):
            if i == k:
                continue
            d = world.scores[i, items] - world.scores[k, items]
            ok = bool(kept[i]) and items.size > 1
            error = float(d.std(ddof=1) / np.sqrt(items.size)) if ok else np.nan
            rows.append({
                "unit_a": unit, "unit_b": world.units[k], "by": by, "group": group, "std_error": error, "correlation": 0.4 if ok else np.nan,
                "n_items": items.size, "n_clusters": max(int(items.size * 0.9), 2), "power": 0.8, "alpha": 0.05, "detectable": 2.8 * error,
                "method": "normal, paired", "reason": "" if ok else "answered under half of the items",
            })  # fmt: skip
    columns = [
        "unit_a",
        "unit_b",
        "by",
        "group",
        "std_error",
        "correlation",
        "n_items",
        "n_clusters",
        "power",
        "alpha",
        "detectable",
        "method",
        "reason",
    ]
    frame = pd.DataFrame(rows, columns=columns)
    spread = 0.45
    needed = pd.DataFrame(
        [
            {
                "by": "overall",
                "group": "all items",
                "difference": difference,
                "power": 0.8,
                "alpha": 0.05,
                "n_needed": int((2.8 * spread / difference) ** 2) + 1,
                "method": "normal, paired",
                "reason": "",
            }
            for difference in (0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
        ]
    )
    n = np.unique(np.geomspace(30, 5000, 40).astype(int))
    curve = pd.DataFrame(
        {"n_items": n, "power": 0.8, "alpha": 0.05, "detectable": 2.8 * spread / np.sqrt(n), "method": "normal, paired"}
    )
    meta = {
        "method": "smallest detectable paired difference",
        "seed": 0,
        "level": 0.95,
        "alpha": 0.05,
        "reference": world.units[k],
        "warnings": [],
        "diagnostics": {},
    }
    return Result("power", {"estimates": frame, "needed": needed, "curve": curve}, {}, meta)


def _account(world: _World) -> Result:
    names = [f"{unit}-2025-12-11.csv" for unit in world.units]
    answered = ~np.isnan(world.scores)
    n_all = world.category.size
    kept = n_all - world.missing.sum(axis=1)
    sources = [
        {
            "file": name,
            "format": "result-csv",
            "digest": f"{i:016x}",
            "date": "2025-12-11",
            "unit": unit,
            "model": unit.partition(" (")[0],
            "condition": "default",
            "rows_read": int(kept[i]) + (2 if i == 0 else 0),
            "rows_kept": int(kept[i]),
        }
        for i, (name, unit) in enumerate(zip(names, world.units, strict=True))
    ]
    coverage = [
        {
            "unit": unit,
            "by": by,
            "group": group,
            "n_items": int(answered[i, inside].sum()),
            "n_items_total": int(inside.sum()),
            "coverage": float(answered[i, inside].mean()),
        }
        for i, unit in enumerate(world.units)
        for by, group, inside in world.groups
        if by != "domain"
    ]
    statuses = [
        {"unit": unit, "status": status, "n_trials": int(count)}
        for i, unit in enumerate(world.units)
        for status, count in (
            ("ok", answered[i].sum() - world.empty[i].sum()),
            ("empty", world.empty[i].sum()),
            ("filtered", world.filtered[i].sum()),
        )
        if count
    ]
    comparability = [
        {
            "unit": unit,
            "date": "2025-12-11",
            "prompt_digest": "not stated",
            "scoring": "generation",
            "order": "source",
            "shots": "not stated",
            "decoding": "not stated",
            "item_revision": "not stated",
            "n_items": int(answered[i].sum()),
            "protocol": "not stated",
        }
        for i, unit in enumerate(world.units)
    ]
    tables = {
        "sources": pd.DataFrame(sources),
        "dropped": pd.DataFrame(
            [{"file": names[0], "reason": "id not in the item table", "n_rows": 2, "examples": "X_1, <X_2>|*"}]
        ),
        "statuses": pd.DataFrame(statuses),
        "coverage": pd.DataFrame(coverage),
        "gold": pd.DataFrame(
            [
                {
                    "file": names[-1],
                    "unit": world.units[-1],
                    "item": "History/Kedu_history_23",
                    "gold_file": "A",
                    "gold_items": "B",
                }
            ]
        ),
        "duplicates": pd.DataFrame(
            [
                {
                    "file": names[0],
                    "id": "Kedu_16_1",
                    "item": "Grammar/Kedu_16_1",
                    "resolved_by": "gold letter",
                    "n_rows": 2,
                }
            ]
        ),
        "comparability": pd.DataFrame(comparability),
    }
    return Result(
        "account", tables, {"n_files": len(names)}, {"warnings": ["Kedu_history_23 was scored against the item table."]}
    )


def _models(world: _World) -> Result:
    rows = [
        {
            "unit": unit,
            "model": unit.partition(" (")[0],
            "condition": "default",
            "label": unit,
            "kind": "model",
            "vendor": "",
            "family": "",
            "base_model": "",
            "parameters": np.nan,
            "parameters_active": np.nan,
            "release_date": "",
            "access": "api",
            "korean_corpus": "",
            "tuned": "",
            "sources": "",
        }
        for unit in world.units
    ]
    return Result("models", {"models": pd.DataFrame(rows)})


def _items(world: _World) -> Result:
    rows = [
        {
            "by": "overall",
            "group": "all items",
            "label_en": "All items",
            "label_ko": "전체 문항",
            "n_items": world.category.size,
            "n_clusters": 1739,
            "chance": 0.2436,
        }
    ]
    for name, korean in DOMAINS.items():
        n = int((world.domain == name).sum())
        rows.append(
            {
                "by": "domain",
                "group": name,
                "label_en": name,
                "label_ko": korean,
                "n_items": n,
                "n_clusters": int(n * 0.9),
                "chance": 0.2436,
            }
        )
    for name, (korean, _, size) in CATEGORIES.items():
        rows.append(
            {
                "by": "category",
                "group": name,
                "label_en": name,
                "label_ko": korean,
                "n_items": size,
                "n_clusters": int(size * 0.9),
                "chance": 0.24,
            }
        )
    return Result("items", {"groups": pd.DataFrame(rows)})

"""The analysis: components within and between models, decision studies, wordings compared, and the control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd

from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.sensitivity import across, studies
from click_stats.stats.sensitivity.layout import layouts
from click_stats.stats.sensitivity.strata import Within
from click_stats.stats.sensitivity.within import ONE_ORDER, Parts, Residual, Wordings, within
from click_stats.stats.sensitivity.within import ONE_WORDING as ONE_WORDING_ASKED
from click_stats.stats.sensitivity.wordings import control, wording_pairs
from click_stats.stats.settings import PairSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click_stats.counts import Counts
    from click_stats.stats.sensitivity.layout import Layout

METHOD = (
    "Variance components of right and wrong answers, within each model and over models, separately for items of each "
    "number of options. Items are random; the displayed position of the gold is crossed with items and fixed. "
    "Complete designs: expected mean squares; incomplete ones: REML. Components of fixed facets are those of the "
    "finite universe (Cornfield and Tukey). Negative estimates are 0. Intervals: within "
    "models jackknife over passages, and noncentral F for fixed facets; between models and for random wordings "
    "modified large samples. Errors of other designs: each facet adds "
    "its component over its levels, times 1 - n/N where its universe has N."
)
ONE_ANSWER_EACH = "One answer to a prompt: the spread of repeated answers cannot be told from the highest interaction."
NO_VARIETY = (
    "Every item was asked once, in one wording and one order: only models and items can be told apart. Wordings, "
    "positions and repetition need protocols such as `paper`."
)
FEW_SHARED = "Models are set apart on {n} of {total} items: the others lack an answer of some model."
RANDOM = "Wordings are taken as a sample of all wordings: {n} of them tell little about how wordings vary."
COMPONENTS = ("unit", "group", "component", "universe", "variance", "variance_se", "conf_low", "conf_high",
              "conf_level", "variance_share", "n_items", "n_clusters", "n_wordings", "n_rotations", "n_replicates",
              "method", "interval_method", "flag", "note", "reason")  # fmt: skip
ACROSS = ("group", "component", "universe", "variance", "variance_se", "conf_low", "conf_high", "conf_level",
          "variance_share", "n_units", "n_items", "n_clusters", "n_wordings", "n_rotations", "n_replicates", "method",
          "interval_method", "flag", "reason")  # fmt: skip
DESIGNS = ("unit", "group", "n_items", "n_wordings", "n_rotations", "n_replicates", "n_calls", "se_sampled",
           "sampled_low", "sampled_high", "se_fixed", "fixed_low", "fixed_high", "conf_level", "extrapolated", "note",
           "reason")  # fmt: skip
CHEAPEST = ("unit", "group", "target", "wanted_se", "n_items_needed", "n_items_total", "n_wordings", "n_rotations",
            "n_replicates", "n_calls", "se", "se_low", "se_high", "conf_level", "least_se", "extrapolated",
            "reason")  # fmt: skip
CHEAPEST_BETWEEN = ("group", "n_units", *CHEAPEST[2:])
BETWEEN = ("group", "n_units", "n_items", "n_wordings", "n_rotations", "n_replicates", "relative_se", "relative_low",
           "relative_high", "absolute_se", "absolute_low", "absolute_high", "conf_level", "g_coefficient", "g_low",
           "g_high", "phi", "as_run", "extrapolated", "note", "reason")  # fmt: skip
WHOLE = ("n_items", "n_items_needed", "n_items_total", "n_clusters", "n_units", "n_wordings", "n_rotations",
         "n_replicates", "n_calls")  # fmt: skip


def sensitivity(
    counts: Counts,
    *,
    wordings: Wordings = "fixed",
    residual: Residual = "answers",
    wanted_se: float = 0.01,
    level: float = 0.95,
    draws: int = 2_000,
    seed: int = 0,
) -> Result:
    """Split the spread of answers into items, wordings, positions and repetition; foretell other designs.

    Parameters
    ----------
    counts
        With ``responses``: one row per trial.
    wordings
        ``fixed``: the target is these wordings. ``random``: they are a sample of all wordings; their component then
        has an interval and a note, since few wordings tell little about others.
    residual
        Without replicates the highest interaction and the spread of repeated answers are one. ``answers``: it counts
        as the latter, which makes errors too large rather than too small. ``interaction``: answers are certain (greedy
        decoding, ranking by log-probability), and all of it is interaction.
    wanted_se
        Standard error, as a share, for which the cheapest design is sought: of an accuracy, and between models.
    level
        Of the intervals and tests.
    draws, seed
        Of the random signs in the paired tests.

    Returns
    -------
    Result
        ``estimates`` (components within models), ``across`` (with models as facet), ``designs`` and ``cheapest``
        (errors of a model's accuracy under other designs, with intervals), ``generalisability`` (errors and
        coefficients between models), ``cheapest_between`` (fewest prompts for a wanted error between models),
        ``wordings`` (pairs of wordings), ``control`` and ``control_tests`` (a model against itself).

    Raises
    ------
    UsageError
        The counts lack responses, or an argument is out of range.
    """
    if counts.responses is None:
        raise UsageError(
            "The analysis 'sensitivity' needs single responses, which these counts lack.",
            do="Give it trials, or counts made with trials.counts(responses=True).",
        )
    for name, value, choices in (
        ("wordings", wordings, get_args(Wordings)),
        ("residual", residual, get_args(Residual)),
    ):
        if value not in choices:
            raise UsageError(f"There is no {name}={value!r}.", do="Use one of: " + ", ".join(choices) + ".")
    if not 0 < wanted_se < 1:
        raise UsageError("A wanted standard error is a share above 0 and below 1.", found=str(wanted_se))
    PairSettings(level, round(1 - level, 12), None, False, "responded", draws, seed)  # checks the rest
    frame = counts.responses.frame
    own = dict(list(frame.groupby("unit", sort=True)))
    by_unit = [own.get(row, frame.iloc[:0]) for row in range(len(counts.units))]
    shapes = [layouts(counts, rows) for rows in by_unit]
    inside = [
        {n: within(counts, layout, wordings=wordings, residual=residual, level=level) for n, layout in one.items()}
        for one in shapes
    ]
    sizes = {int(n): int((counts.items["n_options"] == n).sum()) for n in counts.items["n_options"].unique()}
    estimates, designs, cheap = [], [], []
    for unit, layout, parts in zip(counts.units.index, shapes, inside, strict=True):
        estimates += _components(str(unit), layout, parts, level)
        for group, model in _models(layout, parts, sizes, random=wordings == "random"):
            designs += [{"unit": unit, "group": group, **row} for row in studies.within_designs(model, level)]
            cheap += [{"unit": unit, "group": group, **row} for row in studies.cheapest(model, wanted_se, level)]
    by_options = {
        n: across.by_options(counts, [one.get(n) for one in shapes], wordings=wordings, residual=residual, level=level)
        for n in sorted({n for one in shapes for n in one})
    }
    crossings = {studies.group_name(n): one for n, one in by_options.items()}
    crossings[studies.ALL] = across.whole(counts, shapes, wordings=wordings, level=level)
    between = [
        {"group": group, **row}
        for group, crossing in crossings.items()
        for row in (
            [{"n_units": crossing.n_models, "reason": crossing.parts.reason}]
            if crossing.parts.reason
            else studies.between_designs(crossing, random=wordings == "random", level=level)
        )
    ]
    n_shared, n_answered = crossings[studies.ALL].parts.n_items, int(frame["item"].nunique())
    apart = [
        {"group": group, "n_units": next(iter(by_options.values())).n_models, **row}
        for group, models in studies.joined(list(by_options.items()), n_shared, random=wordings == "random")
        for row in studies.cheapest(models, wanted_se, level)
    ]
    paired = wording_pairs(counts, by_unit, level=level, draws=draws, seed=seed)
    shares, tests = control(counts, by_unit, level=level, draws=draws, seed=seed)
    tables = {
        "estimates": _frame(estimates, COMPONENTS),
        "across": _frame([row for group, one in crossings.items() for row in _between(group, one, level)], ACROSS),
        "designs": _frame(designs, DESIGNS),
        "cheapest": _frame(cheap, CHEAPEST),
        "generalisability": _frame(between, BETWEEN),
        "cheapest_between": _frame(apart, CHEAPEST_BETWEEN),
        "wordings": paired,
        "control": shares,
        "control_tests": tests,
    }
    meta = _meta(counts, shapes, wordings, level) | {
        "wordings": wordings, "residual": residual, "wanted_se": wanted_se, "draws": draws, "seed": seed,
    }  # fmt: skip
    if 0 < n_shared < n_answered:
        meta["warnings"].append(FEW_SHARED.format(n=f"{n_shared:,}", total=f"{n_answered:,}"))
    return Result("sensitivity", tables, _summary(tables), meta)


def _components(
    unit: str, layout: Mapping[int, Layout], parts: Mapping[int, Parts], level: float
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    if not layout:
        return [{"unit": unit, "reason": "no answers"}]
    for n, one in parts.items():
        shape = layout[n]
        asked = {
            "unit": unit, "group": studies.group_name(n), "conf_level": level, "n_items": one.n_items,
            "n_clusters": one.n_clusters, "n_wordings": len(shape.wordings), "n_rotations": shape.n_rotations,
            "n_replicates": shape.n_replicates, "method": one.method, "note": one.note,
        }  # fmt: skip
        if one.reason:
            rows.append({**asked, "component": "", "reason": one.reason})
            continue
        rows += [{**asked, **_row(one, name)} for name in one.variances]
        if len(shape.wordings) == 1:
            rows.append({**asked, "component": "wording", "reason": ONE_WORDING_ASKED})
        if shape.one_order:
            rows.append({**asked, "component": "position", "reason": ONE_ORDER})
    return rows


def _between(group: str, crossing: across.Crossing, level: float) -> list[dict[str, Any]]:
    one = crossing.parts
    asked = {
        "group": group, "conf_level": level, "n_units": crossing.n_models, "n_items": one.n_items,
        "n_clusters": one.n_clusters, "n_wordings": crossing.wordings or None,
        "n_rotations": crossing.rotations or None, "n_replicates": crossing.replicates or None, "method": one.method,
    }  # fmt: skip
    if one.reason:
        return [{**asked, "component": "", "reason": one.reason}]
    return [{**asked, **_row(one, name)} for name in one.variances]


def _row(parts: Parts, name: str) -> dict[str, Any]:
    spread = parts.spreads.get(name)
    facets = name.split(":")
    kind = "" if name == "residual" else "fixed levels" if all(part in parts.universe for part in facets) else "random"
    row = {
        "component": name, "universe": kind, "variance": parts.variances[name], "variance_share": parts.share(name),
        "flag": parts.flags.get(name, ""), "reason": parts.reasons.get(name, ""),
        "interval_method": parts.interval.get(name, ""),
    }  # fmt: skip
    if spread is not None:
        row |= {"variance_se": spread.std_error, "conf_low": spread.low, "conf_high": spread.high}
    return row


def _models(
    layout: Mapping[int, Layout], parts: Mapping[int, Parts], sizes: Mapping[int, int], *, random: bool
) -> list[tuple[str, Within]]:
    """Return the sets of items whose errors can be foretold: each number of options, and all items together."""
    usable = {n: one for n, one in parts.items() if not one.reason}
    groups = [(studies.group_name(n), [n]) for n in usable]
    alike = len({(layout[n].wordings, layout[n].n_replicates, layout[n].one_order) for n in usable}) == 1
    if len(usable) > 1 and alike and len(usable) == len(sizes):
        groups.append((studies.ALL, list(usable)))
    return [
        (
            name,
            Within(
                {n: usable[n] for n in chosen},
                sizes,
                n_wordings=len(layout[chosen[0]].wordings),
                n_replicates=layout[chosen[0]].n_replicates,
                random=random,
                one_order=layout[chosen[0]].one_order,
            ),
        )
        for name, chosen in groups
    ]


def _frame(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=None if rows else list(columns)).reindex(columns=list(columns))
    for name in columns:
        if name in WHOLE:
            frame[name] = frame[name].astype("Int64")
        elif name in {"extrapolated", "as_run"}:
            frame[name] = frame[name].astype("boolean")
        elif name in {"component", "universe", "method", "interval_method", "flag", "note", "reason", "target"}:
            frame[name] = frame[name].astype(object).fillna("").astype(str)
        elif name not in {"unit", "group"}:
            frame[name] = frame[name].astype(np.float64)
    return frame


def _meta(counts: Counts, shapes: list[dict[int, Layout]], wordings: Wordings, level: float) -> dict[str, Any]:
    every = [layout for one in shapes for layout in one.values()]
    found: dict[str, Any] = {
        "method": METHOD,
        "level": level,
        "digests": dict(counts.meta.get("digests", {})),
        "warnings": list(counts.meta.get("warnings", [])),
        "diagnostics": {},
    }
    if not every:
        found["reason"] = "No model answered anything: there are no answers to split."
        found["warnings"].append(found["reason"])
        return found
    if all(layout.asked.sum(axis=(1, 2)).max() == 1 for layout in every):
        found["partial"] = NO_VARIETY
        found["warnings"].append(NO_VARIETY)
    elif all(layout.n_replicates == 1 for layout in every):
        found["warnings"].append(ONE_ANSWER_EACH)
    n_wordings = max(len(layout.wordings) for layout in every)
    if wordings == "random" and n_wordings > 1:
        found["warnings"].append(RANDOM.format(n=n_wordings))
    return found


def _summary(tables: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    run = tables["generalisability"]
    run = run[run["as_run"].fillna(value=False) & (run["group"] == studies.ALL)]
    pairs = tables["wordings"]
    found: dict[str, Any] = {"n_units": int(tables["estimates"]["unit"].nunique())}
    if len(run):
        found |= {"g_coefficient": float(run["g_coefficient"].iloc[0]), "phi": float(run["phi"].iloc[0])}
    found |= {
        "n_tests": int(pairs["p_value"].notna().sum()),
        "n_separated": int((pairs["verdict"] == "separated").sum()),
    }
    return found

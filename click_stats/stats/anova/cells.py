"""Cells, model by category, and which models each design can use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from click_stats.errors import UsageError
from click_stats.stats.anova.design import Term, covariate, factor
from click_stats.stats.anova.strata import Strata, nested

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, Denominator, FloatArray

Scale = Literal["log10_params", "log10_params within family", "levels within family"]
Parameters = Literal["total", "active"]
Incomplete = Literal["model", "cell"]

SCALE, CORPUS, JOINT = "scale", "corpus", "scale and corpus"
"""Designs: the size of models, their corpus, both in one model."""
ESTIMATED, STATED_SD = "estimated", "stated"
"""Where the standard deviation of models comes from."""
LEAST = 4
"""Models that a test between models needs at least."""
HALF = 0.5

NOT_ASKED, HUMAN, CONDITION = "not asked for", "not a model", "another condition of a model that is used"
NO_PARAMETERS, NO_CORPUS, NO_FAMILY = "number of parameters unknown", "corpus unknown", "family unknown"


@dataclass(frozen=True)
class Cells:
    """Accuracies of all units by category, with the facts of their models.

    Attributes
    ----------
    frame
        One row per unit and category: ``unit, category, estimate, n_items, n_items_total, n_trials, reason``; the
        estimate is missing where under half of the items were answered.
    units
        Index ``unit``: ``parameters`` (billions), ``family, korean_corpus, tuned, kind, model`` and ``reason``: why a
        unit is in no design, empty otherwise.
    """

    frame: pd.DataFrame
    units: pd.DataFrame


def cells(
    counts: Counts,
    *,
    models: Sequence[str] = (),
    denominator: Denominator = "responded",
    parameters: Parameters = "total",
    incomplete: Incomplete = "model",
) -> Cells:
    """Return the cells and the facts of the models.

    Parameters
    ----------
    counts
        The answers.
    models
        Units to use; all when empty.
    denominator
        Which trials count.
    parameters
        Whether size means all parameters or those active per token.
    incomplete
        What is left out when a model answered under half of a category: the ``model`` or the ``cell``.

    Raises
    ------
    UsageError
        A unit in ``models`` that is not in the data.
    """
    unknown = [one for one in models if one not in counts.units.index]
    if unknown:
        raise UsageError(
            "These models are not in the data.",
            found=", ".join(unknown),
            do="Use some of: " + ", ".join(map(str, counts.units.index)),
        )
    scores = counts.scores(denominator)
    categories = counts.items["category"].to_numpy()
    names = [name for name in counts.categories if (categories == name).any()]
    rows: list[dict[str, Any]] = []
    for u, unit in enumerate(counts.units.index):
        for name in names:
            chosen = categories == name
            answered = scores.trials[u, chosen] > 0
            values = scores.values[u, chosen][answered]  # noqa: PD011 -- a field of Scores
            few = answered.mean() < HALF
            rows.append(
                {
                    "unit": unit,
                    "category": name,
                    "estimate": np.nan if few else float(values.mean()),
                    "n_items": int(answered.sum()),
                    "n_items_total": int(chosen.sum()),
                    "n_trials": int(scores.trials[u, chosen].sum()),
                    "reason": f"answered {answered.sum()} of {chosen.sum()} items, under half" if few else "",
                }
            )
    frame = pd.DataFrame(
        rows, columns=["unit", "category", "estimate", "n_items", "n_items_total", "n_trials", "reason"]
    )
    return Cells(frame, _units(counts, frame, models, parameters, incomplete))


def _units(
    counts: Counts, frame: pd.DataFrame, models: Sequence[str], parameters: Parameters, incomplete: Incomplete
) -> pd.DataFrame:
    column = "parameters" if parameters == "total" else "parameters_active"
    found = pd.DataFrame(index=counts.units.index)
    found["model"] = counts.units["model"]
    found["parameters"] = pd.to_numeric(counts.fact(column), errors="coerce").astype(float)
    for name in ("family", "korean_corpus", "tuned", "kind"):
        values = counts.fact(name)
        found[name] = values.astype(object).where(values.notna() & (values.astype(str) != ""), None)
    reasons: dict[str, str] = {}
    seen: set[str] = set()
    # The default condition of a model comes first: the other conditions are no further models.
    order = sorted(found.index, key=lambda unit: counts.units["condition"].get(unit) != "default")
    for unit in order:
        own = frame[frame["unit"] == unit]
        few = own[own["estimate"].isna()]
        reason = ""
        if len(models) and unit not in models:
            reason = NOT_ASKED
        elif found.loc[unit, "kind"] == "human":
            reason = HUMAN
        elif found.loc[unit, "model"] in seen:
            reason = CONDITION
        elif len(few) and (incomplete == "model" or len(few) == len(own)):
            reason = "; ".join(
                f"{category}: {why}" for category, why in zip(few["category"], few["reason"], strict=True)
            )
            if len(few) == len(own):
                reason = "answered under half of every category"
        if not reason:
            seen.add(str(found.loc[unit, "model"]))
        reasons[unit] = reason
    found["reason"] = pd.Series(reasons)
    return found


@dataclass(frozen=True)
class Design:
    """One test that the paper made, on the models that allow it.

    Attributes
    ----------
    name
        ``scale``, ``corpus``, or ``scale and corpus``.
    used, left_out
        Units used; why each of the others is not.
    strata
        The data; None when the test cannot be made.
    tested
        Names of the terms between models that are of interest.
    reason
        Why there is no test; empty otherwise.
    """

    name: str
    used: tuple[str, ...]
    left_out: dict[str, str]
    strata: Strata | None
    tested: tuple[str, ...]
    reason: str = ""


def design(found: Cells, name: str, scale: Scale) -> Design:
    """Return the data of one design, or why there are none."""
    left_out: dict[str, str] = {}
    for unit, row in found.units.iterrows():
        why = [row["reason"]] if row["reason"] else []
        if row["reason"] not in {NOT_ASKED, HUMAN, CONDITION}:
            if name != CORPUS and not row["parameters"] > 0:
                why.append(NO_PARAMETERS)
            if name != SCALE and pd.isna(row["korean_corpus"]):
                why.append(NO_CORPUS)
            if name != CORPUS and scale != "log10_params" and pd.isna(row["family"]):
                why.append(NO_FAMILY)
        if why:
            left_out[str(unit)] = "; ".join(why)
    used = tuple(str(unit) for unit in found.units.index if str(unit) not in left_out)
    facts = found.units.loc[list(used)]
    one_category = found.frame["category"].nunique() < 2
    reason = "one category: cells need two or more" if one_category else _reason(facts, name, scale)
    if reason:
        return Design(name, used, left_out, None, (), reason)
    rows = found.frame[found.frame["unit"].isin(used) & found.frame["estimate"].notna()]
    between, tested = _terms(rows, found.units, name, scale)
    strata = Strata(rows["estimate"].to_numpy(), list(rows["category"]), list(rows["unit"]), between)
    return Design(name, used, left_out, strata, tested)


def _reason(facts: pd.DataFrame, name: str, scale: Scale) -> str:
    known = {SCALE: "a known number of parameters", CORPUS: "a known corpus"}.get(name, "a known size and corpus")
    if len(facts) < LEAST:
        return f"{len(facts)} usable models with {known}, but a test between models needs {LEAST} or more"
    if name != CORPUS and facts["parameters"].nunique() < 2:
        return "all models have the same number of parameters"
    if name != CORPUS and scale != "log10_params" and facts.groupby("family")["parameters"].nunique().max() < 2:
        return "no family has models of several sizes"
    if name != SCALE and facts["korean_corpus"].nunique() < 2:
        return f"all models have one corpus: {facts['korean_corpus'].iloc[0]}"
    return ""


def _terms(
    rows: pd.DataFrame, units: pd.DataFrame, name: str, scale: Scale
) -> tuple[tuple[Term, ...], tuple[str, ...]]:
    facts = units.loc[rows["unit"]]
    terms: list[Term] = []
    tested: list[str] = []
    if name != CORPUS:
        log10 = np.log10(facts["parameters"].to_numpy())
        if scale != "log10_params" and len(set(facts["family"])) > 1:
            terms.append(factor("family", list(facts["family"])))
        if scale == "levels within family":
            terms.append(nested("size within family", list(facts["family"]), list(log10)))
        else:
            terms.append(covariate("log10_params", log10))
        tested.append(terms[-1].name)
    if name != SCALE:
        terms.append(factor("corpus", list(facts["korean_corpus"])))
        tested.append("corpus")
    return tuple(terms), tuple(tested)


def model_values(strata: Strata, term: str) -> FloatArray:
    """Return (models, df) columns of a term between models, one row per model in sorted order."""
    columns = next(one.columns for one in strata.between if one.name == term)
    first = [list(strata.model).index(one) for one in sorted(set(strata.model))]
    values: FloatArray = columns[first]
    return values

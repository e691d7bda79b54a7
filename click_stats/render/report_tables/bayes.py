"""Tables of the Bayesian model: effects, priors side by side, other parameters, convergence, predictive checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render import numbers
from click_stats.render.report_tables.base import level
from click_stats.render.table import Cell
from click_stats.render.terms import term

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Table

POINTS, LOGITS = ("conf_low", "conf_high"), ("logit_low", "logit_high")
BY_MODEL = "accuracy"


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables of the result; when the chains were refused, only those that show why."""
    yield from _effects(make)
    yield from _priors(make)
    yield from _parameters(make)
    yield from _diagnostics(make)
    yield from _checks(make)


def _effects(make: Maker) -> Iterator[Table]:
    found = make.rows("bayes")
    if not found:
        return
    margin = found[0]["margin"]
    columns = [
        make.column("term", header=True),
        make.column("base", "remark"),
        make.column("estimate", "points", make.text("bayes_points")),
        make.column("points", "interval_points", make.text("bayes_interval"), fields=POINTS),
        make.column("logit", "number"),
        make.column("logit_sd", "number"),
        make.column("p_positive", "number"),
        *([make.column("p_inside", "number")] if margin is not None else []),
        make.column("verdict", "code"),
        make.column("evidence", "code", make.text("bayes_evidence")),
        make.column("n_units", "integer"),
    ]
    rows: list[list[Any]] = []
    for row in found:
        why = make.say(row["reason"])
        evidence = row["evidence"] or None
        inside = [row["p_inside"]] if margin is not None else []
        rows.append(
            [term(row["term"], make.lang), row["base"] or "", row["estimate"], _pair(row, POINTS), row["logit"],
             row["logit_sd"], row["p_positive"], *inside, Cell(row["verdict"], why) if why else row["verdict"],
             Cell(None, why) if evidence is None else evidence, row["n_units"]]
        )  # fmt: skip
    notes = [make.text("note_bayes", level=level(found), prior=numbers.number(found[0]["prior_sd"]))]
    notes.append(
        make.text("note_bayes_margin", margin=numbers.percent(margin))
        if margin is not None
        else make.text("note_bayes_no_margin")
    )
    yield make.table("tbl-bayes", columns, rows, notes=notes, keys=[("term", row["term"]) for row in found])


def _pair(row: Row, ends: tuple[str, str]) -> tuple[Any, Any]:
    return row[ends[0]], row[ends[1]]


def _priors(make: Maker) -> Iterator[Table]:
    found = make.rows("bayes", "priors")
    if not found:
        return
    columns = [
        make.column("term", header=True),
        make.column("prior_sd", "number"),
        make.column("logit", "number"),
        make.column("logits", "interval_number", make.text("bayes_logit_interval"), fields=LOGITS),
        make.column("points", "interval_points", make.text("bayes_points_interval"), fields=POINTS),
        make.column("bayes_factor", "number"),
        make.column("bayes_factor_error", "number"),
        make.column("bayes_factor_bound", "number"),
        make.column("evidence", "code"),
        make.column("verdict", "code"),
        make.column("how", "code"),
        make.column("k_hat", "number"),
    ]
    rows = [
        [term(row["term"], make.lang), row["prior_sd"], row["logit"], _pair(row, LOGITS), _pair(row, POINTS),
         make.cell(row, "bayes_factor"), row["bayes_factor_error"], row["bayes_factor_bound"],
         row["evidence"] or Cell(None, make.say(row["reason"])), row["verdict"], row["how"], row["k_hat"]]
        for row in found
    ]  # fmt: skip
    keys = [("prior", row["term"], str(row["prior_sd"])) for row in found]
    notes = [make.text("note_bayes_factor"), make.text("note_bayes_level", level=level(found))]
    yield make.table("tbl-bayes-priors", columns, rows, notes=notes, keys=keys)


def _parameters(make: Maker) -> Iterator[Table]:
    found = make.rows("bayes", "parameters")
    if not found:
        return
    columns = [
        make.column("parameter", "code", header=True),
        make.column("prior", "code"),
        make.column("n_values", "integer"),
        make.column("logit", "number"),
        make.column("logit_sd", "number"),
        make.column("logits", "interval_number", make.text("bayes_logit_interval"), fields=LOGITS),
    ]
    rows = [
        [row["parameter"], row["prior"], row["n_values"], row["logit"], row["logit_sd"], _pair(row, LOGITS)]
        for row in found
    ]
    notes = [make.text("note_bayes_parameters", level=level(found))]
    yield make.table("tbl-bayes-parameters", columns, rows, notes=notes)


def _diagnostics(make: Maker) -> Iterator[Table]:
    found = make.rows("bayes", "diagnostics")
    if not found:
        return
    columns = [
        make.column("parameter", "code", header=True),
        make.column("prior_sd", "number"),
        make.column("n_values", "integer"),
        make.column("r_hat", "text"),
        make.column("ess_bulk", "integer"),
        make.column("ess_tail", "integer"),
        make.column("n_divergent", "integer"),
        make.column("n_draws", "integer"),
    ]
    rows = [
        [row["parameter"], row["prior_sd"], row["n_values"],
         numbers.number(row["r_hat"], 3) if row["r_hat"] is not None else Cell(None, make.say(row["reason"])),
         row["ess_bulk"], row["ess_tail"], row["n_divergent"], row["n_draws"]]
        for row in found
    ]  # fmt: skip
    yield make.table("tbl-bayes-diagnostics", columns, rows, notes=[make.text("note_bayes_gate")])


def _checks(make: Maker) -> Iterator[Table]:
    found = make.rows("bayes", "checks")
    if not found:
        return
    models = [row for row in found if row["check"] == BY_MODEL]
    shown = [row for row in found if row["check"] != BY_MODEL] + [row for row in models if row["flag"]]
    columns = [
        make.column("check", "code", header=True),
        make.column("unit", "remark"),
        make.column("observed", "text"),
        make.column("predicted", "text"),
        make.column("predictive", "text", make.text("bayes_predicted_interval")),
        make.column("p_predictive", "p"),
    ]
    rows = [
        [row["check"], make.names.unit(row["unit"]) if row["unit"] else "",
         Cell(numbers.number(row["observed"], 3), make.say(row["flag"])) if row["flag"]
         else numbers.number(row["observed"], 3),
         numbers.number(row["predicted"], 3),
         numbers.interval_number(row["predicted_low"], row["predicted_high"], 3), row["p_predictive"]]
        for row in shown
    ]  # fmt: skip
    inside = sum(not row["flag"] for row in models)
    notes = [
        make.text("note_bayes_checks", level=level(found)),
        make.text("note_bayes_models", n=numbers.integer(inside), total=numbers.integer(len(models))),
    ]
    yield make.table("tbl-bayes-checks", columns, rows, notes=notes)

"""Tables of scale and corpus: both tests, what went in, how often each errs, what they could have seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render import numbers
from click_stats.render.table import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Kind, Table

INTERVAL = ("conf_low", "conf_high")
SHARE = ("effect_low", "effect_high")


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables of the analysis of variance; none without its result."""
    if not make.rows("anova"):
        return
    yield from _tests(make)
    yield from _effects(make)
    yield from _models(make)
    yield from _spread(make)
    yield from _checks(make)
    yield from _contrasts(make)
    yield from _power(make)
    yield from _claim(make)
    yield from _published(make)
    yield from _recomputed(make)


def _word(make: Maker, row: Row, *keys: str) -> list[str]:
    return [make.say(row[key]) or numbers.DASH for key in keys]


def _key(row: Row, *names: str) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in names)


def _first(rows: Sequence[Row], name: str) -> Any:
    return next((row[name] for row in rows if row.get(name) is not None), None)


def _tests(make: Maker) -> Iterator[Table]:
    found = make.rows("anova")
    columns = [
        make.column("design", header=True), make.column("term"), make.column("test_unit"),
        make.column("estimate", "points", make.text("anova_per_tenfold")),
        make.column("conf", "interval_points", make.text("anova_interval"), fields=INTERVAL),
        make.column("f_statistic", "number"), make.column("df", "integer"), make.column("df_residual", "integer"),
        make.column("p_value", "p"), make.column("sim_size", "percent", make.text("anova_size")),
        make.column("verdict", "code"),
    ]  # fmt: skip
    rows = [
        [
            *_word(make, row, "design", "term", "test_unit"),
            row["estimate"], tuple(row[key] for key in INTERVAL) if row["conf_low"] is not None else None,
            make.cell(row, "f_statistic"), row["df"], row["df_residual"], make.cell(row, "p_value"), row["sim_size"],
            Cell(row["verdict"], make.say(row["reason"])) if row["reason"] else row["verdict"],
        ]
        for row in found
    ]  # fmt: skip
    notes = [make.text("anova_note_tests", alpha=numbers.number(found[0]["alpha"]), type=found[0]["ss_type"])]
    keys = [_key(row, "design", "term", "test_unit") for row in found]
    yield make.table("tbl-anova-tests", columns, rows, notes=notes, keys=keys)


def _effects(make: Maker) -> Iterator[Table]:
    found = [row for row in make.rows("anova") if row["sum_sq"] is not None]
    if not found:
        return
    names = ("eta_sq", "eta_sq_partial", "omega_sq", "omega_sq_partial", "epsilon_sq")
    columns = [
        make.column("design", header=True), make.column("term"), make.column("test_unit"),
        *(make.column(name, "percent") for name in names),
        make.column("effect", "interval", make.text("anova_share"), fields=SHARE),
    ]  # fmt: skip
    rows = [
        [
            *_word(make, row, "design", "term", "test_unit"),
            *(make.cell(row, name) for name in names),
            make.cell(row, SHARE),
        ]
        for row in found
    ]
    level = numbers.level(_first(found, "conf_level"))
    yield make.table("tbl-anova-effects", columns, rows, notes=[make.text("anova_note_effects", level=level)])


def _models(make: Maker) -> Iterator[Table]:
    found = make.rows("anova", "models")
    designs = list(dict.fromkeys(row["design"] for row in found))
    if not designs:
        return
    columns = [
        make.unit_column(), make.column("parameters", "number"), make.column("family", "remark"),
        make.column("korean_corpus", "remark"), make.column("tuned", "remark"),
        make.column("estimate", "percent", make.text("anova_mean")),
        *(make.column(f"used_{k}", "code", make.text("anova_used_in", design=make.say(name)))
          for k, name in enumerate(designs)),
    ]  # fmt: skip
    rows = []
    for unit, own in make.by_unit(found).items():
        by_design = {row["design"]: row for row in own}
        first = own[0]
        used = [Cell("yes" if r["used"] else "no", make.say(r["reason"])) for r in map(by_design.__getitem__, designs)]
        facts = [first["family"] or "", first["korean_corpus"] or "", make.say(first["tuned"])]
        rows.append([make.names.unit(unit), first["parameters"], *facts, first["estimate"], *used])
    yield make.table("tbl-anova-models", columns, rows, notes=[make.text("anova_note_models")])


def _spread(make: Maker) -> Iterator[Table]:
    found = make.rows("anova", "spread")
    if not found:
        return
    columns = [
        make.column("design", header=True), make.column("term"), make.column("n_units", "integer"),
        make.column("n_cells", "integer"), make.column("cell_sd", "percent", make.text("anova_cell_sd")),
        make.column("model_sd_at"), make.column("model_sd", "percent", make.text("anova_model_sd")),
        make.column("sim_size", "percent", make.text("anova_size_cells")),
        make.column("sim_size_models", "percent", make.text("anova_size_models")),
    ]  # fmt: skip
    rows = [
        [
            *_word(make, row, "design", "term"), row["n_units"], row["n_cells"], make.cell(row, "cell_sd"),
            make.say(row["model_sd_at"]),
            *(make.cell(row, name) for name in ("model_sd", "sim_size", "sim_size_models")),
        ]
        for row in found
    ]  # fmt: skip
    draws = _first(found, "n_draws")
    level, alpha = numbers.level(_first(found, "conf_level")), numbers.level(found[0]["alpha"])
    note = make.text("anova_note_spread", level=level, alpha=alpha, draws=numbers.integer(draws))
    keys = [_key(row, "design", "term", "model_sd_at") for row in found]
    yield make.table("tbl-anova-spread", columns, rows, notes=[note], keys=keys)


def _checks(make: Maker) -> Iterator[Table]:
    found = make.rows("anova", "checks")
    if not found:
        return
    dfs = [row[name] for row in found for name in ("df", "df_residual") if row[name] is not None]
    kind: Kind = "integer" if all(float(df).is_integer() for df in dfs) else "number"  # Welch's are no whole numbers
    columns = [
        make.column("design", header=True), make.column("check"), make.column("term"), make.column("test_unit"),
        make.column("f_statistic", "number", make.text("anova_statistic")),
        make.column("df", kind), make.column("df_residual", kind), make.column("p_value", "p"),
    ]  # fmt: skip
    rows = [
        [
            *_word(make, row, "design", "check", "term", "test_unit"),
            make.cell(row, "f_statistic"), row["df"], row["df_residual"], make.cell(row, "p_value"),
        ]
        for row in found
    ]  # fmt: skip
    yield make.table("tbl-anova-checks", columns, rows, notes=[make.text("anova_note_checks")])


def _contrasts(make: Maker) -> Iterator[Table]:
    found = make.rows("anova", "contrasts")
    if not found:
        return
    columns = [
        make.column("corpus_a", header=True), make.column("corpus_b"),
        make.column("estimate", "points", make.text("difference_points")),
        make.column("conf", "interval_points", make.text("simultaneous"), fields=INTERVAL),
        make.column("p_adjusted", "p", make.text("anova_p_tukey")), make.column("verdict", "code"),
    ]  # fmt: skip
    rows = [
        [row["corpus_a"], row["corpus_b"], *(make.cell(row, name) for name in ("estimate", INTERVAL, "p_adjusted")),
         row["verdict"]]
        for row in found
    ]  # fmt: skip
    yield make.table("tbl-anova-contrasts", columns, rows, notes=[make.method(found)])


def _power(make: Maker) -> Iterator[Table]:
    found = make.rows("anova", "power")
    if not found:
        return
    effects = sorted({row["difference"] for row in found})
    columns = [
        make.column("design", header=True), make.column("term"), make.column("test_unit"),
        *(make.column(f"power_{value:g}", "percent", make.text("anova_at", value=_points(value))) for value in effects),
        make.column("detectable", "percent", make.text("anova_detectable")),
    ]  # fmt: skip
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in found:
        groups.setdefault(_key(row, "design", "term", "test_unit"), []).append(row)
    rows = []
    for own in groups.values():
        cells = {row["difference"]: make.cell(row, "power") for row in own}
        name = _word(make, own[0], "design", "term", "test_unit")
        rows.append([*name, *(cells[value] for value in effects), make.cell(own[0], "detectable")])
    power = numbers.level(_first(make.rows("anova", "claim"), "power"))
    notes = [make.text("anova_note_power", alpha=numbers.level(found[0]["alpha"]), power=power)]
    notes += dict.fromkeys(make.say(row["note"]) for row in found if row["note"])
    yield make.table("tbl-anova-power", columns, rows, notes=notes, keys=list(groups))


def _points(value: float) -> str:
    return numbers.number(100 * value, 0 if round(100 * value, 6).is_integer() else 1)


def _claim(make: Maker) -> Iterator[Table]:
    found = make.rows("anova", "claim")
    if not found:
        return
    groups: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in found:
        key = (*_key(row, "claim_design", "n_units", "model_sd_at"), f"{row['model_sd']:.4f}")
        groups.setdefault(key, {})[row["test_unit"]] = row
    columns = [
        make.column("claim_design", header=True), make.column("n_units", "integer", make.text("anova_n_models")),
        make.column("parameters", label=make.text("anova_sizes")),
        make.column("model_sd", "percent", make.text("anova_model_sd")), make.column("model_sd_at"),
        make.column("size_cells", "percent", make.text("anova_size_cells")),
        make.column("size_items", "percent", make.text("anova_size_items")),
        make.column("size_models", "percent", make.text("anova_size_models")),
        make.column("detectable", "percent", make.text("anova_detectable")),
    ]  # fmt: skip
    rows = []
    for own in groups.values():
        row = own["models"]
        rows.append([
            make.say(row["claim_design"]), row["n_units"],
            f"{row['parameters_low']:g}{numbers.DASH}{row['parameters_high']:g}", row["model_sd"],
            make.say(row["model_sd_at"]),
            *(make.cell(own[unit], "sim_size") for unit in ("cells", "items", "models")), make.cell(row, "detectable"),
        ])  # fmt: skip
    first = found[0]
    note = make.text(
        "anova_note_claim", alpha=numbers.level(first["alpha"]), power=numbers.level(first["power"]),
        draws=numbers.integer(first["n_draws"]), items=numbers.integer(first["n_items"]),
        cell=numbers.percent(first["cell_sd"]), item=numbers.percent(first["item_sd"]),
    )  # fmt: skip
    yield make.table("tbl-anova-claim", columns, rows, notes=[note], keys=list(groups))


def _published(make: Maker) -> Iterator[Table]:
    found = make.rows("anova", "published")
    if not found:
        return
    columns = [
        make.column("design", header=True), make.column("f_published", "number"),
        make.column("df_published", "integer"), make.column("p_published", "p"), make.column("reading"),
        make.column("n_units", "integer", make.text("anova_n_models")), make.column("n_cells", "integer"),
        make.column("model_set", "remark"), make.column("n_cells_published", "integer"), make.column("note", "remark"),
    ]  # fmt: skip
    rows = [
        [
            make.say(row["design"]), row["f_published"], row["df_published"], row["p_published"],
            make.say(row["reading"]), row["n_units"], row["n_cells"], make.say(row["model_set"]),
            row["n_cells_published"], make.say(row["note"]),
        ]
        for row in found
    ]  # fmt: skip
    yield make.table("tbl-anova-published", columns, rows, notes=[make.text("anova_note_published")])


def _recomputed(make: Maker) -> Iterator[Table]:
    found = make.rows("anova", "recomputed")
    if not found:
        return
    columns = [
        make.column("design", header=True), make.column("model_set", "remark"),
        make.column("n_units", "integer", make.text("anova_n_models")), make.column("measured_on"),
        make.column("numbers_from"), make.column("test_unit"),
        make.column("estimate", "points", make.text("anova_effect")),
        make.column("f_statistic", "number"), make.column("f", "interval_number", make.text("anova_f_range"),
                                                          fields=("f_low", "f_high")),
        make.column("df_residual", "integer"), make.column("p_value", "p"),
        make.column("model_sd", "percent", make.text("anova_model_sd")), make.column("verdict", "code"),
    ]  # fmt: skip
    rows = []
    for row in found:
        several = row["n_sets"] is not None
        name = make.say(row["model_set"])
        if several:
            name = make.text("anova_any", n=row["n_units"], sets=numbers.integer(row["n_sets"]), name=name)
        rows.append([
            make.say(row["design"]), name, row["n_units"],
            *_word(make, row, "measured_on", "numbers_from", "test_unit"), row["estimate"], row["f_statistic"],
            (row["f_low"], row["f_high"]) if several else None, row["df_residual"], row["p_value"],
            row["model_sd"], row["verdict"] or Cell(None, make.text("anova_no_verdict")),
        ])  # fmt: skip
    yield make.table("tbl-anova-recomputed", columns, rows, notes=[make.text("anova_note_recomputed")])

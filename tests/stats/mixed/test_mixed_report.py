"""The mixed model in the report: tables, finding and section from a fit of a small simulated study."""

import numpy as np
import pytest

from click_stats.errors import UsageError
from click_stats.render import codes
from click_stats.render.figures.mixed import figure_mixed, figure_mixed_levels
from click_stats.render.findings_mixed import mixed as finding
from click_stats.render.report_tables import report_tables
from click_stats.results import ResultSet
from click_stats.stats.mixed import mixed


@pytest.fixture(scope="module")
def results(counts_of):
    rng = np.random.default_rng(5)
    size = np.array([1.0, 2, 4, 8, 16, 32])
    logits = 0.4 * np.log10(size)[:, None] + rng.normal(0, 0.1, (6, 1)) + rng.normal(0, 1, 40)
    counts = counts_of(rng.binomial(12, 1 / (1 + np.exp(-logits))), 12, category=["A"] * 20 + ["B"] * 20)
    counts = counts.with_units(counts.units.assign(parameters=size, family=list("abcdef")))
    return ResultSet("mine", {"mixed": mixed(counts, level=0.9)})


def test_the_finding_is_the_row_of_the_test_of_size(results):
    found = finding(results)
    rows = results["mixed"].to_frame()
    row = rows[(rows["design"] == "scale") & (rows["term"] == "log10_params")].iloc[0]
    assert found.facts["scale"]["p_value"] == row["p_value"]
    assert found.facts["scale"]["df"] == 4
    assert found.facts["both"] is None  # no corpus is known


def test_without_the_test_there_is_no_finding():
    assert finding(ResultSet("mine", {})) is None


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_tables_show_the_rows_of_the_result(results, lang):
    tables = report_tables(results, lang)
    assert {"tbl-mixed-effects", "tbl-mixed-structures", "tbl-mixed-models"} <= set(tables)
    frame = results["mixed"].to_frame()
    assert len(tables["tbl-mixed-effects"].rows) == len(frame)
    text = tables["tbl-mixed-effects"].render("text")
    assert f"{100 * frame['estimate'].iloc[0]:+.1f}" in text
    assert "None" not in text
    assert "nan" not in text


def test_a_family_for_every_model_leaves_no_size_within_family_and_says_so(results):
    rows = results["mixed"].to_frame()
    within = rows[rows["design"] == "size within family"]
    assert within["p_value"].isna().all()
    assert within["reason"].str.len().gt(0).all()


@pytest.fixture(scope="module")
def lineages(counts_of):
    """Six models, two made from others, one of them tuned; sizes, corpora and access are known."""
    rng = np.random.default_rng(9)
    size = np.array([1.0, 2, 4, 8, 4, 8])
    level = 0.4 * np.log10(size)[:, None] + rng.normal(0, 0.2, (6, 1))
    logits = level + rng.normal(0, 1, 40) + rng.normal(0, 1, (6, 40))
    counts = counts_of(rng.binomial(12, 1 / (1 + np.exp(-logits))), 12, category=["A"] * 20 + ["B"] * 20)
    facts = {
        "parameters": size,
        "family": ["P", "P", "P", "P", "K", "N"],
        "korean_corpus": ["web"] * 4 + ["web + instruction tuning", "web + news"],
        "tuned": ["no"] * 4 + ["yes", "no"],
        "base_model": [None] * 4 + ["m2", "m3"],
    }
    found = mixed(counts.with_units(counts.units.assign(**facts)), threshold=(2.0, 5.0))
    return ResultSet("mine", {"mixed": found})


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_figures_draw_the_rows_of_the_result(lineages, lang):
    effects, levels = figure_mixed(lineages, lang), figure_mixed_levels(lineages, lang)
    estimates = lineages["mixed"].to_frame()
    assert len(effects.data) == estimates["estimate"].notna().sum()
    assert effects.alt.count("%p" if lang == "ko" else " points") == len(effects.data)
    assert list(levels.data["unit"].sort_values()) == [f"m{k}" for k in range(6)]
    scale = estimates[(estimates["design"] == "scale") & (estimates["term"] == "log10_params")].iloc[0]
    line = levels.data.drop_duplicates("parameters")
    slope = np.diff(line["fitted_logit"]) / np.diff(np.log10(line["parameters"]))
    np.testing.assert_allclose(slope, scale["effect_logit"])
    assert f"{scale['effect_logit']:.2f}".replace("-", "−") in levels.alt
    shown = effects.figure.axes[0].get_yticklabels()
    assert shown[0].get_text().startswith("scale" if lang == "en" else "규모")


def test_a_result_without_size_has_no_figure_of_levels(counts_of):
    rng = np.random.default_rng(1)
    bare = ResultSet("mine", {"mixed": mixed(counts_of(rng.binomial(4, 0.6, (4, 30)), 4))})
    assert figure_mixed(bare) is None
    assert figure_mixed_levels(bare) is None
    with pytest.raises(UsageError, match="No effect"):
        bare["mixed"].plot()


def test_plot_draws_the_effects(lineages):
    ax = lineages["mixed"].plot()
    assert len(ax.get_yticks()) == lineages["mixed"].to_frame()["estimate"].notna().sum()


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_tables_keep_tuning_apart_and_the_models_table_is_short(lineages, lang):
    tables = report_tables(lineages, lang)
    text = tables["tbl-mixed-changes"].render("text")
    assert ("further pretraining" if lang == "en" else "추가 사전학습") in text
    assert len(tables["tbl-mixed-contrasts"].rows) == 2
    assert len(tables["tbl-mixed-tests"].rows) == len(lineages["mixed"].tables["tests"])
    models = tables["tbl-mixed-models"]
    assert len(models.rows) == 6
    assert all(len(str(row[-2])) <= 12 for row in models.rows)


def test_every_remark_of_the_result_has_korean(lineages):
    said = [str(text) for table in lineages["mixed"].tables.values() for name in ("reason", "note", "method")
            if name in table for text in table[name].dropna()]  # fmt: skip
    said += list(lineages["mixed"].meta["warnings"])
    assert said
    for text in said:
        assert any("가" <= letter <= "힣" for letter in codes.text(text, "ko")), text

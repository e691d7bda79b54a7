"""Tables, figure and finding of the Bayesian analysis, from a made-up result."""

import numpy as np
import pandas as pd
import pytest

from click_stats.render import codes, figures
from click_stats.render.findings_bayes import bayes as finding
from click_stats.render.report_tables import report_tables
from click_stats.render.terms import term
from click_stats.results import Result, ResultSet
from click_stats.stats.bayes.analysis import TABLES

SDS = (0.25, 0.5, 1.0)
ENDS = {"log10_params": (0.03, 0.06), "corpus[yes]": (-0.01, 0.012)}


def result(margin=0.02, reason=""):
    effects = [
        {"term": name, "base": "" if name == "log10_params" else "no", "prior_sd": 0.5, "estimate": (low + high) / 2,
         "conf_low": low, "conf_high": high, "conf_level": 0.95, "logit": 0.1, "logit_sd": 0.05, "logit_low": 0.0,
         "logit_high": 0.2, "p_positive": 0.97, "margin": margin, "p_inside": 0.5, "n_units": 9, "n_items": 300,
         "verdict": "separated" if low > 0.02 else "equivalent", "n_trials": 900, "reason": "",
         "evidence": "for an effect" if low > 0.02 else "for no effect"}
        for name, (low, high) in ENDS.items()
    ]  # fmt: skip
    priors = [
        {**row, "prior_sd": sd, "bayes_factor": 4.0, "bayes_factor_error": 0.1, "bayes_factor_bound": np.nan,
         "how": "reweighted", "k_hat": 0.1}
        for row in effects for sd in SDS
    ]  # fmt: skip
    grid = np.linspace(-0.5, 0.5, 21)
    density = pd.concat(
        [pd.DataFrame({"term": name, "prior_sd": sd, "logit": grid, "density": np.exp(-grid**2), "prior_density": 1.0})
         for name in ENDS for sd in SDS]
    )  # fmt: skip
    diagnostics = [{"parameter": "effects", "prior_sd": 0.5, "n_values": 2, "r_hat": 1.001, "ess_bulk": 5000.0,
                    "ess_tail": 4000.0, "n_divergent": 0, "n_draws": 8000, "reason": ""}]  # fmt: skip
    frames = {"diagnostics": pd.DataFrame(diagnostics)}
    if not reason:
        frames |= {"estimates": pd.DataFrame(effects), "priors": pd.DataFrame(priors), "density": density}
    tables = {name: frames.get(name, pd.DataFrame()).reindex(columns=list(columns)) for name, columns in TABLES.items()}
    return ResultSet("x", {"bayes": Result("bayes", tables, {}, {"reason": reason})})


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_tables_say_effect_verdict_and_evidence(lang):
    tables = report_tables(result(), lang)
    assert {"tbl-bayes", "tbl-bayes-priors", "tbl-bayes-diagnostics"} <= set(tables)
    text = tables["tbl-bayes"].render("text")
    assert term("corpus[yes]", lang) in text
    assert codes.text("equivalent", lang) in text
    assert codes.text("for no effect", lang) in text
    assert "±2.0" in text
    assert "±" not in report_tables(result(margin=None), lang)["tbl-bayes"].render("text")


@pytest.mark.report
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_figure_has_a_row_for_each_effect(lang):
    drawing = figures.draw(result(), lang)["fig-bayes"]
    assert len(drawing.figure.axes) == 4
    assert len(drawing.data) == 6
    assert "±2.0" in drawing.caption
    assert term("log10_params", lang) in drawing.alt
    assert result()["bayes"].plot(lang=lang).lines


def test_an_interaction_is_named_by_its_parts():
    assert term("category[Law]:log10_params", "en") == "category: Law × log10 parameters"
    assert term("corpus[a:b]", "en") == "corpus: a:b"


def test_the_finding_sorts_by_verdict_and_shared_evidence():
    facts = finding(result()).facts
    assert [row["term"] for row in facts["for_null"]] == ["corpus[yes]"]
    assert [row["term"] for row in facts["for_effect"]] == ["log10_params"]
    assert [row["term"] for row in facts["equivalent"]] == ["corpus[yes]"]
    assert facts["undecided"] == []


def test_refused_chains_leave_their_diagnostics_only():
    refused = result(reason="The chains did not converge: 3 divergent transitions (none allowed). Try more draws.")
    assert finding(refused) is None
    names = [name for name in report_tables(refused) if "bayes" in name]
    assert names == ["tbl-bayes-diagnostics"]
    assert "fig-bayes" not in figures.draw(refused)


CONVERGENCE = (
    "The chains did not converge: R-hat is 1.023 for sd_model (at most 1.01); 94 divergent transitions (none allowed). "
    "Try more draws and tuning steps, or a higher target_accept, such as 0.99, or fewer effects of models."
)


@pytest.mark.parametrize(
    "remark",
    [
        CONVERGENCE,
        "3 models have answers and a known log10_params and corpus, but an effect of models needs at least 4.",
        "corpus left out: All models have the same corpus: yes.",
        "3828 effective draws, where a Bayes factor needs 4000",
        "unknown: log10_params and corpus",
        "model:category added to the random effects: the interaction is judged against it",
        "passage left out: no two of these items share one",
        "Normal(0, 0.5)",
        "500 of 1995 items, drawn within categories",
    ],
)
def test_remarks_are_said_in_korean(remark):
    said = codes.text(remark, "ko")
    assert said != remark
    assert "needs" not in said
    assert "at most" not in said

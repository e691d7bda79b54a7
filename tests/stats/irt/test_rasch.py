"""The conditional engine in the analysis: eRm's estimates on the scale of the models, and what it refuses."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from click_stats.errors import UsageError
from click_stats.stats.irt import assessment, irt, rasch
from click_stats.stats.irt.conditional import ALL_RIGHT, ALL_WRONG, TOO_FEW
from click_stats.stats.irt.rows import NO_ABILITY

ORACLE = Path(__file__).parents[2] / "oracles" / "irt1pl"
SETTINGS = {"engine": "conditional", "floor": "none"}


@pytest.fixture(scope="module")
def answers():
    table = pd.read_csv(ORACLE / "input_real.csv")
    return table.drop(columns="model").to_numpy()


@pytest.fixture(scope="module")
def known():
    return json.loads((ORACLE / "expected.json").read_text())["real"]


def test_the_estimates_are_erms_moved_to_the_mean_of_the_models(counts_of, answers, known):
    result = irt(counts_of(answers), **SETTINGS)
    items, models = result.to_frame(), result.to_frame("abilities")
    refined = np.array(list(known["refined"]["difficulty"].values()))
    centre = items["difficulty"].mean() - refined.mean()
    assert items["difficulty"].to_numpy() - centre == pytest.approx(refined, abs=1e-5)
    assert items["difficulty_se"].to_numpy() == pytest.approx(list(known["difficulty_se"].values()), rel=1e-3)
    assert models["ability"].mean() == pytest.approx(0, abs=1e-9)
    theta = dict(zip(known["raw_score"], known["theta_ml"], strict=True))
    assert models["ability"].to_numpy() - centre == pytest.approx(
        [theta[one] for one in known["model_raw_score"]], abs=1e-3
    )
    assert set(items["method"]) == {rasch.METHOD}
    assert items["discrimination"].isna().all()
    assert result.meta["engine"] == "conditional"
    assert result.meta["model"] == "1pl"
    assert items[["infit", "outfit"]].notna().all(axis=None)
    assert result.to_frame("information")["std_error"].notna().all()
    assert result.to_frame("comparison")["correlation"].iloc[0] == pytest.approx(1, abs=1e-9)
    assert set(result.to_frame("abilities")["by"]) == {"overall"}


def test_items_and_models_without_an_estimate_have_a_reason_and_touch_no_other_number(counts_of, answers, known):
    more = np.column_stack([answers, np.ones(len(answers), int), np.zeros(len(answers), int)])
    with_ace = np.vstack([more, [1] * answers.shape[1] + [1, 0]])
    result = irt(counts_of(with_ace), **SETTINGS)
    items = result.to_frame()
    assert items["reason"].tolist()[-2:] == [ALL_RIGHT, ALL_WRONG]
    assert items[["difficulty", "difficulty_low", "rank", "infit"]].tail(2).isna().all(axis=None)
    assert not items["estimable"].tail(2).any()
    assert items["infit"].head(-2).notna().all()
    refined = np.array(list(known["refined"]["difficulty"].values()))
    found = items["difficulty"].head(-2).to_numpy()
    assert found - found.mean() == pytest.approx(refined - refined.mean(), abs=1e-5)
    ace = result.to_frame("abilities").set_index("unit").loc["m20"]
    assert np.isnan(ace["ability"])
    assert ace["reason"] == NO_ABILITY
    json.loads(result.to_json())


def test_andersens_test_stands_in_the_table_of_fit(counts_of, answers):
    fits = irt(counts_of(answers), **SETTINGS).to_frame("fit").set_index("check")
    assert fits.loc[assessment.ANDERSEN, "df"] == fits.loc[assessment.ANDERSEN, "n_items"] - 1


def test_what_conditional_likelihood_cannot_do_is_a_reason(counts_of, answers):
    twice = irt(counts_of(2 * answers, 2), **SETTINGS)
    assert twice.meta["reason"] == rasch.SEVERAL.format(n=2)
    assert not len(twice.to_frame())
    trials = np.ones(answers.shape, dtype=int)
    trials[0, 0] = 0
    gap = irt(counts_of(answers * trials, trials), **SETTINGS)
    assert gap.meta["reason"] == rasch.INCOMPLETE.format(n=1, total=answers.size)
    same = np.column_stack([np.arange(8) % 2] * 1 + [np.ones(8, int)] * 3)
    assert irt(counts_of(same), **SETTINGS).meta["reason"] == rasch.NO_ESTIMATES.format(why=TOO_FEW)


@pytest.mark.parametrize("wrong", [{"floor": "chance"}, {"floor": "none", "model": "2pl"}])
def test_a_floor_or_discriminations_are_refused(counts_of, answers, wrong):
    with pytest.raises(UsageError, match="neither a floor nor discriminations"):
        irt(counts_of(answers), engine="conditional", **wrong)


def test_an_unknown_engine_is_refused(counts_of, answers):
    with pytest.raises(UsageError, match="no engine"):
        irt(counts_of(answers), engine="em")

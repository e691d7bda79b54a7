"""Models beside people: the paper's figures, hand values, simulated probabilities of passing, and bad tables."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from click_stats import content
from click_stats.counts import Counts
from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.human import human
from click_stats.stats.human.analysis import effective, pass_probability, score_test
from click_stats.stats.human.boundaries import conflicts, exams, paper_table
from click_stats.stats.tools.clustered import cluster_mean
from click_stats.stats.tools.intervals import clustered_wilson

HEADER = "exam,year,score,boundary,source\n"


def exam_counts(counts_of, correct, trials=1, *, source="Kedu", domain="Culture", **settings):
    counts = counts_of(correct, trials, **settings)
    return Counts(**{**vars(counts), "items": counts.items.assign(source=source, domain=domain)})


@pytest.fixture
def table(tmp_path):
    def write(text):
        path = tmp_path / "boundaries.csv"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def test_the_kedu_mean_is_the_papers_and_the_test_agrees_with_the_interval(counts_of):
    correct = np.zeros((2, 161), dtype=int)
    correct[0, :63], correct[1, :81] = 1, 1  # 39.1 % as published for Claude-2, and about the human mean
    result = human(exam_counts(counts_of, correct))
    rows = result.to_frame().set_index("unit")
    assert rows["human_score"].tolist() == [0.499, 0.499]
    assert rows["n_items"].tolist() == [161, 161]
    assert rows.loc["m0", "gap"] == pytest.approx(63 / 161 - 0.499)
    assert rows["verdict"].tolist() == ["separated", "not separated"]
    mean = cluster_mean(correct[0].astype(float), np.arange(161))
    interval = clustered_wilson(mean, 0.95)
    assert rows.loc["m0", ["conf_low", "conf_high"]].tolist() == pytest.approx(list(interval[:2]))
    assert rows.loc["m0", "gap_high"] == pytest.approx(interval.high - 0.499)
    for score in (interval.low, interval.high):
        assert score_test(mean, score) == pytest.approx(0.05, abs=1e-9)
    assert result.summary == {"n_units": 2, "n_separated": 1, "n_better": 0}


def test_the_probability_is_that_of_the_beta_posterior(counts_of):
    correct = np.array([[1] * 30 + [0] * 20])
    row = human(exam_counts(counts_of, correct)).to_frame().iloc[0]
    mean = cluster_mean(correct[0].astype(float), np.arange(50))
    assert effective(mean) == pytest.approx(49)  # CR1 divides by n - 1
    assert row["pass_probability"] == pytest.approx(stats.beta(0.6 * 49 + 0.5, 0.4 * 49 + 0.5).sf(0.499), abs=1e-12)


def test_the_probability_of_passing_is_calibrated_in_simulation():
    # At the boundary itself the probability is below a with frequency a, whatever the spread between items.
    rng = np.random.default_rng(3)
    for correlation in (0.0, 0.5):
        found = []
        for _ in range(600):
            p = rng.beta(0.6 / correlation * (1 - correlation), 0.4 / correlation * (1 - correlation), 120) if correlation else 0.6  # fmt: skip
            mean = cluster_mean(rng.binomial(3, p, 120) / 3, np.arange(120))
            found.append(pass_probability(mean.estimate, effective(mean), 0.6))
        for level in (0.05, 0.5, 0.95):
            assert np.mean(np.array(found) < level) == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / 600) + 0.005)  # fmt: skip


def test_a_users_boundaries_are_read_and_kept_apart(counts_of, table):
    correct = np.array([[1] * 70 + [0] * 30, [1] * 40 + [0] * 60])
    counts = exam_counts(counts_of, correct, source=["TOPIK"] * 60 + ["PSAT"] * 40, domain="Language")
    path = table(
        "exam,year,score,boundary,source,kind\nTOPIK,2020,60,level 3,board,cut\nTOPIK,2021,60,level 3,board,\n"
        "PSAT,2020,55.5,mean of people,board,mean\n"
    )
    result = human(counts, boundaries=path)
    rows = result.to_frame()
    assert rows[["exam", "years", "boundary_kind", "human_score"]].drop_duplicates().to_numpy().tolist() == [
        ["TOPIK", "2020", "cut", 0.6], ["TOPIK", "2021", "cut", 0.6], ["PSAT", "2020", "mean", 0.555]
    ]  # fmt: skip
    first = rows.iloc[0]
    assert first["estimate"] == 1
    assert first["flag"] == "degenerate"
    assert first["pass_probability"] > 0.999
    boundaries = result.to_frame("boundaries")
    assert boundaries["computable"].tolist() == [True, True, True, False]
    assert boundaries["reason"].iloc[-1] == "the cut scores of the levels are not known"


def test_a_boundary_may_concern_a_part_of_an_exam(counts_of, table):
    counts = exam_counts(counts_of, np.array([[1] * 6 + [0] * 4]), source="Kedu", category=["A"] * 6 + ["B"] * 4)
    path = table("exam,year,score,boundary,source,category\nKedu,2018,50,pass,board,A\nKedu,2018,50,pass,board,B\n")
    rows = human(counts, boundaries=path).to_frame()
    assert rows[rows["boundary"] == "pass"]["estimate"].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("exam,score\nKedu,50\n", "missing: year, boundary, source"),
        (HEADER.replace("\n", ",points\n") + "Kedu,2018,50,pass,x,3\n", "unknown: points"),
        (HEADER, "there is no row"),
        (HEADER + "Kedu,2018,sixty,pass,x\n", "line 2: score 'sixty' is no percentage"),
        (HEADER + "Kedu,2018,0.6,pass,x\nKedu,2018,100,top,x\n", "line 3: score '100'"),
        (HEADER + "Kedu,2018,nan,pass,x\n", "line 2: score 'nan'"),
        (HEADER + "Kedu,2018,60,pass,\n", "line 2: source is empty"),
        (HEADER + "SAT,2018,60,pass,x\n", "line 2: no item of exam 'SAT'"),
        (HEADER + "Kedu,2018,60,pass,x\nKedu,2018,61,pass,x\n", "line 3: the same exam, year and boundary as line 2"),
        ("exam,year,score,boundary,source,kind\nKedu,2018,60,pass,x,grade\n", "line 2: kind 'grade'"),
        ("", "cannot be read"),
    ],
)
def test_a_wrong_table_is_one_clear_error(counts_of, table, text, wanted):
    with pytest.raises(UsageError) as error:
        human(exam_counts(counts_of, [[1, 0, 1]]), boundaries=table(text))
    assert wanted in str(error.value)


def test_a_table_that_is_not_there_is_named(counts_of, tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        human(exam_counts(counts_of, [[1, 0]]), boundaries=str(tmp_path / "nothing.csv"))


def test_grades_are_not_computable_and_say_why(counts_of):
    counts = exam_counts(counts_of, np.ones((1, 10), dtype=int), source="CSAT", domain="Language")
    result = human(counts)
    assert not len(result.to_frame())
    assert "No human score" in result.meta["reason"]
    boundaries = result.to_frame("boundaries")
    assert boundaries["boundary"].tolist() == [
        "tier 1: 4 % from the top", "tier 8: 11 % from the bottom", "tier 9: 4 % from the bottom"
    ]  # fmt: skip
    assert boundaries["human_score"].isna().all()
    assert (boundaries["reason"] == "the boundary is a share of test-takers; the score at it is not known").all()
    assert Result.from_dict(json.loads(result.to_json())).to_json() == result.to_json()


def test_items_of_no_exam_step_aside(counts_of):
    result = human(counts_of([[1, 0, 1]]))
    assert all(not len(table) for table in result.tables.values())
    assert result.meta["warnings"] == [result.meta["reason"]]


def test_published_figures_stand_beside_the_model_of_that_name(counts_of):
    counts = exam_counts(counts_of, np.array([[1] * 5 + [0] * 5, [1] * 4 + [0] * 6]), names=["claude-2", "x"])
    counts = counts.with_units(counts.units.assign(label=[None, "GPT 3.5 (simulated)"]))
    published = human(counts).to_frame("published").set_index("model")
    assert published.loc["Claude-2", ["published", "unit", "estimate"]].tolist() == [39.1, "claude-2", 0.5]
    assert published.loc["GPT-3.5", ["published", "unit", "estimate"]].tolist() == [37.0, "x", 0.4]
    gap = published.loc["all open-source models"]
    assert gap["relation"] == ">"
    assert gap["unit"] == ""
    assert gap["reason"] == "no model of this name in these data"
    assert np.isnan(gap["estimate"])


def test_conflicts_are_those_of_the_papers_table():
    table = paper_table()
    kedu = table[(table["exam"] == "Kedu (Korean culture part)")].set_index("entity")["value"]
    gaps = [kedu["participants"] - kedu[name] for name in ("Claude-2", "GPT-3.5")]
    assert gaps == pytest.approx([10.8, 12.9])
    assert "10.8 and 12.9" in conflicts()[2]["says"]
    years = table[(table["exam"] == "CSAT") & (table["statistic"] == "years averaged")]["value"]
    assert sorted(years) == [4, 5]
    assert {one["exam"] for one in conflicts()} <= set(exams())
    assert content.paper("humans.csv").is_file()


def test_fixed_items_need_answers_that_vary(counts_of):
    counts = exam_counts(counts_of, [[1, 0, 1]])
    cells = pd.DataFrame(
        {"unit": "m0", "item": ["i0", "i1", "i2"], "wording": "1", "rotation": 0, "n_trials": 1, "n_correct": [1, 0, 1]}
    )
    row = human(Counts(**{**vars(counts), "cells": cells}), target="fixed").to_frame().iloc[0]
    assert row["reason"] == "one trial per item: nothing shows how an answer to the same item varies"
    assert row["verdict"] == "not decided"
    assert np.isnan(row["pass_probability"])
    assert row["estimate"] == pytest.approx(2 / 3)
    several = cells.assign(n_trials=10, n_correct=[9, 2, 6])
    counts = exam_counts(counts_of, [[9, 2, 6]], 10)
    row = human(Counts(**{**vars(counts), "cells": several}), target="fixed").to_frame().iloc[0]
    # Within items: SE² = sum of p(1 - p)/9 over the items, divided by 9; far below the error between three items.
    variance = (0.9 * 0.1 + 0.2 * 0.8 + 0.6 * 0.4) / 9 / 9
    assert row["std_error"] == pytest.approx(np.sqrt(variance))
    assert row["target"] == "fixed"
    assert row["verdict"] in {"separated", "not separated"}


def test_edges(counts_of):
    one_item = human(exam_counts(counts_of, [[1]])).to_frame().iloc[0]
    assert one_item["verdict"] == "not decided"
    assert "only one cluster" in one_item["reason"]
    unanswered = human(exam_counts(counts_of, np.zeros((1, 4), dtype=int), 0)).to_frame().iloc[0]
    assert np.isnan(unanswered["estimate"])
    assert unanswered["reason"] == "no item was answered"
    wrong = human(exam_counts(counts_of, np.zeros((1, 40), dtype=int))).to_frame().iloc[0]
    assert wrong["verdict"] == "separated"
    assert wrong["pass_probability"] < 1e-6
    few = (
        human(exam_counts(counts_of, np.ones((1, 10), dtype=int), [[1, 1, 1, 1, 0, 0, 0, 0, 0, 0]])).to_frame().iloc[0]
    )
    assert "under half answered" in few["flag"]


@pytest.mark.parametrize("settings", [{"target": "some"}, {"denominator": "all"}, {"level": 0},
                                      {"target": "fixed", "denominator": "planned"}])  # fmt: skip
def test_wrong_settings_are_named(counts_of, settings):
    with pytest.raises(UsageError):
        human(exam_counts(counts_of, [[1, 0]]), **settings)

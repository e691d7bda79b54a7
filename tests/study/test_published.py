"""The comparison with the paper's published numbers, by hand values and against the files they come from."""

import numpy as np
import pandas as pd
import pytest

import click_stats as cs
from click_stats import content
from click_stats.errors import UsageError
from click_stats.models import Model, ModelTable
from click_stats.study import Study, paper, read_study
from click_stats.study.challenging import challenging
from click_stats.study.published import NO_MODEL, OTHER_BENCHMARK
from click_stats.study.run import run_study
from click_stats.trials.read import trials_from_frame

STUDY = Study(name="mine", published="paper", analyses={"accuracy": {"by": ["overall", "domain", "category"]}})


@pytest.fixture(scope="module")
def items():
    return cs.read_items()


def answers(items, scores, n_trials=4):
    """Make trials: ``scores`` is model -> category -> right answers of each of its first items, of ``n_trials``."""
    rows = []
    for model, categories in scores.items():
        for category, right in categories.items():
            own = items.frame[items.frame["category"] == category]
            for (item, facts), n in zip(own.iterrows(), right, strict=False):
                gold, size = int(facts["gold"]), int(facts["n_options"])
                for rotation in range(n_trials):
                    prediction = gold if rotation < n else (gold + 1) % size
                    rows.append({"model": model, "item": item, "rotation": rotation, "prediction": prediction})
    return trials_from_frame(pd.DataFrame(rows), items)


def compared(trials, models=None):
    return run_study(STUDY, trials, models)["published"]


def test_an_accuracy_stands_beside_the_published_one(items):
    found = compared(answers(items, {"gpt-3.5-turbo": {"Popular": [4, 4, 4, 0], "Law": [4, 0, 0, 0]}}))
    table = found.to_frame().set_index(["by", "group"])
    popular = table.loc[("category", "Popular")]
    assert popular["estimate"] == pytest.approx(0.75)
    assert popular["published"] == pytest.approx(0.6861)
    assert popular["published_gap"] == pytest.approx(0.0639)
    assert popular["n_items"] == 4
    assert bool(popular["inside"])
    assert table.loc[("category", "Law"), "published_gap"] == pytest.approx(0.25 - 0.5531)
    # Mean over the eight items, and over the two categories that were asked: only all of them make a mean of categories.
    culture = found.to_frame().query("group == 'Culture'").iloc[0]
    assert culture["estimate"] == pytest.approx(0.5)
    assert np.isnan(culture["category_mean"])
    assert found.summary["n_models"] == 1


def test_a_published_number_outside_the_interval_is_outside(items):
    table = compared(answers(items, {"claude-2": {"History": [4] * 60}})).to_frame()
    history = table[table["group"] == "History"].iloc[0]
    assert (history["estimate"], history["published"]) == (1.0, 0.3132)
    assert not bool(history["inside"])


def test_the_mean_of_categories_weighs_categories_alike(items):
    language = {"Textual": [4, 4, 4, 4, 4, 4], "Functional": [0, 0], "Grammar": [4, 0, 0, 0]}
    table = compared(answers(items, {"llama-7b": language})).to_frame()
    row = table[(table["group"] == "Language")].iloc[0]
    assert row["estimate"] == pytest.approx(7 / 12)
    assert row["category_mean"] == pytest.approx((1 + 0 + 0.25) / 3)


def test_sources_that_differ_have_a_row_each(items):
    table = compared(answers(items, {"kullm-12.8b": {"Grammar": [4, 0]}})).to_frame()
    language = table[table["group"] == "Language"].set_index("published_in")
    assert language["published"].to_dict() == pytest.approx({"Table 5": 0.2242, "dataset README": 0.2378})
    assert language["conflict"].all()
    # A number that both state is one row.
    culture = table[table["group"] == "Culture"]
    assert list(culture["published_in"]) == ["Table 5; dataset README"]
    assert not culture["conflict"].any()


def test_a_group_that_was_not_asked_says_so(items):
    table = compared(answers(items, {"claude-2": {"History": [4, 0]}})).to_frame()
    popular = table[table["group"] == "Popular"].iloc[0]
    assert popular["reason"]
    assert np.isnan(popular["estimate"])
    assert pd.isna(popular["inside"])


def test_models_are_known_by_key_by_the_papers_names_and_by_the_table_of_models(items):
    names = ["Claude-2", "LLaMA-2-chat 13B", "simulated-kullm-5.8b", "my-gpt", "gpt-4o"]
    units = pd.DataFrame({"model": names, "condition": ["default"] * 5}, index=[f"unit {name}" for name in names])
    known = ModelTable((Model(model="GPT-3.5", aliases=("my-gpt",)),))
    assert paper.keys_of(units, known) == {
        "unit Claude-2": "claude-2",
        "unit LLaMA-2-chat 13B": "llama-13b",
        "unit simulated-kullm-5.8b": "kullm-5.8b",
        "unit my-gpt": "gpt-3.5-turbo",
    }


def test_without_a_model_of_the_paper_there_is_nothing_to_compare_and_it_says_so(items):
    found = compared(answers(items, {"gpt-4o": {"History": [4, 0]}}))
    assert found.meta["reason"] == NO_MODEL
    assert len(found.to_frame()) == 0
    assert len(found.to_frame("conflicts"))
    assert set(found.to_frame("challenging")["reason"]) >= {"none of these models is in the data"}


def test_another_benchmark_is_not_compared():
    folder = content.paper("README.md").parent.parent / "invented"
    items = cs.read_items(folder / "items.jsonl", definition=folder / "benchmark.toml")
    found = run_study(STUDY, cs.read_trials(folder / "results.csv", items=items))["published"]
    assert found.meta["reason"] == OTHER_BENCHMARK
    assert all(not len(found.to_frame(name)) for name in ("estimates", "sizes", "crossed", "conflicts"))


def test_items_below_chance_are_counted_in_whole_numbers(items):
    # Four options and four trials: one right answer is chance, none is below it.
    scores = {"gpt-3.5-turbo": {"Popular": [0, 0, 1, 4]}, "claude-2": {"Popular": [0, 1, 0, 4]}}
    trials = answers(items, scores)
    table = compared(trials).to_frame("challenging").set_index("statement")
    assert table.loc["GPT-3.5", "estimate"] == 0.5
    assert bool(table.loc["GPT-3.5", "agrees"])
    both = table.loc["both API models together"]
    assert (both["estimate"], both["n_items"], both["n_units"]) == (0.25, 4, 2)
    assert both["published_gap"] == pytest.approx(0.25 - 0.126)
    assert pd.isna(both["agrees"])
    assert both["conf_low"] < 0.25 < both["conf_high"]
    assert both["inside"] == (both["conf_low"] <= 0.126 <= both["conf_high"])
    assert table.loc["all open models together", "reason"] == "none of these models is in the data"
    assert table.loc["below chance for all 13 models", "reason"] == "only 2 of 13 models are in the data"


def test_shared_items_need_all_models_and_both_readings_are_counted(items):
    keys = list(paper.models().index)
    scores = {key: {"Popular": [0, 4, 0 if key == "claude-2" else 4]} for key in keys}
    table = compared(answers(items, scores)).to_frame("challenging").set_index("statement")
    assert table.loc["below chance for all 13 models", "estimate"] == pytest.approx(1 / 3)
    assert table.loc["below chance for none of the 13 models", "estimate"] == pytest.approx(1 / 3)
    # The other reading: never right, and right in every trial. Two sources state different numbers of the latter.
    assert table.loc["right in no trial by any of the 13 models", "estimate"] == pytest.approx(1 / 3)
    every = table.loc["right in every trial by all 13 models"]
    assert every["estimate"].tolist() == pytest.approx([1 / 3, 1 / 3])
    assert every["published"].tolist() == pytest.approx([0.006, 0.0])
    each = table.loc["each open model"]
    assert (each["range_low"], each["range_high"], each["n_units"]) == (pytest.approx(1 / 3), pytest.approx(1 / 3), 11)
    assert not bool(each["agrees"])


def test_an_item_that_one_model_did_not_answer_is_not_shared(items):
    trials = answers(items, {"gpt-3.5-turbo": {"Popular": [0, 0, 4]}, "claude-2": {"Popular": [0, 4]}})
    both = compared(trials).to_frame("challenging").set_index("statement").loc["both API models together"]
    assert (both["estimate"], both["n_items"]) == (0.5, 2)


def test_of_two_units_of_one_model_the_first_counts(items):
    counts = answers(items, {"claude-2": {"Popular": [0, 0]}, "Claude-2 (again)": {"Popular": [4, 4]}}).counts()
    keys = dict.fromkeys(map(str, counts.units.index), "claude-2")
    first = counts.units.index[0]
    table = challenging(counts, keys).set_index("statement")
    assert table.loc["Claude-2", "estimate"] == (1.0 if first == "claude-2" else 0.0)


def test_entropy_is_that_of_the_options_chosen_on_items_below_chance(items):
    own = items.frame[items.frame["category"] == "Popular"]
    rows = []
    for (item, facts), kind in zip(own.iterrows(), ("same", "two", "right"), strict=False):
        gold = int(facts["gold"])
        for rotation in range(4):
            shift = {"same": 1, "two": 1 + rotation % 2, "right": 0}[kind]
            rows.append({"model": "claude-2", "item": item, "rotation": rotation, "prediction": (gold + shift) % 4})
    table = compared(trials_from_frame(pd.DataFrame(rows), items)).to_frame("entropies").set_index("measure")
    # One option: 0; two of four equally often: log 2 / log 4. The item that is right is not below chance.
    assert table.loc["median entropy", "estimate"] == pytest.approx(0.25)
    assert table.loc["mean entropy", ["estimate", "published", "relation"]].tolist() == [0.25, 0.5, "near"]
    assert set(table["n_items"]) == {2}
    assert table["published_gap"].tolist() == pytest.approx([-0.25, -0.25])
    assert table["inside"].all()


def test_both_readings_differ_where_some_trials_are_right(items):
    """Below chance but once right, and above chance but once wrong: challenging for all is not right in no trial."""
    keys = list(paper.models().index)
    own = items.frame[(items.frame["category"] == "Functional") & (items.frame["n_options"] == 5)].index[:2]
    gold = items.frame["gold"]
    rows = [
        {
            "model": key, "item": item, "rotation": rotation, "wording": wording,
            "prediction": (int(gold[item]) + (once != (item == own[0]))) % 5,
        }
        for key in keys
        for item in own
        for wording in ("1", "2")
        for rotation in range(5)
        for once in [rotation == 0 and wording == "1"]
    ]  # fmt: skip
    table = compared(trials_from_frame(pd.DataFrame(rows), items)).to_frame("challenging").set_index("statement")
    shares = table["estimate"].to_dict()
    assert (shares["below chance for all 13 models"], shares["below chance for none of the 13 models"]) == (0.5, 0.5)
    assert shares["right in no trial by any of the 13 models"] == 0
    assert table.loc["right in every trial by all 13 models", "estimate"].tolist() == [0, 0]


def test_published_medians_are_those_of_the_file():
    stated = paper.entropies().set_index(["model_key", "measure"])["published"].to_dict()
    assert stated == {
        ("polyglot-ko-1.3b", "median entropy"): 1.0, ("polyglot-ko-3.8b", "median entropy"): 1.0,
        ("gpt-3.5-turbo", "median entropy"): 0.5, ("gpt-3.5-turbo", "mean entropy"): 0.5,
        ("claude-2", "median entropy"): 0.5, ("claude-2", "mean entropy"): 0.5,
    }  # fmt: skip
    assert paper.directions()["family"].tolist() == ["Polyglot-Ko", "LLaMA"]


def test_whether_medians_fall_with_size_is_told_pair_by_pair(items):
    own = items.frame[items.frame["category"] == "Popular"]
    models = {"polyglot-ko-1.3b": 3, "polyglot-ko-3.8b": 1, "polyglot-ko-12.8b": 2, "llama-7b": 1}
    rows = [
        {"model": model, "item": item, "rotation": r, "prediction": (int(facts["gold"]) + 1 + r % spread) % 4}
        for model, spread in models.items()
        for item, facts in list(own.iterrows())[:3]
        for r in range(4)
    ]
    table = compared(trials_from_frame(pd.DataFrame(rows), items)).to_frame("directions").set_index("model_set")
    # 1.3B above both others; of 3.8B and 12.8B the larger is higher: two pairs of three.
    assert table.loc["Polyglot-Ko", "estimate"] == pytest.approx(2 / 3)
    assert not bool(table.loc["Polyglot-Ko", "agrees"])
    assert table.loc["LLaMA", "reason"].startswith("fewer than two")


def test_entropy_without_all_rotations_is_undefined(items):
    table = compared(answers(items, {"claude-2": {"Popular": [0, 0]}}, n_trials=3)).to_frame("entropies")
    assert table["estimate"].isna().all()
    assert set(table["reason"]) == {"entropy needs every rotation of an item equally often"}


# ---- the published numbers themselves ---------------------------------------------------------------------------------


def test_readme_averages_are_complete_and_percent_became_shares():
    found = paper.accuracies()
    readme = found[found["published_in"].str.contains("README")]
    assert len(readme) == 26
    assert set(readme["group"]) == {"Culture", "Language"}
    assert found["published"].between(0.19, 0.69).all()


def test_conflicts_are_those_that_the_readme_of_the_facts_lists(items):
    table = compared(answers(items, {"claude-2": {"History": [4, 0]}})).to_frame("conflicts")
    language = table[table["group"] == "Language"].pivot_table(
        index="model", columns="published_in", values="published"
    )
    # Contradiction 1: the three averages are permuted between text and README.
    twelve = language.loc[["polyglot-ko-12.8b", "kullm-12.8b", "koalpaca-12.8b"]]
    assert sorted(twelve["Table 5"]) == sorted(twelve["dataset README"])
    assert (twelve["Table 5"] != twelve["dataset README"]).all()
    names = table.groupby("model")["published_model"].unique()
    assert set(names["llama-ko"]) == {"LLaMA-Ko 13B", "LLaMA-Ko 7B"}
    assert "LLaMA 13B (base)" in names["llama-7b"]


def test_stated_sizes_stand_beside_those_of_the_item_table(items):
    table = compared(answers(items, {"claude-2": {"History": [4, 0]}})).to_frame("sizes").set_index("statement")
    assert table[["published", "n_items"]].to_numpy().tolist() == [
        [1995, 1995], [1811, 1245], [184, 750], [11, 11], [8, 8], [3, 3],
    ]  # fmt: skip
    crossed = compared(answers(items, {"claude-2": {"History": [4, 0]}})).to_frame("crossed")
    counted = paper.table("sources")
    counted = counted[counted["table"] == "own count"].set_index(["category", "item"])["value"].astype(int)
    own = crossed.groupby(["category", "source"])["n_items"].sum()
    assert own.sort_index().to_dict() == counted.sort_index().to_dict()


def test_ranges_of_the_open_models_stand_beside_those_at_hand(items):
    scores = {"kullm-5.8b": {"Economy": [4, 0]}, "llama-7b": {"Economy": [4, 4]}, "claude-2": {"Economy": [0, 0]}}
    table = compared(answers(items, scores)).to_frame("ranges")
    economy = table[table["group"] == "Economy"].iloc[0]
    assert (economy["range_low"], economy["range_high"], economy["n_units"]) == (0.5, 1.0, 2)
    assert (economy["published_low"], economy["published_high"]) == (0.42, 0.46)
    textual = table[table["group"] == "Textual"]
    assert textual["conflict"].all()
    assert len(textual) == 2
    assert set(textual["reason"]) == {"no open model of the paper has an accuracy here"}


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(UsageError, match=r"no file 'table9\.csv'"):
        content.paper("table9.csv")


def test_a_study_says_whose_numbers_it_is_compared_with():
    with pytest.raises(ValueError, match="published"):
        Study(name="mine", published="nobody", analyses={"accuracy": {}})
    assert read_study("replication").published == "paper"

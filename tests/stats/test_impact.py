"""What corrections change: hand-made counts, where every number is known."""

import numpy as np
import pytest

from click_stats.counts import Counts
from click_stats.errors import UsageError
from click_stats.stats.compare import compare
from click_stats.stats.impact import Scenario, impact
from click_stats.stats.ranks import ranks

# Answers of three models to six items: the option taken; option 0 is the gold of all.
TAKEN = [[0, 0, 0, 0, 1, 2], [0, 0, 0, 1, 1, 2], [1, 1, 0, 0, 1, 3]]
NAMES = ["a", "b", "c"]


@pytest.fixture
def before(counts_of):
    made = counts_of(np.ones((3, 6)), names=NAMES, category=["X", "X", "X", "Y", "Y", "Y"])
    options = np.zeros_like(made.options)
    for unit, row in enumerate(TAKEN):
        options[unit, np.arange(6), row] = 1
    return Counts(made.units, made.items, options, made.statuses, made.planned, None, made.categories, made.domains)


def after(before, *, gold=(), accepted=(), drop=(), category=()):
    items = before.items.assign(accepted="")
    for item, option in gold:
        items.loc[item, "gold"] = option
    for item, options in accepted:
        items.loc[item, "accepted"] = options
    for item, name in category:
        items.loc[item, "category"] = name
    made = Counts(
        before.units, items, before.options, before.statuses, before.planned, None, before.categories, before.domains
    )
    return made.select(items=~items.index.isin(drop))


def run(before, *scenarios, **parameters):
    found = [Scenario(str(number), "i", "x", counts) for number, counts in enumerate(scenarios, start=1)]
    return impact(before, [found[0]._replace(erratum="all"), *found[1:]], draws=200, **parameters)


def scores(result, by="overall", group="all items"):
    rows = result.to_frame()
    return rows[(rows["erratum"] == "all") & (rows["by"] == by) & (rows["group"] == group)].set_index("unit")


def test_a_new_key_moves_scores_and_ranks(before):
    found = scores(run(before, after(before, gold=[("i0", 1), ("i1", 1), ("i4", 1)])))
    assert (6 * found["score_before"]).tolist() == pytest.approx([4, 3, 2])
    assert (6 * found["score_after"]).tolist() == pytest.approx([3, 2, 5])
    assert (6 * found["change"]).tolist() == pytest.approx([-1, -1, 3])
    assert found["rank_before"].tolist() == [1, 2, 3]
    assert found["rank_after"].tolist() == [2, 3, 1]
    assert found[["n_gaining", "n_losing"]].to_numpy().tolist() == [[1, 2], [1, 2], [3, 0]]
    assert found["se_before"].gt(0).all()


def test_a_second_right_answer_only_adds(before):
    result = run(before, after(before, accepted=[("i5", "2")]))
    assert (6 * scores(result)["change"]).tolist() == pytest.approx([1, 1, 0])
    assert result.to_frame("items").values.tolist() == [["all", "i5", "gains", 2, "a, b"]]
    assert result.to_frame("answers")["unit"].tolist() == ["a", "b"]


def test_a_dropped_item_is_no_longer_scored(before):
    result = run(before, after(before, drop=["i4"]))
    found = scores(result)
    assert found["score_after"].tolist() == pytest.approx([4 / 5, 3 / 5, 2 / 5])
    assert found[["n_items_before", "n_items_after"]].drop_duplicates().values.tolist() == [[6, 5]]
    row = result.to_frame("errata").iloc[0]
    assert row[["n_gaining", "n_losing", "n_unscored"]].tolist() == [0, 0, 3]
    assert row["largest_change"] == pytest.approx(4 / 5 - 4 / 6)


def test_another_category_changes_categories_only(before):
    result = run(before, after(before, category=[("i0", "Y")]))
    assert scores(result)["change"].tolist() == pytest.approx([0, 0, 0])
    assert result.to_frame("errata").loc[0, "n_verdicts_changed"] == 0
    assert scores(result, "category", "X")["change"].tolist() == pytest.approx([0, 0, 1 / 2 - 1 / 3])
    assert scores(result, "category", "Y")["n_items_after"].tolist() == [4, 4, 4]
    assert scores(result, "macro", "macro")["change"].abs().sum() > 0


def test_a_category_that_loses_all_its_items_has_no_score_and_says_so(before):
    found = scores(run(before, after(before, drop=["i3", "i4", "i5"])), "category", "Y")
    assert found["score_after"].isna().all()
    assert found["reason"].tolist() == ["no item was answered, before or after"] * 3


def test_each_alone_shows_only_what_changes(before):
    result = run(before, before, after(before, gold=[("i0", 1)]))
    rows = result.to_frame()
    alone = rows[rows["erratum"] == "2"]
    assert list(dict.fromkeys(zip(alone["by"], alone["group"], strict=True))) == [
        *(("overall", "all items"), ("macro", "macro"), ("domain", "D"), ("category", "X")),
    ]
    assert set(rows.loc[rows["erratum"] == "all", "change"]) == {0}
    assert (
        result.to_frame("errata").loc[0, ["n_gaining", "n_losing", "n_ranks_changed", "n_verdicts_changed"]].eq(0).all()
    )


@pytest.fixture(scope="module")
def apart(counts_of):
    """Two models, separated by 8 items out of 40 that only the first has right."""
    right = np.zeros((2, 40))
    right[0, :28], right[1, :20] = 1, 1
    return counts_of(right, 1)


def rekeyed(counts, n):
    """The counts after n of the 8 items get the second model's answer as their key."""
    return after(counts, gold=[(item, 1) for item in counts.items.index[20 : 20 + n]])


@pytest.mark.parametrize(("n", "verdict"), [(4, "not separated"), (8, "separated")])
def test_ranks_and_verdicts_are_those_of_the_other_commands(apart, n, verdict):
    other = rekeyed(apart, n)
    result = impact(apart, [Scenario("all", "", "", other)], draws=2000, seed=3)
    row = result.to_frame("verdicts").iloc[0]  # with n = 8 the pair is separated the other way round
    assert row["verdict_after"] == verdict
    for counts, side in ((apart, "before"), (other, "after")):
        pair = compare(counts, by="overall", draws=2000, seed=3).to_frame().iloc[0]
        assert row[f"verdict_{side}"] == pair["verdict"]
        assert row[f"p_{side}"] == pair["p_adjusted"]
        assert row[f"difference_{side}"] == pytest.approx(pair["estimate"])
        ranked = ranks(counts, draws=2000, seed=3).to_frame().set_index("unit")["rank"]
        assert scores(result)[f"rank_{side}"].to_dict() == ranked.to_dict()
    assert result.summary["n_verdicts_changed"] == 1


def test_a_verdict_near_the_level_is_marked(apart):
    scenario = Scenario("all", "", "", rekeyed(apart, 4))
    before = compare(apart, by="overall", draws=2000).to_frame().iloc[0]["p_adjusted"]
    far = impact(apart, [scenario], draws=2000, alpha=0.05).to_frame("verdicts")
    assert far["flag"].tolist() == [""]
    near = impact(apart, [scenario], draws=2000, alpha=float(before) + 1e-5).to_frame("verdicts")
    assert near["flag"].tolist() == ["within the error of the draws"]


def test_one_model_has_scores_and_no_pairs(before):
    one = before.select(["a"])
    result = run(one, after(one, accepted=[("i5", "2")]))
    assert scores(result)["change"].tolist() == pytest.approx([1 / 6])
    assert scores(result)["rank_after"].isna().all()
    assert result.meta["warnings"] == ["one model: no ranks and no pairs"]
    assert result.to_json()


def test_other_models_are_refused(before):
    with pytest.raises(UsageError, match="same models"):
        run(before, before.select(["b", "a", "c"]))

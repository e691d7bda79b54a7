"""Shortfall and confident errors, by hand values."""

import numpy as np
import pandas as pd
import pytest

import click_stats as cs
from click_stats.errors import UsageError
from click_stats.stats.confident_errors import confident_errors
from click_stats.stats.shortfall import BEST, CONFIDENT, NO_ROTATIONS, SHORTFALL, shortfall
from click_stats.trials.read import trials_from_frame


@pytest.fixture(scope="module")
def items():
    return cs.read_items()


def counts(items, scores, *, rotations=(0, 1, 2, 3), spread=False, everything=False):
    """Counts in which a model has ``scores[model]`` right of four trials; all wrong ones name one option, or two."""
    own = items.frame[items.frame["category"] == "Popular"]
    rows = []
    for model, right in scores.items():
        for (item, facts), n in zip(own.iterrows(), right, strict=False):
            gold = int(facts["gold"])
            for k, rotation in enumerate(rotations):
                wrong = (gold + 1 + (k % 2 if spread else 0)) % 4
                prediction = gold if k < n else wrong
                rows.append({"model": model, "item": item, "rotation": rotation, "prediction": prediction})
    made = trials_from_frame(pd.DataFrame(rows), items).counts(responses=True)
    return made if everything else made.select(items=made.statuses.sum(axis=(0, 2)) > 0)


def row(result, measure):
    found = result.to_frame().query("group == 'Popular'").set_index("measure")
    return found.loc[measure]


def test_shortfall_is_what_the_mean_model_misses(items):
    result = shortfall(counts(items, {"a": [4, 4, 0, 2], "b": [0, 4, 0, 4]}))
    # Items: 1 - .5, 1 - 1, 1 - 0, 1 - .75; the better model misses 1.5 of 4.
    assert row(result, SHORTFALL)["estimate"] == pytest.approx((0.5 + 0 + 1 + 0.25) / 4)
    assert row(result, SHORTFALL)["std_error"] == pytest.approx(np.std([0.5, 0, 1, 0.25], ddof=1) / 2)
    assert (row(result, BEST)["unit"], row(result, BEST)["estimate"]) == ("a", pytest.approx(1.5 / 4))


def test_three_quarters_of_the_trials_on_one_wrong_option_are_a_confident_error(items):
    one = shortfall(counts(items, {"a": [1, 2, 0, 4], "b": [4, 4, 4, 0]}))
    assert row(one, CONFIDENT)["estimate"] == pytest.approx((0.5 + 0 + 0.5 + 0.5) / 4)
    # Spread over two options, no wrong answer is sure.
    two = shortfall(counts(items, {"a": [1, 2, 0, 4]}, spread=True))
    assert row(two, CONFIDENT)["estimate"] == 0
    # All of the trials: three of four do not suffice.
    strict = shortfall(counts(items, {"a": [1, 2, 0, 4]}), share=1)
    assert row(strict, CONFIDENT)["estimate"] == pytest.approx(1 / 4)


@pytest.mark.parametrize("rotations", [(0,), (0, 1, 2), (0, 0, 1, 2, 3)])
def test_without_complete_balanced_rotations_confident_errors_are_undefined(items, rotations):
    made = counts(items, {"a": [0, 0, 4, 4]}, rotations=tuple(dict.fromkeys(rotations)))
    if len(rotations) == 5:  # one rotation twice
        frame = made.responses.frame
        object.__setattr__(made.responses, "frame", pd.concat([frame, frame[frame["rotation"] == 0]]))
    found = row(shortfall(made), CONFIDENT)
    assert np.isnan(found["estimate"])
    assert found["reason"] == NO_ROTATIONS
    assert np.isfinite(row(shortfall(made), SHORTFALL)["estimate"])


def test_a_model_that_likes_a_position_makes_no_confident_error(items):
    own = items.frame[items.frame["category"] == "Popular"].index[:5]
    rows = [{"model": "a", "item": item, "rotation": r, "prediction": r} for item in own for r in range(4)]
    found = shortfall(trials_from_frame(pd.DataFrame(rows), items).counts(responses=True))
    assert row(found, CONFIDENT)["estimate"] == 0
    assert row(found, SHORTFALL)["estimate"] == pytest.approx(0.75)


def test_a_model_with_few_answers_is_not_the_best(items):
    result = shortfall(counts(items, {"few": [4], "many": [4, 0, *[2] * 39]}))
    assert row(result, BEST)["unit"] == "many"


def test_edges_are_missing_with_a_reason(items):
    alone = row(shortfall(counts(items, {"a": [2]})), SHORTFALL)
    assert alone["estimate"] == 0.5
    assert np.isnan(alone["conf_low"])
    assert alone["reason"]
    never = (
        shortfall(counts(items, {"a": [2]}, everything=True))
        .to_frame()
        .query("group == 'History'")
        .set_index("measure")
    )
    assert np.isnan(never.loc[SHORTFALL, "estimate"])
    assert np.isnan(never.loc[BEST, "estimate"])
    assert "half of these items" in never.loc[BEST, "reason"]


def test_bad_arguments_are_refused(items):
    made = counts(items, {"a": [2, 1]})
    for share in (0.5, 1.1):
        with pytest.raises(UsageError, match=r"above \.5"):
            shortfall(made, share=share)
    with pytest.raises(UsageError, match="single trials"):
        shortfall(trials_from_frame(pd.DataFrame(
            [{"model": "a", "item": items.frame.index[0], "prediction": 0}]), items).counts())  # fmt: skip


def test_it_counts_the_confident_errors_that_the_analysis_of_errors_counts(items):
    rng = np.random.default_rng(5)
    own = pd.concat([items.frame[items.frame["category"] == name].head(12) for name in ("Popular", "Functional")])
    rows = [
        {"model": model, "item": item, "rotation": rotation, "wording": wording, "prediction": int(prediction)}
        for model in ("a", "b", "c")
        for item, facts in own.iterrows()
        for liked in [rng.integers(facts["n_options"])]
        for rotation in range(int(facts["n_options"]))
        for wording in ("1", "2", "3")
        for prediction in [liked if rng.random() < 0.7 else rng.integers(facts["n_options"])]
    ]
    made = trials_from_frame(pd.DataFrame(rows), items).counts(responses=True)
    made = made.select(items=made.statuses.sum(axis=(0, 2)) > 0)
    theirs = confident_errors(made).to_frame("confident").query("by == 'category' and set_by == 'model'")
    expected = theirs.groupby("group")["estimate"].mean()
    found = shortfall(made).to_frame().query("measure == @CONFIDENT").set_index("group")["estimate"]
    assert found.to_dict() == pytest.approx(expected.loc[found.index].to_dict())
    assert found.max() > 0.1


def test_the_verb_reads_trials_and_draws_itself_or_says_why_not(items):
    from matplotlib import pyplot as plt

    own = items.frame[items.frame["category"] == "Popular"].index[:6]
    rows = [
        {"model": model, "item": item, "rotation": r, "prediction": (k + (model == "b")) % 4}
        for model in ("a", "b")
        for k, item in enumerate(own)
        for r in range(4)
    ]
    trials = trials_from_frame(pd.DataFrame(rows), items)
    found = cs.shortfall(trials, by=["overall", "category"], share=0.9)
    assert found.meta["share"] == 0.9
    assert row(found, SHORTFALL)["n_units"] == 2
    axes = found.plot(lang="ko")
    axes.figure.canvas.draw()
    assert [text.get_text() for text in axes.texts] == ["Popular"]
    single = trials_from_frame(pd.DataFrame([one for one in rows if one["rotation"] == 0]), items)
    with pytest.raises(UsageError, match="Confident errors are undefined"):
        cs.shortfall(single).plot()
    plt.close("all")

"""Items right for another reason than the question: positions, runs without the question, dates."""

import numpy as np
import pandas as pd
import pytest

from click_stats.counts import STATUSES, Counts
from click_stats.responses import RESPONSE_COLUMNS, Responses
from click_stats.stats.item_analysis import artefacts, contamination
from click_stats.stats.item_analysis.answers import answers, respondents


def rotated(right, n=4):
    """Counts of units asked n rotations of each item; ``right`` (units, items, rotations), gold is option 0."""
    right = np.asarray(right, dtype=bool)
    n_units, n_items, _ = right.shape
    unit, item, rotation = (part.ravel() for part in np.indices(right.shape))
    prediction = np.where(right.ravel(), 0, 1)
    frame = pd.DataFrame(
        {
            "unit": unit, "item": item, "wording": "1", "rotation": rotation, "replicate": 0, "prediction": prediction,
            "position": (prediction - rotation) % n, "gold_position": -rotation % n, "correct": right.ravel(),
        },
        columns=list(RESPONSE_COLUMNS),
    )  # fmt: skip
    options = np.zeros((n_units, n_items, n), dtype=np.int64)
    np.add.at(options, (unit, item, prediction), 1)
    return counts_with(options, responses=Responses(frame))


def counts_with(options, *, conditions=None, items=None, units=None, responses=None):
    n_units, n_items, n = options.shape
    keys = [f"i{k}" for k in range(n_items)]
    table = {"category": "A", "domain": "D", "source": "S", "n_options": n, "gold": 0, "cluster": keys} | (items or {})
    names = [f"m{k}" for k in range(n_units)]
    known = {"model": names, "condition": conditions or "default", "protocol": ""} | (units or {})
    stored = np.zeros((n_units, n_items, len(STATUSES)), dtype=np.int64)
    stored[:, :, 0] = options.sum(axis=2)
    return Counts(
        pd.DataFrame(known, index=pd.Index(names, name="unit")), pd.DataFrame(table, index=pd.Index(keys, name="item")),
        options, stored, stored.sum(axis=2), None, ("A",), ("D",), {}, responses,
    )  # fmt: skip


def test_right_at_one_position_only():
    right = np.zeros((4, 5, 4))
    right[:, 0, 0] = 1  # all four units, one position: marked
    right[:, 1, :2] = 1  # two positions
    right[:1, 2, 0] = 1  # one right trial
    right[:3, 3, 2] = 1  # three right trials, below the least of four
    right[:, 4] = 1
    found = artefacts.by_position(rotated(right))
    assert found.items.tolist() == [True, False, False, False, False]
    row = found.table[(found.table["item"] == "i0") & (found.table["position"] == 1)].iloc[0]
    assert (row["n_trials"], row["n_right"], row["n_units"]) == (4, 4, 4)


def test_one_position_is_not_computable():
    one = artefacts.by_position(rotated(np.ones((3, 4, 1))))
    assert one.reason == artefacts.ONE_POSITION
    assert not one.items.any()
    none = artefacts.by_position(counts_with(np.ones((2, 2, 4), dtype=np.int64)))
    assert none.reason == artefacts.NO_RESPONSES


def control_counts():
    options = np.zeros((3, 4, 4), dtype=np.int64)
    options[0, :, 0] = 4  # the ordinary run: all right
    options[1, 0] = [4, 0, 0, 0]
    options[2, 0] = [3, 1, 0, 0]  # item 0: both control units, most trials
    options[1, 1] = [4, 0, 0, 0]
    options[2, 1] = [2, 2, 0, 0]  # item 1: half is not more than half
    options[1:, 2, 1] = 4
    options[1, 3] = [4, 0, 0, 0]  # item 3: one unit with four trials
    return counts_with(options, conditions=["default", "choices-only", "simulated, choices-only"])


def test_right_without_the_question():
    counts = control_counts()
    asked, controls = respondents(counts)
    assert (asked, controls) == (["m0"], ["m1", "m2"])
    found = artefacts.without_question(counts, controls)
    assert found.items.tolist() == [True, False, False, True]
    assert found.table["control_protocol"].unique().tolist() == ["choices-only"]
    assert found.table.set_index("item").loc["i0", "estimate"] == pytest.approx(0.875)
    assert artefacts.without_question(counts, []).reason == artefacts.NO_CONTROL


def test_control_accuracy_is_a_hint():
    counts = control_counts()
    asked, controls = respondents(counts)
    hints, why = contamination.hints(counts, answers(counts.select(asked), "responded"), controls, 0.95)
    assert hints["unit"].tolist() == controls
    assert hints["estimate"].tolist() == pytest.approx([0.75, (0.75 + 0.5) / 3])
    assert hints["chance"].tolist() == [0.25, 0.25]
    assert why == {contamination.WITHOUT: "", contamination.BEFORE: contamination.NO_DATES}


def dated(rng, lift, n=400):
    """Two models, one released amid the items' dates; it knows older items better by ``lift``."""
    dates = np.where(np.arange(n) < n // 2, "2020", "2024-03")
    chance = np.vstack([0.5 + lift * (dates == "2020"), np.full(n, 0.5)])
    right = (rng.random((2, n)) < chance).astype(np.int64)
    options = np.stack([right, 1 - right], axis=2)
    units = {"release_date": ["2022-05-01", None]}
    return counts_with(options, items={"exam_date": dates}, units=units)


@pytest.mark.parametrize("lift", [0.0, 0.2])
def test_items_older_than_the_model(lift):
    rng = np.random.default_rng(11)
    found = []
    for _ in range(60):
        counts = dated(rng, lift)
        hints, why = contamination.hints(counts, answers(counts, "responded"), [], 0.95)
        assert why[contamination.BEFORE] == ""
        found.append(hints.iloc[0])
    frame = pd.DataFrame(found)
    assert frame["estimate"].mean() == pytest.approx(lift, abs=3 * frame["estimate"].std() / np.sqrt(60))
    covered = ((frame["conf_low"] <= lift) & (lift <= frame["conf_high"])).mean()
    assert covered >= 0.87  # 60 sets: Monte Carlo error .028


def test_dates_that_cannot_be_compared():
    counts = dated(np.random.default_rng(12), 0.0, n=12)
    hints, _ = contamination.hints(counts, answers(counts, "responded"), [], 0.95)
    assert hints["reason"].tolist() == [contamination.ONE_SIDE]
    assert hints["estimate"].isna().all()
    unknown = counts.with_units(counts.units.assign(release_date=None))
    assert contamination.hints(unknown, answers(unknown, "responded"), [], 0.95)[1][contamination.BEFORE] == (
        contamination.NO_RELEASE
    )

"""Answers scored by corrected items: what is right, what no longer counts, and what the account says of it."""

import pytest

from click_stats.errors import DataError
from click_stats.items import Errata, read_items
from click_stats.trials import Trials, read_trials

HEAD = "id,category,source,n_options,gold,digest\n"
ROWS = [("a1", "One", 4, 0), ("a2", "One", 4, 1), ("a3", "One", 5, 4), ("b1", "Two", 4, 3)]
ANSWERS = "item,model,prediction\nOne/a1,m,0\nOne/a2,m,2\nOne/a3,m,4\nTwo/b1,m,0\nOne/a1,n,1\nOne/a2,n,1\nOne/a3,n,0\n"


@pytest.fixture
def items(tmp_path, tiny):
    path = tmp_path / "keys.csv"
    lines = [f"{id_},{category},S,{n},{gold},{id_ * 8}" for id_, category, n, gold in ROWS]
    path.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    return read_items(path, tiny.definition)


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(ANSWERS, encoding="utf-8")
    return path


def errata(*entries):
    common = {"reason": "r", "reviewer": "k", "date": "2026-01-02", "source": "s"}
    return Errata.model_validate(
        {"erratum": [{"key": key, "digest": key[-2:] * 8, **rest, **common} for key, rest in entries]}
    )


REKEY = ("One/a2", {"action": "rekey", "label": "C"})
ALSO = ("One/a1", {"action": "also-accept", "labels": ["B"]})
DROP = ("Two/b1", {"action": "drop"})
RETEXT = ("One/a3", {"action": "retext", "text": {"options": ["x", "y"], "question": "?", "passage": "", "label": "A"}})
MOVE = ("One/a1", {"action": "recategorise", "category": "Two"})


def scores(trials, **options):
    counts = trials.counts(**options)
    return {
        (unit, item): float(counts.scores().values[row, column])
        for row, unit in enumerate(counts.units.index)
        for column, item in enumerate(counts.items.index)
        if counts.scores().trials[row, column]
    }


def test_rekey_and_also_accept_score_old_answers_anew(items, answers):
    trials = read_trials(answers, items)
    corrected = trials.with_items(items.with_errata(errata(REKEY, ALSO)))
    assert scores(trials) == {
        ("m", "One/a1"): 1,
        ("m", "One/a2"): 0,
        ("m", "One/a3"): 1,
        ("m", "Two/b1"): 0,
        ("n", "One/a1"): 0,
        ("n", "One/a2"): 1,
        ("n", "One/a3"): 0,
    }
    assert scores(corrected) == {**scores(trials), ("m", "One/a2"): 1, ("n", "One/a2"): 0, ("n", "One/a1"): 1}


def test_cells_and_responses_agree_with_the_counts(items, answers):
    trials = read_trials(answers, items).with_items(items.with_errata(errata(REKEY, ALSO, DROP, RETEXT)))
    counts = trials.counts(cells=True, responses=True)
    by_cell = counts.cells.set_index(["unit", "item"])["n_correct"].to_dict()
    frame = counts.responses.frame
    by_response = {
        (counts.units.index[unit], counts.items.index[item]): correct
        for unit, item, correct in zip(frame["unit"], frame["item"], frame["correct"], strict=True)
    }
    assert by_cell == by_response == scores(trials)
    assert set(by_cell) == {("m", "One/a1"), ("m", "One/a2"), ("n", "One/a1"), ("n", "One/a2")}


def test_dropped_items_and_old_texts_are_left_out_and_accounted_for(items, answers):
    trials = read_trials(answers, items).with_items(items.with_errata(errata(DROP, RETEXT)))
    account = trials.account
    assert account.to_frame("dropped")[["file", "reason", "n_rows", "examples"]].values.tolist() == [
        ["answers.csv", "item dropped by errata", 1, "Two/b1"],
        ["answers.csv", "answer to a text that errata replaced", 2, "One/a3"],
    ]
    sources = account.to_frame("sources").set_index("unit")
    assert sources["rows_kept"].to_dict() == {"m": 2, "n": 2}
    assert account.summary["rows_read"] == account.summary["rows_kept"] + 3
    assert any("2 rows were left out (answer to a text that errata replaced)" in w for w in account.meta["warnings"])
    counts = trials.counts()
    assert list(counts.items.index) == ["One/a1", "One/a2", "One/a3"]
    new = counts.items.index.get_loc("One/a3")
    assert counts.planned[:, new].tolist() == [0, 0]  # nobody was asked the new text: not missing
    assert (counts.n("missing")[:, new] == 0).all()


def test_the_digest_of_the_errata_is_stated(items, answers):
    chosen = errata(REKEY)
    trials = read_trials(answers, items).with_items(items.with_errata(chosen))
    assert trials.digests["errata"] == chosen.digest
    assert trials.counts().meta["digests"]["errata"] == chosen.digest
    assert trials.account.meta["digests"]["errata"] == chosen.digest
    assert trials.digests["items"] != items.digest


def test_reading_with_corrected_items_is_reading_and_then_correcting(items, answers):
    corrected = items.with_errata(errata(REKEY, ALSO, DROP, RETEXT, MOVE))
    direct, later = read_trials(answers, corrected), read_trials(answers, items).with_items(corrected)
    assert scores(direct) == scores(later)
    assert direct.account.to_json() == later.account.to_json()
    framed = Trials.from_frame(read_trials(answers, items).frame(), corrected)
    assert scores(framed) == scores(direct)


def test_going_back_to_the_items_before_brings_everything_back(items, answers):
    trials = read_trials(answers, items)
    there = trials.with_items(items.with_errata(errata(DROP, RETEXT)))
    back = there.with_items(items)
    assert scores(back) == scores(trials)
    assert back.account.to_json() == trials.account.to_json()
    assert "errata" not in back.digests


def test_errata_and_chosen_items_go_together(items, answers):
    corrected = items.with_errata(errata(DROP, REKEY))
    trials = read_trials(answers, corrected, only=["Two/b1", "One/a2"])
    assert scores(trials) == {("m", "One/a2"): 1, ("n", "One/a2"): 0}
    assert len(trials.items) == 1


def test_items_that_are_lost_without_errata_stay_an_error(items, answers, tiny, tmp_path):
    path = tmp_path / "fewer.csv"
    path.write_text(HEAD + "a1,One,S,4,0,x\n", encoding="utf-8")
    with pytest.raises(DataError, match="3 answered items are not in the item table"):
        read_trials(answers, items).with_items(read_items(path, tiny.definition))


def test_what_policies_say_is_scored_by_the_corrected_items(items, tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text(
        "item,model,prediction,text\nOne/a1,m,1,B\nOne/a2,m,2,C\nTwo/b1,m,3,D\nOne/a3,m,4,E\n", encoding="utf-8"
    )
    corrected = items.with_errata(errata(ALSO, REKEY, DROP, RETEXT))
    found = read_trials(path, corrected).extraction().to_frame("policies").set_index("policy")
    assert found["estimate"].to_dict() == {"paper": 1, "lenient": 1, "logged": 1}
    assert found["n_items"].tolist() == [2, 2, 2]


def test_two_right_options_of_the_real_files(real, click):
    """Accepting a second option can only add right answers, by exactly the answers that chose it."""
    key = str(click.frame.index[0])
    second = (int(click.frame.loc[key, "gold"]) + 1) % 4
    item = {"key": key, "digest": click.frame.loc[key, "digest"], "action": "also-accept", "labels": ["ABCD"[second]]}
    words = {"reason": "r", "reviewer": "k", "date": "2026-01-02", "source": "s"}
    after = real.with_items(click.with_errata(Errata.model_validate({"erratum": [item | words]}))).counts()
    before = real.counts()
    gained = after.correct - before.correct
    assert gained[:, 1:].sum() == 0
    assert (gained[:, 0] == before.options[:, 0, second]).all()
    assert gained.sum() > 0

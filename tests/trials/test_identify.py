"""Items that share an id are told apart by evidence in the rows, or left out: never by their order."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

HEADER = "id,category,trial,answer,pred\n"
UNTRUSTED = "One"  # a category column that says the same for every copy of an id proves nothing


def resolved(trials):
    table = trials.account.to_frame("duplicates")
    return {(row["item"], row["resolved_by"]) for row in table.to_dict("records")}


def test_the_gold_letter_tells_copies_apart_whatever_the_category_says(read, by_item):
    for order in itertools.permutations(["x1,One,0,A,B", "x1,One,0,C,D"]):
        trials = read(HEADER + "\n".join(order) + "\n")
        assert by_item(trials) == {"One/x1": ("ok", 1), "Two/x1": ("ok", 3)}
        assert resolved(trials) == {("One/x1", "gold letter"), ("Two/x1", "gold letter")}


ONE, TWO = ["a1,One,0,A,A", "a2,One,0,B,A", "a3,One,0,C,A"], ["b1,Two,0,D,A", "b2,Two,0,C,A", "b3,Two,0,B,A"]


@pytest.mark.parametrize("first", ["one", "two"])
def test_with_the_same_gold_letter_the_neighbours_tell(read, by_item, first):
    one = [*ONE[:2], "x2,One,0,B,C", ONE[2]]
    two = [*TWO[:2], "x2,One,0,B,D", TWO[2]]
    trials = read(HEADER + "\n".join(one + two if first == "one" else two + one) + "\n")
    assert by_item(trials)["One/x2"] == ("ok", 2)
    assert by_item(trials)["Two/x2"] == ("ok", 3)
    assert resolved(trials) == {("One/x2", "neighbouring rows"), ("Two/x2", "neighbouring rows")}
    assert any("x2" in line and "neighbouring" in line for line in trials.account.meta["warnings"])


def test_the_nearer_neighbour_decides(read, by_item):
    trials = read(HEADER + "\n".join([ONE[0], "x2,One,0,B,C", "zz,One,0,A,A", TWO[0], TWO[1]]) + "\n")
    assert by_item(trials)["One/x2"] == ("ok", 2)


def test_neighbours_at_the_same_distance_that_disagree_decide_nothing(read, by_item):
    trials = read(HEADER + "\n".join([*ONE, "x2,One,0,B,C", *TWO]) + "\n")
    assert not {"One/x2", "Two/x2"} & set(by_item(trials))
    assert resolved(trials) == {("", "not resolved, left out")}
    (row,) = trials.account.to_frame("dropped").to_dict("records")
    assert (row["reason"], row["n_rows"], row["examples"]) == ("id of several items, not told apart", 1, "x2")


def test_without_a_neighbour_the_row_is_left_out(read, by_item):
    trials = read(HEADER + "\n".join(["a1,One,0,A,A", *["zz,One,0,A,A"] * 3, "x2,One,0,B,C"]) + "\n")
    assert set(by_item(trials)) == {"One/a1"}


def test_two_copies_that_end_at_one_item_are_both_left_out(read, by_item):
    rows = [ONE[0], "x2,One,0,B,C", "x2,One,0,B,D", ONE[1]]
    trials = read(HEADER + "\n".join(rows) + "\n")
    assert set(by_item(trials)) == {"One/a1", "One/a2"}
    assert trials.account.to_frame("dropped")["n_rows"].sum() == 2


def test_copies_with_one_gold_letter_and_different_answers_are_both_left_out(read, by_item):
    trials = read(HEADER + "\n".join(["x1,One,0,A,A", "x1,One,0,A,B", *ONE]) + "\n")
    assert "One/x1" not in by_item(trials)


def test_a_category_column_that_tells_copies_apart_is_believed(read, by_item):
    trials = read("id,category,trial,pred\nx2,Two,0,C\nx2,One,0,D\n")
    assert by_item(trials) == {"One/x2": ("ok", 3), "Two/x2": ("ok", 2)}
    assert {by for _, by in resolved(trials)} == {"category"}


def test_an_item_key_leaves_no_doubt(read, by_item):
    trials = read("item,model,label\nTwo/x2,m,A\nOne/x2,m,B\n")
    assert by_item(trials) == {"One/x2": ("ok", 1), "Two/x2": ("ok", 0)}
    assert trials.account.to_frame("duplicates").empty


def test_neighbours_are_rows_of_the_same_model(read):
    rows = ["a1,p,A", "b1,q,A", "x2,p,C", "x2,q,D", "a2,p,A", "b2,q,A"]
    frame = read("id,model,label\n" + "\n".join(rows) + "\n").frame()
    placed = {(row.model, row.item) for row in frame.itertuples()}
    assert {("p", "One/x2"), ("q", "Two/x2")} <= placed


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.permutations(["a1,0,A,B", "a2,0,B,B", "b1,0,D,A", "x1,0,A,C", "x1,0,C,D", "a4,0,E,E"]))
def test_the_order_of_rows_does_not_matter(write, tiny, by_item, rows):
    from click_stats.trials import read_trials

    trials = read_trials(write("m.csv", "id,trial,answer,pred\n" + "\n".join(rows) + "\n"), tiny)
    assert by_item(trials) == {
        "One/a1": ("ok", 1),
        "One/a2": ("ok", 1),
        "Two/b1": ("ok", 0),
        "One/x1": ("ok", 2),
        "Two/x1": ("ok", 3),
        "One/a4": ("ok", 4),
    }

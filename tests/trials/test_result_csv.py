import pytest

from click_stats.errors import DataError
from click_stats.trials import read_trials

HEADER = "id,trial,answer,pred,response\n"


def test_names_of_columns_in_other_case_are_read(write, tiny, by_item):
    trials = read_trials(write("m.csv", "ID,Trial,Answer,PRED,Response\na1,0,A,A,A\n"), tiny)
    assert by_item(trials) == {"One/a1": ("ok", 0)}


def test_letters_become_options_and_the_item_table_decides(read, by_item):
    trials = read(HEADER + "a1,0,A,A,A\na2,0,B,C,C\na4,0,E,E,E\n", "some-model-240513.csv")
    assert by_item(trials) == {"One/a1": ("ok", 0), "One/a2": ("ok", 2), "One/a4": ("ok", 4)}
    frame = trials.frame()
    assert set(frame["wording"]) == {"foreign"}
    assert set(frame["rotation"]) == {0}
    assert set(frame["policy"]) == {"logged"}
    assert list(frame["text"]) == ["A", "C", "E"]
    counts = trials.counts()
    correct = dict(zip(counts.items.index, counts.correct[0], strict=True))
    assert [correct["One/a1"], correct["One/a2"], correct["One/a4"]] == [1, 0, 1]
    source = trials.account.to_frame("sources").iloc[0]
    assert (source["date"], source["unit"], source["format"]) == ("2024-05-13", "some-model", "result-csv")
    assert (source["rows_read"], source["rows_kept"]) == (3, 3)


def test_trial_counts_replicates(read):
    trials = read(HEADER + "a1,0,A,A,A\na1,1,A,B,B\na1,2,A,A,A\n")
    assert list(trials.frame()["replicate"]) == [0, 1, 2]
    assert list(trials.frame()["rotation"]) == [0, 0, 0]
    counts = trials.counts()
    assert counts.correct[0, 0] == 2
    assert counts.planned[0, 0] == 3


@pytest.mark.parametrize(
    ("pred", "response", "status"),
    [
        ("", "[EMPTY_RESPONSE]", "empty"),
        ("FAILED", "BAD_REQUEST_ERROR", "failed"),
        ("FILTERED", "CONTENT_FILTER_ERROR", "filtered"),
        ("FAILED", "", "failed"),
        ("", "BAD_REQUEST_ERROR", "failed"),
        ("", "CONTENT_FILTER_ERROR", "filtered"),
        ("", "I cannot say.", "out_of_option"),
        ("", "NA", "out_of_option"),
        ("", "", "empty"),
        ("E", "E", "out_of_option"),
        ("Z", "Z", "out_of_option"),
        ("NA", "NA", "out_of_option"),
        ("B", "[EMPTY_RESPONSE]", "ok"),
        (" b ", "b", "ok"),
    ],
)
def test_sentinels_and_labels_give_the_status(read, by_item, pred, response, status):
    trials = read(HEADER + f"a1,0,A,{pred},{response}\na2,0,B,B,B\n")
    assert by_item(trials)["One/a1"] == (status, 1 if status == "ok" else None)


def test_without_a_response_column_a_missing_answer_is_a_failure_not_an_empty_response(read, by_item):
    trials = read("id,trial,answer,pred\na1,0,A,\na2,0,B,B\n")
    assert by_item(trials)["One/a1"] == ("failed", None)


def test_five_labels_for_five_options_four_for_four(read, by_item):
    trials = read(HEADER + "a1,0,A,E,E\na4,0,E,E,E\n")
    assert by_item(trials) == {"One/a1": ("out_of_option", None), "One/a4": ("ok", 4)}


def test_a_gold_disagreement_is_rescored_and_reported(read):
    rows = "".join(f"{id_},0,{gold},A,A\n" for id_, gold in [("a1", "B"), ("a2", "B"), ("a3", "C"), ("b1", "D")])
    trials = read(HEADER + rows)
    assert trials.counts().correct[0].sum() == 1  # a1 is A in the item table, whatever the file says
    assert trials.account.to_frame("gold").to_dict("records") == [
        {"file": "m.csv", "unit": "m", "item": "One/a1", "gold_file": "B", "gold_items": "A"}
    ]
    assert any("One/a1" in line for line in trials.account.meta["warnings"])


def test_gold_letters_of_another_version_are_refused_with_numbers(read):
    with pytest.raises(DataError) as caught:
        read(HEADER + "a1,0,B,A,A\na2,0,A,A,A\na3,0,C,A,A\n")
    assert "2 of 3 items" in caught.value.found
    assert "m.csv" in caught.value.what
    assert "tiny, second edition" in caught.value.do


def test_the_tolerance_is_one_percent_of_the_items(click, write):
    from click_stats.trials import read_trials

    unique = click.frame[~click.frame["id"].duplicated(keep=False)].head(300)

    def text(n_wrong):
        rows = [
            f"{row.id},0,{'ABCDE'[(row.gold + (number < n_wrong)) % 4 if row.gold < 4 else row.gold]},A,A"
            for number, row in enumerate(unique.itertuples())
        ]
        return HEADER + "\n".join(rows) + "\n"

    n_wrong_allowed = 3
    assert (unique["gold"].head(n_wrong_allowed + 1) < 4).all()
    trials = read_trials(write("m.csv", text(n_wrong_allowed)), click)
    assert len(trials.account.to_frame("gold")) == n_wrong_allowed
    with pytest.raises(DataError, match="another dataset version"):
        read_trials(write("m.csv", text(n_wrong_allowed + 1)), click)


def test_a_file_without_gold_letters_is_read(read, by_item):
    trials = read("id,trial,pred,response\na1,0,A,A\n")
    assert by_item(trials) == {"One/a1": ("ok", 0)}
    assert trials.account.to_frame("gold").empty


def test_unknown_ids_are_listed_and_the_run_goes_on(read):
    trials = read(HEADER + "a1,0,A,A,A\nzz,0,A,A,A\nyy,0,A,A,A\nzz,1,A,A,A\n")
    assert len(trials) == 1
    (row,) = trials.account.to_frame("dropped").to_dict("records")
    assert row == {"file": "m.csv", "reason": "unknown id", "n_rows": 3, "examples": "yy, zz"}
    assert any("3 rows were left out (unknown id): m.csv" in line for line in trials.account.meta["warnings"])


def test_rows_without_an_id_are_listed(read):
    trials = read(HEADER + "a1,0,A,A,A\n,0,A,A,A\n")
    assert list(trials.account.to_frame("dropped")["reason"]) == ["no id"]


def test_no_known_id_at_all_is_an_error(read):
    with pytest.raises(DataError) as caught:
        read(HEADER + "zz,0,A,A,A\nyy,0,A,A,A\n")
    assert "Tiny" in caught.value.what
    assert "yy, zz" in caught.value.found


def test_repeated_rows_count_once(read):
    trials = read(HEADER + "a1,0,A,A,A\na2,0,B,B,B\na1,0,A,A,A\na1,0,A,A,A\n")
    assert len(trials) == 2
    (row,) = trials.account.to_frame("dropped").to_dict("records")
    assert (row["reason"], row["n_rows"], row["examples"]) == ("repeats another row", 2, "One/a1")
    assert trials.counts().correct[0].sum() == 2


@pytest.mark.parametrize("other", ["B,B", "FAILED,BAD_REQUEST_ERROR"])
def test_rows_of_one_trial_with_different_answers_are_refused(read, other):
    with pytest.raises(DataError, match="different answers") as caught:
        read(HEADER + f"a1,0,A,A,A\na1,0,A,{other}\n")
    assert "One/a1" in caught.value.found


def test_all_answers_missing_goes_on_with_a_warning(read):
    trials = read(HEADER + "a1,0,A,FAILED,BAD_REQUEST_ERROR\na2,0,B,,[EMPTY_RESPONSE]\n")
    counts = trials.counts()
    assert counts.n("failed").sum() == 1
    trials = read(HEADER + "a1,0,A,FAILED,BAD_REQUEST_ERROR\na2,0,B,FILTERED,\n", "n.csv")
    assert "n has no answer at all: nothing can be estimated for it." in trials.account.meta["warnings"]


def test_one_item_is_enough(read):
    trials = read(HEADER + "b3,0,B,B,B\n")
    coverage = trials.account.to_frame("coverage").set_index("group")
    assert coverage.loc["all items", "n_items"] == 1
    assert coverage.loc["One", "coverage"] == 0
    assert trials.counts().n("missing").sum() == 11


def test_texts_without_an_answer_need_a_policy(read):
    for content in ("id,response\na1,I think A\n", HEADER + "a1,0,A,,I think A\na2,0,B,,[EMPTY_RESPONSE]\n"):
        with pytest.raises(DataError) as caught:
            read(content)
        assert "pred" in caught.value.do
        assert "--reparse paper" in caught.value.do


def test_category_aliases_come_from_the_definition(read, by_item):
    content = "id,category,trial,pred\nx1,FIRST,0,A\nx1,Two,0,C\n"
    assert by_item(read(content)) == {"One/x1": ("ok", 0), "Two/x1": ("ok", 2)}


def test_uneven_coverage_shows(read):
    trials = read(HEADER + "a1,0,A,A,A\na2,0,B,B,B\na3,0,C,C,C\na4,0,E,E,E\nx1,0,A,A,A\nb1,0,D,D,D\n")
    coverage = trials.account.to_frame("coverage").set_index("group")
    assert coverage.loc["Two", ["n_items", "n_items_total"]].tolist() == [1, 6]
    assert coverage.loc["Two", "coverage"] == pytest.approx(1 / 6)
    assert "Of the 6 Two items only 1 were answered by: m." in trials.account.meta["warnings"]
    statuses = trials.account.to_frame("statuses").set_index("status")["n_trials"]
    assert statuses["ok"] == 6
    assert statuses["missing"] == 6


def test_few_answers_are_said_in_one_line(read):
    warnings = read(HEADER + "a1,0,A,A,A\n").account.meta["warnings"]
    assert warnings == ["Of 12 items only 1 were answered by: m."]


@pytest.mark.parametrize(("third", "n"), [("(C)", 3), ("C", 2)])
def test_answers_that_mostly_name_no_option_are_said(read, third, n):
    trials = read(HEADER + f"a1,0,A,(A),A\na2,0,B,①,B\na3,0,C,{third},C\na4,0,E,E,E\n")
    said = [line for line in trials.account.meta["warnings"] if "name no option" in line]
    assert said == (
        [f"m: {n} of 4 answers name no option and count as wrong. Are they written as the options' labels are?"]
        if n > 2
        else []
    )

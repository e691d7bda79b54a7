import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from click_stats.errors import DataError, UsageError
from click_stats.render.codes import text
from click_stats.trials import read_trials
from click_stats.trials.importers.text import CsvTable, find_encoding

HEADER = "id,trial,answer,pred,response\n"
GOOD = HEADER + "a1,0,A,A,가나다\na2,0,B,B,NA\na3,0,C,C,C\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949"])
def test_encodings_give_the_same_table(write, tiny, encoding):
    header = "번호,trial,정답,pred,response\n"
    content = (header + GOOD.removeprefix(HEADER)).encode(encoding)
    trials = read_trials(write("m.csv", content), tiny, columns={"id": "번호", "gold": "정답"})
    assert trials.frame()["text"].tolist() == ["가나다", "NA", "C"]
    assert trials.account.to_frame("gold").empty


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949"])
def test_encodings_of_json_lines(write, tiny, encoding):
    lines = '{"model": "하나", "item": "One/a1", "label": "A"}\n{"model": "하나", "item": "One/a2", "label": "B"}\n'
    trials = read_trials(write("m.jsonl", lines.encode(encoding)), tiny)
    assert trials.units.index.tolist() == ["하나"]
    assert len(trials) == 2


@settings(derandomize=True)
@given(st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=8, max_size=60))
def test_cp949_and_utf8_are_told_apart(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("encodings")
    path = folder / "t.txt"
    path.write_bytes(text.encode("utf-8") + b"\n")
    assert find_encoding(path) == "utf-8-sig"
    korean = text.encode("cp949") + b"\n"
    assume(not _is_utf8(korean))  # a few rare words are valid in both
    path.write_bytes(korean)
    assert find_encoding(path) == "cp949"


def _is_utf8(data):
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize("broken", ["가나다라마바사\n".encode()[:-3] + b"\xea\n", b"\xff\xfei\x00d\x00"])
def test_broken_text_names_the_file_and_the_encodings_tried(write, tiny, broken):
    content = broken if broken.startswith(b"\xff") else (HEADER + "a1,0,A,A,").encode() + broken + b"a2,0,B,B,B\n"
    with pytest.raises(DataError) as caught:
        read_trials(write("broken.csv", content), tiny)
    assert "broken.csv" in caught.value.what
    assert "UTF-8" in caught.value.found
    assert "CP949" in caught.value.do


def test_damaged_utf8_is_never_read_as_cp949(write):
    damaged = "한국어 문장 하나".encode().replace("장".encode(), b"\xec\x9e", 1) * 3 + b"\n"
    with pytest.raises(DataError):
        find_encoding(write("m.txt", damaged))


@pytest.mark.parametrize("name", ["m.csv", "m.jsonl", "m.parquet"])
def test_an_empty_file_says_so(write, tiny, name):
    with pytest.raises(DataError) as caught:
        read_trials(write(name, b""), tiny)
    assert name in caught.value.what


def test_a_file_of_blank_lines_and_one_without_rows(write, tiny):
    with pytest.raises(DataError, match="no columns"):
        read_trials(write("m.csv", "\n\n"), tiny)
    with pytest.raises(DataError, match="no rows"):
        read_trials(write("m.csv", HEADER), tiny)
    with pytest.raises(DataError, match="no rows") as caught:
        read_trials(write("m.csv", HEADER + "a1,0,A,"), tiny)
    assert caught.value.found == "last line cut off: 1"


def test_missing_columns_say_what_is_needed_and_what_is_there(write, tiny):
    with pytest.raises(DataError) as caught:
        read_trials(write("m.csv", "question,answer\na,b\n"), tiny)
    assert "m.csv" in caught.value.what
    assert caught.value.found == "question, answer"
    assert "id, pred" in caught.value.do
    assert "--columns" in caught.value.do


def test_a_column_named_twice_is_refused(write, tiny):
    with pytest.raises(DataError, match="twice") as caught:
        read_trials(write("m.csv", "id,pred,pred\na1,A,B\n"), tiny)
    assert caught.value.found == "pred"


@pytest.mark.parametrize(
    ("end", "cut"),
    [
        ("a3,0,C,C,", "an empty last field"),
        ("a3,0,C\n", "too few fields"),
        ("a3,0,C,C", "both"),
        ('a3,0,C,C,"half a\nresponse', "an open quote"),
        ('a3,0,C,C,"half a\n', "an open quote before a newline"),
        ("a3,0,C,C,\ud55c".encode()[:-1], "half a character"),
    ],
)
def test_a_cut_off_last_line_is_left_out_and_reported(write, tiny, by_item, end, cut):
    tail = end if isinstance(end, bytes) else end.encode()
    trials = read_trials(write("m.csv", (HEADER + "a1,0,A,A,가\na2,0,B,B,B\n").encode() + tail), tiny)
    assert set(by_item(trials)) == {"One/a1", "One/a2"}, cut
    (row,) = trials.account.to_frame("dropped").to_dict("records")
    assert row == {"file": "m.csv", "reason": "last line cut off", "n_rows": 1, "examples": "line 4"}
    source = trials.account.to_frame("sources").iloc[0]
    assert (source["rows_read"], source["rows_kept"]) == (3, 2)
    assert any("last line cut off" in line for line in trials.account.meta["warnings"])


def test_a_whole_last_line_needs_no_newline(write, tiny, by_item):
    trials = read_trials(write("m.csv", HEADER + "a1,0,A,A,A\na2,0,B,B,B"), tiny)
    assert set(by_item(trials)) == {"One/a1", "One/a2"}
    line = '{"model": "m", "item": "One/a%d", "label": "A"}'
    trials = read_trials(write("m.jsonl", line % 1 + "\n" + line % 2), tiny)
    assert set(by_item(trials)) == {"One/a1", "One/a2"}
    assert trials.account.to_frame("dropped").empty


def test_a_cut_off_last_line_of_json_is_left_out_and_reported(write, tiny):
    lines = '{"model": "m", "item": "One/a1", "label": "A"}\n{"model": "m", "item": "One/a2", "lab'
    trials = read_trials(write("m.jsonl", lines), tiny)
    assert len(trials) == 1
    (row,) = trials.account.to_frame("dropped").to_dict("records")
    assert (row["reason"], row["examples"]) == ("last line cut off", "line 2")
    assert trials.account.to_frame("sources")["rows_read"].tolist() == [2]


def test_a_broken_line_of_json_is_refused(write, tiny):
    lines = '{"model": "m", "item": "One/a1", "label": "A"}\n{"model": "m"\n{"model": "m", "item": "One/a2", "label": "A"}\n'
    with pytest.raises(DataError) as caught:
        read_trials(write("m.jsonl", lines), tiny)
    assert "m.jsonl" in caught.value.what


def test_a_file_that_is_no_parquet_is_refused_by_its_name(write, tiny, tmp_path):
    with pytest.raises(DataError) as caught:
        read_trials(write("m.parquet", b"PAR1 is not all it takes"), tiny)
    assert "m.parquet" in caught.value.what
    assert str(tmp_path) not in str(caught.value)


def test_rows_with_a_wrong_number_of_fields_are_left_out_and_reported(write, tiny, by_item):
    trials = read_trials(write("m.csv", HEADER + "a1,0,A\na2,0,B,B,B\na3,0,C,C,C,too,many\nb1,0,D,D,D\n"), tiny)
    assert set(by_item(trials)) == {"One/a2", "Two/b1"}
    (row,) = trials.account.to_frame("dropped").to_dict("records")
    assert (row["reason"], row["n_rows"], row["examples"]) == ("wrong number of fields", 2, "line 2, 4")


def test_a_stray_quotation_mark_is_refused_with_its_line(write, tiny):
    with pytest.raises(DataError, match="no CSV") as caught:
        read_trials(write("m.csv", HEADER + 'a1,0,A,A,"yes" he said\na2,0,B,B,B\n'), tiny)
    assert "line 2" in caught.value.found
    runaway = HEADER + 'a1,0,A,A,"yes\n' + "a2,0,B,B,B\n" * 2000
    with pytest.raises(DataError, match="no CSV"):
        read_trials(write("m.csv", runaway), tiny)


def test_responses_of_many_lines_and_any_length_are_read(write, tiny):
    long = "x" * 300_000
    trials = read_trials(write("m.csv", HEADER + f'a1,0,A,A,"one\n\ntwo, ""three"""\n\na2,0,B,B,{long}\n'), tiny)
    assert trials.frame()["text"].tolist() == ['one\n\ntwo, "three"', long]


def test_a_table_tells_its_lines_each_time_it_is_read(write):
    table = CsvTable(write("m.csv", "a,b\n1,2\n3\n4,5\n6"))
    for _ in range(2):
        assert list(table.rows()) == [(2, ["1", "2"]), (4, ["4", "5"])]
        assert (table.malformed, table.fragment) == ([3], 5)


def test_windows_line_ends_and_tabs(write, tiny, by_item):
    content = (HEADER + "a1,0,A,A,A\na2,0,B,C,C\n").replace(",", "\t").replace("\n", "\r\n")
    assert by_item(read_trials(write("m.tsv", content), tiny)) == {"One/a1": ("ok", 0), "One/a2": ("ok", 2)}


def test_a_folder_is_searched_and_what_is_no_log_is_noted(write, tiny, tmp_path):
    write("runs/b.csv", HEADER + "a1,0,A,A,A\n")
    write("runs/deep/a.csv", HEADER + "a1,0,A,B,B\n")
    write("runs/models.csv", "model,vendor\na,b\n")
    write("runs/LICENSE.txt", "text")
    write("runs/.hidden.csv", "")
    trials = read_trials(tmp_path / "runs", tiny)
    assert trials.units.index.tolist() == ["a", "b"]
    assert any("models.csv was not read" in line for line in trials.account.meta["warnings"])
    with pytest.raises(DataError, match="lacks columns"):
        read_trials(tmp_path / "runs" / "models.csv", tiny)


def test_a_folder_without_a_readable_file(write, tiny, tmp_path):
    write("notes/readme.md", "text")
    with pytest.raises(DataError) as caught:
        read_trials(tmp_path / "notes", tiny)
    assert caught.value.found == "readme.md"
    assert ".csv" in caught.value.do
    write("notes/models.csv", "model,vendor\na,b\n")
    with pytest.raises(DataError, match="no file that can be read"):
        read_trials(tmp_path / "notes", tiny)


def test_files_that_are_not_there_or_of_no_known_kind(write, tiny, tmp_path):
    with pytest.raises(DataError, match="no file"):
        read_trials(tmp_path / "nothing.csv", tiny)
    with pytest.raises(DataError, match="no kind that can be read"):
        read_trials(write("m.xlsx", b"PK"), tiny)
    with pytest.raises(UsageError, match="no files"):
        read_trials([], tiny)
    with pytest.raises(UsageError, match="no format 'harness'"):
        read_trials(write("m.csv", GOOD), tiny, format="harness")


def test_a_format_can_be_insisted_on(write, tiny):
    path = write("m.csv", GOOD)
    assert read_trials(path, tiny, format="long").account.to_frame("sources")["format"].tolist() == ["long"]
    long = write("n.csv", "model,item,label\nm,One/a1,A\n")
    with pytest.raises(DataError, match="lacks columns"):
        read_trials(long, tiny, format="result-csv")


def test_two_files_of_one_model_condition_and_date(write, tiny):
    paths = [write("m-240513.csv", GOOD), write("[Tiny] m-2024-05-13.csv", GOOD)]
    with pytest.raises(DataError, match="same model, condition and date") as caught:
        read_trials(paths, tiny)
    assert "m-240513.csv" in caught.value.found


def test_a_file_given_twice_is_read_once_and_names_tell_folders_apart(write, tiny, tmp_path):
    write("x/m(a).csv", GOOD)
    write("y/m(b).csv", GOOD)
    write("x/n.csv", GOOD)
    trials = read_trials([tmp_path / "x", tmp_path / "x" / "n.csv", tmp_path / "y"], tiny)
    assert trials.units.index.tolist() == ["m (a)", "m (b)", "n"]
    write("z/o-240101.csv", GOOD)
    write("w/o-240102.csv", GOOD)
    write("v/p.csv", "model,item,label\ne,One/a1,A\n")
    write("u/p.csv", "model,item,label\nf,One/a1,A\n")
    trials = read_trials([tmp_path / folder for folder in "zwvu"], tiny)
    assert trials.units.index.tolist() == ["e", "f", "o-240101", "o-240102"]
    assert trials.account.to_frame("sources")["file"].tolist() == [
        "o-240101.csv", "o-240102.csv", "v/p.csv", "u/p.csv",
    ]  # fmt: skip


def test_progress_grows_to_the_total(write, tiny):
    calls = []
    paths = [write("m.csv", GOOD), write("n.csv", GOOD)]
    read_trials(paths, tiny, progress=lambda done, total, what: calls.append((done, total, what)))
    done = [call[0] for call in calls]
    assert done == sorted(done)
    assert done[-1] == calls[-1][1] == sum(path.stat().st_size for path in paths)
    assert {"m.csv", "n.csv"} <= {call[2] for call in calls}


def test_a_failed_read_leaves_no_temporary_folder(write, tiny, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = write("m.csv", HEADER + "zz,0,A,A,A\n")
    with pytest.raises(DataError):
        read_trials(path, tiny)
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.csv"]


def test_a_file_that_may_not_be_read(write, tiny, monkeypatch):
    from click_stats.trials import read as module

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    path = write("m.csv", GOOD)
    monkeypatch.setattr(module, "recognise", refuse)
    with pytest.raises(DataError, match=r"m\.csv cannot be read") as caught:
        read_trials(path, tiny)
    assert caught.value.found == "Permission denied"


def test_a_full_disk_is_told_as_such_and_cleaned_up(write, tiny, monkeypatch, tmp_path):
    import duckdb

    from click_stats.trials import assemble

    def refuse(*_, **__):
        raise duckdb.IOException("IO Error: No space left on device")

    path = write("m.csv", GOOD)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(assemble, "create_trials", refuse)
    with pytest.raises(DataError, match="temporary database") as caught:
        read_trials(path, tiny)
    assert "No space left" in caught.value.found
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.csv"]


def test_every_reason_to_leave_a_row_out_is_said_in_korean(write, tiny):
    rows = "a1,0,A,A,A\na1,0,A,A,A\nnone,0,A,A,A\n,0,A,A,A\na2,0,A,A\na3,0,C"
    dropped = read_trials(write("m.csv", HEADER + rows), tiny)
    reasons = set(dropped.account.to_frame("dropped")["reason"])
    assert len(reasons) == 5
    assert [reason for reason in reasons if text(reason, "ko") == reason] == []

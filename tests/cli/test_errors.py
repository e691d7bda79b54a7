"""Bad input ends with one clear message, the right exit code, no traceback, and nothing half-written."""

import os
import subprocess
import sys

import pytest

GOOD = "id,category,trial,answer,pred,response\n"


def write(tmp_path, text, name="m.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def one_message(run, code=1):
    assert run.code == code, run.err
    assert run.out == ""
    assert run.err.startswith("click-stats: ")
    assert "Traceback" not in run.err
    assert run.err.count("click-stats: ") == 1
    return run.err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"id,trial\nKHB_66_1,0\n", "column"),
        (GOOD.encode() + b"no_such_1,History,0,A,A,A\nno_such_2,History,0,A,A,A\n", "no_such_1"),
        (GOOD.encode() + b"KHB_66_1,History,0,A,\xff\xfe\xff,A\n", "decode"),
    ],
    ids=["empty", "columns", "unknown ids", "broken encoding"],
)
def test_a_file_that_cannot_be_used(click_stats, tmp_path, content, says):
    path = write(tmp_path, content)
    out = tmp_path / "out"
    error = one_message(click_stats("analyze", "audit", path, "-o", out))
    assert says in error.lower()
    assert "m.csv" in error
    assert not out.exists()


def test_a_folder_with_nothing_to_read(click_stats, tmp_path):
    (tmp_path / "notes.bin").write_bytes(b"\0\1")
    assert str(tmp_path) in one_message(click_stats("compare", tmp_path))


def test_a_path_that_is_not_there(click_stats, tmp_path):
    assert "nowhere.csv" in one_message(click_stats("compare", tmp_path / "nowhere.csv"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--reference", "gpt-9"), "gpt-9"),
        (("--level", "95"), "between 0 and 1"),
        (("--set", "interval"), "NAME=VALUE"),
        (("--set", "colour=red"), "colour"),
        (("--interval", "magic"), "wilson"),
        (("--denominator", "half"), "responded"),
        (("--draws", "many"), "--draws"),
        (("--draws", "0"), "draws"),
    ],
)
def test_a_wrong_option(click_stats, three_files, tmp_path, options, says):
    run = click_stats("analyze", "audit", *three_files, "-o", tmp_path / "out", *options)
    assert run.code == 2
    assert says in run.err
    assert "Traceback" not in run.err
    assert not (tmp_path / "out").exists()


def test_unknown_names(click_stats, three_files, tmp_path):
    run = click_stats("analyze", "audits", *three_files, "-o", tmp_path / "out")
    assert run.code == 2
    assert "audit" in run.err
    assert click_stats("analyse").code == 2
    assert click_stats("analyze", "audit", *three_files).code == 2  # neither -o nor --json


def test_the_output_folder_is_not_overwritten(click_stats, three_files, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.docx").write_text("mine")
    run = click_stats("analyze", "audit", *three_files, "-o", out, "--draws", "1000")
    assert "--force" in one_message(run, 2)
    assert (out / "thesis.docx").read_text() == "mine"


@pytest.mark.parametrize("command", ["analyze", "report"])
def test_an_occupied_folder_is_told_before_anything_is_computed(
    click_stats, three_files, tmp_path, monkeypatch, command
):
    from click_stats import study

    def never(*_arguments, **_parameters):
        raise AssertionError("computed for nothing")

    monkeypatch.setattr(study, "run_study", never)
    (tmp_path / "thesis.docx").write_text("mine")
    assert "--force" in one_message(click_stats(command, "audit", *three_files, "-o", tmp_path), 2)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_an_output_folder_that_cannot_be_written(click_stats, three_files, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    error = one_message(click_stats("analyze", "audit", *three_files, "-o", blocked / "out", "--draws", "1000"))
    assert "Cannot write" in error


@pytest.mark.parametrize("raised", [KeyboardInterrupt, RuntimeError("Query interrupted")], ids=["Python", "DuckDB"])
def test_an_interruption_is_exit_code_130(click_stats, three_files, tmp_path, monkeypatch, raised):
    from click_stats.study import run

    def interrupted(_counts, *, by, seed=0):
        raise raised

    monkeypatch.setitem(run.ANALYSES, "power", interrupted)
    out = tmp_path / "out"
    error = one_message(click_stats("analyze", "audit", *three_files, "-o", out, "--draws", "1000"), 130)
    assert "Interrupted" in error
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_of_temporary_files_is_no_mystery(click_stats, three_files, monkeypatch):
    from click_stats import trials

    def full(*_arguments, **_parameters):
        raise RuntimeError('Could not write file "trials.duckdb.wal": No space left on device')

    monkeypatch.setattr(trials, "read_trials", full)
    assert "TMPDIR" in one_message(click_stats("compare", *three_files))


@pytest.mark.parametrize("command", ["compare", "import"])
def test_a_language_that_is_not_there(click_stats, three_files, command):
    run = click_stats(command, three_files[0], "--lang", "fr")
    assert "'fr'" in one_message(run, 2)


def test_the_traceback_is_there_when_asked_for(tmp_path):
    words = [sys.executable, "-c", "from click_stats.cli import main; main()", "compare", str(tmp_path), "--debug"]
    run = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, "NO_COLOR": "1"})
    assert run.returncode == 1
    assert "Traceback" in run.stderr


def test_a_closed_pipe_is_no_error(three_files):
    words = [sys.executable, "-c", "from click_stats.cli import main; main()", "items", "list"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
        assert process.wait() == 0
    assert errors == b""

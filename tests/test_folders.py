"""Folders and files appear whole or not at all."""

import errno
import os

import pytest

from click_stats.errors import DataError, UsageError
from click_stats.folders import MARK, whole_file, whole_folder
from click_stats.results import ResultSet

OURS = ResultSet("NAME", {}).to_json()


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_json", ".json")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def test_a_folder_appears_whole(tmp_path):
    out = tmp_path / "deep" / "out"
    with whole_folder(out) as building:
        write(building, a="1", tables__b="2")
        assert not out.exists()
    assert (out / "a").read_text() == "1"
    assert (out / "tables" / "b").read_text() == "2"
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_a_relative_folder_is_built_at_an_absolute_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with whole_folder("out") as building:
        assert building.is_absolute()  # programs run inside it
        write(building, a="1")
    assert (tmp_path / "out" / "a").read_text() == "1"


def test_after_an_error_nothing_is_there(tmp_path):
    with pytest.raises(RuntimeError), whole_folder(tmp_path / "out") as building:
        write(building, a="1")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_followed(tmp_path, there):
    target = tmp_path / "elsewhere" / "folder"
    if there:
        target.mkdir(parents=True)
    (tmp_path / "out").symlink_to(target)
    with whole_folder(tmp_path / "out") as building:
        write(building, a="1")
    assert (target / "a").read_text() == "1"
    assert [path.name for path in target.parent.iterdir()] == ["folder"]


def test_the_folder_in_which_we_stand_stays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = tmp_path.stat().st_ino
    with whole_folder(tmp_path) as building:
        write(building, a="1")
    assert tmp_path.stat().st_ino == before
    assert os.listdir() == ["a"]  # noqa: PTH208 -- where we stand, whatever its name


def test_after_an_interruption_the_old_folder_stands(tmp_path):
    out = tmp_path / "out"
    with whole_folder(out) as building:
        write(building, results_json=OURS.replace("NAME", "old"))
    with pytest.raises(KeyboardInterrupt), whole_folder(out, force=True) as building:
        write(building, results_json=OURS.replace("NAME", "new"))
        raise KeyboardInterrupt
    assert (out / MARK).read_text() == OURS.replace("NAME", "old")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_full_folder_needs_force(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("keep")
    with pytest.raises(UsageError, match="not empty") as caught, whole_folder(out):
        pytest.fail("the block must not run")
    assert "mine.txt" in str(caught.value)
    assert "--force" in str(caught.value)


def test_force_replaces_ours_and_keeps_the_rest(tmp_path):
    out = tmp_path / "out"
    with whole_folder(out) as building:
        write(building, results_json=OURS.replace("NAME", "old"), tables__old="1")
    (out / "mine.txt").write_text("keep")
    with whole_folder(out, force=True) as building:
        write(building, results_json=OURS.replace("NAME", "new"), tables__new="2")
    assert (out / MARK).read_text() == OURS.replace("NAME", "new")
    assert sorted(path.name for path in (out / "tables").iterdir()) == ["new"]
    assert (out / "mine.txt").read_text() == "keep"


@pytest.mark.parametrize("other", [None, '{"results": {}}'], ids=["no results", "results of another program"])
def test_force_never_empties_folders_that_are_not_ours(tmp_path, other):
    out = tmp_path / "out"
    write_into = out / "tables"
    write_into.mkdir(parents=True)
    (write_into / "mine").write_text("keep")
    if other:
        (out / MARK).write_text(other)
    with whole_folder(out, force=True) as building:
        write(building, results_json=OURS.replace("NAME", "new"), tables__new="2")
    assert sorted(path.name for path in write_into.iterdir()) == ["mine", "new"]


def test_a_file_where_a_folder_should_be(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(UsageError, match="is a file"), whole_folder(tmp_path / "out", force=True):
        pytest.fail("the block must not run")


@pytest.mark.parametrize(
    ("code", "advice"),
    [(errno.ENOSPC, "Free some space"), (errno.EACCES, "may write to"), (errno.EIO, "Check the path")],
)
def test_the_file_system_is_heard(tmp_path, code, advice):
    with pytest.raises(DataError, match="Cannot write") as caught, whole_folder(tmp_path / "out"):
        raise OSError(code, os.strerror(code))
    assert advice in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_parent_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="Cannot write"), whole_folder(tmp_path / "file" / "out"):
        pytest.fail("the block must not run")


def test_a_file_appears_whole(tmp_path):
    path = tmp_path / "trials.parquet"
    with whole_file(path) as building:
        building.write_text("1")
        assert not path.exists()
        assert building.suffix == ".parquet"
    assert path.read_text() == "1"
    with pytest.raises(UsageError, match="exists"), whole_file(path):
        pytest.fail("the block must not run")
    with pytest.raises(ZeroDivisionError), whole_file(path, force=True) as building:
        building.write_text("2")
        raise ZeroDivisionError
    assert path.read_text() == "1"
    assert [entry.name for entry in tmp_path.iterdir()] == ["trials.parquet"]

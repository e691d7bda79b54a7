"""The store of a run: what is acknowledged stays, what is torn is put aside, and one process writes at a time."""

import json
import os
import signal
import subprocess
import sys

import pytest

from click_stats.errors import DataError, UsageError
from click_stats.protocol.request import Key
from click_stats.trials import durable
from click_stats.trials.store import Store, line_of, whole_size

MANIFEST = {"model": "m", "condition": "default", "plan": {"digest": "p1"}, "protocol": {"rotations": "all"}}
WRITER = """
import sys, time
from click_stats.trials.store import Store
store = Store.open(sys.argv[1], {"model": "m"})
print("open", flush=True)
time.sleep(60)
"""


def row(number, status="ok", **more):
    return {
        "item": f"One/a{number}",
        "wording": "1",
        "rotation": 0,
        "replicate": 0,
        "model": "m",
        "condition": "default",
        "status": status,
        "prediction": 0 if status == "ok" else None,
        "scores": None,
        "text": "답\nA",
        **more,
    }


def key(number):
    return Key(f"One/a{number}", "1", 0, 0)


@pytest.fixture
def folder(tmp_path):
    """A run folder with three rows."""
    with Store.open(tmp_path / "m", MANIFEST) as store:
        store.append([row(1), row(2), row(3)])
    return tmp_path / "m"


def test_rows_come_back_as_they_were_written(folder):
    lines = (folder / "trials.jsonl").read_bytes().splitlines()
    assert [json.loads(line) for line in lines] == [row(1), row(2), row(3)]
    with Store.open(folder, MANIFEST) as store:
        assert store.done == {key(1), key(2), key(3)}
        assert store.statuses == {"ok": 3}
        assert store.fragment is None


def test_failed_trials_are_asked_again_and_filtered_ones_are_not(tmp_path):
    with Store.open(tmp_path / "m", MANIFEST) as store:
        store.append([row(1, "failed"), row(2, "filtered"), row(3, "failed")])
        assert store.done == {key(2)}
        store.append([row(1), row(3, "failed")])
        assert store.done == {key(1), key(2)}
    with Store.open(tmp_path / "m", MANIFEST) as store:
        assert store.done == {key(1), key(2)}
        assert {status: n for status, n in store.statuses.items() if n} == {"ok": 1, "filtered": 1, "failed": 1}


def test_the_last_line_cut_at_every_byte(folder):
    """S29: whatever is left of a line is put aside, the whole lines stay, and new ones are not glued to it."""
    path = folder / "trials.jsonl"
    whole = path.read_bytes()
    last = line_of(row(3))
    start = len(whole) - len(last)
    for cut in range(start, len(whole)):
        path.write_bytes(whole[:cut])
        with Store.open(folder, MANIFEST) as store:
            assert store.done == {key(1), key(2)}
            if cut == start:
                assert store.fragment is None
            else:
                assert store.fragment.read_bytes() == whole[start:cut]
                assert store.fragment.parent == folder
            store.append([row(3)])
        assert path.read_bytes() == whole


def test_a_file_cut_within_its_only_line(tmp_path):
    with Store.open(tmp_path / "m", MANIFEST):
        pass
    path = tmp_path / "m" / "trials.jsonl"
    path.write_bytes(b'{"item":"One/a1","wor')
    with Store.open(tmp_path / "m", MANIFEST) as store:
        assert store.done == set()
        store.append([row(1)])
    assert path.read_bytes() == line_of(row(1))


def test_the_end_of_whole_lines_is_found_across_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("click_stats.trials.store.CHUNK", 4)
    path = tmp_path / "file"
    for data, size in ((b"", 0), (b"abc", 0), (b"abc\n", 4), (b"abc\n" + b"x" * 9, 4), (b"\n\n" + b"x" * 8, 2)):
        path.write_bytes(data)
        assert whole_size(path) == size


def test_one_writer_at_a_time(folder):
    with Store.open(folder, MANIFEST), pytest.raises(UsageError, match="Another process is writing") as caught:
        Store.open(folder, MANIFEST)
    assert f"process {os.getpid()} on" in caught.value.found
    Store.open(folder, MANIFEST).close()


def test_a_killed_writer_leaves_no_lock_behind(tmp_path):
    words = [sys.executable, "-c", WRITER, str(tmp_path / "m")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout.readline() == "open\n"
        with pytest.raises(UsageError) as caught:
            Store.open(tmp_path / "m", {"model": "m"})
        assert f"process {writer.pid} on" in caught.value.found
        writer.send_signal(signal.SIGKILL)
    Store.open(tmp_path / "m", {"model": "m"}).close()


def test_another_manifest_is_refused_by_name(folder):
    before = (folder / "manifest.json").read_bytes()
    other = {**MANIFEST, "plan": {"digest": "p2"}, "protocol": {"rotations": [0, 1]}, "condition": "effort=high"}
    with pytest.raises(UsageError, match="holds another run") as caught:
        Store.open(folder, other)
    assert "rotations: all there, [0, 1] now" in caught.value.found
    assert "plan.digest: p1 there, p2 now" in caught.value.found
    assert "condition: default there, effort=high now" in caught.value.found
    assert (folder / "manifest.json").read_bytes() == before
    with Store.open(folder, MANIFEST) as store:  # the refused one gave its lock back
        assert len(store.done) == 3


def test_what_does_not_make_a_run_may_change(folder):
    with Store.open(folder, {**MANIFEST, "facts": {"vendor": "v"}}, session={"versions": {"python": "4"}}) as store:
        store.end_session(asked=0)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["facts"] == {"vendor": "v"}
    assert [session.get("versions") for session in manifest["sessions"]] == [None, {"python": "4"}]
    assert manifest["sessions"][1]["asked"] == 0
    assert sorted(path.name for path in folder.iterdir()) == [".lock", "manifest.json", "trials.jsonl"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read"),
        ("[]", "not the manifest of a run"),
        ('{"name": "another program"}', "not the manifest of a run"),
        ('{"format": "click-stats run", "version": 99}', "another version"),
    ],
)
def test_a_manifest_that_is_none_of_ours(folder, text, message):
    (folder / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        Store.open(folder, MANIFEST)


def test_trials_without_a_manifest_are_not_adopted(folder):
    (folder / "manifest.json").unlink()
    with pytest.raises(DataError, match="no manifest"):
        Store.open(folder, MANIFEST)


@pytest.mark.parametrize("damage", [b"not json\n", b'{"item":"One/a1"}\n', b"\n", b"3\n", b"\x00\x00\n"])
def test_damage_within_the_file_is_named_by_its_line(folder, damage):
    path = folder / "trials.jsonl"
    first, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + damage + b"".join(rest))
    with pytest.raises(DataError, match="no trial") as caught:
        Store.open(folder, MANIFEST)
    assert caught.value.found.startswith("line 2")


def test_an_interrupt_within_a_write_leaves_whole_lines(folder, monkeypatch):
    path = folder / "trials.jsonl"
    before = path.read_bytes()
    with Store.open(folder, MANIFEST) as store:
        write = os.write

        def half(handle, data):
            write(handle, bytes(data)[: len(data) // 2])
            raise KeyboardInterrupt

        monkeypatch.setattr(durable.os, "write", half)
        with pytest.raises(KeyboardInterrupt):
            store.write([row(4)])
        monkeypatch.undo()
        assert path.read_bytes() == before
        assert key(4) not in store.done
        store.write([row(4)])
    assert path.read_bytes() == before + line_of(row(4))


def test_the_system_may_take_a_part_only(folder, monkeypatch):
    path = folder / "trials.jsonl"
    before = path.read_bytes()
    with Store.open(folder, MANIFEST) as store:
        write = os.write
        monkeypatch.setattr(durable.os, "write", lambda handle, data: write(handle, bytes(data)[:7]))
        store.append([row(4), row(5)])
        monkeypatch.undo()
    assert path.read_bytes() == before + line_of(row(4)) + line_of(row(5))


FULL = """
import resource, sys
from click_stats.errors import ClickStatsError
from click_stats.trials.store import Store
store = Store.open(sys.argv[1], {"model": "m"})
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
stored = 0
try:
    for number in range(1000):
        store.append([{"item": f"One/a{number}", "wording": "1", "rotation": 0, "replicate": 0, "status": "ok"}])
        stored += 1
except ClickStatsError as error:
    print(stored)
    print(str(error).replace("\\n", " "))
"""


def test_a_full_disk_leaves_whole_lines_and_says_how_to_go_on(tmp_path):
    words = [sys.executable, "-c", FULL, str(tmp_path / "m")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    stored, message = done.stdout.splitlines()
    assert "Cannot write" in message
    assert "Free some space" in message
    data = (tmp_path / "m" / "trials.jsonl").read_bytes()
    assert 3900 < len(data) <= 4000
    assert data.endswith(b"\n")
    assert data.count(b"\n") == int(stored) > 10
    with Store.open(tmp_path / "m", {"model": "m"}) as store:
        assert len(store.done) == int(stored)
        assert store.fragment is None


def test_what_json_cannot_hold(tmp_path):
    line = line_of(row(1, scores=[0.5, float("-inf"), float("nan")], text="half a pair \ud800"))
    assert json.loads(line)["scores"] == [0.5, None, None]
    assert line.decode("utf-8").endswith("\n")


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(DataError, match="Cannot write"):
        Store.open(tmp_path / "file" / "m", MANIFEST)


@pytest.mark.parametrize("name", ['a"b', "a\\b", "한글 이름", "a\nb", "tab\t", "a,b}", "\u2028"])
def test_names_of_any_kind_are_found_again(tmp_path, name):
    rows = [row(1, item=name), row(1, wording=name), row(1, model=name), row(1, rotation=3, replicate=12)]
    with Store.open(tmp_path / "m", MANIFEST) as store:
        store.append(rows)
        written = set(store.done)
    with Store.open(tmp_path / "m", MANIFEST) as store:
        assert store.done == written == {(r["item"], r["wording"], r["rotation"], r["replicate"]) for r in rows}


def test_rows_in_another_order_of_columns_count_too(folder):
    """A person may have written the file anew with another program."""
    path = folder / "trials.jsonl"
    lines = path.read_bytes().splitlines()
    path.write_text("".join(json.dumps(dict(sorted(json.loads(line).items()))) + "\n" for line in lines))
    with Store.open(folder, MANIFEST) as store:
        assert store.done == {key(1), key(2), key(3)}

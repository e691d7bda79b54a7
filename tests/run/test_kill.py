"""A real run, killed again and again: after resuming every planned trial is there once, and none was lost.

A trial is acknowledged once its line ends with a newline in ``trials.jsonl``.
"""

import json
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from click_stats.items import read_items
from click_stats.protocol import plan, read_protocol

KILLS = 26
"""Per backend; two backends are killed at the same time, so twice as many over the test."""
LIMIT = 300
PATIENCE = 60
LINE = 280
"""Bytes of a line, about."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")


def whole(path):
    """The whole lines of a file, as bytes."""
    data = path.read_bytes() if path.exists() else b""
    return data[: data.rfind(b"\n") + 1]


def keys(data):
    rows = map(json.loads, data.splitlines())
    return [(row["item"], row["wording"], str(row["rotation"]), str(row["replicate"])) for row in rows]


class Lane:
    """One backend and its run folder."""

    def __init__(self, environment, folder, backend, seed, log=None):
        self.environment = environment
        self.out = folder / "runs"
        self.path = self.out / backend.replace(":", "-") / "trials.jsonl"
        self.words = ["run", backend, "-o", str(self.out), "--limit", str(LIMIT), "--quiet", "--option", "sleep=0.002"]
        self.words += ["--option", f"log={log}"] if log else []
        self.log = log
        self.random = random.Random(seed)
        self.kills = self.fragments = 0

    def start(self):
        words = [sys.executable, "-c", "from click_stats.cli import main; main()", *self.words]
        return subprocess.Popen(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self):
        with self.start() as process:
            out, err = process.communicate(timeout=PATIENCE)
            assert process.returncode == 0, err
        return out

    def size(self):
        return self.path.stat().st_size if self.path.exists() else 0

    def kill_once(self):
        """Start the run, kill it at a random point, and check what it left."""
        before = whole(self.path)
        asked_before = self.log.stat().st_size if self.log and self.log.exists() else 0
        early = self.random.random() < 0.15
        lines, pause = self.random.randint(1, 90), self.random.random() * 0.005
        started = time.monotonic()
        with self.start() as process:
            if early:  # while it imports, or opens the folder
                time.sleep(self.random.random() * 0.8)
            else:
                while process.poll() is None and self.size() < len(before) + lines * LINE:
                    assert time.monotonic() - started < PATIENCE
                    time.sleep(0.005)
                time.sleep(pause)
            alive = process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.communicate()
        self.kills += alive
        assert alive, "the run ended before it was killed: raise LIMIT"
        after = whole(self.path)
        assert after.startswith(before), "an acknowledged line was lost or changed"
        if self.log and self.log.exists():
            asked = [tuple(line.split("\t")) for line in self.log.read_text()[asked_before:].splitlines()]
            assert not set(asked) & set(keys(before)), "an acknowledged trial was asked again"
        if self.path.exists() and self.path.stat().st_size == len(after) > 0 and self.random.random() < 0.4:
            # What a loss of power leaves: the beginning of a line.
            line = after.splitlines(keepends=True)[-1]
            with self.path.open("ab") as file:
                file.write(line[: self.random.randint(1, len(line) - 1)])
            self.fragments += 1

    def run(self):
        for _ in range(KILLS):
            self.kill_once()
        before = whole(self.path)
        self.finish()
        assert whole(self.path).startswith(before)
        return self.path


def test_killed_at_fifty_points_nothing_is_lost_and_nothing_twice(toy_environment, tmp_path):
    lanes = [
        Lane(toy_environment, tmp_path / "a", "simulate:killed", 1),
        Lane(toy_environment, tmp_path / "b", "toy:killed", 2, log=tmp_path / "log"),
    ]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(Lane.run, lanes))
    assert sum(lane.kills for lane in lanes) >= 50
    assert all(lane.fragments for lane in lanes)
    groups = plan(read_protocol("paper"), read_items(), needs_text=False).groups()
    planned = {tuple(map(str, request.key)) for group in groups for request in group}
    for lane in lanes:
        data = lane.path.read_bytes()
        assert data.endswith(b"\n")
        stored = keys(data)
        assert len(stored) == len(set(stored))
        assert len({item for item, *_ in stored}) == LIMIT
        items = {item for item, *_ in stored}
        assert set(stored) == {key for key in planned if key[0] in items}
        torn = list(lane.path.parent.glob("trials.jsonl.torn-*"))
        assert torn
        manifest = json.loads((lane.path.parent / "manifest.json").read_text(encoding="utf-8"))
        assert len(manifest["sessions"]) > KILLS / 2
    # What was asked more than once was under way when the process died: at most one a kill.
    asked = [tuple(line.split("\t")) for line in lanes[1].log.read_text().splitlines()]
    assert set(asked) == set(keys(lanes[1].path.read_bytes()))
    assert len(asked) - len(set(asked)) <= KILLS
    # A simulated answer depends on the key only: the interrupted run equals one that was not.
    other = Lane(toy_environment, tmp_path / "c", "simulate:killed", 1)
    other.words[-1] = "sleep=0"
    other.finish()
    assert lanes[0].path.read_bytes() == other.path.read_bytes()

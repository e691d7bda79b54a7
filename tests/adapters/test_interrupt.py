"""Ctrl-C in the middle of a run on a server: what is under way is waited for and stored, and nothing is billed twice."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

INVENTED = Path(__file__).parents[2] / "fixtures" / "invented"


def start(server, out):
    words = ["run", f"openai_compatible:{server.address}/v1#tiny-1", "-o", out, "--protocol", "paper", "--json"]
    words += ["--items", INVENTED / "items.jsonl", "--benchmark", INVENTED / "benchmark.toml"]
    words += ["--option", "method=generate", "--option", "concurrency=5"]
    program = [sys.executable, "-c", "from click_stats.cli import main; main()"]
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    return subprocess.Popen(
        [*program, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def stored(out):
    [folder] = [path for path in out.iterdir() if path.is_dir()]
    return [json.loads(line) for line in (folder / "trials.jsonl").read_text(encoding="utf-8").splitlines()]


def wait_for(server, n):
    deadline = time.monotonic() + 60
    while len(server.seen) < n:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def finish(server, out):
    """Run to the end without delay; every planned trial is then stored once. Returns their number."""
    server.delay = 0
    run = start(server, out)
    printed, errors = run.communicate(timeout=120)
    assert run.returncode == 0, errors
    [summary] = json.loads(printed)["runs"]
    rows = stored(out)
    assert len(rows) == len({key(row) for row in rows}) == summary["total"]
    return summary["total"]


def key(row):
    return row["item"], row["wording"], row["rotation"], row["replicate"]


def test_an_interrupt_loses_nothing_that_is_billed(lab, tmp_path):
    server = lab.serve(delay=0.1)
    run = start(server, tmp_path)
    wait_for(server, 12)
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=60)
    assert run.returncode == 130, errors
    assert len(stored(tmp_path)) == sum(server.completed.values()) == len(server.seen)
    total = finish(server, tmp_path)
    assert len(server.completed) == total  # prompts differ: there are no replicates
    assert set(server.completed.values()) == {1}


def test_a_killed_run_asks_nothing_again_that_was_stored(lab, tmp_path):
    server = lab.serve(delay=0.1)
    run = start(server, tmp_path)
    wait_for(server, 12)
    run.kill()
    run.communicate(timeout=60)
    before = stored(tmp_path)
    billed = sum(server.completed.values())
    total = finish(server, tmp_path)
    assert stored(tmp_path)[: len(before)] == before
    again = [prompt for prompt, n in server.completed.items() if n > 1]
    assert len(again) <= billed + 5 - len(before)  # those on the wire, or answered and not yet stored
    assert len(server.completed) == total

"""``click-stats run``: what it prints, how it ends, and what it refuses."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from click_stats.cli.run import state
from click_stats.cli.settings import parse_settings
from click_stats.errors import UsageError
from click_stats.running.progress import Progress

MAIN = "from click_stats.cli import main; main()"
LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000)); " + MAIN


def start(environment, *words, code=MAIN):
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_lines(path, n, process):
    for _ in range(6000):
        if path.exists() and path.read_bytes().count(b"\n") >= n:
            return
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    raise AssertionError("nothing was stored")


def test_run_then_report_needs_nothing_but_the_package(click_stats, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ("run", "simulate:alpha", "simulate:beta", "--protocol", "single", "-o", "runs")
    run = click_stats(*words)
    assert run.code == 0, run.err
    assert "1,995 of 1,995 trials (complete)" in run.out
    assert "simulate-alpha (simulated)" in run.out
    assert "clustered Wilson" in run.out
    again = click_stats(*words, "--json")
    report = json.loads(again.out)
    assert [summary["asked"] for summary in report["runs"]] == [0, 0]
    assert [summary["simulated"] for summary in report["runs"]] == [True, True]
    assert len(report["accuracy"]["tables"]["estimates"]["rows"]) == 2
    analysed = click_stats("analyze", "audit", "runs", "--draws", "1000", "--json", "--quiet")
    account = json.loads(analysed.out)["results"]["account"]
    assert sum("are simulated: drawn from a stated model" in line for line in account["meta"]["warnings"]) == 2


def test_the_verb_stays_callable(tmp_path):
    import click_stats as cs
    from click_stats.api import find_backend

    for _ in range(2):
        [run] = cs.run("simulate:alpha", out=tmp_path, protocol="single", limit=3)
    assert (run.done, run.asked) == (3, 0)
    [run] = cs.run(backend := find_backend("simulate:beta"), out=tmp_path, protocol="single", limit=3)
    assert run.backend == backend.name
    assert list(cs.read_trials(tmp_path).units["model"]) == ["simulate-alpha", "simulate-beta"]


def test_a_simulation_takes_its_parameters_from_the_line(click_stats, tmp_path):
    words = ("run", "simulate:a", "-o", tmp_path, "--limit", "200", "--protocol", "single", "--json")
    good = json.loads(click_stats(*words, "--set", "ability=4.0", "--set", "category={History = -9.0}").out)
    rows = good["accuracy"]["tables"]["estimates"]
    assert rows["rows"][0][rows["columns"].index("estimate")] > 0.7
    manifest = json.loads((tmp_path / "simulate-a" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["adapter"]["category"] == {"History": -9.0}
    refused = click_stats(*words, "--set", "ability=5.0")
    assert refused.code == 2
    assert "adapter.ability: 4.0 there, 5.0 now" in refused.err
    assert click_stats(*words, "--set", "abilty=5.0").code == 2


def test_another_protocol_is_refused(click_stats, tmp_path):
    words = ("run", "simulate", "-o", tmp_path, "--limit", "5")
    assert click_stats(*words, "--protocol", "single").code == 0
    before = (tmp_path / "simulate" / "trials.jsonl").read_bytes()
    run = click_stats(*words, "--protocol", "three-rotations")
    assert run.code == 2
    assert "holds another run" in run.err
    assert "protocol: single there, three-rotations now" in run.err
    assert (tmp_path / "simulate" / "trials.jsonl").read_bytes() == before


def test_a_control_is_a_condition_of_its_own(click_stats, tmp_path):
    words = ("run", "simulate", "-o", tmp_path, "--limit", "5")
    assert click_stats(*words).code == 0
    assert click_stats(*words, "--protocol", "choices-only").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["simulate", "simulate--simulated__choices-only"]


def test_ctrl_c_ends_the_batch_in_hand_and_says_how_to_go_on(toy_environment, tmp_path):
    words = ("run", "simulate", "-o", tmp_path, "--option", "sleep=0.005", "--limit", "300")
    path = tmp_path / "simulate" / "trials.jsonl"
    with start(toy_environment, *words) as process:
        wait_for_lines(path, 20, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Stopping once the requests in hand are answered" in err
    assert "Run the same command again to go on" in err
    assert "to go" in out
    stored = path.read_bytes()
    assert stored.endswith(b"\n")
    last = json.loads(stored.splitlines()[-1])
    assert last["rotation"] == 3 or last["rotation"] == 4  # the last of its group
    manifest = json.loads((tmp_path / "simulate" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["sessions"][0]["asked"] == stored.count(b"\n")
    with start(toy_environment, *words[:-4], "--limit", "300") as process:
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert path.read_bytes().startswith(stored)


def test_two_writers_at_once(toy_environment, tmp_path):
    words = ("run", "simulate", "-o", tmp_path, "--limit", "100", "--option", "sleep=0.01")
    path = tmp_path / "simulate" / "trials.jsonl"
    with start(toy_environment, *words) as first:
        wait_for_lines(path, 5, first)
        with start(toy_environment, *words) as second:
            out, err = second.communicate(timeout=60)
        assert second.returncode == 2
        assert out == ""
        assert "Another process is writing the run simulate." in err
        assert f"process {first.pid} on" in err
        assert "Traceback" not in err
        _, err = first.communicate(timeout=60)
    assert first.returncode == 0, err
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    keys = [(row["item"], row["wording"], row["rotation"]) for row in rows]
    assert len(keys) == len(set(keys))


def test_a_full_disk_ends_the_run_and_loses_nothing(toy_environment, tmp_path):
    words = ("run", "simulate", "-o", tmp_path, "--limit", "40")
    path = tmp_path / "simulate" / "trials.jsonl"
    with start(toy_environment, *words, code=LIMITED) as process:
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Free some space, then run the same command again" in err
    stored = path.read_bytes()
    assert 39_000 < len(stored) <= 40_000
    assert stored.endswith(b"\n")
    with start(toy_environment, *words) as process:
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert path.read_bytes().startswith(stored)
    assert not list(path.parent.glob("*.torn-*"))


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("nobody",), 2, "There is no backend 'nobody'"),
        (("simulat:x",), 2, "Did you mean simulate"),
        (("simulate", "simulate"), 2, "named twice"),
        (("simulate", "--set", "effort"), 2, "--set needs KEY=VALUE"),
        (("simulate", "--set", "api_key=sk-1"), 2, "looks like a secret"),
        (("simulate", "--policy", "generous"), 2, "no extraction policy"),
        (("simulate", "--protocol", "papers"), 2, "papers"),
        (("simulate", "--limit", "0"), 2, "--limit"),
        (("simulate", "--items", "nowhere.csv"), 1, "nowhere.csv"),
    ],
)
def test_what_is_refused(click_stats, tmp_path, words, code, message):
    run = click_stats("run", *words, "-o", tmp_path / "runs")
    assert run.code == code, run.err
    assert message in run.err
    assert "Traceback" not in run.err
    assert "sk-1" not in run.err
    assert not list(tmp_path.rglob("trials.jsonl"))


def test_one_backend_that_cannot_be_run_leaves_the_others(click_stats, tmp_path):
    run = click_stats("run", "simulate:a", "simulate:b", "-o", tmp_path, "--limit", "3")
    assert run.code == 0
    manifest = tmp_path / "simulate-a" / "manifest.json"
    manifest.write_text("{", encoding="utf-8")
    run = click_stats("run", "simulate:a", "simulate:b", "simulate:c", "-o", tmp_path, "--limit", "3")
    assert run.code == 1
    assert "simulate-a: The manifest of the run simulate-a cannot be read." in run.err
    assert "simulate-c" in run.out


def test_settings_are_read_as_toml_else_as_text():
    entries = ["effort=high", "max_tokens=5", "thinking.budget=1.5", "thinking.on=true", "stop=[1, 2]", "t='1'"]
    assert parse_settings(entries) == {
        "effort": "high",
        "max_tokens": 5,
        "thinking": {"budget": 1.5, "on": True},
        "stop": [1, 2],
        "t": "1",
    }
    assert parse_settings(["url=http://x/?a=b"]) == {"url": "http://x/?a=b"}
    for wrong in (["a"], ["=1"], ["a="], ["a=1", "a=2"], ["a=1", "a.b=2"]):
        with pytest.raises(UsageError):
            parse_settings(wrong)


def test_progress_says_rate_time_left_cost_and_out_of_option_rate():
    progress = Progress("m", 300, 1000, 100, 50.0, Counter(ok=95, empty=5, failed=2), 1.234)
    assert state(progress) == "2.0/s, 0:05:50 left, $1.23, 5.0% no option, 2 failed"
    assert state(Progress("m", 0, 10)) == ""


def test_a_run_of_chosen_items_is_scored_on_them(click_stats, tmp_path):
    keys = tmp_path / "keys.txt"
    keys.write_text("History/PSE_history_13_12\nLaw/KIIP_law_10\n", encoding="utf-8")
    run = click_stats(
        "run", "simulate:alpha", "--protocol", "single", "--items-from", keys, "-o", tmp_path / "runs", "--json"
    )
    assert run.code == 0, run.err
    found = json.loads(run.out)
    columns = found["accuracy"]["tables"]["estimates"]["columns"]
    row = dict(zip(columns, found["accuracy"]["tables"]["estimates"]["rows"][0], strict=True))
    assert found["runs"][0]["total"] == 2
    assert (row["n_items"], row["n_items_total"]) == (2, 2)

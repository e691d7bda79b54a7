"""Wall time and peak memory of a report in three formats, by stage.

The audit and the report on items are made of the 20 real files, the replication of the simulated run of the paper's 13
models over the whole protocol (321,204 trials). One process per run, so that its peak is its own; the memory of pandoc,
a child process, is not counted. Usage: python benchmarks/report.py [audit|items|replication] [--write] [--repeat 3]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import pages

ROOT = Path(__file__).resolve().parents[1]
AIMS = {"audit": "aim 40 s, 1000 MB", "items": "no aim stated", "replication": "aim 90 s"}
SECTIONS = {"audit": "report", "items": "report-items", "replication": "report-replication"}
MODELS = {"audit": "models.csv", "items": "models.csv", "replication": "paper-models.csv"}


def child(name: str, data: str, out: str) -> None:
    """Make the report once and print its stages as JSON."""
    stages: list[tuple[str, float, float]] = []

    def mark(name: str) -> None:
        stages.append((name, time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))

    mark("start")
    import click_stats as cs
    from click_stats.render.report import write_report

    items = cs.read_items()
    models = cs.read_models(ROOT / "fixtures" / MODELS[name])
    mark("import and items")
    trials = cs.read_trials(data, items)
    mark("reading")
    names: list[str] = []

    def analysing(done: int, _total: int, analysis: str) -> None:
        if done:
            mark(f"analysis {names[-1]}")
        names.append(analysis)

    results = cs.analyze(name, trials, items, models=models, progress=analysing)

    steps: list[str] = []

    def rendering(_done: int, _total: int, step: str) -> None:
        if steps:
            mark(steps[-1])
        steps.append(f"render {step}")

    write_report(name, results, Path(out), lang="ko", formats=["html", "docx", "pdf"], progress=rendering)
    print(json.dumps({"stages": stages}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help="write the table to docs/performance.md")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("report", nargs="?", choices=sorted(AIMS), default="audit")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.report, *given.child)
        return
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        data = ROOT / "fixtures" / "real-results"
        if given.report == "replication":
            data = Path(folder) / "runs"
            subprocess.run([sys.executable, ROOT / "scripts" / "simulate_paper.py", "-o", data], check=True)
        for run in range(given.repeat):
            words = [sys.executable, __file__, given.report, "--child", str(data), str(Path(folder) / f"out{run}")]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            runs.append(json.loads(done.stdout.splitlines()[-1]))
    lines = ["| Stage | seconds (median) | peak memory so far, MB (largest) |", "| --- | --- | --- |"]
    count = len(runs[0]["stages"])
    for k in range(1, count):
        name = runs[0]["stages"][k][0]
        took = median(run["stages"][k][1] - run["stages"][k - 1][1] for run in runs)
        peak = max(run["stages"][k][2] for run in runs)
        lines.append(f"| {name} | {took:.1f} | {peak:.0f} |")
    total = median(run["stages"][-1][1] - run["stages"][0][1] for run in runs)
    peak = max(run["stages"][-1][2] for run in runs)
    lines += [
        f"| **total** ({AIMS[given.report]}) | **{total:.1f}** | **{peak:.0f}** |",
        "",
        "The memory of pandoc, a process of its own, is not counted.",
        "",
        f"`python benchmarks/report.py {given.report} --write`, {given.repeat} runs, Python {platform.python_version()}, {os.cpu_count()} cores, Linux.",
    ]
    text = "\n".join(lines)
    print(text)
    if given.write:
        pages.write("performance.md", SECTIONS[given.report], text)


if __name__ == "__main__":
    main()

"""The trial store: trials appended per second with every batch synced, and the time to go on after a million trials.

Usage: python benchmarks/store.py [--write] [--trials 1000000] [--folder FOLDER]; the folder's disk decides what a sync costs.
"""

from __future__ import annotations

import argparse
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

from click_stats.trials.store import Store

AIM_SECONDS = 10
MANIFEST = {"model": "benchmark"}
SIZES = (1, 16, 256, 4096)
ITEMS = 1995


def row(number: int) -> dict[str, object]:
    """A trial as a run by log-probability stores it."""
    rotation, rest = number % 4, number // 4
    wording, rest = rest % 3, rest // 3
    return {
        "item": f"Category/benchmark_item_{rest % ITEMS}",
        "wording": str(wording + 1),
        "rotation": rotation,
        "replicate": rest // ITEMS,
        "model": "benchmark",
        "condition": "default",
        "status": "ok",
        "prediction": number % 4,
        "scores": [-12.345678901234567, -13.456789012345678, -11.234567890123456, -14.567890123456789],
        "text": None,
        "rule": "score",
        "policy": "score",
        "input_tokens": 512,
        "output_tokens": None,
        "seconds": None,
        "finish_reason": "",
    }


def appended(folder: Path, size: int, seconds: float = 2.0) -> float:
    """Trials per second when batches of ``size`` are written and synced."""
    rows = [row(number) for number in range(size)]
    with Store.open(folder / f"batches-{size}", MANIFEST) as store:
        start = time.perf_counter()
        count = 0
        while time.perf_counter() - start < seconds:
            store.append(rows)
            count += size
        return count / (time.perf_counter() - start)


def fill(folder: Path, trials: int) -> float:
    """Store that many different trials and return the size of the file in megabytes."""
    with Store.open(folder, MANIFEST) as store:
        for start in range(0, trials, 10_000):
            store.append([row(number) for number in range(start, min(start + 10_000, trials))])
    return (folder / "trials.jsonl").stat().st_size / 1e6


def child(folder: str, trials: int) -> None:
    """Open the store once and print seconds and peak memory."""
    start = time.perf_counter()
    with Store.open(folder, MANIFEST) as store:
        took = time.perf_counter() - start
        assert len(store.done) == trials
    print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help="write the table to docs/performance.md")
    parser.add_argument("--trials", type=int, default=1_000_000)
    parser.add_argument("--folder", help="where to write; a temporary folder by default")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.child, given.trials)
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        lines = ["| Batch | trials appended per second |", "| --- | --- |"]
        lines += [f"| {size:,} | {appended(folder, size):,.0f} |" for size in SIZES]
        megabytes = fill(folder / "million", given.trials)
        runs = []
        for _ in range(3):
            words = [sys.executable, __file__, "--child", str(folder / "million"), "--trials", str(given.trials)]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            runs.append([float(number) for number in done.stdout.split()])
    took, memory = median(run[0] for run in runs), max(run[1] for run in runs)
    lines += [
        "",
        (
            f"Resuming over {given.trials:,} stored trials ({megabytes:,.0f} MB) took **{took:.1f} s** "
            f"(aim: under {AIM_SECONDS} s) and {memory:,.0f} MB of memory: lock, manifest, tail, and the keys of all lines."
        ),
        "",
        (
            "Every batch is written as whole lines and synced to the disk before it counts. A run writes each answer at "
            "once and syncs twice a second."
        ),
        "",
        (
            f"`python benchmarks/store.py --write`, median of 3, Python {platform.python_version()}, {os.cpu_count()} cores, "
            f"{platform.system()}; the machine was shared with other work."
        ),
    ]
    text = "\n".join(lines)
    print(text)
    if given.write:
        pages.write("performance.md", "store", text)


if __name__ == "__main__":
    main()

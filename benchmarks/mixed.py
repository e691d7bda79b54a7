"""Wall time of the logistic mixed model beside lme4's glmer (nAGQ = 1) and glmmTMB, and of 100 models.

Simulated answers on CLIcK's categories: 13 models of the paper's sizes x 1,995 items x 12 trials, logits of items SD 1.1
and of models SD .35; then 100 models. All engines read the same cells, one thread each, one after the other; time is
the fit alone, ours in a process of its own, whose peak memory is reported. R and its packages come from Debian when asked:
--install needs root.

Usage: python benchmarks/mixed.py [--install] [--write] [--repeat 3]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pages
import pandas as pd
from mixed_data import CORPUS, SIZES, cells
from simulation import CATEGORIES, N_ITEMS, NAMES

HERE = Path(__file__).resolve().parent
FIXED = "category + log10_params + corpus"
PACKAGES = ("r-base-core", "r-cran-lme4", "r-cran-glmmtmb", "r-cran-jsonlite")
TRIALS, SEED, MANY = 12, 20260501, 100
RATIO_GLMER, MANY_SECONDS, MANY_MEGABYTES = 5, 60, 2048
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def table(n_models: int) -> pd.DataFrame:
    rng = np.random.default_rng([SEED, n_models])
    if n_models == len(SIZES):
        size, corpus = np.log10(SIZES), np.array(CORPUS, dtype=float)
    else:
        size, corpus = rng.uniform(0, 2.3, n_models), (rng.random(n_models) < 0.4).astype(float)
    return cells(rng, size, corpus, np.asarray(NAMES)[CATEGORIES], trials=TRIALS)


def child(path: str, repeat: int) -> None:
    """Fit once or more and print the fastest as JSON."""
    from click_stats.stats.glmm import GlmmData, GlmmSpec, fit

    data = GlmmData.from_frame(pd.read_csv(path))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = {}
    for restricted in (False, True):
        times = []
        for _ in range(repeat):
            start = time.perf_counter()
            one = fit(data, GlmmSpec(FIXED), restricted=restricted)
            times.append(time.perf_counter() - start)
        name = "restricted" if restricted else "likelihood"
        found[name] = {"seconds": min(times), "logLik": one.loglik, "beta": one.beta.tolist(), "se": one.se.tolist()}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**found, "before": before, "peak": peak}))


def ours(path: Path, repeat: int) -> dict:
    words = [sys.executable, __file__, "--child", str(path), "--repeat", str(repeat)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, **ONE_THREAD})
    return json.loads(done.stdout.splitlines()[-1])


def install() -> None:
    for words in (["update", "-q"], ["install", "-y", "-q", "--no-install-recommends", *PACKAGES]):
        subprocess.run(["apt-get", *words], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--install", action="store_true", help="install R and its packages from Debian first (root)")
    parser.add_argument("--write", action="store_true", help="write the table to docs/performance.md")
    parser.add_argument(
        "--repeat", type=int, default=3, help="fits of ours and of glmmTMB, the fastest counts; one of glmer"
    )
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.child, given.repeat)
        return
    if given.install:
        install()
    if not shutil.which("Rscript"):
        sys.exit("Rscript is not installed: run with --install, or install " + " ".join(PACKAGES))
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "cells.csv", Path(folder) / "r.json"
        table(len(SIZES)).to_csv(path, index=False)
        own = ours(path, given.repeat)
        words = ["Rscript", str(HERE / "mixed.R"), str(path), str(out), str(given.repeat)]
        subprocess.run(words, check=True, env={**os.environ, **ONE_THREAD})
        peers = json.loads(out.read_text())
        table(MANY).to_csv(path, index=False)
        many = ours(path, 1)
    text = report(own, peers, many, given.repeat)
    print(text)
    if given.write:
        pages.write("performance.md", "mixed", text)


def report(own: dict, peers: dict, many: dict, repeat: int) -> str:
    mine, tmb = own["likelihood"], peers["glmmTMB"]
    error = np.array(tmb["se"])
    lines = [
        f"`python benchmarks/mixed.py --write`, fastest of {repeat} (glmer once), Python {platform.python_version()}, {peers['r']}, one thread each, Linux; the machine was shared with other work.",
        "",
        f"13 models x {N_ITEMS:,} items x {TRIALS} trials, `{FIXED}`, items and models random:",
        "",
        "| engine | seconds | ratio to click-stats | log-likelihood less that of click-stats | largest difference of a coefficient, in standard errors | of a standard error |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, fit in (
        ("click-stats, likelihood", mine),
        (f"glmmTMB {tmb['version']}", tmb),
        (f"glmer {peers['glmer']['version']} (nAGQ = 1)", peers["glmer"]),
    ):
        off = np.abs(np.array(fit["beta"]) - mine["beta"]) / error
        wide = np.abs(np.array(fit["se"]) / mine["se"] - 1)
        differs = f"{fit['logLik'] - mine['logLik']:.1e} | {off.max():.1e} | {wide.max():.1e}"
        lines.append(f"| {name} | {fit['seconds']:.2f} | {fit['seconds'] / mine['seconds']:.1f} | {differs} |")
    own_ratio = own["restricted"]["seconds"] / mine["seconds"]
    lines.append(f"| click-stats, restricted likelihood | {own['restricted']['seconds']:.2f} | {own_ratio:.1f} | | | |")
    ratio = peers["glmer"]["seconds"] / mine["seconds"]
    lines += [
        "",
        f"Required: at most one fifth of glmer's time ({'met' if ratio >= RATIO_GLMER else 'NOT MET'}: 1/{ratio:.0f}) and less than glmmTMB's ({'met' if mine['seconds'] < tmb['seconds'] else 'NOT MET'}).",
        "",
        f"{MANY} models x {N_ITEMS:,} items: {many['likelihood']['seconds']:.1f} s by likelihood, {many['restricted']['seconds']:.1f} s restricted, peak memory {many['peak']:.0f} MB ({many['before']:.0f} MB of it before the fit). Required: {MANY_SECONDS} s and {MANY_MEGABYTES:,} MB ({'met' if max(many['likelihood']['seconds'], many['restricted']['seconds']) < MANY_SECONDS and many['peak'] < MANY_MEGABYTES else 'NOT MET'}).",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()

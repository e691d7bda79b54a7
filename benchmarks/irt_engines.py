"""The 2PL by click-stats and by other packages on the same answers: processor seconds, error of difficulties, memory.

Every engine runs in a process of its own with one thread, other packages in an environment of their own that is made for
them. Time is that of the fit, after imports and reading; memory is the peak of the process, but never
less than that of the process that started it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import venv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from click_stats.stats.irt.data import Responses

MOST_SECONDS = 120
"""Of the processor, after which a fit is stopped."""
WRAPPED = """
import json, resource, sys, time
import numpy as np
resource.setrlimit(resource.RLIMIT_CPU, ({most}, {most}))
data = dict(np.load(sys.argv[1]))
{before}
start = time.process_time()
{fit}
seconds = time.process_time() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({{"seconds": seconds, "peak": peak, "difficulty": np.asarray(difficulty, dtype=float).tolist()}}))
"""


@dataclass(frozen=True)
class Engine:
    """What to install (nothing for click-stats), what runs before the clock starts, and the fit."""

    packages: tuple[str, ...]
    before: str
    fit: str


OURS = Engine(
    (),
    "from click_stats.stats.irt import marginal, posterior\nfrom click_stats.stats.irt.data import Responses",
    "data = Responses(**data)\ndifficulty = posterior.difficulty(marginal.fit(data, slopes=True), data, 0.95).mean",
)
GIRTH = "import girth\nx = data['correct'].T.astype(int)"
PY_IRT = """
import pandas as pd, torch
from py_irt.config import IrtConfig
from py_irt.dataset import Dataset
from py_irt.training import IrtModelTrainer
x = data["correct"].astype(int)
names = [f"i{k}" for k in range(x.shape[1])]
frame = pd.DataFrame(x, columns=names)
frame.insert(0, "subject", [f"m{k}" for k in range(len(x))])
told = Dataset.from_pandas(frame, subject_column="subject", item_columns=names)
torch.manual_seed(1)
config = IrtConfig(model_type="2pl", priors="hierarchical", epochs=2000, log_every=10**6)
"""
PY_IRT_FIT = """
trainer = IrtModelTrainer(config=config, data_path=None, dataset=told, verbose=False)
trainer.train(device="cpu")
found = trainer.last_params
place = {name: k for k, name in found["item_ids"].items()}
difficulty = [found["diff"][place[name]] for name in names]
"""
PEERS = {
    "girth 0.8.0, twopl_mml": Engine(("girth==0.8.0",), GIRTH, "difficulty = girth.twopl_mml(x)['Difficulty']"),
    "py-irt 0.7.1, hierarchical, 2,000 epochs": Engine(("torch==2.13.0", "py-irt==0.7.1"), PY_IRT, PY_IRT_FIT),
}


def compared(sizes: Sequence[tuple[Responses, np.ndarray]], environments: Path, jobs: int) -> str:
    """Table of all engines on each data set (answers, true difficulties), ``jobs`` at a time."""
    pythons = {name: environment(engine, environments) for name, engine in PEERS.items()}
    engines = {"click-stats": (OURS, sys.executable)}
    engines |= {name: (engine, pythons[name]) for name, engine in PEERS.items()}
    with ThreadPoolExecutor(jobs) as pool:
        running = [
            (responses, truth, {name: pool.submit(run, *engine, responses) for name, engine in engines.items()})
            for responses, truth in sizes
        ]
        lines = [_row(*one, name) for one in running for name in engines]
    return "\n".join(
        [
            "| models | items | engine | CPU seconds | times click-stats | RMSE of difficulty |",
            "|---|---|---|---|---|---|",
            *lines,
        ]
    )


def environment(engine: Engine, folder: Path) -> str:
    """The interpreter of an environment with the packages, made once."""
    place = folder / engine.packages[-1]
    python = place / "bin" / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
        for package in engine.packages:  # torch first, so that its build for CPUs is kept
            command = [str(python), "-m", "pip", "install", "-q", package]
            subprocess.run(command, check=True, capture_output=True, text=True)
    return str(python)


def run(engine: Engine, python: str, responses: Responses) -> dict:
    """Seconds, peak memory in MB and difficulties of one fit; or why there are none."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    with tempfile.TemporaryDirectory() as folder:
        answers, script = Path(folder) / "answers.npz", Path(folder) / "fit.py"
        np.savez(answers, **vars(responses))
        script.write_text(WRAPPED.format(before=engine.before, fit=engine.fit, most=MOST_SECONDS), encoding="utf-8")
        command = [python, str(script), str(answers)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | one_thread)
    if done.returncode in {-signal.SIGXCPU, -signal.SIGKILL}:
        return {"why": f"stopped after {MOST_SECONDS} s"}
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "Error" in line] or ["no message"]
        return {"why": f"failed: {said[-1].replace('|', ' ').strip()[:100]}"}
    return json.loads(done.stdout.strip().splitlines()[-1])


def error(found: dict, truth: np.ndarray, *, own_scale: bool = False) -> float:
    """RMSE against the truth over items with an estimate; on a scale of its own, of the best straight line to the truth."""
    b = np.array(found["difficulty"]).ravel()
    known = np.isfinite(b)
    b, truth = b[known], truth[known]
    if own_scale:
        b = np.polyval(np.polyfit(b, truth, 1), b)
    return float(np.sqrt(((b - truth) ** 2).mean()))


def _row(responses: Responses, truth: np.ndarray, fits: dict[str, Future], name: str) -> str:
    n_units, n_items = responses.correct.shape
    found, own = fits[name].result(), fits["click-stats"].result()
    start = f"| {n_units:,} | {n_items:,} | {name}"
    if "why" in found:
        return f"{start} | {found['why']} | – | – |"
    ratio = found["seconds"] / own["seconds"]
    away = error(found, truth, own_scale=found is not own)
    without = int((~np.isfinite(np.array(found["difficulty"]))).sum())
    note = f" ({without} items without an estimate)" if without else ""
    return f"{start} | {found['seconds']:.2f} | {ratio:.1f} | {away:.3f}{note} |"

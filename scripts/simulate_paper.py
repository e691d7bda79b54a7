"""Simulate the 13 models of the CLIcK paper over its whole protocol, calibrated to the accuracies it published.

python scripts/simulate_paper.py -o DIR                      runs the declarations of fixtures/simulated
python scripts/simulate_paper.py -o DIR --per-category 30    over that many items of each category
python scripts/simulate_paper.py --calibrate                 writes the declarations again (some minutes)

Nothing here says anything about the models: answers are drawn from a stated model (click_stats/adapters/simulate.py)
whose parameters are chosen so that accuracies come out near the published ones. Every run has the condition
``simulated``, and its manifest says so. Item texts are not needed: the key table of the package is enough. The same
runs by hand: ``click-stats run simulated-claude-2 ... --content fixtures/simulated -o DIR``.

What each category is calibrated to (fixtures/simulated/targets.csv):

- a cell of the paper's Table 5 where one is known for the model;
- else what is left of the domain's average (README of the dataset, which has one for every model) after known cells,
  spread over the other categories in the proportions of the ranges stated for the open models (their middles), and
  evenly where no range is stated or the model is not open. Averages are taken over items; the sources do not say
  whether they are that or averages of categories.
"""

from __future__ import annotations

import argparse
import csv
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import expit, logit

import click_stats as cs
from click_stats.adapters.backend import Backend, read_backend
from click_stats.adapters.simulate import make
from click_stats.protocol import plan, read_protocol
from click_stats.running.mapping import row_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.items.table import ItemTable

ROOT = Path(__file__).resolve().parent.parent
PAPER = ROOT / "fixtures" / "paper"
SIMULATED = ROOT / "fixtures" / "simulated"
PREFIX = "simulated-"
README = "dataset README"
CLOSE = 0.002
"""Calibration ends when an accuracy is this near to its target."""
STEPS = 14

SHARED = {"ability": 0.0, "discrimination_sd": 0.2, "seed": 2024}
"""The same seed makes the same items hard for all models."""
# The open models share much of what they find hard and the two API models little, as the paper's Figure 2 has it.
OPEN = {"kind": "score", "difficulty_sd": 3.0, "local_sd": 0.5, "floor": 0.04, "wording_sd": 0.35}
API = {
    "kind": "generate",
    "difficulty_sd": 1.0,
    "local_sd": 2.2,
    "floor": 0.0,
    "wording_sd": 0.25,
    "out_of_option": 0.02,
}
OWN: dict[str, dict[str, object]] = {
    # Small models lean on positions and guess; larger ones lean less and are more often wrong and sure, as the paper
    # describes in its Figure 3. How much is ours.
    "polyglot-ko-1.3b": {"position_bias": [0.9, 0.3, 0.1], "confident_errors": 0.0},
    "polyglot-ko-3.8b": {"position_bias": [0.2, 0.6, 0.3], "confident_errors": 0.01},
    "polyglot-ko-5.8b": {"position_bias": [0.4, 0.3], "confident_errors": 0.08},
    "polyglot-ko-12.8b": {"position_bias": [0.15, 0.2], "confident_errors": 0.4},
    "kullm-5.8b": {"position_bias": [0.5, 0.2], "confident_errors": 0.1},
    "kullm-12.8b": {"position_bias": [0.3, 0.1], "confident_errors": 0.38},
    "koalpaca-5.8b": {"position_bias": [0.1, 0.2, 0.4], "confident_errors": 0.1},
    "koalpaca-12.8b": {"position_bias": [0.1, 0.1, 0.3], "confident_errors": 0.38},
    "llama-ko": {"position_bias": [0.5, 0.1], "confident_errors": 0.08},
    "llama-7b": {"position_bias": [0.7, 0.2], "confident_errors": 0.05},
    "llama-13b": {"position_bias": [0.3, 0.1], "confident_errors": 0.3},
    "gpt-3.5-turbo": {"position_bias": [0.1], "confident_errors": 0.15},
    "claude-2": {"position_bias": [0.05], "confident_errors": 0.15, "out_of_option": 0.03},
}
WORDINGS = (0.0, -0.15, 0.1)
"""Added for the three wordings, the same for all models; what a model adds of its own comes with the interaction."""


def targets(items: ItemTable) -> pd.DataFrame:
    """Return what each model and category is calibrated to: ``model, category, target, basis``."""
    cells = pd.read_csv(PAPER / "table5_accuracy.csv")
    ranges = pd.read_csv(PAPER / "table5_ranges.csv")
    models = pd.read_csv(PAPER / "models.csv").drop_duplicates("model_key").set_index("model_key")
    frame = items.frame
    sizes = frame.groupby("category", sort=False).size()
    domains = frame.groupby("category", sort=False)["domain"].first()
    stated = ranges[(ranges["group"] == "open-source models") & ranges["category"].isin(list(sizes.index))]
    middles = ((stated["low"] + stated["high"]) / 200).groupby(stated["category"]).mean()
    rows = []
    for key, facts in models.iterrows():
        mine = cells[cells["model_key"] == key].drop_duplicates(["category", "where", "value"])
        for domain in dict.fromkeys(domains):
            inside = [name for name in sizes.index if domains[name] == domain]
            known = {str(row.category): row.value / 100 for row in mine.itertuples() if row.category in inside}
            average = mine[(mine["category"] == domain.lower()) & (mine["where"] == README)]["value"].iloc[0] / 100
            rest = [name for name in inside if name not in known]
            left = average * sizes[inside].sum() - sum(known[name] * sizes[name] for name in known)
            mean = left / sizes[rest].sum()
            shape = [middles.get(name, mean) if facts["access"] == "open" else mean for name in rest]
            spread = _with_mean(np.array(shape), sizes[rest].to_numpy(float), mean)
            rows += [(key, name, value, "published cell") for name, value in known.items()]
            rows += [(key, name, value, "domain average") for name, value in zip(rest, spread, strict=True)]
    found = pd.DataFrame(rows, columns=["model", "category", "target", "basis"])
    order = {name: place for place, name in enumerate(sizes.index)}
    found["target"] = found["target"].round(5)
    return found.sort_values(["model", "category"], key=lambda c: c.map(order) if c.name == "category" else c)


def _with_mean(shares: np.ndarray, weights: np.ndarray, mean: float) -> np.ndarray:
    """Return shares moved together on the logit scale until their weighted mean is the one wanted."""
    low, high = -5.0, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if np.average(expit(logit(shares) + middle), weights=weights) < mean else (low, middle)
        )
    return expit(logit(shares) + low)


def calibrate(key: str, wanted: Mapping[str, float], items: ItemTable) -> dict[str, object]:
    """Return the options of a simulated model whose accuracies in the categories are near those wanted."""
    access = pd.read_csv(PAPER / "models.csv").set_index("model_key").loc[[key], "access"].iloc[0]
    options = {**SHARED, **(OPEN if access == "open" else API), **OWN[key]}
    options["wording"] = {str(place + 1): effect for place, effect in enumerate(WORDINGS)}
    low, high = dict.fromkeys(wanted, -8.0), dict.fromkeys(wanted, 8.0)
    at = {name: float(1.5 * logit(share)) for name, share in wanted.items()}
    best = {name: (1.0, value) for name, value in at.items()}
    todo = list(wanted)
    for _ in range(STEPS):
        reached = accuracies(key, {**options, "category": at}, items, todo)
        for name in todo:
            off = reached[name] - wanted[name]
            best[name] = min(best[name], (abs(off), at[name]))
            low[name], high[name] = (at[name], high[name]) if off < 0 else (low[name], at[name])
            guess = at[name] - off / 0.12  # about the slope of accuracy in the logit, averaged over items
            at[name] = guess if low[name] < guess < high[name] else (low[name] + high[name]) / 2
        todo = [name for name in todo if best[name][0] > CLOSE]
        if not todo:
            break
    options["category"] = {name: round(value, 4) for name, (_, value) in best.items()}
    return options


def accuracies(
    key: str, options: Mapping[str, object], items: ItemTable, categories: Sequence[str] | None = None
) -> dict[str, float]:
    """Return the accuracy of a simulated model in each category over the paper's protocol, without storing a trial."""
    frame = items.frame if categories is None else items.frame[items.frame["category"].isin(list(categories))]
    some = type(items)(frame, items.definition)
    adapter = make(Backend(name=PREFIX + key, adapter="simulate", options=dict(options)))
    adapter.hold(items)
    asked = plan(read_protocol("paper"), some, needs_text=False)
    gold, category, n = (frame[name].to_dict() for name in ("gold", "category", "n_options"))
    right: dict[str, float] = dict.fromkeys(dict.fromkeys(frame["category"]), 0.0)
    for response in adapter.answer(asked.groups()):
        row = row_of(response, model=key, condition="simulated", policy="paper")
        item = row["item"]
        right[category[item]] += (row["prediction"] == gold[item]) / (3 * n[item])
    sizes = frame.groupby("category").size()
    return {name: total / sizes[name] for name, total in right.items()}


def write_declarations(items: ItemTable) -> None:
    """Calibrate all models and write their declarations and the targets."""
    table = targets(items)
    SIMULATED.joinpath("backends").mkdir(parents=True, exist_ok=True)
    reached = []
    for key, rows in table.groupby("model", sort=False):
        wanted = dict(zip(rows["category"], rows["target"], strict=True))
        options = calibrate(str(key), wanted, items)
        got = accuracies(str(key), options, items)
        reached += [round(got[name], 5) for name in rows["category"]]
        worst = max(abs(got[name] - wanted[name]) for name in wanted)
        print(f"{key}: at most {100 * worst:.2f} points off")
        path = SIMULATED / "backends" / f"{PREFIX}{key}.toml"
        path.write_text(_toml(str(key), options), encoding="utf-8")
        tomllib.loads(path.read_text(encoding="utf-8"))
    table.assign(simulated=reached).to_csv(SIMULATED / "targets.csv", index=False, quoting=csv.QUOTE_MINIMAL)


def _toml(key: str, options: Mapping[str, object]) -> str:
    lines = [
        'adapter = "simulate"',
        f'note = "Simulated, no answer of {key}: see scripts/simulate_paper.py."',
        "",
        "[options]",
    ]
    tables = {name: value for name, value in options.items() if isinstance(value, dict)}
    for name, value in options.items():
        if name not in tables:
            lines.append(f"{name} = {_value(value)}")
    for name, table in tables.items():
        lines += ["", f"[options.{name}]", *(f"{_key(inner)} = {value}" for inner, value in table.items())]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _key(name: str) -> str:
    return name if name.isidentifier() else f'"{name}"'


def some_items(items: ItemTable, per_category: int) -> ItemTable:
    """Return the first items of each category, spread evenly over it."""
    kept = [
        rows.iloc[np.unique(np.linspace(0, len(rows) - 1, per_category).round().astype(int))]
        for _, rows in items.frame.groupby("category", sort=False)
    ]
    return type(items)(pd.concat(kept), items.definition)


def main() -> None:
    """Read the command line and do what it says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, help="folder for the runs")
    parser.add_argument("--per-category", type=int, help="items of each category; all when not given")
    parser.add_argument("--models", nargs="*", help="keys of models; all 13 when not given")
    parser.add_argument("--calibrate", action="store_true", help="write the declarations again")
    given = parser.parse_args()
    items = cs.read_items()
    if given.calibrate:
        write_declarations(items)
    if given.out:
        known = sorted((SIMULATED / "backends").glob("*.toml"))
        backends = [read_backend(path) for path in known]
        if given.models:
            backends = [backend for backend in backends if backend.name.removeprefix(PREFIX) in given.models]
        asked = items if given.per_category is None else some_items(items, given.per_category)
        for run in cs.run(backends, asked, out=given.out):
            print(f"{run.model}: {run.done:,} trials in {run.seconds:.0f} s")
    if not given.calibrate and not given.out:
        parser.error("nothing to do: give -o DIR or --calibrate")


if __name__ == "__main__":
    main()

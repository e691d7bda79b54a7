"""How far fits of the logistic mixed model lie from those of glmmTMB on the data of tests/oracles.

Deviations are the largest over all coefficients or standard deviations of a fit; R's results are stored, R is not needed.

Usage: python benchmarks/mixed_agreement.py [--write]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pages
import pandas as pd

from click_stats.stats.glmm import GlmmData, GlmmSpec, fit

ORACLES = Path(__file__).resolve().parents[1] / "tests" / "oracles"
FIXED = "category + log10_params + corpus"
SIMULATED = {
    "base": ("plain", "correct", ("item", "model")),
    "model_category": ("model x category", "correct_mc", ("item", "model", "model:category")),
    "olre": ("over-dispersion", "correct_od", ("item", "model", "cell")),
    "few_models": ("6 models", "correct", ("item", "model")),
}
REAL = {
    "base": ("20 real models", ("item", "model")),
    "passage": ("20 real models, passages", ("item", "passage", "model")),
}


def row(name: str, likelihood: str, found, reference: dict, limits: dict[str, float]) -> dict:
    names = ["obs" if one == "cell" else one for one in found.random]
    sd = np.array([reference["random_sd"][one] for one in names])
    beta, se = (np.array(list(reference[key].values())) for key in ("fixef", "se"))
    far = np.abs(found.beta - beta)
    line = {
        "data": name,
        "likelihood": likelihood,
        "log-likelihood": found.loglik - reference["logLik"],
        "coefficient": far.max(),
        "in standard errors": (far / se).max(),
        "standard error, relative": np.abs(found.se / se - 1).max(),
        "sd of effects": np.abs(found.sd - sd).max(),
    }
    line["met"] = all(abs(line[key]) <= limit for key, limit in limits.items())
    return line


def rows() -> list[dict]:
    table = pd.read_csv(ORACLES / "glmm" / "input.csv.gz")
    plain, restricted = (json.loads((ORACLES / name / "expected.json").read_text()) for name in ("glmm", "glmm_reml"))
    found = []
    for key, (name, response, random) in SIMULATED.items():
        spec = GlmmSpec(FIXED, random)
        if key in plain:
            one = fit(GlmmData.from_frame(table, correct=response, trials="n"), spec)
            limits = {"log-likelihood": 2e-4, "in standard errors": 1e-3, "standard error, relative": 3e-3}
            found.append(row(name, "full", one, plain[key]["glmmTMB"], limits))
        part = table[table["model"].isin(restricted[key]["models"])]
        one = fit(GlmmData.from_frame(part, correct=response, trials="n"), spec, restricted=True)
        line = row(name, "restricted", one, restricted[key], {"log-likelihood": 2e-4, "standard error, relative": 3e-3})
        # glmmTMB reports the joint mode as coefficients, which is another estimate.
        found.append(line | {"coefficient": None, "in standard errors": None})
    data = GlmmData.from_frame(pd.read_csv(ORACLES / "glmm_real" / "input.csv.gz"), trials=None)
    real = json.loads((ORACLES / "glmm_real" / "expected.json").read_text())
    limits = {"log-likelihood": 2e-4, "coefficient": 1e-3, "standard error, relative": 4e-3, "sd of effects": 5e-4}
    for key, (name, random) in REAL.items():
        found.append(row(name, "full", fit(data, GlmmSpec("category", random)), real[key]["glmmTMB"], limits))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help="write the table to docs/validation.md")
    given = parser.parse_args()
    lines = [
        "`python benchmarks/mixed_agreement.py --write`. Less the values of glmmTMB 1.1.5, largest over the coefficients or effects of a fit; required: log-likelihood 2e-4, coefficients 1e-3 of a standard error (real data: 1e-3), standard errors 3e-3 relative (real data: 4e-3). Restricted fits report other coefficients than glmmTMB on purpose (see [mixed](methods/mixed.md)); there likelihood, standard deviations and standard errors are compared.",
        "",
        "| data | likelihood | log-likelihood | coefficient | in standard errors | standard error, relative | standard deviation of effects | within |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for line in rows():
        numbers = ["" if value is None else f"{value:.1e}" for value in list(line.values())[2:-1]]
        lines.append(
            f"| {line['data']} | {line['likelihood']} | {' | '.join(numbers)} | {'yes' if line['met'] else 'NO'} |"
        )
    text = "\n".join(lines)
    print(text)
    if given.write:
        pages.write("validation.md", "mixed-agreement", text)


if __name__ == "__main__":
    main()

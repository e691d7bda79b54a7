"""The draws in a file of their own: netCDF, as ArviZ reads it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from click_stats.results import plain
from click_stats.stats.bayes.checks import replicates
from click_stats.stats.bayes.draws import Draws
from click_stats.stats.bayes.model import quiet

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from click_stats.stats.bayes.data import BayesData


def save_draws(idata: Any, data: BayesData, meta: Mapping[str, Any], prior_sd: float, path: Path) -> None:
    """Write draws, sampler statistics, data, predictors and counts drawn from the model (200 of the draws).

    ``arviz.from_netcdf(path)`` reads it back. The settings stand in the attributes of the file's ``constant_data``. A
    file of this name is replaced.
    """
    with quiet():
        import arviz as az  # noqa: PLC0415 -- an extra

        draws = Draws.of(idata, data)
        counts, _ = replicates(draws, data, int(meta["seed"]))
        coords = {"model": list(data.models), "item": list(data.items), "effect": list(data.of_models.names)}
        dims = {"correct": ["model", "item"], "trials": ["model", "item"], "predictors": ["model", "effect"]}
        extra = az.from_dict(
            posterior_predictive={"correct": counts[None].astype("int32")},
            observed_data={"correct": data.correct},
            constant_data={"trials": data.trials, "predictors": data.of_models.raw},
            coords=coords,
            dims=dims,
        )
        whole = az.InferenceData(
            posterior=idata.posterior,
            sample_stats=idata.sample_stats,
            **{name: extra[name] for name in ("posterior_predictive", "observed_data", "constant_data")},
        )
        settings = {key: value for key, value in meta.items() if key not in {"warnings", "diagnostics"}}
        whole["constant_data"].attrs = {"click_stats": json.dumps(plain({**settings, "prior_sd": prior_sd}))}
        whole.to_netcdf(str(path), engine="h5netcdf")

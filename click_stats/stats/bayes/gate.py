"""Whether the chains may be believed: R-hat, effective draws and divergences, and what to do when not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.stats.bayes.model import quiet

if TYPE_CHECKING:
    from collections.abc import Sequence

R_HAT_MOST = 1.01
ESS_LEAST = 400
"""Limits of Vehtari et al. (2021): rank-normalised split R-hat, and effective draws in the bulk and in the tails."""
COLUMNS = ("parameter", "prior_sd", "n_values", "r_hat", "ess_bulk", "ess_tail", "n_divergent", "n_draws", "reason")
HIDDEN = ("_log__", "_z")
"""Endings of names that stand for a parameter in another form."""


@dataclass(frozen=True)
class Gate:
    """What the diagnostics say.

    Attributes
    ----------
    rows
        One row for each kind of parameter: the worst of its values.
    problems
        What is beyond its limit; empty when the chains may be believed.
    advice
        What to try, empty without problems.
    """

    rows: pd.DataFrame
    problems: tuple[str, ...]
    advice: str = ""

    @property
    def passed(self) -> bool:
        """Whether results may be shown."""
        return not self.problems


def gate(idata: Any, prior_sd: float, chains: Sequence[int] | None = None) -> Gate:
    """Examine the draws of every parameter (:class:`arviz.InferenceData` with ``posterior`` and ``sample_stats``)."""
    with quiet():
        import arviz as az  # noqa: PLC0415 -- an extra
    posterior = idata.posterior if chains is None else idata.posterior.sel(chain=list(chains))
    names = [str(name) for name in posterior.data_vars if not str(name).endswith(HIDDEN)]
    n_draws = int(posterior.sizes["chain"] * posterior.sizes["draw"])
    divergent = int(np.asarray(idata.sample_stats["diverging"]).sum())
    tables = {}
    part = posterior[names]
    with np.errstate(divide="ignore", invalid="ignore"):  # values that never moved come out as NaN
        tables["r_hat"] = az.rhat(part)
        tables["ess_bulk"] = az.ess(part, method="bulk")
        tables["ess_tail"] = az.ess(part, method="tail")
    rows = []
    for name in names:
        values = {key: np.asarray(table[name], dtype=np.float64).ravel() for key, table in tables.items()}
        r_hat, bulk, tail = values["r_hat"], values["ess_bulk"], values["ess_tail"]
        row: dict[str, Any] = {"parameter": name, "prior_sd": prior_sd, "n_values": r_hat.size}
        # A value that never moved has no R-hat: the worst that there is.
        row["r_hat"] = float(r_hat.max()) if np.isfinite(r_hat).all() else np.nan
        row["ess_bulk"] = float(bulk.min()) if np.isfinite(bulk).all() else np.nan
        row["ess_tail"] = float(tail.min()) if np.isfinite(tail).all() else np.nan
        row |= {"n_divergent": divergent, "n_draws": n_draws}
        row["reason"] = "" if np.isfinite(row["r_hat"]) else "the chains did not move"
        rows.append(row)
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return Gate(frame, *verdict(frame))


def verdict(frame: pd.DataFrame) -> tuple[tuple[str, ...], str]:
    """Return what is beyond its limit in a table of diagnostics, and what to try."""
    problems, advice = [], []
    r_hat = frame["r_hat"].to_numpy(dtype=np.float64)
    if np.isnan(r_hat).any():
        problems.append("R-hat is undefined")
    if (r_hat > R_HAT_MOST).any():
        worst = frame.iloc[int(np.nanargmax(r_hat))]
        problems.append(f"R-hat is {worst['r_hat']:.3f} for {worst['parameter']} (at most {R_HAT_MOST})")
    for column, where in (("ess_bulk", "bulk"), ("ess_tail", "tails")):
        values = frame[column].to_numpy(dtype=np.float64)
        if (values < ESS_LEAST).any():
            worst = frame.iloc[int(np.nanargmin(values))]
            problems.append(
                f"{worst[column]:.0f} effective draws in the {where} for {worst['parameter']} (at least {ESS_LEAST})"
            )
    if problems:
        advice.append("more draws and tuning steps")
    divergent = int(frame["n_divergent"].max()) if len(frame) else 0
    if divergent:
        problems.append(f"{divergent} divergent transition{'s' if divergent > 1 else ''} (none allowed)")
        advice.append("a higher target_accept, such as 0.99")
    if problems:
        advice.append("fewer effects of models")
    return tuple(problems), "Try " + ", or ".join(advice) + "." if problems else ""

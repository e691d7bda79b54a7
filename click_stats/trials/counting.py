"""From trials to counts, by one query: the cube fits in memory even where the trials do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.counts import INCORRECT, STATUSES, Counts, right_options
from click_stats.items.definition import MAX_OPTIONS
from click_stats.trials.mapping import TRIAL
from click_stats.trials.responding import fetch

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from click_stats.items.table import ItemTable
    from click_stats.trials.database import Database

_CUBE = ("unit", "ix", "status", "option", "n")


def count(
    database: Database,
    units: pd.DataFrame,
    items: ItemTable,
    places: npt.NDArray[np.int64],
    *,
    cells: bool,
    responses: bool = False,
    scores: bool = False,
    meta: Mapping[str, Any],
) -> Counts:
    """Count the trials of every unit, item, status and option.

    Parameters
    ----------
    units
        Index ``unit``; columns ``model, condition, protocol``. Row numbers are the numbers in the trial table.
    items
        The items to count for.
    places
        Row in ``items`` of each item number of the trial table, -1 where its trials do not count.
    cells
        Whether to count by wording and rotation too (a second query).
    responses, scores
        Whether to fetch the trials that responded one by one (a third query), and their log-probabilities.
    meta
        Digests and warnings handed on to the analyses.
    """
    frame = items.frame
    n_options = frame["n_options"].to_numpy(dtype=np.int64)
    options = np.zeros((len(units), len(frame), int(n_options.max(initial=2))), dtype=np.int64)
    statuses = np.zeros((len(units), len(frame), len(STATUSES)), dtype=np.int64)
    codes = ", ".join(f"'{status}'" for status in STATUSES)
    cube = database.connection.execute(
        f"SELECT unit::BIGINT AS unit, ix::BIGINT AS ix, list_position([{codes}], status) - 1 AS status, "
        f"coalesce(prediction, -1)::BIGINT AS option, count(*) AS n FROM {TRIAL} GROUP BY ALL"
    ).fetchnumpy()
    unit, ix, status, option, n = (np.asarray(cube[name]).astype(np.int64) for name in _CUBE)
    place = places[ix]
    known = place >= 0
    np.add.at(statuses, (unit[known], place[known], status[known]), n[known])
    chosen = known & (option >= 0)
    np.add.at(options, (unit[chosen], place[chosen], option[chosen]), n[chosen])
    plan = planned(statuses.sum(axis=2), n_options, _prompts(database, len(units), n_options, places))
    if items.overlay is not None:
        plan[:, frame.index.isin(items.overlay.retexted)] = 0  # nobody was asked the new text
    return Counts(
        units=units[["model", "condition", "protocol"]].assign(output_tokens=_output_tokens(database, len(units))),
        items=frame,
        options=options,
        statuses=statuses,
        planned=plan,
        cells=_cells(database, units, frame, places) if cells else None,
        categories=items.definition.category_names,
        domains=items.definition.domain_names,
        meta=meta,
        responses=fetch(database, frame, places, scores=scores) if responses or scores else None,
    )


def _output_tokens(database: Database, n_units: int) -> npt.NDArray[np.float64]:
    """Return the mean number of tokens that each unit generated per trial, NaN where no trial says."""
    found = database.connection.execute(
        f"SELECT unit::BIGINT AS unit, avg(output_tokens) AS mean FROM {TRIAL} "
        "WHERE output_tokens IS NOT NULL GROUP BY ALL"
    ).fetchnumpy()
    means = np.full(n_units, np.nan)
    means[np.asarray(found["unit"], dtype=np.int64)] = np.asarray(found["mean"], dtype=np.float64)
    return means


def _prompts(
    database: Database, n_units: int, n_options: npt.NDArray[np.int64], places: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return (units, items) prompts that over half of the unit's items with as many options were asked by."""
    known = np.flatnonzero(places >= 0)
    database.store("size_t", pd.DataFrame({"ix": known, "size": n_options[places[known]]}))
    asked = f"FROM {TRIAL} JOIN size_t USING (ix) GROUP BY ALL"
    rows = database.execute(
        f"""
        WITH prompt AS (SELECT unit, size, wording, rotation, replicate, count(DISTINCT ix) AS n {asked}),
             whole AS (SELECT unit, size, count(DISTINCT ix) AS n_items {asked})
        SELECT unit, size, count(*) FROM prompt JOIN whole USING (unit, size) WHERE 2 * n > n_items GROUP BY ALL
        """
    )
    found = np.zeros((n_units, len(n_options)), dtype=np.int64)
    for unit, size, n in rows:
        found[unit, n_options == size] = n
    return found


def planned(
    stored: npt.NDArray[np.int64], n_options: npt.NDArray[np.int64], prompts: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return the trials that were planned per unit and item, as far as the stored ones show it.

    A protocol asks every item with the same number of options equally often. The plan is the number of trials that
    most of them have (the larger one of a tie), at least 1; where trials are missing here and there, so that few
    items have all, it is the number of prompts that most items were asked by, if any item has that many.

    Parameters
    ----------
    stored
        (units, items) stored trials.
    n_options
        (items,) number of options.
    prompts
        (units, items) prompts (wording, rotation, replicate) that over half of the items of this size have.
    """
    plan = np.ones_like(stored)
    for size in np.unique(n_options):
        mask = n_options == size
        for row, trials in enumerate(stored[:, mask]):
            answered = trials[trials > 0]
            if len(answered):
                frequency = np.bincount(answered)
                usual = len(frequency) - 1 - int(np.argmax(frequency[::-1]))
                plan[row, mask] = max(usual, min(int(prompts[row, mask][0]), len(frequency) - 1))
    return plan


RIGHT = "(bits >> prediction) & 1 = 1"
"""Whether the prediction of a trial is right, in a query that joins :func:`right_bits`."""


def right_bits(items: pd.DataFrame, places: npt.NDArray[np.int64]) -> pd.DataFrame:
    """Return by item number (``ix``) which options are right, as a number with a bit for each option.

    Items that are not in the table are left out, so that a join leaves out their trials.
    """
    right = right_options(items, MAX_OPTIONS)
    bits = right.astype(np.int64) @ (np.int64(1) << np.arange(MAX_OPTIONS, dtype=np.int64))
    known = np.flatnonzero(places >= 0)
    return pd.DataFrame({"ix": known, "bits": bits[places[known]]})


def _cells(database: Database, units: pd.DataFrame, frame: pd.DataFrame, places: npt.NDArray[np.int64]) -> pd.DataFrame:
    """Return responded and correct trials per unit, item, wording and rotation."""
    spoken = ", ".join(f"'{status}'" for status in ("ok", *INCORRECT))
    database.store("right_t", right_bits(frame, places))
    cells = database.frame(
        f"""
        SELECT unit, ix, wording, rotation, count(*) FILTER (status IN ({spoken})) AS n_trials,
               count(*) FILTER (status = 'ok' AND {RIGHT}) AS n_correct
        FROM {TRIAL} JOIN right_t USING (ix) GROUP BY unit, ix, wording, rotation ORDER BY unit, ix, wording, rotation
        """
    )
    cells["place"] = places[cells["ix"].to_numpy(dtype=np.int64)]
    cells = cells[(cells["place"] >= 0) & (cells["n_trials"] > 0)]
    return pd.DataFrame(
        {
            "unit": units.index.to_numpy(dtype=object)[cells["unit"].to_numpy(dtype=np.int64)],
            "item": frame.index.to_numpy(dtype=object)[cells["place"].to_numpy(dtype=np.int64)],
            "wording": cells["wording"].to_numpy(dtype=object),
            "rotation": cells["rotation"].to_numpy(dtype=np.int64),
            "n_trials": cells["n_trials"].to_numpy(dtype=np.int64),
            "n_correct": cells["n_correct"].to_numpy(dtype=np.int64),
        }
    )

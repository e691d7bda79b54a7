"""What reading the responses by another policy would change: accuracies side by side, and who decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from click_stats.answers import POLICIES
from click_stats.counts import INCORRECT
from click_stats.results import Result
from click_stats.trials.counting import RIGHT, right_bits
from click_stats.trials.mapping import READING, TRIAL
from click_stats.trials.reparse import read_texts, readable
from click_stats.trials.schema import LOGGED_POLICY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from click_stats.items.table import ItemTable
    from click_stats.trials.database import Database

SPOKE = ("ok", *INCORRECT)
METHOD = (
    "Mean of item scores over the trials that responded. Under paper and lenient, answers are read from the responses; "
    "where there is none that can be read, the answer of the file stands. Under logged, all answers are the files'."
)
NO_ANSWERS = "the files hold responses only"
NOT_STATED = "not stated"


def extraction(
    database: Database,
    items: ItemTable,
    keys: Sequence[str],
    places: npt.NDArray[np.int64],
    units: Mapping[str, int],
) -> Result | None:
    """Return accuracy under ``paper``, ``lenient`` and ``logged``, and the share of trials that each rule decided.

    Parameters
    ----------
    database
        Holds the trials.
    items
        The items that decide what is correct; option texts are read where they have texts.
    keys
        Key of the item of each item number.
    places
        Row in ``items`` of each item number, -1 where its trials do not count.
    units
        Names of the units to show, in order, and their numbers in the database.

    Returns
    -------
    Result or None
        ``policies``: unit, policy, estimate (share), trials by status; an estimate is missing where the files state no
        answers. ``rules``: unit, policy, rule, number and share of the trials that responded; the rule ``logged``
        stands for answers taken from the files. None when no trial has a response that can be read.
    """
    database.store("right_t", right_bits(items.frame, places))
    counting = f"{TRIAL} SEMI JOIN right_t USING (ix)"
    rows = f"SELECT ix, rotation AS turn, text, finish_reason FROM {counting} WHERE {readable('status')}"
    if not database.execute(f"{rows} LIMIT 1"):
        return None
    read_texts(database, items.original, keys, rows, POLICIES)
    counted = _counted(database)
    order = {policy: place for place, policy in enumerate((*POLICIES, LOGGED_POLICY))}
    policies, rules = [], []
    for unit, number in units.items():
        own = counted[counted["unit"] == number]
        for policy in order:
            part = own[own["policy"] == policy]
            policies.append({"unit": unit, "policy": policy, **_estimate(part)})
            total = part["n"].sum()
            by_rule = part.groupby("rule")["n"].sum().sort_values(ascending=False, kind="stable")
            rules += [(unit, policy, str(rule), int(n), float(n / total)) for rule, n in by_rule.items()]
    tables = {
        "policies": pd.DataFrame(policies),
        "rules": pd.DataFrame(rules, columns=["unit", "policy", "rule", "n_trials", "share"]),
    }
    n_read = database.execute(f"SELECT count(*) FROM ({rows})")[0][0]
    summary = {"n_units": len(units), "n_trials": int(n_read)}
    return Result("extraction", tables, summary, {"method": METHOD, "option_texts": items.has_text})


def _counted(database: Database) -> pd.DataFrame:
    """Return trials that responded, counted by unit, item, policy, status, rule and whether they are correct."""
    spoke = ", ".join(f"'{status}'" for status in SPOKE)
    policies = ", ".join(f"('{policy}')" for policy in POLICIES)
    return database.frame(
        f"""
        WITH read AS (
            SELECT t.unit, t.ix, p.policy, coalesce(r.status, t.logged_status, t.status) AS status,
                   CASE WHEN r.policy IS NOT NULL THEN r.option
                        WHEN t.logged_status IS NOT NULL THEN t.logged_prediction ELSE t.prediction END AS prediction,
                   coalesce(r.rule, '{LOGGED_POLICY}') AS rule
            FROM (SELECT *, {readable("status")} AS has_response FROM {TRIAL}) t
            CROSS JOIN (VALUES {policies}) p(policy)
            LEFT JOIN {READING} r ON t.has_response AND r.policy = p.policy AND r.ix = t.ix AND r.turn = t.rotation
                AND r.text = t.text AND r.finish_reason IS NOT DISTINCT FROM t.finish_reason
            UNION ALL
            SELECT unit, ix, '{LOGGED_POLICY}', logged_status, logged_prediction, coalesce(logged_rule, '{NOT_STATED}')
            FROM {TRIAL} WHERE logged_status IS NOT NULL)
        SELECT unit, ix, policy, status, rule, status = 'ok' AND {RIGHT} AS correct, count(*) AS n
        FROM read JOIN right_t USING (ix) WHERE status IN ({spoke}) GROUP BY ALL ORDER BY ALL
        """
    )


def _estimate(part: pd.DataFrame) -> dict[str, object]:
    """Return the mean item score of the trials of one unit under one policy, and their statuses."""
    by_status = part.groupby("status")["n"].sum()
    statuses = {f"n_{status}": int(by_status.get(status, 0)) for status in SPOKE}
    trials = part.groupby("ix")["n"].sum()
    correct = part["n"].where(part["correct"].astype(bool), 0).groupby(part["ix"]).sum()
    return {
        "estimate": float((correct / trials).mean()) if len(trials) else float("nan"),
        "n_items": len(trials),
        "n_trials": int(trials.sum()),
        **statuses,
        "reason": "" if len(trials) else NO_ANSWERS,
    }

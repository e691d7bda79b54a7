"""The analysis: how many items are defective, which flags find them, and how far reviewers agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from click_stats.results import Result
from click_stats.stats.agreement import rater_agreement
from click_stats.stats.review.rates import Rate, Sampled, rate, stratified
from click_stats.stats.tools.intervals import check_level
from click_stats.stats.tools.rows import frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

FLAGGED, NOT_FLAGGED, ALL = "flagged", "not flagged", "all items"
FINE = "fine"
OF_KEY = ("wrong key", "several correct", "no correct option")
"""Codes that say the key is not the one right answer."""
ANY, KEY = "any defect", "key not the one right answer"
OUTCOMES: Mapping[str, str] = {
    ANY: "any code but fine",
    KEY: "wrong key, several correct or no correct option: what makes scores wrong",
}
RATE = ("estimate", "std_error", "conf_low", "conf_high", "conf_level", "n_defective", "n_items", "n_items_total",
        "n_open", "method", "flag", "reason")  # fmt: skip
ESTIMATES = ("stratum", "defect", *RATE)
RULES = ("flag_rule", "defect", *RATE)
CODES = ("code", "n_flagged_items", "n_good_items", "n_items")
ITEMS = ("item", "stratum", "flag_rule", "code", "answer_given", "decided")
AGREEMENT = ("rated", "measure", "estimate", "std_error", "conf_low", "conf_high", "conf_level", "agreement_observed",
             "agreement_expected", "n_raters", "n_items", "reason")  # fmt: skip
METHOD = (
    "Items were drawn at random from those flagged and from those not flagged; Wilson intervals for samples of a "
    "finite benchmark; both kinds are weighted by their number of items, and the limits combined (Zou and Donner 2008)."
)
WAITING = "{n} of these items await adjudication"
AWAITING = (
    "{n} items await adjudication, on which reviewers differ from each other or from the key: complete "
    "adjudication.csv and import again with it."
)
ENRICHED = (
    "Agreement is that on the items of the packet, where suspects are far more frequent than in the benchmark: on all "
    "items it would be another."
)
JUDGEMENT, ANSWER = "judgement", "options held to be right"
"""What reviewers are compared by."""


@dataclass(frozen=True)
class Population:
    """Items from which those reviewed were drawn: flagged, not flagged, and by flag."""

    flagged: int
    not_flagged: int
    by_flag: Mapping[str, int]


def review(
    judged: pd.DataFrame,
    population: Population,
    ratings: Mapping[str, pd.DataFrame] | None = None,
    *,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Result:
    """Return what a review found.

    Parameters
    ----------
    judged
        A row for each item reviewed: ``item``, ``stratum`` (``flagged`` or ``not flagged``), ``flags`` (a tuple),
        ``code`` (None while it is open), ``answer_given`` and ``decided``.
    population
        How many items there are of each kind.
    ratings
        What was rated, and the ratings by item and reviewer.
    level, draws, seed
        Confidence level of all intervals; resamples and seed of those of agreement.

    Returns
    -------
    Result
        ``estimates``: share of defective items among those flagged, among those not flagged, and in the benchmark.
        ``rules``: precision of each flag, the share of the items it is on that are defective. ``codes``: how often each
        code was given in the end. ``agreement``: of the reviewers, before adjudication. ``items``: every item.

    Raises
    ------
    UsageError
        A level that is none.

    Notes
    -----
    A share is missing while one of its items is open: the open ones are those that reviewers did not find plainly fine.
    What is estimated is the share in this benchmark, with people's judgement taken as right.
    """
    check_level(level)
    rows: list[dict[str, Any]] = []
    rules: list[dict[str, Any]] = []
    for defect in OUTCOMES:
        parts = [
            _sampled(judged[judged["stratum"] == stratum], total, defect)
            for stratum, total in ((FLAGGED, population.flagged), (NOT_FLAGGED, population.not_flagged))
        ]
        both = (sum(sample.hits for sample, _ in parts), sum(sample.n for sample, _ in parts))
        total = population.flagged + population.not_flagged
        rows += [
            _row({"stratum": stratum, "defect": defect}, sample, n_open, rate(sample, level), level)
            for stratum, (sample, n_open) in zip((FLAGGED, NOT_FLAGGED), parts, strict=True)
        ]
        n_open = sum(waiting for _, waiting in parts)
        whole = stratified([sample for sample, _ in parts], level)
        rows.append(_row({"stratum": ALL, "defect": defect}, Sampled(*both, total), n_open, whole, level))
        for rule, n_rule in population.by_flag.items():
            sample, n_open = _sampled(judged[[rule in flags for flags in judged["flags"]]], n_rule, defect)
            rules.append(_row({"flag_rule": rule, "defect": defect}, sample, n_open, rate(sample, level), level))
    n_open = int(judged["code"].isna().sum())
    read = judged.assign(flag_rule=["; ".join(flags) for flags in judged["flags"]])
    tables = {
        "estimates": frame(rows, ESTIMATES),
        "rules": frame(rules, RULES),
        "codes": _codes(judged),
        "agreement": _agreement(ratings or {}, level, draws, seed),
        "items": frame(read[list(ITEMS)].to_dict("records"), ITEMS),  # type: ignore[arg-type]
    }
    first = tables["estimates"].iloc[2]
    summary = {
        "n_items": len(judged),
        "n_open": n_open,
        "estimate": None if n_open else first["estimate"],
        "conf_low": None if n_open else first["conf_low"],
        "conf_high": None if n_open else first["conf_high"],
    }
    warnings = [ENRICHED, *([AWAITING.format(n=n_open)] if n_open else [])]
    meta = {"method": METHOD, "level": level, "draws": draws, "seed": seed, "defects": dict(OUTCOMES), "reason": "",
            "warnings": warnings}  # fmt: skip
    return Result("review", tables, summary, meta)


def _sampled(part: pd.DataFrame, total: int, defect: str) -> tuple[Sampled, int]:
    """Return a sample, and how many of its items are open."""
    codes = part["code"]
    hit = codes.isin(OF_KEY) if defect == KEY else codes.notna() & (codes != FINE)
    return Sampled(int(hit.sum()), len(part), total), int(codes.isna().sum())


def _row(lead: Mapping[str, Any], sample: Sampled, n_open: int, found: Rate, level: float) -> dict[str, Any]:
    row = {
        **lead, "conf_level": level, "n_defective": sample.hits, "n_items": sample.n, "n_items_total": sample.total,
        "n_open": n_open, "method": found.method,
    }  # fmt: skip
    if n_open:
        return {**row, "reason": WAITING.format(n=n_open)}
    numbers = {
        "estimate": found.estimate, "std_error": found.std_error, "conf_low": found.low, "conf_high": found.high,
    }  # fmt: skip
    return {**row, **numbers, "flag": found.flag, "reason": found.reason}


def _codes(judged: pd.DataFrame) -> pd.DataFrame:
    known = judged[judged["code"].notna()]
    flagged = known["stratum"] == FLAGGED
    rows = [
        {
            "code": code,
            "n_flagged_items": int(((known["code"] == code) & flagged).sum()),
            "n_good_items": int(((known["code"] == code) & ~flagged).sum()),
            "n_items": int((known["code"] == code).sum()),
        }
        for code in known["code"].value_counts().index
    ]
    return frame(rows, CODES)


def _agreement(ratings: Mapping[str, pd.DataFrame], level: float, draws: int, seed: int) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for rated, given in ratings.items():
        found = rater_agreement(given, level=level, draws=draws, seed=seed)
        estimates: Sequence[dict[str, Any]] = [
            {str(name): value for name, value in row.items()} for row in found.to_frame().to_dict("records")
        ]
        rows += [{**row, "rated": rated} for row in estimates]
        rows += [] if estimates else [{"rated": rated, "reason": found.meta["reason"]}]
    return frame(rows, AGREEMENT)

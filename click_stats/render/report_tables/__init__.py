"""The tables of reports, by id; each has a caption and notes in the report's language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.report_tables import (
    account,
    accuracy,
    agreement,
    anova,
    bayes,
    calibration,
    comparisons,
    conditions,
    confident_errors,
    detection,
    dif,
    difficulty,
    extraction,
    human,
    irt,
    item_analysis,
    linking,
    mixed,
    people,
    position,
    published,
    sensitivity,
    short_forms,
    shortfall,
)
from click_stats.render.report_tables.base import Maker

if TYPE_CHECKING:
    from click_stats.render.table import Table
    from click_stats.results import ResultSet

__all__ = ["report_tables"]


def report_tables(results: ResultSet, lang: str = "en") -> dict[str, Table]:
    """Return the tables that the results allow, by id (``tbl-accuracy``), in the order of reports."""
    make = Maker(results, lang)
    parts = (
        account,
        accuracy,
        extraction,
        comparisons,
        conditions,
        detection,
        anova,
        mixed,
        bayes,
        confident_errors,
        position,
        calibration,
        human,
        item_analysis,
        irt,
        dif,
        difficulty,
        short_forms,
        linking,
        agreement,
        people,
        published,
        sensitivity,
        shortfall,
    )
    return {table.id: table for part in parts for table in part.tables(make)}

"""What an export wrote and what it left out, as a Result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from click_stats.results import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click_stats.counts import Counts

WRITTEN = ("file", "n_units", "n_items", "n_rows")
LEFT_OUT = ("reason", "n_rows")


def account(
    form: str,
    files: Mapping[str, tuple[int, int, int]],
    left_out: Mapping[str, int],
    digests: Mapping[str, Any],
    notes: list[str],
) -> Result:
    """Return the Result ``export``.

    Parameters
    ----------
    form
        Name of the format.
    files
        Name of each file to its numbers of models, items and rows.
    left_out
        Why something could not be written, and how many pairs of model and item, or trials, that is.
    digests
        Of trials, items and errata.
    notes
        What a reader of the file must know, in sentences.
    """
    rows = [(name, *numbers) for name, numbers in files.items()]
    tables = {
        "written": pd.DataFrame(rows, columns=list(WRITTEN)),
        "left_out": pd.DataFrame([(why, n) for why, n in left_out.items() if n], columns=list(LEFT_OUT)),
    }
    summary = {"format": form, "n_rows": sum(row[3] for row in rows)}
    return Result("export", tables, summary, {"format": form, "digests": dict(digests), "warnings": notes})


def not_answered(counts: Counts) -> int:
    """Return the pairs of model and item without a counted trial."""
    return int((counts.scores().trials == 0).sum())

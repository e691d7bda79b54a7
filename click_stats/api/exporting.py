"""Write answers and items for other programs, and read parameters of items back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from click_stats.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from click_stats.items import ItemTable
    from click_stats.models import ModelTable
    from click_stats.results import Result
    from click_stats.trials import Trials

    PathLike = str | Path

FORMATS = ("py-irt", "wide", "items", "every-eval-ever")


def export(
    format: str,  # noqa: A002 -- what the command line calls it
    trials: Trials,
    out: PathLike,
    *,
    models: ModelTable | None = None,
    parameters: PathLike | None = None,
    majority: bool = False,
    with_texts: bool = False,
    force: bool = False,
) -> Result:
    """Write answers or items for another program, and return an account of what was written.

    Parameters
    ----------
    format
        ``py-irt`` (JSON lines for py-irt), ``wide`` (CSV for mirt, TAM and the like: models x items), ``items`` (CSV:
        one row per item) or ``every-eval-ever`` (JSON lines: one instance record per trial).
    trials
        The answers, with the items they were read with.
    out
        The file to write.
    models
        Selects and orders the models.
    parameters
        For ``items``: results of the analysis ``irt``, or a table, whose parameters are added; see
        :func:`read_parameters`.
    majority
        For ``py-irt``: several trials of an item become one answer.
    with_texts
        For ``every-eval-ever``: include texts of items and responses.
    force
        Replace a file that is there.

    Returns
    -------
    Result
        ``written``: files with numbers of models, items and rows. ``left_out``: what could not be written, and why.

    Raises
    ------
    UsageError
        There is no such format, an option belongs to another one, or the file exists.
    DataError
        The answers do not fit the format, or the file cannot be written.
    """
    from click_stats import exports
    from click_stats.study.run import select_models

    if format not in FORMATS:
        raise UsageError(f"There is no export format {format!r}.", do=f"Use one of: {', '.join(FORMATS)}.")
    for name, given, owner in (
        ("parameters", parameters is not None, "items"),
        ("majority", majority, "py-irt"),
        ("with_texts", with_texts, "every-eval-ever"),
    ):
        if given and format != owner:
            raise UsageError(f"The option {name!r} is for the format {owner}.", found=format, do="Leave it out.")
    counts = trials.counts() if models is None else select_models(models, trials.counts())
    path = Path(out)
    if format == "py-irt":
        return exports.write_py_irt(counts, path, majority=majority, force=force)
    if format == "wide":
        return exports.write_wide(counts, path, force=force)
    if format == "items":
        known = None if parameters is None else exports.read_parameters(parameters)
        return exports.write_items(counts, path, known, force=force)
    units = set(map(str, counts.units.index))
    return exports.write_every_eval_ever(trials, path, with_texts=with_texts, units=units, force=force)


def read_parameters(path: PathLike, items: ItemTable | None = None) -> pd.DataFrame:
    """Read the parameters of items for scoring: difficulty, discrimination, floor.

    Parameters
    ----------
    path
        ``results.json`` with the analysis ``irt``, or a CSV file with ``item`` and ``difficulty``.
    items
        Where given, every item of the file must be in this table.

    Raises
    ------
    DataError
        The file cannot be read, lacks columns, names an item twice or an unknown one, or a value is out of range.
    """
    from click_stats import exports

    return exports.read_parameters(path, items)

"""Read the three tables: items, models, trials."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from click_stats.items import Errata, ItemTable
    from click_stats.models import ModelTable
    from click_stats.trials import Trials

    PathLike = str | Path
    Progress = Callable[[int, int, str], None]


def read_items(
    path: PathLike | None = None, *, definition: PathLike | None = None, errata: PathLike | Errata | None = None
) -> ItemTable:
    """Read the items of a benchmark.

    Parameters
    ----------
    path
        None for the packaged key table of CLIcK (no texts: enough for every analysis of existing results);
        the dataset's folder; one JSON, JSONL, CSV or parquet table; or a Hugging Face id.
    definition
        TOML file with the facts of another benchmark (categories, domains, labels); None for CLIcK.
    errata
        Corrections to lay over the items, or the TOML file that holds them; see :func:`read_errata`.

    Raises
    ------
    DataError
        The items cannot be read or contradict themselves, or an erratum is not about them; the message names the item.
    """
    from click_stats import items

    found = items.read_items(path, None if definition is None else items.read_definition(definition))
    if errata is None:
        return found
    return found.with_errata(errata if isinstance(errata, items.Errata) else items.read_errata(errata))


def read_errata(path: PathLike) -> Errata:
    """Read corrections of items from a TOML file; lay them over a table with ``items.with_errata(errata)``.

    Raises
    ------
    DataError
        The file cannot be read, has a wrong form, or holds corrections of one item that contradict each other.
    """
    from click_stats import items

    return items.read_errata(path)


def read_models(path: PathLike) -> ModelTable:
    """Read facts of the models from a CSV file; see ``fixtures/models.csv`` for the columns.

    Raises
    ------
    DataError
        The file cannot be read or has columns or values of another kind.
    """
    from click_stats import models

    return models.read_models(Path(path))


def read_keys(path: PathLike) -> tuple[str, ...]:
    """Read which items a file chooses: one key a line, or a CSV table with a column ``item``.

    Raises
    ------
    DataError
        The file cannot be read, or names no item.
    """
    from click_stats import items

    return items.read_keys(path)


def read_trials(
    paths: PathLike | Sequence[PathLike],
    items: ItemTable | None = None,
    *,
    format: str | None = None,  # noqa: A002 -- the word users know from pandas and the command line
    columns: Mapping[str, str] | None = None,
    runs: PathLike | None = None,
    reparse: str | None = None,
    filter: str | None = None,  # noqa: A002 -- what lm-evaluation-harness and the command line call it
    drop_hidden_options: bool = False,
    only: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Trials:
    """Read answers of models: result files, trial tables, logs of harnesses, or folders of these.

    Parameters
    ----------
    paths
        One or several files or folders.
    items
        The items answered; CLIcK's packaged key table by default.
    format
        Name of the importer; found by looking at each file when None.
    columns
        For long tables: our column name to the file's, e.g. ``{"item_id": "question"}``.
    runs
        CSV file with facts of the runs (prompt, order, shots, decoding, revision) for the comparability table.
    reparse
        Policy by which answers are read again from stored responses: ``paper`` or ``lenient``. Where there is no
        response the answer of the file stays; without a policy all do.
    filter
        For logs that hold each answer as several filters (lm-evaluation-harness) or scorers (Inspect) took it: the
        name of the one that counts.
    drop_hidden_options
        Leave out rows whose prompt did not show every option of the item, as the harness's ``click`` tasks do for
        items with five options.
    only
        Keys of the items that count (:func:`read_keys`): coverage and accuracy are then those of these items. Answers
        to others are left out, with an account.
    progress
        Called as ``progress(done, total, what)``.

    Raises
    ------
    DataError
        A file cannot be read, belongs to other items, or states other answers than the item table.
    UsageError
        There is no such format, column, policy or filter, or a filter must be chosen.
    """
    from click_stats import trials

    return trials.read_trials(
        paths,
        items if items is not None else read_items(),
        format=format,
        columns=columns,
        runs=runs,
        reparse=reparse,
        filter=filter,
        drop_hidden_options=drop_hidden_options,
        only=only,
        progress=progress,
    )

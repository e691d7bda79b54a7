"""Repair a benchmark: what corrections change, what revisions differ in, and the files to publish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from click_stats.items import Errata, ItemTable
    from click_stats.items.patch import Change
    from click_stats.models import ModelTable
    from click_stats.results import Result
    from click_stats.trials import Trials

    PathLike = str | Path


def impact(
    errata: Errata | PathLike,
    trials: Trials,
    *,
    models: ModelTable | None = None,
    one_by_one: bool = True,
    **parameters: Any,
) -> Result:
    """Return what corrections of items do to scores, ranks and verdicts, each alone and all together.

    Parameters
    ----------
    errata
        From :func:`read_errata`, or the path of the file.
    trials
        The answers, read with the items before the errata.
    models
        Selects and orders the models.
    one_by_one
        Whether to show each erratum alone too.
    parameters
        Of :func:`click_stats.stats.impact.impact`: ``alpha, denominator, draws, seed, progress``.

    Raises
    ------
    DataError
        The errata cannot be read, or are not about these items.
    """
    from click_stats.items import Errata, read_errata
    from click_stats.study.impact import impact

    chosen = errata if isinstance(errata, Errata) else read_errata(errata)
    return impact(chosen, trials, models, one_by_one=one_by_one, **parameters)


def diff_items(old: ItemTable, new: ItemTable, *, with_texts: bool = False) -> Result:
    """Return what another revision of the items changed; see :func:`click_stats.items.difference.difference`."""
    from click_stats.items.difference import difference

    return difference(old, new, with_texts=with_texts)


class ItemPatch(NamedTuple):
    """What errata make of the dataset's files.

    Attributes
    ----------
    changes
        The files that change: ``name``, and the text ``before`` and ``after``.
    patch
        The same as a unified patch.
    changelog
        What was corrected, as Markdown.
    """

    changes: list[Change]
    patch: str
    changelog: str


def patch_items(
    errata: Errata | PathLike,
    path: PathLike,
    *,
    definition: PathLike | None = None,
    out: PathLike | None = None,
    force: bool = False,
) -> ItemPatch:
    """Return errata as changes of the dataset's own JSON files; what is not corrected stays letter for letter.

    Parameters
    ----------
    errata
        From :func:`read_errata`, or the path of the file.
    path
        The dataset: its folder, or one JSON or JSON-lines table. It is only read.
    definition
        TOML file with the facts of another benchmark; None for CLIcK.
    out
        Folder for the changed files, ``changes.patch`` and ``CHANGELOG.md``; None writes nothing.
    force
        Write into a folder that holds files.

    Raises
    ------
    DataError
        The errata are not about these items, or a file is no JSON or not UTF-8.
    UsageError
        ``path`` holds no JSON of a dataset, or ``out`` holds files and ``force`` is not given.
    """
    from click_stats.api.reading import read_items
    from click_stats.folders import whole_folder
    from click_stats.items import patch

    items = read_items(path, definition=definition, errata=errata)
    changes = patch.changes(path, items)
    found = ItemPatch(changes, patch.patch(changes), patch.changelog(items))
    if out is not None:
        with whole_folder(out, force=force) as building:
            for name, text in [
                *((change.name, change.after) for change in changes),
                *(("changes.patch", found.patch), ("CHANGELOG.md", found.changelog)),
            ]:
                target = building / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(text.encode("utf-8"))
    return found

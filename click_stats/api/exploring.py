"""Look at single items: a file of one's own to open in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click_stats.items import ItemTable
    from click_stats.models import ModelTable
    from click_stats.trials import Trials

    PathLike = str | Path
    Progress = Callable[[int, int, str], None]

BY_ITEM = ("item_analysis", "irt")
"""Analyses that say more about each item than who answered what."""


def explore(
    trials: Trials,
    items: ItemTable | None = None,
    *,
    out: PathLike = "explorer.html",
    lang: str = "en",
    models: ModelTable | None = None,
    with_texts: bool = False,
    quick: bool = False,
    also: Sequence[str] = (),
    force: bool = False,
    progress: Progress | None = None,
    **parameters: Any,
) -> Path:
    """Write one html file that shows every item with what every model answered; return its path.

    It opens from disk and fetches nothing: filters by category, source, flag, difficulty and pair of models, shares of
    the options, every model's answer, a link for every item.

    Parameters
    ----------
    out
        File to write.
    lang
        Language of the page, ``en`` or ``ko``.
    with_texts
        Show the texts of the items, which must have been read with ``items``. The page is then marked: it is not for
        publication without the permission of the benchmark's owner.
    quick
        Only who answered what: no flags and no difficulties, but at hand in a moment.
    also
        Further analyses with rows by item, e.g. ``["dif"]``.
    trials, items, models, force, progress, parameters
        As in :func:`click_stats.api.analyze`.

    Raises
    ------
    UsageError
        ``out`` exists and ``force`` is not given, there is no such language, or texts are asked for and the items have
        none.

    Examples
    --------
    >>> cs.explore(trials, items, out="explorer.html", lang="ko")  # doctest: +SKIP
    """
    from click_stats.api.analysing import analyze
    from click_stats.folders import whole_file
    from click_stats.glossary import check_language
    from click_stats.render import explorer

    check_language(lang)
    with whole_file(out, force=force) as building:
        results = analyze(
            "item_answers",
            trials,
            items,
            models=models,
            also=[*(() if quick else BY_ITEM), *also],
            progress=progress,
            with_texts=with_texts or None,
            **parameters,
        )
        explorer.write(results, building, lang=lang)
    return Path(out)

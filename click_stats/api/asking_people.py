"""Ask people to answer items."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from click_stats.items import ItemTable

    PathLike = str | Path


def quiz(
    items: ItemTable,
    *,
    n: int = 100,
    stratify: str = "category",
    shuffle: bool = False,
    seed: int = 0,
    lang: str = "en",
    out: PathLike = "quiz.html",
    force: bool = False,
) -> Path:
    """Write a form in which a person answers a sample of items; return its path.

    The form opens from disk, fetches and sends nothing, and saves a file of answers that :func:`read_trials` reads:
    their condition is ``human``, their model the code that the person entered.

    Parameters
    ----------
    items
        With texts, which the form shows: it is not for publication without the permission of the benchmark's owner.
    n, stratify, shuffle, seed
        See :func:`click_stats.items.quiz.draw`.
    lang
        Language of the form, ``en`` or ``ko``.
    out, force
        File to write, and whether it may replace one.

    Raises
    ------
    DataError
        The items have no texts.
    UsageError
        Too many items are wanted, a column or a language that there is not, or ``out`` exists.

    Examples
    --------
    >>> cs.quiz(cs.read_items("CLIcK"), n=100, seed=1, lang="ko", out="quiz.html")  # doctest: +SKIP
    """
    from click_stats.folders import whole_file
    from click_stats.glossary import check_language
    from click_stats.items.digest import digest
    from click_stats.items.quiz import draw
    from click_stats.items.shown import shown
    from click_stats.render.forms import form

    check_language(lang)
    items.require_text()
    drawn = draw(items, n, stratify=stratify, shuffle=shuffle, seed=seed)
    questions = []
    for number, (item, rotation) in enumerate(drawn, start=1):
        n_options = len(items.labels(item))
        places = [(place + rotation) % n_options for place in range(n_options)]
        questions.append({**shown(items, item, places), "id": str(number), "ask": item, "rotation": rotation})
    name = digest([items.digest, *(f"{item} {rotation}" for item, rotation in drawn)])
    page = form("quiz", questions, name=name, file="answers", benchmark=items.definition.name, lang=lang)
    with whole_file(out, force=force) as building:
        building.write_text(page, encoding="utf-8", newline="\n")
    return Path(out)

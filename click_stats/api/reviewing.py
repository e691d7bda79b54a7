"""Have people read items without knowing which are suspects, and take what they found from there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.items import ItemTable
    from click_stats.items.review import Packet
    from click_stats.models import ModelTable
    from click_stats.results import Result, ResultSet
    from click_stats.trials import Trials

    PathLike = str | Path


def export_review(
    source: Trials | Result | ResultSet | PathLike,
    items: ItemTable,
    *,
    out: PathLike,
    suspects: int = 50,
    good: int = 50,
    reviewers: int = 2,
    flags: Sequence[str] = (),
    models: ModelTable | None = None,
    shuffle: bool = False,
    seed: int = 0,
    lang: str = "en",
    force: bool = False,
) -> Packet:
    """Write a blind packet for reviewers of items into a folder, and return its private part.

    ``out/reviewer-1`` and so on go to the reviewers, who fill in the form or the sheet: texts under opaque names, in an
    order of their own, without keys and model answers; suspects and good items look alike. ``out/private`` stays with
    the maintainer. The packet contains the benchmark's texts: not for publication.

    Parameters
    ----------
    source
        Where suspects come from: answers of models, which are analysed; or results that hold ``item_analysis``, also as
        the path of a ``results.json`` or its folder.
    items
        With texts.
    out, force
        Folder to write, and whether it may hold files already.
    suspects, good
        Number of flagged and of other items, drawn at random; fewer where there are fewer.
    reviewers
        Number of reviewers, 2 or more.
    flags
        Flags that make a suspect, e.g. ``["wrong key suspected"]``; none: all.
    models
        Where answers are analysed: selects the models.
    shuffle
        Show the options in an order of its own to each reviewer. Remarks that name an option by its letter are then
        hard to read at adjudication.
    seed
        Seed of all draws.
    lang
        Language of forms and sheets, ``en`` or ``ko``.

    Raises
    ------
    DataError
        The items have no texts, are others than those analysed, or ``source`` holds no item analysis.
    UsageError
        A number or flag that cannot be, or ``out`` holds files.

    Examples
    --------
    >>> cs.export_review(trials, cs.read_items("CLIcK"), out="packet", seed=1, lang="ko")  # doctest: +SKIP
    """
    from click_stats.folders import check_folder, whole_folder
    from click_stats.glossary import check_language
    from click_stats.items import review
    from click_stats.items.review.packet import KEY_FILE
    from click_stats.items.shown import shown
    from click_stats.render.forms import form, words
    from click_stats.study.review import flagged

    check_language(lang)
    check_folder(Path(out), force=force)
    items.require_text()
    analysed, by_item = flagged(_item_analysis(source, models), flags)
    packet = review.draw(
        items,
        analysed,
        by_item,
        suspects=suspects,
        good=good,
        reviewers=reviewers,
        shuffle=shuffle,
        seed=seed,
        lang=lang,
    )
    known = review.codes(blind=True)
    codes = [{"code": one.code, "label": one.label[lang], "meaning": one.meaning[lang]} for one in known]
    categories = {one.name: one.label_ko if lang == "ko" else one.label_en for one in items.definition.categories}
    said = words(lang)
    guide = "\r\n".join(
        [said["with_texts"], "", said["review_intro"], "", said["sheet"], "", said["codes"],
         *(f"- {one['label']}: {one['meaning']}" for one in codes), ""]
    )  # fmt: skip
    with whole_folder(out, force=force) as building:
        (building / KEY_FILE).parent.mkdir()
        (building / KEY_FILE).write_text(packet.model_dump_json(indent=1), encoding="utf-8")
        (building / "README.txt").write_text(said["packet"] + "\n", encoding="utf-8")
        for sheet in packet.sheets:
            own = building / sheet.reviewer
            own.mkdir()
            questions = [{**shown(items, row.item, list(row.options), categories), "id": row.id} for row in sheet.rows]
            page = form(
                "review",
                questions,
                name=sheet.rows[0].id + sheet.rows[-1].id,
                file=f"{sheet.reviewer}-answers",
                benchmark=items.definition.name,
                lang=lang,
                codes=codes,
                may_lack=review.MAY_LACK_ANSWER,
                one_answer=review.ONE_ANSWER,
            )
            for name, text in (
                ("review.html", page),
                ("review.csv", review.sheet_table(items, sheet, categories)),
                ("README.txt", "\ufeff" + guide),
            ):
                (own / name).write_bytes(text.encode("utf-8"))
    return packet


def holds_results(files: Sequence[PathLike]) -> bool:
    """Tell whether what a user named are the results of a study, not the answers of models."""
    from click_stats.folders import MARK

    return len(files) == 1 and (Path(files[0]).name == MARK or (Path(files[0]) / MARK).is_file())


class Review(NamedTuple):
    """What became of a review.

    Attributes
    ----------
    result
        See :func:`click_stats.stats.review.review`.
    adjudication
        The items that are still open, as CSV; empty when there are none.
    errata
        Draft of errata in TOML; empty when there is nothing to correct.
    """

    result: Result
    adjudication: str
    errata: str


def import_review(
    packet: PathLike,
    files: Sequence[PathLike],
    items: ItemTable,
    *,
    out: PathLike | None = None,
    force: bool = False,
    **parameters: Any,
) -> Review:
    """Read what reviewers sent back; return agreement, error rates, what is to be adjudicated, and a draft of errata.

    Parameters
    ----------
    packet
        The folder that :func:`export_review` wrote.
    files
        One filled file of each reviewer (the CSV sheet, or what the form saved), and the filled ``adjudication.csv``
        once there is one.
    items
        The items with their keys; with texts, the adjudication shows them.
    out, force
        Folder for ``review.json``, tables, ``adjudication.csv`` and ``errata-draft.toml``; None writes nothing.
    parameters
        Of :func:`click_stats.stats.review.review`: ``level, draws, seed``.

    Raises
    ------
    DataError
        The packet or a file cannot be read, is not whole, or is about other texts.
    UsageError
        More than one adjudication, or ``out`` holds files.
    """
    from click_stats.errors import UsageError
    from click_stats.folders import check_folder, whole_folder
    from click_stats.items import review
    from click_stats.study.review import review as result_of

    if out is not None:
        check_folder(Path(out), force=force)
    known = review.read_packet(packet)
    known.check(items)
    final = [path for path in files if review.is_adjudication(path)]
    if len(final) > 1:
        raise UsageError("There is more than one adjudication.", found=", ".join(map(str, final)), do="Give one.")
    opinions = review.read_opinions(known, items, [path for path in files if path not in final])
    adjudicated = review.read_adjudication(known, items, final[0]) if final else {}
    judged = review.judge(known, items, opinions, adjudicated)
    result = result_of(known, items, opinions, judged, **{"seed": known.seed, **parameters})
    still_open = any(one.code is None for one in judged)
    found = Review(
        result,
        review.adjudication_table(known, items, opinions, judged) if still_open else "",
        review.draft(known, items, judged),
    )
    if out is not None:
        with whole_folder(out, force=force) as building:
            (building / "review.json").write_text(result.to_json(), encoding="utf-8")
            (building / "tables").mkdir()
            for name, frame in result.tables.items():
                frame.to_csv(building / "tables" / f"review.{name}.csv", index=False, lineterminator="\n")
            for name, text in (("adjudication.csv", found.adjudication), ("errata-draft.toml", found.errata)):
                if text:
                    (building / name).write_bytes(text.encode("utf-8"))
    return found


def _item_analysis(source: Trials | Result | ResultSet | PathLike, models: ModelTable | None) -> Result:
    """Return the analysis of items that ``source`` is, holds, or allows."""
    from click_stats.api.verbs import item_analysis
    from click_stats.errors import DataError
    from click_stats.results import Result, ResultSet
    from click_stats.trials import Trials

    if isinstance(source, Result):
        return source
    if isinstance(source, Trials):
        return item_analysis(source, models=models)
    if isinstance(source, ResultSet):
        results = source
    else:
        path = Path(source) / "results.json" if Path(source).is_dir() else Path(source)
        try:
            results = ResultSet.from_json(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise DataError(f"The results {path} cannot be read.", found=error.strerror or str(error)) from error
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{path} holds no results of a study.", do="Give a results.json, or result files."
            ) from error
    if "item_analysis" not in results:
        raise DataError(
            "The results hold no item analysis, which finds the suspects.",
            found=", ".join(results.results),
            do="Run the study items, or give the result files themselves.",
        )
    return results["item_analysis"]

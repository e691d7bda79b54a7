"""What the explorer shows, as plain data: items, answers, flags, measures, and what other analyses say of an item."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from click_stats.errors import UsageError
from click_stats.render import codes, numbers
from click_stats.render.context import SIMULATED_ANSWERS
from click_stats.render.explorer.joined import details, flags, measures
from click_stats.render.findings_published import RANDOM, SIMULATED
from click_stats.render.labels import frame, labels
from click_stats.results import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from click_stats.results import ResultSet

DIGITS = 5
"""Decimals of a share in the page."""


@dataclass(frozen=True)
class Data:
    """What the page needs.

    Attributes
    ----------
    payload
        What the script reads.
    shown
        What the template names.
    """

    payload: Mapping[str, Any]
    shown: Mapping[str, Any]


@cache
def words(lang: str) -> Mapping[str, str]:
    """Return the words of the page in one language."""
    text = files("click_stats.render.explorer").joinpath("texts.toml").read_text(encoding="utf-8")
    return {name: entry[lang] for name, entry in tomllib.loads(text).items()}


def collect(results: ResultSet, lang: str) -> Data:
    """Collect what the page shows from the results.

    Raises
    ------
    UsageError
        The results hold no answers by item.
    """
    if "item_answers" not in results:
        raise UsageError(
            "The explorer shows answers by item, and the results hold none.",
            found=", ".join(results.results) or "no result",
            do="Add the analysis item_answers to the study (analyses/*.toml), or with --also item_answers.",
        )
    answers = results["item_answers"]
    items = answers.tables["estimates"]
    keys = list(map(str, items["item"]))
    said = words(lang)
    benchmark = str(results.meta.get("benchmark") or "CLIcK")
    title = said["title"].format(benchmark=benchmark)
    flagged = flags(results, keys, lang)
    measured = measures(results, keys, lang)
    texts = _texts(results, keys)
    units = _units(results, lang)
    notes = _notes(results, lang)
    payload = {
        "lang": lang,
        "words": said,
        "labels": results["items"].meta.get("labels", "letters") if "items" in results else "letters",
        "categories": {name: text for (by, name), text in labels(results, lang).groups.items() if by == "category"},
        "units": units,
        "items": _items(items),
        "flags": flagged,
        "measures": measured,
        "details": details(results, keys, lang, said),
        "texts": texts,
    }
    shown = {
        "title": title,
        "subtitle": said["counts"].format(
            units=numbers.integer(len(units)),
            items=numbers.integer(len(items)),
            trials=numbers.integer(answers.summary["n_trials"]),
        ),
        "with_texts": texts is not None,
        "flags": bool(flagged["codes"]),
        "difficulty": next((measure["label"] for measure in measured if measure["name"] == "difficulty"), ""),
        "pairs": len(units) > 1,
        "banners": [*([said["with_texts"]] if texts is not None else []), *_marks(results, lang)],
        "notes": notes,
        "notes_title": said["notes"].format(n=len(notes)),
        "made": said["made"].format(version=results.meta.get("version", "")),
    }
    return Data(payload, shown)


def _items(items: pd.DataFrame) -> dict[str, list[Any]]:
    names = ("item", "category", "source", "cluster", "n_options", "gold", "n_units")
    found = {name: plain(items[name].tolist()) for name in names}
    found["estimate"] = plain(items["estimate"].round(DIGITS).tolist())
    if "labels" in items:
        found["labels"] = plain(items["labels"].tolist())
    return found


def _units(results: ResultSet, lang: str) -> list[dict[str, Any]]:
    shown = labels(results, lang)
    units = results["item_answers"].tables["units"]
    lines = results["item_answers"].tables["answers"]
    answers = dict(zip(lines["unit"], lines["answers"], strict=True))
    return [
        {"id": unit, "label": shown.unit(unit), "estimate": plain(round(estimate, DIGITS)), "answers": answers[unit]}
        for unit, estimate in zip(map(str, units["unit"]), units["estimate"].astype(float), strict=True)
    ]


def _texts(results: ResultSet, keys: list[str]) -> dict[str, list[Any]] | None:
    """Return passage, question and options by item; None unless the results hold them, which must be asked for."""
    texts, options = frame(results, "item_answers", "texts"), frame(results, "item_answers", "option_texts")
    if not len(texts):
        return None
    of_item: dict[str, list[str]] = {key: [] for key in keys}
    for item, text in zip(options["item"], options["option_text"], strict=True):
        of_item[str(item)].append(str(text))
    texts = texts.set_index("item").loc[keys]
    return {
        "passage": [str(text or "") for text in texts["passage"]],
        "question": [str(text) for text in texts["question"]],
        "options": [of_item[key] for key in keys],
    }


def _marks(results: ResultSet, lang: str) -> list[str]:
    """Return what no reader may miss: which answers are simulated, or of models with random weights."""
    units = results["item_answers"].tables["units"]
    shown = labels(results, lang)
    found = []
    for mark in (SIMULATED, RANDOM):
        marked = [
            shown.unit(str(unit))
            for unit, condition in zip(units["unit"], units["condition"], strict=True)
            if mark in str(condition).split(", ")
        ]
        if marked:
            found.append(words(lang)[f"marked_{mark.split()[0]}"].format(models=", ".join(marked)))
    return found


def _notes(results: ResultSet, lang: str) -> list[str]:
    """Return the warnings of all results, and why analyses stepped aside, in the reader's language."""
    metas = [results.meta, *(result.meta for result in results.results.values())]
    found = [str(text) for meta in metas for text in meta.get("warnings", ())]
    found += [str(meta["reason"]) for meta in metas if meta.get("reason")]
    return [codes.text(text, lang) for text in dict.fromkeys(found) if not SIMULATED_ANSWERS.fullmatch(text)]

"""The analysis: which items are hard, which tell models apart, which look broken, and how much room is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.item_analysis import artefacts, contamination, distractors, flags, headroom, miskey, rows
from click_stats.stats.item_analysis import duplicates as twins
from click_stats.stats.item_analysis.answers import Answers, answers, respondents
from click_stats.stats.item_analysis.settings import Settings
from click_stats.stats.item_answers.analysis import WITH_TEXTS
from click_stats.stats.tools.rows import frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, Denominator

DUPLICATES = ("item_a", "item_b", "duplicate_kind", "similarity", "same_key")
CHECKS = ("check", "computable", "n_items", "reason")
TEXTS = ("item", "passage", "question")
OPTION_TEXTS = ("item", "option", "option_text")

METHOD = (
    "Items are fixed, models random. Proportion correct: Wilson interval at the effective number of models. "
    "Item-rest correlation: Fisher's interval. Reliability: Cronbach's alpha with Feldt's interval. "
    "Suspected keys: weighted vote of the models, discounted by their agreement on errors."
)
NOTHING = (
    "There are no answers of models to analyse items with. Give the answers of models that were shown the questions."
)
FEW_VOTERS = "A suspected key needs the votes of at least 3 models."
NO_TEXTS = "The item table has keys only: there are no texts to show."
BLOCKS = "The models fall into {n} groups that share no item: items of different groups cannot be compared."
CONDITIONS = "Conditions of one model count as one model in errors and intervals, and as several respondents elsewhere."
FEWEST_VOTERS = 3


def item_analysis(
    counts: Counts,
    *,
    denominator: Denominator = "responded",
    level: float = 0.95,
    least_score: float = 3.0,
    similarity: float = 0.8,
    precision: float | None = None,
    n_reviewed: int | None = None,
    by_models: str = "",
    top: Sequence[int] = (3, 5, 10),
    suspects: int = 100,
    with_texts: bool = False,
    seed: int = 0,
) -> Result:
    """Tell which items are hard, which separate models, and which look broken.

    Parameters
    ----------
    counts
        The answers, with ``responses`` for artefacts of position. Units under a control protocol (``choices-only``,
        ``question-only``) say which items are right without the question and count for nothing else; people
        (``kind = human``) are left out.
    denominator
        Which trials count.
    level
        Confidence level of all intervals.
    least_score
        Score from which a key is flagged, with a majority of the votes on one other option: 3 is a likelihood ratio of
        20 after the discount, no odds of being wrong.
    similarity
        Least similarity of near-duplicates (Jaccard index of sets of three letters); needs texts.
    precision, n_reviewed
        Share of the suspects whose key a review found wrong, and how many it read: give the ceiling an estimate.
    by_models
        A fact of the models (``access``, ``vendor``, ...): proportions and correlations within each group of models.
    top
        Numbers of best models for which items are counted that still separate them.
    suspects
        The most suspects that are listed.
    with_texts
        Whether to put the texts of flagged items into the result, which is then not for publication.
    seed
        Not used: nothing is drawn. Every analysis has it.

    Returns
    -------
    Result
        ``estimates``: one row per item. ``reliability``: the test and each category. ``options``: what each option
        draws. ``suspects``: keys in doubt, ranked. ``voters``: what each unit's answer counts for. ``flags`` and
        ``cards``: what looks broken, by flag and by item. ``duplicates``, ``positions``, ``controls``, ``hints``: what
        these flags rest on; ``checks``: which could be made. ``headroom``, ``information``, ``ceiling``: the room left
        at the top. ``model_groups``: with ``by_models``. ``texts``: only on request.

    Raises
    ------
    UsageError
        A parameter out of range, or texts asked for where there are none.

    Notes
    -----
    Items are fixed and models random: intervals are about models like these, which are few and related. Formulas and
    sources stand with each estimator.
    """
    del seed
    settings = Settings(
        denominator, level, least_score, similarity, precision, n_reviewed, by_models, tuple(top), suspects
    )
    if with_texts and not twins.has_texts(counts.items):
        raise UsageError(NO_TEXTS, do="Read the items with their texts (--items PATH), or leave texts out.")
    asked, controls = respondents(counts)
    main = counts.select(asked)
    found = answers(main, denominator)
    meta: dict[str, Any] = {
        "method": METHOD, "denominator": denominator, "level": level, "least_score": least_score,
        "similarity": similarity, "precision": precision, "n_reviewed": n_reviewed, "by_models": by_models,
        "top": list(settings.top), "suspects": suspects, "with_texts": with_texts,
        "reason": "" if found.there.any() else NOTHING,
    }  # fmt: skip
    if meta["reason"]:
        return Result("item_analysis", _empty(), {"n_items": 0}, {**meta, "warnings": [NOTHING]})
    return _analysed(counts, main, found, controls, settings, meta)


def _analysed(
    counts: Counts, main: Counts, found: Answers, controls: Sequence[str], settings: Settings, meta: dict[str, Any]
) -> Result:
    level = settings.level
    item = rows.Item(found, main, level)
    known = miskey.voters(found)
    votes = miskey.vote(found, known)
    families = miskey.vote_by_family(found, known, miskey.family_names(found))
    voting = len(set(found.model)) >= FEWEST_VOTERS
    pairs = twins.duplicates(counts.items, settings.similarity)
    by_position = artefacts.by_position(main)
    without = artefacts.without_question(counts, controls)
    names = list(map(str, counts.items.index))
    n_units = found.there.sum(axis=0)
    suspected = flags.of_votes(votes, settings.least_score) if voting else []
    flagged = [
        *suspected,
        *flags.of_pairs(pairs, names),
        *flags.of_discrimination(item.item_rest),
        *flags.of_nobody(item.proportion, FEWEST_VOTERS, n_units),
        *flags.of_mask(by_position.items, flags.ONE_PLACE, "all right answers have the key at one position"),
        *flags.of_mask(without.items, flags.NO_QUESTION, "every control model names the key without the question"),
    ]
    texts = bool(meta["with_texts"])
    flag_rows, cards = flags.tables(flagged, counts.items, votes, texts=texts)
    drawn = distractors.draw(found, item.ability, item.rest)
    reliability, dropped = rows.reliabilities(found, main, level)
    n_unused = distractors.unused(found, drawn)
    estimates = rows.estimates(found, item, dropped, n_unused, flag_rows)
    hints, why = contamination.hints(counts, found, controls, level)
    miskeyed = {one.item for one in suspected}
    listed = rows.suspects(found, votes, families, miskeyed, settings.most if voting else 0)
    room = headroom.separating(found.scores, item.ability, names=found.units.index.tolist(), top=settings.top)
    tables = {
        "estimates": estimates,
        "reliability": reliability,
        "suspects": listed,
        "voters": rows.voters(found, known),
        "options": distractors.table(found, drawn),
        "flags": flag_rows,
        "cards": cards,
        "duplicates": _duplicates(pairs, names),
        "positions": by_position.table,
        "controls": without.table,
        "hints": hints,
        "checks": _checks(flag_rows, by_position.reason, without.reason, counts.items, why),
        "headroom": room,
        "information": headroom.information(
            found.scores, found.units.index.tolist(), found.n_options, headroom.scale(found.scores, found.n_options)
        ),
        "ceiling": headroom.ceiling(len(names), len(miskeyed), settings.precision, settings.n_reviewed, level),
        "model_groups": rows.model_groups(found, settings.by_models, item.rest, level),
    }
    if texts:
        tables |= _texts(counts.items.loc[list(cards["item"])])
    meta |= {"effective_models": float(known.independence.sum()), "warnings": _warnings(found, meta, voting=voting)}
    summary = {
        "n_items": len(names),
        "cronbach_alpha": float(reliability["cronbach_alpha"].iloc[0]),
        "n_flagged": len(cards),
        "n_suspects": len(miskeyed),
        "effective_models": meta["effective_models"],
    }
    return Result("item_analysis", tables, summary, meta)


def _warnings(found: Answers, meta: dict[str, Any], *, voting: bool) -> list[str]:
    blocks = rows.n_blocks(found)
    return [
        *([WITH_TEXTS] if meta["with_texts"] else []),
        *([] if voting else [FEW_VOTERS]),
        *([BLOCKS.format(n=blocks)] if blocks > 1 else []),
        *([CONDITIONS] if len(set(found.model)) < len(found.model) else []),
    ]


def _duplicates(pairs: Sequence[twins.Pair], names: Sequence[str]) -> pd.DataFrame:
    made = [
        {
            "item_a": names[pair.a], "item_b": names[pair.b], "duplicate_kind": pair.kind,
            "similarity": pair.similarity, "same_key": pair.same_key,
        }
        for pair in pairs
    ]  # fmt: skip
    return frame(made, DUPLICATES)


def _checks(
    flag_rows: pd.DataFrame, position: str, control: str, items: pd.DataFrame, why: dict[str, str]
) -> pd.DataFrame:
    n = flag_rows["flag"].value_counts()
    exact = "" if "digest" in items or twins.has_texts(items) else twins.NO_DIGEST
    near = "" if twins.has_texts(items) else twins.NO_TEXT
    listed: list[tuple[str, str, list[str]]] = [
        ("suspected keys", "", [flags.MISKEY]),
        ("discrimination", "", [flags.REVERSED]),
        ("items that no model gets right", "", [flags.NOBODY]),
        ("duplicates", exact, [flags.TWICE, flags.OTHER_KEY]),
        ("near-duplicates", near, [flags.ALIKE]),
        ("position artefacts", position, [flags.ONE_PLACE]),
        ("items right without the question", control, [flags.NO_QUESTION]),
        *((name, reason, []) for name, reason in why.items()),
    ]
    made = [
        {
            "check": name, "computable": not reason,
            "n_items": sum(int(n.get(flag, 0)) for flag in own) if own and not reason else None, "reason": reason,
        }
        for name, reason, own in listed
    ]  # fmt: skip
    return frame(made, CHECKS)


def _texts(items: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the texts of items: passage and question, and the options."""
    names = items.index.to_numpy(dtype=object)
    options = [
        {"item": name, "option": number, "option_text": str(text)}
        for name, texts in zip(names, items["options"], strict=True)
        for number, text in enumerate(texts, start=1)
    ]
    asked = {name: items[name].to_numpy() if name in items else "" for name in ("passage", "question")}
    return {
        "texts": pd.DataFrame({"item": names, **asked}, columns=list(TEXTS)),
        "option_texts": pd.DataFrame(options, columns=list(OPTION_TEXTS)),
    }


def _empty() -> dict[str, pd.DataFrame]:
    names = {
        "estimates": rows.ESTIMATES, "reliability": rows.RELIABILITY, "suspects": rows.SUSPECTS, "voters": rows.VOTERS,
        "options": distractors.OPTIONS, "flags": flags.FLAGS, "cards": flags.CARDS, "duplicates": DUPLICATES,
        "positions": artefacts.POSITIONS, "controls": artefacts.CONTROLS, "hints": contamination.HINTS,
        "checks": CHECKS, "headroom": headroom.HEADROOM, "information": headroom.INFORMATION,
        "ceiling": headroom.CEILING, "model_groups": rows.MODEL_GROUPS,
    }  # fmt: skip
    return {name: frame([], columns) for name, columns in names.items()}

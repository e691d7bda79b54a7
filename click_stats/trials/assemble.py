"""From the stage to a trial table: map the rows, check them, and account for them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from click_stats.errors import DataError
from click_stats.trials.account import DROPPED, DUPLICATES, GOLD, dropped_duplicates, examples, make_account
from click_stats.trials.checks import check_gold, check_items, check_rows, counted_from_one, drop_repeats
from click_stats.trials.counting import count
from click_stats.trials.identify import LEFT_OUT, identify
from click_stats.trials.importers.base import HOW_TO_READ, STAGE
from click_stats.trials.mapping import TRIAL, create_reading, create_trials, create_view
from click_stats.trials.model_names import clean_name
from click_stats.trials.reparse import disagreements, read_again, readable, remarks
from click_stats.trials.runs import protocol_digest
from click_stats.trials.schema import ANSWERS, DEFAULT_CONDITION, LOGGED_POLICY, unit_label
from click_stats.trials.table import Trials

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.items.table import ItemTable
    from click_stats.models import ModelTable
    from click_stats.trials.database import Database
    from click_stats.trials.importers.base import Source
    from click_stats.trials.runs import RunFacts


def assemble(
    database: Database,
    sources: Sequence[Source],
    items: ItemTable,
    models: ModelTable | None,
    facts: RunFacts,
    notes: list[str],
    reparse: str | None = None,
    only: Sequence[str] | None = None,
) -> Trials:
    """Map what was loaded to trials, check it, and write the account.

    ``reparse`` is the policy by which answers are read again from responses; None: they stay as the files state.
    ``only``: keys of the items that count; answers to others are left out, and told.
    """
    chosen = items if only is None else items.only(only)
    files = [source.name for source in sources]
    held = [set(source.columns) for source in sources]
    file_t = {
        "file": range(len(files)),
        "name": files,
        "has_text": ["text" in columns for columns in held],
        "has_answer": [bool(ANSWERS & columns) for columns in held],
    }
    database.store("file_t", pd.DataFrame(file_t))
    if reparse is None:
        _refuse_texts_only(database, files)
    units = _name_units(database, models)
    identify(database, items)
    create_view(database)
    unknown = check_items(database, files, items.definition.name, len(items))
    check_rows(database, files)
    notes = [*notes, *counted_from_one(database, files)]
    labels = list(map(str, units.index))
    gold = check_gold(database, files, labels, items.definition.revision)
    create_reading(database)
    if reparse is not None:
        read_again(database, items, reparse)
    create_trials(database, reread="false" if reparse is None else readable("state"))
    repeats = drop_repeats(database, files, labels)
    outside = [] if only is None else _drop_others(database, chosen)
    reparsed = None if reparse is None else disagreements(database, files, labels)
    if reparse is not None and reparsed is not None:
        notes = [*notes, *remarks(database, items, reparse, reparsed)]

    table = _sources(database, sources, units)
    known = _facts(table, facts)
    units["protocol"] = [protocol_digest(known.get(unit, {})) for unit in labels]
    unused = facts.unused(labels, files)
    if unused:
        notes.append("Facts are stated for runs that were not read: " + examples(unused) + ".")
    duplicates = _duplicates(database, files, sources)
    dropped = _dropped(database, files, sources, unknown, repeats, outside)
    keys = tuple(map(str, items.frame.index))
    places = chosen.frame.index.get_indexer(pd.Index(keys, dtype=object)).astype(np.int64)
    counts = count(database, units, chosen, places, cells=False, meta={})
    digests = {"trials": _digest(sources), "items": chosen.digest}
    account = make_account(
        table,
        pd.concat([dropped, dropped_duplicates(duplicates)], ignore_index=True),
        pd.DataFrame(gold, columns=GOLD),
        duplicates,
        counts,
        known,
        digests,
        notes,
        reparsed,
        reparse or LOGGED_POLICY,
    )
    database.execute(f"DROP VIEW mapped; DROP TABLE {STAGE}; DROP TABLE ambiguous; DROP TABLE resolution")
    return Trials(chosen, units, account, digests, database, keys)


def _drop_others(database: Database, chosen: ItemTable) -> list[tuple[int, int, str]]:
    """Delete the trials of items that were not chosen; return file, how many, and one of the items."""
    database.store("chosen_t", pd.DataFrame({"item": list(map(str, chosen.frame.index))}, dtype=object))
    others = f"FROM {TRIAL} t JOIN item_t i USING (ix) ANTI JOIN chosen_t c ON c.item = i.item"
    found = database.execute(f"SELECT file, count(*), min(i.item) {others} GROUP BY file ORDER BY file")
    database.execute(f"DELETE FROM {TRIAL} WHERE ix NOT IN (SELECT ix FROM item_t SEMI JOIN chosen_t USING (item))")
    if not database.execute(f"SELECT 1 FROM {TRIAL} LIMIT 1"):
        raise DataError(
            "None of the chosen items was answered.",
            found=f"{len(chosen):,} chosen items, e.g. {chosen.frame.index[0]}",
            do="Choose items that the files answer.",
        )
    return [(int(file), int(n), str(item)) for file, n, item in found]


def _refuse_texts_only(database: Database, files: Sequence[str]) -> None:
    silent = database.execute(
        f"SELECT file FROM {STAGE} GROUP BY file HAVING count(label) + count(prediction) + count(status) = 0"
    )
    if not silent:
        return
    found = database.execute(
        f"SELECT file FROM {STAGE} WHERE file IN ({', '.join(str(row[0]) for row in silent)}) AND text IS NOT NULL "
        "AND trim(text) NOT IN (SELECT word FROM sentinel_t WHERE place = 'text') ORDER BY file LIMIT 1"
    )
    if found:
        raise DataError(
            f"The file {files[found[0][0]]} has responses, but no answer taken from them.",
            do=HOW_TO_READ,
        )


def _name_units(database: Database, models: ModelTable | None) -> pd.DataFrame:
    """Number the units, in the order of their names, and return them."""
    raw = database.execute(
        f"SELECT DISTINCT model, coalesce(condition, '{DEFAULT_CONDITION}') FROM {STAGE} WHERE model IS NOT NULL"
    )
    named = {pair: (_known_as(clean_name(str(pair[0])), models), clean_name(str(pair[1]))) for pair in raw}
    unseen = [
        raw
        for raw, clean in named.items()
        if any(str(text).strip() and not name for text, name in zip(raw, clean, strict=True))
    ]
    if unseen:
        raise DataError(
            "A model has a name without a character that can be printed.", found=ascii(unseen[0]), do="Name it."
        )
    pairs = sorted(set(named.values()), key=lambda pair: (pair[0].casefold(), pair[1] != DEFAULT_CONDITION, pair))
    labels = [unit_label(*pair) for pair in pairs]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise DataError("Two models with conditions come out at one name.", found=", ".join(twice))
    numbers = {pair: number for number, pair in enumerate(pairs)}
    rows = [(*pair, numbers[clean]) for pair, clean in named.items()]
    database.store("unit_t", pd.DataFrame(rows, columns=["raw_model", "raw_condition", "unit"]))
    names = pd.DataFrame(pairs, columns=["model", "condition"], index=pd.Index(labels, name="unit", dtype=object))
    database.store("unit_name_t", names.reset_index(drop=True).assign(unit=range(len(pairs))))
    return names.astype(object)


def _known_as(name: str, models: ModelTable | None) -> str:
    found = models.find(name) if models is not None else None
    return found.model if found is not None else name


def _facts(table: pd.DataFrame, facts: RunFacts) -> dict[str, dict[str, str]]:
    """Return unit -> what is stated of its run; the date may stand in the file's name."""
    known = {}
    for unit in dict.fromkeys(table["unit"]):
        part = table[table["unit"] == unit]
        dates = sorted(set(part["date"]) - {""})
        known[str(unit)] = ({"date": ", ".join(dates)} if dates else {}) | facts.of(str(unit), part["file"])
    return known


def _sources(database: Database, sources: Sequence[Source], units: pd.DataFrame) -> pd.DataFrame:
    read = database.execute(
        f"SELECT file, unit, count(*) FROM {STAGE} s JOIN unit_t u ON u.raw_model = s.model "
        f"AND u.raw_condition = coalesce(s.condition, '{DEFAULT_CONDITION}') GROUP BY ALL ORDER BY file, unit"
    )
    kept = {
        (file, unit): n for file, unit, n in database.execute(f"SELECT file, unit, count(*) FROM {TRIAL} GROUP BY ALL")
    }
    n_units = pd.Series([file for file, _, _ in read]).value_counts()
    rows = []
    for file, unit, n_rows in read:
        source = sources[file]
        model, condition = units.iloc[unit][["model", "condition"]]
        rows.append(
            {
                "file": source.name,
                "format": source.importer,
                "digest": source.digest,
                "date": source.date,
                "unit": units.index[unit],
                "model": model,
                "condition": condition,
                # With the rows that could not be read, where it is known whose they are.
                "rows_read": source.n_read if n_units[file] == 1 else n_rows,
                "rows_kept": kept.get((file, unit), 0),
            }
        )
    return pd.DataFrame(rows)


def _duplicates(database: Database, files: Sequence[str], sources: Sequence[Source]) -> pd.DataFrame:
    rows = database.execute(
        f"""
        SELECT a.file, a.id, coalesce(i.item, ''), coalesce(r.resolved_by, '{LEFT_OUT}'), count(*)
        FROM ambiguous a LEFT JOIN resolution r USING (file, row) LEFT JOIN item_t i ON i.ix = r.ix
        GROUP BY ALL ORDER BY ALL
        """
    )
    found = [(files[file], *rest) for file, *rest in rows]
    found += [(source.name, *rest) for source in sources for rest in source.told_apart]
    return pd.DataFrame(found, columns=DUPLICATES)


def _dropped(
    database: Database,
    files: Sequence[str],
    sources: Sequence[Source],
    unknown: Sequence[tuple[int, str, int]],
    repeats: Sequence[tuple[int, int, str]],
    outside: Sequence[tuple[int, int, str]],
) -> pd.DataFrame:
    rows = [
        (source.name, reason, len(lines), "line " + examples(lines))
        for source in sources
        for reason, lines in source.left_out.items()
    ]
    for number, file in enumerate(files):
        here = [(key, n_rows) for other, key, n_rows in unknown if other == number]
        if here:
            rows.append((file, "unknown id", sum(n for _, n in here), examples([key for key, _ in here])))
    for reason, condition in (("no id", "key IS NULL"), ("never run", "ix IS NOT NULL AND state = 'missing'")):
        found = database.execute(
            f"SELECT file, count(*), min(row) FROM mapped WHERE {condition} GROUP BY file ORDER BY file"
        )
        rows += [(files[file], reason, n_rows, f"row {row}") for file, n_rows, row in found]
    rows += [(files[file], "repeats another row", n_rows, example) for file, n_rows, example in repeats]
    rows += [(files[file], "item not chosen", n_rows, example) for file, n_rows, example in outside]
    return pd.DataFrame(rows, columns=DROPPED)


def _digest(sources: Sequence[Source]) -> str:
    parts = sorted(f"{source.name}\x1f{source.digest}" for source in sources)
    return hashlib.sha256("\x1e".join(parts).encode()).hexdigest()[:16]

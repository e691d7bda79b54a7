"""The files of a dataset, and what they become by errata."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click_stats.errors import DataError, UsageError
from click_stats.items import columns
from click_stats.items.digest import item_digest
from click_stats.items.errata.entries import Drop
from click_stats.items.patch.entry import corrected
from click_stats.items.patch.spans import Span, entries
from click_stats.items.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.items.definition import Definition
    from click_stats.items.errata.entries import Erratum
    from click_stats.items.table import ItemTable

JSON = (".json", ".jsonl")


@dataclass(frozen=True)
class Change:
    """A file before and after.

    Attributes
    ----------
    name
        Path below the dataset's folder, with slashes.
    before, after
        Its text; ``before`` is empty for a new file.
    """

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class _File:
    name: str
    text: str
    entries: tuple[Span, ...]
    category: str | None  # of all its entries; None where each states its own, or none does


def changes(path: str | Path, items: ItemTable) -> list[Change]:
    """Return the files that errata change, in order.

    Parameters
    ----------
    path
        The dataset: a folder of ``<category>_<source>.json``, or one JSON or JSON-lines table.
    items
        The items read from it, with errata laid over.

    Raises
    ------
    DataError
        The dataset is no JSON, an item stands in it twice, or a moved item would take the id of another.
    UsageError
        ``path`` is no file or folder of JSON, or ``items`` has no errata.
    """
    if items.overlay is None:
        raise UsageError("There are no errata to write a patch of.", do="Lay them over the items first.")
    files = _read(Path(path), items.definition)
    places = {key: _find(files, key, items) for key in items.overlay.errata.keys}
    texts: dict[str, list[str | None]] = {file.name: [one.of(file.text) for one in file.entries] for file in files}
    added: dict[str, list[str]] = {}
    for key, (file, number) in places.items():
        chosen = [entry for entry in items.overlay.errata.entries if entry.key == key]
        text = _corrected(texts[file.name][number], chosen, items)
        target = file.name if text is None else _target(file, files, key, items)
        if target == file.name:
            texts[file.name][number] = text
        elif text is not None:
            _refuse_taken(target, files, key, items)
            texts[file.name][number] = None
            added.setdefault(target, []).append(text)
    found = [
        Change(file.name, file.text, _assembled(file, texts[file.name], added.pop(file.name, []))) for file in files
    ]
    found += [Change(name, "", f"[\n    {(',' + chr(10) + '    ').join(new)}\n]\n") for name, new in added.items()]
    return [change for change in found if change.before != change.after]


def _corrected(text: str | None, errata: Sequence[Erratum], items: ItemTable) -> str | None:
    if text is None or any(isinstance(entry, Drop) for entry in errata):
        return None
    return corrected(text, errata, items)


def _read(path: Path, definition: Definition) -> list[_File]:
    if path.is_dir():
        root = path / ROOT if (path / ROOT).is_dir() else path
        paths = sorted(root.rglob("*.json"))
        one = [] if paths else sorted(root.rglob("*.jsonl"))
        paths = paths or (one if len(one) == 1 else [])
        tree = not one
    else:
        paths, tree, path = ([path] if path.is_file() else []), False, path.parent
    if not paths or any(file.suffix.lower() not in JSON for file in paths):
        raise UsageError(
            "A patch needs the dataset's own JSON files.",
            found=", ".join(file.name for file in paths) or str(path),
            do="Give the dataset's folder, or one .json or .jsonl file, with --items.",
        )
    return [_file(file, path, definition, tree=tree) for file in paths]


def _file(path: Path, folder: Path, definition: Definition, *, tree: bool) -> _File:
    name = path.relative_to(folder).as_posix()
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise DataError(f"The file {path} cannot be read.", found=error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise DataError(f"The file {path} is not UTF-8.", found=str(error), do="A patch needs UTF-8 files.") from error
    category = definition.category(path.stem.rpartition("_")[0]) if tree else None
    return _File(name, text, tuple(entries(text, name)), category)


def _find(files: Sequence[_File], key: str, items: ItemTable) -> tuple[_File, int]:
    """Return the file that holds an item, and the number of its entry there."""
    row = items.original.frame.loc[[key]].iloc[0]
    found = [
        (file, number)
        for file in files
        for number, one in enumerate(file.entries)
        if _is(columns.row(_plain(one.value)), file.category, row, items.definition)
    ]
    if len(found) != 1:
        raise DataError(
            f"The item {key} stands {len(found)} times in the files." if found else f"No file holds the item {key}.",
            found=", ".join(f"{file.name}, entry {number + 1}" for file, number in found),
            do="Give the files that the items were read from.",
        )
    return found[0]


def _plain(value: Any) -> dict[str, Any]:
    return {str(name): "" if part is None else part for name, part in value.items()} if isinstance(value, dict) else {}


def _is(values: Mapping[str, Any], category: str | None, row: Any, definition: Definition) -> bool:
    """Whether an entry is an item: same id, same category as far as it is stated, same texts."""
    stated = category or definition.category(str(values.get("category") or ""))
    if str(values.get("id") or "") != row["id"] or (stated or row["category"]) != row["category"]:
        return False
    options = values.get("options")
    passage, question = (str(values.get(name) or "") for name in ("passage", "question"))
    return isinstance(options, list) and item_digest(passage, question, list(map(str, options))) == str(row["digest"])


def _target(file: _File, files: Sequence[_File], key: str, items: ItemTable) -> str:
    """Return the file that a corrected item belongs to: that of its category and source, beside its neighbours."""
    row = items.frame.loc[[key]].iloc[0]
    if file.category in {None, row["category"]}:
        return file.name
    source = Path(file.name).stem.rpartition("_")[2]
    beside = [other for other in files if other.category == row["category"]]
    same = [other.name for other in beside if Path(other.name).stem.rpartition("_")[2] == source]
    if same:
        return same[0]
    folder = Path(beside[0].name).parent if beside else Path(file.name).parent
    return (folder / f"{row['category']}_{source}{Path(file.name).suffix}").as_posix()


def _refuse_taken(target: str, files: Sequence[_File], key: str, items: ItemTable) -> None:
    row = items.frame.loc[[key]].iloc[0]
    there = [one for file in files if file.category == row["category"] for one in file.entries]
    if any(str(_plain(one.value).get("id")) == row["id"] for one in there):
        raise DataError(
            f"The item {key} cannot move to {row['category']}: another item has its id there.",
            found=f"{row['id']} in {target}",
            do="Give the item another id in the dataset first.",
        )


def _assembled(file: _File, texts: Sequence[str | None], added: Sequence[str]) -> str:
    """Put a file together again: entries that stay keep what stands before them."""
    if not file.entries:
        bracket = file.text.rindex("]")
        inside = ",\n    ".join(added)
        return f"{file.text[:bracket]}\n    {inside}\n{file.text[bracket:]}" if added else file.text
    between = [file.text[one.end : other.start] for one, other in zip(file.entries, file.entries[1:], strict=False)]
    usual = (
        Counter(between).most_common(1)[0][0]
        if between
        else ",\n    "
        if "[" in file.text[: file.entries[0].start]
        else "\n"
    )
    parts: list[str] = []
    for number, text in enumerate(texts):
        if text is not None:
            parts += [between[number - 1], text] if parts else [text]
    for text in added:
        parts += [usual, text] if parts else [text]
    return file.text[: file.entries[0].start] + "".join(parts) + file.text[file.entries[-1].end :]

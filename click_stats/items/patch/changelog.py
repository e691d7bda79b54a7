"""What was corrected, for people and for programs: a changelog and a unified patch."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from click_stats.items.errata.entries import AlsoAccept, Recategorise, Rekey, Retext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.items.errata.entries import Erratum
    from click_stats.items.patch.files import Change
    from click_stats.items.table import ItemTable

HEADINGS = {
    "rekey": "Key corrected",
    "also-accept": "Further options accepted",
    "retext": "Text corrected: answers to the old text do not count for the new one",
    "recategorise": "Moved to another category",
    "drop": "Removed",
}
NO_END = "\n\\ No newline at end of file\n"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def patch(changes: Sequence[Change]) -> str:
    """Return a unified patch of the files, as ``patch -p1`` and ``git apply`` take it."""
    parts = []
    for change in changes:
        before, after = _LINE.findall(change.before), _LINE.findall(change.after)
        end = "\t" if " " in change.name else ""  # a name ends at a tab, where it holds blanks
        old = f"a/{change.name}{end}" if change.before else "/dev/null"
        lines = difflib.unified_diff(before, after, old, f"b/{change.name}{end}", lineterm="\n")
        parts += [line if line.endswith("\n") else line + NO_END for line in lines]
    return "".join(parts)


def changelog(items: ItemTable) -> str:
    """Return what the errata of ``items`` correct, as Markdown: items by key, options by label, no texts."""
    overlay = items.overlay
    if overlay is None:
        return ""
    digests = f"errata {overlay.errata.digest}; items {overlay.original.digest} before, {items.digest} after"
    total = f"{len(overlay.errata)} corrections of {len(overlay.errata.keys)} items ({digests})."
    lines = [f"# Corrections of {items.definition.name}", "", total]
    for action, heading in HEADINGS.items():
        chosen = [entry for entry in overlay.errata.entries if entry.action == action]
        if chosen:
            lines += ["", f"## {heading}", ""]
            lines += [_line(entry, items) for entry in chosen]
    return "\n".join(lines) + "\n"


def _line(entry: Erratum, items: ItemTable) -> str:
    words = " ".join(entry.reason.split())
    what = _what(entry, items)
    about = f"{entry.reviewer}, {entry.date.isoformat()}; {entry.source}"
    return f"- `{entry.key}`{': ' + what if what else ''} — {words} ({' '.join(about.split())})"


def _what(entry: Erratum, items: ItemTable) -> str:
    before = items.original
    own = before.labels(entry.key)
    row = before.frame.loc[[entry.key]].iloc[0]
    gold = own[int(row["gold"])]
    if isinstance(entry, Rekey):
        return f"{gold} → {entry.label}"
    if isinstance(entry, AlsoAccept):
        return f"{gold}, also {', '.join(label for label in entry.labels if label != gold)}"
    if isinstance(entry, Recategorise):
        return f"now `{items.definition.category(entry.category)}/{row['id']}`"
    if isinstance(entry, Retext):
        fields = [name for name in ("passage", "question", "options") if getattr(entry.text, name) is not None]
        key = f"; key {entry.text.label}" if entry.text.label else ""
        return ", ".join(fields) + key
    return ""

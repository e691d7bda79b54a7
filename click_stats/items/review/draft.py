"""A draft of errata from the judgements, for a person to complete."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from click_stats.items.review.codes import NONE, SEVERAL, WRONG_KEY
from click_stats.items.review.judgement import right_places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.items.review.judgement import Judgement
    from click_stats.items.review.packet import Packet
    from click_stats.items.table import ItemTable

HEAD = """\
# Draft of errata, from a review. Complete every reviewer, date (2024-05-31, without quotes) and source; make each
# reason a sentence that others can check, without quoting the benchmark. Until then the file is refused.
"""


def draft(packet: Packet, items: ItemTable, judged: Sequence[Judgement]) -> str:
    """Return errata in TOML for items judged ``wrong key``, ``several correct`` or ``no correct option``; else nothing.

    ``wrong key`` becomes ``rekey``, ``several correct`` ``also-accept``, ``no correct option`` ``drop``. Where the key
    is not among several right options, it is replaced by the first of them, and the others are accepted besides.
    """
    digests = {entry.item: entry.digest for entry in packet.entries}
    parts = []
    for one in judged:
        labels, right = items.labels(one.item), right_places(items, one.item)
        named = [labels[place] for place in one.answer]
        if one.code == WRONG_KEY:
            actions = [("rekey", f"label = {json.dumps(named[0])}")]
        elif one.code == NONE:
            actions = [("drop", "")]
        elif one.code == SEVERAL and set(one.answer) & set(right):
            more = [labels[place] for place in one.answer if place not in right]
            actions = [("also-accept", f"labels = {json.dumps(more)}")] if more else []
        elif one.code == SEVERAL:
            actions = [
                ("rekey", f"label = {json.dumps(named[0])}"),
                ("also-accept", f"labels = {json.dumps(named[1:])}"),
            ]
        else:
            continue
        parts += [_entry(one.item, digests[one.item], action, more, str(one.code)) for action, more in actions]
    return HEAD + "".join(parts) if parts else ""


def _entry(item: str, digest: str, action: str, more: str, reason: str) -> str:
    lines = [
        "", "[[erratum]]", f"key = {json.dumps(item, ensure_ascii=False)}", f'digest = "{digest}"',
        f'action = "{action}"', *([more] if more else []), f'reason = "{reason}"', 'reviewer = ""', 'date = ""',
        'source = ""', "",
    ]  # fmt: skip
    return "\n".join(lines)

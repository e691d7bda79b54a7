"""Count the tokens that each method of scoring reads, over the paper's protocol on a fixed sample of CLIcK.

One item in ten, of all categories, 3 wordings x all rotations. Nothing is run: the strings are encoded as the adapter
encodes them and merged as its methods merge them. A string's last token is predicted and not read.

Usage: python benchmarks/tokens.py [ITEMS] [--tokenizer PATH_OR_ID] [--gguf FILE] [--every 10] [--write]
ITEMS is the dataset; default: CLICK_STATS_ITEMS. Without --tokenizer, bytes are counted (ByT5's tokenizer).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

REQUIRED = 6.0
"""Times fewer tokens for `packed` than with one sequence per option."""


def tokenizer_of(name: str | None, gguf: str | None):
    import transformers

    transformers.utils.logging.set_verbosity_error()
    if name is None:
        return transformers.ByT5Tokenizer(extra_ids=0), "bytes (ByT5)"
    found = transformers.AutoTokenizer.from_pretrained(name, **({"gguf_file": gguf} if gguf else {}))
    return found, f"{Path(name).name} ({len(found):,} tokens)"


def count(strings_of_group) -> dict[str, int]:
    """Tokens read for the requests of one item and wording: each a list of strings."""
    from click_stats.adapters.hf.trie import build

    flat = [string for strings in strings_of_group for string in strings]
    return {
        "reference": sum(len(string.ids) - 1 for string in flat),
        "prompt": sum(len(build(strings)) for strings in strings_of_group),
        "packed": len(build(flat)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("items", nargs="?", default=os.environ.get("CLICK_STATS_ITEMS"))
    parser.add_argument("--tokenizer")
    parser.add_argument("--gguf")
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--write", action="store_true", help="write the table to docs/performance.md")
    given = parser.parse_args()
    if not given.items or not find_spec("transformers"):
        print("Not run: needs the dataset (ITEMS or CLICK_STATS_ITEMS) and the extra local.")
        return
    import pages

    from click_stats.adapters.hf.settings import Settings
    from click_stats.adapters.hf.strings import question
    from click_stats.adapters.hf.text import Texts
    from click_stats.items import read_items
    from click_stats.protocol import plan, read_protocol

    tokenizer, named = tokenizer_of(given.tokenizer, given.gguf)
    texts, settings = Texts(tokenizer, 10**9), Settings()
    items = read_items(given.items)
    sample = items.frame.iloc[:: given.every]
    if missing := set(items.frame["category"]) - set(sample["category"]):
        sys.exit(f"The sample lacks {', '.join(sorted(missing))}.")
    passage = sample["has_passage"].astype(bool).to_dict()
    totals: dict[str, Counter[str]] = {"with a passage": Counter(), "without": Counter(), "all": Counter()}
    for group in plan(read_protocol("paper"), items).groups():
        if group[0].item not in passage:
            continue
        found = count([question(request, texts, settings, None).strings for request in group])
        found["items"] = 1
        for part in ("all", "with a passage" if passage[group[0].item] else "without"):
            totals[part].update(found)
    lines = [
        "| items | groups | one sequence per option | one context per prompt | `cache`, `packed` | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for part, found in totals.items():
        ratio = found["reference"] / found["packed"]
        lines.append(
            f"| {part} | {found['items']:,} | {found['reference']:,} | {found['prompt']:,} | {found['packed']:,} | {ratio:.2f} |"
        )
    ratio = totals["all"]["reference"] / totals["all"]["packed"]
    about = (
        f"`python benchmarks/tokens.py ITEMS{' --tokenizer …' if given.tokenizer else ''} --write`: the paper's protocol "
        f"(3 wordings, all rotations) over one item in {given.every} ({len(sample)} items, all categories); a group is an "
        f"item in one wording; tokenizer: {named}. Required: at least {REQUIRED:g} times fewer for `packed` over all items."
    )
    text = "\n".join([about, "", *lines])
    print(text)
    if given.write:
        pages.write("performance.md", "tokens", text)
    if ratio < REQUIRED:
        sys.exit(f"The ratio is {ratio:.2f}, not {REQUIRED:g}.")


if __name__ == "__main__":
    main()

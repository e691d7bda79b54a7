"""A trie of token ids: what several strings share at their beginning stands in it once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from click_stats.adapters.hf.strings import Scored


@dataclass
class Trie:
    """Strings merged by their beginnings.

    A node is a token that is read; the last token of a string is predicted, not read.

    Attributes
    ----------
    tokens, parents, depths
        Of each node; parents come before their children, and -1 is the parent of a first token.
    targets
        For each string the pairs (node after which a token is predicted, that token).
    """

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    targets: list[list[tuple[int, int]]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.tokens)

    def wanted(self) -> dict[int, list[int]]:
        """Return the tokens predicted after each node after which any is, in order of appearance."""
        found: dict[int, dict[int, None]] = {}
        for string in self.targets:
            for node, token in string:
                found.setdefault(node, {})[token] = None
        return {node: list(tokens) for node, tokens in found.items()}

    def children(self) -> list[list[int]]:
        """Return the children of each node, in order of appearance; those of the root come last, as index -1."""
        found: list[list[int]] = [[] for _ in range(len(self) + 1)]
        for node, parent in enumerate(self.parents):
            found[parent].append(node)
        return found


def build(strings: Iterable[Scored]) -> Trie:
    """Return the trie of strings; its targets are in their order."""
    trie = Trie()
    known: dict[tuple[int, int], int] = {}
    ids_before: tuple[int, ...] = ()
    path: list[int] = []
    for string in strings:
        ids = string.ids
        # Neighbours share nearly everything: go on from where they part instead of from the root.
        shared = 0
        for one, other in zip(ids[:-1], ids_before, strict=False):
            if one != other or shared == len(path):
                break
            shared += 1
        del path[shared:]
        for depth in range(shared, len(ids) - 1):
            parent = path[-1] if path else -1
            node = known.get((parent, ids[depth]))
            if node is None:
                node = known[parent, ids[depth]] = len(trie.tokens)
                trie.tokens.append(ids[depth])
                trie.parents.append(parent)
                trie.depths.append(depth)
            path.append(node)
        trie.targets.append([(path[index - 1], ids[index]) for index in range(string.start, len(ids))])
        ids_before = ids
    return trie

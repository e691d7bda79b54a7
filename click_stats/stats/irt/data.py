"""What is fitted: right answers and trials of models by items, floors, categories and passages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from click_stats.errors import DataError
from click_stats.stats import partition

if TYPE_CHECKING:
    from click_stats.counts import Counts, Denominator, FloatArray, IntArray

Floor = Literal["chance", "none"]
Model = Literal["auto", "1pl", "2pl", "3pl"]

FEWEST_MODELS = 6
"""Models below which no item is told from another."""
FEWEST_2PL = 20
"""Models below which a discrimination per item is refused."""
AUTO_2PL = 50
"""Models from which a discrimination per item is estimated unasked."""
NAMED = 4
"""Members of a block that are named."""


class Aside(DataError):  # noqa: N818 -- not an error of the user: the analysis steps aside
    """These data do not allow the analysis; the message is the reason that the result carries."""


@dataclass(frozen=True)
class Responses:
    """Counts of U models on I items, and where the items belong.

    A *leaf* is a set of items that share one ability of a model: the items of a category without a shared passage, or
    the items of one category on one passage.

    Attributes
    ----------
    correct, trials
        (U, I) counts; 0 trials where a model did not answer. They need not be whole numbers (over-dispersion).
    floor
        (I,) probability of a right answer without any ability.
    category
        (I,) code of the category of an item, 0..C-1.
    leaf
        (I,) code of the leaf of an item, 0..G-1.
    leaf_category, leaf_passage
        (G,) category of a leaf, and whether it is a passage.
    """

    correct: FloatArray
    trials: FloatArray
    floor: FloatArray
    category: IntArray
    leaf: IntArray
    leaf_category: IntArray
    leaf_passage: np.ndarray

    @property
    def n_categories(self) -> int:
        """Number of categories."""
        return int(self.category.max()) + 1

    def weighted(self, weights: FloatArray) -> Responses:
        """Return the same with every count of a cell multiplied by its weight, (U, I)."""
        return Responses(**{**vars(self), "correct": self.correct * weights, "trials": self.trials * weights})


@dataclass(frozen=True)
class Answers:
    """The responses and the names of what takes part.

    Attributes
    ----------
    responses
        The counts.
    units, items
        Labels of the units, and positions in the counts of the items that any of them answered.
    categories
        Names of the categories, by code.
    clusters
        (I,) code of the passage of an item.
    left_out
        Units that take no part, with the reason.
    """

    responses: Responses
    units: tuple[str, ...]
    items: IntArray
    categories: tuple[str, ...]
    clusters: IntArray
    left_out: dict[str, str]


def prepare(
    counts: Counts,
    *,
    floor: Floor = "chance",
    categories: bool = True,
    passages: bool = True,
    denominator: Denominator = "responded",
) -> Answers:
    """Choose models and items, and say which items share an ability.

    Raises
    ------
    Aside
        Fewer than six models, no item on which they differ, or models and items in blocks without a link.
    """
    trials = counts.scores(denominator).trials
    people = counts.people
    left_out: dict[str, str] = {}
    for row, unit in enumerate(map(str, counts.units.index)):
        if bool(people[row]):
            left_out[unit] = "not a model"
        elif not trials[row].any():
            left_out[unit] = "no answer counted"
    kept = np.array([str(unit) not in left_out for unit in counts.units.index], dtype=bool)
    n_models = counts.units["model"][kept].nunique()
    if n_models < FEWEST_MODELS:
        raise Aside(
            f"An item response model needs at least {FEWEST_MODELS} models, and {n_models} "
            f"{'has' if n_models == 1 else 'have'} answers: read more models, or use raw proportions correct."
        )
    items = np.flatnonzero(trials[kept].any(axis=0)).astype(np.int64)
    correct, shown = counts.correct[kept][:, items], trials[kept][:, items]
    if correct.sum() in {0, shown.sum()}:
        raise Aside(f"Every answer is {'right' if correct.sum() else 'wrong'}: nothing tells items or models apart.")
    if np.isin(correct.sum(axis=0) / shown.sum(axis=0), (0.0, 1.0)).all():
        raise Aside("Every item was answered right by all models or wrong by all: nothing tells how hard it is.")
    units = tuple(map(str, counts.units.index[kept]))
    _check_linked(shown > 0, units)
    names = list(counts.categories) or list(dict.fromkeys(counts.items["category"]))
    own = counts.items["category"].to_numpy()[items]
    present = tuple(name for name in names if (own == name).any())
    category = np.array([present.index(name) for name in own], dtype=np.int64)
    chance = 1.0 / counts.items["n_options"].to_numpy(dtype=np.float64)[items]
    clusters = partition.clusters(counts, items)
    code = category if categories else np.zeros_like(category)
    leaf, leaf_category, leaf_passage = leaves(code, clusters, passages=passages)
    responses = Responses(
        correct.astype(np.float64),
        shown.astype(np.float64),
        chance if floor == "chance" else np.zeros_like(chance),
        code,
        leaf,
        leaf_category,
        leaf_passage,
    )
    return Answers(responses, units, items, present, clusters, left_out)


def leaves(category: IntArray, clusters: IntArray, *, passages: bool) -> tuple[IntArray, IntArray, np.ndarray]:
    """Return the leaf of each item, and the category of each leaf and whether it is a passage."""
    shared = (np.bincount(clusters)[clusters] > 1) & passages
    passage = np.where(shared, clusters, -1)
    keys = pd.DataFrame({"category": category, "passage": passage})
    leaf = keys.groupby(["category", "passage"], sort=True).ngroup().to_numpy().astype(np.int64)
    first = np.array([int(np.flatnonzero(leaf == one)[0]) for one in range(int(leaf.max()) + 1)])
    return leaf, category[first], passage[first] >= 0


def _check_linked(answered: np.ndarray, units: tuple[str, ...]) -> None:
    """Raise Aside when some models share no item, not even over other models, with the rest."""
    n_units = len(units)
    rows, columns = np.nonzero(answered)
    size = n_units + answered.shape[1]
    graph = csr_matrix((np.ones(rows.size), (rows, n_units + columns)), shape=(size, size))
    n_blocks, block = connected_components(graph, directed=False)
    if n_blocks == 1:
        return
    parts = []
    for one in range(n_blocks):
        members = [unit for unit, code in zip(units, block[:n_units], strict=True) if code == one]
        n_items = int((block[n_units:] == one).sum())
        more = f" and {len(members) - NAMED} more" if len(members) > NAMED else ""
        parts.append(f"{', '.join(members[:NAMED])}{more} ({n_items} {'item' if n_items == 1 else 'items'})")
    raise Aside(
        f"The models answered {n_blocks} separate sets of items, so that difficulties of one cannot be compared with "
        f"those of another: {'; '.join(parts)}. Analyse each set on its own, or add a model that answered items of all."
    )

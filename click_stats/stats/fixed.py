"""Error of an accuracy when the items are the target themselves, not a sample of possible items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pandas as pd

from click_stats.errors import UsageError
from click_stats.stats.missing import why_undefined
from click_stats.stats.tools.clustered import NO_ITEMS, ZERO, item_means

if TYPE_CHECKING:
    import numpy.typing as npt

    from click_stats.counts import Counts, FloatArray, IntArray
    from click_stats.stats.partition import Group

    BoolArray = npt.NDArray[np.bool_]

Wordings = Literal["fixed", "sampled"]

ONE_TRIAL = "one trial per item: nothing shows how an answer to the same item varies"
ONE_ANSWER = "one answer per prompt of a complete design: nothing shows how an answer to a prompt varies"
ALL_AGREE = "all answers to the same prompt agree: their error cannot be told from 0"
ONE_WORDING = "one wording: the spread between wordings is unknown"
NO_COMMON = "no item was answered in every wording"

POOLED = "error of items with too few answers taken from the others"
"""Flag: some items had one answer only; they were given the mean variance of the others."""
NO_REPLICATES = "answers to the same prompt taken as certain"
"""Flag: one answer per prompt in an incomplete set of rotations."""


class FixedError(NamedTuple):
    """Standard error and degrees of freedom with the items fixed; NaN, with the reason, when undefined."""

    std_error: float
    df: float
    reason: str = ""
    flag: str = ""


def fixed_errors(counts: Counts, group: Group, weights: FloatArray | None, wordings: Wordings) -> list[FixedError]:
    """Return the error of the mean of each unit over the items of a group, the items being fixed.

    Parameters
    ----------
    counts
        With ``cells``: trials by item, wording and rotation.
    group
        The items, and the categories when the mean is over categories.
    weights
        (U, n) weights of the items; equal when None.
    wordings
        ``fixed``: the target is these wordings; ``sampled``: wordings like these.

    Raises
    ------
    UsageError
        The counts have no ``cells``.

    Notes
    -----
    With w_i the weight of item i in the mean, SE² = sum w_i² v_i. In wording w the rotations shown are n_r of the
    N an item has, f = n_r/N. With s1² the variance between rotations and s2² that between answers to one prompt
    (m of them), v = (1 - f) s1²/n_r + f s2²/(n_r m): the two-stage estimator (Cochran 1977, section 10.6), 0 from
    rotations when all were shown. Where every item was shown in a single order, that order belongs to the target.
    Degrees of freedom: Satterthwaite's. Wordings treated as sampled are common to all items: SE² is then the
    variance of the wordings' means over their number, with one degree of freedom less than wordings, plus the
    rotations' part.
    """
    if counts.cells is None:
        raise UsageError(
            "The target 'fixed' needs the trials by wording and rotation, which these counts lack.",
            do="Count the trials with cells, or use the target 'sampled'.",
        )
    place = pd.Series(np.arange(group.items.size), index=counts.items.index[group.items])
    cells = counts.cells[(counts.cells["n_trials"] > 0) & counts.cells["item"].isin(place.index)]
    n_options = counts.items["n_options"].to_numpy(dtype=np.int64)[group.items]
    by_unit = dict(list(cells.groupby("unit", observed=True)))
    found = []
    for row, unit in enumerate(counts.units.index):
        part = by_unit.get(unit)
        if part is None or part.empty:
            found.append(FixedError(np.nan, np.nan, NO_ITEMS))
            continue
        frame = pd.DataFrame(
            {
                "item": place.loc[part["item"]].to_numpy(),
                "wording": part["wording"].astype(str).to_numpy(),
                "rotation": part["rotation"].astype(str).to_numpy(),
                "m": part["n_trials"].to_numpy(dtype=np.float64),
                "share": part["n_correct"].to_numpy(dtype=np.float64) / part["n_trials"].to_numpy(),
            }
        )
        item_weights = _item_weights(frame["item"].to_numpy(), group, None if weights is None else weights[row])
        empty = why_undefined(np.where(item_weights > 0, 1.0, np.nan), group, NO_ITEMS)
        if empty:
            found.append(FixedError(np.nan, np.nan, empty))
        elif wordings == "sampled":
            found.append(_sampled(frame, group, item_weights, n_options))
        else:
            found.append(_fixed(frame, item_weights, n_options))
    return found


def _item_weights(answered: IntArray, group: Group, weights: FloatArray | None) -> FloatArray:
    """Return (n,) shares of the items in the mean; 0 for items without an answer."""
    share = np.zeros(group.items.size)
    share[answered] = 1.0 if weights is None else weights[answered]
    codes = np.zeros(share.size, dtype=np.int64) if group.strata is None else group.strata
    totals = np.bincount(codes, share)
    with np.errstate(invalid="ignore"):
        found: FloatArray = np.nan_to_num(share / totals[codes]) / np.unique(codes).size
    return found


def _rotations(frame: pd.DataFrame, keys: list[str], n_options: IntArray) -> pd.DataFrame:
    """Return per item (and wording) the rotations shown, their share f of all, and the variance between them."""
    cells = frame.groupby([*keys, "rotation"], sort=False)["share"].mean().groupby(keys, sort=False)
    found = pd.DataFrame({"n_r": cells.size(), "s1": cells.var()}).reset_index()
    orders = frame.drop_duplicates(["item", "rotation"])["item"]
    one_order = not orders.duplicated().any()
    found["f"] = 1.0 if one_order else np.minimum(found["n_r"] / n_options[found["item"]], 1.0)
    return found


def _fixed(frame: pd.DataFrame, item_weights: FloatArray, n_options: IntArray) -> FixedError:
    trials = np.bincount(frame["item"], frame["m"], minlength=item_weights.size)
    shown = _rotations(frame, ["item", "wording"], n_options)
    frame = frame.merge(shown[["item", "wording", "f"]], on=["item", "wording"])
    # What a prompt's answers weigh in the estimate, and all answers to the item in one wording.
    frame["a"] = item_weights[frame["item"]] * frame["m"] / trials[frame["item"]]
    shown["a"] = frame.groupby(["item", "wording"], sort=False)["a"].sum().to_numpy()
    nothing = FixedError(np.nan, np.nan, ONE_TRIAL if trials.max() == 1 else ONE_ANSWER)

    repeated = (frame["m"] > 1).to_numpy()
    incomplete = (shown["f"] < 1).to_numpy()
    several = incomplete & (shown["n_r"] > 1).to_numpy()
    if (not repeated.any() and not incomplete.all()) or (incomplete.any() and not several.any()):
        return nothing
    flags = []
    if not repeated.any():
        flags.append(NO_REPLICATES)
    if (repeated.any() and not repeated.all()) or (several != incomplete).any():
        flags.append(POOLED)
    squares = (frame["m"] * frame["share"] * (1 - frame["share"])).to_numpy()
    within = _parts(
        (frame["f"] * frame["a"] ** 2 / frame["m"]).to_numpy(), squares, (frame["m"] - 1).to_numpy(), repeated
    )
    between = _parts(
        (shown["a"] ** 2 * (1 - shown["f"]) / shown["n_r"]).to_numpy()[incomplete],
        (shown["s1"] * (shown["n_r"] - 1)).to_numpy()[incomplete],
        (shown["n_r"] - 1).to_numpy()[incomplete],
        several[incomplete],
    )
    return _satterthwaite(np.concatenate([within, between], axis=1), "; ".join(flags))


def _parts(factors: FloatArray, squares: FloatArray, degrees: FloatArray, own: BoolArray) -> FloatArray:
    """Return (2, K) parts of a variance and their degrees of freedom.

    A part is its factor times its own sum of squares over its degrees of freedom. Those that have none of their own
    take the pooled one, all together as a single part, since they share its error.
    """
    if not own.any():
        return np.empty((2, 0))
    pooled = np.array([[factors[~own].sum() * squares[own].sum() / degrees[own].sum()], [degrees[own].sum()]])
    return np.concatenate([[factors[own] * squares[own] / degrees[own], degrees[own]], pooled], axis=1)


def _sampled(frame: pd.DataFrame, group: Group, item_weights: FloatArray, n_options: IntArray) -> FixedError:
    keyed = frame.assign(k=frame["share"] * frame["m"])
    table = keyed.pivot_table(index="item", columns="wording", values=["k", "m"], aggfunc="sum")
    shares = (table["k"] / table["m"]).dropna()
    n_wordings = table["m"].shape[1]
    if n_wordings < 2:
        return FixedError(np.nan, np.nan, ONE_WORDING)
    values = np.full((n_wordings, group.items.size), np.nan)
    values[:, shares.index] = shares.to_numpy().T
    means = item_means(values, group.strata, np.broadcast_to(item_weights, values.shape))
    if np.isnan(means).any():
        return FixedError(np.nan, np.nan, NO_COMMON)
    shown = _rotations(frame, ["item"], n_options)
    shown = shown[(shown["f"] < 1) & (shown["n_r"] > 1)]
    between = item_weights[shown["item"]] ** 2 * (1 - shown["f"]) * shown["s1"] / shown["n_r"]
    parts = [[[means.var(ddof=1) / n_wordings], [n_wordings - 1]], [between, shown["n_r"] - 1]]
    return _satterthwaite(np.concatenate(parts, axis=1), "")


def _satterthwaite(parts: FloatArray, flag: str) -> FixedError:
    """Return the error of a sum of independent parts (first row) of known degrees of freedom (second row)."""
    variances, degrees = parts[:, parts[0] > 0]
    total = float(variances.sum())
    if total < ZERO**2:
        return FixedError(np.nan, np.nan, ALL_AGREE)
    return FixedError(float(np.sqrt(total)), total**2 / float((variances**2 / degrees).sum()), "", flag)

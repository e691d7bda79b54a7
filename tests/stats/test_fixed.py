import numpy as np
import pandas as pd
import pytest

from click_stats.errors import UsageError
from click_stats.stats import fixed, partition
from click_stats.stats.accuracy import accuracy
from click_stats.stats.fixed import fixed_errors


@pytest.fixture
def counts_from(counts_of):
    """Counts of one model from cells (item, wording, rotation, trials, correct)."""

    def make(rows, n_items, **options):
        cells = pd.DataFrame(rows, columns=["item", "wording", "rotation", "n_trials", "n_correct"])
        totals = cells.groupby("item")[["n_correct", "n_trials"]].sum().reindex(range(n_items), fill_value=0)
        cells["item"] = [f"i{k}" for k in cells["item"]]
        cells.insert(0, "unit", "m0")
        return counts_of(
            totals["n_correct"].to_numpy()[None], totals["n_trials"].to_numpy()[None], cells=cells, **options
        )

    return make


def error(counts, wordings="fixed", by="overall", weights=None):
    (group,) = partition.groups(counts, by)
    (found,) = fixed_errors(counts, group, weights, wordings)
    return found


def test_replicates_in_one_order_by_hand(counts_from):
    counts = counts_from([(0, "foreign", 0, 3, 2), (1, "foreign", 0, 3, 3)], 2)
    found = error(counts)
    variance = (2 / 3 * 1 / 3) * 3 / 2 / 3  # of the first item's mean of three; the second's answers agree
    assert found.std_error == pytest.approx(np.sqrt(variance / 4))
    assert found.df == pytest.approx(2)
    assert (found.reason, found.flag) == ("", "")


def test_a_complete_set_of_rotations_contributes_nothing(counts_from):
    """Between rotations the item goes from never to always right, within them one prompt is unsure."""
    rows = [(0, "1", 0, 2, 0), (0, "1", 1, 2, 2), (0, "1", 2, 2, 1), (0, "1", 3, 2, 2)]
    found = error(counts_from(rows, 1))
    assert found.std_error == pytest.approx(np.sqrt((1 / 4) ** 2 * 0.5 / 2))
    assert found.df == pytest.approx(1)


def test_an_incomplete_set_uses_the_finite_population_factor(counts_from):
    rows = [(0, "1", 0, 1, 0), (0, "1", 1, 1, 1), (0, "1", 2, 1, 1)]
    found = error(counts_from(rows, 1))
    assert found.std_error == pytest.approx(np.sqrt((1 - 3 / 4) * np.var([0, 1, 1], ddof=1) / 3))
    assert found.df == pytest.approx(2)
    assert found.flag == fixed.NO_REPLICATES
    five = error(counts_from(rows, 1, n_options=5))
    assert five.std_error == pytest.approx(np.sqrt((1 - 3 / 5) * np.var([0, 1, 1], ddof=1) / 3))


@pytest.mark.parametrize(
    ("rows", "wordings", "reason"),
    [
        ([(0, "foreign", 0, 1, 1), (1, "foreign", 0, 1, 0)], "fixed", fixed.ONE_TRIAL),
        ([(0, "1", r, 1, r % 2) for r in range(4)], "fixed", fixed.ONE_ANSWER),
        ([(0, "foreign", 0, 3, 3), (1, "foreign", 0, 3, 0)], "fixed", fixed.ALL_AGREE),
        ([(0, "foreign", 0, 3, 1)], "sampled", fixed.ONE_WORDING),
        ([(0, "1", 0, 1, 1), (1, "2", 0, 1, 0)], "sampled", fixed.NO_COMMON),
        ([(0, "1", 0, 0, 0)], "fixed", "no item was answered"),
        ([], "sampled", "no item was answered"),
    ],
)
def test_never_zero_but_undefined_with_the_reason(counts_from, rows, wordings, reason):
    found = error(counts_from(rows, 2), wordings)
    assert np.isnan(found.std_error)
    assert np.isnan(found.df)
    assert found.reason == reason


def test_items_answered_once_take_the_variance_of_the_others(counts_from):
    rows = [(0, "foreign", 0, 3, 2), (1, "foreign", 0, 3, 1), (2, "foreign", 0, 1, 1)]
    found = error(counts_from(rows, 3))
    single = (2 * 3 * (2 / 9)) / 4  # pooled variance of one answer, 4 degrees of freedom
    parts = np.array([1 / 3 / 3, 1 / 3 / 3, single]) / 9
    assert found.std_error == pytest.approx(np.sqrt(parts.sum()))
    assert found.df == pytest.approx(parts.sum() ** 2 / (parts**2 / [2, 2, 4]).sum())
    assert found.flag == fixed.POOLED


def test_wordings_treated_as_sampled(counts_from):
    shares = {"1": (1, 1, 0), "2": (1, 0, 0), "3": (1, 1, 1)}
    rows = [(i, w, 0, 1, right) for w, line in shares.items() for i, right in enumerate(line)]
    found = error(counts_from(rows, 3), "sampled")
    assert found.std_error == pytest.approx(np.sqrt(np.var([2 / 3, 1 / 3, 1], ddof=1) / 3))
    assert found.df == pytest.approx(2)


def test_macro_weights(counts_from):
    rows = [(0, "foreign", 0, 2, 1), (1, "foreign", 0, 2, 1), (2, "foreign", 0, 2, 1)]
    found = error(counts_from(rows, 3, category=["A", "A", "B"]), by="macro")
    one = 0.5 / 2
    assert found.std_error == pytest.approx(np.sqrt(one * (2 / 16 + 1 / 4)))


def simulated(rng, *, rotations, m, n_items=30, n_options=4, wordings=1):
    """Cells with known probabilities by item, wording and rotation; rotations drawn per item without replacement."""
    p = rng.beta(1.2, 0.8, (n_items, wordings, n_options))
    truth = p.mean()
    for _ in range(400):
        rows = [
            (i, str(w), int(r), m, int(rng.binomial(m, p[i, w, r])))
            for i in range(n_items)
            for r in rng.permutation(n_options)[:rotations]
            for w in range(wordings)
        ]
        yield rows, truth


@pytest.mark.parametrize(("rotations", "m"), [(4, 2), (4, 3), (3, 2), (2, 3)])
def test_the_variance_is_unbiased_over_answers_and_rotations(counts_from, rotations, m):
    rng = np.random.default_rng(7)
    squares, variances = [], []
    for rows, truth in simulated(rng, rotations=rotations, m=m):
        counts = counts_from(rows, 30)
        squares.append((sum(row[4] for row in rows) / (30 * rotations * m) - truth) ** 2)
        variances.append(error(counts).std_error ** 2)
    spread = np.sqrt(np.var(squares) / 400 + np.var(variances) / 400)
    assert abs(np.mean(variances) - np.mean(squares)) < 4 * spread
    assert spread < 0.15 * np.mean(squares)


def test_accuracy_with_fixed_items(counts_from):
    counts = counts_from([(0, "foreign", 0, 3, 2), (1, "foreign", 0, 3, 3), (2, "foreign", 0, 3, 0)], 3)
    row = accuracy(counts, target="fixed").to_frame().iloc[0]
    assert row["estimate"] == pytest.approx(5 / 9)
    assert row["std_error"] == pytest.approx(error(counts).std_error)
    assert (row["target"], row["method"]) == ("fixed", "Wilson, items fixed")
    assert 0 < row["conf_low"] < 5 / 9 < row["conf_high"] < 1
    once = accuracy(counts_from([(0, "foreign", 0, 1, 1)], 1), target="fixed").to_frame().iloc[0]
    assert np.isnan(once["std_error"])
    assert np.isnan(once["conf_low"])
    assert once["reason"] == fixed.ONE_TRIAL


def test_what_fixed_items_cannot_have(counts_of, counts_from):
    with pytest.raises(UsageError, match="wording and rotation"):
        accuracy(counts_of([[1, 0]]), target="fixed")
    counts = counts_from([(0, "foreign", 0, 3, 2)], 1)
    with pytest.raises(UsageError, match="'bca'"):
        accuracy(counts, target="fixed", interval="bca")
    with pytest.raises(UsageError, match="denominator"):
        accuracy(counts, target="fixed", denominator="planned")

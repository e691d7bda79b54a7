"""The coverage benchmark in small: its model is what it says, and the default interval covers."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from click_stats.stats.tools.clustered import cluster_mean
from click_stats.stats.tools.intervals import clustered_wilson


@pytest.fixture(scope="module")
def coverage():
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "coverage.py"
    spec = importlib.util.spec_from_file_location("coverage_benchmark", path)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(path.parent)  # as when the script is run: it imports its neighbours
        spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("accuracy", [0.25, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("category", ["Popular", "Economy"])
def test_default_covers_single_answers_by_enumeration(coverage, category, accuracy):
    found = coverage.exact(coverage.categories()[category], accuracy)
    assert 0.93 <= found["clustered Wilson"]["coverage"] <= 0.98
    assert found["clustered Wilson"]["undefined"] == 0
    # A plain enumeration of the same.
    n = coverage.categories()[category].size
    total = 0.0
    for right in range(n + 1):
        interval = clustered_wilson(cluster_mean((np.arange(n) < right).astype(float), np.arange(n)))
        if interval.low <= accuracy <= interval.high:
            total += coverage.stats.binom.pmf(right, n, accuracy)
    assert found["clustered Wilson"]["coverage"] == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize(("trials", "accuracy"), [(1, 0.5), (1, 0.95), (12, 0.5), (12, 0.8)])
def test_default_covers_shared_passages_and_several_trials(coverage, trials, accuracy):
    clusters = coverage.categories()["Functional"]
    rng = np.random.default_rng(1)
    (correct,) = coverage.answers(rng, (accuracy,), clusters, trials, 4000)
    mean, error = coverage.means_and_errors(correct / trials, clusters)
    low, high = coverage.wilson_ends(mean, error, int(clusters.max()) + 1)
    covered = float(((low <= accuracy) & (accuracy <= high)).mean())
    assert 0.93 - 0.014 <= covered <= 0.98 + 0.014  # 4 standard errors of 4,000 replications
    naive = np.sqrt(mean * (1 - mean) / (clusters.size * trials))
    plain = float((np.abs(mean - accuracy) <= 1.96 * naive).mean())
    assert plain < covered  # taking trials and items of a passage as independent covers less


def test_answers_have_the_stated_means_and_correlations(coverage):
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(500), 2)
    first, second = coverage.answers(rng, (0.5, 0.5), clusters, 2, 100)
    assert first.mean() / 2 == pytest.approx(0.5, abs=0.01)
    # Variance of a sum of two trials: 2 p(1 - p)(1 + correlation).
    assert first.var() / (2 * 0.25) - 1 == pytest.approx(coverage.ITEM_CORRELATION, abs=0.02)
    single = coverage.answers(rng, (0.5,), clusters, 1, 100)[0]
    pairs = single.reshape(100, 500, 2)
    assert np.corrcoef(pairs[..., 0].ravel(), pairs[..., 1].ravel())[0, 1] == pytest.approx(0.2, abs=0.03)
    one, other = coverage.answers(rng, (0.5, 0.5), clusters, 1, 100)
    assert np.corrcoef(one.ravel(), other.ravel())[0, 1] == pytest.approx(0.45, abs=0.03)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(("accuracy", "gap"), [(0.5, 0.0), (0.8, 0.05)])
def test_paired_interval_covers(coverage, accuracy, gap):
    found = coverage.paired_exact(coverage.categories()["Popular"], accuracy, gap)
    assert 0.93 <= found[coverage.PAIRED]["coverage"] <= 0.98
    several = coverage.paired_simulated(coverage.categories()["Functional"], accuracy, gap, 12, 2000, 3)
    assert 0.93 - 0.02 <= several[coverage.PAIRED]["coverage"] <= 0.98 + 0.02


def test_text_goes_between_its_markers(coverage, tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- coverage:begin -->\nold\n<!-- coverage:end -->\nafter\n")
    monkeypatch.setattr(coverage.pages, "DOCS", tmp_path)
    coverage.pages.write("page.md", "coverage", "new")
    assert page.read_text() == "before\n<!-- coverage:begin -->\nnew\n<!-- coverage:end -->\nafter\n"
    with pytest.raises(ValueError, match="no markers"):
        coverage.pages.write("page.md", "bootstrap", "more")

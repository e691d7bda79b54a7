import numpy as np
import pytest

from click_stats.stats.tools import maxt
from click_stats.stats.tools.clustered import cluster_mean
from click_stats.stats.tools.columns import columns
from click_stats.stats.tools.maxt import critical_value, max_t

DRAWS = 199


def _data(seed=0, n_units=4, n_items=60, n_strata=1):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2, (n_items, n_units)).astype(float)
    clusters = np.minimum(rng.integers(0, n_items, n_items), n_items - 1)
    strata = None if n_strata == 1 else np.arange(n_items) * n_strata // n_items
    return values, clusters, strata


def _drawn(values, clusters, strata, first, second, signs):
    """The statistics by definition: signed residuals of items, their mean and its error from scratch."""
    difference = values[:, first] - values[:, second]
    codes = np.zeros(len(values), dtype=int) if strata is None else strata
    residual = difference - np.array([difference[codes == k].mean() for k in range(codes.max() + 1)])[codes]
    found = []
    for sign in signs.T:
        mean = cluster_mean(sign[clusters] * residual, clusters, strata)
        found.append(abs(mean.estimate) / mean.std_error)
    return np.array(found)


@pytest.mark.parametrize("n_strata", [1, 3])
@pytest.mark.parametrize("as_columns", [False, True])
def test_statistics_are_recomputed_in_every_draw(n_strata, as_columns):
    values, clusters, strata = _data(1, 5, 60, n_strata)
    first, second = np.triu_indices(5, 1)
    made = columns(values, clusters, strata, n_strata)
    group = made.contrasts(first, second)
    group = group.collapsed() if as_columns else group
    signs = next(maxt._signs(60, 50, 7, 500))
    found = np.sqrt(maxt._Kernel(group).squared(signs))
    for k, (a, b) in enumerate(zip(first, second, strict=True)):
        assert found[k] == pytest.approx(_drawn(values, clusters, strata, a, b, signs), rel=1e-9)


@pytest.mark.parametrize("n_strata", [1, 3])
def test_columns_agree_with_one_clustered_mean_at_a_time(n_strata):
    values, clusters, strata = _data(2, 3, 45, n_strata)
    made = columns(values, clusters, strata, n_strata)
    errors = made.std_errors(np.array([0, 0]), np.array([1, 2]))
    for k, other in enumerate((1, 2)):
        mean = cluster_mean(values[:, 0] - values[:, other], clusters, strata)
        assert made.estimates[0] - made.estimates[other] == pytest.approx(mean.estimate, abs=1e-12)
        assert errors[k] == pytest.approx(mean.std_error, rel=1e-10)
        assert made.n_clusters[0] == mean.n_clusters


def test_step_down_by_definition():
    values, clusters, _ = _data(3, 4, 80)
    values[:, 0] = np.where(np.arange(80) < 60, 1.0, values[:, 0])
    first, second = np.triu_indices(4, 1)
    made = columns(values, clusters)
    group = made.contrasts(first, second)
    observed = (made.estimates[first] - made.estimates[second]) / made.std_errors(first, second)
    found = max_t([group], observed, {"all": np.arange(6)}, n_clusters=80, draws=DRAWS, seed=1)["all"]
    signs = next(maxt._signs(80, DRAWS, 1, 500))
    drawn = np.array([_drawn(values, clusters, None, a, b, signs) for a, b in zip(first, second, strict=True)])
    order = np.argsort(-abs(observed))
    p, worst = {}, 0.0
    for step, test in enumerate(order):
        hits = (drawn[order[step:]].max(axis=0) >= abs(observed[test]) * (1 - 1e-9)).sum()
        worst = max(worst, (1 + hits) / (1 + DRAWS))
        p[test] = worst
    assert found.p == pytest.approx([p[k] for k in range(6)], abs=1e-12)
    assert found.critical == pytest.approx(np.sort(drawn.max(axis=0))[-9], rel=1e-9)
    assert (found.p < 0.05).sum() >= 3, "the case must have something to step over"


def test_families_share_signs_and_chunks_do_not_matter(monkeypatch):
    values, clusters, _ = _data(4, 4, 70)
    first, second = np.triu_indices(4, 1)
    made = columns(values, clusters)
    observed = (made.estimates[first] - made.estimates[second]) / made.std_errors(first, second)
    families = {"all": np.arange(6), "some": np.array([4, 1])}
    both = max_t([made.contrasts(first, second)], observed, families, n_clusters=70, draws=1_200, seed=2)
    part = [made.contrasts(first[:3], second[:3]), made.contrasts(first[3:], second[3:])]
    monkeypatch.setattr(maxt, "CELLS", 40)
    again = max_t(part, observed, families, n_clusters=70, draws=1_200, seed=2)
    for name in families:
        assert both[name].p.tolist() == again[name].p.tolist()
        assert both[name].maxima == pytest.approx(again[name].maxima, rel=1e-12)
    alone = max_t(
        [made.contrasts(first, second).only(np.array([4, 1]))],
        observed[[4, 1]],
        {"some": np.arange(2)},
        n_clusters=70,
        draws=1_200,
        seed=2,
    )
    assert both["some"].p == pytest.approx(alone["some"].p, abs=1e-12)
    assert (both["some"].p <= both["all"].p[[4, 1]]).all(), "a smaller family cannot cost more"


def test_critical_value_is_where_p_falls_below_alpha():
    maxima = np.arange(1.0, 200.0)
    critical = critical_value(maxima, 0.05)
    assert (1 + (maxima >= critical + 0.5).sum()) / 200 < 0.05
    assert (1 + (maxima >= critical).sum()) / 200 >= 0.05
    assert np.isnan(critical_value(maxima[:10], 0.05))


def test_an_empty_family():
    found = max_t([], np.empty(0), {"none": np.empty(0, dtype=int)}, n_clusters=3, draws=40)["none"]
    assert found.p.size == 0
    assert np.isnan(found.critical)


def test_family_wise_error_of_tied_models():
    """Six tied models, single answers on items of shared difficulty, pairs of items in clusters."""
    rng = np.random.default_rng(20)
    first, second = np.triu_indices(6, 1)
    clusters = np.arange(60) // 2
    rejected = 0
    repeats = 600
    for repeat in range(repeats):
        easy = np.clip(rng.normal(0.6, 0.25, 60), 0.02, 0.98)
        made = columns((rng.random((60, 6)) < easy[:, None]).astype(float), clusters)
        error = made.std_errors(first, second)
        kept = np.flatnonzero(error > 1e-9)
        observed = ((made.estimates[first] - made.estimates[second]) / np.where(error > 0, error, 1))[kept]
        group = made.contrasts(first, second).only(kept)
        found = max_t([group], observed, {"all": np.arange(len(kept))}, n_clusters=30, draws=DRAWS, seed=repeat)
        rejected += found["all"].p.min() < 0.05
    assert rejected / repeats <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats)
    assert rejected / repeats >= 0.02

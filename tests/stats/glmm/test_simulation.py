"""Estimates over repeated data sets come back to what the data were made from."""

import numpy as np

from click_stats.stats.glmm import GlmmData, GlmmSpec, fit

SEEDS = range(24)


def test_recovery(cells):
    """Means over seeded data sets against the truth, within 4 standard errors of the mean.

    The standard deviation over models is left to a wide band: with 12 of them maximum likelihood makes it too small.
    """
    spec = GlmmSpec("category + log10_params + corpus", ("item", "model", "model:category", "cell"))
    truth = {"sd_item": 1.0, "sd_model": 0.35, "sd_cross": 0.3, "sd_cell": 0.4}
    fits = [fit(GlmmData.from_frame(cells(12, 120, 12, seed=100 + seed, kinds=6, **truth)), spec) for seed in SEEDS]
    beta = np.array([found.beta for found in fits])
    contrasts = np.linspace(-0.4, 0.4, 6)
    expected = np.r_[-0.2 + contrasts[0], contrasts[1:] - contrasts[0], 0.9, 0.4]
    error = beta.std(axis=0, ddof=1) / np.sqrt(len(fits))
    assert np.all(np.abs(beta.mean(axis=0) - expected) < 4 * error)
    sd = np.array([found.sd for found in fits])
    error = sd.std(axis=0, ddof=1) / np.sqrt(len(fits))
    for k, value in ((0, 1.0), (2, 0.3), (3, 0.4)):
        # Laplace with 12 trials is a little low: allow 2 % beside the Monte Carlo error.
        assert abs(sd[:, k].mean() - value) < 4 * error[k] + 0.02 * value
    assert 0.2 < sd[:, 1].mean() < 0.38
    # The stated standard errors of the category contrasts are the spread that is seen, up to Monte Carlo error.
    ratio = np.array([found.se for found in fits]).mean(axis=0) / beta.std(axis=0, ddof=1)
    assert np.all((ratio[1:6] > 0.6) & (ratio[1:6] < 1.7))


def test_the_estimates_do_not_depend_on_the_seed_of_anything(cells):
    data, spec = GlmmData.from_frame(cells()), GlmmSpec("category")
    one, two = fit(data, spec), fit(data, spec)
    assert np.array_equal(one.beta, two.beta)
    assert one.loglik == two.loglik

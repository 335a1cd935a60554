# SPDX-License-Identifier: BSD-3-Clause
"""How often intervals and sets hold what they promise, over samples that are drawn again.

``python -m tests.conformal.replicates [SAMPLES]`` prints a line for each method: the coverage of
new rows, what it exceeds the level by, its standard error over samples, and the mean size.
"""

import sys
from functools import partial

import numpy as np

import statfast as sf
from statfast import ConformalClassifier, ConformalRegressor

LEVEL, NEW_ROWS = 0.9, 100


def numbers(rng, n):
    """Rows and targets, whose errors are skewed and larger on one side."""
    X = rng.normal(size=(n, 4))
    return X, X[:, 0] ** 2 + X[:, 1] + rng.exponential(size=n) * np.exp(0.5 * X[:, 2])


def labels(rng, n):
    """Rows of three classes that overlap."""
    codes = rng.integers(0, 3, n)
    return rng.normal(size=(n, 2)) + np.eye(3)[codes][:, :2], codes


def _regressor(method, estimator=None, **settings):
    return lambda rng, level: ConformalRegressor(
        None if estimator is None else estimator(), method=method, level=level, random_state=rng,
        **settings,
    )  # fmt: skip


def _classifier(method, score):
    return lambda rng, level: ConformalClassifier(
        sf.GaussianNB(), method=method, conformity_score=score, level=level, random_state=rng
    )


_boosting = partial(
    sf.HistGradientBoostingRegressor, loss="quantile", quantile=0.5, max_iter=20,
    min_samples_leaf=5,
)  # fmt: skip
_forest = partial(sf.RandomForestRegressor, 20, random_state=0, n_jobs=1)
# Name: what makes the model, rows of the fit, and whether the level is met exactly.
REGRESSIONS = {
    "split": (_regressor("split"), 99 * 4, True),
    "cv+": (_regressor("cv+"), 60, False),
    "jackknife+": (_regressor("jackknife+"), 60, False),
    "jackknife+, neighbors": (
        _regressor("jackknife+", partial(sf.KNeighborsRegressor, 5)), 60, False
    ),
    "jackknife+ab": (_regressor("jackknife+ab", _forest), 60, False),
    "cqr": (_regressor("cqr", _boosting), 99 * 4, True),
    "full": (_regressor("full"), 59, True),
}  # fmt: skip
CLASSIFICATIONS = {
    f"{method}, {score}": (_classifier(method, score), 99 * 4 if method == "split" else 80, False)
    for method in ("split", "cv+")
    for score in ("lac", "aps", "raps")
}


def replicate(name, n_samples, n_new=NEW_ROWS, level=LEVEL):
    """Whether new rows are held, (samples, rows), and the widths or sizes."""
    is_regression = name in REGRESSIONS
    make, n, _ = (REGRESSIONS if is_regression else CLASSIFICATIONS)[name]
    draw = numbers if is_regression else labels
    hits, sizes = np.empty((n_samples, n_new), dtype=bool), np.empty((n_samples, n_new))
    for seed in range(n_samples):
        rng = np.random.default_rng([seed, 39])
        X, y = draw(rng, n)
        new, truth = draw(rng, n_new)
        model = make(rng, level).fit(X, y)
        if is_regression:
            low, high = model.predict(new, interval="conformal")[1].T
            hits[seed], sizes[seed] = (low <= truth) & (truth <= high), high - low
        else:
            sets = model.predict_set(new)
            hits[seed], sizes[seed] = sets[np.arange(n_new), truth], sets.sum(axis=1)
    return hits, sizes


def main(n_samples):
    """Print the table."""
    print(f"{n_samples} samples, {NEW_ROWS} new rows each, level {LEVEL}")
    print(f"{'method':<24}{'coverage':>9}{'excess':>9}{'error':>8}{'size':>8}  bar")
    for name, (_, _, exact) in {**REGRESSIONS, **CLASSIFICATIONS}.items():
        hits, sizes = replicate(name, n_samples)
        by_sample = hits.mean(axis=1)
        coverage, error = by_sample.mean(), by_sample.std(ddof=1) / n_samples**0.5
        met = abs(coverage - LEVEL) <= 0.01 if exact else coverage >= LEVEL - 0.01
        bar = f"{'within' if exact else 'not below'} a point: {'yes' if met else 'no'}"
        figures = f"{coverage:9.4f}{coverage - LEVEL:+9.4f}{error:8.4f}{sizes.mean():8.3f}"
        print(f"{name:<24}{figures}  {bar}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)

# SPDX-License-Identifier: BSD-3-Clause
"""What weights are to boosting: rows that come more often, in any unit."""

import numpy as np
import pytest

from statfast.ensemble import HistGradientBoostingClassifier as Classifier
from statfast.ensemble import HistGradientBoostingRegressor as Regressor
from statfast.ensemble.boosting import bins
from statfast.ensemble.boosting.bins import thresholds_of
from statfast.ensemble.boosting.losses import quantile_of

UNITS = [1 / 3, 0.1, 7.0, 1e-90, 1e90]
LOSSES = ["squared_error", "absolute_error", "quantile", "poisson", "gamma", "log_loss",
          "exponential", "multinomial"]  # fmt: skip


def make(loss, **rules):
    if loss in ("log_loss", "exponential", "multinomial"):
        return Classifier("log_loss" if loss == "multinomial" else loss, **rules)
    return Regressor(loss, **({"quantile": 0.3} if loss == "quantile" else {}), **rules)


def sample(loss, n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 2] = rng.integers(0, 4, n)
    X[rng.random(n) < 0.1, 0] = np.nan
    y = np.nan_to_num(X[:, 0]) + X[:, 2] + rng.normal(size=n)
    if loss in ("poisson", "gamma"):
        y = np.exp(y)
    if loss in ("log_loss", "exponential"):
        y = (y > 1).astype(int)
    if loss == "multinomial":
        y = np.digitize(y, [0.5, 2])
    return X, y, rng


def raw(model, X):
    return model._raw(X)


@pytest.mark.parametrize("loss", LOSSES)
def test_equal_weights_are_no_weights(loss):
    X, y, _ = sample(loss, 600)  # more values than bins
    for more in ({}, {"categorical_features": [2]}, {"early_stopping": True}):
        model = make(loss, max_iter=4, random_state=0, **more)
        want = raw(model.fit(X, y), X)
        for w in (1.0, *UNITS):
            got = raw(model.fit(X, y, np.full(len(y), w)), X)
            np.testing.assert_array_equal(got, want)


def test_a_class_at_the_end_of_a_bin():
    X = np.arange(264.0)[:, None]
    y = X[:, 0] >= 88
    for w in (None, np.ones(264), np.full(264, 1 / 3), np.arange(264) % 2 + 1.0):
        assert Classifier().fit(X, y, w).score(X, y) == 1.0


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("whole", [True, False])
def test_the_unit_of_weights_changes_nothing(loss, whole):
    X, y, rng = sample(loss)
    w = rng.integers(1, 5, len(y)) * 1.0 if whole else rng.uniform(0.2, 2, len(y))
    for more in ({}, {"categorical_features": [2]}, {"monotonic_cst": [1, 0, 0]}):
        if loss == "multinomial" and "monotonic_cst" in more:
            continue
        model = make(loss, max_iter=4, min_samples_leaf=5, **more).fit(X, y, w)
        want, shares = raw(model, X), model.feature_importances_
        for unit in UNITS:
            model.fit(X, y, w * unit)
            np.testing.assert_allclose(raw(model, X), want, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(model.feature_importances_, shares, atol=1e-9)


def test_a_penalty_counts_rows():
    X, y, _ = sample("squared_error")
    once = Regressor(max_iter=3, l2_regularization=30.0)
    twice = Regressor(max_iter=3, l2_regularization=60.0)
    want = once.fit(X, y).predict(X)
    np.testing.assert_allclose(twice.fit(X, y, np.full(len(y), 2.0)).predict(X), want, rtol=1e-12)
    heavy = once.fit(X, y, np.full(len(y), 2.0)).predict(X)
    assert np.abs(heavy - y.mean()).mean() > np.abs(want - y.mean()).mean()


@pytest.mark.parametrize("loss", LOSSES)
def test_a_weight_of_two_is_the_row_twice(loss):
    """But for `min_samples_leaf`, which counts rows."""
    X, y, rng = sample(loss, 700)
    w = rng.integers(1, 4, len(y))
    weighted = make(loss, max_iter=3, min_samples_leaf=1, max_leaf_nodes=8).fit(X, y, w)
    repeated = make(loss, max_iter=3, min_samples_leaf=1, max_leaf_nodes=8)
    repeated.fit(X.repeat(w, axis=0), y.repeat(w))
    # Hessians are multiples of 2^-40 of the largest, for some thousand rows.
    np.testing.assert_allclose(raw(weighted, X), raw(repeated, X), atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_weight_of_zero_is_no_row(loss):
    X, y, rng = sample(loss, 600)
    w = rng.integers(0, 3, len(y)) * 0.5
    y[0], w[0] = y.max() + 9, 0.0  # a class that is not there, or an outlier
    if loss in ("log_loss", "exponential"):
        assert len(np.unique(y)) == 3
    X[0, 2] = 77.0
    for more in ({}, {"early_stopping": True}):
        model = make(loss, max_iter=4, random_state=0, **more)
        want = model.fit(X[w > 0], y[w > 0], w[w > 0]).predict(X)
        model.fit(X, y, w)
        np.testing.assert_array_equal(model.predict(X), want)
        if hasattr(model, "classes_"):
            assert y[0] not in model.classes_
    if hasattr(model, "classes_"):
        none = make(loss, max_iter=2, class_weight={y[0]: 0.0}).fit(X, y)
        assert y[0] not in none.classes_
        np.testing.assert_array_equal(
            none.predict(X), make(loss, max_iter=2).fit(X[1:], y[1:]).predict(X)
        )


# ------------------------------------------------------------------ quantiles
def test_quantiles_minimize_the_loss_of_repeated_rows():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 12))
        values, w = rng.integers(0, 9, n) * 1.0, rng.integers(1, 4, n)
        for q in (0.0, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0):
            want = np.quantile(values.repeat(w), q, method="averaged_inverted_cdf")
            assert quantile_of(values.repeat(w), None, q) == want
            for unit in (1.0, 0.1, 1 / 3):
                assert quantile_of(values, w * unit, q) == want
    assert quantile_of(np.array([3.0, 1.0, 2.0, 0.0]), None, 0.5) == 1.5


@pytest.mark.parametrize("max_bins", [2, 7, 10, 255])
@pytest.mark.parametrize("n", [264, 300, 510, 1000])
def test_thresholds_by_equal_weights_are_those_without(n, max_bins):
    rng = np.random.default_rng(n)
    X = rng.permutation(n)[:, None] * 1.0
    want = thresholds_of(X, max_bins, None, [None], rng, 1)[0]
    for unit in (1.0, 0.1, 1 / 3):
        got = thresholds_of(X, max_bins, np.full(n, unit), [None], rng, 1)[0]
        np.testing.assert_array_equal(got, want)
    w = rng.integers(1, 4, n)
    got = thresholds_of(X, max_bins, w / 3, [None], rng, 1)[0]
    want = thresholds_of(X.repeat(w, axis=0), max_bins, None, [None], rng, 1)[0]
    np.testing.assert_array_equal(got, want)


def test_thresholds_from_a_sample_of_rows(monkeypatch):
    """Rows are drawn in proportion to their weights, whatever the unit."""
    monkeypatch.setattr(bins, "SAMPLE", 200)
    X, y, _ = sample("squared_error", 500)
    model = Regressor(max_iter=3, max_bins=20, random_state=0)
    want = model.fit(X, y).predict(X)
    for unit in (1.0, 0.1):
        np.testing.assert_array_equal(model.fit(X, y, np.full(500, unit)).predict(X), want)

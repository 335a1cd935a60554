# SPDX-License-Identifier: BSD-3-Clause
"""How far a leaf of boosting moves: never beyond the least loss, so that later rounds correct."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast.ensemble import HistGradientBoostingClassifier as Classifier
from statfast.ensemble import HistGradientBoostingRegressor as Regressor
from tests.reference import boosting as twin

RATES = [0.1, 0.5, 1.0]


def rare(n=10_000, m=40):
    """A flag that m rows have, half of them positive, and no others."""
    x, y = np.zeros(n), np.zeros(n)
    x[-m:] = 1
    y[-m // 2 :] = 1
    return x[:, None], y


def log_loss(model, X, y):
    return -np.log(model.predict_proba(X)[np.arange(len(y)), y.astype(int)]).mean()


# ------------------------------------------------------------------ rare values
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_a_rare_flag_has_the_share_of_its_rows(loss, rate):
    X, y = rare()
    model = Classifier(loss, learning_rate=rate).fit(X, y)
    p = model.predict_proba([[0.0], [1.0]])[:, 1]
    assert p[0] < 1e-3
    assert abs(p[1] - 0.5) < 0.01
    for weight in (1e-6, 1e6):
        again = Classifier(loss, learning_rate=rate).fit(X, y, np.full(len(y), weight))
        np.testing.assert_array_equal(again.predict_proba([[0.0], [1.0]])[:, 1], p)


@pytest.mark.parametrize("rate", RATES)
def test_a_rare_flag_has_the_shares_of_its_rows_among_three_classes(rate):
    X, y = rare(m=60)
    y[-20:] = 2
    p = Classifier(learning_rate=rate).fit(X, y).predict_proba([[0.0], [1.0]])
    np.testing.assert_allclose(p, [[1, 0, 0], [1 / 2, 1 / 6, 1 / 3]], atol=0.02)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("low", [0.0, 1e-3, 1.0])
def test_counts_that_are_large_in_few_rows(low, rate):
    X, y = np.zeros((10_000, 1)), np.full(10_000, low)
    X[-20:], y[-20:] = 1, 1000.0
    for loss in ("poisson", "gamma") if low else ("poisson",):
        model = Regressor(loss, learning_rate=rate, max_iter=200).fit(X, y)
        few, many = model.predict([[0.0], [1.0]])
        np.testing.assert_allclose(many, 1000, rtol=0.02)
        assert low * (1 - 1e-6) <= few <= max(1.01 * low, 1e-3)


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_noise_with_few_positives_is_no_worse_than_a_constant(rate):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50_000, 3)), np.zeros(50_000)
    y[rng.choice(len(y), 41, replace=False)] = 1
    share = y.mean()
    constant = -(share * np.log(share) + (1 - share) * np.log(1 - share))
    model = Classifier(learning_rate=rate, max_iter=20, early_stopping=False).fit(X, y)
    assert log_loss(model, X, y) < constant


# ------------------------------------------------------------------ the bound itself
@given(
    seed=st.integers(0, 10**6),
    loss=st.sampled_from(["log_loss", "poisson", "gamma"]),
    rate=st.sampled_from([0.1, 0.7]),
)
def test_rounds_are_the_twins_and_never_raise_the_loss(seed, loss, rate):
    rng = np.random.default_rng(seed)
    n = 60
    codes = rng.integers(0, 5, (n, 2))
    far = np.exp(rng.normal(size=n) * rng.choice([0.5, 4.0]))
    y = far if loss == "gamma" else np.floor(far)
    if loss == "log_loss":
        y = (rng.random(n) < rng.choice([0.04, 0.5])).astype(float)
    y[0] = 1.0
    if loss == "log_loss":
        y[1] = 0.0
    w = rng.random(n) + 0.5
    rules = {"max_leaf_nodes": 5, "min_samples_leaf": 3}
    want = twin.boost(codes, y, w, loss, rounds=4, rate=rate, **rules)
    kind = Classifier if loss == "log_loss" else Regressor
    model = kind(loss, max_iter=4, learning_rate=rate, **rules).fit(codes.astype(float), y, w)
    staged = [raw[:, 0] for raw in model._staged_raw(codes.astype(float))]
    np.testing.assert_allclose(staged, want[1:], rtol=1e-6, atol=1e-6)
    losses = {
        "log_loss": lambda r: np.logaddexp(0, r) - y * r,
        "poisson": lambda r: np.exp(r) - y * r,
        "gamma": lambda r: r + y * np.exp(-r),
    }
    total = [float(w @ losses[loss](raw)) for raw in [want[0], *staged]]
    assert (np.diff(total) <= 1e-9 * np.abs(total[0])).all()


def test_ordinary_steps_are_those_of_newton():
    """Up to 2, whatever the Newton step; and squared errors have no bound at all."""
    X, y = np.arange(40.0)[:, None] // 20, np.repeat([0.0, 1.0], 20)
    for rate in RATES:
        model = Classifier(max_iter=1, learning_rate=rate).fit(X, y)
        np.testing.assert_allclose(model.decision_function(X), rate * (4 * y - 2), rtol=1e-12)
    model = Regressor(max_iter=1, learning_rate=1.0).fit(X, 1e9 * y)
    np.testing.assert_allclose(model.predict(X), 1e9 * y, rtol=1e-9)


# ------------------------------------------------------------------ gains and thresholds
def test_what_gains_nothing_is_not_split():
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(500, 2)), rng.random(500) + 0.1
    for l2 in (0.0, 3.0):
        model = Regressor(l2_regularization=l2, max_iter=2).fit(X, np.full(500, 0.1), w)
        assert np.ptp(model.predict(X)) == 0
        assert not model.feature_importances_.any()


@pytest.mark.parametrize("values", [
    [1e305, 1.5e308], [-1.5e308, -1e305], [1e300, 1e301, 1e302], [1.0, np.inf], [-np.inf, np.inf],
    [-np.inf, 0.0], [1.7976931348623155e308, 1.7976931348623157e308],
])  # fmt: skip
@pytest.mark.parametrize("max_bins", [2, 255])
def test_boosting_parts_values_of_any_size(values, max_bins):
    if max_bins < len(values):
        values = values[-2:]
    X = np.repeat(values, 30)[:, None]
    y = np.repeat(np.arange(len(values)), 30) * 1.0
    model = Regressor(max_iter=1, learning_rate=1.0, max_bins=max_bins, max_leaf_nodes=None)
    np.testing.assert_allclose(model.fit(X, y).predict(X), y, atol=1e-9)
    shifted = np.r_[X, np.full((30, 1), np.nan)]
    model.fit(shifted, np.r_[y, np.full(30, 9.0)])
    np.testing.assert_allclose(model.predict(shifted), np.r_[y, np.full(30, 9.0)], atol=1e-9)


def test_tiny_counts_have_their_own_scale():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2))
    y = rng.gamma(2.0, np.exp(X[:, 0]))
    for loss in ("poisson", "gamma"):
        want = Regressor(loss, max_iter=5).fit(X, y).predict(X)
        for unit in (1e-30, 1e30):
            got = Regressor(loss, max_iter=5).fit(X, y * unit).predict(X)
            np.testing.assert_allclose(got, want * unit, rtol=1e-6)

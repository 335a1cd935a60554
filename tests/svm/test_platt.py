# SPDX-License-Identifier: BSD-3-Clause
"""Sigmoids, pairs put together, and parts of a cross-validation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from statfast._estimator import sigmoid, sigmoid_fit
from statfast._estimator.class_pairs import coupled
from statfast.svm import SVC, NuSVC
from statfast.svm.machines.pairwise import deal_out_folds


def loss_of(a, b, values, positive, weights):
    up, down = weights[positive].sum(), weights[~positive].sum()
    target = np.where(positive, (up + 1) / (up + 2), 1 / (down + 2))
    s = a * values + b
    return weights @ (np.logaddexp(0, s) - (1 - target) * s)


@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([1e-3, 1.0, 1e4]))
def test_the_sigmoid_is_of_least_loss(seed, scale):
    rng = np.random.default_rng(seed)
    positive = rng.random(50) < 0.5
    values = scale * (rng.normal(size=50) + positive)
    weights = rng.integers(1, 4, 50).astype(float)
    a, b = sigmoid_fit(values, positive, weights)
    best = loss_of(a, b, values, positive, weights)
    for da, db in ((1e-3, 0), (-1e-3, 0), (0, 1e-3), (0, -1e-3)):
        assert best <= loss_of(a + da / scale, b + db, values, positive, weights) + 1e-12 * best


@pytest.mark.parametrize(
    "values",
    [
        [-1.0, -2.0, 3.0, 4.0],
        [0.0] * 4,
        [1e300, -1e300, 1e300, 0.0],
        [-1e-310, 1e-310, 3e-310, 5e-324],
        [-5e-324, 0, 5e-324, 0],
    ],
)
def test_separated_constant_and_huge_values_have_a_sigmoid(values):
    positive = np.array([False, False, True, True])
    a, b = sigmoid_fit(np.array(values), positive, np.ones(4))
    p = sigmoid(np.array(values), a, b)
    assert np.isfinite([a, b]).all()
    assert ((p > 0) & (p < 1)).all()


def test_weights_are_repetitions():
    rng = np.random.default_rng(0)
    values, positive = rng.normal(size=30), rng.random(30) < 0.4
    times = rng.integers(1, 5, 30)
    one = sigmoid_fit(values, positive, times.astype(float))
    other = sigmoid_fit(values.repeat(times), positive.repeat(times), np.ones(times.sum()))
    np.testing.assert_allclose(one, other, rtol=1e-9)


def pairs_of(p):
    r = p[:, None] / (p[:, None] + p[None, :])
    np.fill_diagonal(r, 0)
    return r


@given(p=st.lists(st.floats(1e-3, 1.0), min_size=3, max_size=9))
def test_pairs_that_agree_give_their_probabilities(p):
    p = np.array(p) / np.sum(p)
    np.testing.assert_allclose(coupled(pairs_of(p)[None])[0], p, atol=1e-9)


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(3, 6))
def test_pairs_that_disagree_give_the_least_squares(seed, k):
    rng = np.random.default_rng(seed)
    r = np.triu(rng.uniform(0.05, 0.95, (k, k)), 1)
    r += np.tril(1 - r.T, -1)
    p = coupled(r[None])[0]
    assert p.sum() == pytest.approx(1)
    assert (p >= 0).all()

    def loss(q):
        return ((r.T * q[:, None] - r * q[None, :]) ** 2).sum()

    def onto(z):
        return np.exp(z) / np.exp(z).sum()

    found = minimize(lambda z: loss(onto(z)), np.zeros(k), tol=1e-12)
    assert loss(p) <= found.fun + 1e-9


def test_certain_pairs_are_put_together():
    r = np.zeros((1, 3, 3))
    r[0, 0, 1] = r[0, 0, 2] = r[0, 1, 2] = 1.0
    np.testing.assert_allclose(coupled(r), [[1, 0, 0]], atol=1e-5)


def test_parts_hold_equal_rows_together_and_share_out_classes():
    rng = np.random.default_rng(1)
    key = rng.integers(0, 40, 200).astype(float)
    codes = rng.integers(0, 3, 200)
    part = deal_out_folds(key, codes, 5)
    for c in range(3):
        for k in np.unique(key[codes == c]):
            assert len(np.unique(part[(codes == c) & (key == k)])) == 1
        distinct = [len(np.unique(key[(codes == c) & (part == p)])) for p in range(5)]
        assert max(distinct) - min(distinct) <= 1
    order = rng.permutation(200)
    np.testing.assert_array_equal(deal_out_folds(key[order], codes[order], 5), part[order])


# ------------------------------------------------------------------ the estimators
def rows(seed=0, n=150, classes=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, 4)) + 1.5 * np.eye(4)[y], y


@pytest.mark.parametrize("kind", [SVC, NuSVC])
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_calibrated_and_order_does_not_matter(kind, classes):
    X, y = rows(n=600, classes=classes)
    X_new, y_new = rows(1, 600, classes)
    model = kind(probability=True, random_state=0).fit(X, y)
    p = model.predict_proba(X_new)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert -np.log(p[np.arange(600), y_new]).mean() < 0.9 * np.log(classes)
    assert (p.argmax(axis=1) == model.predict(X_new)).mean() > 0.95
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X_new)), p)
    order = np.random.default_rng(2).permutation(600)
    other = kind(probability=True, random_state=0).fit(X[order], y[order])
    np.testing.assert_allclose(other.predict_proba(X_new), p, atol=5e-3)
    assert model.probA_.shape == model.probB_.shape == (classes * (classes - 1) // 2,)


def test_probabilities_near_those_of_scikit_learn():
    theirs = pytest.importorskip("sklearn.calibration").CalibratedClassifierCV
    X, y = rows(n=600, classes=2)
    p = SVC(probability=True, random_state=0).fit(X, y).predict_proba(X)
    other = theirs(SVC(), ensemble=False, cv=5).fit(X, y).predict_proba(X)
    assert np.abs(p - other).max() < 0.05


def test_no_probabilities_without_asking():
    X, y = rows()
    model = SVC().fit(X, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match=r"predict_proba needs SVC\(probability=True\)"):
        model.predict_proba(X)
    model.set_params(probability=True)
    with pytest.raises(AttributeError, match="not fitted"):
        model.predict_proba(X)


def test_a_class_of_one_row_has_probabilities():
    X, y = rows(n=60, classes=2)
    y = np.where(np.arange(60) == 7, 2, y)
    p = SVC(probability=True).fit(X, y).predict_proba(X)
    assert np.isfinite(p).all()


@pytest.mark.parametrize("sizes", [(7, 8), (3, 3, 4), (1, 1, 1, 1, 1), (12, 1, 2)])
def test_parts_are_of_one_size_in_all_and_in_each_class(sizes):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    keys = np.random.default_rng(0).permutation(len(codes))
    part = deal_out_folds(keys, codes, 5)
    counts = np.bincount(part, minlength=5)
    assert counts.max() - counts.min() <= 1
    for code in range(len(sizes)):
        own = np.bincount(part[codes == code], minlength=5)
        assert own.max() - own.min() <= 1


def test_a_sigmoid_where_one_row_has_nearly_all_weight():
    values, positive = np.array([0.3, -1.0, 2.0, 0.5]), np.array([True, False, True, False])
    a, b = sigmoid_fit(values, positive, np.array([1.0, 1e-90, 1e-50, 1e90]))
    assert sigmoid(np.array([0.5]), a, b) < 0.1

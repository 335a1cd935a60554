# SPDX-License-Identifier: BSD-3-Clause
"""KNeighborsRegressor against its definition and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsRegressor as SklearnRegressor

from statfast.neighbors import KNeighborsRegressor
from statfast.neighbors.search import search as search_module
from tests.reference import neighbors as twin

WEIGHTS = {
    "uniform": np.ones_like,
    "distance": twin.distance_weights,
    "callable": lambda d2: 1 / (1 + np.sqrt(d2)),
}


def gentle(distances):
    """A weight function that pickles."""
    return 1 / (1 + distances)


def regressor(k, weights="uniform"):
    return KNeighborsRegressor(k, weights=gentle if weights == "callable" else weights)


@pytest.fixture
def waves():
    """A curve with noise in two outputs, and query rows."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3))
    y = np.column_stack([np.sin(X[:, 0]), X[:, 1] ** 2]) + 0.1 * rng.standard_normal((300, 2))
    return X, y, rng.standard_normal((100, 3))


@pytest.mark.parametrize("weights", WEIGHTS)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40), span=st.integers(1, 4))
def test_twin_on_tied_rows(weights, seed, n, span):
    rng = np.random.default_rng(seed)
    X, Q = rng.integers(0, span, (n, 2)), rng.integers(0, span, (12, 2))
    y, k = rng.standard_normal(n), int(rng.integers(1, n + 1))
    d2, ids = twin.nearest(X, Q, k)
    w = WEIGHTS[weights](d2)
    expected = (w * y[ids]).sum(axis=1) / w.sum(axis=1)
    found = regressor(k, weights).fit(X, y).predict(Q)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("weights", ["uniform", "distance", gentle])
@pytest.mark.parametrize("outputs", [0, slice(0, 1), slice(0, 2)])
def test_agrees_with_scikit_learn(waves, weights, outputs):
    X, y, Q = waves
    y = y[:, outputs]
    ours, theirs = (
        R(7, weights=weights).fit(X, y) for R in (KNeighborsRegressor, SklearnRegressor)
    )
    assert ours.predict(Q).shape == theirs.predict(Q).shape
    np.testing.assert_allclose(ours.predict(Q), theirs.predict(Q), rtol=1e-9)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), rel=1e-9)
    weight = np.arange(1.0, 301.0)
    assert ours.score(X, y, weight) == pytest.approx(theirs.score(X, y, weight), rel=1e-9)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("outputs", [0, slice(0, 2)])
def test_leave_one_out_for_many_k_is_that_of_each(waves, weights, outputs, monkeypatch):
    X, y, _ = waves
    y, ks = y[:, outputs], [8, 1, 30, 2, 8, 299]
    model = regressor(3, weights).fit(X, y)
    errors = model.leave_one_out(ks)
    for k, error in zip(ks, errors, strict=True):
        left_out = model.set_params(n_neighbors=k).predict()
        assert error == pytest.approx(((left_out - y) ** 2).mean(), rel=1e-12)
    assert model.tune_n_neighbors(ks) == ks[int(errors.argmin())]
    monkeypatch.setattr(search_module, "MAX_HELD_NEIGHBORS", 1)  # 64 rows at a time
    np.testing.assert_allclose(model.leave_one_out(ks), errors, rtol=1e-13)


@pytest.mark.parametrize(("size", "words"), [(1e160, "overflow"), (1e-170, "vanish in float64")])
def test_errors_whose_squares_are_no_numbers(waves, size, words):
    X, y, _ = waves
    model = KNeighborsRegressor(4).fit(X, y * size)
    for ask in (model.leave_one_out, model.tune_n_neighbors):
        with pytest.raises(ValueError, match=f"y holds values .* {words}"):
            ask([1, 2, 3])


def test_without_rows_each_fitted_row_is_left_out(waves):
    X, y, _ = waves
    model = KNeighborsRegressor(4).fit(X, y)
    for i in (0, 17, 299):
        alone = KNeighborsRegressor(4).fit(np.delete(X, i, 0), np.delete(y, i, 0))
        np.testing.assert_array_equal(model.predict()[i], alone.predict(X[[i]])[0])


def test_exact_average_of_whole_numbers():
    model = KNeighborsRegressor(3).fit(np.arange(5.0)[:, None], [1, 2, 6, 0, 0])
    assert model.predict([[1.0]]).tolist() == [3.0]
    assert model.n_outputs_ == 1


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        ([0.0, 1.0], ValueError, r"y must have one target per row of X \(3\); got 2"),
        ([0.0, np.nan, 1.0], ValueError, "y contains NaN, first at row 1"),
        (["a", "b", "c"], ValueError, "y must hold numbers"),
        (np.zeros((3, 2, 2)), ValueError, "y has shape"),
        (3.0, ValueError, "y should be"),
        (None, ValueError, "y is None"),
        ([[1.0], [1.0, 2.0], [3.0]], ValueError, "y should be"),
        ([1j, 0, 0], ValueError, "Complex data not supported: y"),
    ],
)
def test_bad_targets(y, error, message):
    with pytest.raises(error, match=message):
        KNeighborsRegressor(1).fit(np.zeros((3, 2)), y)


def test_bad_targets_of_score(waves):
    X, y, _ = waves
    model = KNeighborsRegressor(1).fit(X, y)
    with pytest.raises(ValueError, match=r"y must have 2 output\(s\), as at fit; got 1"):
        model.score(X, y[:, 0])


def test_score_of_constant_targets():
    X = np.arange(6.0)[:, None]
    model = KNeighborsRegressor(2).fit(X, np.full(6, 3.0))
    assert model.score(X, np.full(6, 3.0)) == 1.0
    assert model.score(X, np.full(6, 4.0)) == 0.0


def test_averages_that_overflow_are_refused():
    model = KNeighborsRegressor(3).fit(np.arange(4.0)[:, None], np.full(4, 1.7e308))
    with pytest.raises(ValueError, match="Sums of the targets of neighbors overflow"):
        model.predict([[1.0]])

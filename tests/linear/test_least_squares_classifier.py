# SPDX-License-Identifier: BSD-3-Clause
"""Classification by least squares: its definition, its direction, and odd input."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from statfast import Chunks
from statfast.datasets import load_iris
from statfast.generative import LinearDiscriminantAnalysis
from statfast.linear import LeastSquaresClassifier, LinearRegression


def iris(n_classes):
    data = load_iris()
    rows = data.target < n_classes
    return data.data[rows], np.array(data.target_names)[data.target[rows]]


def test_targets_are_plus_and_minus_one():
    X, y = iris(3)
    model = LeastSquaresClassifier().fit(X, y)
    for k, label in enumerate(model.classes_):
        alone = LinearRegression().fit(X, np.where(y == label, 1.0, -1.0))
        assert_allclose(model.coef_[k], alone.coef_, rtol=1e-12)
        assert_allclose(model.intercept_[k], alone.intercept_, rtol=1e-12)
    assert_array_equal(model.predict(X), model.classes_[model.decision_function(X).argmax(axis=1)])


def test_two_classes_have_one_fit():
    X, y = iris(2)
    model = LeastSquaresClassifier().fit(X, y)
    scores = model.decision_function(X)
    assert model.coef_.shape == (1, 4)
    assert scores.shape == (100,)
    assert_allclose(scores.mean(), 0.0, atol=1e-12)
    assert_array_equal(model.predict(X), np.where(scores > 0, *model.classes_[::-1]))


@pytest.mark.parametrize("balanced", [True, False])
def test_the_direction_is_the_canonical_vector(balanced):
    X, y = iris(3)
    X, y = X[50 if balanced else 70 :], y[50 if balanced else 70 :]
    direction = LeastSquaresClassifier().fit(X, y).coef_[0]
    canonical = LinearDiscriminantAnalysis().fit(X, y).scalings_[:, 0]
    ratio = direction / canonical
    assert_allclose(ratio, ratio[0], rtol=1e-9)


def test_weights_chunks_and_float32():
    X, y = iris(3)
    weights = np.random.default_rng(0).integers(0, 3, len(X))
    weighted = LeastSquaresClassifier().fit(X, y, weights)
    repeated = LeastSquaresClassifier().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)
    pieces = LeastSquaresClassifier().fit(Chunks([X[:70], X[70:]]), y)
    assert_allclose(pieces.coef_, LeastSquaresClassifier().fit(X, y).coef_, rtol=1e-9)
    single = LeastSquaresClassifier().fit(X.astype(np.float32), y)
    assert single.decision_function(X.astype(np.float32)).dtype == np.float32


def test_dependent_columns_are_left_out():
    X, y = iris(3)
    wide = np.column_stack([X, X[:, 0] + X[:, 1]])
    with pytest.warns(UserWarning, match="x4"):
        model = LeastSquaresClassifier().fit(wide, y)
    assert model.aliased_.tolist() == [False, False, False, False, True]
    assert_array_equal(model.predict(wide), LeastSquaresClassifier().fit(X, y).predict(X))


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="y must hold at least 2 classes"):
        LeastSquaresClassifier().fit([[1.0], [2.0]], ["a", "a"])


def test_no_labels_of_chunks_are_refused():
    with pytest.raises(ValueError, match=r"\by\b"):
        LeastSquaresClassifier().fit(Chunks([np.eye(3)]), np.array([]))


def test_rows_in_float32_beside_coefficients_they_cannot_hold():
    X = np.random.default_rng(0).normal(size=(30, 3)) * 1e-44
    model = LeastSquaresClassifier().fit(X, np.arange(30) % 3)
    few = X[:4].astype(np.float32)
    wide = model.decision_function(few.astype(float))
    np.testing.assert_allclose(model.decision_function(few), wide, rtol=1e-6)
    with pytest.raises(ValueError, match=r"The prediction .* too large for float32"):
        model.decision_function(np.ones((1, 3), np.float32))

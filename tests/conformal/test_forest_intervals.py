# SPDX-License-Identifier: BSD-3-Clause
"""Intervals of forests by their out-of-bag errors."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import statfast as sf
from tests.reference.conformal import bound

rng = np.random.default_rng(1)
X = rng.normal(size=(80, 3))
y = X[:, 0] + rng.exponential(size=80)
NEW = rng.normal(size=(6, 3))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [sf.RandomForestRegressor, sf.ExtraTreesRegressor])
def test_ends_are_a_rank_of_the_errors(kind, weighted):
    weights = rng.integers(0, 3, 80) * 0.5 if weighted else None
    model = kind(30, bootstrap=True, oob_score=True, random_state=0).fit(X, y, weights)
    means, ends = model.predict(NEW, interval="conformal", level=0.8)
    assert_array_equal(means, model.predict(NEW))
    kept = np.full(80, True) if weights is None else weights > 0
    errors = np.abs(y - model.oob_prediction_)[kept]
    q = bound(errors, 0.8, None if weights is None else weights[kept])
    assert_allclose(ends, np.column_stack([means - q, means + q]))
    again = pickle.loads(pickle.dumps(model)).predict(NEW, interval="conformal", level=0.8)
    assert_array_equal(again[1], ends)


def test_what_is_refused():
    forest = sf.RandomForestRegressor(30, oob_score=True, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="interval must be"):
        forest.predict(NEW, interval="prediction")
    with pytest.raises(ValueError, match="level"):
        forest.predict(NEW, interval="conformal", level=1.0)
    with pytest.warns(UserWarning, match="needs at least 99 out-of-bag rows; there are 80"):
        assert np.isinf(forest.predict(NEW, interval="conformal", level=0.99)[1]).all()
    with pytest.raises(ValueError, match="oob_score=True"):
        forest.set_params(oob_score=False).fit(X, y).predict(NEW, interval="conformal")
    forest.set_params(oob_score=True).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="one output"):
        forest.predict(NEW, interval="conformal")

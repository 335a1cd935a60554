# SPDX-License-Identifier: BSD-3-Clause
"""Weights of rows in scores of estimators that say how likely rows are."""

import copy

import numpy as np
import pytest

import statfast as sf

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(int)
COUNTS = RNG.integers(0, 4, 40)


@pytest.mark.parametrize(
    "model",
    [sf.PCA(2), sf.MultivariateNormal(), sf.MultivariateT(), sf.GaussianMixture(1)],
    ids=lambda model: type(model).__name__,
)
def test_a_row_of_weight_2_counts_twice(model):
    model.fit(X)
    repeated = model.score(np.repeat(X, COUNTS, axis=0))
    np.testing.assert_allclose(model.score(X, sample_weight=COUNTS), repeated)
    np.testing.assert_allclose(model.score(X, sample_weight=np.ones(40)), model.score(X))
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        model.score(X, sample_weight=-np.ones(40))


def test_rows_without_weight_may_be_impossible():
    model = sf.MultivariateNormal().fit(X[:, :1])
    far = np.array([[0.0], [1e200]])
    assert model.score(far) == -np.inf
    assert model.score(far, sample_weight=[1.0, 0.0]) == model.score(far[:1])


class Unweighted(sf.Ridge):
    """A user's estimator, whose score takes no weights."""

    def score(self, X, y):
        return -float(np.abs(self.predict(X) - y).max())


@pytest.mark.parametrize("model", [sf.PCA(), Unweighted()], ids=["PCA", "user's"])
def test_searches_with_weights(model):
    grid = {"n_components": [1, 2]} if isinstance(model, sf.PCA) else {"alpha": [0.1, 10.0]}
    weights = RNG.uniform(0.1, 2, 40)
    search = sf.GridSearchCV(model, grid, cv=3, error_score="raise")
    search.fit(X, Y, sample_weight=weights)
    train, test = np.arange(13, 40), np.arange(13)
    first = next(iter(grid.values()))[0]
    alone = copy.deepcopy(model).set_params(**{next(iter(grid)): first})
    alone.fit(X[train], Y[train], sample_weight=weights[train])
    more = {"sample_weight": weights[test]} if isinstance(model, sf.PCA) else {}
    expected = alone.score(X[test], Y[test], **more)
    cv = [(train, test)]
    search = sf.GridSearchCV(model, grid, cv=cv, error_score="raise")
    search.fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(search.cv_results_["split0_test_score"][0], expected)

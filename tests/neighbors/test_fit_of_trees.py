# SPDX-License-Identifier: BSD-3-Clause
"""Estimators that are fitted to a tree in the place of its rows."""

import pickle

import numpy as np
import pytest

import statfast as sf
from statfast.neighbors import BallTree, KDTree

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(200, 3))
Q = RNG.uniform(size=(20, 3))
LABELS = (X[:, 0] > 0.5).astype(int)
TREES = {
    "euclidean": (KDTree, {}),
    "manhattan": (KDTree, {"metric": "manhattan"}),
    "cosine": (KDTree, {"metric": "cosine"}),
    "ball": (BallTree, {"metric": "hamming"}),
    "minkowski": (BallTree, {"metric": "minkowski", "p": 3}),
}


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_tree_is_searched_as_its_rows_are(name, dtype):
    kind, arguments = TREES[name]
    rows, tree = X.astype(dtype), kind(X.astype(dtype), **arguments)
    model = sf.NearestNeighbors(n_neighbors=4).fit(tree)
    plain = sf.NearestNeighbors(n_neighbors=4, **arguments).fit(rows)
    for own, other in zip(model.kneighbors(Q), plain.kneighbors(Q), strict=True):
        np.testing.assert_array_equal(own, other)
    for own, other in zip(model.kneighbors(), plain.kneighbors(), strict=True):
        np.testing.assert_array_equal(own, other)
    near, expected = model.radius_neighbors(Q, 0.4), plain.radius_neighbors(Q, 0.4)
    for own, other in zip(near[1], expected[1], strict=True):
        np.testing.assert_array_equal(own, other)
    assert model.effective_metric_ == tree.metric
    assert model.n_features_in_ == 3
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.kneighbors(Q)[1], model.kneighbors(Q)[1])


@pytest.mark.parametrize("model", [
    sf.KNeighborsClassifier(3), sf.RadiusNeighborsClassifier(0.4), sf.KNeighborsRegressor(3),
    sf.RadiusNeighborsRegressor(0.4), sf.KNeighborsClassifier(3, weights="distance"),
], ids=lambda model: type(model).__name__)  # fmt: skip
def test_models_of_neighbors_take_trees(model):
    expected = model.fit(X, LABELS).predict(Q)
    np.testing.assert_array_equal(model.fit(KDTree(X), LABELS).predict(Q), expected)


def test_a_box_that_repeats_itself_is_searched():
    distances, ids = sf.NearestNeighbors(n_neighbors=3).fit(KDTree(X, boxsize=1.0)).kneighbors(Q)
    expected, numbers = KDTree(X, boxsize=1.0).query(Q, k=3)
    np.testing.assert_array_equal(distances, expected)
    np.testing.assert_array_equal(ids, numbers)


def test_what_does_not_go_with_the_tree_is_refused():
    with pytest.raises(ValueError, match="metric must be that of the tree"):
        sf.NearestNeighbors(metric="manhattan").fit(KDTree(X))
    with pytest.raises(ValueError, match="algorithm must be 'auto' or 'kd_tree'"):
        sf.NearestNeighbors(algorithm="brute").fit(KDTree(X))
    sf.NearestNeighbors(metric="manhattan", algorithm="kd_tree").fit(KDTree(X, metric="manhattan"))


@pytest.mark.parametrize("wrong", [{"metric": np.ones(2)}, {"p": np.ones(2)}])
def test_metrics_that_are_none_are_refused(wrong):
    with pytest.raises((TypeError, ValueError), match=next(iter(wrong))):
        sf.NearestNeighbors(**wrong).fit(KDTree(X))
    if "metric" in wrong:
        assert not hasattr(sf.NearestCentroid(**wrong), "predict_proba")
    outliers = sf.LocalOutlierFactor(novelty=np.ones(2))
    assert not hasattr(outliers, "predict")
    with pytest.raises(TypeError, match="novelty must be True or False"):
        outliers.fit_predict(X)

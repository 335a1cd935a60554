# SPDX-License-Identifier: BSD-3-Clause
"""Nearest centroids against their definition and scikit-learn's; weights, folds and parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from statfast import Chunks, NearestCentroid, cross_val_score
from statfast.model_selection import StratifiedKFold
from tests.reference import centroids as twin

ATTRIBUTES = ("centroids_", "deviations_", "within_class_std_dev_", "class_prior_")


def classes(n=150, d=5, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 3.0, d)
    X[:, : d - d // 2] += codes[:, None]
    return X + 5.0, codes


@given(
    n=st.integers(8, 40), d=st.integers(1, 6), K=st.integers(2, 4), medians=st.booleans(),
    threshold=st.sampled_from([None, 0.3, 2.0]), seed=st.integers(0, 99),
)  # fmt: skip
def test_the_definition(n, d, K, medians, threshold, seed):
    X, codes = classes(n, d, K, seed)
    metric = "manhattan" if medians else "euclidean"
    model = NearestCentroid(metric, shrink_threshold=threshold).fit(X, codes)
    expected = twin.shrunken_centroids(X, codes, K, threshold or 0.0, medians)
    assert_allclose(model.centroids_, expected[0], rtol=1e-10)
    assert_allclose(model.deviations_, expected[1], rtol=1e-8, atol=1e-10)
    assert_allclose(model.within_class_std_dev_, expected[2], rtol=1e-10)
    distances = np.abs(X[:, None] - expected[0])
    distances = distances.sum(axis=2) if medians else (distances**2).sum(axis=2)
    least = np.sort(distances, axis=1)
    certain = least[:, 1] - least[:, 0] > 1e-9
    assert_array_equal(model.predict(X)[certain], distances.argmin(axis=1)[certain])
    if not medians:
        priors = np.arange(1.0, K + 1) / np.arange(1.0, K + 1).sum()
        model.set_params(priors=priors).fit(X, codes)
        known = twin.scores(X, expected[0], expected[2], priors)
        shares = np.exp(known - known.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        assert_allclose(model.predict_proba(X), shares, rtol=1e-7, atol=1e-12)
        assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("threshold", [None, 0.5, 3.0])
@pytest.mark.parametrize("priors", ["uniform", "empirical", [0.2, 0.3, 0.5]])
@pytest.mark.parametrize("kind", [np.array, csr_array])
def test_peer(metric, threshold, priors, kind):
    peers = pytest.importorskip("sklearn.neighbors")
    X, codes = classes()
    X, codes = np.where(X > 4.0, X, 0.0)[:140], codes[:140]
    Q, names = classes(seed=1)[0], np.array(list("acb"))
    Q = kind(np.where(Q > 4.0, Q, 0.0))
    settings = {"shrink_threshold": threshold, "priors": priors}
    ours, peer = (
        cls(metric, **settings).fit(kind(X), names[codes])
        for cls in (NearestCentroid, peers.NearestCentroid)
    )
    assert_array_equal(ours.classes_, peer.classes_)
    for name in ATTRIBUTES:
        assert_allclose(getattr(ours, name), getattr(peer, name), rtol=1e-9, atol=1e-12)
    assert_array_equal(ours.predict(Q), peer.predict(Q))
    for name in ("predict_proba", "predict_log_proba", "decision_function"):
        assert hasattr(ours, name) == hasattr(peer, name) == (metric == "euclidean")
        if metric == "euclidean":
            assert_allclose(getattr(ours, name)(Q), getattr(peer, name)(Q), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("kind", [np.array, csr_array])
def test_weights_are_repetitions(metric, kind):
    X, codes = classes()
    X = np.where(X > 5.0, X, 0.0)
    weights = np.random.default_rng(0).integers(0, 4, len(X))
    settings = {"shrink_threshold": 0.7, "priors": "empirical"}
    weighted = NearestCentroid(metric, **settings).fit(kind(X), codes, weights)
    rows = np.arange(len(X)).repeat(weights)
    repeated = NearestCentroid(metric, **settings).fit(X[rows], codes[rows])
    for name in ATTRIBUTES:
        assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-10, atol=1e-12)


def test_medians_by_weight():
    X = np.array([[1.0], [2.0], [3.0], [10.0], [5.0], [6.0], [9.0]])
    y = [0, 0, 0, 0, 1, 1, 1]
    model = NearestCentroid("manhattan").fit(X, y, [0.5, 0.5, 1.0, 0.0, 1.0, 0.0, 1.0])
    assert_array_equal(model.centroids_, [[2.5], [7.0]])


def test_folds_and_chunks_from_sums():
    X, codes = classes(600)
    model = NearestCentroid(shrink_threshold=0.5)
    folds = list(StratifiedKFold(5).split(X, codes))
    merged = cross_val_score(model, X, codes, cv=folds)
    apart = [model.fit(X[a], codes[a]).score(X[b], codes[b]) for a, b in folds]
    assert_allclose(merged, apart, rtol=1e-12)
    whole = model.fit(X, codes)
    parts = NearestCentroid(shrink_threshold=0.5).fit(Chunks(np.array_split(X, 7)), codes)
    for name in ATTRIBUTES:
        assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-12)
    with pytest.raises(TypeError, match="rows in memory, which metric='manhattan' asks for"):
        NearestCentroid("manhattan").fit(Chunks([X]), codes)


def test_one_row_of_each_class_and_constant_columns():
    X, y = np.array([[0.0, 1.0], [4.0, 1.0]]), ["a", "b"]
    model = NearestCentroid().fit(X, y)
    assert_array_equal(model.predict([[1.0, 9.0], [3.0, 1.0]]), ["a", "b"])
    assert np.isnan(model.within_class_std_dev_).all()
    with pytest.raises(ValueError, match="X must have more rows, or a larger sum of sample_weight"):
        model.predict_proba(X)
    for settings in ({"shrink_threshold": 1.0}, {"priors": [0.3, 0.7]}):
        with pytest.raises(ValueError, match="X must have more rows"):
            NearestCentroid(**settings).fit(X, y)
    X = np.array([[0.0, 1.0], [1.0, 1.0], [4.0, 1.0], [5.0, 1.0]])
    with pytest.warns(UserWarning, match="Column 1 of X is constant within each class"):
        model = NearestCentroid().fit(X, ["a", "a", "b", "b"])
    assert_array_equal(model.predict(X), ["a", "a", "b", "b"])
    assert_array_equal(model.deviations_[:, 1], [0.0, 0.0])
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"metric": "cosine"}, ValueError, "metric must be"),
        ({"shrink_threshold": 0.0}, ValueError, "shrink_threshold must be greater than 0"),
        ({"priors": "some"}, ValueError, "priors must be"),
        ({"priors": [0.5, 0.5]}, ValueError, "one probability for each of the 3 classes"),
        ({"priors": [0.5, -0.5, 1.0]}, ValueError, "priors must be non-negative"),
        ({"priors": [0.5, "a", 1.0]}, TypeError, "priors must be"),
    ],
)
def test_refusals(settings, error, words):
    with pytest.raises(error, match=words):
        NearestCentroid(**settings).fit(*classes())


def test_refused_rows():
    X, codes = classes()
    with pytest.raises(ValueError, match="y must hold at least 2 classes"):
        NearestCentroid().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="all features have zero variance"):
        NearestCentroid().fit(np.ones((6, 2)), [0, 0, 0, 1, 1, 1])
    with pytest.warns(UserWarning, match="priors do not sum to 1 but to 6"):
        model = NearestCentroid(priors=[1.0, 2.0, 3.0]).fit(X, codes)
    assert_allclose(model.class_prior_, [1 / 6, 1 / 3, 1 / 2])
    with pytest.raises(AttributeError, match="only with metric='euclidean'; got metric='m"):
        _ = NearestCentroid("manhattan").predict_proba


def test_a_threshold_without_bounds_leaves_one_centroid():
    X, y = np.array([[1e8, 1.0], [1e8 + 1, 2.0], [1e8 + 3, 4.0], [1e8 + 9, 8.0]]), [0, 0, 1, 1]
    model = NearestCentroid(shrink_threshold=np.finfo(float).max).fit(X, y)
    np.testing.assert_array_equal(model.deviations_, 0.0)

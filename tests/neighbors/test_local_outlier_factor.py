# SPDX-License-Identifier: BSD-3-Clause
"""Local outlier factors against their definition and scikit-learn's; duplicates, new rows."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from statfast import LocalOutlierFactor, NearestNeighbors
from statfast.neighbors.search import search
from tests.reference import outliers as twin


def clusters(n=120, d=3, seed=0):
    """A dense group, a wide one, and a few rows apart from both."""
    rng = np.random.default_rng(seed)
    wide = rng.normal(6.0, 2.0, (n - n // 2, d))
    return np.vstack([rng.normal(0.0, 0.3, (n // 2, d)), wide, rng.uniform(-20, 30, (4, d))])


@given(
    n=st.integers(3, 40), d=st.integers(1, 9), k=st.integers(1, 45), whole=st.booleans(),
    seed=st.integers(0, 99),
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:n_neighbors is", "ignore:X has more than")
def test_the_definition(n, d, k, whole, seed):
    rng = np.random.default_rng(seed)
    X, Q = (rng.integers(0, 4, (m, d)) if whole else rng.normal(size=(m, d)) for m in (n, 7))
    model = LocalOutlierFactor(k, novelty=True).fit(X)
    assert model.n_neighbors_ == min(k, n - 1)
    table, across = cdist(X, X), cdist(Q, X)
    factors = twin.local_outlier_factors(table, model.n_neighbors_)
    assert_allclose(-model.negative_outlier_factor_, factors, rtol=1e-9)
    factors = twin.local_outlier_factors(table, model.n_neighbors_, across)
    assert_allclose(-model.score_samples(Q), factors, rtol=1e-9)


@pytest.mark.parametrize("k", [1, 4, 10, 30])
@pytest.mark.parametrize("contamination", ["auto", 0.04, 0.5])
def test_peer(k, contamination):
    peers = pytest.importorskip("sklearn.neighbors")
    X, Q = clusters(), clusters(40, seed=1)
    params = {"n_neighbors": k, "contamination": contamination}
    ours, peer = (kind(**params) for kind in (LocalOutlierFactor, peers.LocalOutlierFactor))
    assert_array_equal(ours.fit_predict(X), peer.fit_predict(X))
    assert_allclose(ours.negative_outlier_factor_, peer.negative_outlier_factor_, rtol=1e-9)
    assert_allclose(ours.offset_, peer.offset_, rtol=1e-9)
    assert ours.n_neighbors_ == peer.n_neighbors_
    assert ours.n_samples_fit_ == peer.n_samples_fit_
    ours, peer = (model.set_params(novelty=True).fit(X) for model in (ours, peer))
    assert_array_equal(ours.predict(Q), peer.predict(Q))
    assert_array_equal(ours.predict(), peer.predict())
    assert_allclose(ours.decision_function(Q), peer.decision_function(Q), rtol=1e-9, atol=1e-12)
    assert_allclose(ours.score_samples(Q), peer.score_samples(Q), rtol=1e-9)


def test_duplicates_as_scikit_learn_has_them():
    peers = pytest.importorskip("sklearn.neighbors")
    X = np.vstack([np.zeros((8, 2)), [[0.5, 0.0], [3.0, 1.0], [2.0, 2.0]]])
    with pytest.warns(UserWarning, match="more than 3 copies of a row"):
        model = LocalOutlierFactor(3).fit(X)
    with pytest.warns(UserWarning, match="Duplicate values"):
        peer = peers.LocalOutlierFactor(n_neighbors=3).fit(X)
    assert_allclose(model.negative_outlier_factor_, peer.negative_outlier_factor_, rtol=1e-6)
    assert_allclose(model.negative_outlier_factor_[:8], -1.0)
    assert LocalOutlierFactor(9).fit(X).negative_outlier_factor_.min() > -2.0


def test_known_factors():
    """Of four rows on a line, by hand: k-distances 1, 1, 2 and 7 of the first neighbor."""
    X = np.array([[0.0], [1.0], [3.0], [10.0]])
    model = LocalOutlierFactor(1).fit(X)
    # Reachability 1, 1, 2 and 7; the neighbors are 1, 0, 1 and 2.
    assert_allclose(model.negative_outlier_factor_, [-1.0, -1.0, -2.0, -3.5], rtol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "canberra", "callable"])
def test_metrics_and_tables(metric):
    X, Q = clusters(60) + 40.0, clusters(20, seed=2) + 40.0
    function = {"callable": lambda a, b: np.abs(a - b).max()}.get(metric, metric)
    model = LocalOutlierFactor(7, metric=function, novelty=True).fit(X)
    name = {"callable": "chebyshev", "manhattan": "cityblock"}.get(metric, metric)
    table, across = cdist(X, X, name), cdist(Q, X, name)
    factors = twin.local_outlier_factors(table, 7)
    assert_allclose(-model.negative_outlier_factor_, factors, rtol=1e-7)
    again = LocalOutlierFactor(7, metric="precomputed", novelty=True).fit(table)
    assert_allclose(again.negative_outlier_factor_, model.negative_outlier_factor_, rtol=1e-7)
    assert_allclose(again.score_samples(across), model.score_samples(Q), rtol=1e-7)


def test_sparse_rows_and_graphs():
    X = np.where(np.random.default_rng(0).random((90, 12)) < 0.3, clusters(86, 12), 0.0)
    plain = LocalOutlierFactor(6, novelty=True).fit(X)
    sparse = LocalOutlierFactor(6, novelty=True).fit(csr_array(X))
    assert_allclose(sparse.negative_outlier_factor_, plain.negative_outlier_factor_, rtol=1e-9)
    assert_allclose(sparse.score_samples(csr_array(X[:9])), plain.score_samples(X[:9]), rtol=1e-9)
    graph = NearestNeighbors(n_neighbors=9).fit(X).kneighbors_graph(X, mode="distance")
    again = LocalOutlierFactor(6, metric="precomputed").fit(graph)
    assert_allclose(again.negative_outlier_factor_, plain.negative_outlier_factor_, rtol=1e-9)


@pytest.mark.parametrize("d", [2, 30])
def test_same_bits_for_any_threads_and_slices(d, monkeypatch):
    X, Q = clusters(6000, d), clusters(900, d, 3)
    models = [LocalOutlierFactor(novelty=True, n_jobs=n_jobs).fit(X) for n_jobs in (1, 2, 7)]
    for model in models[1:]:
        assert_array_equal(model.negative_outlier_factor_, models[0].negative_outlier_factor_)
        assert_array_equal(model.score_samples(Q), models[0].score_samples(Q))
    whole = models[0].score_samples(Q)
    monkeypatch.setattr(search, "MAX_HELD_NEIGHBORS", 100)
    assert_array_equal(models[0].score_samples(Q), whole)
    again = pickle.loads(pickle.dumps(models[0]))
    assert_array_equal(again.score_samples(Q), whole)


def test_methods_by_novelty():
    X = clusters()
    model = LocalOutlierFactor(5).fit(X)
    for name in ("predict", "decision_function", "score_samples"):
        assert not hasattr(model, name)
        with pytest.raises(AttributeError, match="only with novelty=True; got novelty=False"):
            getattr(model, name)
    new = LocalOutlierFactor(5, novelty=True)
    with pytest.raises(AttributeError, match="fit_predict only with novelty=False"):
        _ = new.fit_predict
    with pytest.raises(ValueError, match="X must be given; got None"):
        new.fit(X).score_samples(None)
    assert_array_equal(new.predict(), LocalOutlierFactor(5).fit_predict(X))


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"n_neighbors": 0}, ValueError, "n_neighbors must be at least 1"),
        ({"n_neighbors": 2.5}, TypeError, "n_neighbors must be an integer"),
        ({"contamination": 0.0}, ValueError, "contamination must be greater than 0"),
        ({"contamination": 0.6}, ValueError, "contamination must be"),
        ({"contamination": "some"}, ValueError, "contamination must be"),
        ({"novelty": "yes"}, TypeError, "novelty must be"),
        ({"metric": "nonsense"}, ValueError, "metric must be one of"),
    ],
)
def test_refusals(params, error, words):
    with pytest.raises(error, match=words):
        LocalOutlierFactor(**params).fit(clusters())


def test_few_rows():
    with pytest.raises(ValueError, match="at least 2 rows to have neighbors"):
        LocalOutlierFactor().fit([[1.0, 2.0]])
    with pytest.warns(UserWarning, match="n_neighbors is 20, and X has 5 rows: 4 neighbors"):
        model = LocalOutlierFactor().fit(clusters()[:5])
    assert model.n_neighbors_ == 4

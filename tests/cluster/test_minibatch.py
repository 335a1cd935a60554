# SPDX-License-Identifier: BSD-3-Clause
"""MiniBatchKMeans: batches are means, and what it promises in its docstring."""

import pickle

import numpy as np
import pytest
import sklearn.cluster
from numpy.testing import assert_allclose, assert_array_equal

from statfast._engine.chunks import Chunks
from statfast._validation.errors import ConvergenceWarning
from statfast.cluster import KMeans, MiniBatchKMeans
from statfast.cluster.kmeans.dense_rows import DenseRows
from statfast.cluster.kmeans.minibatch_steps import Batches, Ending
from tests.data import blobs
from tests.reference import kmeans as twin


def test_a_batch_of_all_rows_is_one_iteration_of_lloyd():
    X = blobs(3000)
    model = MiniBatchKMeans(6, init=X[:6], reassignment_ratio=0).partial_fit(X)
    assert_allclose(
        model.cluster_centers_, twin.kmeans(X, X[:6], max_iter=1)[0], rtol=1e-12, atol=1e-12
    )
    assert (model.n_steps_, model.n_iter_) == (1, 1)


def test_centers_are_means_of_all_rows_they_were_given():
    X = blobs(900)
    state = Batches(X[:4].copy(), np.dtype(float), 0.0, np.random.default_rng(0), 1)
    given = [[] for _ in range(4)]
    weights = np.random.default_rng(1).uniform(0, 2, 900)
    for start in range(0, 900, 150):
        rows, w = X[start : start + 150], weights[start : start + 150]
        nearest = twin.squared(rows, state.centers).argmin(axis=1)
        before = twin.squared(rows, state.centers).min(axis=1)
        cost, _ = state.learn(DenseRows(rows), w)
        assert_allclose(cost, (w * before).sum() / w.sum(), rtol=1e-12)
        for c in range(4):
            given[c] += list(zip(rows[nearest == c], w[nearest == c], strict=True))
    for c in range(4):
        rows, w = zip(*given[c], strict=True)
        assert_allclose(state.centers[c], np.average(rows, axis=0, weights=w), rtol=1e-12)
        assert_allclose(state.weight[c], np.sum(w), rtol=1e-12)


def test_centers_with_few_rows_are_put_on_rows_of_the_batch():
    X = np.concatenate([blobs(500), [[1e3] * 3]])
    state = Batches(X[[0, 1, 500]].copy(), np.dtype(float), 0.5, np.random.default_rng(0), 1)
    state.learn(DenseRows(X), None)
    assert any((state.centers[2] == row).all() for row in X)
    assert state.weight[2] == state.weight[:2].min()


def test_nearly_the_inertia_of_kmeans():
    X = blobs(5000, 4, 8)
    best = KMeans(8, random_state=0, n_init=3).fit(X).inertia_
    model = MiniBatchKMeans(8, random_state=0).fit(X)
    assert model.inertia_ < 1.1 * best
    theirs = sklearn.cluster.MiniBatchKMeans(8, random_state=0, n_init=1).fit(X)
    assert model.inertia_ < 1.1 * theirs.inertia_
    assert_array_equal(model.labels_, model.predict(X))
    assert_allclose(model.inertia_, -model.score(X), rtol=1e-12)


@pytest.mark.parametrize("init", ["k-means++", "k-means||", "random"])
def test_starts(init):
    X = blobs(2000)
    model = MiniBatchKMeans(6, init=init, random_state=1, batch_size=300).fit(X)
    assert model.inertia_ < 0.3 * ((X - X.mean(axis=0)) ** 2).sum()


def test_labels_are_optional():
    X = blobs(3000)
    model = MiniBatchKMeans(6, random_state=0, compute_labels=False).fit(X)
    full = MiniBatchKMeans(6, random_state=0).fit(X)
    assert not hasattr(model, "labels_")
    assert_array_equal(model.cluster_centers_, full.cluster_centers_)
    # Without labels it is the smoothed inertia of batches, times the rows: 2 % off here.
    assert_allclose(model.inertia_, full.inertia_, rtol=0.05)


def test_partial_fit_goes_on_after_fit_and_leaves_it_alone_when_it_fails():
    X = blobs(3000)
    model = MiniBatchKMeans(6, random_state=0).fit(X)
    steps, centers = model.n_steps_, model.cluster_centers_
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :2])
    assert model.cluster_centers_ is centers
    copy = pickle.loads(pickle.dumps(model))
    model.partial_fit(X[:100])
    assert model.n_steps_ == steps + 1
    assert len(model.labels_) == 100
    assert_array_equal(copy.cluster_centers_, centers)
    assert_array_equal(copy.partial_fit(X[:100]).cluster_centers_, model.cluster_centers_)


def test_float32_and_bytes():
    X = blobs(3000, dtype=np.float32)
    assert MiniBatchKMeans(6, random_state=0).fit(X).cluster_centers_.dtype == np.float32
    coded = np.clip(X * 3 + 100, 0, 255).astype(np.uint8)
    model = MiniBatchKMeans(6, random_state=0).fit(coded)
    assert model.cluster_centers_.dtype == np.float64
    wide = MiniBatchKMeans(6, random_state=0).fit(coded.astype(float))
    assert_array_equal(model.labels_, wide.labels_)


def test_weights():
    X = blobs(600)
    weights = np.zeros(600)
    weights[:200] = 1
    model = MiniBatchKMeans(5, random_state=0, batch_size=100).fit(X, sample_weight=weights)
    low, high = X[:200].min(axis=0), X[:200].max(axis=0)
    assert ((model.cluster_centers_ >= low) & (model.cluster_centers_ <= high)).all()


@pytest.mark.parametrize("n_jobs", [2, 7])
def test_the_same_bits_for_any_number_of_threads(n_jobs, monkeypatch):
    monkeypatch.setattr("statfast._engine.blocks.MIN_FLOP_FOR_THREADS", 0)
    X = blobs(4000, 20, 30)
    one, other = (MiniBatchKMeans(30, random_state=3, n_jobs=jobs).fit(X) for jobs in (1, n_jobs))
    assert one.cluster_centers_.tobytes() == other.cluster_centers_.tobytes()
    assert_array_equal(one.labels_, other.labels_)


def test_endings():
    end = Ending(0.0, 2, 1.0)
    assert [end.reached(cost, 1.0, i + 1) for i, cost in enumerate([9, 5, 4, 4, 4])] == [
        False, False, False, False, True,
    ]  # fmt: skip
    end = Ending(0.0, 2, 1.0)  # a gain of less than a thousandth is none, nor is one upon zero
    assert [end.reached(cost, 1.0, i + 1) for i, cost in enumerate([9, 5, 4.997, 4.994])] == [
        False, False, False, False,
    ]  # fmt: skip
    end = Ending(0.0, 2, 1.0)
    assert [end.reached(0.0, 1.0, i + 1) for i in range(4)] == [False, False, False, True]
    assert not Ending(0.0, None, 0.5).reached(1.0, 0.0, 2)
    assert Ending(0.1, None, 0.5).reached(1.0, 0.05, 2)


def test_max_iter_and_verbose(capsys):
    X = blobs(1000)
    model = MiniBatchKMeans(
        4, random_state=0, max_iter=2, batch_size=100, max_no_improvement=None, verbose=1
    ).fit(X)
    assert (model.n_steps_, model.n_iter_) == (20, 2)
    assert capsys.readouterr().out.count("batch") == 20


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"batch_size": 0}, ValueError, "batch_size must be at least 1"),
        ({"init_size": 2}, ValueError, "init_size must be at least 3"),
        ({"compute_labels": "no"}, TypeError, "compute_labels must be True or False"),
        ({"max_no_improvement": -1}, ValueError, "max_no_improvement must be at least 0"),
        ({"reassignment_ratio": -1.0}, ValueError, "reassignment_ratio must be at least 0"),
        ({"n_clusters": 51}, ValueError, "n_clusters must be between 1 and the number of rows"),
    ],
)
def test_bad_parameters(params, error, words):
    with pytest.raises(error, match=words):
        MiniBatchKMeans(**{"n_clusters": 3, **params}).fit(blobs(50))


def test_chunks_are_refused_by_fit_and_told_to_go_to_partial_fit():
    with pytest.raises(TypeError, match="partial_fit"):
        MiniBatchKMeans(3).fit(Chunks([blobs(50)]))


@pytest.mark.parametrize(("dtype", "scale"), [(np.float64, 1e160), (np.float32, 1e60)])
def test_later_batches_that_are_too_large(dtype, scale):
    X = np.random.default_rng(0).normal(size=(60, 2)).astype(dtype)
    model = MiniBatchKMeans(2, random_state=0).partial_fit(X)
    before = model.cluster_centers_.copy()
    with pytest.raises(ValueError, match="X "):
        model.partial_fit(X.astype(np.float64) * scale)
    assert_array_equal(model.cluster_centers_, before)


def test_share_of_reassigned_centers():
    with pytest.raises(ValueError, match="reassignment_ratio must be"):
        MiniBatchKMeans(2, reassignment_ratio=2.0).fit(np.eye(8))


@pytest.mark.filterwarnings("ignore:Only .* clusters hold")
def test_rows_of_no_weight_are_in_no_batch(monkeypatch):
    X, weights = blobs(4000, 2, 4), np.zeros(4000)
    weights[::200] = 1.0
    learn, seen = Batches.learn, []

    def watched(self, rows, weights):
        seen.append((len(weights), weights.min()))
        return learn(self, rows, weights)

    monkeypatch.setattr(Batches, "learn", watched)
    MiniBatchKMeans(4, batch_size=10, random_state=0).fit(X, sample_weight=weights)
    assert set(seen) == {(10, 1.0)}


def test_fewer_distinct_rows_than_clusters():
    with pytest.warns(ConvergenceWarning, match="Only 2 of 3 clusters"):
        MiniBatchKMeans(3, random_state=0).fit(np.repeat([[0.0], [1.0]], 20, axis=0))


def test_fit_predict_without_labels():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = MiniBatchKMeans(3, compute_labels=False, random_state=0)
    labels = model.fit_predict(X)
    assert not hasattr(model, "labels_")
    assert np.array_equal(labels, model.predict(X))

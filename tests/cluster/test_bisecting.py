# SPDX-License-Identifier: BSD-3-Clause
"""BisectingKMeans: the tree of splits, and what it promises in its docstring."""

import pickle

import numpy as np
import pytest
import sklearn.cluster
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from statfast._engine.chunks import Chunks
from statfast._validation.errors import ConvergenceWarning
from statfast.cluster import BisectingKMeans
from tests.data import blobs
from tests.reference import kmeans as twin


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(2, 60),
    k=st.integers(1, 8),
    tied=st.booleans(),
    weighted=st.booleans(),
    strategy=st.sampled_from(["biggest_inertia", "largest_cluster"]),
)
@pytest.mark.filterwarnings("ignore:Only .* clusters hold")
def test_leaves_are_what_the_tree_says(seed, n, k, tied, weighted, strategy):
    draws = np.random.default_rng(seed)
    X = draws.integers(0, 3, (n, 2)).astype(float) if tied else draws.normal(size=(n, 2))
    weights = draws.integers(0, 3, n).astype(float) if weighted else np.ones(n)
    weights[0] = 1
    k = min(k, np.count_nonzero(weights))
    model = BisectingKMeans(k, random_state=seed, bisecting_strategy=strategy)
    model.fit(X, sample_weight=weights)
    assert model.cluster_centers_.shape == (k, 2)
    assert model.children_.shape == (k - 1, 2)
    assert (
        sorted(-1 - c for c in model.children_.ravel() if c < 0)
        == list(range(k))[: k if k > 1 else 0]
    )
    assert_array_equal(model.labels_, model.predict(X))
    own = ((X - model.cluster_centers_[model.labels_]) ** 2).sum(axis=1)
    assert_allclose(model.inertia_, (weights * own).sum(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("strategy", ["biggest_inertia", "largest_cluster"])
def test_splits_are_those_of_k_means_on_the_chosen_cluster(strategy):
    X = blobs(1200)
    model = BisectingKMeans(5, random_state=0, tol=0, bisecting_strategy=strategy).fit(X)
    groups = [np.arange(len(X))]
    for pair in model._splits:
        if strategy == "largest_cluster":
            size = [len(g) for g in groups]
        else:
            size = [((X[g] - X[g].mean(axis=0)) ** 2).sum() for g in groups]
        at = int(np.argmax(size))
        rows = groups[at]
        side = twin.squared(X[rows], pair).argmin(axis=1)
        halves = [rows[side == s] for s in (0, 1)]
        for center, half in zip(pair, halves, strict=True):  # at rest
            assert_allclose(center, X[half].mean(axis=0), rtol=1e-10)
        groups[at : at + 1] = halves
    for c, rows in enumerate(groups):
        assert (model.labels_[rows] == c).all()


def test_no_worse_than_scikit_learn():
    X = blobs(3000, 4, 10)
    ours = np.mean([BisectingKMeans(10, random_state=s).fit(X).inertia_ for s in range(5)])
    theirs = np.mean(
        [sklearn.cluster.BisectingKMeans(10, random_state=s).fit(X).inertia_ for s in range(5)]
    )
    assert ours < 1.3 * theirs


@pytest.mark.parametrize("init", ["random", "k-means++", "k-means||", "callable"])
def test_starts(init):
    X = blobs(1200)
    given = (lambda X, k, random_state: X[:k]) if init == "callable" else init
    model = BisectingKMeans(4, init=given, n_init=2, random_state=0).fit(X)
    assert len(np.unique(model.labels_)) == 4


def test_rows_that_are_all_alike_leave_clusters_empty():
    X = np.repeat([[0.0, 1.0], [5.0, 5.0]], 10, axis=0)
    with pytest.warns(ConvergenceWarning, match="Only 2 of 4 clusters"):
        model = BisectingKMeans(4, random_state=0).fit(X)
    assert model.inertia_ == 0
    assert_array_equal(model.predict(X), model.labels_)


def test_other_forms_of_rows(tmp_path):
    X = blobs(1200, dtype=np.float32)
    model = BisectingKMeans(5, random_state=0).fit(X)
    assert model.cluster_centers_.dtype == np.float32
    assert_array_equal(model.labels_, model.predict(X))
    assert_array_equal(model.predict(Chunks([X[:100], X[100:]])), model.labels_)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.labels_)
    fortran = BisectingKMeans(5, random_state=0).fit(np.asfortranarray(X))
    assert_array_equal(fortran.labels_, model.labels_)
    with pytest.raises(TypeError, match="Chunks"):
        BisectingKMeans(5).fit(Chunks([X]))


@pytest.mark.parametrize("n_jobs", [2, 7])
def test_the_same_bits_for_any_number_of_threads(n_jobs, monkeypatch):
    monkeypatch.setattr("statfast._engine.blocks.MIN_FLOP_FOR_THREADS", 0)
    X = blobs(4000)
    one, other = (BisectingKMeans(9, random_state=3, n_jobs=j).fit(X) for j in (1, n_jobs))
    assert one.cluster_centers_.tobytes() == other.cluster_centers_.tobytes()
    assert_array_equal(one.labels_, other.labels_)


def test_verbose(capsys):
    BisectingKMeans(3, random_state=0, verbose=1).fit(blobs(100))
    assert capsys.readouterr().out.count("split") == 2


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"bisecting_strategy": "best"}, ValueError, "bisecting_strategy must be"),
        ({"init": np.zeros((2, 3))}, TypeError, "each split has a start of its own"),
        ({"n_clusters": 51}, ValueError, "n_clusters must be between 1 and the number of rows"),
    ],
)
def test_bad_parameters(params, error, words):
    with pytest.raises(error, match=words):
        BisectingKMeans(**{"n_clusters": 3, **params}).fit(blobs(50))


@pytest.mark.parametrize("strategy", ["largest_cluster", "biggest_inertia"])
@pytest.mark.parametrize("value", [0.0, 0.1, 1e8 / 3.0])
def test_rows_that_are_one_are_not_split_while_others_can_be(strategy, value, recwarn):
    X = np.r_[np.full(20, value), value + np.array([5.0, 6.0, 8.0, 9.0])][:, None]
    for k in range(2, 6):
        model = BisectingKMeans(k, random_state=0, bisecting_strategy=strategy).fit(X)
        assert len(set(model.labels_)) == k
        np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert not recwarn.list
    with pytest.warns(UserWarning, match="Only 5 of 6 clusters hold any row"):
        BisectingKMeans(6, random_state=0, bisecting_strategy=strategy).fit(X)

# SPDX-License-Identifier: BSD-3-Clause
"""The start of k-means alone; how its rows are drawn is tested in test_seeding.py."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix

import statfast
from statfast import Chunks, KMeans, kmeans_plusplus


def rows_of(n=600, d=5, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)).round(3)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
@pytest.mark.parametrize("n", [40, 600])
def test_centers_are_the_rows_of_the_indices(dtype, n):
    X = (10 * rows_of(n) + 50).astype(dtype)
    centers, indices = kmeans_plusplus(X, 12, random_state=0)
    assert centers.dtype == (np.float32 if dtype == np.float32 else np.float64)
    assert indices.dtype == np.int64
    assert_array_equal(centers, X[indices])
    assert len(set(indices)) == 12


@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_what_k_means_starts_from(weighted):
    X = rows_of()
    weights = np.random.default_rng(1).integers(0, 3, len(X)) if weighted else None
    centers, indices = kmeans_plusplus(X, 9, sample_weight=weights, random_state=7)
    assert not weighted or (weights[indices] > 0).all()
    start = KMeans(9, init=centers, max_iter=2).fit(X, sample_weight=weights)
    drawn = KMeans(9, random_state=7, max_iter=2).fit(X, sample_weight=weights)
    assert_array_equal(start.cluster_centers_, drawn.cluster_centers_)
    assert_array_equal(start.labels_, drawn.labels_)


@pytest.mark.parametrize("kind", ["chunks", "sparse", "list"])
def test_rows_of_any_kind(kind):
    X = rows_of(300, 3)
    given = {"chunks": Chunks([X[:100], X[100:]]), "sparse": csr_matrix(X), "list": X.tolist()}
    centers, indices = kmeans_plusplus(given[kind], 6, random_state=0)
    assert_array_equal(centers, X[indices])
    assert_array_equal(indices, kmeans_plusplus(X, 6, random_state=0)[1])


@pytest.mark.parametrize("n", [4, 400])
def test_where_rows_are_fewer_than_centers_the_first_is_repeated(n):
    X = np.repeat(np.arange(2.0), n // 2)[:, None]
    centers, indices = kmeans_plusplus(X, 4, random_state=0)
    assert_array_equal(centers, X[indices])
    assert set(centers.ravel()) == {0.0, 1.0}
    assert (indices[2:] == indices[0]).all()


def test_one_row_and_one_center():
    centers, indices = kmeans_plusplus([[3.0, 4.0]], 1)
    assert centers.tolist() == [[3.0, 4.0]]
    assert indices.tolist() == [0]


@pytest.mark.parametrize(
    ("X", "k", "more", "message"),
    [
        ([[1.0], [2.0]], 3, {}, "n_clusters must be"),
        ([[1.0], [2.0]], 0, {}, "n_clusters must be"),
        ([[1.0], [np.nan]], 1, {}, "NaN"),
        ([[1.0], [2.0]], 2, {"sample_weight": [1.0, 0.0]}, "positive weight"),
        ([[1.0], [2.0]], 1, {"sample_weight": [1.0]}, "sample_weight"),
        (np.empty((0, 2)), 1, {}, "more rows"),
    ],
)
def test_what_cannot_be_is_refused(X, k, more, message):
    with pytest.raises(ValueError, match=message):
        kmeans_plusplus(X, k, **more)


def test_it_is_public():
    assert statfast.kmeans_plusplus is statfast.cluster.kmeans_plusplus


def test_progress_is_told_and_its_exceptions_stop_the_draws():
    X, seen = rows_of(2000, 4), []
    statfast.set_progress(lambda done, total: seen.append((done, total)))
    try:
        kmeans_plusplus(X, 40, random_state=0)
        assert seen[-1] == (40, 40)
        assert len({done for done, total in seen if total == 40}) > 5

        def stop(done, total):
            if total == 40 and done > 5:
                raise RuntimeError("enough")

        statfast.set_progress(stop)
        with pytest.raises(RuntimeError, match="enough"):
            kmeans_plusplus(X, 40, random_state=0)
    finally:
        statfast.set_progress(None)

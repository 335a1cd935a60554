# SPDX-License-Identifier: BSD-3-Clause
"""KMeans on sparse rows: the answer for the same rows dense."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from statfast._validation.errors import NotFittedError
from statfast.cluster import BisectingKMeans, KMeans, MiniBatchKMeans
from statfast.cluster.kmeans import assignment
from statfast.cluster.kmeans.sparse_rows import SparseFrame, SparseRows
from tests.reference import kmeans as twin


def rows(n, d, density, seed=0, whole=False):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(n, d)) if not whole else draws.integers(1, 4, (n, d)).astype(float)
    return X * (draws.random((n, d)) < density)


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 70),
    d=st.integers(1, 12),
    k=st.integers(1, 20),
    density=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    whole=st.booleans(),
    weighted=st.booleans(),
    bounds=st.booleans(),
)
@pytest.mark.filterwarnings("ignore:Only .* clusters hold")
def test_fit_is_that_of_dense_rows(seed, n, d, k, density, whole, weighted, bounds):
    """Also with ties, empty rows and columns, duplicates and empty clusters."""
    X = rows(n, d, density, seed, whole)
    draws = np.random.default_rng(seed)
    weights = draws.integers(0, 3, n).astype(float) if weighted else None
    if weighted:
        weights[0] = 1
    k = min(k, n if weights is None else np.count_nonzero(weights))
    start = X[draws.permutation(n)[:k]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "MIN_PRODUCTS_FOR_BOUNDS", 0 if bounds else np.inf)
        ours, dense = (
            KMeans(k, init=start, tol=0, max_iter=20).fit(given, sample_weight=weights)
            for given in (sparse.csr_matrix(X), X)
        )
    assert_allclose(ours.inertia_, dense.inertia_, rtol=1e-9, atol=1e-9)
    # Rounding decides which of two empty clusters takes which of two equally far rows.
    ours_sorted, dense_sorted = (
        one.cluster_centers_[np.lexsort(one.cluster_centers_.T)] for one in (ours, dense)
    )
    assert_allclose(ours_sorted, dense_sorted, rtol=1e-9, atol=1e-12)
    near = twin.squared(X, ours.cluster_centers_)
    chosen = near[np.arange(n), ours.labels_]
    assert_allclose(chosen, near.min(axis=1), rtol=1e-12, atol=1e-12)
    assert_array_equal(ours.predict(sparse.csc_matrix(X)), ours.labels_)
    assert_array_equal(ours.predict(X), ours.labels_)


def test_distances_and_scores():
    X = rows(300, 40, 0.1)
    given = sparse.csr_array(X)
    model = KMeans(9, random_state=0).fit(given)
    assert_allclose(model.transform(given), model.transform(X), rtol=1e-9, atol=1e-9)
    weights = np.random.default_rng(0).uniform(0, 2, 300)
    assert_allclose(model.score(given, sample_weight=weights), model.score(X, None, weights), 1e-12)
    assert_allclose(model.inertia_, -model.score(X), rtol=1e-12)


def test_a_row_on_a_center_is_at_distance_zero():
    X = rows(50, 30, 0.3) * 1e3
    frame = SparseFrame(X[:7].copy())
    block = SparseRows(sparse.csr_array(X), np.float64)[3:20]
    d2 = block.distances_to_all(frame) ** 2
    assert (d2[range(4), range(3, 7)] == 0).all()
    assert_allclose(d2, twin.squared(X[3:20], X[:7]), rtol=1e-9)
    labels = np.arange(17, dtype=np.int32) % 7
    assert_allclose(
        block.distances_to_labels(frame, labels),
        twin.squared(X[3:20], X[:7])[range(17), labels],
        1e-9,
    )


def test_the_sum_of_rows_without_a_nonzero_is_of_floats():
    total = SparseRows(sparse.csr_array((4, 3)), np.float64).total()
    assert total.dtype == np.float64
    assert not total.any()


@pytest.mark.parametrize("init", ["k-means++", "k-means||", "random"])
@pytest.mark.parametrize("n_jobs", [2, 7])
def test_starts_and_threads(init, n_jobs, monkeypatch):
    monkeypatch.setattr("statfast._engine.blocks.MIN_FLOP_FOR_THREADS", 0)
    X = sparse.csr_matrix(rows(3000, 60, 0.05))
    one, other = (
        KMeans(20, init=init, n_init=1, max_iter=5, random_state=0, n_jobs=jobs).fit(X)
        for jobs in (1, n_jobs)
    )
    assert one.cluster_centers_.tobytes() == other.cluster_centers_.tobytes()
    assert_array_equal(one.labels_, other.labels_)
    assert len(np.unique(one.labels_)) == 20


def test_a_start_from_a_function_gets_the_sparse_rows():
    X = sparse.csr_matrix(rows(100, 10, 0.3))
    model = KMeans(4, init=lambda X, k, random_state: X[:k].toarray(), n_init=1).fit(X)
    assert model.cluster_centers_.shape == (4, 10)


def test_rows_are_not_made_dense(monkeypatch):
    X = sparse.random_array(
        (400, 200_000), density=1e-4, format="csr", random_state=np.random.default_rng(0)
    )
    for name in ("toarray", "todense"):
        monkeypatch.setattr(sparse.csr_array, name, lambda self, *given: pytest.fail("made dense"))
    model = KMeans(3, random_state=0, max_iter=3).fit(X)
    assert model.cluster_centers_.shape == (3, 200_000)


def test_float32_rows_give_float32_centers():
    X = sparse.csr_matrix(rows(200, 20, 0.3).astype(np.float32))
    model = KMeans(5, random_state=0).fit(X)
    assert model.cluster_centers_.dtype == np.float32
    assert model.transform(X).dtype == np.float32
    assert_array_equal(model.labels_, model.predict(X.toarray()))


def test_what_is_wrong_is_said():
    X = sparse.csr_matrix(rows(30, 5, 0.5))
    with pytest.raises(NotFittedError):
        KMeans(2).predict(X)
    model = KMeans(2, random_state=0).fit(X)
    with pytest.raises(ValueError, match="X has 3 features, but KMeans is expecting 5"):
        model.predict(X[:, :3])
    X.data[3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        KMeans(2).fit(X)
    with pytest.raises(ValueError, match="n_clusters must be between 1 and the number of rows"):
        KMeans(31).fit(sparse.csr_matrix((30, 5)))


@pytest.mark.parametrize(
    "model",
    [
        BisectingKMeans(5, random_state=0),
        BisectingKMeans(5, init="k-means++", bisecting_strategy="largest_cluster", random_state=0),
        BisectingKMeans(3, init=lambda X, k, random_state: X[:k].toarray(), random_state=0),
        MiniBatchKMeans(5, batch_size=60, random_state=0),
        MiniBatchKMeans(5, batch_size=400, init="random", random_state=0),
        MiniBatchKMeans(5, batch_size=50, n_init=3, reassignment_ratio=0.5, random_state=0),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_other_estimators_find_what_they_find_in_dense_rows(model, weighted):
    """Whole numbers: where distances tie, both forms are of one mind."""
    X = rows(400, 30, 0.2, whole=True) * 2.0 ** np.random.default_rng(1).integers(-3, 4, (400, 1))
    weights = np.random.default_rng(2).integers(0, 4, 400) if weighted else None
    if callable(model.init):
        dense = model.set_params(init=lambda X, k, random_state: X[:k]).fit(
            X, sample_weight=weights
        )
        dense = {**vars(dense)}
        model.set_params(init=lambda X, k, random_state: X[:k].toarray())
    else:
        dense = {**vars(model.fit(X, sample_weight=weights))}
    ours = model.fit(sparse.coo_matrix(X), sample_weight=weights)
    assert_array_equal(ours.labels_, dense["labels_"])
    assert_allclose(ours.cluster_centers_, dense["cluster_centers_"], rtol=1e-10, atol=1e-13)
    assert_allclose(ours.inertia_, dense["inertia_"], rtol=1e-10)
    assert_array_equal(ours.predict(sparse.csc_array(X)), ours.labels_)
    assert_array_equal(ours.predict(X), ours.labels_)
    assert_allclose(ours.transform(sparse.csr_array(X)), ours.transform(X), rtol=1e-10, atol=1e-13)


def test_batches_of_sparse_rows():
    X = rows(600, 20, 0.2)
    ours, dense = MiniBatchKMeans(4, random_state=0), MiniBatchKMeans(4, random_state=0)
    for start in range(0, 600, 100):
        ours.partial_fit(sparse.csr_matrix(X[start : start + 100]))
        dense.partial_fit(X[start : start + 100])
    assert_allclose(ours.cluster_centers_, dense.cluster_centers_, rtol=1e-10)
    assert_array_equal(ours.labels_, dense.labels_)
    with pytest.raises(ValueError, match="X has 3 features"):
        ours.partial_fit(sparse.csr_matrix(np.eye(3)))


def test_lengths_of_sparse_rows_whose_squares_overflow_are_refused():
    X = np.full((9, 3), 1e159)  # alike: of dense rows, which are moved, all distances are 0
    for rows in (sparse.csr_array(X), sparse.bsr_matrix(X)):
        with pytest.raises(ValueError, match="whose squared distances overflow"):
            KMeans(2).fit(rows)

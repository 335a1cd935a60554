# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of a Lloyd step against their twins, its statistics in pieces against the whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from statfast._core.kmeans import differences
from statfast._core.kmeans import lloyd as kernel
from statfast._distance import scale_of
from statfast.cluster import KMeansStatistics
from statfast.cluster.kmeans.assignment import Assignment
from statfast.cluster.kmeans.data import survey_rows
from statfast.cluster.kmeans.dense_rows import DenseFrame, pieces
from statfast.cluster.kmeans.lloyd import iterate, iterate_in_one_call
from statfast.cluster.kmeans.plus_plus import by_reading, trials
from tests.reference import kmeans as twin

DTYPES = [np.float64, np.float32, np.uint8]


def sample(seed, n, d, k, dtype, *, offset=0.0, scale=1.0):
    """Rows of a dtype and centers near them; uint8 rows hold duplicates and exact ties."""
    rng = np.random.default_rng(seed)
    if dtype == np.uint8:
        return rng.integers(0, 4, (n, d), dtype=dtype), rng.integers(0, 4, (k, d)).astype(float)
    X = (offset + scale * rng.normal(size=(n, d))).astype(dtype)
    return X, (offset + scale * rng.normal(size=(k, d))).astype(dtype).astype(float)


shapes = {
    "seed": st.integers(0, 2**32),
    "n": st.integers(1, 200),
    "d": st.integers(1, 40),
    "k": st.integers(1, 70),
    "dtype": st.sampled_from(DTYPES),
}


@given(
    **shapes,
    weighted=st.booleans(),
    shift=st.sampled_from([(0, 1), (1e6, 1), (0, 1e-30), (0, 1e30)]),
)
def test_step_is_the_twin(seed, n, d, k, dtype, weighted, shift):
    if dtype == np.float32:
        shift = shift[0], min(shift[1], 1e15)
    X, centers = sample(seed, n, d, k, dtype, offset=shift[0], scale=shift[1])
    weights = np.random.default_rng(seed).integers(0, 3, n).astype(float) if weighted else None
    data = survey_rows(X, None, 1)
    labels, expected_labels = np.zeros((2, n), np.int32)
    sums, expected_sums = np.zeros((2, k, d))
    mass, expected_mass = np.zeros((2, k))

    moved = kernel.step(X, weights, centers, data.frame(centers).packed, labels, sums, mass)

    expected = twin.step(X, weights, centers, None, expected_labels, expected_sums, expected_mass)
    assert_array_equal(labels, expected_labels)
    assert moved == expected
    assert_array_equal(mass, expected_mass)
    assert_allclose(sums, expected_sums, rtol=1e-12, atol=1e-12 * np.abs(expected_sums).max())


@given(**shapes)
def test_the_frame_does_not_decide(seed, n, d, k, dtype):
    X, centers = sample(seed, n, d, k, dtype)
    near, far, huge = np.zeros((3, n), np.int32)
    kernel.step(X, None, centers, survey_rows(X, None, 1).frame(centers).packed, near, None, None)
    kernel.step(X, None, centers, DenseFrame(centers).packed, far, None, None)
    kernel.step(
        X, None, centers, DenseFrame(centers, None, scale_of(1e200)).packed, huge, None, None
    )
    assert_array_equal(near, far)
    assert_array_equal(near, huge)


@given(**shapes)
def test_distances_and_transform_are_the_twins(seed, n, d, k, dtype):
    X, centers = sample(seed, n, d, k, dtype)
    labels = np.random.default_rng(seed).integers(0, k, n).astype(np.int32)
    own, expected_own = np.empty((2, n))
    apart, expected_apart = np.empty((2, n, k))
    differences.distances(X, centers, labels, own)
    differences.transform(X, centers, apart)
    twin.distances(X, centers, labels, expected_own)
    twin.transform(X, centers, expected_apart)
    assert_allclose(own, expected_own, rtol=1e-13)
    assert_allclose(apart, expected_apart, rtol=1e-13)


@given(seed=st.integers(0, 2**32), n=st.integers(2, 60), cut=st.integers(1, 59))
def test_partial_statistics_add_up(seed, n, cut):
    X, centers = sample(seed, n, 3, 5, np.float64)
    cut = min(cut, n - 1)
    weights = np.random.default_rng(seed).uniform(0.1, 2, n)
    whole = KMeansStatistics.partial(X, centers, weights)
    parts = KMeansStatistics.partial(X[:cut], centers, weights[:cut])
    parts = parts.merge(KMeansStatistics.partial(X[cut:], centers, weights[cut:]))
    assert_allclose(parts.sums, whole.sums, atol=1e-12)
    assert_allclose(parts.mass, whole.mass, rtol=1e-14)
    assert parts.moved == whole.moved == n
    assert_allclose(parts.solve(), whole.solve(), atol=1e-12)


def test_partial_counts_the_moves_and_updates_the_labels():
    X, centers = np.array([[0.0], [1.0], [9.0]]), np.array([[0.0], [10.0]])
    labels = np.array([0, 1, 1], np.int32)
    step = KMeansStatistics.partial(X, centers, labels=labels)
    assert step.moved == 1
    assert_array_equal(labels, [0, 0, 1])
    assert_array_equal(step.mass, [2, 1])
    assert_array_equal(step.solve(), [[0.5], [9.0]])


def test_an_empty_cluster_is_put_on_the_heaviest():
    step = KMeansStatistics.partial([[0.0], [2.0], [9.0]], [[1.0], [50.0], [9.0], [70.0]])
    assert_array_equal(step.solve(), [[1.0], [1.0], [9.0], [1.0]])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[1.0, 2.0]], [[1.0]]), "centers must have as many columns as X"),
        (([[1.0]], [[np.nan]]), "centers contains NaN"),
        (([[np.inf]], [[1.0]]), "X contains infinity"),
        (([[1.0]], [[1.0]], [-1.0]), "sample_weight must not be negative"),
        (([[1.0]], [[1.0]], None, np.zeros(2, np.int32)), "labels must be a contiguous"),
        (([[1.0]], [[1.0]], None, np.zeros(1)), "labels must be a contiguous"),
        (([[1.0]], [[1.0]], None, [0]), "labels must be a contiguous"),
        (([[1.0]], [[1.0]], None, np.broadcast_to(np.int32(0), 1)), "writeable int32 array"),
        (([[1.0]] * 2, [[1.0]], None, np.zeros(4, np.int32)[::2]), "labels must be a contiguous"),
        (([[1e200]], [[1.0]]), "squared distances overflow"),
        (([[1.0]], [[1e200]]), "squared distances overflow"),
    ],
)
def test_partial_says_what_is_wrong(arguments, words):
    with pytest.raises(ValueError, match=words):
        KMeansStatistics.partial(*arguments)


def test_merge_says_what_is_wrong():
    step = KMeansStatistics(2, 3)
    with pytest.raises(TypeError, match="other must be a KMeansStatistics; got 3"):
        step.merge(3)
    with pytest.raises(ValueError, match=r"centers of shape \(2, 3\); got \(2, 4\)"):
        step.merge(KMeansStatistics(2, 4))
    with pytest.raises(ValueError, match="k must be at least 1"):
        KMeansStatistics(0, 3)
    with pytest.raises(TypeError, match="d must be an integer"):
        KMeansStatistics(2, "3")


@given(n=st.integers(1, 10_000), size=st.integers(1, 1 << 26))
def test_pieces_cover_the_rows(n, size):
    cut = list(pieces(n, size))
    assert [row for part in cut for row in range(part.start, part.stop)] == list(range(n))
    assert all(part.stop > part.start for part in cut)


def test_sums_that_do_not_fit_are_refused():
    with pytest.raises(MemoryError, match="The sums of 2147483648 centers in 2 columns"):
        KMeansStatistics(2**31, 2)


shapes_of_one_call = {
    "seed": st.integers(0, 2**32),
    "n": st.integers(1, 200),
    "d": st.integers(1, 12),
    "k": st.integers(1, 9),
    "dtype": st.sampled_from(DTYPES),
    "weighted": st.booleans(),
}


def least_sizes(X, centers, steps):
    """How many rows the clusters have in each of Lloyd's steps, up to the first empty one."""
    sizes = []
    for _ in range(steps):
        labels = twin.squared(X.astype(float), centers).argmin(axis=1)
        sizes.append(np.bincount(labels, minlength=len(centers)).min())
        if sizes[-1] == 0:
            break
        means = [X[labels == c].mean(axis=0, dtype=float) for c in range(len(centers))]
        centers = np.array(means).astype(X.dtype if X.dtype == np.float32 else float).astype(float)
    return sizes


def rows_of_one_call(seed, n, d, k, dtype, weighted):
    X, _ = sample(seed, n, d, k, dtype)
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 4, n).astype(float) if weighted else None
    return X, survey_rows(X, weights, 1), min(k, n), rng


@given(
    **shapes_of_one_call, tol=st.sampled_from([0.0, 1e-3]), max_iter=st.sampled_from([1, 2, 300])
)
def test_a_run_over_few_rows_is_the_run_by_steps(seed, n, d, k, dtype, weighted, tol, max_iter):
    X, data, k, rng = rows_of_one_call(seed, n, d, k, dtype, weighted)
    start = X[rng.choice(n, k, replace=False)].astype(float)
    before = start.copy()

    run = iterate_in_one_call(data, start, tol=tol, max_iter=max_iter)

    assert_array_equal(start, before)
    steps = iterate(Assignment(data, start), tol=tol, max_iter=max_iter)
    if run is None:  # a cluster became empty, which the steps mend
        assert 0 in least_sizes(X, start, max_iter)
        return
    assert_array_equal(run.labels, steps.labels)
    assert_array_equal(run.sizes, steps.sizes)
    assert (run.n_iter, run.converged) == (steps.n_iter, steps.converged)
    assert_allclose(run.centers, steps.centers, rtol=1e-12, atol=1e-12)
    assert_allclose(run.inertia, steps.inertia, rtol=1e-12, atol=1e-12)


def test_a_run_over_few_rows_ends_where_a_cluster_is_empty():
    data = survey_rows(np.array([[0.0], [1.0], [2.0], [3.0]]), None, 1)
    assert iterate_in_one_call(data, np.array([[1.0], [50.0]]), tol=0.0, max_iter=9) is None


def test_many_rows_or_steps_are_no_run_over_few():
    data = survey_rows(np.arange(100_000.0)[:, None], None, 1)
    assert iterate_in_one_call(data, np.array([[0.0], [9.0]]), tol=0.0, max_iter=9) is None
    data = survey_rows(np.arange(10.0)[:, None], None, 1)
    assert iterate_in_one_call(data, np.array([[0.0], [9.0]]), tol=0.0, max_iter=10**6) is None


@given(**shapes_of_one_call)
def test_rows_spread_out_of_few_are_those_of_many(seed, n, d, k, dtype, weighted):
    X, data, k, rng = rows_of_one_call(seed, n, d, k, dtype, weighted)
    assert data.fits_one_call(k)
    first = int(rng.integers(n))
    places = np.full(k, first, np.int32)
    points = np.random.default_rng(seed).random((k - 1, trials(k)))

    differences.spread(data.float64(), data.weights, points, places)

    centers, expected = by_reading(data, k, np.random.default_rng(seed), first)
    assert_array_equal(places, expected)
    assert_array_equal(X[places], centers)

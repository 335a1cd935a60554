# SPDX-License-Identifier: BSD-3-Clause
"""Sparse rows: their check, and answers that are those of the dense rows, to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statfast._distance.metrics import as_metric
from statfast._validation.sparse import as_csr, is_sparse
from statfast.neighbors.brute import sparse as sparse_brute
from statfast.neighbors.brute.sparse import SparseIndex, prepared
from statfast.neighbors.brute.user_metric import build_brute

NAMES = ["euclidean", "sqeuclidean", "manhattan", "cosine"]


def rows(rng, n, d, share, values):
    """Dense rows of which a share is not zero, and no row is empty."""
    X = values(rng, (n, d)) * (rng.random((n, d)) < share)
    X[np.arange(n), rng.integers(0, d, n)] += 0.5
    return X


VALUES = {
    "plain": lambda rng, shape: rng.normal(size=shape),
    "whole": lambda rng, shape: rng.integers(0, 3, shape) * 1.0,
    "huge": lambda rng, shape: 1e150 * rng.normal(size=shape),
    "tiny": lambda rng, shape: 1e-162 * rng.normal(size=shape),
    "every scale": lambda rng, shape: 10.0 ** rng.uniform(-60, 60, shape),
}


def check(name, X, Q, k, n_jobs=2):
    metric = as_metric(name, d=X.shape[1])
    thin, few = (prepared(metric, as_csr(sparse.csr_array(A))) for A in (X, Q))
    full, all_of = metric.prepare(X), metric.prepare(Q)
    np.testing.assert_array_equal(thin.toarray(), full)
    index, dense = build_brute(thin, metric, n_jobs), build_brute(full, metric, n_jobs)
    assert isinstance(index, SparseIndex)
    expected = dense.query(all_of, k, n_jobs)
    pairs = [
        (index.query(few, k, n_jobs), expected),
        (index.self_query(k - 1), dense.self_query(k - 1)) if k > 1 else ((), ()),
    ]
    limits = expected[0][:, -1]
    pairs += [
        (index.query_radius(few, r, n_jobs), dense.query_radius(all_of, r, n_jobs))
        for r in (limits, np.median(limits), 0.0, np.inf)
    ]
    for ours, theirs in pairs:
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize(("n", "d", "share"), [(300, 20, 0.3), (150, 700, 0.02), (80, 9, 1.0)])
def test_answers_are_those_of_dense_rows(name, values, n, d, share):
    rng = np.random.default_rng(d)
    X = rows(rng, n, d, share, VALUES[values])
    Q = rows(rng, 40, d, share, VALUES[values])
    Q[:5] = X[:5]
    for k in (1, 6, n):
        check(name, X, Q, k)


@given(n=st.integers(1, 12), d=st.integers(1, 20), seed=st.integers(0, 99))
def test_small_ones(n, d, seed):
    rng = np.random.default_rng(seed)
    X, Q = (rows(rng, m, d, 0.2, VALUES["whole"]) for m in (n, 3))
    check(NAMES[seed % 4], X, Q, int(rng.integers(1, n + 1)), 1)


def test_rows_of_zeros():
    X = np.zeros((6, 4))
    X[2, 1] = 3
    for name in ("euclidean", "manhattan"):
        check(name, X, np.eye(4), 6)
        check(name, np.zeros((3, 2)), np.zeros((2, 2)), 2)


def test_queries_out_of_all_proportion():
    rng = np.random.default_rng(0)
    X = rows(rng, 50, 10, 0.5, VALUES["plain"])
    for size in (1e150, 1e-200):
        for name in NAMES:
            check(name, X, X[:9] * size, 5)
            check(name, X * size, X[:9], 5)


@pytest.mark.parametrize("n_jobs", [1, 7])
def test_any_number_of_threads_and_size_of_calls(n_jobs, monkeypatch):
    rng = np.random.default_rng(1)
    X = as_csr(sparse.random_array((3000, 500), density=0.05, format="csr", random_state=rng))
    index = SparseIndex.build(X)
    two = index.query(X, 4, 2), index.query_radius(X, 12.0, 2)
    monkeypatch.setattr(sparse_brute, "NUMBERS_PER_CALL", 3e4)
    for found, expected in zip((index.query(X, 4, n_jobs), index.query_radius(X, 12.0, n_jobs)),
                               two, strict=True):  # fmt: skip
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b)


def test_weights():
    X = rows(np.random.default_rng(2), 30, 6, 0.5, VALUES["plain"])
    metric = as_metric("manhattan", d=6, metric_params={"w": [0, 1, 2, 0.5, 3, 1]})
    image = prepared(metric, as_csr(sparse.csr_array(X)))
    np.testing.assert_array_equal(image.toarray(), metric.prepare(X))
    assert image.data.all()


# ------------------------------------------------------------------ the check
def untidy():
    """Duplicates, unsorted columns and stored zeros."""
    data = np.array([1.0, 2.0, 0.0, 4.0, 3.0])
    return sparse.csr_array((data, [2, 0, 1, 1, 1], [0, 3, 5]), shape=(2, 3))


@pytest.mark.parametrize("kind", ["csr", "csc", "lil", "dok", "bsr", "dia"])
def test_formats(kind):
    X = untidy().asformat(kind)
    assert is_sparse(X)
    got = as_csr(X)
    np.testing.assert_array_equal(got.toarray(), [[2, 0, 1], [0, 7, 0]])
    assert got.has_canonical_format
    assert got.nnz == 3
    assert got.dtype == np.float64


def test_input_is_left_alone():
    X = untidy()
    held = X.data.copy(), X.indices.copy(), X.indptr.copy()
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    as_csr(X)
    for part, before in zip((X.data, X.indices, X.indptr), held, strict=True):
        np.testing.assert_array_equal(part, before)
    tidy = sparse.csr_array(np.eye(3))
    assert np.shares_memory(as_csr(tidy).data, tidy.data)


def test_other_numbers():
    for dtype in (np.int64, np.float32, bool):
        got = as_csr(sparse.csr_matrix(np.eye(3, dtype=dtype)))
        assert got.dtype == np.float64


BAD = sparse.csr_array(np.array([[1.0, 0.0, 0.0], [0.0, 2.0, np.nan]]))


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (BAD, ValueError, "X contains NaN, first at row 1, column 2"),
        (BAD * np.inf, ValueError, "infinity|NaN"),
        (sparse.csr_array((0, 3)), ValueError, r"0 sample\(s\)"),
        (sparse.csr_array((3, 0)), ValueError, r"0 feature\(s\)"),
        (sparse.csr_array(np.eye(2) * 1j), ValueError, "Complex data not supported"),
        (sparse.coo_array(np.arange(3.0)), ValueError, "Expected 2D array"),
    ],
)
def test_sentences(X, error, words):
    with pytest.raises(error, match=words):
        as_csr(X)


def test_metrics_that_need_dense_rows():
    X = as_csr(sparse.csr_array(np.eye(3)))
    for name in ("correlation", "chebyshev", "jaccard"):
        with pytest.raises(ValueError, match=f"'{name}' takes dense rows"):
            prepared(as_metric(name, d=3), X)
    with pytest.raises(ValueError, match=r"Q has a row of zeros \(row 1\)"):
        prepared(as_metric("cosine", d=2), as_csr(sparse.csr_array([[1.0, 0], [0, 0]])), name="Q")

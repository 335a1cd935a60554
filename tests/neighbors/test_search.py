# SPDX-License-Identifier: BSD-3-Clause
"""The search of NearestNeighbors against its twin and scikit-learn."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.neighbors import NearestNeighbors as SklearnNeighbors

from statfast.neighbors import NearestNeighbors
from statfast.neighbors.brute.precomputed import without_self
from tests.reference import neighbors as twin

DTYPES = [np.float64, np.float32, np.uint8]


def agree(actual, expected):
    """Exact ids; distances to the last few ulps."""
    np.testing.assert_array_equal(actual[1], expected[1])
    np.testing.assert_allclose(actual[0], np.sqrt(expected[0]), rtol=1e-14, atol=0)
    assert actual[0].dtype == np.float64
    assert actual[1].dtype == np.intp


@st.composite
def cloud(draw, tied=False):
    """Fitted rows, query rows and k; `tied`: on a small integer grid, so that ties abound."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m, d = draw(st.integers(1, 70)), draw(st.integers(1, 40)), draw(st.integers(1, 20))
    dtype = draw(st.sampled_from(DTYPES))
    if tied or dtype is np.uint8:
        X, Q = (rng.integers(0, 3 if tied else 256, (rows, d)).astype(dtype) for rows in (n, m))
    else:
        X, Q = (rng.standard_normal((rows, d)).astype(dtype) for rows in (n, m))
    return X, Q, draw(st.integers(1, n))


@given(problem=cloud())
def test_random_rows(problem):
    X, Q, k = problem
    agree(NearestNeighbors(k).fit(X).kneighbors(Q), twin.nearest(X, Q, k))


@given(problem=cloud(tied=True))
def test_ties_go_to_the_lowest_index(problem):
    X, Q, k = problem
    agree(NearestNeighbors(k).fit(X).kneighbors(Q), twin.nearest(X, Q, k))


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
def test_ties_are_of_squares_not_of_their_roots(algorithm):
    """Points of the unit circle: their squares differ in the last bit, and have the root 1."""
    angle = np.arange(1.0, 200.0)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X = X[np.sqrt(X[:, 0] ** 2 + X[:, 1] ** 2) == 1.0]
    squares = X[:, 0] ** 2 + X[:, 1] ** 2
    assert len(X) > 100
    assert len(np.unique(squares)) == 2
    model = NearestNeighbors(n_neighbors=len(X), algorithm=algorithm).fit(X)
    distances, ids = model.kneighbors([[0.0, 0.0]])
    assert (distances == 1.0).all()
    np.testing.assert_array_equal(ids[0], np.argsort(squares, kind="stable"))


@given(problem=cloud(tied=True), n_neighbors=st.integers(1, 69))
def test_each_fitted_row_excludes_itself(problem, n_neighbors):
    X = problem[0]
    if len(X) < 2:
        X = np.repeat(X, 2, axis=0)
    k = min(n_neighbors, len(X) - 1)
    found = NearestNeighbors(k).fit(X).kneighbors()
    agree(found, twin.nearest(X, X, k, itself=True))
    assert not (found[1] == np.arange(len(X))[:, None]).any()


@pytest.mark.parametrize("k", [1, 2, 5, 8])
def test_all_rows_equal(k):
    X = np.full((9, 3), 0.1)
    distances, ids = NearestNeighbors(k).fit(X).kneighbors()
    assert not distances.any()
    for i, row in enumerate(ids):
        assert row.tolist() == [j for j in range(9) if j != i][:k]


def test_without_self_drops_the_last_where_its_own_id_is_missing():
    ids = np.array([[3, 0, 5], [0, 1, 2], [0, 1, 2]])
    d2 = np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    kept, others = without_self(d2, ids, np.array([3, 1, 7]))
    assert others.tolist() == [[0, 5], [0, 2], [0, 1]]
    assert kept.tolist() == [[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("offset", [1e8, -1e8])
def test_far_from_the_origin(offset):
    rng = np.random.default_rng(1)
    X, Q = rng.random((300, 8)) + offset, rng.random((50, 8)) + offset
    agree(NearestNeighbors(10).fit(X).kneighbors(Q), twin.nearest(X, Q, 10))


@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_tiny_and_huge(scale):
    rng = np.random.default_rng(2)
    X, Q = rng.standard_normal((200, 5)) * scale, rng.standard_normal((40, 5)) * scale
    agree(NearestNeighbors(4).fit(X).kneighbors(Q), twin.nearest(X, Q, 4))


@pytest.mark.parametrize("of_fit", DTYPES)
@pytest.mark.parametrize("of_query", [*DTYPES, np.int16])
def test_any_pair_of_dtypes(of_fit, of_query):
    rng = np.random.default_rng(3)
    X, Q = rng.integers(0, 256, (90, 7)).astype(of_fit), rng.integers(0, 256, (20, 7))
    Q = Q.astype(of_query) + (0 if np.issubdtype(of_query, np.integer) else of_query(0.3))
    agree(NearestNeighbors(6).fit(X).kneighbors(Q), twin.nearest(X, Q, 6))


def test_any_memory_order():
    rng = np.random.default_rng(4)
    X, Q = rng.standard_normal((200, 12)), rng.standard_normal((60, 12))
    expected = twin.nearest(X[::2, ::3], Q[::-1, ::3], 5)
    agree(NearestNeighbors().fit(X[::2, ::3]).kneighbors(Q[::-1, ::3]), expected)
    columns = NearestNeighbors().fit(np.asfortranarray(X[::2, ::3]))
    agree(columns.kneighbors(np.asfortranarray(Q[::-1, ::3])), expected)


def test_input_is_referenced_and_never_modified():
    rng = np.random.default_rng(5)
    for dtype in DTYPES:
        X = rng.integers(0, 9, (50, 4)).astype(dtype)
        X.setflags(write=False)
        search = NearestNeighbors().fit(X)
        search.kneighbors(X)
        search.kneighbors()
        assert np.shares_memory(search._rows, X)


def test_same_bits_for_any_number_of_threads():
    rng = np.random.default_rng(6)
    X, Q = rng.standard_normal((3000, 40)), rng.standard_normal((2000, 40))
    first, *others = (NearestNeighbors(7, n_jobs=t).fit(X).kneighbors(Q) for t in (1, 2, 7))
    for other in others:
        assert all(a.tobytes() == b.tobytes() for a, b in zip(first, other, strict=True))


def test_agrees_with_scikit_learn():
    rng = np.random.default_rng(7)
    X, Q = rng.standard_normal((400, 6)), rng.standard_normal((100, 6))
    ours, theirs = (N(n_neighbors=8).fit(X) for N in (NearestNeighbors, SklearnNeighbors))
    for rows in (Q, None):
        distances, ids = theirs.kneighbors(rows)
        np.testing.assert_array_equal(ours.kneighbors(rows)[1], ids)
        np.testing.assert_allclose(ours.kneighbors(rows)[0], distances, rtol=1e-12)
        for mode in ("connectivity", "distance"):
            graph = ours.kneighbors_graph(rows, 3, mode=mode)
            np.testing.assert_allclose(
                graph.toarray(), theirs.kneighbors_graph(rows, 3, mode=mode).toarray(), rtol=1e-12
            )


def test_graph_stores_neighbors_at_distance_zero():
    graph = NearestNeighbors(1).fit([[1.0], [1.0], [5.0]]).kneighbors_graph(mode="distance")
    assert graph.format == "csr"
    assert graph.shape == (3, 3)
    assert graph.indices.tolist() == [1, 0, 0]
    assert graph.data.tolist() == [0.0, 0.0, 4.0]


def test_ids_alone():
    search = NearestNeighbors(2).fit([[0.0], [1.0], [3.0]])
    assert search.kneighbors([[2.1]], return_distance=False).tolist() == [[2, 1]]
    assert search.kneighbors([[2.1]], 1, False).tolist() == [[2]]


def test_attributes():
    search = NearestNeighbors(algorithm="auto").fit(np.zeros((6, 2)))
    assert search.n_samples_fit_ == 6
    assert search.n_features_in_ == 2
    assert search.algorithm_ == "brute"
    assert search.effective_metric_ == "euclidean"


def test_pickle():
    rng = np.random.default_rng(8)
    for dtype in DTYPES:
        search = NearestNeighbors(3).fit(rng.integers(0, 99, (30, 3)).astype(dtype))
        copy = pickle.loads(pickle.dumps(search))
        for rows in (None, rng.random((5, 3))):
            for a, b in zip(search.kneighbors(rows), copy.kneighbors(rows), strict=True):
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("k", [4, np.int64(4)])
def test_too_many_neighbors(k):
    search = NearestNeighbors(k).fit(np.arange(3.0)[:, None])
    with pytest.raises(ValueError, match=r"n_neighbors must be between 1 and .* \(3\); got 4\."):
        search.kneighbors([[0.0]])
    with pytest.raises(ValueError, match=r"besides the row itself \(2\); got 3\."):
        search.kneighbors(n_neighbors=3)


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"n_neighbors": 0}, ValueError),
        ({"n_neighbors": -2}, ValueError),
        ({"n_neighbors": 2.5}, TypeError),
        ({"n_neighbors": "all"}, TypeError),
        ({"algorithm": "hnsw"}, ValueError),
    ],
)
def test_bad_parameters_leave_the_estimator_as_it_was(params, error):
    (name,) = params
    search = NearestNeighbors(2).fit(np.arange(4.0)[:, None])
    search.set_params(**params)
    with pytest.raises(error, match=name):
        search.fit(np.zeros((9, 3)))
    search.set_params(n_neighbors=2)
    assert search.kneighbors([[2.6]], return_distance=False).tolist() == [[3, 2]]


@pytest.mark.parametrize("k", [0, -1, True, 1.0])
def test_bad_number_at_the_query(k):
    search = NearestNeighbors().fit(np.zeros((5, 1)))
    with pytest.raises((ValueError, TypeError), match="n_neighbors"):
        search.kneighbors([[0.0]], k)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0.0]], "X has 1 features, but NearestNeighbors is expecting 2 features"),
        ([[0.0, np.nan]], "NaN.*row 0, column 1"),
        ([[np.inf, 0.0]], "infinity.*row 0, column 0"),
        ([0.0, 1.0], "Expected 2D array"),
        (np.empty((0, 2)), r"0 sample\(s\)"),
    ],
)
def test_bad_query(rows, message):
    search = NearestNeighbors(1).fit(np.zeros((5, 2)))
    with pytest.raises(ValueError, match=message):
        search.kneighbors(rows)


def test_bad_graph_mode():
    with pytest.raises(ValueError, match="mode"):
        NearestNeighbors(1).fit([[0.0], [1.0]]).kneighbors_graph(mode="both")


@pytest.mark.parametrize("rows", [None, [[0.0]]])
def test_not_fitted(rows):
    with pytest.raises(ValueError, match="not fitted"):
        NearestNeighbors().kneighbors(rows)


def test_more_rows_than_32_bits_can_number_are_refused():
    rows = np.broadcast_to(np.zeros((1, 1), np.uint8), (2**31, 1))
    with pytest.raises(ValueError, match=r"at most 2147483647 rows .* got 2147483648\."):
        NearestNeighbors(1).fit(rows)


def test_overflow_is_refused():
    search = NearestNeighbors(2).fit([[1e200], [-1e200], [1.1e200]])
    with pytest.raises(ValueError, match="overflows"):
        search.kneighbors([[1e200]])


@pytest.mark.parametrize(
    ("arguments", "params"),
    [
        ({}, {}),
        ({"p": 3}, {"p": 3}),
        ({"p": 1}, {}),
        ({"metric": "manhattan", "p": 3}, {}),
        ({"metric_params": {"p": 3}}, {"p": 3}),
        ({"metric": "seuclidean", "metric_params": {"V": [1.0, 2.0]}}, {"V": [1.0, 2.0]}),
    ],
)
def test_parameters_of_the_metric_used(arguments, params):
    X = np.arange(12.0).reshape(6, 2)
    assert NearestNeighbors(**arguments).fit(X).effective_metric_params_ == params


@pytest.mark.parametrize(
    "arguments", [{"algorithm": "kd_tree"}, {"algorithm": "ball_tree"}, {"metric": "hamming"}, {}]
)
def test_models_that_have_answered_are_copied_and_pickled(arguments):
    """What kernels see of an index is bound at the first query, and stays behind."""
    rng = np.random.default_rng(0)
    X = (rng.random((60, 8)) < 0.4) * (1.0 if "metric" in arguments else rng.random((60, 8)))
    X = X if arguments else sparse.csr_array(X)
    model = NearestNeighbors(n_neighbors=4, **arguments).fit(X)
    expected = model.kneighbors(X[:7])
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        for mine, theirs in zip(again.kneighbors(X[:7]), expected, strict=True):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("dtype", [*DTYPES, np.int64])
@pytest.mark.parametrize(
    "metric", ["euclidean", "sqeuclidean", "manhattan", "minkowski", "chebyshev", "seuclidean"]
)
def test_one_row_is_answered_like_two(metric, dtype):
    """A short way of one plain row is that of all others, bit by bit."""
    rng = np.random.default_rng(0)
    X = (50 * rng.random((300, 3))).astype(dtype)
    model = NearestNeighbors(n_neighbors=7, algorithm="kd_tree", metric=metric).fit(X)
    for kind in (np.float64, np.float32, np.uint8):
        rows = (50 * rng.random((2, 3))).astype(kind)
        for k in (None, 1, 300, np.int64(5)):
            both, one = model.kneighbors(rows, k), model.kneighbors(rows[:1], k)
            for of_both, of_one in zip(both, one, strict=True):
                np.testing.assert_array_equal(of_both[:1], of_one)
                assert of_one.dtype == of_both.dtype
                assert of_one.flags.c_contiguous
                assert of_one.flags.writeable
            np.testing.assert_array_equal(model.kneighbors(rows[:1], k, False), one[1])
            wide = np.asfortranarray(np.repeat(rows, 2, axis=1))[:1, ::2]
            np.testing.assert_array_equal(model.kneighbors(wide, k)[0], one[0])


@pytest.mark.parametrize(
    ("row", "k", "words"),
    [
        ([[0.0, 1.0]], None, "2 features"),
        ([[0.0, np.nan, 0.0]], None, "NaN"),
        ([[0.0, np.inf, 0.0]], None, "inf"),
        ([[0.0, 1e200, 0.0]], None, "overflows"),
        ([[0.0, 0.0, 0.0]], 0, "n_neighbors must be between 1 and"),
        ([[0.0, 0.0, 0.0]], 31, "n_neighbors must be between 1 and"),
        ([0.0, 0.0, 0.0], None, "2D"),
    ],
)
def test_one_wrong_row_is_refused(row, k, words):
    X = np.random.default_rng(0).random((30, 3))
    model = NearestNeighbors(n_neighbors=2, algorithm="kd_tree").fit(X)
    with pytest.raises(ValueError, match=words):
        model.kneighbors(np.array(row), k)

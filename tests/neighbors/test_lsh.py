# SPDX-License-Identifier: BSD-3-Clause
"""LSHNeighbors: exact distances, the recall asked for, fallbacks, and what it refuses."""

import pickle

import numpy as np
import pytest

from statfast._engine import blocks
from statfast.neighbors import LSHNeighbors, NearestNeighbors
from statfast.neighbors.hashing import tuning
from tests.reference import neighbors as twin


def normal(rng, n, d):
    return rng.standard_normal((n, d))


def clusters(rng, n, d):
    return 10 * rng.standard_normal((15, d))[rng.integers(0, 15, n)] + rng.standard_normal((n, d))


def sphere(rng, n, d):
    """A curved surface of three dimensions in d."""
    return np.tanh(rng.standard_normal((n, 3)) @ rng.standard_normal((3, d)))


def far_away(rng, n, d):
    return 1e8 + clusters(rng, n, d)


def grid(rng, n, d):
    return rng.integers(0, 3, (n, d)) * 1.0


DATA = [normal, clusters, sphere, far_away, grid]


def recall(model, X, Q, k):
    """Of the rows returned, those no farther than the k-th nearest."""
    exact = NearestNeighbors(k).fit(X).kneighbors(Q)[0]
    return (model.kneighbors(Q, k)[0] <= exact[:, -1:]).mean()


@pytest.mark.once
@pytest.mark.parametrize("make", DATA)
@pytest.mark.parametrize("target", [0.6, 0.9])
def test_recall_reaches_its_target(make, target):
    both = make(np.random.default_rng(1), 4600, 24)
    X, Q = both[:4000], both[4000:]
    model = LSHNeighbors(10, recall=target, random_state=0).fit(X)
    assert model.recall_ >= target
    # 6000 answers of 600 queries, whose recalls vary by about 0.2: three standard errors.
    assert recall(model, X, Q, 10) >= target - 3 * 0.2 / np.sqrt(600)


@pytest.mark.parametrize("family", ["p_stable", "hyperplane"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_each_family_serves_each_metric(family, metric):
    both = clusters(np.random.default_rng(2), 3200, 40)
    X, Q = both[:3000], both[3000:]
    model = LSHNeighbors(5, metric=metric, hash=family, random_state=0).fit(X)
    assert model.hash_ == family
    assert model.recall_ >= 0.9
    assert (model.width_ is None) == (family != "p_stable")
    distances, ids = model.kneighbors(Q)
    if metric == "cosine":
        X, Q = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (X, Q))
    exact = ((X[ids] - Q[:, None]) ** 2).sum(axis=2)
    exact = exact / 2 if metric == "cosine" else np.sqrt(exact)
    np.testing.assert_allclose(distances, exact, rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
@pytest.mark.parametrize("d", [3, 400])
def test_distances_are_exact_and_ordered(dtype, d):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 256, (1500, d)).astype(dtype)
    Q = rng.integers(0, 256, (50, d)).astype(dtype)
    distances, ids = LSHNeighbors(8, random_state=0).fit(X).kneighbors(Q)
    exact = ((X[ids].astype(float) - Q[:, None]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(distances, np.sqrt(exact))
    for row_d, row_i in zip(distances, ids, strict=True):
        assert len(set(row_i)) == 8
        assert list(zip(row_d, row_i, strict=True)) == sorted(zip(row_d, row_i, strict=True))


@pytest.mark.parametrize("d", [4, 100])
def test_duplicates_are_always_found_lowest_index_first(d):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((2000, d))
    X[1000:] = X[:1000]
    for family in ("p_stable", "hyperplane"):
        model = LSHNeighbors(2, hash=family, recall=0.5, random_state=0).fit(X)
        distances, ids = model.kneighbors(X[:100])
        assert (distances == 0).all()
        np.testing.assert_array_equal(ids, np.arange(100)[:, None] + [0, 1000])
        distances, ids = model.kneighbors(n_neighbors=1)
        assert (distances == 0).all()
        np.testing.assert_array_equal(ids[:, 0], (np.arange(2000) + 1000) % 2000)


def test_all_rows_equal():
    X = np.full((600, 5), 0.1)
    distances, ids = LSHNeighbors(4, random_state=0).fit(X).kneighbors(X[:9])
    assert (distances == 0).all()
    np.testing.assert_array_equal(ids, np.tile(np.arange(4), (9, 1)))


@pytest.mark.parametrize("d", [6, 120])
def test_same_bits_for_any_number_of_threads(d, monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)  # no work is too small for threads
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_AWAKE_THREADS", 0)
    monkeypatch.setattr(tuning, "SAMPLE_ROWS", 500)  # rows are more than those to tune on
    rng = np.random.default_rng(5)
    X, Q = rng.standard_normal((1500, d)), rng.standard_normal((600, d))
    found = []
    for n_jobs in (1, 2, 7):
        model = LSHNeighbors(6, random_state=3, n_jobs=n_jobs).fit(X)
        said = [model.recall_, model.n_tables_, model.hash_length_, model.width_, model.n_probes_]
        found.append((said, [part.tobytes() for part in model.kneighbors(Q)]))
    assert found[0] == found[1] == found[2]


def test_a_generator_and_its_seed_agree():
    X = normal(np.random.default_rng(6), 500, 8)
    one = LSHNeighbors(random_state=11).fit(X).kneighbors()
    two = LSHNeighbors(random_state=np.random.default_rng(11)).fit(X).kneighbors()
    np.testing.assert_array_equal(one[1], two[1])


def test_pickling():
    X = normal(np.random.default_rng(7), 800, 70)
    model = LSHNeighbors(random_state=0).fit(X)
    again = pickle.loads(pickle.dumps(model))
    for a, b in zip(model.kneighbors(X[:50]), again.kneighbors(X[:50]), strict=True):
        assert a.tobytes() == b.tobytes()


def test_what_is_given_is_used():
    X = normal(np.random.default_rng(8), 1000, 10)
    model = LSHNeighbors(
        hash="p_stable", n_tables=3, hash_length=5, width=2.5, n_probes=4, random_state=0
    ).fit(X)
    said = model.hash_, model.n_tables_, model.hash_length_, model.width_, model.n_probes_
    assert said == ("p_stable", 3, 5, 2.5, 4)
    exact = NearestNeighbors(5).fit(X).kneighbors()[0]
    of_all = (model.kneighbors()[0] <= exact[:, -1:]).mean()
    # 128 rows, whose recalls vary by at most 0.5: four standard errors, rounded up.
    assert model.recall_ == pytest.approx(of_all, abs=0.18)


def test_a_query_with_too_few_candidates_is_answered_exactly():
    """Intervals so narrow that every bucket holds one row, and queries far from all."""
    rng = np.random.default_rng(9)
    X, Q = rng.standard_normal((700, 6)), 100 + rng.standard_normal((40, 6))
    model = LSHNeighbors(
        5, hash="p_stable", n_tables=1, hash_length=8, width=1e-3, n_probes=1, random_state=0
    ).fit(X)
    for rows in (Q, X[:30]):
        d2, ids = twin.nearest(X, rows, 5)
        found = model.kneighbors(rows)
        np.testing.assert_array_equal(found[1], ids)
        np.testing.assert_allclose(found[0], np.sqrt(d2), rtol=1e-14)


@pytest.mark.parametrize("per_query", [False, True])
@pytest.mark.parametrize("n_codes", [2, 30, 2**32])  # few: of probes that agree, the first counts
@pytest.mark.parametrize("most", [1, 64])
def test_first_probes(most, n_codes, per_query):
    rng = np.random.default_rng(15)
    looked_up = rng.integers(0, n_codes, (3, 5, most), np.uint32)
    codes = rng.integers(0, n_codes, (3, 5 if per_query else 1, 40), np.uint32)
    codes[:, :, 7] = looked_up[:, : codes.shape[1], -1]
    first = tuning.first_probes(codes, looked_up)
    for table, query, row in np.ndindex(3, 5, 40):
        code = codes[table, query if per_query else 0, row]
        probes = [*looked_up[table, query], code]  # where none finds it, one beyond them all
        assert first[table, query, row] == probes.index(code)


@pytest.mark.parametrize("n", [1, 2, 3, 17, 300])
def test_few_rows(n):
    X = normal(np.random.default_rng(10), n, 4)
    model = LSHNeighbors(random_state=0).fit(X)
    _, ids = model.kneighbors(X, n_neighbors=n)
    np.testing.assert_array_equal(np.sort(ids, axis=1), np.tile(np.arange(n), (n, 1)))
    if n > 1:
        assert model.kneighbors(n_neighbors=n - 1)[1].shape == (n, n - 1)


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150])
def test_any_scale(scale):
    both = clusters(np.random.default_rng(11), 1100, 9)
    X, Q = both[:1000] * scale, both[1000:] * scale
    model = LSHNeighbors(5, random_state=0).fit(X)
    assert model.recall_ >= 0.9
    assert recall(model, X, Q, 5) >= 0.8
    assert model.kneighbors(Q * 100)[1].shape == (100, 5)  # as far out as that, too


def test_queries_far_beyond_float32():
    X = normal(np.random.default_rng(12), 300, 3)
    for family in ("p_stable", "hyperplane"):
        model = LSHNeighbors(2, hash=family, random_state=0).fit(X)
        distances, _ = model.kneighbors([[1e100, 0, 0], [-1e60, 1e60, 3]])
        np.testing.assert_allclose(distances, [[1e100] * 2, [2**0.5 * 1e60] * 2], rtol=1e-12)


def test_constant_column_and_one_column():
    rng = np.random.default_rng(13)
    X = np.column_stack([np.full(900, 7.0), rng.random(900)])
    for rows in (X, X[:, 1:]):
        model = LSHNeighbors(3, random_state=0).fit(rows)
        assert model.recall_ >= 0.9


@pytest.mark.parametrize(
    ("params", "error", "text"),
    [
        ({"metric": "manhattan"}, ValueError, "metric must be 'euclidean' or 'cosine'"),
        ({"hash": "md5"}, ValueError, "hash must be 'auto', 'p_stable' or 'hyperplane'"),
        ({"recall": 1.0}, ValueError, "recall must be less than 1; got 1.0. Lower recall"),
        ({"recall": 0}, ValueError, "recall must be greater than 0; got 0. Raise recall"),
        ({"recall": "high"}, TypeError, "recall must be a number; got 'high'"),
        ({"n_tables": 0}, ValueError, "n_tables must be between 1 and 1000; got 0"),
        ({"hash_length": 65}, ValueError, "hash_length must be between 1 and 64; got 65"),
        ({"hash_length": 2.5}, TypeError, "hash_length must be an integer or None; got 2.5"),
        ({"width": 0.0}, ValueError, "width must be greater than 0; got 0.0"),
        ({"n_probes": -1}, ValueError, r"n_probes must be .* 1\b.*; got -1"),
        ({"n_neighbors": 0}, ValueError, "n_neighbors must be at least 1; got 0"),
        ({"random_state": "x"}, TypeError, "random_state must be None, an integer or"),
    ],
)
def test_bad_parameters(params, error, text):
    with pytest.raises(error, match=text):
        LSHNeighbors(**params).fit(np.eye(8))


def test_zero_rows_have_no_direction():
    X = np.eye(6)
    X[4] = 0
    with pytest.raises(ValueError, match="X has a row of zeros, row 4, which has no direction"):
        LSHNeighbors(metric="cosine").fit(X)
    model = LSHNeighbors(2, metric="cosine", random_state=0).fit(np.eye(6))
    with pytest.raises(ValueError, match="X has a row of zeros, row 0"):
        model.kneighbors(np.zeros((1, 6)))


def test_too_many_neighbors():
    model = LSHNeighbors(random_state=0).fit(np.eye(6))
    with pytest.raises(ValueError, match=r"between 1 and the number of fitted rows \(6\); got 7"):
        model.kneighbors(np.eye(6), n_neighbors=7)


def test_more_probes_than_are_measured():
    X = normal(np.random.default_rng(14), 500, 6)
    model = LSHNeighbors(5, n_probes=100_000, random_state=0).fit(X)
    assert model.n_probes_ == 100_000
    assert model.recall_ >= 0.9


def test_too_much_memory_is_refused(monkeypatch):
    from statfast._validation import memory

    monkeypatch.setattr(memory, "free_memory", lambda: 1 << 20)
    with pytest.raises(MemoryError, match="Lower n_tables"):
        LSHNeighbors(n_tables=1000, random_state=0).fit(np.zeros((10_000, 1)))


def test_widths_and_rows_beyond_float64():
    X = np.random.default_rng(0).normal(size=(40, 3))
    with pytest.raises(ValueError, match=r"width must be at least .* got 5e-324\. Raise width"):
        LSHNeighbors(width=5e-324).fit(X * 1e3)
    with pytest.raises(ValueError, match="squared distance overflows"):
        LSHNeighbors(n_tables=5, hash_length=3).fit(X * 1e160)


def test_overflow_is_an_error():
    X = np.array([[0.0], [1e200], [2e200]])
    with pytest.raises(ValueError, match="overflows"):
        LSHNeighbors(2, random_state=0).fit(X).kneighbors()

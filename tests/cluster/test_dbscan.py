# SPDX-License-Identifier: BSD-3-Clause
"""DBSCAN: scikit-learn's labels, border rows, weights, metrics, memory and hostile rows."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

import statfast as sf
from statfast import DBSCAN, dbscan
from statfast._distance import kd_tree
from tests.reference.dbscan import labels_by_scan

SEARCHES = {
    "k-d tree": {"algorithm": "kd_tree"},
    "ball tree": {"algorithm": "ball_tree"},
    "brute": {"algorithm": "brute"},
    "manhattan": {"metric": "manhattan"},
    "chebyshev": {"metric": "chebyshev"},
    "minkowski": {"metric": "minkowski", "p": 3},
    "cosine": {"metric": "cosine"},
    "canberra": {"metric": "canberra"},
    "function": {"metric": lambda a, b: np.abs(a - b).sum()},
    "precomputed": {"metric": "precomputed"},
    "graph": {"metric": "precomputed"},
    "sparse rows": {},
}


def blobs(n=300, d=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(5, d))[rng.integers(0, 5, n)] * 3 + 0.5 * rng.normal(size=(n, d))


def of_kind(kind, X, rng):
    if kind == "precomputed":
        return cdist(X, X)
    if kind == "graph":  # pairs are missing, and not the same both ways
        return sparse.csr_array(np.where(rng.random((len(X), len(X))) < 0.4, cdist(X, X), 0.0))
    if kind == "sparse rows":
        return sparse.csr_array(np.where(rng.random(X.shape) < 0.6, X, 0.0))
    return X


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", SEARCHES)
def test_labels_of_scikit_learn(kind, seed):
    cluster = pytest.importorskip("sklearn.cluster")
    rng = np.random.default_rng(seed)
    X = of_kind(kind, blobs(int(rng.integers(2, 250)), seed=seed), rng)
    eps = 0.01 if kind == "cosine" else float(rng.choice([0.1, 0.3, 0.6]))
    weight = [None, rng.integers(-1, 4, X.shape[0]), rng.random(X.shape[0]) * 3][seed % 3]
    settings = {"eps": eps, "min_samples": int(rng.integers(1, 9)), **SEARCHES[kind]}
    ours = DBSCAN(**settings).fit(X, sample_weight=weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of graphs that are not sorted
        theirs = cluster.DBSCAN(**settings).fit(X, sample_weight=weight)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_array_equal(ours.core_sample_indices_, theirs.core_sample_indices_)
    got, want = ours.components_, theirs.components_
    if sparse.issparse(got):
        got, want = got.toarray(), np.asarray(want.todense())
    np.testing.assert_array_equal(got.reshape(want.shape), want)


def test_a_border_row_goes_to_the_cluster_of_the_first_core_row():
    X = np.array([[0.0], [0.2], [0.4], [1.4], [2.4], [2.6], [2.8]])  # 1.4 is near both
    assert DBSCAN(1.0, min_samples=4).fit(X).labels_.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert DBSCAN(1.0, min_samples=4).fit(X[::-1]).labels_.tolist() == [0, 0, 0, 0, 1, 1, 1]
    core, labels = dbscan(X, 1.0, min_samples=4)
    assert core.tolist() == [2, 4]
    assert labels.tolist() == [0, 0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("kind", ["k-d tree", "brute"])
def test_a_weight_is_a_repeated_row(kind):
    X, weight = blobs(), np.random.default_rng(1).integers(1, 4, 300)
    weighted = DBSCAN(0.3, min_samples=9, **SEARCHES[kind]).fit(X, sample_weight=weight)
    repeated = DBSCAN(0.3, min_samples=9, **SEARCHES[kind]).fit(X.repeat(weight, axis=0))
    np.testing.assert_array_equal(weighted.labels_.repeat(weight), repeated.labels_)
    ones = DBSCAN(0.3, min_samples=9).fit(X, sample_weight=np.ones(300))
    np.testing.assert_array_equal(ones.labels_, DBSCAN(0.3, min_samples=9).fit(X).labels_)


def test_a_negative_weight_inhibits():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    labels = DBSCAN(0.5, min_samples=3).fit(X, sample_weight=[1, 1, 1, 1, 1, -1]).labels_
    assert labels.tolist() == [0, 0, 0, -1, -1, -1]
    assert DBSCAN(0.5, min_samples=3).fit(X, sample_weight=[0, 0, 3, 0, 0, 0]).labels_.tolist() == [
        0, 0, 0, -1, -1, -1,
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_rows_in_another_order(seed):
    X, order = blobs(seed=seed), np.random.default_rng(seed).permutation(300)
    model, other = (DBSCAN(0.3, min_samples=6).fit(rows) for rows in (X, X[order]))
    core = np.zeros(300, bool)
    core[model.core_sample_indices_] = True
    np.testing.assert_array_equal(np.sort(order[other.core_sample_indices_]), np.flatnonzero(core))
    both = np.column_stack([model.labels_[order], other.labels_])[core[order]]
    pairs = np.unique(both, axis=0)
    assert len(pairs) == model.labels_.max() + 1  # the same sets of core rows
    np.testing.assert_array_equal(model.labels_[order] < 0, other.labels_ < 0)


@pytest.mark.parametrize("layout", ["float32", "Fortran", "strided", "read-only", "list", "bytes"])
def test_containers_of_rows(layout):
    X = np.round(blobs() * 8) + 64
    rows = {
        "float32": lambda: X.astype(np.float32), "Fortran": lambda: np.asfortranarray(X),
        "strided": lambda: np.repeat(X, 2, axis=0)[::2], "list": X.tolist,
        "bytes": lambda: X.astype(np.uint8),
        "read-only": lambda: np.frombuffer(X.tobytes()).reshape(X.shape),
    }[layout]()  # fmt: skip
    model = DBSCAN(2.0).fit(rows)
    np.testing.assert_array_equal(model.labels_, DBSCAN(2.0).fit(X).labels_)
    np.testing.assert_array_equal(model.components_, X[model.core_sample_indices_])


def test_float32_far_from_the_origin():
    X = (blobs(2000) + 1e5).astype(np.float32)
    D = cdist(X.astype(np.float64), X.astype(np.float64))
    for eps in (0.05, 0.1, 0.3):
        np.testing.assert_array_equal(
            DBSCAN(eps).fit(X).labels_, labels_by_scan(D, eps, 5), err_msg=str(eps)
        )


def test_hostile_rows():
    assert DBSCAN().fit(np.zeros((50, 2))).labels_.tolist() == [0] * 50
    assert DBSCAN(min_samples=51).fit(np.zeros((50, 2))).labels_.tolist() == [-1] * 50
    assert DBSCAN(np.inf).fit(blobs()).labels_.tolist() == [0] * 300
    assert DBSCAN(np.inf, algorithm="brute").fit(blobs()).labels_.tolist() == [0] * 300
    assert DBSCAN(1e-9).fit(blobs()).components_.shape == (0, 2)
    assert DBSCAN(min_samples=1).fit([[3.0]]).labels_.tolist() == [0]
    assert DBSCAN().fit([[3.0]]).labels_.tolist() == [-1]
    line = np.r_[np.arange(10), np.arange(20, 30)][:, None] * 1.0
    assert DBSCAN(1.0, min_samples=2).fit(line).labels_.tolist() == [0] * 10 + [1] * 10
    tiny = blobs() * 1e-200
    np.testing.assert_array_equal(
        DBSCAN(3e-201).fit(tiny).labels_, DBSCAN(0.3).fit(blobs()).labels_
    )


def test_duplicates_and_large_neighborhoods_are_taken_as_a_whole():
    """A million pairs of a million rows would take hours."""
    X = np.zeros((1_000_000, 2))
    X[::2] = 1.0
    assert DBSCAN(0.5).fit(X).labels_.max() == 1
    assert DBSCAN(2.0).fit(X).labels_.max() == 0
    spread = np.random.default_rng(0).random((200_000, 2))
    assert DBSCAN(0.7, min_samples=100).fit(spread).labels_.max() == 0
    assert DBSCAN(10.0, min_samples=200_001).fit(spread).labels_.max() == -1


@pytest.mark.parametrize("d", [1, 3])
def test_trees_of_many_rows_are_divided_first(d, monkeypatch):
    X = blobs(3000, d)
    X[::3] = np.round(X[::3])
    whole = DBSCAN(0.1).fit(X).labels_
    near = sf.NearestNeighbors(algorithm="kd_tree").fit(X).kneighbors(X, 4)
    monkeypatch.setattr(kd_tree, "POINTS_AT_ONCE", 300)
    np.testing.assert_array_equal(DBSCAN(0.1).fit(X).labels_, whole)
    tree = kd_tree.KDArrays.build(X, 32)
    assert sorted(tree.ids[:3000].tolist()) == list(range(3000))
    for got, want in zip(
        sf.NearestNeighbors(algorithm="kd_tree").fit(X).kneighbors(X, 4), near, strict=True
    ):
        np.testing.assert_array_equal(got, want)


def test_progress_is_told():
    told = []
    sf.set_progress(lambda done, total: told.append((done, total)))
    try:
        DBSCAN(0.1).fit(blobs(20_000))
    finally:
        sf.set_progress(None)
    assert any(done == total for done, total in told)


@pytest.mark.parametrize(
    ("settings", "X", "message"),
    [
        ({"eps": 0}, blobs(), "eps must be greater than 0"),
        ({"eps": np.nan}, blobs(), "eps"),
        ({"min_samples": 0}, blobs(), "min_samples must be at least 1"),
        ({"metric": "nonsense"}, blobs(), "metric"),
        ({"algorithm": "kd_tree", "metric": "canberra"}, blobs(), "does not serve"),
        ({"metric": "precomputed"}, np.abs(blobs()), "square"),
        ({"metric": "precomputed"}, -np.ones((3, 3)), "not negative"),
        ({}, np.full((3, 2), np.nan), "NaN"),
    ],
)  # fmt: skip
def test_wrong_input_is_refused(settings, X, message):
    with pytest.raises(ValueError, match=message):
        DBSCAN(**settings).fit(X)


def test_wrong_weights_are_refused():
    for weight, message in (([1.0], "one weight per row"), (np.full(300, np.inf), "inf")):
        with pytest.raises(ValueError, match=message):
            DBSCAN().fit(blobs(), sample_weight=weight)

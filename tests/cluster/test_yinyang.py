# SPDX-License-Identifier: BSD-3-Clause
"""k-means over sorted rows is k-means: the same bits as over rows that are not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from statfast import Chunks
from statfast.cluster import KMeans
from statfast.cluster.kmeans import assignment
from statfast.cluster.kmeans.assignment import Assignment
from statfast.cluster.kmeans.data import survey_rows
from statfast.cluster.kmeans.kmeans import ALGORITHMS
from statfast.cluster.kmeans.yinyang import SortedRows


def blobs(n, k, d, dtype, seed=0):
    rng = np.random.default_rng(seed)
    X = 3 * rng.standard_normal((k // 4 + 1, d))[rng.integers(k // 4 + 1, size=n)]
    X += rng.standard_normal((n, d))
    if dtype == np.uint8:
        X = np.clip(20 * X + 100, 0, 255)
    X = np.ascontiguousarray(X.astype(dtype))
    return X, X[rng.choice(n, k, replace=False)].astype(np.float64)


def fit(X, init, sort, weights=None, **parameters):
    """The fitted model, and how often rows were sorted."""
    with pytest.MonkeyPatch.context() as patch:
        runs, made = [], SortedRows.__init__

        def counted(self, *arguments):
            runs.append(1)
            made(self, *arguments)

        patch.setattr(SortedRows, "__init__", counted)
        if not sort:
            patch.setattr(SortedRows, "pays", staticmethod(lambda *arguments: False))
        model = KMeans(len(init), init=init, **parameters).fit(X, sample_weight=weights)
    return model, len(runs)


def same(a, b):
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert a.n_iter_ == b.n_iter_
    assert a.inertia_ == pytest.approx(b.inertia_, rel=1e-12)
    np.testing.assert_allclose(a.cluster_centers_, b.cluster_centers_, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
@pytest.mark.parametrize(("n", "k", "d"), [(3001, 700, 5), (2000, 200, 40), (4000, 1000, 2)])
def test_sorting_changes_nothing(n, k, d, dtype):
    X, init = blobs(n, k, d, dtype)
    ours, sorted_ = fit(X, init, True, tol=0)
    plain, unsorted = fit(X, init, False, tol=0)
    assert (sorted_, unsorted) == (1, 0)
    same(ours, plain)


def test_weights_are_summed_alike():
    X, init = blobs(3000, 150, 40, np.float64)
    weights = np.random.default_rng(1).integers(0, 4, 3000).astype(float)
    ours, sorted_ = fit(X, init, True, weights)
    assert sorted_
    same(ours, fit(X, init, False, weights)[0])


def test_empty_clusters_are_filled_alike():
    X, init = blobs(3000, 150, 40, np.float64)
    init[10:30] = 1e3 + np.arange(20)[:, None]
    ours, sorted_ = fit(X, init, True)
    assert sorted_
    same(ours, fit(X, init, False)[0])


def test_the_same_bits_for_any_number_of_threads():
    X, init = blobs(20_000, 200, 30, np.float64)
    one, two, seven = (fit(X, init, True, max_iter=15, n_jobs=jobs)[0] for jobs in (1, 2, 7))
    for other in (two, seven):
        assert one.cluster_centers_.tobytes() == other.cluster_centers_.tobytes()
        assert one.labels_.tobytes() == other.labels_.tobytes()
        assert one.inertia_ == other.inertia_


@pytest.mark.parametrize("order", ["strided rows", "F"])
def test_rows_however_they_lie_in_memory(order):
    X, init = blobs(3000, 150, 40, np.float64)
    other = np.asfortranarray(X) if order == "F" else np.repeat(X, 2, axis=0)[::2]
    same(fit(other, init, True)[0], fit(X, init, True)[0])


def test_few_centers_few_rows_and_cheap_rows_are_not_sorted():
    for n, k, d in [(3000, 20, 400), (300, 150, 40), (3000, 150, 4), (3000, 150, 40)]:
        X, init = blobs(n, k, d, np.float64)
        assert fit(X, init, True, max_iter=3)[1] == (n == 3000 and k == 150 and d == 40)


def test_sums_are_made_anew_from_time_to_time(monkeypatch):
    X, init = blobs(600, 30, 3, np.float64)
    whole, made = Assignment.add_up, []
    monkeypatch.setattr(Assignment, "add_up", lambda self: made.append(1) or whole(self))
    monkeypatch.setattr(assignment.Assignment, "MAX_AGE", 3)
    state = Assignment(survey_rows(X, None, 1), init)
    calls = [len(made) for _ in range(7) if state.advance()]
    assert calls == [1, 1, 1, 2, 2, 2, 3]


def test_rows_are_sorted_once_their_centers_are_known():
    X, init = blobs(3000, 150, 40, np.float64)
    state = Assignment(survey_rows(X, None, 1), init)
    state.advance()
    assert state._sorted is None
    state.advance()
    assert state._sorted is not None


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 150),
    k=st.integers(1, 12),
    d=st.integers(1, 5),
    tied=st.booleans(),
    weighted=st.booleans(),
)
@pytest.mark.filterwarnings("ignore:Only .* clusters hold")
def test_no_label_depends_on_the_algorithm(seed, n, k, d, tied, weighted):
    draws = np.random.default_rng(seed)
    X = draws.integers(0, 5, (n, d)).astype(float) if tied else draws.normal(size=(n, d))
    init = X[draws.permutation(n)[: min(k, n)]]
    weights = draws.integers(1, 4, n).astype(float) if weighted else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "MIN_PRODUCTS_FOR_BOUNDS", 0)
        auto, *others = (
            KMeans(len(init), init=init, tol=0, algorithm=name).fit(X, sample_weight=weights)
            for name in ALGORITHMS
        )
    for other in others:
        np.testing.assert_array_equal(auto.labels_, other.labels_)
        assert auto.inertia_ == pytest.approx(other.inertia_, rel=1e-12, abs=1e-12)


HARD = {
    "offset": lambda draws, n, d: 1e6 + draws.normal(size=(n, d)),
    "tiny": lambda draws, n, d: 1e-140 * draws.normal(size=(n, d)),
    "huge": lambda draws, n, d: 1e140 * draws.normal(size=(n, d)),
    "heavy": lambda draws, n, d: draws.standard_cauchy((n, d)) ** 3,
    "near": lambda draws, n, d: draws.integers(0, 2, (n, 1)) + 1e-9 * draws.normal(size=(n, d)),
    "lattice": lambda draws, n, d: draws.integers(0, 4, (n, d)).astype(float),
}


@pytest.mark.parametrize("kind", sorted(HARD))
@pytest.mark.parametrize("algorithm", ["hamerly", "yinyang"])
@pytest.mark.filterwarnings("ignore:Only .* clusters hold")
def test_labels_of_hard_rows(kind, algorithm, monkeypatch):
    monkeypatch.setattr("statfast._engine.blocks.MIN_FLOP_FOR_THREADS", 0)
    for seed in range(4):
        draws = np.random.default_rng(seed)
        X = HARD[kind](draws, 1200, 1 + seed)
        init = X[draws.choice(1200, 40, replace=False)]
        if kind == "lattice":
            init[20:] = init[:20]  # centers that are the same: the lowest is the nearest
        plain = KMeans(40, init=init, tol=0, algorithm="lloyd", n_jobs=1).fit(X)
        found = KMeans(40, init=init, tol=0, algorithm=algorithm, n_jobs=2).fit(X)
        same(plain, found)


@pytest.mark.parametrize(("n", "k", "d"), [(3000, 150, 40), (3000, 20, 10)])
def test_the_algorithm_asked_for_is_taken(n, k, d, monkeypatch):
    X, init = blobs(n, k, d, np.float64)
    passes = []
    whole = assignment.Bounds.motion
    monkeypatch.setattr(
        assignment.Bounds, "motion", lambda self, *given: passes.append(1) or whole(self, *given)
    )
    fits = {}
    for name in ("lloyd", "hamerly", "yinyang"):
        passes.clear()
        fits[name], runs = fit(X, init, True, algorithm=name, max_iter=12)
        assert runs == (name == "yinyang")
        assert bool(passes) == (name == "hamerly")
    same(fits["lloyd"], fits["hamerly"])
    same(fits["lloyd"], fits["yinyang"])


def test_elkan_is_a_name_of_auto():
    for n, k, d in ((3000, 150, 40), (3000, 20, 10)):
        X, init = blobs(n, k, d, np.float64)
        auto, sorts = fit(X, init, True, max_iter=12)
        elkan, too = fit(X, init, True, algorithm="elkan", max_iter=12)
        assert sorts == too
        assert auto.labels_.tobytes() == elkan.labels_.tobytes()
        assert auto.cluster_centers_.tobytes() == elkan.cluster_centers_.tobytes()


def test_rows_in_chunks_and_sparse_rows_are_not_sorted(tmp_path):
    X, init = blobs(500, 30, 6, np.float64)
    mapped = np.memmap(tmp_path / "rows", np.float64, "w+", shape=X.shape)
    mapped[:] = X
    plain, _ = fit(X, init, False, algorithm="lloyd")
    for other, sorts in ((mapped, 1), (csr_array(X), 0), (Chunks([X[:200], X[200:]]), 0)):
        found, runs = fit(other, init, True, algorithm="yinyang")
        assert runs == sorts
        same(found, plain)

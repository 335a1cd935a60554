# SPDX-License-Identifier: BSD-3-Clause
"""KMeans: against its slow twin and scikit-learn, and what it promises in its docstring."""

import copy
import math
import pickle
import warnings
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
import sklearn.cluster
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import statfast as sf
from statfast._engine import blocks
from statfast._engine.chunks import Chunks
from statfast._validation.errors import ConvergenceWarning, NotFittedError
from statfast.cluster import KMeans, KMeansStatistics
from statfast.cluster.kmeans import assignment, dense_rows
from statfast.cluster.kmeans import data as panels
from statfast.cluster.kmeans.data import survey_rows
from statfast.cluster.kmeans.init import runs_of
from statfast.cluster.kmeans.lloyd import tolerance
from tests import data
from tests.reference import kmeans as twin

blobs = partial(data.blobs, spread=10.0)


def starting(X, k, **params):
    return KMeans(k, init=X[:k].copy(), **params)


def same_fit(a, b):
    assert_array_equal(a.labels_, b.labels_)
    assert_array_equal(a.cluster_centers_, b.cluster_centers_)
    assert (a.inertia_, a.n_iter_) == (b.inertia_, b.n_iter_)


# ------------------------------------------------------------------ the algorithm
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 80),
    d=st.integers(1, 6),
    k=st.integers(1, 12),
    tol=st.sampled_from([0.0, 1e-4, 0.1]),
    max_iter=st.sampled_from([1, 2, 300]),
    weighted=st.booleans(),
    tied=st.booleans(),
    bounds=st.booleans(),
)
@pytest.mark.filterwarnings("ignore:Only .* clusters hold")
def test_fit_is_the_twin(seed, n, d, k, tol, max_iter, weighted, tied, bounds):
    """Also with ties, duplicates, empty clusters and rows of no weight; with bounds and without."""
    draws = np.random.default_rng(seed)
    X = draws.integers(0, 4, (n, d)).astype(float) if tied else draws.normal(size=(n, d))
    weights = draws.integers(0, 3, n) if weighted else np.ones(n)
    weights[0] = 1
    k = min(k, np.count_nonzero(weights))
    start = X[draws.integers(0, n, k)] + tied * 0.5
    centers, labels, inertia, n_iter, _ = twin.kmeans(X, start, weights, max_iter, tol)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "MIN_PRODUCTS_FOR_BOUNDS", 0 if bounds else np.inf)
        km = KMeans(k, init=start, tol=tol, max_iter=max_iter).fit(X, sample_weight=weights)

    assert_allclose(km.cluster_centers_, centers, rtol=1e-12, atol=1e-12)
    assert_allclose(km.inertia_, inertia, rtol=1e-12, atol=1e-12)
    # Centers that differ in the last bit may break the tie of a row between them either way.
    near = twin.squared(X, centers)
    chosen = near[np.arange(n), km.labels_]
    assert_allclose(chosen, near[np.arange(n), labels], rtol=1e-12, atol=1e-12)
    if tol > 0 and not tied:  # without a tolerance the last bit of a center counts
        assert km.n_iter_ == n_iter
    assert_array_equal(km.labels_, km.predict(X))


SHAPES = [
    (2000, 2, 5, np.float64),
    (3000, 16, 20, np.float64),
    (1000, 40, 64, np.float64),
    (5000, 3, 200, np.float64),
    (2000, 8, 30, np.float32),
    (700, 100, 7, np.float32),
]


@pytest.mark.parametrize(("n", "d", "k", "dtype"), SHAPES)
@pytest.mark.parametrize("tol", [0.0, 1e-4])
@pytest.mark.parametrize("max_iter", [1, 20, 300])
@pytest.mark.filterwarnings("ignore:Only .* clusters hold", "ignore:Number of distinct clusters")
def test_scikit_learn_takes_the_same_path(n, d, k, dtype, tol, max_iter):
    X = blobs(n, d, max(2, k // 2), dtype=dtype)
    ours = starting(X, k, tol=tol, max_iter=max_iter).fit(X)
    theirs = sklearn.cluster.KMeans(k, init=X[:k], tol=tol, max_iter=max_iter, n_init=1).fit(X)
    assert ours.cluster_centers_.dtype == dtype
    if dtype == np.float64:
        assert_array_equal(ours.labels_, theirs.labels_)
        assert ours.n_iter_ == theirs.n_iter_
        assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-10, atol=1e-10)
        assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-12)
    else:  # its sums are float32, ours are not
        assert np.mean(ours.labels_ == theirs.labels_) > 0.98
        assert_allclose(ours.inertia_, theirs.inertia_, rtol=2e-3)


def test_scikit_learn_weighs_alike():
    X = blobs(1500, 4, 6)
    weights = np.random.default_rng(1).uniform(0, 3, len(X))
    ours = starting(X, 9, tol=0).fit(X, sample_weight=weights)
    theirs = sklearn.cluster.KMeans(9, init=X[:9], tol=0, n_init=1).fit(X, sample_weight=weights)
    assert_array_equal(ours.labels_, theirs.labels_)
    assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-10, atol=1e-10)
    assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-12)


def test_inertia_never_rises():
    X = blobs(3000, 5, 10)
    seen = [starting(X, 15, tol=0, max_iter=m).fit(X).inertia_ for m in range(1, 25)]
    assert all(after <= before * (1 + 1e-14) for before, after in pairwise(seen))
    assert len(set(seen)) > 10


def test_one_cluster_is_the_mean():
    X = blobs(500, 3, 4)
    weights = np.random.default_rng(0).uniform(0, 2, 500)
    km = KMeans(1, random_state=0).fit(X, sample_weight=weights)
    mean = np.average(X, axis=0, weights=weights)
    assert_allclose(km.cluster_centers_, mean[None], rtol=1e-13)
    assert_allclose(km.inertia_, (weights @ (X - mean) ** 2).sum(), rtol=1e-12)
    assert km.n_iter_ == 2
    assert not km.labels_.any()


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_as_many_clusters_as_rows(init):
    X = blobs(40, 3, 4)
    km = KMeans(40, init=init, random_state=0).fit(X)
    assert km.inertia_ == 0
    assert sorted(km.labels_) == list(range(40))
    assert_array_equal(km.cluster_centers_[km.labels_], X)


# ------------------------------------------------------------------ from iteration to iteration
def passing(far, near, farther):
    """A far row that joins the near ones for a while, and the starts that make it do so."""
    X = np.concatenate([[far], np.full(100, near), np.full(20, farther)])[:, None]
    return X, np.array([[0.0], [2.5 * far]])


@pytest.mark.parametrize("rows", [(1.5e16, 0.9, 2.2e16), (1.5e6, 1e-9, 2.2e6)])
@pytest.mark.parametrize(("tol", "max_iter"), [(0.0, 300), (0.0, 2), (1e-12, 300)])
def test_a_far_row_that_passes_through_a_cluster_leaves_no_trace(rows, tol, max_iter):
    X, start = passing(*rows)
    km = KMeans(2, init=start, tol=tol, max_iter=max_iter).fit(X)
    assert_array_equal(km.labels_, np.repeat([1, 0, 1], [1, 100, 20]))
    assert_allclose(km.cluster_centers_, [[rows[1]], [X[km.labels_ == 1].mean()]], rtol=1e-13)
    assert km.n_iter_ == min(3, max_iter)


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(2, 120),
    k=st.integers(1, 8),
    spread=st.integers(0, 40),
    bounds=st.booleans(),
)
@pytest.mark.filterwarnings("ignore:Only .* clusters hold")
def test_centers_are_means_at_all_scales(seed, n, k, spread, bounds):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(n, 1)) * 10.0 ** draws.uniform(0, spread, (n, 1))
    k = min(k, n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "MIN_PRODUCTS_FOR_BOUNDS", 0 if bounds else np.inf)
        km = KMeans(k, init=X[draws.permutation(n)[:k]], tol=0).fit(X)
    assume(km.n_iter_ < 300)
    for c in range(k):
        own = X[km.labels_ == c, 0]
        if len(own):
            limit = 1e-13 * np.abs(own).sum() / len(own)
            assert abs(km.cluster_centers_[c, 0] - math.fsum(own) / len(own)) <= limit


@pytest.mark.parametrize("afresh", [3, 16])
def test_labels_that_only_wrong_sums_hold_in_place_are_not_the_end(afresh, monkeypatch):
    """Centers of sums made anew may move rows where those before moved none: it goes on."""
    X = np.repeat([0.9, -4.2, -9, 60, 100], [100, 1, 100, 1, 10])[:, None]
    merge, calls = assignment.Assignment._merge, []

    def drifting(self, total, step):
        calls.append(merge(self, total, step))
        if len(calls) == 1:  # the first patch, which takes row 60 out of the first cluster
            total.sums[0] = 0.0
        return total

    monkeypatch.setattr(panels, "MAX_PRODUCTS_OF_ONE_CALL", 0)  # few rows have no patched sums
    monkeypatch.setattr(assignment.Assignment, "_merge", drifting)
    monkeypatch.setattr(assignment.Assignment, "MAX_AGE", afresh)
    km = KMeans(3, init=[[0.0], [-9], [150]], tol=0).fit(X)
    # Next to a first center of 0 row -4.2 belongs to it, and so it would stay for ever.
    assert_array_equal(km.labels_, np.repeat([0, 1, 1, 2, 2], [100, 1, 100, 1, 10]))
    means = [X[km.labels_ == c].mean(axis=0) for c in range(3)]
    assert_allclose(km.cluster_centers_, means, rtol=1e-13)
    assert km.n_iter_ == 6  # the row moves in the fifth


def test_rows_are_packed_once_for_all_runs(monkeypatch):
    made = []
    monkeypatch.setattr(panels, "MAX_PRODUCTS_OF_ONE_CALL", 0)
    pack_rows = panels.kernel.pack_rows
    monkeypatch.setattr(panels.kernel, "pack_rows", lambda *a: made.append(a[2]) or pack_rows(*a))
    X = blobs(250, 3, 5)  # one part
    weights = np.random.default_rng(0).uniform(1, 2, 250)
    KMeans(5, n_init=7, init="random", random_state=0).fit(X, sample_weight=weights)
    assert len(made) == 1
    starts = iter([X[:5], X[:5] * 100, X[:5]])  # bounds need another scale there
    far = KMeans(5, n_init=3, init=lambda X, k, random_state: next(starts)).fit(X)
    assert len(made) == 4
    assert_array_equal(far.labels_, far.predict(X))


@pytest.fixture
def halved(monkeypatch):
    """Small rows are kept in halves too; lists for which scales, and whether as halves."""
    made, pack = [], panels.Panels._pack
    monkeypatch.setattr(panels, "MIN_HALVED_BYTES", 0)
    monkeypatch.setattr(panels, "MIN_HALVED_COLUMNS", 0)
    monkeypatch.setattr(panels, "MAX_PRODUCTS_OF_ONE_CALL", 0)
    monkeypatch.setattr(assignment, "MIN_PRODUCTS_FOR_BOUNDS", 0)
    monkeypatch.setattr(panels.Panels, "_pack", lambda *a: made.append(a[2]) or pack(*a))
    if not panels.kernel.has_halves():
        pytest.skip("this level converts no halves")
    return made


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
@pytest.mark.parametrize("algorithm", ["auto", "lloyd", "hamerly"])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_in_halves_are_labeled_alike(dtype, algorithm, weighted, halved, monkeypatch):
    rng = np.random.default_rng(0)
    X = (20 * blobs(3000, 37, 9)[:, ::-1] + 120).clip(0, 255).astype(dtype)
    weights = rng.uniform(0, 2, len(X)) if weighted else None
    fits = [
        starting(X, 9, tol=0, algorithm=algorithm).fit(X, sample_weight=weights),
        KMeans(9, n_init=2, random_state=0, algorithm=algorithm).fit(X, sample_weight=weights),
    ]
    assert halved == [True, False, True, False, True]  # seeds are found in float32
    monkeypatch.setattr(panels, "MAX_HALVED_CENTERS", 0)
    again = KMeans(9, n_init=2, random_state=0, algorithm=algorithm)
    same_fit(fits[0], starting(X, 9, tol=0, algorithm=algorithm).fit(X, sample_weight=weights))
    same_fit(fits[1], again.fit(X, sample_weight=weights))


@pytest.mark.parametrize("layout", ["read-only", "columns", "apart"])
@pytest.mark.parametrize("kind", ["plain", "spherical", "bisecting"])
def test_halves_of_other_layouts_and_relatives(kind, layout, halved, monkeypatch):
    X = blobs(2000, 21, 6).astype(np.float32)
    if layout == "read-only":
        X.setflags(write=False)
    elif layout == "columns":
        X = np.asfortranarray(X)
    elif layout == "apart":
        X = np.repeat(X, 2, axis=0)[::2]
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    made = {"plain": KMeans, "spherical": sf.SphericalKMeans, "bisecting": sf.BisectingKMeans}[kind]
    fits = [made(6, random_state=0, n_jobs=jobs).fit(X) for jobs in (1, 2, 7)]
    assert True in halved
    monkeypatch.setattr(panels, "MAX_HALVED_CENTERS", 0)
    plain = made(6, random_state=0).fit(X)
    for found in fits:
        assert_array_equal(found.cluster_centers_, plain.cluster_centers_)
        assert found.inertia_ == plain.inertia_


def test_halves_that_decide_little_are_given_up(halved, monkeypatch):
    """Next to rows far away, those of all others are alike to 11 bits."""
    X = blobs(2000, 12, 5)
    X[-3:] *= 1e6
    found = starting(X, 6, tol=0).fit(X)
    assert halved == [True, False]
    monkeypatch.setattr(panels, "MAX_HALVED_CENTERS", 0)
    same_fit(found, starting(X, 6, tol=0).fit(X))


def test_rows_too_many_to_be_kept_are_labeled_alike(monkeypatch):
    X = blobs(700, 5, 6)
    kept = starting(X, 9, tol=0).fit(X)
    monkeypatch.setattr(panels, "MAX_PANEL_NUMBERS", 0)
    same_fit(starting(X, 9, tol=0).fit(X), kept)


def test_small_pieces_are_the_whole(monkeypatch):
    X = blobs(5000, 5, 40)
    whole = starting(X, 70, tol=0).fit(X)  # k * k < n: gaps between the centers count
    score = whole.score(X)
    monkeypatch.setattr(dense_rows, "PRODUCTS_PER_CALL", 1)
    monkeypatch.setattr(dense_rows, "MAX_UNCUT_PRODUCTS", 0)
    same_fit(starting(X, 70, tol=0).fit(X), whole)
    assert whole.score(X) == score


def test_tolerance_is_a_share_of_the_weighted_variance():
    X = blobs(900, 3, 5) + 100
    weights = np.random.default_rng(0).uniform(0, 3, 900)
    for rows in (X, X.astype(np.float32), np.abs(X).astype(np.uint8)):
        mean = np.average(rows, axis=0, weights=weights)
        variance = np.average((rows - mean) ** 2, axis=0, weights=weights).mean()
        data = survey_rows(rows, weights, None)
        assert_allclose(tolerance(data, 0.5), 0.5 * variance, rtol=1e-6)
        assert_allclose(
            tolerance(survey_rows(rows, None, None), 2), 2 * rows.var(axis=0).mean(), 1e-6
        )
    assert tolerance(data, 0) == 0


# ------------------------------------------------------------------ ties and empty clusters
def test_ties_go_to_the_lowest_index():
    km = KMeans(3, init=[[1.0, 0], [-1, 0], [1, 0]], max_iter=1, tol=0)
    X = [[0.0, 5], [0, -5], [3, 0], [-3, 0]]
    assert_array_equal(KMeansStatistics.partial(X, km.init).mass, [3, 1, 0])
    predicted = KMeans(2, init=[[-1.0], [1.0]]).fit([[-1.0], [1.0]]).predict([[0.0]])
    assert_array_equal(predicted, [0])


def test_empty_clusters_take_the_farthest_rows_in_order():
    X = np.array([[0.0], [1.0], [2.0], [20.0], [-18.0]])
    start = np.array([[1.0], [500.0], [600.0]])
    # Row 3 lies 19 from its center, row 4 lies 19 too: the lower index goes to the first empty one.
    one = KMeans(3, init=start, max_iter=1, tol=0).fit(X)
    assert_array_equal(one.cluster_centers_, [[1.0], [20.0], [-18.0]])
    assert_array_equal(one.labels_, [0, 0, 0, 1, 2])


def test_one_empty_cluster_as_in_scikit_learn():
    X = blobs(400, 3, 4)
    start = np.vstack([X[:6], np.full((1, 3), 1e4)])
    for max_iter in (1, 2, 300):
        ours = KMeans(7, init=start, tol=0, max_iter=max_iter).fit(X)
        theirs = sklearn.cluster.KMeans(7, init=start, tol=0, n_init=1, max_iter=max_iter).fit(X)
        assert_array_equal(ours.labels_, theirs.labels_)
        assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-10, atol=1e-10)


def test_a_row_of_no_weight_fills_no_cluster():
    X = np.array([[0.0], [1.0], [5.0], [100.0]])
    km = KMeans(2, init=[[0.0], [1e3]], max_iter=1).fit(X, sample_weight=[1, 1, 1, 0])
    assert_array_equal(km.cluster_centers_, [[0.5], [5.0]])


@pytest.mark.filterwarnings("ignore:Only 3 of 4 clusters hold")
def test_a_cluster_may_give_away_all_its_rows():
    X, weights = np.array([[0.0], [1.0], [90.0], [91.0]]), [0.1, 0.2, 0.1, 0.2]
    start = [[0.5], [50.0], [500.0], [600.0]]
    km = KMeans(4, init=start, max_iter=1).fit(X, sample_weight=weights)
    # The second is left with nothing, not with the rounding of 0.1 + 0.2 - 0.2 - 0.1: it joins
    # the heaviest.
    assert_allclose(km.cluster_centers_, [[2 / 3], [2 / 3], [91.0], [90.0]], rtol=1e-14)


def test_fewer_different_rows_than_clusters():
    X = np.repeat([[0.0, 0.0], [1.0, 5.0]], 20, axis=0)
    for init in ("k-means++", "random"):
        with pytest.warns(ConvergenceWarning, match="Only 2 of 4 clusters hold any row. Lower"):
            km = KMeans(4, init=init, random_state=0).fit(X)
        assert km.inertia_ == 0
        assert len(set(km.labels_)) == 2
        assert len(np.unique(km.cluster_centers_, axis=0)) == 2


def test_constant_data():
    with pytest.warns(ConvergenceWarning, match="Only 1 of 2"):
        km = KMeans(2, random_state=0).fit(np.full((10, 3), 7.0))
    assert_array_equal(km.cluster_centers_, np.full((2, 3), 7.0))
    assert km.inertia_ == 0


# ------------------------------------------------------------------ weights
def test_integer_weights_are_repeated_rows():
    X = blobs(300, 3, 5)
    weights = np.random.default_rng(0).integers(0, 4, 300)
    repeated = np.repeat(X, weights, axis=0)
    for params in ({"init": X[:8]}, {"init": "k-means++", "random_state": 3}):
        a = KMeans(8, **params).fit(X, sample_weight=weights)
        b = KMeans(8, **params).fit(repeated)
        assert_array_equal(np.repeat(a.labels_, weights), b.labels_)
        assert_allclose(a.cluster_centers_, b.cluster_centers_, rtol=1e-11, atol=1e-11)
        assert_allclose(a.inertia_, b.inertia_, rtol=1e-12)
        assert a.n_iter_ == b.n_iter_


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_a_weight_of_zero_leaves_a_row_out(init):
    X = blobs(200, 3, 5)
    weights = np.random.default_rng(0).integers(0, 2, 200)
    a = KMeans(6, init=init, random_state=0).fit(X, sample_weight=weights)
    inside = X[weights == 1]
    b = KMeans(6, init=init, random_state=0).fit(inside, sample_weight=np.ones(len(inside)))
    if init == "k-means++":
        assert_allclose(a.cluster_centers_, b.cluster_centers_, rtol=1e-11, atol=1e-11)
    assert_allclose(a.score(inside), -a.inertia_, rtol=1e-12)
    assert_array_equal(a.labels_, a.predict(X))


def test_equal_weights_of_one_are_no_weights():
    X = blobs(300, 3, 5)
    for init in ("k-means++", "random"):
        plain = KMeans(5, init=init, random_state=0).fit(X)
        same_fit(plain, KMeans(5, init=init, random_state=0).fit(X, sample_weight=np.ones(300)))


# ------------------------------------------------------------------ the same bits
@pytest.mark.parametrize("n_jobs", [2, 7])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_same_bits_for_any_number_of_threads(n_jobs, dtype, monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    X = np.abs(blobs(6000, 7, 6) * 8).astype(dtype)
    weights = np.random.default_rng(0).uniform(0, 1, 6000)
    params = {"random_state": 1, "n_init": 2}
    for w in (None, weights):
        alone = KMeans(20, n_jobs=1, **params).fit(X, sample_weight=w)
        many = KMeans(20, n_jobs=n_jobs, **params).fit(X, sample_weight=w)
        same_fit(alone, many)
        assert_array_equal(alone.predict(X), many.predict(X))
        assert_array_equal(alone.transform(X), many.transform(X))
        assert alone.score(X, sample_weight=w) == many.score(X, sample_weight=w)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_a_memory_map_is_an_array(tmp_path, dtype, init):
    X = np.abs(blobs(3000, 5, 6) * 8).astype(dtype)
    np.save(tmp_path / "rows.npy", X)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    a, b = (KMeans(8, init=init, random_state=0).fit(rows) for rows in (X, mapped))
    same_fit(a, b)
    assert_array_equal(a.transform(X), b.transform(mapped))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
@pytest.mark.parametrize("init", ["k-means++", "random", "array"])
def test_chunks_are_an_array(dtype, init):
    X = np.abs(np.round(blobs(3000, 5, 6) * 8)).astype(dtype)  # whole: sums are exact
    X = X[: 2 ** int(np.log2(len(X)))]
    init = X[:8].copy() if init == "array" else init
    chunks = Chunks(lambda: iter([X[:100], X[100:1500], X[1500:1500], X[1500:]]))
    weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    for w in (None, weights):
        a = KMeans(8, init=init, random_state=0).fit(X, sample_weight=w)
        b = KMeans(8, init=init, random_state=0).fit(chunks, sample_weight=w)
        assert_array_equal(a.labels_, b.labels_)
        assert_array_equal(a.cluster_centers_, b.cluster_centers_)
        assert b.cluster_centers_.dtype == a.cluster_centers_.dtype
        assert_allclose(a.inertia_, b.inertia_, rtol=1e-13)
        assert_array_equal(b.predict(chunks), a.labels_)
        assert_array_equal(b.transform(chunks), a.transform(X))
        assert_allclose(b.score(chunks, sample_weight=w), -a.inertia_, rtol=1e-13)


def test_predict_reads_an_iterator_of_chunks_once():
    X = blobs(500, 3, 4)
    km = KMeans(4, random_state=0).fit(X)
    assert_array_equal(km.predict(Chunks(iter([X[:200], X[200:]]))), km.labels_)
    with pytest.raises(ValueError, match="iterator"):
        KMeans(4).fit(Chunks(iter([X[:200], X[200:]])))


@pytest.mark.parametrize(
    "layout", ["fortran", "strided", "reversed", "read-only", "list", "integer"]
)
def test_any_layout(layout):
    X = np.round(blobs(400, 3, 4) * 4)
    arranged = {
        "fortran": np.asfortranarray(X),
        "strided": np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
        "reversed": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
        "read-only": X.copy(),
        "list": X.tolist(),
        "integer": X.astype(np.int64),
    }[layout]
    if layout == "read-only":
        arranged.setflags(write=False)
    same_fit(KMeans(5, random_state=0).fit(arranged), KMeans(5, random_state=0).fit(X))


def test_nothing_given_is_modified():
    X, start, weights = blobs(300, 3, 4), blobs(5, 3, 2), np.arange(300.0)
    kept = copy.deepcopy((X, start, weights))
    km = KMeans(5, init=start).fit(X, sample_weight=weights)
    km.predict(X), km.transform(X), km.score(X, sample_weight=weights)
    for now, before in zip((X, start, weights), kept, strict=True):
        assert_array_equal(now, before)
    assert km.init is start


# ------------------------------------------------------------------ starts
def test_random_state_repeats_the_draws():
    X = blobs(500, 3, 20)
    for init in ("k-means++", "random"):
        km = KMeans(9, init=init, n_init=1, max_iter=1)
        first = km.set_params(random_state=7).fit(X).cluster_centers_
        assert_array_equal(km.fit(X).cluster_centers_, first)
        again = km.set_params(random_state=np.random.default_rng(7)).fit(X).cluster_centers_
        assert_array_equal(again, first)
        other = km.set_params(random_state=8).fit(X).cluster_centers_
        assert not np.array_equal(other, first)
        # A generator moves on.
        moving = km.set_params(random_state=np.random.default_rng(7))
        assert not np.array_equal(moving.fit(X).cluster_centers_, moving.fit(X).cluster_centers_)


def counted(function):
    def start(X, k, random_state):
        start.calls += 1
        return function(X, k, random_state)

    start.calls = 0
    return start


def test_n_init_keeps_the_best_run():
    X = blobs(600, 2, 12)
    singles = []

    @counted
    def drawn(X, k, random_state):
        rows = X[random_state.choice(len(X), k, replace=False)]
        singles.append(KMeans(k, init=rows).fit(X))
        return rows

    best = KMeans(12, init=drawn, n_init=8, random_state=0).fit(X)
    assert drawn.calls == 8
    assert len({km.inertia_ for km in singles}) > 1
    same_fit(best, min(singles, key=lambda km: km.inertia_))
    fewer = KMeans(12, init=drawn, n_init=3, random_state=0).fit(X)
    assert best.inertia_ <= fewer.inertia_ == min(km.inertia_ for km in singles[8:])


def test_the_first_of_equal_runs_is_kept():
    X = blobs(200, 2, 3)
    starts = iter([X[[0, 1, 2]], X[[2, 1, 0]]])  # the same clusters, numbered otherwise
    km = KMeans(3, init=lambda X, k, random_state: next(starts), n_init=2).fit(X)
    first = KMeans(3, init=X[[0, 1, 2]]).fit(X)
    if km.inertia_ == first.inertia_:
        same_fit(km, first)
    else:
        assert km.inertia_ < first.inertia_


@pytest.mark.parametrize(
    ("init", "runs"), [("k-means++", 1), ("random", 10), (np.array([[0.0], [1.0]]), 1)]
)
def test_auto_n_init(init, runs):
    assert runs_of(KMeans(init=init)._checked()) == runs
    assert runs_of(KMeans(init=lambda *args: None)._checked()) == 10


def test_a_function_gets_what_scikit_learn_gives_it():
    X = blobs(100, 2, 3)

    def start(data, k, random_state):
        assert data is X
        return data[random_state.randint(0, len(data), k)].tolist()

    KMeans(3, init=start, n_init=1, random_state=0).fit(X)


def test_one_run_from_an_array():
    X = blobs(100, 2, 3)
    with pytest.warns(UserWarning, match="n_init=5"):
        km = starting(X, 3, n_init=5).fit(X)
    same_fit(km, starting(X, 3).fit(X))


# ------------------------------------------------------------------ the fitted estimator
def test_predict_transform_score_agree():
    X, Q = blobs(800, 4, 6), blobs(300, 4, 6, seed=9)
    weights = np.random.default_rng(0).uniform(0, 2, 300)
    km = KMeans(6, random_state=0).fit(X)
    apart = np.sqrt(twin.squared(Q, km.cluster_centers_))
    assert_allclose(km.transform(Q), apart, rtol=1e-13)
    assert_array_equal(km.predict(Q), apart.argmin(axis=1))
    assert km.predict(Q).dtype == np.int32
    assert_allclose(km.score(Q), -(apart.min(axis=1) ** 2).sum(), rtol=1e-12)
    expected = -(weights * apart.min(axis=1) ** 2).sum()
    assert_allclose(km.score(Q, sample_weight=weights), expected, rtol=1e-12)
    assert_allclose(km.score(X), -km.inertia_, rtol=1e-13)
    assert_array_equal(km.fit_predict(X), km.labels_)
    assert_array_equal(km.fit_transform(X), km.transform(X))
    assert list(km.get_feature_names_out()) == [f"kmeans{j}" for j in range(6)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, np.int16])
def test_dtypes_out(dtype):
    X = np.abs(blobs(300, 3, 4) * 5).astype(dtype)
    km = KMeans(4, random_state=0).fit(X)
    real = np.float32 if dtype == np.float32 else np.float64
    assert km.cluster_centers_.dtype == real
    assert km.transform(X).dtype == real
    assert km.labels_.dtype == np.int32
    assert type(km.inertia_) is float
    assert type(km.n_iter_) is int
    assert_array_equal(km.predict(X), km.labels_)


def test_large_and_small_calls_predict_alike(monkeypatch):
    X = blobs(2000, 4, 6)
    km = KMeans(6, random_state=0).fit(X)
    one_by_one = np.concatenate([km.predict(row[None]) for row in X])
    monkeypatch.setattr("statfast.cluster.kmeans.dense_rows.MAX_UNCUT_PRODUCTS", 0)
    assert_array_equal(km.predict(X), one_by_one)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda km: pickle.loads(pickle.dumps(km))])
def test_a_copy_predicts_alike(again):
    X = blobs(300, 3, 4)
    km = KMeans(4, random_state=0).fit(X)
    other = again(km)
    assert_array_equal(other.predict(X), km.labels_)
    assert_array_equal(other.transform(X), km.transform(X))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_changed_centers_are_used(dtype):
    X = blobs(300, 3, 4, dtype=dtype)
    km = KMeans(4, random_state=0).fit(X)
    km.cluster_centers_ = km.cluster_centers_[::-1]
    assert_array_equal(km.predict(X), 3 - km.labels_)
    km.cluster_centers_[[0, 3]] = km.cluster_centers_[[3, 0]]
    assert_array_equal(km.predict(X), np.array([0, 2, 1, 3])[km.labels_])


def test_a_failed_fit_changes_nothing():
    X = blobs(300, 3, 4)
    km = KMeans(4, random_state=0).fit(X)
    before = dict(km.__dict__)
    bad = X.copy()
    bad[17, 2] = np.nan
    with pytest.raises(ValueError, match="NaN, first at row 17, column 2"):
        km.fit(bad)
    with pytest.raises(ValueError, match="n_clusters"):
        km.fit(X[:3])
    assert km.__dict__ == before
    assert_array_equal(km.predict(X), km.labels_)


def test_verbose_prints_each_iteration(capsys):
    X = blobs(300, 3, 4)
    km = starting(X, 4, verbose=1).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == km.n_iter_
    assert lines[0].startswith("iteration 1: 300 rows moved")
    starting(X, 4, verbose=True).fit(X)
    assert capsys.readouterr().out.splitlines() == lines
    starting(X, 4, verbose=False).fit(X)
    assert capsys.readouterr().out == ""


# ------------------------------------------------------------------ far and near, great and small
@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e120])
def test_any_scale(scale):
    X = blobs(500, 3, 4)
    exact = 2.0 ** np.round(np.log2(scale))
    a = starting(X, 6, tol=0).fit(X)
    b = starting(X * exact, 6, tol=0).fit(X * exact)
    assert_array_equal(a.labels_, b.labels_)
    assert_array_equal(a.cluster_centers_ * exact, b.cluster_centers_)


def test_far_from_the_origin():
    X = np.round(blobs(500, 3, 4) * 1024) / 1024 + 2.0**30
    ours = starting(X, 6, tol=0).fit(X)
    near = starting(X - 2.0**30, 6, tol=0).fit(X - 2.0**30)
    assert_allclose(ours.inertia_, near.inertia_, rtol=1e-6)
    assert np.mean(ours.labels_ == near.labels_) > 0.99


# ------------------------------------------------------------------ bad input
FINE = np.arange(12.0).reshape(6, 2)


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        (
            {"n_clusters": 7},
            ValueError,
            r"n_clusters must be between 1 and the number of rows \(6\)",
        ),
        ({"n_clusters": 0}, ValueError, "n_clusters must be"),
        ({"n_clusters": 2.0}, TypeError, "n_clusters must be an integer"),
        ({"n_clusters": True}, TypeError, "n_clusters must be an integer"),
        ({"max_iter": 0}, ValueError, "max_iter"),
        ({"tol": -1}, ValueError, "tol must be at least 0"),
        ({"verbose": -1}, ValueError, "verbose must be at least 0"),
        ({"verbose": "yes"}, TypeError, "verbose must be an integer"),
        ({"verbose": None}, TypeError, "verbose must be an integer"),
        ({"tol": np.nan}, ValueError, "tol"),
        ({"n_init": 0}, ValueError, "n_init"),
        ({"n_init": "many"}, ValueError, "n_init must be 'auto'"),
        ({"init": "best"}, ValueError, "init must be 'k-means\\+\\+', 'k-m"),
        ({"init": np.zeros((3, 2))}, ValueError, r"init must have shape \(2, 2\).*got \(3, 2\)"),
        ({"init": np.zeros((2, 3))}, ValueError, r"init must have shape \(2, 2\)"),
        ({"init": np.zeros(2)}, ValueError, "init has shape"),
        ({"init": [[0, np.nan], [1, 1]]}, ValueError, "init contains NaN"),
        ({"init": [[0, 1e200], [1, 1]]}, ValueError, "init holds values as large as 1e\\+200"),
        ({"init": lambda X, k, random_state: X[:1]}, ValueError, "init must have shape"),
        ({"random_state": "x"}, TypeError, "random_state"),
        (
            {"algorithm": "exponion"},
            ValueError,
            "must be 'auto', 'lloyd', 'elkan', 'hamerly'",
        ),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
    ],
)
def test_bad_parameters_are_named(params, error, words):
    with pytest.raises(error, match=words):
        KMeans(**{"n_clusters": 2, **params}).fit(FINE)


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (np.zeros((0, 2)), ValueError, "0 sample"),
        (np.zeros((3, 0)), ValueError, "0 feature"),
        (np.zeros(3), ValueError, "Expected 2D array"),
        ([[1.0, np.inf], [0, 0]], ValueError, "X contains infinity"),
        (np.full((5, 2), 1j), ValueError, "Complex data not supported"),
        ([["a", "b"], ["c", "d"]], ValueError, "X must hold numbers"),
        (FINE * 1e200, ValueError, "X holds values as large as 1.1e\\+201, .* overflow"),
        (np.array([[1e308], [-1e308]]), ValueError, "overflow"),
        (np.full((4, 1), 1e308), ValueError, "overflow"),
        (FINE * 1e-200, ValueError, "differ by 1e-199 at most, whose squares vanish"),
    ],
)
def test_bad_rows_are_explained(X, error, words):
    with pytest.raises(error, match=words):
        KMeans(2).fit(X)


def test_chunks_with_nan_are_explained():
    bad = FINE.copy()
    bad[1, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        KMeans(2).fit(Chunks([FINE, bad]))


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, 1, 1, 1, 1], r"sample_weight must have shape \(6,\)"),
        ([1, 1, 1, 1, 1, -1], "negative"),
        ([1, 1, 1, 1, 1, np.nan], "NaN"),
        (np.zeros(6), "zero"),
        ([1, 0, 0, 0, 0, 0], r"the number of rows of positive weight \(1\)"),
        ([1e308] * 5 + [0], "infinity"),
        (
            [1e307] * 6,
            r"sample_weight must be 0, or between 1e-100 and 1e\+100; got 1e\+307",
        ),
        ([1, 0, 0, 1e-310, 0, 0], r"sample_weight must be 0, or between .* got 1e-310 at row 3"),
    ],
)
def test_bad_weights_are_explained(weights, words):
    with pytest.raises(ValueError, match=words):
        KMeans(2).fit(FINE, sample_weight=weights)


def test_weights_that_distances_do_not_go_with():
    with pytest.raises(ValueError, match="whose squared distances overflow"):
        KMeans(2).fit(FINE * 1e110, sample_weight=[1e100] * 6)
    with pytest.raises(ValueError, match=r"sample_weight holds 1e-100 at most, .* vanish"):
        KMeans(2).fit(FINE * 1e-110, sample_weight=[1e-100] * 6)


@pytest.mark.parametrize("method", ["predict", "transform", "score"])
def test_bad_queries_are_explained(method):
    km = KMeans(2)
    for rows in (FINE, Chunks([FINE])):
        with pytest.raises(NotFittedError, match="not fitted"):
            getattr(km, method)(rows)
    km.fit(FINE)
    for rows in (np.zeros((3, 5)), Chunks([np.zeros((3, 5))])):
        with pytest.raises(ValueError, match="X has 5 features, but KMeans is expecting 2"):
            getattr(km, method)(rows)
    with pytest.raises(ValueError, match="NaN"):
        getattr(km, method)([[np.nan, 1.0]])
    with pytest.raises(ValueError, match="2D"):
        getattr(km, method)([1.0, 2.0])


def test_rows_too_far_away_have_no_distances():
    km = KMeans(2, random_state=0).fit([[0.0], [1.0], [5.0]])
    for far in (np.array([[1e200]]), np.array([[1e38]], np.float32) * 3, [[-1e155]]):
        if np.asarray(far).dtype == np.float32:
            assert np.isfinite(km.transform(far)).all()
        else:
            with pytest.raises(ValueError, match="so far from the centers that squared distances"):
                km.transform(far)
            with pytest.raises(ValueError, match="so far from the centers that squared distances"):
                km.score(far)


def test_rows_alike_of_the_largest_size():
    X = np.full((39, 7), 1e299)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert np.isfinite(KMeans(8, random_state=0).fit(X).cluster_centers_).all()


def test_converged_says_whether_the_iterations_ended_by_themselves():
    X = np.random.default_rng(0).normal(size=(400, 3))
    assert KMeans(8, random_state=0).fit(X).converged_
    short = KMeans(8, random_state=0, max_iter=2).fit(X)
    assert short.n_iter_ == 2
    assert not short.converged_
    rest = KMeans(8, init=KMeans(8, random_state=0, tol=0.0).fit(X).cluster_centers_, max_iter=1)
    assert rest.fit(X).converged_

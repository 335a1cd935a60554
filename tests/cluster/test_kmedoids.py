# SPDX-License-Identifier: BSD-3-Clause
"""KMedoids and CLARA: R's and other libraries' answers, definitions, and bad input."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, pdist, squareform

from statfast._engine import blocks
from statfast._validation.errors import ConvergenceWarning
from statfast.cluster import CLARA, KMedoids, linkage
from statfast.cluster.medoids import init as medoid_starts
from statfast.cluster.medoids import kmedoids
from statfast.cluster.medoids.partition import Partition
from statfast.metrics import silhouette_samples
from tests.reference import medoids as twin

SEEDS = st.integers(0, 10**6)


def table(path, skip=1):
    return np.genfromtxt(path, delimiter=",", skip_header=1)[:, skip:]


@pytest.fixture(scope="module")
def r_answers(shared_data):
    path = Path(shared_data("r")).parents[1] / "reference" / "pam.json"
    if not path.exists():
        pytest.skip("reference/pam.json is not beside the data")
    return json.loads(path.read_text())


@pytest.fixture(scope="module")
def r_rows(shared_data):
    usa = table(shared_data("r", "datasets_USArrests.csv"))
    iris = np.genfromtxt(shared_data("r", "datasets_iris.csv"), delimiter=",", skip_header=1)
    iris = iris[:, ~np.isnan(iris).any(axis=0)][:, -4:]
    return {
        "ruspini": table(shared_data("r", "cluster_ruspini.csv"))[:, -2:],
        "agriculture": table(shared_data("r", "cluster_agriculture.csv"))[:, -2:],
        "iris": iris,
        "usarrests_scaled": (usa - usa.mean(axis=0)) / usa.std(axis=0, ddof=1),
    }


CASES = [
    ("ruspini_k4", "ruspini", 4, "euclidean"),
    ("ruspini_k5", "ruspini", 5, "euclidean"),
    ("iris_k3", "iris", 3, "euclidean"),
    ("iris_k3_manhattan", "iris", 3, "manhattan"),
    ("usarrests_scaled_k4", "usarrests_scaled", 4, "euclidean"),
    ("agriculture_k2", "agriculture", 2, "euclidean"),
    ("ruspini_dist_k4", "ruspini", 4, "manhattan"),
]


@pytest.mark.parametrize(("key", "name", "k", "metric"), CASES)
@pytest.mark.parametrize("method", ["pam", "fastpam1"])
def test_r_pam(r_answers, r_rows, key, name, k, metric, method):
    expected, X = r_answers[key], r_rows[name]
    model = KMedoids(k, method=method, metric=metric).fit(X)
    goal = expected["objective_build_swap"][1]
    assert model.inertia_ / len(X) == pytest.approx(goal, rel=1e-13)
    if key == "iris_k3_manhattan":  # full of ties: others are as good
        return
    assert sorted(model.medoid_indices_ + 1) == sorted(expected["id_med_1based"])
    _, first = np.unique(model.labels_, return_index=True)
    rank = np.empty(k, int)  # R numbers clusters as they come
    rank[np.argsort(first)] = np.arange(1, k + 1)
    assert (rank[model.labels_] == expected["clustering"]).all()


@pytest.mark.parametrize(("key", "name", "k", "metric"), CASES)
def test_r_build(r_answers, r_rows, key, name, k, metric):
    expected, X = r_answers[key], r_rows[name]
    D = cdist(X, X, "cityblock" if metric == "manhattan" else metric)
    build = start_of(D, k, "build")
    goal = expected["objective_build_swap"][0]
    assert twin.loss(D, build) / len(X) == pytest.approx(goal, rel=1e-13)
    if "build_only_id_med_1based" in expected:
        assert sorted(build + 1) == sorted(expected["build_only_id_med_1based"])


@given(n=st.integers(3, 40), k=st.integers(1, 6), seed=SEEDS)
@settings(max_examples=40)
def test_methods_are_their_definitions(n, k, seed):
    rng = np.random.default_rng(seed)
    D = rng.random((n, n))  # neither symmetric nor a metric
    np.fill_diagonal(D, 0)
    k = min(k, n - 1)
    weights = rng.integers(1, 4, n).astype(float) if seed % 2 else None
    assert twin.build(D, k, weights) == list(start_of(D, k, "build", weights))
    start = rng.choice(n, k, replace=False)
    for method, slow in (("fasterpam", twin.fasterpam), ("fastpam1", twin.fastpam1)):
        model = KMedoids(k, metric="precomputed", init=start, method=method)
        model.fit(D, sample_weight=weights)
        if k > 1:
            assert list(model.medoid_indices_) == slow(D, start, weights)[0]
        loss = twin.loss(D, model.medoid_indices_, weights)
        assert model.inertia_ == pytest.approx(loss)
        assert (model.labels_ == D[:, model.medoid_indices_].argmin(axis=1)).all()
        assert (model.predict(D) == model.labels_).all()


@pytest.mark.parametrize("method", ["fasterpam", "fastpam1", "alternate"])
def test_rows_as_near_to_two_medoids_are_of_the_lower_slot(method):
    X = np.random.default_rng(1).integers(0, 5, (200, 2))
    model = KMedoids(5, metric="manhattan", init=range(5), method=method).fit(X)
    D = np.abs(X[:, None] - X[model.medoid_indices_]).sum(axis=2)
    nearest = np.sort(D)[:, :2]
    assert (nearest[:, 0] == nearest[:, 1]).sum() > 10
    assert (model.labels_ == D.argmin(axis=1)).all()


def start_of(D, k, init, weights=None):
    from statfast._distance.dissimilarity import Square
    from statfast.cluster.medoids.init import STARTS

    return STARTS[init](Square(D), k, weights, np.random.default_rng(0), 1)


def test_one_medoid_is_the_best_of_all():
    D = np.random.default_rng(0).random((50, 50))
    np.fill_diagonal(D, 0)
    model = KMedoids(1, metric="precomputed", init="random", random_state=0).fit(D)
    assert model.medoid_indices_ == [D.sum(axis=0).argmin()]
    assert model.inertia_ == pytest.approx(D.sum(axis=0).min())
    assert model.medoid_silhouette_ == 0.0


def test_same_swaps_as_kmedoids():
    peer = pytest.importorskip("kmedoids")
    rng = np.random.default_rng(5)
    X = rng.normal(size=(900, 4)) + rng.integers(0, 5, (900, 1))
    D = cdist(X, X)
    for k in (2, 7, 40):
        start = rng.choice(900, k, replace=False)
        theirs = peer.fasterpam(D, start.astype(np.uint64), n_cpu=1)
        ours = KMedoids(k, metric="precomputed", init=start).fit(D)
        assert list(ours.medoid_indices_) == list(theirs.medoids)
        assert ours.n_swaps_ == theirs.n_swap
        assert ours.inertia_ == pytest.approx(theirs.loss, rel=1e-12)


@pytest.mark.parametrize("init", ["build", "lab", "k-medoids++", "random"])
@pytest.mark.parametrize("method", ["fasterpam", "fastpam1", "alternate"])
def test_all_forms_of_dissimilarities_agree(init, method):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(160, 3)) + 4 * rng.integers(0, 3, (160, 1))
    same = {"n_clusters": 5, "init": init, "method": method, "random_state": 7}
    expected = KMedoids(**same).fit(X)
    forms = [
        KMedoids(**same, matrix_free=True).fit(X),
        KMedoids(**same, matrix_free=False).fit(X),
        KMedoids(**same, metric="precomputed").fit(cdist(X, X)),
        KMedoids(**same, metric="precomputed").fit(np.asfortranarray(cdist(X, X))),
        KMedoids(**same, metric="precomputed").fit(pdist(X)),
        KMedoids(**same, metric=lambda a, b: float(np.sqrt(np.square(a - b).sum()))).fit(X),
        KMedoids(**same).fit(X, sample_weight=np.ones(160)),
    ]
    for model in forms:
        assert (model.medoid_indices_ == expected.medoid_indices_).all()
        assert model.inertia_ == pytest.approx(expected.inertia_, rel=1e-13)
    for model in (
        KMedoids(**same, dtype="float32").fit(X),
        KMedoids(**same, metric="precomputed").fit(cdist(X, X).astype(np.float32)),
    ):
        assert (model.medoid_indices_ == expected.medoid_indices_).all()
        assert model.inertia_ == pytest.approx(expected.inertia_, rel=1e-6)


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_threads_change_nothing(monkeypatch, free, weighted):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1500, 2))
    weights = rng.random(1500) if weighted else None
    models = [
        KMedoids(9, matrix_free=free, init="k-medoids++", random_state=1, n_jobs=threads)
        for threads in (1, 2, 7)
    ]
    first, *others = [model.fit(X, sample_weight=weights) for model in models]
    for other in others:
        assert (other.medoid_indices_ == first.medoid_indices_).all()
        assert other.inertia_ == first.inertia_
        assert other.n_swaps_ == first.n_swaps_


@given(SEEDS)
@settings(max_examples=15)
def test_integer_weight_is_a_repeated_row(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    weights = rng.integers(0, 4, 40)
    weights[0] = 1
    repeated = np.repeat(np.arange(40), weights)
    for method in ("fastpam1", "alternate"):
        one = KMedoids(4, method=method).fit(X, sample_weight=weights)
        many = KMedoids(4, method=method).fit(X[repeated])
        assert (X[one.medoid_indices_] == X[repeated][many.medoid_indices_]).all()
        assert one.inertia_ == pytest.approx(many.inertia_)
        assert (weights[one.medoid_indices_] > 0).all()


def test_medoid_silhouette():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2))
    model = KMedoids(4).fit(X)
    two = np.sort(cdist(X, X[model.medoid_indices_]), axis=1)
    expected = 1 - two[:, 0] / two[:, 1]
    assert model.medoid_silhouette_ == pytest.approx(expected.mean())


@pytest.mark.parametrize("name", ["s1", "s2", "s3", "a1", "unbalance"])
def test_true_centroids_are_found(shared_data, name):
    X = np.loadtxt(shared_data("clustering", f"{name}.csv.gz"), delimiter=",", skiprows=1)[:, :2]
    truth = np.loadtxt(
        shared_data("clustering", f"{name}_centroids.csv"), delimiter=",", skiprows=1
    )[:, :2]
    model = KMedoids(len(truth), dtype="float32" if name == "s1" else None).fit(X)
    apart = cdist(truth, model.cluster_centers_)
    assert sorted(apart.argmin(axis=1)) == list(range(len(truth)))
    between = cdist(truth, truth)[~np.eye(len(truth), dtype=bool)].min()
    assert apart.min(axis=1).max() < between / 2


def test_metrics_and_their_parameters():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 3)) + 1
    for metric, params, named in (
        ("minkowski", {"p": 3}, {"p": 3}),
        ("seuclidean", {"metric_params": {"V": [1.0, 2.0, 3.0]}}, {"V": [1.0, 2.0, 3.0]}),
        ("cosine", {}, {}),
        ("correlation", {}, {}),
    ):
        D = cdist(X, X, metric, **named)
        np.fill_diagonal(D, 0)
        ours = KMedoids(4, metric=metric, **params).fit(X)
        theirs = KMedoids(4, metric="precomputed").fit(D)
        assert (ours.medoid_indices_ == theirs.medoid_indices_).all()
        assert np.allclose(ours.transform(X), D[:, ours.medoid_indices_])
        assert (ours.predict(X) == ours.labels_).all()
        free = KMedoids(4, metric=metric, matrix_free=True, **params).fit(X)
        assert (ours.medoid_indices_ == free.medoid_indices_).all()


# ------------------------------------------------------------------ bad input
SQUARE = np.array([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]])


def changed(row, column, value):
    D = SQUARE.copy()
    D[row, column] = value
    return D


@pytest.mark.parametrize(
    ("D", "message"),
    [
        (changed(1, 2, -3.0), "negative dissimilarity -3.0, first at row 1, column 2"),
        (changed(1, 2, np.nan), "X contains NaN, first at row 1, column 2"),
        (changed(0, 1, np.inf), "X contains infinity"),
        (changed(2, 2, 1.0), "1.0 on its diagonal, at row 2"),
        (SQUARE[:2], "square matrix of dissimilarities"),
        ([1.0, 2.0], r"X has 2 dissimilarities, .* for n = 2 rows it would be 1, for n = 3 3"),
        ([1.0, -2.0, 3.0], "negative dissimilarity -2.0, first at position 1"),
        ([1.0, np.nan, 3.0], "X contains NaN"),
    ],
)
def test_bad_dissimilarities(D, message):
    with pytest.raises(ValueError, match=message):
        KMedoids(2, metric="precomputed").fit(D)


def test_asymmetric_and_non_metric_dissimilarities_are_taken_as_they_are():
    D = np.array([[0.0, 9, 1], [1, 0, 100], [1, 9, 0]])
    model = KMedoids(1, metric="precomputed").fit(D)
    assert model.medoid_indices_ == [0]  # columns are summed: 2, 18, 101
    assert model.inertia_ == 2.0


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"n_clusters": 9}, ValueError, r"between 1 and the number of rows \(6\); got 9"),
        ({"n_clusters": 0}, ValueError, "n_clusters must be"),
        ({"method": "swap"}, ValueError, "method must be 'fasterpam', "),
        ({"init": "best"}, ValueError, "init must be 'auto', 'build',"),
        ({"init": [0, 0]}, ValueError, "different numbers of rows"),
        ({"init": [0, 6]}, ValueError, "different numbers of rows from 0 to 5"),
        ({"init": [0, 1, 2]}, ValueError, r"init must have shape \(2,\)"),
        ({"init": [0.5, 1.0]}, TypeError, "init must be"),
        ({"init": None}, TypeError, "init must be"),
        ({"dtype": "float16"}, ValueError, "dtype must be"),
        ({"matrix_free": "yes"}, ValueError, "matrix_free must be 'auto'"),
        ({"metric": "nearest"}, ValueError, "metric must be one of"),
        ({"metric": max, "matrix_free": True}, ValueError, "matrix_free cannot be True"),
        ({"metric": lambda a, b: -1.0}, ValueError, "not negative; got -1.0 for row 0 and one"),
        ({"metric": lambda a, b: np.nan}, ValueError, "finite numbers .* got nan for row 0"),
        ({"metric": lambda a, b: "3"}, TypeError, "must return a number; got '3' for row 0"),
        (
            {"metric": lambda a, b: 1e300, "dtype": "float32"},
            ValueError,
            "too large for float32",
        ),
        (
            {"metric": lambda a, b: 1e-300, "dtype": "float32"},
            ValueError,
            "too small for float32",
        ),
    ],
)
def test_bad_parameters(params, error, message):
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(error, match=message):
        KMedoids(**{"n_clusters": 2, **params}).fit(X)


def test_rows_without_weight_are_no_medoids():
    X = np.arange(6.0)[:, None]
    weights = np.array([0, 0, 0, 1, 1, 1.0])
    model = KMedoids(2).fit(X, sample_weight=weights)
    assert (model.medoid_indices_ >= 3).all()
    assert len(model.labels_) == 6
    with pytest.raises(ValueError, match=r"rows of positive weight \(3\)"):
        KMedoids(4).fit(X, sample_weight=weights)
    with pytest.raises(ValueError, match="init must hold rows of positive weight"):
        KMedoids(2, init=[0, 4]).fit(X, sample_weight=weights)


@pytest.mark.parametrize("init", ["build", "lab", "k-medoids++", "random"])
@pytest.mark.parametrize("method", ["fasterpam", "pam", "alternate"])
def test_few_distinct_rows(init, method):
    X = np.repeat([[0.0], [5.0]], 4, axis=0)
    for free in (True, False):
        model = KMedoids(4, init=init, method=method, random_state=0, matrix_free=free)
        with pytest.warns(ConvergenceWarning, match="clusters hold any row"):
            model.fit(X)
        assert len(set(model.medoid_indices_)) == 4
        assert (model.predict(X) == model.labels_).all()
    flat = KMedoids(2, init=init, method=method, random_state=0)
    with pytest.warns(ConvergenceWarning):
        flat.fit(np.ones((5, 2)))
    assert flat.inertia_ == 0.0


@pytest.mark.parametrize("n", [1, 2])
def test_one_and_two_rows(n):
    X = np.arange(float(n))[:, None]
    for k in range(1, n + 1):
        for forms in (KMedoids(k).fit(X), KMedoids(k, metric="precomputed").fit(cdist(X, X))):
            assert sorted(forms.medoid_indices_) == list(range(n))[:k]
        assert CLARA(k, random_state=0).fit(X).inertia_ == (1.0 if (n, k) == (2, 1) else 0.0)
    assert KMedoids(1, metric="precomputed").fit(np.arange(1.0, n)).inertia_ == n - 1


def test_a_matrix_too_large_is_refused(monkeypatch):
    monkeypatch.setattr("statfast._validation.memory.free_memory", lambda: 1 << 30)
    X = np.zeros((10000, 2))
    with pytest.raises(MemoryError, match=r"10000 x 10000 matrix of dissimilarities needs 0.7 GiB"):
        KMedoids(2, matrix_free=False).fit(X)
    made = kmedoids.KMedoids(2)._source(X)[2]
    assert type(made).__name__ == "OfRows"


def test_too_large_a_sample_is_refused(monkeypatch):
    monkeypatch.setattr("statfast._validation.memory.free_memory", lambda: 1 << 30)
    X = np.zeros((10000, 2))
    with pytest.raises(MemoryError, match=r"needs 0\.7 GiB.*Lower sample_size"):
        CLARA(2, sample_size=9999).fit(X)
    strided = np.broadcast_to(np.float64(1), 20000 * 19999 // 2)
    with pytest.raises(MemoryError, match=r"contiguous copy of X needs 1\.5 GiB.*contiguous"):
        KMedoids(2, metric="precomputed").fit(strided)


def test_too_few_passes_warn():
    X = np.random.default_rng(0).normal(size=(200, 2))
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        KMedoids(9, init="random", random_state=0, method="pam", max_iter=1).fit(X)


# ------------------------------------------------------------------ CLARA
def test_clara_on_all_rows_is_fasterpam():
    X = np.random.default_rng(0).normal(size=(90, 2))
    clara = CLARA(5, n_samples=1, sample_size=90, random_state=0).fit(X)
    exact = KMedoids(5).fit(X)
    assert (clara.medoid_indices_ == exact.medoid_indices_).all()
    assert clara.inertia_ == pytest.approx(exact.inertia_)


def test_clara_keeps_the_best_sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2)) + 9 * rng.integers(0, 4, (3000, 1))
    model = CLARA(4, random_state=0).fit(X)
    assert model.inertia_ == model.sample_losses_.min()
    near = cdist(X, model.cluster_centers_)
    assert model.inertia_ == pytest.approx(near.min(axis=1).sum())
    assert (model.labels_ == near.argmin(axis=1)).all()
    assert model.inertia_ < 1.1 * KMedoids(4).fit(X).inertia_
    weights = rng.integers(0, 2, 3000)
    assert (
        weights[CLARA(4, random_state=0).fit(X, sample_weight=weights).medoid_indices_] > 0
    ).all()


def test_clara_takes_functions_and_refuses_small_samples():
    X = np.random.default_rng(0).normal(size=(50, 2))
    named = CLARA(3, metric="manhattan", sample_size=20, random_state=0).fit(X)
    called = CLARA(3, metric=lambda a, b: np.abs(a - b).sum(), sample_size=20, random_state=0)
    assert (called.fit(X).medoid_indices_ == named.medoid_indices_).all()
    assert (called.predict(X) == named.labels_).all()
    with pytest.raises(ValueError, match="sample_size must be between 3"):
        CLARA(3, sample_size=2).fit(X)
    with pytest.raises(ValueError, match=r"number of rows of positive weight \(9\)"):
        CLARA(3, sample_size=20).fit(X, sample_weight=np.arange(50) < 9)
    with pytest.warns(ConvergenceWarning, match="Only 2 of 3"):
        CLARA(3).fit(np.repeat([[0.0], [1.0]], 20, axis=0))


def test_clara_measures_the_silhouette_of_all_rows():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(400, 3)), rng.integers(1, 4, 400)
    for w in (None, weights):
        model = CLARA(4, random_state=0).fit(X, sample_weight=w)
        near = np.sort(cdist(X, model.cluster_centers_), axis=1)
        expected = np.average(1 - near[:, 0] / near[:, 1], weights=w)
        assert model.medoid_silhouette_ == pytest.approx(expected)
    assert CLARA(1).fit(X).medoid_silhouette_ == 0.0


@pytest.mark.parametrize("answer", [np.nan, -1.0, "3", None])
def test_functions_are_watched_after_the_fit(answer):
    X = np.random.default_rng(0).normal(size=(9, 2))

    def metric(a, b):
        return answer if 100 in (a[0], b[0]) else np.abs(a - b).sum()

    for model in (KMedoids(2, metric=metric).fit(X), CLARA(2, metric=metric).fit(X)):
        for ask in (model.predict, model.transform):
            with pytest.raises((TypeError, ValueError), match="for row 1 and a medoid"):
                ask([[0.0, 1.0], [100.0, 2.0]])
    far = np.concatenate([np.tile(X, (20, 1)), [[100.0, 0.0]]])
    with pytest.raises((TypeError, ValueError), match="The function given as metric must return"):
        CLARA(2, metric=metric, sample_size=9, random_state=0).fit(far)


def test_dissimilarities_for_predict_are_not_negative():
    D = cdist(*[np.random.default_rng(0).normal(size=(9, 2))] * 2)
    model = KMedoids(2, metric="precomputed").fit(D)
    asked = D[:3].copy()
    asked[1, model.medoid_indices_[1]] = -2.0
    with pytest.raises(ValueError, match=r"dissimilarity -2\.0, at row 1, column"):
        model.predict(asked)


@pytest.mark.parametrize("power", [-700, -450, 450, 900])
@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize(
    "metric", [{}, {"metric": "manhattan"}, {"metric": "minkowski", "p": 3}, {"metric": "cosine"}]
)
def test_rows_of_every_scale(power, free, metric):
    """Powers of differences of such rows overflow, or vanish; the distances do not."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) + 9 * rng.integers(0, 3, (60, 1)) + 1
    far = np.ldexp(X, power)
    for kind in (KMedoids(3, matrix_free=free, **metric), CLARA(3, random_state=0, **metric)):
        near = kind.fit(X)
        labels, medoids, loss = near.labels_, near.medoid_indices_, near.inertia_
        model = kind.fit(far)
        assert (model.medoid_indices_ == medoids).all()
        assert (model.labels_ == labels).all()
        assert (model.predict(far) == labels).all()
        scale = 0 if metric.get("metric") == "cosine" else power
        assert model.inertia_ == pytest.approx(np.ldexp(loss, scale), rel=1e-12)
        apart = model.transform(far)
        assert apart.min(axis=1).sum() == pytest.approx(model.inertia_, rel=1e-12)


@pytest.mark.parametrize("metric", [{}, {"metric": "minkowski", "p": 3}])
def test_rows_far_beyond_those_of_the_fit(metric):
    X = np.array([[0.0, 0], [0, 1], [1, 0], [5, 5], [5, 6], [6, 5]])
    model = KMedoids(2, **metric).fit(X)
    apart = model.transform([[3e200, 4e200], [1e-200, 0.0]])
    assert np.isfinite(apart).all()
    assert apart[0] == pytest.approx(np.linalg.norm([3.0, 4.0], model.p) * 1e200)
    assert apart[1] == pytest.approx(model.transform([[0.0, 0.0]])[0])


@pytest.mark.parametrize("p", [3, 50, 500, 1e6])
@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e200])
def test_large_powers_neither_overflow_nor_vanish(p, scale):
    X = np.random.default_rng(0).normal(size=(40, 3)) * scale
    apart = np.abs(X[:, None] - X)
    most = apart.max(axis=2)
    np.fill_diagonal(most, 1.0)
    D = most * ((apart / most[:, :, None]) ** p).sum(axis=2) ** (1 / p)
    np.fill_diagonal(D, 0.0)
    expected = KMedoids(4, metric="precomputed").fit(D)
    asked = {"metric": "minkowski", "p": p}
    for free in (True, False):
        model = KMedoids(4, matrix_free=free, **asked).fit(X)
        assert (model.medoid_indices_ == expected.medoid_indices_).all()
        assert model.inertia_ == pytest.approx(expected.inertia_)
        assert np.allclose(model.transform(X), D[:, model.medoid_indices_], rtol=1e-12, atol=0)
    labels = model.labels_
    ours = silhouette_samples(X, labels, **asked)
    assert np.allclose(ours, silhouette_samples(D, labels, metric="precomputed"))
    Z = linkage(X, "average", "minkowski", metric_params={"p": p})
    assert np.allclose(Z[:, 2], linkage(squareform(D), "average")[:, 2], rtol=1e-10, atol=0)


def test_dissimilarities_too_small_for_float32():
    X = np.random.default_rng(0).normal(size=(20, 2))
    for scale in (1e-38, 1e-60):
        with pytest.raises(ValueError, match="too small for float32"):
            KMedoids(2, dtype="float32").fit(X * scale)
        with pytest.raises(ValueError, match="too small for float32"):
            KMedoids(2, metric="precomputed", dtype="float32").fit(cdist(X, X) * scale)
    with pytest.warns(ConvergenceWarning, match="Only 1 of 2"):
        KMedoids(2, dtype="float32").fit(np.zeros((5, 2)))


@pytest.mark.parametrize("more", [{}, {"matrix_free": True}, {"method": "fastpam1"}])
def test_rounding_is_no_improvement(more):
    X = np.random.default_rng(1).integers(0, 3, (300, 2)) * 0.1  # nine different rows
    with pytest.warns(UserWarning, match="Only 9 of 12"):
        model = KMedoids(12, **more).fit(X)
    assert model.inertia_ == 0.0
    assert model.n_swaps_ == 0


def test_dissimilarities_too_large_for_float32():
    X = np.random.default_rng(0).normal(size=(20, 2)) * 1e60
    with pytest.raises(ValueError, match="too large for float32"):
        KMedoids(2, dtype="float32").fit(X)
    with pytest.raises(ValueError, match="too large for float32"):
        KMedoids(2, metric="precomputed", dtype="float32").fit(cdist(X, X))


@pytest.mark.parametrize("kind", [KMedoids(3), CLARA(3, random_state=0)])
@pytest.mark.parametrize("power", [-332, -200, 200, 326])
def test_weights_of_every_scale(kind, power):
    X = np.random.default_rng(0).normal(size=(60, 2)) + 9 * (np.arange(60) % 3)[:, None]
    weights = np.arange(1.0, 61.0)
    near = kind.fit(X * 2.0**300, sample_weight=weights)
    labels, loss = near.labels_, near.inertia_
    far = kind.fit(X * 2.0**300, sample_weight=np.ldexp(weights, power))
    assert (far.labels_ == labels).all()
    assert far.inertia_ == pytest.approx(np.ldexp(loss, power))


@pytest.mark.parametrize("matrix_free", [True, False])
@pytest.mark.parametrize("init", ["build", "random"])
def test_few_different_rows_come_to_rest_at_once(init, matrix_free, monkeypatch):
    """A loss of nothing is not weighed for swaps that only rounding believes in."""
    X = np.repeat(np.random.default_rng(0).normal(size=(5, 2)), 300, axis=0)
    asked = []
    search, gains = Partition.search, medoid_starts.gains

    def counted(function):
        def call(*args, **kwargs):
            asked.append(1)
            return function(*args, **kwargs)

        return call

    monkeypatch.setattr(Partition, "search", counted(search))
    monkeypatch.setattr(medoid_starts, "gains", counted(gains))
    found = KMedoids(5, init=init, matrix_free=matrix_free, random_state=1).fit(X)
    assert found.inertia_ == 0
    assert found.n_iter_ >= 1
    assert len(asked) < 60


def test_medoids_beyond_the_different_rows_are_the_lowest():
    X = np.repeat([[0.0], [1.0], [5.0]], 40, axis=0)
    weights = np.ones(120)
    weights[[1, 3]] = 0
    with pytest.warns(ConvergenceWarning, match=r"Only 3 of 6 .* else choose another init"):
        found = KMedoids(6).fit(X, sample_weight=weights)
    first = set(found.medoid_indices_[:3])
    rest = [i for i in range(10) if i not in first and weights[i]]
    assert found.medoid_indices_[3:].tolist() == rest[:3]


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("shape", [np.asarray, squareform])
def test_dissimilarities_whose_sums_overflow_are_refused(shape, k):
    y = pdist(np.random.default_rng(0).normal(size=(30, 2)))
    model = KMedoids(k, metric="precomputed")
    with pytest.raises(ValueError, match=r"dissimilarities as large as .*e\+30.*overflow float64"):
        model.fit(shape(y / y.max() * 1e308))
    far, near = (model.fit(shape(z)).inertia_ for z in (y * 1e300, y))
    assert far == pytest.approx(near * 1e300)


def test_swaps_of_a_single_medoid():
    X = np.array([[0.0], [1.0], [5.0]])
    for start, swaps in ((0, 1), (1, 0)):
        model = KMedoids(1, init=[start]).fit(X)
        assert (model.medoid_indices_[0], model.n_swaps_) == (1, swaps)


def test_iterations_of_alternate():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    for start, iterations, swaps in (([1, 4], 1, 0), ([0, 3], 2, 2)):
        model = KMedoids(2, init=start, method="alternate").fit(X)
        assert model.medoid_indices_.tolist() == [1, 4]
        assert (model.n_iter_, model.n_swaps_) == (iterations, swaps)
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        KMedoids(2, init=[0, 3], method="alternate", max_iter=1).fit(X)


@pytest.mark.parametrize("scale", [1e-154, 1e-300])
def test_rows_in_float32_beside_medoids_they_cannot_hold(scale):
    X = np.random.default_rng(0).normal(size=(20, 3)) * scale
    model = KMedoids(2).fit(X)
    for row in ([0, 0, 0], [1, -2, 0], [0, 1e-44, 0]):
        given = np.array([row], np.float32)
        wide = model.transform(given.astype(float))
        np.testing.assert_array_equal(model.transform(given), wide.astype(np.float32))
        assert model.predict(given) == model.predict(given.astype(float))


def test_dissimilarities_beyond_the_type_of_the_rows():
    model = KMedoids(2).fit(np.random.default_rng(0).normal(size=(20, 3)) * 1e200)
    with pytest.raises(ValueError, match="too large for float32, first at row 0, column 0"):
        model.transform(np.zeros((1, 3), np.float32))


@pytest.mark.filterwarnings("ignore:KMedoids did not converge")
@pytest.mark.parametrize(("n", "same"), [(2000, "build"), (2001, "lab")])
def test_which_start_is_taken(n, same):
    X = np.random.default_rng(0).standard_normal((n, 2))
    models = [KMedoids(3, init=init, max_iter=1, random_state=0) for init in ("auto", same)]
    auto, named = (model.fit(X) for model in models)
    assert (auto.medoid_indices_ == named.medoid_indices_).all()
    other = KMedoids(3, init="random", max_iter=1, random_state=0).fit(X)
    assert (auto.medoid_indices_ != other.medoid_indices_).any()

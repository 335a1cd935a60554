# SPDX-License-Identifier: BSD-3-Clause
"""Scores of clusterings: definitions, R's and scikit-learn's answers, and bad input."""

import json
from decimal import Decimal, localcontext
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist, squareform

from statfast import metrics
from statfast._engine import blocks
from statfast.cluster import linkage
from statfast.metrics.clustering import agreement
from tests.reference.medoids import silhouettes


@pytest.fixture(scope="module")
def r_answers(shared_data):
    path = Path(shared_data("r")).parents[1] / "reference" / "silhouette_kmeans.json"
    if not path.exists():
        pytest.skip("reference/silhouette_kmeans.json is not beside the data")
    return json.loads(path.read_text())


def ruspini(shared_data):
    path = shared_data("r", "cluster_ruspini.csv")
    return np.genfromtxt(path, delimiter=",", skip_header=1)[:, -2:]


def test_r_silhouettes(r_answers, shared_data):
    X = ruspini(shared_data)
    expected = r_answers["ruspini_pam4"]
    widths, neighbors = metrics.silhouette_samples(X, expected["clustering"], return_neighbors=True)
    assert np.allclose(widths, expected["sil_width"], rtol=1e-12, atol=1e-14)
    assert (neighbors == expected["neighbor"]).all()
    score = metrics.silhouette_score(X, expected["clustering"])
    assert score == pytest.approx(expected["avg_width"], rel=1e-13)


def test_r_silhouette_of_a_row_alone(r_answers):
    expected = r_answers["with_singleton"]
    X = np.array(expected["x"])[:, None]
    widths = metrics.silhouette_samples(X, expected["clustering"])
    assert np.allclose(widths, expected["sil_width"], rtol=1e-13)
    assert widths[5] == 0.0


def test_r_diameter_and_separation(shared_data):
    path = Path(shared_data("r")).parents[1] / "reference" / "pam.json"
    if not path.exists():
        pytest.skip("reference/pam.json is not beside the data")
    expected = json.loads(path.read_text())["ruspini_k4"]
    info = np.array(expected["clusinfo"]["values"])
    found = metrics.cluster_diameter_separation(ruspini(shared_data), expected["clustering"])
    assert np.allclose(np.transpose(found), info[:, 3:], rtol=1e-13)


@given(n=st.integers(4, 90), k=st.integers(2, 6), d=st.integers(1, 5), seed=st.integers(0, 10**6))
@settings(max_examples=40)
def test_definitions(n, k, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n, d)) + 0.5
    labels = np.append(np.arange(min(k, n - 1)), rng.integers(0, min(k, n - 1), n - min(k, n - 1)))
    D = cdist(X, X)
    expected = silhouettes(D, labels)
    for found in (
        metrics.silhouette_samples(X, labels),
        metrics.silhouette_samples(D, labels, metric="precomputed"),
        metrics.silhouette_samples(squareform(D), labels, metric="precomputed"),
        metrics.silhouette_samples(X, labels, metric=lambda a, b: np.linalg.norm(a - b)),
    ):
        assert np.allclose(found, expected, atol=1e-9)
    cubed = metrics.silhouette_samples(X, labels, metric="minkowski", p=3)
    assert np.allclose(cubed, silhouettes(cdist(X, X, "minkowski", p=3), labels), atol=1e-9)
    diameter, separation = metrics.cluster_diameter_separation(X, labels)
    for c in range(len(diameter)):
        own = labels == c
        assert diameter[c] == pytest.approx(D[own][:, own].max())
        assert separation[c] == pytest.approx(D[own][:, ~own].min())
    if separation.min() > 0 and diameter.max() > 0:
        dunn = metrics.dunn_index(X, labels)
        assert dunn == pytest.approx(separation.min() / diameter.max())
    parts = metrics.scatter_decomposition(X, labels)
    assert parts.total == pytest.approx(np.square(X - X.mean(axis=0)).sum())
    within = sum(np.square(X[labels == c] - X[labels == c].mean(axis=0)).sum() for c in set(labels))
    assert parts.within == pytest.approx(within, abs=1e-9)
    assert parts.within_clusters.sum() == pytest.approx(parts.within)


def test_weighted_decomposition_is_of_repeated_rows():
    rng = np.random.default_rng(0)
    X, labels, weights = rng.normal(size=(30, 3)), rng.integers(0, 3, 30), rng.integers(0, 4, 30)
    one = metrics.scatter_decomposition(X, labels, weights)
    many = metrics.scatter_decomposition(np.repeat(X, weights, 0), np.repeat(labels, weights))
    assert one.within == pytest.approx(many.within)
    assert one.between == pytest.approx(many.between)
    assert np.allclose(one.centers, many.centers)


NAMES = [
    "rand_score", "adjusted_rand_score", "mutual_info_score", "normalized_mutual_info_score",
    "adjusted_mutual_info_score", "homogeneity_score", "completeness_score", "v_measure_score",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_agreement_is_scikit_learns(name):
    theirs = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    a, b, ones, each = rng.integers(0, 5, 200), rng.integers(0, 7, 200), np.ones(200), range(200)
    for u, v in (
        (a, b),
        (b, a),
        (a, a),
        (ones, b),
        (each, a),
        (each, each),
        (ones, ones),
        (a, a // 2),
    ):
        ours = getattr(metrics, name)(u, v)
        assert ours == pytest.approx(getattr(theirs, name)(u, v), abs=1e-12)
    assert getattr(metrics, name)(["a", "b", "b"], ["x", "y", "y"]) == pytest.approx(
        getattr(theirs, name)(["a", "b", "b"], ["x", "y", "y"])
    )


@pytest.mark.parametrize("average", ["min", "max", "geometric", "arithmetic"])
def test_averages_are_scikit_learns(average):
    theirs = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 4, 90), rng.integers(0, 6, 90)
    for name in ("normalized_mutual_info_score", "adjusted_mutual_info_score"):
        found = getattr(metrics, name)(a, b, average_method=average)
        assert found == pytest.approx(getattr(theirs, name)(a, b, average_method=average))


@pytest.mark.parametrize("average", ["min", "max", "geometric", "arithmetic"])
def test_what_no_labels_can_tell_is_scored_0(average):
    """A single cluster, or each row alone, shares as much with random labels as with any."""
    rng = np.random.default_rng(7)
    for n in (2, 3, 10, 196):
        ones, each = np.zeros(n), np.arange(n)
        some = np.r_[0, 1, rng.integers(0, 2, n - 2)]
        others = [(ones, some), (ones, each)] + ([(each, some)] if n > 2 else [])
        for a, b in others:
            for pair in ((a, b), (b, a)):
                assert metrics.adjusted_mutual_info_score(*pair, average_method=average) == 0.0
        for pair in ((ones, some), (some, ones), (ones, each), (each, ones)):
            assert metrics.mutual_info_score(*pair) == 0.0
            assert metrics.normalized_mutual_info_score(*pair, average_method=average) == 0.0
        for a in (ones, each):
            assert metrics.adjusted_mutual_info_score(a, a, average_method=average) == 1.0
            same = metrics.normalized_mutual_info_score(a, a, average_method=average)
            assert same == pytest.approx(1.0, rel=1e-14)


def expected_information(rows, columns):
    """To some 45 digits."""
    n, total = sum(rows), Decimal(0)
    for a in rows:
        for b in columns:
            least = max(0, a + b - n)
            chance = Decimal(comb(a, least) * comb(n - a, b - least)) / comb(n, b)
            for s in range(least, min(a, b) + 1):
                total += s * chance * (Decimal(max(n * s, 1)) / (a * b)).ln() / n
                chance *= Decimal((a - s) * (b - s)) / ((s + 1) * (n - a - b + s + 1))
    return total


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([4, 3, 2], [3, 3, 3]),
        ([249, 1], [248, 2]),
        ([50, 100, 100], [120, 130]),
        ([2500, 2500], [2500, 2500]),
        ([4990, 10], [2400, 2600]),
    ],
)
def test_expected_information_to_the_last_digits(rows, columns):
    with localcontext() as context:
        context.prec = 50
        exact = expected_information(rows, columns)
    found = agreement._expected(np.array(rows, float), np.array(columns, float), sum(rows))
    assert found == pytest.approx(float(exact), rel=1e-14, abs=0)


@pytest.mark.parametrize("beta", [0, 0.3, 2, 50.0])
def test_v_measure_weighs_completeness_by_beta(beta):
    theirs = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 3, 80), rng.integers(0, 9, 80)
    h, c, v = metrics.homogeneity_completeness_v_measure(a, b, beta=beta)
    assert v == pytest.approx((1 + beta) * h * c / (beta * h + c), rel=1e-15)
    assert v == metrics.v_measure_score(a, b, beta=beta)
    assert v == pytest.approx(theirs.v_measure_score(a, b, beta=beta), rel=1e-12)


@pytest.mark.parametrize(
    "metric", ["euclidean", "manhattan", "chebyshev", "cosine", "correlation", "sqeuclidean"]
)
def test_scores_of_rows_are_scikit_learns(metric):
    theirs = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(3)
    X, labels = rng.normal(size=(200, 4)), rng.integers(0, 4, 200)
    found = metrics.silhouette_samples(X, labels, metric=metric)
    assert np.allclose(found, theirs.silhouette_samples(X, labels, metric=metric), atol=1e-12)
    for name in ("calinski_harabasz_score", "davies_bouldin_score"):
        ours, other = getattr(metrics, name)(X, labels), getattr(theirs, name)(X, labels)
        assert ours == pytest.approx(other)


def test_a_sample_of_rows():
    rng = np.random.default_rng(4)
    X = np.concatenate([rng.normal(size=(100, 2)), rng.normal(size=(100, 2)) + 8])
    labels = np.repeat(["a", "b"], 100)
    full = metrics.silhouette_score(X, labels)
    every = metrics.silhouette_score(X, labels, sample_size=200, random_state=0)
    assert every == pytest.approx(full)
    some = metrics.silhouette_score(X, labels, sample_size=60, random_state=0)
    assert some != full
    assert abs(some - full) < 0.1


def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    rng = np.random.default_rng(5)
    X, labels = rng.normal(size=(500, 3)), rng.integers(0, 4, 500)
    for score in (metrics.silhouette_score, metrics.davies_bouldin_score, metrics.dunn_index):
        assert len({score(X, labels, n_jobs=threads) for threads in (1, 2, 7)}) == 1


@pytest.mark.parametrize(
    "score", ["silhouette_score", "calinski_harabasz_score", "davies_bouldin_score"]
)
def test_numbers_of_labels(score):
    X = np.arange(8.0).reshape(4, 2)
    for labels in ([0, 0, 0, 0], [0, 1, 2, 3]):
        with pytest.raises(ValueError, match="Valid values are 2 to n_samples - 1"):
            getattr(metrics, score)(X, labels)
    with pytest.raises(ValueError, match="one label per row"):
        getattr(metrics, score)(X, [0, 1])
    with pytest.raises(ValueError, match="NaN"):
        getattr(metrics, score)(X * np.nan, [0, 1, 1, 0])


def test_bad_tables():
    with pytest.raises(ValueError, match="negative dissimilarity"):
        metrics.silhouette_score([-1.0, 2, 3], [0, 1, 1], metric="precomputed")
    with pytest.raises(ValueError, match="diagonal"):
        metrics.silhouette_score(np.ones((3, 3)), [0, 1, 1], metric="precomputed")
    with pytest.raises(ValueError, match="at least 2 clusters"):
        metrics.dunn_index([[0.0], [1.0]], [0, 0])
    with pytest.raises(ValueError, match="labels_true must hold at least one"):
        metrics.rand_score([], [])


NAMED = [
    metrics.silhouette_score, metrics.calinski_harabasz_score, metrics.davies_bouldin_score,
    metrics.dunn_index,
]  # fmt: skip


def test_constant_rows():
    X, labels = np.ones((6, 2)), [0, 0, 0, 1, 1, 1]
    assert metrics.silhouette_score(X, labels) == 0.0
    assert metrics.calinski_harabasz_score(X, labels) == 1.0
    assert metrics.davies_bouldin_score(X, labels) == 0.0
    assert metrics.dunn_index(X, labels) == 0.0


@pytest.mark.parametrize("power", [-600, 700])
def test_scores_of_rows_of_every_scale(power):
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(40, 3)), np.arange(40) % 4
    far = np.ldexp(X, power)
    for score in NAMED:
        assert score(far, labels) == pytest.approx(score(X, labels), rel=1e-13)
    assert_allclose(metrics.silhouette_samples(far, labels, metric="sqeuclidean"),
                    metrics.silhouette_samples(X, labels, metric="sqeuclidean"))  # fmt: skip
    for found, expected in zip(
        metrics.cluster_diameter_separation(far, labels),
        metrics.cluster_diameter_separation(X, labels),
        strict=True,
    ):
        assert_array_equal(found, np.ldexp(expected, power))
    parts = metrics.scatter_decomposition(far, labels)
    expected = metrics.scatter_decomposition(X, labels)
    assert_array_equal(parts.centers, np.ldexp(expected.centers, power))
    assert parts.total == (np.inf if power > 0 else 0.0)


def test_scores_need_no_table_of_all_labels():
    alone, pairs = np.arange(100_000), np.arange(100_000) // 2
    assert metrics.adjusted_rand_score(alone, pairs) == 0.0
    assert metrics.homogeneity_score(pairs, alone) == 1.0
    rows = np.arange(20_000.0)[:, None]
    assert metrics.davies_bouldin_score(rows, np.arange(20_000) // 2) == pytest.approx(0.5)


def test_a_table_of_all_labels_is_refused(monkeypatch):
    monkeypatch.setattr("statfast._validation.memory.free_memory", lambda: 1 << 20)
    with pytest.raises(MemoryError, match="4000 x 4000 labels"):
        metrics.contingency_matrix(np.arange(4000), np.arange(4000))


def test_dissimilarities_whose_sums_overflow_are_refused():
    y = pdist(np.random.default_rng(0).normal(size=(30, 2)))
    labels = np.arange(30) % 3
    with pytest.raises(ValueError, match="overflow float64 when they are summed"):
        metrics.silhouette_score(y / y.max() * 1e308, labels, metric="precomputed")
    far, near = (metrics.silhouette_score(z, labels, metric="precomputed") for z in (y * 1e300, y))
    assert far == pytest.approx(near)


@pytest.mark.parametrize("constant", [0.1, 1e-80, 0.0])
def test_narrow_columns_beside_a_constant_one(constant):
    """The scale that rescues the squares is that of the columns that vary."""
    X = np.random.default_rng(4).normal(size=(90, 3))
    labels = np.arange(90) % 3
    beside = np.column_stack([np.full(90, constant), X * 2.0**-700])
    for score in (
        metrics.silhouette_samples, metrics.davies_bouldin_score, metrics.dunn_index,
        metrics.calinski_harabasz_score,
    ):  # fmt: skip
        assert_allclose(score(beside, labels), score(X, labels), 1e-12)
    heights = linkage(beside, "average")[:, 2] * 2.0**700
    assert_allclose(heights, linkage(X, "average")[:, 2], 1e-12)
    centers = metrics.scatter_decomposition(beside, labels).centers
    assert (centers[:, 0] == constant).all()
    wanted = metrics.scatter_decomposition(X, labels).centers
    assert_allclose(centers[:, 1:] * 2.0**700, wanted, 1e-12, 1e-15)

# SPDX-License-Identifier: BSD-3-Clause
"""Labels of noise: scores are those of the rows that are left, for rows and dissimilarities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist, squareform

from statfast import Chunks, choose_n_clusters, metrics

OF_MEANS = (
    metrics.calinski_harabasz_score,
    metrics.davies_bouldin_score,
    metrics.scatter_decomposition,
)
OF_PAIRS = (
    metrics.silhouette_samples,
    metrics.silhouette_score,
    metrics.dunn_index,
    metrics.cluster_diameter_separation,
)
COMPARISONS = (
    metrics.contingency_matrix,
    metrics.rand_score,
    metrics.adjusted_rand_score,
    metrics.mutual_info_score,
    metrics.normalized_mutual_info_score,
    metrics.adjusted_mutual_info_score,
    metrics.homogeneity_completeness_v_measure,
    metrics.homogeneity_score,
    metrics.completeness_score,
    metrics.v_measure_score,
    metrics.pair_confusion_matrix,
    metrics.fowlkes_mallows_score,
)


def noisy(seed, n=60, k=3):
    rng = np.random.default_rng(seed)
    labels = np.append(np.repeat(np.arange(-1, k), 2), rng.integers(-1, k, n - 2 * k - 2))
    labels = rng.permutation(labels)
    return rng.normal(size=(n, 3)) + labels[:, None], labels


def assert_same(answer, expected):
    if isinstance(expected, metrics.ScatterDecomposition):
        answer, expected = vars(answer), vars(expected)
        assert all(np.array_equal(answer[name], expected[name]) for name in expected)
    else:
        assert_array_equal(answer, expected)


@pytest.mark.parametrize("score", [*OF_MEANS, *OF_PAIRS])
@pytest.mark.parametrize("names", [None, np.array(["noise", "a", "b", "c"])])
def test_scores_are_those_of_the_rows_in_clusters(score, names):
    X, labels = noisy(0)
    kept = labels >= 0
    noise_label = -1 if names is None else "noise"
    labels = labels if names is None else names[labels + 1]
    expected = score(X[kept], labels[kept])
    answer = score(X, labels, noise_label=noise_label)
    if score is metrics.silhouette_samples:
        assert np.isnan(answer[~kept]).all()
        answer = answer[kept]
    assert_same(answer, expected)


@pytest.mark.parametrize("score", OF_PAIRS)
@pytest.mark.parametrize("shape", [np.asarray, squareform])
def test_noise_among_dissimilarities(score, shape):
    X, labels = noisy(1)
    kept = labels >= 0
    D = squareform(pdist(X))
    for dtype in (np.float32, np.float64):
        table = D.astype(dtype)
        answer = score(shape(table), labels, noise_label=-1, metric="precomputed")
        expected = score(shape(table[np.ix_(kept, kept)]), labels[kept], metric="precomputed")
        if score is metrics.silhouette_samples:
            answer = answer[kept]
        assert_same(answer, expected)


def test_a_matrix_that_is_not_symmetric_is_read_by_rows():
    rng = np.random.default_rng(2)
    D, labels = rng.random((30, 30)), noisy(2, 30)[1]
    np.fill_diagonal(D, 0.0)
    kept = labels >= 0
    expected = metrics.silhouette_score(D[np.ix_(kept, kept)], labels[kept], metric="precomputed")
    assert metrics.silhouette_score(D, labels, noise_label=-1, metric="precomputed") == expected


@pytest.mark.parametrize("score", OF_MEANS)
@pytest.mark.parametrize("scale", [1.0, 1e180, 1e-170])
def test_noise_in_chunks(score, scale):
    X, labels = noisy(4, 900)
    X[:, 1] = 3.0
    X[labels < 0] += 50.0
    rows = Chunks([scale * X[:250], scale * X[250:251], scale * X[251:]])
    kept = labels >= 0
    expected = score(scale * X[kept], labels[kept])
    for n_jobs in (1, 2, 7):
        answer = score(rows, labels, noise_label=-1, n_jobs=n_jobs)
        if score is metrics.scatter_decomposition:
            for name, value in vars(expected).items():
                assert_allclose(getattr(answer, name), value, rtol=1e-12)
        else:
            assert_allclose(answer, expected, rtol=1e-12)
    with pytest.raises(ValueError, match="one row for each"):
        score(rows, labels[:-1], noise_label=-1)
    with pytest.raises(ValueError, match="read once"):
        score(Chunks(iter([X])), labels, noise_label=-1)


@pytest.mark.parametrize("score", OF_PAIRS)
def test_scores_of_pairs_take_no_chunks(score):
    X, labels = noisy(5)
    with pytest.raises(TypeError, match="Chunks"):
        score(Chunks([X]), labels, noise_label=-1)
    with pytest.raises(TypeError, match="Chunks"):
        choose_n_clusters(Chunks([X]), noise_label=-1)


def test_weights_of_noise_in_chunks():
    X, labels = noisy(6, 300)
    weights, kept = np.random.default_rng(6).random(300), labels >= 0
    expected = metrics.scatter_decomposition(X[kept], labels[kept], weights[kept])
    rows = Chunks([X[:100], X[100:]])
    answer = metrics.scatter_decomposition(rows, labels, weights, noise_label=-1)
    for name, value in vars(expected).items():
        assert_allclose(getattr(answer, name), value, rtol=1e-12)


def test_weights_of_noise_do_not_count():
    X, labels = noisy(3)
    kept, weights = labels >= 0, np.random.default_rng(3).random(60)
    answer = metrics.scatter_decomposition(X, labels, weights, noise_label=-1)
    assert_same(answer, metrics.scatter_decomposition(X[kept], labels[kept], weights[kept]))
    with pytest.raises(ValueError, match="sample_weight"):
        metrics.scatter_decomposition(X, labels, 1.0 * ~kept, noise_label=-1)


def test_neighbors_of_noise_are_noise():
    X, labels = noisy(4)
    names = np.array(["none", "a", "b", "long name"])[labels + 1]
    _, neighbors = metrics.silhouette_samples(X, names, noise_label="none", return_neighbors=True)
    assert (neighbors[labels < 0] == "none").all()
    assert (neighbors[labels >= 0] != names[labels >= 0]).all()
    assert "long name" in neighbors
    _, neighbors = metrics.silhouette_samples(X, labels, noise_label=-1, return_neighbors=True)
    assert neighbors.dtype == labels.dtype


def test_a_sample_is_drawn_of_the_rows_in_clusters():
    X, labels = noisy(5)
    kept = labels >= 0
    drawn = {"sample_size": 30, "random_state": 0}
    answer = metrics.silhouette_score(X, labels, noise_label=-1, **drawn)
    assert answer == metrics.silhouette_score(X[kept], labels[kept], **drawn)
    with pytest.raises(ValueError, match="sample_size must be"):
        metrics.silhouette_score(X, labels, noise_label=-1, sample_size=60)


@pytest.mark.parametrize("score", COMPARISONS)
def test_comparisons_leave_out_what_either_calls_noise(score):
    (_, first), (_, second) = noisy(6), noisy(7)
    kept = (first >= 0) & (second >= 0)
    assert 0 < kept.sum() < (first >= 0).sum()
    assert_allclose(
        score(first, second, noise_label=-1), score(first[kept], second[kept]), rtol=1e-13
    )
    names = np.array(["noise", "a", "b", "c"])
    assert_allclose(
        score(names[first + 1], names[second + 1], noise_label="noise"),
        score(first[kept], second[kept]),
        rtol=1e-13,
    )
    with pytest.raises(ValueError, match="noise of either"):
        score([-1, 0], [0, -1], noise_label=-1)


def test_without_a_label_of_noise_all_are_clusters():
    """As in scikit-learn."""
    cluster = pytest.importorskip("sklearn.metrics.cluster")
    X, labels = noisy(8)
    for name in ("silhouette_score", "calinski_harabasz_score", "davies_bouldin_score"):
        answer = getattr(metrics, name)(X, labels)
        assert answer == pytest.approx(getattr(cluster, name)(X, labels))
        assert answer != pytest.approx(getattr(metrics, name)(X, labels, noise_label=-1))


@pytest.mark.parametrize("score", [*OF_MEANS, *OF_PAIRS])
def test_noise_alone_and_labels_of_noise_that_are_none(score):
    X = np.arange(8.0).reshape(4, 2)
    with pytest.raises(ValueError, match="noise alone"):
        score(X, [-1] * 4, noise_label=-1)
    with pytest.raises(ValueError, match="noise_label must be None or one label"):
        score(X, [0, 0, 1, 1], noise_label=[-1])
    if score is metrics.silhouette_score:
        with pytest.raises(ValueError, match=r"Number of labels is 2\. .*: 1"):
            score(X, [0, 1, -1, -1], noise_label=-1)

# SPDX-License-Identifier: BSD-3-Clause
"""Density-based validity against its definition, known answers, ties, threads and bad input."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist, squareform

from statfast.metrics import dbcv_score
from statfast.metrics.clustering import density_validity
from tests.reference.density_validity import dbcv


def clusters_with_noise(rng, n, d, k, noise=0.2):
    """Rows around k centers, and noise; each cluster has at least two rows."""
    labels = np.append(np.repeat(np.arange(k), 2), rng.integers(k, size=n - 2 * k))
    X = rng.normal(size=(n, d)) + 3.0 * labels[:, None]
    labels[2 * k :][rng.random(n - 2 * k) < noise] = -1
    order = rng.permutation(n)
    return X[order], labels[order]


@given(n=st.integers(8, 60), k=st.integers(2, 4), d=st.integers(1, 5), seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_score_is_its_definition(n, k, d, seed):
    X, labels = clusters_with_noise(np.random.default_rng(seed), n, d, k)
    D = squareform(pdist(X))
    score, validity = dbcv(D, labels, d)
    for found in (
        dbcv_score(X, labels, per_cluster_scores=True),
        dbcv_score(D, labels, metric="precomputed", d=d, per_cluster_scores=True),
        dbcv_score(squareform(D), labels, metric="precomputed", d=d, per_cluster_scores=True),
        dbcv_score(X, labels, metric=lambda a, b: np.linalg.norm(a - b), per_cluster_scores=True),
    ):
        assert_allclose(found[0], score, rtol=1e-9, atol=1e-12)
        assert_allclose(found[1], validity, rtol=1e-9, atol=1e-12)
    assert dbcv_score(X, labels) == pytest.approx(score, rel=1e-9, abs=1e-12)


@given(n=st.integers(8, 40), d=st.integers(1, 3), seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_ties_and_equal_rows_go_by_the_lowest_row(n, d, seed):
    """Whole numbers: distances are exact, so that equal ones are equal here and in the twin."""
    rng = np.random.default_rng(seed)
    X, labels = rng.integers(0, 4, (n, d)).astype(float), rng.integers(-1, 3, n)
    labels[:4] = 0, 0, 1, 1
    D = cdist(X, X, "cityblock")
    found = dbcv_score(X, labels, metric="manhattan", per_cluster_scores=True)
    expected = dbcv(D, labels, d)
    assert_allclose(found[0], expected[0], rtol=1e-9, atol=1e-12)
    assert_allclose(found[1], expected[1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("d", [0.5, 2.5, 3, 7, 64])
def test_dimension_of_the_space(d):
    X, labels = clusters_with_noise(np.random.default_rng(3), 40, 2, 3)
    expected = dbcv(squareform(pdist(X)), labels, d)[0]
    assert dbcv_score(X, labels, d=d) == pytest.approx(expected, rel=1e-9)


def test_known_answer():
    """Four rows on a line: two pairs at distance 1, at 10 from one another.

    The core distance in a pair is 1, and so is its edge; the nearest rows of the two are at 9.
    """
    X = [[0.0], [1.0], [10.0], [11.0]]
    score, validity = dbcv_score(X, [0, 0, 1, 1], per_cluster_scores=True)
    assert score == pytest.approx(8 / 9)
    assert_allclose(validity, [8 / 9, 8 / 9])
    # A row of noise is a fifth of all; so is a row alone, whose validity is 0.
    assert dbcv_score([*X, [50.0]], [0, 0, 1, 1, -1]) == pytest.approx(0.8 * 8 / 9)
    alone = dbcv_score([*X, [50.0]], [0, 0, 1, 1, 2], per_cluster_scores=True)
    assert alone[0] == pytest.approx(0.8 * 8 / 9)
    assert_allclose(alone[1], [8 / 9, 8 / 9, 0.0])


def test_equal_rows():
    X = np.array([[0.0]] * 4 + [[5.0]] * 3)
    assert dbcv_score(X, [0, 0, 0, 0, 1, 1, 1]) == 1.0  # nothing inside, something between
    assert dbcv_score(np.zeros((7, 2)), [0, 0, 0, 0, 1, 1, 1]) == 0.0  # nothing anywhere


def test_many_columns_do_not_overflow():
    """Powers of distances beyond float64, of which only the ratios count."""
    X, labels = clusters_with_noise(np.random.default_rng(5), 60, 400, 3)
    score = dbcv_score(X, labels)
    assert 0 < score < 1
    for scale in (1e-120, 1e120):
        assert dbcv_score(X * scale, labels) == pytest.approx(score, rel=1e-9)


def test_rows_far_from_the_origin():
    rng = np.random.default_rng(6)
    X, labels = clusters_with_noise(rng, 80, 2, 3)
    X = np.round(X * 64) / 64
    assert dbcv_score(X + 2.0**30, labels) == pytest.approx(dbcv_score(X, labels), rel=1e-12)


def test_labels_of_any_kind_and_noise():
    X, labels = clusters_with_noise(np.random.default_rng(7), 60, 2, 3)
    score = dbcv_score(X, labels)
    names = np.array(["noise", "a", "b", "c"])[labels + 1]
    assert dbcv_score(X, names, noise_label="noise") == score
    all_clusters = dbcv_score(X, labels, noise_label=None)
    assert all_clusters < score
    assert dbcv_score(X, names, noise_label="nothing") == pytest.approx(all_clusters)
    kept = labels >= 0
    without, validity = dbcv_score(X[kept], labels[kept], per_cluster_scores=True)
    assert score == pytest.approx(without * kept.mean())
    assert_array_equal(dbcv_score(X, labels, per_cluster_scores=True)[1], validity)


@pytest.mark.parametrize("n_jobs", [2, 7])
def test_same_bits_for_any_number_of_threads(n_jobs, monkeypatch):
    monkeypatch.setattr(density_validity, "EFFORT_OF_PAIR", 1e9)
    monkeypatch.setattr(density_validity, "NUMBERS_PER_STRIP", 1 << 10)
    X, labels = clusters_with_noise(np.random.default_rng(8), 700, 3, 4)
    one = dbcv_score(X, labels, per_cluster_scores=True, n_jobs=1)
    many = dbcv_score(X, labels, per_cluster_scores=True, n_jobs=n_jobs)
    assert one[0] == many[0]
    assert_array_equal(one[1], many[1])


def test_float32_rows_are_measured_in_float64():
    X, labels = clusters_with_noise(np.random.default_rng(9), 90, 3, 3)
    X = X.astype(np.float32)
    assert dbcv_score(X, labels) == dbcv_score(X.astype(np.float64), labels)


def test_no_matrix_is_held():
    X, labels = clusters_with_noise(np.random.default_rng(10), 4000, 2, 2)
    tracemalloc.start()
    dbcv_score(X, labels, n_jobs=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 4000**2 / 6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": [0, 0, 0, 0]}, "at least 2 clusters of two rows"),
        ({"labels": [0, 0, 1, 2]}, "at least 2 clusters of two rows"),
        ({"labels": [-1] * 4}, "noise alone"),
        ({"labels": [0, 1, 0]}, "one label per row"),
        ({"d": 0}, "d must be"),
        ({"d": np.inf}, "d must be"),
        ({"noise_label": [0, 1]}, "noise_label must be None or one label"),
        ({"metric": "precomputed"}, "d must be given"),
        ({"metric": "precomputed", "d": 2, "X": np.triu(np.ones((4, 4)), 1)}, "symmetric"),
        ({"X": [[0.0], [np.nan], [1.0], [2.0]]}, "NaN"),
    ],
)
def test_bad_input(change, message):
    settings = {"X": 1.0 - np.eye(4), "labels": [0, 0, 1, 1]} | change
    with pytest.raises(ValueError, match=message):
        dbcv_score(**settings)

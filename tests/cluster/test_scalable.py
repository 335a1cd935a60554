# SPDX-License-Identifier: BSD-3-Clause
"""k-means||."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from statfast._engine import blocks
from statfast.cluster import KMeans
from statfast.cluster.kmeans import parallel_init
from statfast.cluster.kmeans.data import survey_rows
from statfast.cluster.kmeans.draws import approach
from statfast.cluster.kmeans.parallel_init import k_means_parallel, nearest_weights
from statfast.cluster.kmeans.plus_plus import plus_plus, random_rows
from tests.data import blobs
from tests.reference import kmeans as twin


@pytest.mark.parametrize("weighted", [False, True])
def test_passes_are_the_definition(weighted):
    X = blobs(k=12)
    weights = np.random.default_rng(0).uniform(0, 2, len(X)) if weighted else None
    data, closest = survey_rows(X, weights, 1), np.full(len(X), np.inf)
    for centers in (X[:3], X[100:110]):
        before = closest.copy()
        found = approach(data, centers, closest)
        assert_allclose(closest, np.minimum(before, twin.squared(X, centers).min(axis=1)), 1e-12)
        assert_allclose(found, (closest * (1 if weights is None else weights)).sum(), rtol=1e-12)
    mass = np.ones(len(X)) if weights is None else weights
    nearest = twin.squared(X, X[:9]).argmin(axis=1)
    assert_allclose(nearest_weights(data, X[:9]), np.bincount(nearest, mass, 9), rtol=1e-12)


def test_centers_are_different_rows_and_about_as_good_as_those_of_plus_plus():
    X = blobs(4000, k=12)
    cost = {start: 0.0 for start in (k_means_parallel, plus_plus, random_rows)}
    for seed in range(10):
        for start in cost:
            centers = start(survey_rows(X, None, 1), 12, np.random.default_rng(seed))
            assert len(np.unique(centers, axis=0)) == 12
            assert all((row == X).all(axis=1).any() for row in centers)
            cost[start] += twin.squared(X, centers).min(axis=1).sum()
    assert cost[k_means_parallel] < 1.3 * cost[plus_plus]
    assert cost[k_means_parallel] < 0.5 * cost[random_rows]


def test_rows_of_no_weight_are_not_drawn():
    X = blobs(k=12)
    weights = (np.arange(len(X)) < 1000).astype(float)
    centers = k_means_parallel(survey_rows(X, weights, 1), 20, np.random.default_rng(0))
    assert all((X[:1000] == row).all(axis=1).any() for row in centers)


def test_few_different_rows():
    X = np.repeat([[0.0, 1.0], [2.0, 3.0]], 10, axis=0)
    centers = k_means_parallel(survey_rows(X, None, 1), 5, np.random.default_rng(0))
    assert centers.shape == (5, 2)
    assert len(np.unique(centers, axis=0)) == 2


def test_chunks_and_threads_draw_like_an_array(monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    X = np.round(blobs(1500, k=12) * 4)  # whole numbers: sums without rounding
    chunks = blocks.Chunks([X[:200], X[200:1400], X[1400:]])
    alone = k_means_parallel(survey_rows(X, None, 1), 20, np.random.default_rng(3))
    for data in (survey_rows(chunks, None, 1), survey_rows(X, None, 2), survey_rows(X, None, 7)):
        assert_array_equal(k_means_parallel(data, 20, np.random.default_rng(3)), alone)


def test_few_passes_over_chunks():
    X, passes = blobs(1500, k=12), []

    def chunks():
        passes.append(1)
        return iter([X[:700], X[700:]])

    KMeans(40, init="k-means||", random_state=0, max_iter=1).fit(blocks.Chunks(chunks))
    assert len(passes) < 2 * parallel_init.ROUNDS + 10


def test_a_round_draws_two_rows_for_each_center_on_average(monkeypatch):
    X, drawn = np.random.default_rng(0).uniform(size=(4000, 3)), []

    def counted(data, centers):
        drawn.append(len(centers) - 1)
        return nearest_weights(data, centers)

    monkeypatch.setattr(parallel_init, "nearest_weights", counted)
    for seed in range(4):
        k_means_parallel(survey_rows(X, None, 1), 20, np.random.default_rng(seed))
    assert_allclose(np.mean(drawn), parallel_init.ROUNDS * 2 * 20, rtol=0.15)

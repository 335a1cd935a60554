# SPDX-License-Identifier: BSD-3-Clause
"""k-means++ and random starts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from statfast._core.kmeans.differences import trial

from statfast._engine import blocks
from statfast.cluster.kmeans import plus_plus as seeding
from statfast.cluster.kmeans.block_passes import place
from statfast.cluster.kmeans.data import survey_rows
from statfast.cluster.kmeans.plus_plus import plus_plus, random_rows
from tests.data import blobs
from tests.reference import kmeans as twin


def rng(seed=0):
    return np.random.default_rng(seed)


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 100),
    d=st.integers(1, 40),
    m=st.integers(1, 9),
    dtype=st.sampled_from([np.float64, np.float32, np.uint8]),
    weighted=st.booleans(),
    first=st.booleans(),
)
def test_trial_is_the_twin(seed, n, d, m, dtype, weighted, first):
    draws = rng(seed)
    X = draws.uniform(0, 255, (n, d)).astype(dtype)
    candidates = draws.uniform(0, 255, (m, d))
    weights = draws.uniform(0, 2, n) if weighted else None
    closest = np.full(n, np.inf) if first else draws.uniform(0, d * 1e4, n)
    wide = np.full((m, n + 2), -1.0)  # a block is a part of a wider array
    potential, alone = np.full(m, 3.0), np.zeros(m)

    trial(X, weights, candidates, closest, wide[:, 1:-1], potential)
    trial(X, weights, candidates, closest, None, alone)

    nearer, expected = twin.trial(X, weights, candidates, closest)
    assert_allclose(wide[:, 1:-1], nearer, rtol=1e-13)
    assert_allclose(potential, 3 + expected, rtol=1e-12)
    assert_allclose(alone, expected, rtol=1e-12)
    assert (wide[:, [0, -1]] == -1).all()


def test_trial_may_update_in_place():
    X, closest = rng().normal(size=(50, 3)), np.full(50, 2.0)
    expected, _ = twin.trial(X, None, X[:1], closest)
    trial(X, None, X[:1], closest, closest[None], np.zeros(1))
    assert_allclose(closest, expected[0], rtol=1e-13)


@given(
    chances=st.lists(st.sampled_from([0.0, 1e-300, 0.5, 1.0, 1e300]), min_size=1, max_size=30),
    u=st.floats(0, 1),
)
def test_place_never_takes_what_has_no_chance(chances, u):
    if not any(chances):
        chances.append(1.0)
    assert chances[place(np.cumsum(chances), u)] > 0


def test_place_is_in_proportion():
    running = np.cumsum([1.0, 0.0, 3.0])
    assert [place(running, u) for u in (0.0, 0.24, 0.26, 0.99, 1.0)] == [0, 0, 2, 2, 2]


@pytest.mark.parametrize("weighted", [False, True])
def test_centers_are_different_rows(weighted):
    X = blobs()
    weights = rng().integers(0, 3, len(X)).astype(float) if weighted else None
    for start in (plus_plus, random_rows):
        centers = start(survey_rows(X, weights, 1), 30, rng())
        found = [np.flatnonzero((row == X).all(axis=1)) for row in centers]
        assert all(len(f) == 1 for f in found)
        assert len(set(np.concatenate(found))) == 30
        if weighted:
            assert (weights[np.concatenate(found)] > 0).all()


def test_plus_plus_draws_in_proportion_to_squared_distance():
    # Two centers of 0, 1 and 10 with both candidates alike: the definition, worked out by hand.
    X = np.array([[0.0], [1.0], [10.0]])
    data, seen = survey_rows(X, None, 1), np.zeros(3)
    for seed in range(3000):
        first, second = plus_plus(data, 2, rng(seed)).ravel()
        if first == 0.0:
            seen[[0.0, 1.0, 10.0].index(second)] += 1
    # From 0: 1 is drawn with chance 1/101, and chosen only if both candidates are it.
    assert seen[0] == 0
    assert seen[1] <= 5
    assert 900 < seen.sum() < 1100


@pytest.mark.parametrize("weighted", [False, True])
def test_potentials_are_those_of_the_definition(weighted):
    X = blobs(400, 2)
    weights = rng(7).uniform(0, 2, 400) if weighted else None
    ours, expected = np.empty((2, 80))
    for seed in range(80):
        left = [
            twin.squared(X, centers).min(axis=1)
            for centers in (
                plus_plus(survey_rows(X, weights, 1), 12, rng(seed)),
                twin.plus_plus(X, 12, rng(seed + 1000), weights),
            )
        ]
        ours[seed], expected[seed] = np.average(left, axis=1, weights=weights)
    error = np.sqrt((ours.var() + expected.var()) / 80)
    assert abs(ours.mean() - expected.mean()) < 3.5 * error


def test_plus_plus_beats_random_rows():
    X, closer = blobs(), 0
    for seed in range(10):
        good, plain = (
            twin.squared(X, start(survey_rows(X, None, 1), 6, rng(seed))).min(axis=1).sum()
            for start in (plus_plus, random_rows)
        )
        closer += good < plain
    assert closer >= 9


def test_the_second_reading_gives_the_same(monkeypatch):
    X = blobs(3000, 8)
    for weights in (None, rng().uniform(0, 2, 3000)):
        data = survey_rows(X, weights, 1)
        monkeypatch.setattr(seeding, "MAX_CACHED_BYTES", 1 << 28)
        kept = plus_plus(data, 40, rng(5))
        monkeypatch.setattr(seeding, "MAX_CACHED_BYTES", 0)
        assert_array_equal(plus_plus(data, 40, rng(5)), kept)


@pytest.mark.parametrize("n_jobs", [2, 7])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_bits_for_any_number_of_threads(n_jobs, weighted, monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    X = blobs(5000, 5)
    weights = rng().uniform(0, 2, 5000) if weighted else None
    alone = plus_plus(survey_rows(X, weights, 1), 50, rng())
    assert_array_equal(plus_plus(survey_rows(X, weights, n_jobs), 50, rng()), alone)


def test_integer_weights_are_repeated_rows():
    X = blobs(300)
    weights = rng().integers(0, 4, 300)
    repeated = np.repeat(X, weights, axis=0)
    for seed in range(10):
        weighted = plus_plus(survey_rows(X, weights, 1), 12, rng(seed))
        assert_array_equal(weighted, plus_plus(survey_rows(repeated, None, 1), 12, rng(seed)))


def test_more_centers_than_different_rows():
    X = np.repeat([[0.0, 1.0], [2.0, 3.0]], 10, axis=0)
    centers = plus_plus(survey_rows(X, None, 1), 5, rng())
    assert len(np.unique(centers, axis=0)) == 2


def test_chunks_draw_like_an_array():
    X = np.round(blobs(1500) * 4)  # whole numbers: sums without rounding
    chunks = blocks.Chunks([X[:200], X[200:1400], X[1400:]])
    for start in (plus_plus, random_rows):
        drawn = start(survey_rows(chunks, None, 1), 20, rng(3))
        assert_array_equal(drawn, start(survey_rows(X, None, 1), 20, rng(3)))

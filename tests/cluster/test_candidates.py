# SPDX-License-Identifier: BSD-3-Clause
"""Candidates of k-means++ weighed in float32: the decisions are those of float64."""

import _thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from statfast.cluster import KMeans
from statfast.cluster.kmeans import plus_plus as seeding
from statfast.cluster.kmeans.block_passes import nearest
from statfast.cluster.kmeans.data import survey_rows
from statfast.cluster.kmeans.dense_rows import DenseRows
from statfast.cluster.kmeans.plus_plus import best_of, by_reading, packed, plus_plus, trials
from tests.reference import kmeans as twin

KINDS = {
    "normal": lambda draws, n, d: draws.normal(size=(n, d)),
    "tied": lambda draws, n, d: draws.integers(0, 3, (n, d)).astype(float),
    "offset": lambda draws, n, d: 1e6 + draws.normal(size=(n, d)),
    "tiny": lambda draws, n, d: 1e-200 * draws.normal(size=(n, d)),
    "huge": lambda draws, n, d: 1e140 * draws.normal(size=(n, d)),
    "heavy": lambda draws, n, d: draws.standard_cauchy((n, d)) ** 3,
    "near": lambda draws, n, d: draws.integers(0, 2, (n, 1)) + 1e-9 * draws.normal(size=(n, d)),
}


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 300),
    d=st.integers(1, 40),
    m=st.integers(1, 20),
    kind=st.sampled_from(sorted(KINDS)),
    dtype=st.sampled_from([np.float64, np.float32]),
    weighted=st.booleans(),
)
def test_bounds_hold_what_a_candidate_gains(seed, n, d, m, kind, dtype, weighted):
    draws = np.random.default_rng(seed)
    with np.errstate(over="ignore"):
        X = KINDS[kind](draws, n, d).astype(dtype)
    if not np.isfinite(X).all() or (dtype == np.float32 and kind in ("tiny", "huge")):
        X = draws.normal(size=(n, d)).astype(dtype)
    weights = draws.integers(0, 4, n).astype(float) if weighted else None
    if weighted:
        weights[0] = 1
    data = survey_rows(X, weights, 1)
    state, _, _ = packed(data, 99, 0)
    rows = X.astype(np.float64)
    closest, labels = twin.squared(rows, rows[:1])[:, 0], np.zeros(n, int)
    mass = 1.0 if weights is None else weights
    unit = data.scale / (1.0 if weights is None else weights.max()), data.scale / 2
    for c in range(1, 4):
        assert_allclose(state.closest, closest, rtol=1e-12)
        assert_array_equal(state.labels, labels)
        drawn = state.draw(draws.random(m))
        if drawn is None:
            assert not (closest * mass).any()
            return
        assert (state.closest[drawn] > 0).all()
        state.propose(drawn)
        high, off, points = state.weigh(0, n)[:, :m]
        gain = gains(rows, closest, rows[drawn])
        i, j = np.nonzero(gain > 1e-12 * closest[:, None])
        hit = np.unpackbits(state.hits[:m].view(np.uint8), axis=1, bitorder="little")
        hit = hit.reshape(m, -1, 32).astype(bool)
        across = next(a for a in (2, 4, 8, 16, 32) if -(-n // a) == hit.shape[1])
        hit = hit[:, :, :across].reshape(m, -1)[:, :n]
        assert hit[j, i].all()
        assert_array_equal(points, hit.sum(axis=1))
        total = (gain.T * mass).sum(axis=1)
        slack = 1e-12 * (closest * mass).sum()
        rounding = 1e-5 * high + 1e-30 * n
        assert (total <= (high + rounding) / unit[0] / unit[1] + slack).all()
        low = (high - off * (1 + 1e-4) - rounding) / unit[0] / unit[1]
        assert (total >= low - slack).all()
        if kind == "normal" and n > 50 and d > 1 and not weighted:
            assert (off / unit[0] / unit[1] <= 0.01 * total + 1e-3 * closest.sum()).all()
        best = best_of(data, drawn, high, off, state.closest)
        assert total[best] >= total.max() - slack
        state.join(best, rows[drawn[best]], c, 0, n)
        new = twin.squared(rows, rows[drawn[best : best + 1]])[:, 0]
        labels[new < closest] = c
        closest = np.minimum(closest, new)


def gains(rows, closest, points):
    return np.maximum(closest[:, None] - twin.squared(rows, points), 0.0)


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("weighted", [False, True])
def test_centers_are_those_that_float64_draws(kind, weighted, monkeypatch):
    monkeypatch.setattr(seeding, "MIN_PACKED_ROWS", 0)
    for seed in range(5):
        draws = np.random.default_rng(seed)
        X = KINDS[kind](draws, 700, 5)
        weights = draws.integers(1, 4, 700).astype(float) if weighted else None
        data = survey_rows(X, weights, 1)
        centers, places, _ = seeding.spread(data, 25, np.random.default_rng(seed))
        rng = np.random.default_rng(seed)
        slow, slow_places = by_reading(data, 25, rng, data.draw_index(rng))
        assert_array_equal(centers, slow)
        assert_array_equal(places, slow_places)
        assert_array_equal(centers, X[places])


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(256, 330),
    d=st.integers(1, 100),
    values=st.integers(1, 200),
    k=st.sampled_from([2, 3, 20, 80, 255]),
    offset=st.sampled_from([0, 10**6]),
    dtype=st.sampled_from([np.float64, np.float32, np.uint8]),
    weight=st.sampled_from([None, 1e-100, 1.0, 1e99]),
    n_jobs=st.sampled_from([1, 2, 7]),
)
def test_centers_are_those_that_exact_distances_draw(
    seed, n, d, values, k, offset, dtype, weight, n_jobs
):
    """Squared distances of integers have no rounding, so that ties are ties both ways."""
    draws = np.random.default_rng(seed)
    X = draws.integers(0, 1 + values, (n, d)) + (0 if dtype == np.uint8 else offset)
    weights = None
    if weight is not None:
        weights = weight * draws.integers(0, 4, n)
        weights[0] = weight
    data = survey_rows(X.astype(dtype), weights, n_jobs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("statfast._engine.blocks.MIN_FLOP_FOR_THREADS", 0)
        ours, places, _ = seeding.spread(data, k, np.random.default_rng(seed))
    rng = np.random.default_rng(seed)
    slow, slow_places = by_reading(data, k, rng, data.draw_index(rng))
    assert_array_equal(ours, slow)
    assert_array_equal(places, slow_places)


def test_rows_in_several_blocks_are_drawn_where_they_lie():
    """One candidate has float64 read other blocks than several; chances keep those of their own."""
    X = np.random.default_rng(2).normal(size=(17_000, 80))
    data = survey_rows(X, None, 1)
    rng = np.random.default_rng(2)
    slow, _ = by_reading(data, 12, rng, data.draw_index(rng))
    assert_array_equal(plus_plus(data, 12, np.random.default_rng(2)), slow)


def test_rows_in_order_are_drawn_as_by_reading(monkeypatch):
    """Each candidate may gain rows of few parts."""
    monkeypatch.setattr(seeding, "OPERATIONS_PER_BLOCK", 1.0)
    X = np.sort(np.random.default_rng(3).uniform(size=(9000, 2)), axis=0)
    data = survey_rows(X, None, 1)
    rng = np.random.default_rng(4)
    slow, _ = by_reading(data, 60, rng, data.draw_index(rng))
    assert_array_equal(plus_plus(data, 60, np.random.default_rng(4)), slow)


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_nearest_centers_are_known(kind, dtype, monkeypatch):
    monkeypatch.setattr(seeding, "MIN_PACKED_ROWS", 0)
    for seed in range(3):
        draws = np.random.default_rng(seed)
        X = KINDS[kind if dtype == np.float64 else "tied"](draws, 500, 5).astype(dtype)
        X = np.concatenate([X, X[:20]])
        data = survey_rows(X, None, 1)
        centers, _, (labels, squares) = seeding.spread(data, 20, draws)
        frame = data.frame(centers)
        assert_array_equal(labels, nearest(DenseRows(X), frame))
        assert_array_equal(squares, DenseRows(X).distances_to_labels(frame, labels))


def test_subnormal_rows_have_their_nearest_centers():
    """What scales them to 1 is no float32."""
    draws = np.random.default_rng(0)
    X = (1e-41 * draws.normal(size=(400, 6))).astype(np.float32)
    data = survey_rows(X, None, 1)
    assert data.scale > float(np.finfo(np.float32).max)
    ours = plus_plus(data, 8, np.random.default_rng(1))
    larger = plus_plus(survey_rows(X.astype(np.float64), None, 1), 8, np.random.default_rng(1))
    assert_array_equal(ours, larger)
    run = KMeans(8, max_iter=1, random_state=0).fit(X)
    assert len(np.unique(run.labels_)) == 8


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("k", "d", "spread"), [(7, 2, 1.0), (30, 9, 0.05), (150, 40, 0.05)])
def test_runs_are_those_from_an_array_of_the_same_centers(dtype, weighted, k, d, spread):
    draws = np.random.default_rng(k)
    X = draws.uniform(0, 100, (k, d))[draws.integers(k, size=2000)]
    X = (X + 100 * spread * draws.uniform(size=X.shape)).astype(dtype)
    weights = draws.uniform(0, 2, 2000) if weighted else None
    for max_iter in (1, 2, 30):
        ours = KMeans(k, max_iter=max_iter, random_state=3, tol=0).fit(X, sample_weight=weights)
        seed = np.random.default_rng(3).integers(2**32, size=1)[0]
        start = plus_plus(survey_rows(X, weights, None), k, np.random.default_rng(int(seed)))
        run = KMeans(k, init=start, max_iter=max_iter, tol=0).fit(X, sample_weight=weights)
        assert_array_equal(ours.labels_, run.labels_)
        assert_array_equal(ours.cluster_centers_, run.cluster_centers_)
        assert (ours.inertia_, ours.n_iter_) == (run.inertia_, run.n_iter_)


@pytest.mark.parametrize("n_jobs", [2, 7])
@pytest.mark.parametrize(("d", "k"), [(6, 60), (30, 20)])
def test_same_bits_for_any_number_of_threads(n_jobs, d, k, monkeypatch):
    monkeypatch.setattr("statfast._engine.blocks.MIN_FLOP_FOR_THREADS", 0)
    X = np.random.default_rng(0).normal(size=(20_000, d))
    alone, others = (
        plus_plus(survey_rows(X, None, jobs), k, np.random.default_rng(1)) for jobs in (1, n_jobs)
    )
    assert_array_equal(alone, others)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_no_more_is_begun_after_ctrl_c(n_jobs, monkeypatch):
    monkeypatch.setattr("statfast._engine.blocks.MIN_FLOP_FOR_THREADS", 0)
    X = np.random.default_rng(0).normal(size=(20_000, 6))
    model = KMeans(60, max_iter=1, random_state=0, n_jobs=n_jobs).fit(X)
    before, best_of, calls, fired = model.cluster_centers_, seeding.best_of, [], [10]

    def interrupted(*args):
        calls.append(args)
        if len(calls) == fired[0]:
            _thread.interrupt_main()
        return best_of(*args)

    monkeypatch.setattr(seeding, "best_of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    assert len(calls) == fired[0]
    assert model.cluster_centers_ is before
    fired[0] = -1
    assert_array_equal(model.fit(X).cluster_centers_, before)


@pytest.mark.parametrize(("n", "d"), [(1000, 4), (30_000, 6), (70_001, 2)])
def test_rows_are_drawn_by_their_share_of_the_potential(n, d):
    X = np.random.default_rng(0).normal(size=(n, d))
    weights = np.random.default_rng(1).uniform(0, 2, n)
    data = survey_rows(X, weights, 5)
    state, blocks, _ = packed(data, 99, 0)
    for c in range(1, 6):
        at = np.random.default_rng(c).random(12)
        drawn = state.draw(at)
        running = np.cumsum(state.closest * weights)
        assert (running[drawn - 1] <= at * running[-1] * (1 + 1e-12))[drawn > 0].all()
        assert (running[drawn] >= at * running[-1] * (1 - 1e-12)).all()
        state.propose(drawn)
        for block in blocks:
            state.weigh(block.start, block.stop)
            state.join(c, X[drawn[c]], c, block.start, block.stop)
        assert_array_equal(state.closest[drawn[c]], 0.0)


def test_draws_at_the_ends():
    X = np.random.default_rng(0).normal(size=(600, 2))
    weights = np.ones(600)
    weights[[0, 1, 598, 599]] = 0
    state, _, _ = packed(survey_rows(X, weights, 1), 8, 300)
    drawn = state.draw(np.array([0.0, 1.0, 0.5]))
    assert drawn[0] == 2
    assert drawn[1] == 597
    assert trials(8) == 4

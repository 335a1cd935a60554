# SPDX-License-Identifier: BSD-3-Clause
"""Candidates of k-means++ weighed in float32: the decisions are those of float64."""

import _thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from statfast._core.kmeans import seeding as kernel
from statfast._engine.team import Team
from statfast.cluster import KMeans
from statfast.cluster.kmeans import block_passes, candidates
from statfast.cluster.kmeans import plus_plus as seeding
from statfast.cluster.kmeans.candidates import Candidates
from statfast.cluster.kmeans.plus_plus import by_reading, plus_plus, trials
from statfast.cluster.kmeans.prepared import survey
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


def state_of(X, weights, n_trials, k=99):
    return Candidates(survey(X, weights, 1), k, n_trials)


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 300),
    d=st.integers(1, 40),
    n_trials=st.integers(1, 9),
    spare=st.integers(0, 20),
    kind=st.sampled_from(sorted(KINDS)),
    dtype=st.sampled_from([np.float64, np.float32]),
    weighted=st.booleans(),
)
def test_bounds_hold_what_a_candidate_gains(seed, n, d, n_trials, spare, kind, dtype, weighted):
    draws = np.random.default_rng(seed)
    with np.errstate(over="ignore"):
        X = KINDS[kind](draws, n, d).astype(dtype)
    if not np.isfinite(X).all() or (dtype == np.float32 and kind in ("tiny", "huge")):
        X = draws.normal(size=(n, d)).astype(dtype)
    weights = draws.integers(0, 4, n).astype(float) if weighted else None
    if weighted:
        weights[0] = 1
    state = state_of(X, weights, n_trials)
    rows = X.astype(np.float64)
    state.begin(0)
    closest = twin.squared(rows, rows[:1])[:, 0]
    mass = 1.0 if weights is None else weights
    for _ in range(3):
        assert_allclose(state.closest, closest, rtol=1e-12)
        if not state.draw(*draws.random((2, n_trials + spare))):
            assert not (closest * mass).any()
            return
        assert (state.closest[state.rows] > 0).all()
        assert_array_equal(state.points, rows[state.rows])
        gain = gains(rows, closest, state.points)
        across = kernel.panel_rows()
        i, c = np.nonzero(gain > 1e-12 * closest[:, None])
        assert (state.hits[c, i // across] >> (i % across).astype(np.uint32) & 1).all()

        while True:
            most = 1 + draws.integers(3)
            chosen, rivals = state.choose(most)
            if state.left < 0:  # too few are left
                closest = nearer(closest, rows, state.points[chosen])
                break
            # The last group was looked at before its best became a center, if that was known.
            before = nearer(closest, rows, state.points[chosen if len(rivals) else chosen[:-1]])
            some = state.group
            total = (gains(rows, before, state.points[some]).T * mass).sum(axis=1)
            high, low = state.bounds[:, some] / state.unit[0] / state.unit[1]
            slack = 1e-12 * (closest * mass).sum()
            assert (total <= high + slack).all()
            assert (total >= low - slack).all()
            if kind == "normal" and n > 50 and d > 1 and not weighted:
                assert (high - low <= 0.01 * total + 1e-3 * closest.sum()).all()
            assert_array_equal(rivals, rivals_of(some, high, low) if len(rivals) else [])
            closest = nearer(closest, rows, state.points[chosen])
            if len(chosen) == most:
                assert_allclose(state.closest, closest, rtol=1e-12)
                return  # nobody asks for more
            if len(rivals):
                state.join(rivals[0])
                closest = nearer(closest, rows, state.points[rivals[:1]])


def rivals_of(some, high, low):
    """Those that may be the best; more than one, or they were not left open."""
    rivals = some[~(high < low.max())]
    assert len(rivals) > 1
    return rivals


def nearer(closest, rows, points):
    return np.minimum(closest, twin.squared(rows, points).min(axis=1, initial=np.inf))


def gains(rows, closest, points):
    return np.maximum(closest[:, None] - twin.squared(rows, points), 0.0)


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(2, 300),
    d=st.integers(1, 10),
    n_trials=st.integers(2, 9),
    kind=st.sampled_from(sorted(KINDS)),
)
def test_the_best_is_among_the_rivals(seed, n, d, n_trials, kind):
    draws = np.random.default_rng(seed)
    X = KINDS[kind](draws, n, d)
    state = state_of(X, None, n_trials)
    state.begin(0)
    while state.draw(*draws.random((2, 3 * n_trials))):
        closest = state.closest.copy()
        chosen, rivals = state.choose(2)
        first = chosen[:1] if len(chosen) else rivals
        group = np.arange(n_trials)  # all are kept for the first center
        total = gains(X, closest, state.points[group]).sum(axis=0)
        best = np.flatnonzero(total >= total.max() * (1 - 1e-13))
        assert set(first) & set(best)
        if kind == "normal" and n > 50 and d > 1:
            assert not (total[first] < 0.99 * total.max()).any()
        if len(chosen) == 0:
            state.join(rivals[0])
        elif len(chosen) == 2:
            break  # what others gain is not known
        if draws.random() < 0.3:
            break


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("held", [0, 50, 1000])
def test_centers_are_those_that_float64_draws(kind, weighted, held, monkeypatch):
    monkeypatch.setattr(seeding, "FEWEST", 0)
    monkeypatch.setattr(seeding, "ALONE", 3)
    monkeypatch.setattr(seeding, "WIDE", 0)
    monkeypatch.setattr(seeding, "TRIED", held)
    for seed in range(5):
        draws = np.random.default_rng(seed)
        X = KINDS[kind](draws, 700, 5)
        weights = draws.integers(1, 4, 700).astype(float) if weighted else None
        data = survey(X, weights, 1)
        centers, places, _ = seeding.spread(data, 25, np.random.default_rng(seed))
        rng = np.random.default_rng(seed)
        slow, slow_places = by_reading(data, 25, rng, seeding.first_row(data, rng))
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
    data = survey(X.astype(dtype), weights, n_jobs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("statfast._engine.blocks.SMALL", 0)
        ours, places, _ = seeding.spread(data, k, np.random.default_rng(seed))
    rng = np.random.default_rng(seed)
    slow, slow_places = by_reading(data, k, rng, seeding.first_row(data, rng))
    assert_array_equal(ours, slow)
    assert_array_equal(places, slow_places)


def test_rows_in_several_blocks_are_drawn_where_they_lie():
    """One candidate has float64 read other blocks than several; chances keep those of their own."""
    X = np.random.default_rng(2).normal(size=(17_000, 80))
    data = survey(X, None, 1)
    rng = np.random.default_rng(2)
    slow, _ = by_reading(data, 12, rng, seeding.first_row(data, rng))
    assert_array_equal(plus_plus(data, 12, np.random.default_rng(2)), slow)


@pytest.mark.parametrize("held", [0, 1000])
def test_rows_in_order_are_drawn_as_by_reading(held, monkeypatch):
    """What candidates gain less for others is of few parts of the rows."""
    monkeypatch.setattr(candidates, "PART", 1.0)
    monkeypatch.setattr(seeding, "TRIED", held)
    X = np.sort(np.random.default_rng(3).uniform(size=(9000, 2)), axis=0)
    data = survey(X, None, 1)
    rng = np.random.default_rng(4)
    slow, _ = by_reading(data, 60, rng, seeding.first_row(data, rng))
    assert_array_equal(plus_plus(data, 60, np.random.default_rng(4)), slow)


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
@pytest.mark.parametrize("held", [0, 50, 1000])
def test_nearest_centers_are_known(kind, dtype, held, monkeypatch):
    monkeypatch.setattr(seeding, "FEWEST", 0)
    monkeypatch.setattr(seeding, "ALONE", 3)
    monkeypatch.setattr(seeding, "WIDE", 0)
    monkeypatch.setattr(seeding, "TRIED", held)
    for seed in range(3):
        draws = np.random.default_rng(seed)
        X = KINDS[kind if dtype == np.float64 else "tied"](draws, 500, 5).astype(dtype)
        X = np.concatenate([X, X[:20]])
        data = survey(X, None, 1)
        centers, _, (labels, squares) = seeding.spread(data, 20, draws)
        assert_array_equal(labels, block_passes.nearest(X, centers, data.frame(centers)))
        assert_array_equal(squares, block_passes.apart(X, centers, labels))


def test_subnormal_rows_have_their_nearest_centers():
    """What scales them to 1 is no float32."""
    draws = np.random.default_rng(0)
    X = (1e-41 * draws.normal(size=(400, 6))).astype(np.float32)
    data = survey(X, None, 1)
    assert data.scale > float(np.finfo(np.float32).max)
    ours = plus_plus(data, 8, np.random.default_rng(1))
    larger = plus_plus(survey(X.astype(np.float64), None, 1), 8, np.random.default_rng(1))
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
        start = plus_plus(survey(X, weights, None), k, np.random.default_rng(int(seed)))
        run = KMeans(k, init=start, max_iter=max_iter, tol=0).fit(X, sample_weight=weights)
        assert_array_equal(ours.labels_, run.labels_)
        assert_array_equal(ours.cluster_centers_, run.cluster_centers_)
        assert (ours.inertia_, ours.n_iter_) == (run.inertia_, run.n_iter_)


@pytest.mark.parametrize("n_jobs", [2, 7])
@pytest.mark.parametrize(("d", "k"), [(6, 60), (30, 20)])
def test_same_bits_for_any_number_of_threads(n_jobs, d, k, monkeypatch):
    monkeypatch.setattr("statfast._engine.blocks.SMALL", 0)
    X = np.random.default_rng(0).normal(size=(20_000, d))
    alone, others = (
        plus_plus(survey(X, None, jobs), k, np.random.default_rng(1)) for jobs in (1, n_jobs)
    )
    assert_array_equal(alone, others)


@pytest.mark.parametrize(("d", "k"), [(6, 60), (30, 20)])
def test_same_bits_for_any_number_of_pieces(d, k, monkeypatch):
    """Scores are made a few parts at a time, so that Ctrl-C is heard."""
    monkeypatch.setattr(candidates, "PART", 1e5)
    X = np.random.default_rng(0).normal(size=(20_000, d))
    whole = plus_plus(survey(X, None, 1), k, np.random.default_rng(1))
    for most in (1, 3e6):
        monkeypatch.setattr(candidates, "MOST", most)
        assert_array_equal(plus_plus(survey(X, None, 1), k, np.random.default_rng(1)), whole)


def test_no_more_is_begun_after_ctrl_c(monkeypatch):
    monkeypatch.setattr("statfast._engine.blocks.SMALL", 0)
    X = np.random.default_rng(0).normal(size=(20_000, 6))
    model = KMeans(60, max_iter=1, random_state=0, n_jobs=2).fit(X)
    before, gather, calls, fired = model.cluster_centers_, Team.gather, [], [10]

    def interrupted(team):
        calls.append(team)
        if len(calls) == fired[0]:
            _thread.interrupt_main()
        gather(team)

    monkeypatch.setattr(Team, "gather", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    assert len(calls) == fired[0]
    assert model.cluster_centers_ is before
    fired[0] = -1
    assert_array_equal(model.fit(X).cluster_centers_, before)


@pytest.mark.parametrize(("n", "d"), [(1000, 4), (30_000, 6), (70_001, 2)])
def test_the_sum_of_chances_is_kept(n, d):
    X = np.random.default_rng(0).normal(size=(n, d))
    weights = np.random.default_rng(1).uniform(0, 2, n)
    state = state_of(X, weights, 5)
    state.begin(0)
    for seed in range(10):
        state.draw(*np.random.default_rng(seed).random((2, 12)))
        _, rivals = state.choose(3)
        if len(rivals):
            state.join(rivals[0])
        starts = np.arange(0, n, kernel.stretch_rows())
        assert_allclose(state.sums, np.add.reduceat(state.closest * weights, starts), rtol=1e-12)


def test_draws_at_the_ends():
    X = np.random.default_rng(0).normal(size=(600, 2))
    weights = np.ones(600)
    weights[[0, 1, 598, 599]] = 0
    state = state_of(X, weights, 3)
    state.begin(300)
    assert state.draw(np.array([0.0, 1.0, 0.5]), np.zeros(3))
    assert state.rows[0] == 2
    assert state.rows[1] == 597
    assert trials(8) == 4

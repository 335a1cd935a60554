# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of votes and averages against their twins, where distances and votes tie often."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._core.neighbors import average, vote
from tests.reference import neighbors as twin

RULES = {"lowest": 0, "nearest": 1, "random": 2}


@st.composite
def neighbors(draw):
    """Codes, neighbors, their distances and weights (None or given) of a tied problem."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m, n_classes = draw(st.integers(1, 30)), draw(st.integers(1, 6)), draw(st.integers(1, 6))
    k = draw(st.integers(1, n))
    codes = rng.integers(0, n_classes, n)
    d2, ids = twin.nearest(rng.integers(0, 3, (n, 2)), rng.integers(0, 3, (m, 2)), k)
    weights = draw(
        st.sampled_from([None, rng.integers(0, 3, (m, k)) + 0.25, twin.distance_weights(d2)])
    )
    return codes, ids, d2, weights, n_classes


def flat(ids, *tables):
    """The table of neighbors as kernels take it: starts, and the entries one after the other."""
    m, k = ids.shape
    return np.arange(0, m * k + 1, k), *(
        None if a is None else np.ascontiguousarray(a).reshape(-1) for a in (ids, *tables)
    )


def elected(codes, ids, d2, weights, n_classes, ties, seed=0):
    out = np.empty(len(ids), np.intp)
    vote.winners(codes, *flat(ids, d2, weights), n_classes, RULES[ties], seed, out)
    return out


@pytest.mark.parametrize("ties", ["lowest", "nearest"])
@given(problem=neighbors())
def test_winners(ties, problem):
    codes, ids, d2, weights, n_classes = problem
    expected = twin.winners(
        codes, ids, d2, np.ones_like(d2) if weights is None else weights, n_classes, ties
    )
    np.testing.assert_array_equal(elected(codes, ids, d2, weights, n_classes, ties), expected)


@given(problem=neighbors(), seed=st.integers(0, 2**63 - 1))
def test_random_winners_have_the_largest_vote(problem, seed):
    codes, ids, d2, weights, n_classes = problem
    counted = twin.votes(codes, ids, np.ones_like(d2) if weights is None else weights, n_classes)
    won = elected(codes, ids, d2, weights, n_classes, "random", seed)
    np.testing.assert_array_equal(counted[np.arange(len(ids)), won], counted.max(axis=1))


def test_random_winners_are_drawn_evenly():
    m, tied = 6000, 3
    codes, ids = np.arange(tied + 1), np.tile([2, 0, 1], (m, 1))
    d2 = np.random.default_rng(0).random((m, 1)) + np.arange(3.0)
    for seed in (0, 1, 2**62):
        counts = np.bincount(elected(codes, ids, d2, None, 4, "random", seed), minlength=4)
        assert counts[3] == 0
        # 6000 draws have a standard deviation of 36.5 about 2000 for each class.
        assert np.abs(counts[:3] - m / tied).max() < 5 * 36.5
    assert (elected(codes, ids, d2, None, 4, "random", 0) != elected(
        codes, ids, d2, None, 4, "random", 1
    )).any()  # fmt: skip


@pytest.mark.parametrize("ties", RULES)
@given(problem=neighbors(), data=st.data())
def test_errors_for_many_k_are_those_of_each(ties, problem, data):
    codes, ids, d2, weights, n_classes = problem
    m, k = ids.shape
    ks = np.array(sorted(data.draw(st.sets(st.integers(1, k), min_size=1))), np.intp)
    truth = np.arange(m) % n_classes
    counted = np.full(len(ks), 7, np.intp)
    vote.errors(codes, truth, *flat(ids, d2, weights), n_classes, RULES[ties], 5, ks, counted)
    for few, errors in zip(ks, counted, strict=True):
        fewer = None if weights is None else weights[:, :few]
        won = elected(codes, ids[:, :few], d2[:, :few], fewer, n_classes, ties, 5)
        assert errors == 7 + (won != truth).sum()


@given(problem=neighbors())
def test_shares(problem):
    codes, ids, d2, weights, n_classes = problem
    out = np.zeros((len(ids), n_classes))
    starts, near, w = flat(ids, weights)
    vote.shares(codes, starts, near, w, out)
    counted = twin.votes(codes, ids, np.ones_like(d2) if weights is None else weights, n_classes)
    np.testing.assert_allclose(out, counted / counted.sum(axis=1, keepdims=True), rtol=1e-15)


@given(problem=neighbors())
def test_means_and_squares(problem):
    _, ids, _, weights, _ = problem
    m, k = ids.shape
    rng = np.random.default_rng(0)
    targets, truth = rng.standard_normal((30, 2)), rng.standard_normal((m, 2))
    starts, near, w = flat(ids, weights)
    squares, means, ks = np.zeros((k, 2)), [], np.arange(1, k + 1)
    average.squares(targets, truth, starts, near, w, ks, np.empty(2), squares)
    for few in ks:
        fewer = np.ones((m, few)) if weights is None else weights[:, :few]
        out = np.zeros((m, 2))
        begin, first, its = flat(ids[:, :few], fewer)
        average.means(targets, begin, first, its, out)
        means.append(out)
        expected = np.einsum("ij,ijt->it", fewer, targets[ids[:, :few]])
        expected /= fewer.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-14)
    expected = ((np.array(means) - truth) ** 2).sum(axis=1)
    np.testing.assert_allclose(squares, expected, rtol=1e-13)


@given(problem=neighbors())
def test_inverse_distances(problem):
    d2 = problem[2]
    starts, distances = flat(np.sqrt(d2))
    out = np.empty_like(distances)
    vote.inverse_distances(starts, distances, out)
    np.testing.assert_array_equal(out.reshape(d2.shape), twin.distance_weights(d2))


def test_inverse_of_the_smallest_distance_is_finite():
    out = np.empty(2)
    vote.inverse_distances(np.array([0, 2]), np.array([5e-324, 1.0]), out)
    assert np.isfinite(out).all()


def test_tie_rules_differ():
    codes, ids = np.array([0, 1, 1, 0]), np.arange(4)[None]
    d2 = np.array([[2.0, 1.0, 3.0, 4.0]])
    order = np.argsort(d2[0])
    for ties, winner in [("lowest", 0), ("nearest", 1)]:
        assert elected(codes, ids[:, order], d2[:, order], None, 2, ties) == [winner]


def test_rows_without_neighbors():
    starts, ids, d2 = np.array([0, 0, 2, 2]), np.array([1, 0]), np.array([0.5, 1.0])
    codes, out = np.array([1, 0]), np.empty(3, np.intp)
    for ties in RULES.values():
        vote.winners(codes, starts, ids, d2, None, 2, ties, 0, out)
        assert out[[0, 2]].tolist() == [-1, -1]
    shares, means = np.zeros((3, 2)), np.zeros((3, 1))
    vote.shares(codes, starts, ids, None, shares)
    assert shares.tolist() == [[0, 0], [0.5, 0.5], [0, 0]]
    average.means(np.array([[1.0], [4.0]]), starts, ids, None, means)
    assert means[1] == 2.5
    assert np.isnan(means[[0, 2]]).all()

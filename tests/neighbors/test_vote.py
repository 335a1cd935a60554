# SPDX-License-Identifier: BSD-3-Clause
"""The vote kernel against its twin, on grids where distances and votes tie all the time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._core import vote
from tests.reference import neighbors as twin


@st.composite
def neighbours(draw):
    """Codes, neighbours, their distances and weights (None or given) of a tied problem."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m, n_classes = draw(st.integers(1, 30)), draw(st.integers(1, 6)), draw(st.integers(1, 6))
    k = draw(st.integers(1, n))
    codes = rng.integers(0, n_classes, n)
    d2, ids = twin.nearest(rng.integers(0, 3, (n, 2)), rng.integers(0, 3, (m, 2)), k)
    weights = draw(
        st.sampled_from([None, rng.integers(0, 3, (m, k)) + 0.25, twin.distance_weights(d2)])
    )
    return codes, ids, d2, weights, n_classes


@pytest.mark.parametrize("ties", ["lowest", "nearest"])
@given(problem=neighbours())
def test_winners(ties, problem):
    codes, ids, d2, weights, n_classes = problem
    votes, out = np.zeros(n_classes), np.empty(len(ids), np.intp)
    vote.winners(codes, ids, d2, weights, ties == "nearest", votes, out)
    expected = twin.winners(
        codes, ids, d2, np.ones_like(d2) if weights is None else weights, n_classes, ties
    )
    np.testing.assert_array_equal(out, expected)
    assert not votes.any()


@given(problem=neighbours())
def test_shares(problem):
    codes, ids, d2, weights, n_classes = problem
    out = np.zeros((len(ids), n_classes))
    vote.shares(codes, ids, weights, out)
    counted = twin.votes(codes, ids, np.ones_like(d2) if weights is None else weights, n_classes)
    np.testing.assert_allclose(out, counted / counted.sum(axis=1, keepdims=True), rtol=1e-15)


@given(problem=neighbours())
def test_inverse_distances(problem):
    d2 = problem[2]
    out = np.empty_like(d2)
    vote.inverse_distances(d2, out)
    np.testing.assert_array_equal(out, twin.distance_weights(d2))


def test_tie_rules_differ():
    codes, ids = np.array([0, 1, 1, 0]), np.arange(4)[None]
    d2 = np.array([[2.0, 1.0, 3.0, 4.0]])
    order = np.argsort(d2[0])
    won = np.empty(1, np.intp)
    for nearest, winner in [(False, 0), (True, 1)]:
        vote.winners(codes, ids[:, order], d2[:, order], None, nearest, np.zeros(2), won)
        assert won[0] == winner

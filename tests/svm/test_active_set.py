# SPDX-License-Identifier: BSD-3-Clause
"""Which variables are worked on next: who must be among them, who may be, and in what order."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast.svm.dual import active_set
from statfast.svm.dual.active_set import largest, next_active


def state(seed, m, spread=1.0):
    """Gradients, variables of which a third is free and a third at either bound, and bounds."""
    rng = np.random.default_rng(seed)
    low, high = np.where(rng.random(m) < 0.5, 0.0, -1.0), np.ones(m)
    kind = rng.integers(0, 3, m)
    b = np.select([kind == 0, kind == 1], [low, high], 0.5 * (low + high) + 0.1)
    return spread * rng.standard_normal(m), b, low, high


@given(seed=st.integers(0, 2**32 - 1), m=st.integers(2, 400), most=st.integers(2, 400))
def test_the_worst_pair_is_always_active(seed, m, most):
    f, b, low, high = state(seed, m)
    chosen = next_active(f, b, low, high, 0.0, most)
    assert len(chosen) <= min(m, most)
    assert (np.diff(chosen) > 0).all()
    for may, sign in ((b < high, -1.0), (b > low, 1.0)):
        if (sign * f[may] > 0).any() and most >= 4:
            assert np.flatnonzero(may)[(sign * f[may]).argmax()] in chosen
    np.testing.assert_array_equal(chosen, next_active(f, b, low, high, 0.0, most))


def test_few_violators_are_all_active(monkeypatch):
    monkeypatch.setattr(active_set, "MIN_VARIABLES", 50)
    f, b, low, high = state(1, 1000)
    still = (b == low) | (b == high)
    f[still] = np.where(b == low, 1.0, -1.0)[still]  # at the bound where they belong
    wrong = np.array([3, 77, 500, 901])
    b[wrong], f[wrong] = low[wrong], -2.0
    free = np.flatnonzero((b > low) & (b < high))
    chosen = next_active(f, b, low, high, 0.0, 900)
    assert np.isin(wrong, chosen).all()
    assert np.isin(free, chosen).all()
    assert len(chosen) < 900


@pytest.mark.parametrize("order", ["as it is", "sorted"])
def test_of_many_violators_an_even_part_is_taken(order):
    rng = np.random.default_rng(2)
    f = -rng.exponential(size=20_000)
    f = np.sort(f) if order == "sorted" else f
    zero, one = np.zeros(20_000), np.ones(20_000)
    b = zero.copy()
    b[-1] = 1.0  # something is known already
    chosen = next_active(f, b, zero, one, 0.0, 2000)
    assert len(chosen) == 2000
    parts = np.histogram(chosen, 20, (0, 20_000))[0]
    assert parts.min() > 70  # of 100 where they are even
    assert -f[chosen].mean() < 1.2  # not the worst, of which 1 in 10 has more than 2.3


def test_the_first_set_is_small():
    f, zero = np.where(np.arange(9000) % 3, 1.0, -1.0), np.zeros(9000)
    low, high = np.where(f > 0, -1.0, 0.0), np.where(f > 0, 0.0, 1.0)
    chosen = next_active(f, zero, low, high, 0.0, 4096)
    assert len(chosen) == active_set.MIN_VARIABLES
    assert 0.3 < (f[chosen] > 0).mean() < 0.7  # as many of either side


def test_largest():
    score = np.array([1.0, -inf, 3.0, 3.0, 3.0, 0.5])
    assert sorted(largest(score, 2)) == [2, 3]  # the lowest place on ties
    assert sorted(largest(score, 4)) == [0, 2, 3, 4]
    assert sorted(largest(score, 6)) == [0, 2, 3, 4, 5]
    assert sorted(largest(np.full(4, -inf), 2)) == []
    assert len(largest(score, 0)) == 0

# SPDX-License-Identifier: BSD-3-Clause
"""The ranks of conformal prediction."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from statfast._estimator import RankRule, conformal_ends, rows_needed
from statfast._estimator.conformal_ranks import rank_of
from tests.reference.conformal import bound

LEVELS = st.sampled_from([0.1, 0.5, 0.68, 0.7, 0.8, 0.9, 0.95, 0.99])


@pytest.mark.parametrize(
    ("level", "n", "k"),
    [(0.9, 9, 9), (0.9, 8, 9), (0.7, 9, 7), (0.1, 9, 1), (0.95, 19, 19), (0.29, 99, 29)],
)
def test_ranks_know_no_rounding(level, n, k):
    assert rank_of(level, n) == k


@pytest.mark.parametrize(("level", "n"), [(0.9, 9), (0.95, 19), (0.99, 99), (0.5, 1), (0.7, 3)])
def test_rows_that_a_level_needs(level, n):
    assert rows_needed(level) == n
    assert rank_of(level, n) <= n
    assert rank_of(level, n - 1) > n - 1


@given(st.lists(st.integers(0, 6), min_size=1, max_size=25), LEVELS, st.data())
def test_bounds_are_the_twins(errors, level, data):
    n = len(errors)
    values = np.array(errors, float)
    assert RankRule(level).bound(values.copy(), 2).tolist() == [bound(errors, level)] * 2
    weights = data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    new = np.array(data.draw(st.lists(st.integers(0, 5), min_size=2, max_size=2)), float)
    rule = RankRule(level, np.array(weights, float), new)
    expected = [bound(errors, level, weights, w) for w in new]
    assert_array_equal(rule.bound(values.copy(), 2), expected)
    table = np.array([values, values[::-1]])
    rule = RankRule(level, np.ones(n) * 2.0, np.full(2, 2.0))
    assert_array_equal(rule.bounds_of_rows(table.copy(), slice(0, 2)), [bound(errors, level)] * 2)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=12), LEVELS, st.data())
def test_a_row_twice_is_a_weight_of_two(errors, level, data):
    times = data.draw(st.lists(st.integers(1, 3), min_size=len(errors), max_size=len(errors)))
    repeated = np.repeat(np.array(errors, float), times)
    rule = RankRule(level, np.array(times, float))
    assert rule.bound(np.array(errors, float), 1) == RankRule(level).bound(repeated, 1)


@pytest.mark.parametrize("jobs", [1, 2, 7])
def test_ends_of_points_by_blocks(jobs, monkeypatch):
    monkeypatch.setattr("statfast._estimator.conformal_ranks.VALUES_PER_BLOCK", 60)
    rng = np.random.default_rng(0)
    low = rng.normal(size=(11, 20))
    high = low + rng.exponential(size=(11, 20))
    weights, new = rng.uniform(0.5, 2, 20), rng.uniform(0.5, 2, 11)
    for rule in (RankRule(0.8), RankRule(0.8, weights, new)):
        ends = conformal_ends(lambda w: (low[w].copy(), high[w].copy()), 11, 20, rule, jobs)
        for i in range(11):
            known = () if rule.weights is None else (weights, new[i])
            assert ends[i, 0] == -bound(-low[i], 0.8, *known)
            assert ends[i, 1] == bound(high[i], 0.8, *known)

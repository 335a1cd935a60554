# SPDX-License-Identifier: BSD-3-Clause
"""Bootstrap samples are functions of a key: splitmix64 by its definition, and what it has to be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._core.cart import samples
from statfast.ensemble.forest.bootstrap import counts_as_weights, drawn_counts

BITS = 2**64 - 1


def splitmix(key, number):
    """The number-th value after a key, from 1 on."""
    x = (key + number * 0x9E3779B97F4A7C15) & BITS
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & BITS
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & BITS
    return x ^ (x >> 31)


def counts_by_definition(key, n, size, weight):
    cumulative = np.cumsum(np.ones(n) if weight is None else weight)
    uniform = np.array([(splitmix(key, i + 1) >> 11) / 2**53 for i in range(size)])
    if weight is None:
        rows = (uniform * n).astype(int)
    else:
        rows = np.searchsorted(cumulative, uniform * cumulative[-1], side="right")
    return np.bincount(rows, minlength=n)


@given(st.integers(0, 2**63 - 1), st.integers(1, 40), st.integers(0, 60), st.booleans())
def test_draws_are_those_of_the_definition(key, n, size, weighted):
    weight = np.random.default_rng(n).integers(0, 4, n) + np.eye(n)[0] if weighted else None
    chances = None if weight is None else np.cumsum(weight).astype(np.float64)
    np.testing.assert_array_equal(
        drawn_counts(key, n, size, chances), counts_by_definition(key, n, size, weight)
    )


def test_draws_do_not_depend_on_the_pieces_in_which_they_are_made():
    whole, pieces = np.zeros(100), np.zeros(100)
    assert samples.draw(5, 0, 1000, None, whole) == 1000
    for first in range(0, 1000, 77):
        samples.draw(5, first, min(1000, first + 77), None, pieces)
    np.testing.assert_array_equal(whole, pieces)
    assert samples.draw(5, 0, 1 << 40, None, pieces) < 1 << 40  # a call is short


@pytest.mark.parametrize("n", [7, 1000])
def test_rows_are_drawn_alike(n):
    draws = 400_000
    count = drawn_counts(3, n, draws, None)
    statistic = ((count - draws / n) ** 2 / (draws / n)).sum()  # chi-squared, n - 1 degrees
    assert abs(statistic - (n - 1)) < 5 * np.sqrt(2 * n)


def test_rows_of_a_sample_are_those_with_a_count():
    count = drawn_counts(11, 50, 50, None)
    weights = counts_as_weights(count, 50)
    np.testing.assert_array_equal(weights.rows, np.flatnonzero(count))
    assert weights.total == count.sum() == 50

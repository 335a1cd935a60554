# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of splines and of shares against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statfast._core.preprocessing.shares import shares_below
from statfast._core.preprocessing.splines import (
    CONSTANT,
    CONTINUED,
    LINEAR,
    PERIODIC,
    fill_splines,
    list_splines,
)

from tests.reference.splines import share_below, spline

GRID = st.integers(-6, 6).map(float)


def filled(x, knots, degree, beyond=CONSTANT, count=None, width=None, dtype=np.float64, order="C"):
    x, knots = np.array(x, dtype=float)[:, None], np.array(knots, dtype=float)[None]
    count = knots.shape[1] - degree - 1 if count is None else count
    width = count if width is None else width
    out = np.full((len(x), width), np.nan, dtype=dtype, order=order)
    fill_splines(x, knots, degree, count, width, beyond, np.empty(2 * degree + 2), out)
    return out


def extended(inner, degree):
    """Knots with a distance of 1 beyond those inside."""
    steps = np.arange(1.0, degree + 1.0)
    return np.concatenate([inner[0] - steps[::-1], inner, inner[-1] + steps])


@given(
    st.lists(GRID, min_size=2, max_size=6), st.integers(0, 4),
    st.lists(st.floats(-8, 8), min_size=1, max_size=6), st.sampled_from(["C", "F"]),
)  # fmt: skip
def test_splines_are_those_of_the_definition(inner, degree, x, order):
    inner = np.sort(inner)
    if inner[0] == inner[-1]:
        assert not filled(x, extended(inner, degree), degree, order=order).any()
        return
    knots = extended(inner, degree)
    made = filled(x, knots, degree, order=order)
    for value, row in zip(np.clip(x, inner[0], inner[-1]), made, strict=True):
        wanted = [spline(value, knots, i, degree, inner[-1]) for i in range(made.shape[1])]
        np.testing.assert_allclose(row, wanted, atol=1e-12)
    np.testing.assert_allclose(made.sum(axis=1), 1.0)


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_beyond_the_knots(degree):
    inner = np.array([0.0, 1.0, 2.5, 3.0])
    knots = extended(inner, degree)
    ends, h = np.array([0.0, 3.0]), 1e-6
    at = filled(ends, knots, degree)
    # Straight on, by differences inside; polynomials agree with differences of their own.
    inside = filled(ends + np.array([h, -h]), knots, degree)
    slope = (inside - at) / np.array([[h], [-h]])
    beyond = np.array([-2.0, 4.5])
    wanted = at + (beyond - ends)[:, None] * slope
    np.testing.assert_allclose(filled(beyond, knots, degree, LINEAR), wanted, atol=1e-4)
    for values in (beyond, ends):
        for way in (LINEAR, CONTINUED):
            total = filled(values, knots, degree, way).sum(axis=1)
            np.testing.assert_allclose(total, 1.0, atol=1e-10)
    grid = 3.0 + np.arange(degree + 3) * 0.05 - 0.05 * (degree + 1)
    # Differences of order degree + 1 of a polynomial are 0, on both sides of the last knot.
    rows = filled(grid, knots, degree, CONTINUED)
    np.testing.assert_allclose(np.diff(rows, degree + 1, axis=0), 0.0, atol=1e-9)
    np.testing.assert_array_equal(filled(beyond, knots, degree), at)


@pytest.mark.parametrize("degree", [0, 1, 3])
def test_knots_begin_again(degree):
    inner = np.array([0.0, 1.0, 1.5, 3.0, 4.0])
    before, after = inner[4 - degree : -1] - 4.0, inner[1 : degree + 1] + 4.0
    knots = np.concatenate([before, inner, after])
    x = np.linspace(0.0, 4.0, 21)[:-1]
    made = filled(x, knots, degree, PERIODIC, 4)
    np.testing.assert_allclose(made.sum(axis=1), 1.0)
    for shift in (-8.0, 4.0, 400.0):
        np.testing.assert_allclose(filled(x + shift, knots, degree, PERIODIC, 4), made, atol=1e-9)
    if degree:
        apart = filled([-1e-9, 1e-9], knots, degree, PERIODIC, 4)
        np.testing.assert_allclose(apart[0], apart[1], atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("last", [0, 1])
def test_the_list_holds_what_the_table_holds(dtype, last):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 4, (40, 3))
    X[3, 1] = X[5] = np.nan
    knots = np.array([extended([0.0, 1.0, 1.0, 3.0], 2)] * 3)
    count = knots.shape[1] - 3
    width, work = count - last, np.empty(6)
    table = np.empty((40, 3 * width), dtype=dtype)
    fill_splines(X, knots, 2, count, width, LINEAR, work, table)
    places, values = np.empty((40, 9), dtype=np.int32), np.empty((40, 9), dtype=dtype)
    list_splines(X, knots, 2, count, width, LINEAR, work, places, values)
    again = np.zeros_like(table)
    rows = np.broadcast_to(np.arange(40)[:, None], places.shape)
    kept = places >= 0
    again[rows[kept], places[kept]] = values[kept]
    np.testing.assert_array_equal(again, table)
    assert not table[5].any()


@given(
    st.lists(GRID, min_size=1, max_size=9),
    st.lists(st.one_of(GRID, st.floats(-8, 8)), min_size=1, max_size=8),
)
def test_shares_are_those_of_the_definition(quantiles, x):
    quantiles, x = np.sort(quantiles), np.array(x)
    out = np.empty(len(x))
    shares_below(x, quantiles, out)
    wanted = [share_below(value, quantiles) for value in x]
    np.testing.assert_allclose(out, wanted, rtol=1e-12, atol=1e-15)


def test_shares_of_nothing_and_of_huge_numbers():
    out = np.empty(2)
    shares_below(np.array([np.nan, 1.0]), np.array([0.0, 2.0]), out)
    np.testing.assert_array_equal(out, [np.nan, 0.5])
    shares_below(np.array([1.0, 2.0]), np.full(3, np.nan), out)
    assert np.isnan(out).all()
    shares_below(np.array([0.0, 8e307]), np.array([-1.6e308, 1.6e308]), out)
    np.testing.assert_allclose(out, [0.5, 0.75])

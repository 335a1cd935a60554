# SPDX-License-Identifier: BSD-3-Clause
"""Steps of column sweeps, and merged triangular factors, beside plain numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from statfast._core.linear.column_sweeps import take_off
from statfast._core.linear.triangle_merge import merge_triangles

from tests.reference.column_sweeps import stacked_factor, taken_off

SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=80)
@given(SEEDS, st.integers(0, 9), st.integers(0, 40), st.integers(0, 40), st.booleans())
def test_a_pivot_is_taken_off_all_rows(seed, k, n, m, target_is_first_row):
    draw = np.random.default_rng(seed)
    first, second = draw.standard_normal((k, n)), draw.standard_normal((k, m))
    pivot, beside = draw.standard_normal(n), draw.standard_normal(m)
    targets = draw.standard_normal(n), draw.standard_normal(m)
    size = float(pivot @ pivot) or 1.0
    inputs = first.copy(), second.copy()
    share, sums = np.empty(k), np.empty((4, k))
    if target_is_first_row and k:  # The first row is what products are with, after its own step.
        targets = first[0], second[0]
    take_off(first, second, pivot, beside, size, *targets, share, sums)
    expected = taken_off(*inputs, pivot, beside, size, *targets)
    for got, wanted in zip((first, second, share, sums), expected, strict=True):
        assert_allclose(got, wanted, rtol=1e-10, atol=1e-10)


@settings(max_examples=80)
@given(
    SEEDS, st.integers(1, 40), st.sampled_from([1e-200, 1e-3, 1.0, 1e200]),
    st.sampled_from(["plain", "zero columns", "copies", "nothing below"]),
)  # fmt: skip
def test_merged_triangles_are_the_factor_of_both(seed, q, scale, kind):
    draw = np.random.default_rng(seed)
    upper, lower = (np.triu(draw.standard_normal((q, q))) * scale for _ in range(2))
    if kind == "zero columns":
        upper[:, ::2] = lower[:, ::2] = 0.0
    elif kind == "copies":
        lower = upper.copy()
    elif kind == "nothing below":
        lower[:] = 0.0
    got, used = upper.copy(), lower.copy()
    merge_triangles(got, used, np.empty(q))
    assert_array_equal(np.tril(got, -1), 0.0)
    products = (upper / scale).T @ (upper / scale) + (lower / scale).T @ (lower / scale)
    assert_allclose((got / scale).T @ (got / scale), products, rtol=1e-10, atol=1e-12)
    if kind == "plain":
        signs = np.where(got.diagonal() < 0.0, -1.0, 1.0)
        wanted = stacked_factor(upper / scale, lower / scale)
        assert_allclose(got / scale * signs[:, None], wanted, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("q", [3, 300, 700])
def test_factors_of_fits_merge_as_those_of_lapack(q):
    from statfast.linear.least_squares.triangles import StackedFactor

    draw = np.random.default_rng(q)
    parts = [
        StackedFactor(np.linalg.qr(draw.standard_normal((2 * q, q)), mode="r"), q - 2, 2.0 * q, 0.0)
        for _ in range(2)
    ]
    merged = (parts[0] + parts[1]).R
    expected = stacked_factor(parts[0].R, parts[1].R)
    assert_allclose(merged * np.sign(merged.diagonal())[:, None], expected, atol=1e-11 * q)

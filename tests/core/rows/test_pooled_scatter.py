# SPDX-License-Identifier: BSD-3-Clause
"""Class moments of a block against their twin, around every tile's edge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._core.rows import pooled_scatter as moments
from statfast._core.tile import tiles
from tests.reference import moments as twin

DTYPES = [np.float64, np.float32, np.uint8]
ROWS, COLUMNS = tiles.tile_shape("d")
EDGES = sorted(
    {1, 2, 3}
    | {ROWS + i for i in (-1, 0, 1)}
    | {COLUMNS + i for i in (-1, 0, 1)}
    | {2 * ROWS + i for i in (-1, 0, 1)}
    | {2 * COLUMNS + i for i in (-1, 0, 1)}
)


def totals(n_classes, d):
    return np.zeros(n_classes), np.zeros((n_classes, d)), np.zeros((d, d))


def both(X, codes, weights, shift):
    ours, expected = totals(*shift.shape), totals(*shift.shape)
    moments.class_scatter(X, codes, weights, shift, *ours)
    twin.class_scatter(X, codes, weights, shift, *expected)
    return ours, expected


def whole_numbers(rng, n, d, n_classes, dtype, *, weighted):
    """All sums of these are exact, in any order."""
    X = rng.integers(0, 16, (n, d)).astype(dtype)
    weights = rng.integers(0, 4, n).astype(float) if weighted else None
    shift = rng.integers(-8, 24, (n_classes, d)).astype(float)
    return X, rng.integers(0, n_classes, n), weights, shift


def assert_same(ours, expected):
    for mine, theirs in zip(ours, expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("d", EDGES)
@pytest.mark.parametrize("weighted", [False, True])
def test_at_every_edge_of_a_tile(d, weighted):
    rng = np.random.default_rng(d)
    for n in (1, 2, 15, 40):
        assert_same(*both(*whole_numbers(rng, n, d, 3, np.float64, weighted=weighted)))


@given(
    n=st.integers(0, 60),
    d=st.integers(1, 50),
    n_classes=st.integers(1, 6),
    dtype=st.sampled_from(DTYPES),
    weighted=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_whole_numbers_are_summed_exactly(n, d, n_classes, dtype, weighted, seed):
    rng = np.random.default_rng(seed)
    assert_same(*both(*whole_numbers(rng, n, d, n_classes, dtype, weighted=weighted)))


@pytest.mark.parametrize("d", [1, 5, 130])
@pytest.mark.parametrize("weighted", [False, True])
def test_more_rows_than_are_multiplied_at_once(d, weighted):
    rng = np.random.default_rng(2)
    assert_same(*both(*whole_numbers(rng, 1100, d, 3, np.float32, weighted=weighted)))


@given(
    n=st.integers(1, 60),
    d=st.integers(1, 40),
    dtype=st.sampled_from(DTYPES),
    weighted=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_random_rows(n, d, dtype, weighted, seed):
    rng = np.random.default_rng(seed)
    X = (100 * rng.random((n, d))).astype(dtype)
    weights = rng.random(n) if weighted else None
    shift = X[rng.integers(0, n, 4)] + rng.standard_normal((4, d))
    ours, expected = both(X, rng.integers(0, 4, n), weights, shift)
    scale = np.sqrt(np.diag(expected[2])) + 1e-300
    np.testing.assert_allclose(ours[0], expected[0], rtol=1e-14)
    np.testing.assert_allclose(ours[1], expected[1], rtol=0, atol=1e-11)
    off = abs(ours[2] - expected[2]) / np.outer(scale, scale)
    assert off.max() <= 1e-14 * n


@given(n=st.integers(1, 60), d=st.integers(1, 40), seed=st.integers(0, 2**32 - 1))
def test_no_weights_are_weights_of_one(n, d, seed):
    rng = np.random.default_rng(seed)
    X, codes, shift = rng.random((n, d)), rng.integers(0, 3, n), rng.random((3, d))
    plain, ones = totals(3, d), totals(3, d)
    moments.class_scatter(X, codes, None, shift, *plain)
    moments.class_scatter(X, codes, np.ones(n), shift, *ones)
    assert_same(plain, ones)


def test_blocks_are_added_and_the_upper_half_is_left_alone():
    rng = np.random.default_rng(3)
    X, codes, weights, shift = whole_numbers(rng, 90, 21, 3, np.float64, weighted=True)
    whole, parts = totals(3, 21), totals(3, 21)
    above = np.triu_indices(21, 1)
    parts[2][above] = 7
    moments.class_scatter(X, codes, weights, shift, *whole)
    for some in (slice(0, 1), slice(1, 64), slice(64, 90)):
        moments.class_scatter(X[some], codes[some], weights[some], shift, *parts)
    assert (parts[2][above] == 7).all()
    parts[2][above] = 0
    assert_same(parts, whole)


def test_rows_of_weight_zero_and_classes_without_rows_change_nothing():
    rng = np.random.default_rng(4)
    X, codes, _, shift = whole_numbers(rng, 50, 9, 2, np.float64, weighted=False)
    shift = np.vstack([shift, np.full(9, 1e9)])  # of a class that has no rows
    kept = rng.integers(0, 2, 50).astype(bool)
    some, all_rows = totals(3, 9), totals(3, 9)
    moments.class_scatter(X[kept], codes[kept], None, shift, *some)
    moments.class_scatter(X, codes, kept.astype(float), shift, *all_rows)
    assert_same(some, all_rows)
    assert not some[1][2].any()


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_may_lie_apart_and_be_read_only(dtype):
    rng = np.random.default_rng(5)
    X, codes, weights, shift = whole_numbers(rng, 80, 30, 3, dtype, weighted=True)
    X.setflags(write=False)
    part = X[::-2, 3:20]
    assert_same(*both(part, codes[:40], weights[:40], np.ascontiguousarray(shift[:, :17])))


def test_far_from_the_origin_the_digits_stay():
    rng = np.random.default_rng(6)
    fine = rng.integers(-1000, 1000, (200, 6)) / 1024.0
    X = fine + 2.0**40  # exactly
    ours, near = totals(1, 6), totals(1, 6)
    codes = np.zeros(200, np.intp)
    moments.class_scatter(X, codes, None, np.full((1, 6), 2.0**40), *ours)
    twin.class_scatter(fine, codes, None, np.zeros((1, 6)), *near)
    assert_same(ours, near)

# SPDX-License-Identifier: BSD-3-Clause
"""Kernel and distance matrices against float64 differences, and against no rounding at all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._core.distance import pairwise
from statfast._core.tile import tiles
from tests.reference import pairwise as twin

KINDS = ["product", "squared", "distance", "rbf"]
CANCELED = 1e-8  # of the squared lengths: what lies closer together is summed by differences
UNIT = 2.0**-53
ROWS, COLUMNS = tiles.tile_shape("d")


def matrix(kind, A, B, gamma=0.5, origin=None):
    if origin is None:
        origin = np.zeros(A.shape[1], np.float32)
    out = np.full((len(A), len(B)), np.nan)
    pairwise.matrix(kind, A, B, np.asarray(origin, np.float32), gamma, out)
    return out


def middle(A, B):
    return np.zeros(A.shape[1]) + np.vstack([A, B]).mean(axis=0)


def lengths(A, B, origin):
    """|a|^2 + |b|^2 about the origin, (n, m)."""
    return np.add.outer(*(np.square(X - np.float32(origin)).sum(axis=1) for X in (A, B)))


def assert_within_bounds(A, B, gamma, origin):
    """Every kind, to the error that its file states."""
    d, size = A.shape[1], lengths(A, B, origin)
    d2 = twin.squared(A, B)
    # An error of the scores; below CANCELED * size that of a sum of squares.
    off = np.where(d2 <= 0.99 * CANCELED * size, 2 * (d + 4) * UNIT * d2, (d + 8) * UNIT * size)
    assert (off <= 1.1e-8 * (d + 8) * d2 + 1e-300).all()
    assert (abs(matrix("squared", A, B, origin=origin) - d2) <= off).all()
    distance = np.sqrt(d2)
    limit = off / np.maximum(distance, 1e-300) + 4 * UNIT * distance
    assert (abs(matrix("distance", A, B, origin=origin) - distance) <= limit).all()
    kernel = np.exp(-gamma * d2)
    limit = kernel * np.expm1(2 * gamma * off + 8 * UNIT * (1 + gamma * d2)) + 1e-307
    assert (abs(matrix("rbf", A, B, gamma, origin) - kernel) <= limit).all()


@given(
    n=st.integers(1, 50),
    m=st.integers(1, 50),
    d=st.integers(1, 40),
    far=st.sampled_from([0.0, 1e3, 1e8]),
    near=st.sampled_from([1.0, 1e-3, 1e-6, 1e-9]),
    scale=st.sampled_from([1.0, 1e-100, 1e30]),
    gamma=st.sampled_from([1e-3, 0.5, 20.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_distances_of_any_cloud(n, m, d, far, near, scale, gamma, seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, d)) + far
    B = rng.standard_normal((m, d)) + far
    for j in range(0, m, 2):  # every second one beside a row of A
        B[j] = A[j % n] + near * rng.standard_normal(d)
    A, B = A * scale, B * scale
    origin = np.clip(middle(A, B), -3e38, 3e38)
    assert_within_bounds(A, B, gamma / scale**2, origin)


@given(
    n=st.integers(1, 50), m=st.integers(1, 50), d=st.integers(1, 40), seed=st.integers(0, 2**32 - 1)
)
def test_products(n, m, d, seed):
    rng = np.random.default_rng(seed)
    A, B = rng.standard_normal((n, d)), rng.standard_normal((m, d))
    off = abs(matrix("product", A, B) - A @ B.T)
    assert (off <= 2 * (d + 2) * UNIT * (abs(A) @ abs(B).T)).all()


@given(
    kind=st.sampled_from(KINDS),
    n=st.integers(1, 60),
    m=st.integers(1, 60),
    d=st.integers(1, 30),
    seed=st.integers(0, 2**32 - 1),
)
def test_whole_numbers_are_exact(kind, n, m, d, seed):
    rng = np.random.default_rng(seed)
    A, B = (rng.integers(-4, 5, (rows, d)).astype(float) for rows in (n, m))
    expected = twin.matrix(kind, A, B, 0.5)
    found = matrix(kind, A, B)
    if kind == "rbf":
        np.testing.assert_allclose(found, expected, rtol=5e-16, atol=0)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_at_every_edge_of_a_tile(kind):
    rng = np.random.default_rng(1)
    for n in (1, ROWS - 1, ROWS, ROWS + 1, 3 * ROWS + 1):
        for m in (1, COLUMNS - 1, COLUMNS, COLUMNS + 1, 2 * COLUMNS + 3):
            A, B = (rng.integers(-4, 5, (rows, 3)).astype(float) for rows in (n, m))
            np.testing.assert_allclose(matrix(kind, A, B), twin.matrix(kind, A, B, 0.5), rtol=5e-16)


@pytest.mark.parametrize("kind", ["product", "squared"])
def test_more_rows_than_a_cacheful(kind):
    rng = np.random.default_rng(2)
    A, B = (rng.integers(-4, 5, (rows, 600)).astype(float) for rows in (150, 20))
    np.testing.assert_array_equal(matrix(kind, A, B), twin.matrix(kind, A, B, 0.5))


@pytest.mark.parametrize("offset", [0.0, 1e8, -1e12])
@pytest.mark.parametrize("fitting", [True, False])
def test_a_duplicate_is_at_distance_zero(offset, fitting):
    rng = np.random.default_rng(3)
    A = rng.standard_normal((70, 9)) + offset
    B = A[rng.permutation(70)[:33]]
    same = (A[:, None] == B).all(axis=2)
    assert same.sum() >= 33
    origin = middle(A, B) if fitting else None
    for kind, at in (("squared", 0), ("distance", 0), ("rbf", 1)):
        found = matrix(kind, A, B, origin=origin)
        assert (found[same] == at).all()
        assert (found[~same] != at).any()
    assert not matrix("squared", A, A, origin=origin).diagonal().any()


@pytest.mark.parametrize("offset", [2.0**30, -(2.0**40)])
def test_far_from_the_origin_a_fitting_one_saves_the_digits(offset):
    rng = np.random.default_rng(4)
    A, B = (rng.integers(-500, 500, (rows, 6)) / 1024 for rows in (40, 50))
    found = matrix("squared", A + offset, B + offset, origin=np.full(6, offset))
    np.testing.assert_array_equal(found, twin.squared(A, B))
    without = matrix("squared", A + offset, B + offset)
    np.testing.assert_array_equal(without, twin.squared(A, B))  # all cancels, all is mended


@pytest.mark.parametrize("d", [1, 3, 17])
def test_the_error_against_no_rounding(d):
    rng = np.random.default_rng(d)
    A = rng.standard_normal((6, d)) + 3
    away = 10.0 ** rng.uniform(-12, 0, (24, 1)) * rng.standard_normal((24, d))
    B = np.repeat(A, 4, axis=0) + away
    exact = twin.exactly_squared(A, B)
    off = twin.relative_error(matrix("squared", A, B), exact)
    assert off.max() <= 1.1e-8 * (d + 8)
    limit = CANCELED * 0.99 * lengths(A, B, np.zeros(d))
    mended = twin.squared(A, B) <= limit
    assert mended.any()
    assert off[mended].max() <= (d + 4) * UNIT
    assert off[~mended].max() > 2 * UNIT  # or the whole matrix was made by differences


@pytest.mark.parametrize("gamma", [0.0, 1e-300, 1e300])
def test_rbf_of_an_extreme_gamma(gamma):
    A = np.arange(40.0)[:, None] * np.ones(3)
    np.testing.assert_array_equal(matrix("rbf", A, A, gamma), np.eye(40) if gamma > 1 else 1)


def test_an_unknown_kind_is_a_key_error_and_read_only_rows_are_read():
    A = np.ones((3, 2))
    A.setflags(write=False)
    np.testing.assert_array_equal(matrix("product", A, A), 2)
    with pytest.raises(KeyError):
        matrix("cosine", A, A)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("block", [(0, 1, 1, 2), (0, 5, 5, 70), (3, 20, 20, 37), (9, 9, 10, 70)])
def test_mirrored_blocks(dtype, block):
    """A block comes to the other side of the diagonal, and nothing else changes."""
    top, bottom, first, last = block
    rows = np.random.default_rng(0).standard_normal((70, 80)).astype(dtype)
    want = rows.copy()
    want[first:last, top:bottom] = want[top:bottom, first:last].T
    pairwise.mirror(rows[:, :70], top, bottom, first, last)
    np.testing.assert_array_equal(rows, want)

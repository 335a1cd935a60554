# SPDX-License-Identifier: BSD-3-Clause
"""Linear scores, posteriors and the best class against their twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._core.generative import linear_scores
from statfast._core.tile import tiles
from tests.reference import moments as twin

DTYPES = [np.float64, np.float32, np.uint8]
REALS = [np.float64, np.float32]
ROWS, COLUMNS = tiles.tile_shape("d")

shapes = {
    "n": st.integers(1, 40),
    "d": st.integers(1, 40),
    "classes": st.integers(2, 40),
    "dtype": st.sampled_from(DTYPES),
    "real": st.sampled_from(REALS),
    "seed": st.integers(0, 2**32 - 1),
}


def problem(n, d, classes, dtype, seed, size=1.0):
    rng = np.random.default_rng(seed)
    if dtype == np.uint8:
        X = rng.integers(0, 256, (n, d)).astype(dtype)
        size /= 100
    else:
        X = rng.standard_normal((n, d)).astype(dtype)
    coef = size * rng.standard_normal((classes, d)) / np.sqrt(d)
    return X, coef, size * rng.standard_normal(classes)


def whole_numbers(n, d, classes, dtype, seed):
    """Scores of these are exact, with many ties."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, d)).astype(dtype)
    coef = rng.integers(-2, 3, (classes, d)).astype(float)
    coef[rng.integers(0, classes, classes // 2)] = coef[0]
    return X, coef, rng.integers(0, 2, classes).astype(float)


def both(kernel, X, coef, intercept, real):
    ours = np.full((len(X), len(coef)), np.nan, real)
    expected = np.empty((len(X), len(coef)))
    getattr(linear_scores, kernel)(X, coef, intercept, ours)
    getattr(twin, kernel)(X, coef, intercept, expected)
    return ours, expected


@given(**shapes)
def test_scores(n, d, classes, dtype, real, seed):
    X, coef, intercept = problem(n, d, classes, dtype, seed)
    ours, expected = both("scores", X, coef, intercept, real)
    size = abs(X.astype(np.float64)) @ abs(coef).T + abs(intercept)
    unit = 2.0**-53 if real == np.float64 else 2.0**-24
    assert (abs(ours - expected) <= 2 * (d + 3) * 2.0**-53 * size + unit * abs(expected)).all()


@given(**shapes, size=st.sampled_from([1.0, 30.0]))
def test_softmax(n, d, classes, dtype, real, seed, size):
    X, coef, intercept = problem(n, d, classes, dtype, seed, size)
    ours, expected = both("softmax", X, coef, intercept, real)
    rtol = 1e-11 if real == np.float64 else 1e-6
    np.testing.assert_allclose(ours, expected, rtol=rtol, atol=1e-300 if rtol < 1e-9 else 1e-38)
    np.testing.assert_allclose(ours.sum(axis=1, dtype=np.float64), 1, rtol=rtol)


@given(**shapes)
def test_ties_go_to_the_lowest_class(n, d, classes, dtype, real, seed):
    X, coef, intercept = whole_numbers(n, d, classes, dtype, seed)
    ours, expected = both("scores", X, coef, intercept, real)
    np.testing.assert_array_equal(ours, expected)
    best = np.full(n, -1, np.intp)
    linear_scores.argmax(X, coef, intercept, best)
    np.testing.assert_array_equal(best, expected.argmax(axis=1))
    share, _ = both("softmax", X, coef, intercept, real)
    for row, score in zip(share, expected, strict=True):
        np.testing.assert_array_equal(row == row.max(), score == score.max())


@pytest.mark.parametrize("classes", sorted({1, 2, ROWS - 1, ROWS, ROWS + 1, 2 * ROWS, 40}))
def test_at_every_edge_of_a_tile(classes):
    for n in sorted({1, 4, 5, COLUMNS - 1, COLUMNS, COLUMNS + 1, 2 * COLUMNS + 1}):
        X, coef, intercept = whole_numbers(n, 3, classes, np.float64, n * classes)
        np.testing.assert_array_equal(*both("scores", X, coef, intercept, np.float64))
        best, expected = np.empty((2, n), np.intp)
        linear_scores.argmax(X, coef, intercept, best)
        twin.argmax(X, coef, intercept, expected)
        np.testing.assert_array_equal(best, expected)


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("n", [1, 3, 4, 5, 40])
def test_extreme_scores(n, real):
    rng = np.random.default_rng(n)
    coef = rng.permutation(np.array([1.0, 0.9, 0, -0.5, -1]))[:, None]
    X = np.where(rng.random((n, 1)) < 0.5, 1e4, -1e4)
    intercept = np.zeros(5)
    share, expected = both("softmax", X, coef, intercept, real)
    np.testing.assert_array_equal(share, expected.astype(real))
    assert sorted(set(share.ravel())) == [0, 1]
    best = np.empty(n, np.intp)
    linear_scores.argmax(X, coef, intercept, best)
    np.testing.assert_array_equal(best, share.argmax(axis=1))


def test_a_common_score_changes_no_posterior():
    X = np.arange(40.0)[:, None]
    coef = np.array([[0.0], [0.25], [-0.5]])
    for far in (2.0**20, -(2.0**20)):
        near, moved = np.empty((2, 40, 3))
        linear_scores.softmax(X, coef, np.zeros(3), near)
        linear_scores.softmax(X, coef, np.full(3, far), moved)
        np.testing.assert_array_equal(near, moved)


def test_a_class_of_prior_zero_gets_nothing():
    X, coef, intercept = problem(20, 4, 6, np.float64, 1)
    intercept[2] = -np.inf
    share, _ = both("softmax", X, coef, intercept, np.float64)
    assert not share[:, 2].any()
    np.testing.assert_allclose(share.sum(axis=1), 1, rtol=1e-14)
    for some in (X, X[:1]):
        best = np.empty(len(some), np.intp)
        linear_scores.argmax(some, coef, intercept, best)
        np.testing.assert_array_equal(best, share[: len(some)].argmax(axis=1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_may_lie_apart_and_be_read_only(dtype):
    X, coef, intercept = whole_numbers(80, 20, 5, dtype, 2)
    X.setflags(write=False)
    part, coef = X[::-2, 3:10], np.ascontiguousarray(coef[:, :7])
    np.testing.assert_array_equal(*both("scores", part, coef, intercept, np.float64))
    best, expected = np.empty((2, 40), np.intp)
    linear_scores.argmax(part, coef, intercept, best)
    twin.argmax(part, coef, intercept, expected)
    np.testing.assert_array_equal(best, expected)

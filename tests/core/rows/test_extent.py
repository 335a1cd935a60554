# SPDX-License-Identifier: BSD-3-Clause
"""The first look at the rows: finite or not wherever the offender hides, sums and extremes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._core.rows import extent as kernel

REALS = [np.float32, np.float64]
DTYPES = [*REALS, np.uint8]
OFFENDERS = [np.nan, -np.nan, np.inf, -np.inf]


def plain(n, d, dtype):
    return np.zeros((n, d), dtype)


VIEWS = {
    "plain": plain,
    "fortran": lambda n, d, dtype: np.zeros((n, d), dtype, order="F"),
    "some columns": lambda n, d, dtype: np.zeros((n, d + 5), dtype)[:, 2 : d + 2],
    "every second row": lambda n, d, dtype: np.zeros((2 * n, d), dtype)[::2],
    "every third column": lambda n, d, dtype: np.zeros((n, 3 * d), dtype)[:, ::3],
    "backwards": lambda n, d, dtype: np.zeros((n, d), dtype)[::-1],
    "columns backwards": lambda n, d, dtype: np.zeros((n, d), dtype)[:, ::-1],
    "both": lambda n, d, dtype: np.zeros((d, 2 * n), dtype).T[::-2, ::-1],
    "cube": lambda n, d, dtype: np.zeros((n, 3, d), dtype)[:, 1],
    "cube's depth": lambda n, d, dtype: np.zeros((n, d, 3), dtype)[..., 1],
}


@st.composite
def view(draw):
    """A view of large numbers inside an array of NaN, which must not be looked at."""
    n, d = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    dtype = draw(st.sampled_from(REALS))
    X = VIEWS[draw(st.sampled_from(sorted(VIEWS)))](n, d, dtype)
    whole = X
    while whole.base is not None:
        whole = whole.base
    whole.fill(np.nan)
    X[:] = draw(st.sampled_from([0.0, -0.0, -3.5, np.finfo(dtype).max, np.finfo(dtype).tiny]))
    return X, (draw(st.integers(0, n - 1)), draw(st.integers(0, d - 1)))


@given(problem=view(), offender=st.sampled_from(OFFENDERS))
def test_one_offender_anywhere_is_seen(problem, offender):
    X, where = problem
    assert kernel.all_finite(X)
    X[where] = offender
    assert not kernel.all_finite(X)


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("name", VIEWS)
def test_every_place_is_looked_at(name, dtype):
    for n, d in [(1, 1), (1, 35), (35, 1), (3, 16), (2, 33), (17, 5)]:
        X = VIEWS[name](n, d, dtype)
        for i in range(n):
            for p in range(d):
                X[i, p] = OFFENDERS[(i + p) % 4]
                assert not kernel.all_finite(X)
                X[i, p] = 0
        assert kernel.all_finite(X)


@pytest.mark.parametrize("dtype", REALS)
def test_opposite_infinities_do_not_cancel(dtype):
    for d in (2, 16, 32, 33):
        X = np.full((4, d), np.inf, dtype)
        X[::2] *= -1
        assert not kernel.all_finite(X)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_nothing_is_finite(shape, dtype):
    assert kernel.all_finite(np.empty(shape, dtype))


@pytest.mark.parametrize("name", VIEWS)
def test_bytes_are_finite(name):
    X = VIEWS[name](5, 40, np.uint8)
    X[:] = 255
    assert kernel.all_finite(X)


def test_a_repeated_row_and_read_only_memory():
    row = np.arange(20.0)
    X = np.broadcast_to(row, (50, 20))
    assert kernel.all_finite(X)
    row[19] = np.inf
    assert not kernel.all_finite(X)
    assert not kernel.all_finite(X.T)


def start(d):
    return np.zeros(d), np.full(d, np.inf), np.full(d, -np.inf)


@given(
    n=st.integers(1, 60),
    d=st.integers(1, 40),
    dtype=st.sampled_from(DTYPES),
    step=st.integers(-3, 3).filter(bool),
    wider=st.integers(0, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_extent_is_the_twin(n, d, dtype, step, wider, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 256, (n * abs(step), d + wider)).astype(dtype)[::step, :d]
    X.setflags(write=False)
    total, low, high = start(d)
    kernel.extent(X, total, low, high)
    np.testing.assert_array_equal(total, X.sum(axis=0, dtype=np.float64))
    np.testing.assert_array_equal(low, X.min(axis=0))
    np.testing.assert_array_equal(high, X.max(axis=0))


@given(n=st.integers(0, 60), cut=st.integers(0, 60), seed=st.integers(0, 2**32 - 1))
def test_extent_of_blocks_is_that_of_the_whole(n, cut, seed):
    X = np.random.default_rng(seed).standard_normal((n, 7)) + 1e3
    whole, parts = start(7), start(7)
    kernel.extent(X, *whole)
    kernel.extent(X[:cut], *parts)
    kernel.extent(X[cut:], *parts)
    np.testing.assert_array_equal(whole, parts)


def test_sums_of_float32_are_double():
    X = np.full((1 << 15, 2), 16777217 / 2**24, np.float32)
    X[0] = 2**20
    total, low, high = start(2)
    kernel.extent(X, total, low, high)
    np.testing.assert_array_equal(total, X.astype(np.float64).sum(axis=0))
    assert low[0] == X[1, 0]
    assert high[0] == 2**20


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("offender", OFFENDERS)
def test_a_non_finite_number_leaves_a_non_finite_sum(dtype, offender):
    for row in range(5):
        X = np.ones((5, 3), dtype)
        X[row, 1] = offender
        X[4 - row, 1] = -offender
        found = start(3)
        kernel.extent(X, *found)
        assert np.isfinite(found[0]).tolist() == [True, False, True]


@pytest.mark.parametrize("n", [1, 7, 8, 9, 40])
def test_ones_are_counted_where_there_are_zeros_besides_alone(n):
    y = (np.random.default_rng(n).random(n) < 0.4).astype(float)
    assert kernel.zeros_and_ones(y) == y.sum()
    for i in range(n):
        for other in (0.5, 2.0, -1.0, np.nan, np.inf):
            assert kernel.zeros_and_ones(np.where(np.arange(n) == i, other, y)) == -1

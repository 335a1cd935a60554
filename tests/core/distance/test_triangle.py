# SPDX-License-Identifier: BSD-3-Clause
"""Nearest neighbors and the extent of a triangle against definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import squareform

from statfast._core.distance import triangle


def addresses(y, m):
    """Where the rows of a triangle lie."""
    starts = np.concatenate([[0], np.cumsum(np.arange(m - 1, 0, -1))])
    return (y.ctypes.data + starts * y.itemsize).astype(np.intp)


def first_least(values):
    """The least and its first place; infinity and -1 of nothing."""
    return (values.min(), values.argmin()) if len(values) else (np.inf, -1)


@given(
    m=st.integers(2, 220),
    levels=st.integers(1, 40),
    seed=st.integers(0, 2**32 - 1),
    part=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_the_nearest_are_the_lowest_of_equals(m, levels, seed, part, dtype):
    y = np.random.default_rng(seed).integers(0, levels, m * (m - 1) // 2).astype(dtype)
    begin, end = sorted(int(share * m) for share in part)
    low, right_low = np.full(m, np.inf, dtype), np.full(m, np.inf, dtype)
    who, right_who = np.full(m, -1, np.int32), np.full(m, -1, np.int32)
    triangle.neighbors(addresses(y, m), begin, end, low, who, right_low, right_who)
    D = squareform(y)
    for r in range(begin, end):
        least, at = first_least(D[r, r + 1 :])
        assert (right_low[r], right_who[r]) == (least, at if at < 0 else r + 1 + at)
    for c in range(m):
        least, at = first_least(D[begin : min(end, c), c])
        assert (low[c], who[c]) == (least, at if at < 0 else begin + at)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [*range(1, 40), 63, 64, 65, 127, 200])
def test_extent(n, dtype):
    rng = np.random.default_rng(n)
    for at in range(n):
        x = rng.normal(size=n).astype(dtype)
        x[at] = 9 if at % 2 else -9
        assert triangle.extent(x) == (x.min(), x.max(), True)
        x[at] = (np.nan, np.inf, -np.inf)[at % 3]
        assert not triangle.extent(x)[2]

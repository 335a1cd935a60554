# SPDX-License-Identifier: BSD-3-Clause
"""The k-th smallest number of each row beside a sort."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from statfast._core.order.selection import kth_of_rows


def select(values, k):
    out, found = np.full(len(values), np.nan), np.empty(len(values), dtype=np.uint8)
    kth_of_rows(values, k, np.empty(values.shape[1]), out, found)
    return out, found.astype(bool)


@settings(max_examples=150)
@given(
    st.integers(0, 2**32 - 1), st.integers(1, 5000), st.floats(0.0, 1.0),
    st.sampled_from(["normal", "ties", "constant", "infinite", "far"]),
)  # fmt: skip
def test_what_is_found_is_the_kth(seed, n, share, kind):
    draw = np.random.default_rng(seed)
    values = draw.standard_normal((3, n))
    if kind == "ties":
        values = np.round(values)
    elif kind == "constant":
        values[:] = 2.0
    elif kind == "infinite":
        values[draw.random((3, n)) < 0.3] = np.inf
        values[draw.random((3, n)) < 0.1] = -np.inf
    elif kind == "far":
        values = np.exp(40.0 * values)
    k = min(int(share * n), n - 1)
    out, found = select(values, k)
    assert_array_equal(out[found], np.sort(values, axis=1)[found, k])
    assert found.all() or n > 1024  # No bracket is guessed of short rows.


def test_brackets_hold_mostly():
    values = np.random.default_rng(0).standard_normal((200, 20_000))
    out, found = select(values, 17_999)
    assert found.mean() > 0.9
    assert_array_equal(out[found], np.sort(values, axis=1)[found, 17_999])


@pytest.mark.parametrize("order", ["rising", "falling", "sample is low"])
def test_rows_in_order(order):
    values = np.arange(10_000.0)[None]
    if order == "falling":
        values = np.ascontiguousarray(values[:, ::-1])
    elif order == "sample is low":
        values[0, :: 10_000 // 1024] -= 1e6
    for k in (0, 4_999, 9_999):
        out, found = select(values, k)
        assert_array_equal(out[found], np.sort(values, axis=1)[found, k])


def test_nan_is_left_to_the_caller_or_does_not_matter():
    values = np.random.default_rng(0).standard_normal((4, 3000))
    values[:, ::2] = np.nan
    out, found = select(values, 100)
    assert_array_equal(out[found], np.sort(values, axis=1)[found, 100])
    assert not select(values, 2000)[1].any()
    assert not select(np.full((1, 5), np.nan), 2)[1].any()

# SPDX-License-Identifier: BSD-3-Clause
"""The kernel of the machine of all classes together, beside plain numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from statfast._core.svm import class_descent as kernel
from tests.reference import linear_svm as twin


def dual_of(X, kind, codes, cost, square, n_classes, constant):
    """The kernel's dual with all room in the class of the row, and its arrays."""
    n, d = X.shape
    lanes = -(-n_classes // 8) * 8
    room, v = np.zeros((n, lanes)), np.zeros((1 + d, lanes))
    room[np.arange(n), codes] = cost
    v[0, n_classes:] = -np.inf
    csr = sparse.csr_array(X.astype(float))
    parts = csr.indptr.astype(np.intp), csr.indices.astype(np.int32), csr.data
    view = {
        "f64": (X, None, None, None, None),
        "f32": (None, X, None, None, None),
        "strided": (np.repeat(X, 2, axis=0)[::2], None, None, None, None),
        "sparse": (None, None, *parts),
    }[kind]
    arrays = *view, constant, codes, cost, square, room, v, np.empty(d + lanes)
    return kernel.ClassDual(*arrays), room, v


def problem(seed, n, d, n_classes, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(dtype)
    X[rng.random((n, d)) < 0.3] = 0.0
    return X, rng.integers(n_classes, size=n).astype(np.int32), rng.uniform(0.1, 2.0, n)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40), d=st.integers(1, 20),
    n_classes=st.integers(2, 27), kind=st.sampled_from(["f64", "f32", "strided", "sparse"]),
    constant=st.sampled_from([1.0, 4.0]), slack=st.sampled_from([1e-6, 0.5]),
)  # fmt: skip
def test_sweeps_are_the_twins(seed, n, d, n_classes, kind, constant, slack):
    X, codes, cost = problem(seed, n, d, n_classes, np.float32 if kind == "f32" else np.float64)
    square = (X.astype(float) ** 2).sum(axis=1) + constant
    dual, room, v = dual_of(X, kind, codes, cost, square, n_classes, constant)
    order = np.random.default_rng(seed).permutation(n).astype(np.int32)
    want_room, want_v = room[:, :n_classes].copy(), v[:, :n_classes].copy()
    for _ in range(3):
        kept, largest = twin.class_sweep(X, codes, cost, constant, slack, want_room, want_v, order)
        count, violation, middle = 0, 0.0, len(order) // 2
        for begin, end in ((0, middle), (middle, len(order))):
            count, violation = kernel.sweep(dual, order, begin, end, count, slack, violation)
        assert_allclose(room[:, :n_classes], want_room, rtol=1e-8, atol=1e-9)
        assert_allclose(v[:, :n_classes], want_v, rtol=1e-8, atol=1e-9)
        assert (room[:, n_classes:] == 0.0).all()
        assert_allclose(room.sum(axis=1), cost)
        if any(((r > 0.0) & (r < 1e-9)).any() for r in (room, want_room)):
            break  # Rounding decides which multipliers are at their bounds.
        assert violation == pytest.approx(largest, abs=1e-9)
        assert order[:count].tolist() == kept
        order = order[:count].copy()
        if not count:
            break


def test_many_sweeps_come_to_the_lowest_point():
    X, codes, cost = problem(0, 50, 4, 5)
    square = (X**2).sum(axis=1) + 1.0
    dual, room, v = dual_of(X, "f64", codes, cost, square, 5, 1.0)
    while True:
        order = np.arange(50, dtype=np.int32)
        _, violation, n_visits = kernel.sweeps(dual, order, 50, 7, 1e-9, 10**7)
        assert violation <= 1e-9
        assert n_visits >= 50
        if n_visits == 50:
            break
    want_room, want_v = room[:, :5].copy(), v[:, :5].copy()
    _, largest = twin.class_sweep(X, codes, cost, 1.0, 0.0, want_room, want_v, range(50))
    assert largest <= 1e-8
    alpha = cost[:, None] * (codes[:, None] == np.arange(5)) - room[:, :5]
    assert_allclose(v[:, :5], np.vstack([alpha.sum(axis=0), X.T @ alpha]), atol=1e-10)


def test_visits_end_the_sweeps():
    X, codes, cost = problem(1, 30, 3, 4)
    dual, _, _ = dual_of(X, "f64", codes, cost, (X**2).sum(axis=1) + 1.0, 4, 1.0)
    order = np.arange(30, dtype=np.int32)
    count, _, n_visits = kernel.sweeps(dual, order, 30, 3, 0.0, 31)
    assert 31 <= n_visits <= 60
    assert sorted(set(order[:count])) == sorted(order[:count])

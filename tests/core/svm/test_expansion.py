# SPDX-License-Identifier: BSD-3-Clause
"""Sums of kernel values that are never stored, against the matrix."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast._engine import blocks
from statfast.kernels import RBF, Laplacian, Linear, Polynomial, Sigmoid
from statfast.svm.machines.expansion import Expansion

KERNELS = {
    "rbf": RBF(0.3),
    "no decay": RBF(0.0),
    "poly": Polynomial(3, 0.2, 1.0),
    "sigmoid": Sigmoid(0.1, -0.2),
    "laplacian": Laplacian(0.4),
    "sum": RBF(0.3) + 0.5 * Linear(),
}


def expansion(kernel, vectors, coef, cuts):
    parts = tuple(slice(a, b) for a, b in pairwise(cuts))
    return Expansion(kernel, vectors, np.arange(len(vectors)), parts, coef)


def check(kernel, rows, vectors, coef, cuts):
    found = expansion(kernel, vectors, coef, cuts).values(rows)
    K = kernel.matrix(rows, vectors)
    for part, (a, b) in zip(found, pairwise(cuts), strict=True):
        want = K[:, a:b] @ coef[:, a:b].T
        size = np.abs(K[:, a:b]) @ np.abs(coef[:, a:b]).T
        assert np.abs(part - want).max(initial=0) <= 1e-13 * max(1.0, size.max(initial=0))


@given(
    n=st.integers(1, 40),
    m=st.integers(1, 700),
    d=st.integers(1, 20),
    sums=st.integers(1, 16),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=20)
@pytest.mark.parametrize("name", KERNELS)
def test_sums_are_those_of_the_matrix(name, n, m, d, sums, seed):
    rng = np.random.default_rng(seed)
    rows, vectors = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    cuts = [0, *sorted(rng.integers(0, m + 1, 2)), m]
    check(KERNELS[name], rows, vectors, rng.normal(size=(sums, m)), cuts)


def test_far_from_the_origin_and_much_decay():
    rng = np.random.default_rng(0)
    vectors = 1e6 + rng.normal(size=(200, 3))
    rows = vectors[:50] + 1e-4 * rng.normal(size=(50, 3))
    check(RBF(1e6), rows, vectors, rng.normal(size=(1, 200)), [0, 200])


def test_rows_of_huge_numbers_have_no_neighbors():
    rng = np.random.default_rng(0)
    rows = np.array([[1e200, 0.0], [0.0, 0.0]])
    vectors = rng.normal(size=(9, 2))
    found = expansion(RBF(1.0), vectors, np.ones((1, 9)), [0, 9]).values(rows)[0]
    assert found[0, 0] == 0.0
    np.testing.assert_allclose(found[1, 0], np.exp(-(vectors**2).sum(axis=1)).sum(), rtol=1e-13)


def test_same_bits_for_any_number_of_rows_and_threads(monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    rng = np.random.default_rng(1)
    rows, vectors = rng.normal(size=(3000, 7)), rng.normal(size=(900, 7))
    for kernel in KERNELS.values():
        machine = expansion(kernel, vectors, rng.normal(size=(2, 900)), [0, 400, 900])
        first = machine.values(rows, 1)
        for other in (machine.values(rows, 2), machine.values(rows, 7)):
            assert all(a.tobytes() == b.tobytes() for a, b in zip(first, other, strict=True))
        for i in (0, 17, 2999):
            one = machine.values(rows[i : i + 1])
            assert all(a[i].tobytes() == b[0].tobytes() for a, b in zip(first, one, strict=True))

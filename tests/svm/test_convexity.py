# SPDX-License-Identifier: BSD-3-Clause
"""Kernels that are none: machines warn, and no others do."""

import re
import warnings

import numpy as np
import pytest

from statfast.kernels import RBF, FunctionKernel, Polynomial, Precomputed, Sigmoid
from statfast.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from statfast.svm.dual.convexity import MAX_POINTS, choose_points, warn_if_indefinite
from statfast.svm.machines.training import TrainingPoints

WORDS = "is not positive semi-definite on X: without its means, the matrix between"
NONE = np.empty(0, np.intp)
X = np.random.default_rng(0).normal(size=(40, 3))
y = np.arange(40) % 2
INDEFINITE = Sigmoid(1.0, -1.0)


def points(K):
    return TrainingPoints(K, Precomputed(), None, len(K))


def centered(K):
    H = np.eye(len(K)) - 1 / len(K)
    return np.linalg.eigvalsh(H @ K @ H)


@pytest.mark.parametrize("cls", [SVC, NuSVC, SVR, NuSVR, OneClassSVM], ids=lambda c: c.__name__)
def test_machines_warn_of_an_indefinite_kernel(cls):
    K = RBF(0.5).matrix(X)
    K[:2, :2] += [[0.0, 1.5], [1.5, 0.0]]
    low, high = centered(K)[[0, -1]]
    ends = f"from {low:.3g} to {high:.3g}"
    words = f"{cls.__name__}: .*{WORDS} 40 of the rows has eigenvalues {ends}"
    with pytest.warns(UserWarning, match=words):
        cls(kernel="precomputed", max_iter=500).fit(K, X[:, 0] > 0)


def test_of_every_kernel_that_may_be_indefinite():
    given = {"kernel": "sigmoid", "gamma": 1.0, "coef0": -1.0}
    with pytest.warns(UserWarning, match=f"SVC: Sigmoid.*{WORDS}.*Choose another kernel"):
        SVC(**given, max_iter=500).fit(X, y)
    for kernel in (INDEFINITE, FunctionKernel(INDEFINITE.matrix), Polynomial(3, 1.0, -2.0)):
        with pytest.warns(UserWarning, match=WORDS):
            SVC(kernel=kernel, max_iter=500).fit(X, y)


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_matrices_of_every_scale(scale):
    K = INDEFINITE.matrix(X) * scale
    low, high = centered(K / scale)[[0, -1]] * scale
    words = re.escape(f"eigenvalues from {low:.3g} to {high:.3g}.")
    with pytest.warns(UserWarning, match=words):
        warn_if_indefinite("SVC", points(K), NONE)


def test_support_vectors_are_looked_at_first_and_all_rows_of_few():
    n = 8 * MAX_POINTS
    K = np.eye(n)
    K[0, 5] = K[5, 0] = 3.0  # seen only where both are
    with pytest.warns(UserWarning, match=f"{WORDS} {MAX_POINTS} of"):
        warn_if_indefinite("SVC", points(K), np.array([0, 5]))
    with pytest.warns(UserWarning, match=f"{WORDS} {MAX_POINTS} of"):
        warn_if_indefinite("SVC", points(K[:MAX_POINTS, :MAX_POINTS]), NONE)
    with pytest.warns(UserWarning, match=f"{WORDS} {MAX_POINTS} of"):
        warn_if_indefinite("SVC", points(INDEFINITE.matrix(np.resize(X, (n, 3)))), np.arange(n))


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_rounding_and_means_do_not_warn(scale):
    rows = np.random.default_rng(1).normal(size=(2 * MAX_POINTS, 3))
    squares = ((rows[:, None] - rows) ** 2).sum(axis=2)
    for K in (
        rows @ rows.T,  # singular
        (rows + 100) @ (rows + 100).T,
        np.exp(-0.01 * squares),  # nearly
        np.exp(-squares) - 0.7,  # conditionally definite, which is enough
        -squares,
        np.ones_like(squares),
        np.eye(len(rows)),
        0.0 * squares,
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warn_if_indefinite("SVC", points((scale * K).astype(np.float32)), NONE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kernel in (RBF(1.0), Polynomial(3, 1.0, 1.0), FunctionKernel(RBF(1.0).matrix)):
            SVC(kernel=kernel).fit(X, y)


@pytest.mark.parametrize("n", [3, MAX_POINTS, MAX_POINTS + 1, 5 * MAX_POINTS])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.9, 1.0])
def test_support_vectors_are_chosen_first_and_no_more_than_some(n, share):
    support = np.random.default_rng(n).permutation(n)[: int(share * n)]
    chosen = choose_points(n, support)
    assert len(chosen) == min(n, MAX_POINTS)
    assert (np.diff(chosen) > 0).all()
    assert np.isin(chosen, support).sum() == min(len(support), MAX_POINTS)

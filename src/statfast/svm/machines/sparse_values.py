# SPDX-License-Identifier: BSD-3-Clause
"""Kernel values of sparse rows, from their inner products, and the matrix of training rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array, Matrix
from statfast._validation import refuse_large, shown
from statfast.kernels import RBF, Linear, Polynomial, Sigmoid

VALUES_OF_BLOCK = 1 << 22  # Kernel values made at a time.
NAMES = ("linear", "poly", "rbf", "sigmoid")
TYPES = (Linear, Polynomial, RBF, Sigmoid)


def serves_sparse(kernel: Any) -> bool:
    """Whether the kernel of a parameter is a function of inner products."""
    return kernel in NAMES if isinstance(kernel, str) else type(kernel) in TYPES


def require_sparse(kernel: Any) -> None:
    """Refuse a kernel that sparse rows do not have."""
    if not serves_sparse(kernel):
        raise TypeError(
            f"X must be an array for kernel={shown(kernel)}; got a sparse matrix, of which there "
            "are 'linear', 'poly', 'rbf' and 'sigmoid'. Pass X.toarray(), or one of those."
        )


def sparse_values(kernel, A, B):
    """The matrix of a kernel between the rows of two canonical CSR arrays, float64 (n, m).

    Each row is made by itself: how many there are changes no bit.
    """
    out = np.empty((A.shape[0], B.shape[0]))
    squares = [(X * X).sum(axis=1) for X in (A, B)] if type(kernel) is RBF else None
    across = B.T.tocsr()
    step = max(1, VALUES_OF_BLOCK // max(1, B.shape[0]))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(out), step):
            checkpoint()
            piece = slice(start, start + step)
            products = (A[piece] @ across).toarray()
            if type(kernel) is RBF:
                far = np.add.outer(squares[0][piece], squares[1]) - 2.0 * products
                products = np.exp(-kernel.gamma * np.maximum(far, 0.0))
            elif type(kernel) is Polynomial:
                products = (kernel.gamma * products + kernel.coef0) ** kernel.degree
            elif type(kernel) is Sigmoid:
                products = np.tanh(kernel.gamma * products + kernel.coef0)
            out[piece] = products
    return out


def training_matrix(kernel: Any, X: Matrix) -> Array:
    """The symmetric kernel matrix of training rows."""
    n = X.shape[0]
    refuse_large(
        12 * n * n,
        f"The kernel matrix of {n} sparse rows",
        "Fit fewer rows, or LinearSVC or LinearSVR.",
    )
    K = sparse_values(kernel, X, X)
    if type(kernel) is RBF:
        np.fill_diagonal(K, 1.0)
    # Products across the diagonal are summed in another order: one half is copied from the other.
    for start in range(0, n, 1024):
        piece = slice(start, start + 1024)
        K[start:, piece] = K[piece, start:].T.copy()
    if not np.isfinite(K).all():
        raise ValueError(f"The kernel {kernel} overflows on X. Scale its columns.")
    return K

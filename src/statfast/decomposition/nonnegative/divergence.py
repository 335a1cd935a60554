# SPDX-License-Identifier: BSD-3-Clause
"""The beta divergence of a nonnegative table from a product of factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._engine import checkpoint, fold
from statfast._typing import Array
from statfast.decomposition.nonnegative.row_blocks import (
    RowBlock,
    padded,
    times,
    transposed_times,
)

BETAS = {"frobenius": 2.0, "kullback-leibler": 1.0, "itakura-saito": 0.0}
MIN_FITTED = float(np.finfo(np.float32).eps)  # the least product that is divided by
NONZEROS_OF_CALL = 200_000  # whose products are made at once
NUMBERS_OF_PRODUCTS = 2_000_000  # of rows of W H that are made at once
MAX_CANCELLATION = 1e-3  # a row's squared error below this share of its |W H|^2 has lost digits


def distance(blocks: list[RowBlock], W: Array, Ht: Array, beta: float, n_jobs: Any) -> float:
    """The square root of twice the divergence: for beta = 2 the Frobenius norm of X - W H."""

    def work(block: Any) -> Any:
        checkpoint()
        return float(row_divergences(block, W[block.rows], Ht, beta).sum())

    effort = 2.0 * W.size * len(Ht)
    total = fold(work, blocks, merge=lambda a, b: a + b, n_jobs=n_jobs, effort=effort)
    return float(np.sqrt(2.0 * total))


def row_distances(block: RowBlock, W: Array, Ht: Array, beta: float) -> Array:
    """The same of each row of a block (m,) alone, whatever the others are."""
    return np.sqrt(2.0 * row_divergences(block, W, Ht, beta))


def row_divergences(block: RowBlock, W: Array, Ht: Array, beta: float) -> Array:
    """The divergence of each row (m,): half the squared error for beta = 2, Kullback-Leibler's
    for 1."""
    if not block.is_sparse:
        return _of_dense_rows(block.dense(), W, Ht, beta).clip(0.0)
    if beta == 2.0:
        return _squares_of_sparse_rows(block, W, Ht) / 2.0
    if beta == 1.0:
        return _of_sparse_counts(block, W, Ht).clip(0.0)
    return _of_dense_rows(block.dense(), W, Ht, beta).clip(0.0)


def products_at(block: RowBlock, W: Array, Ht: Array) -> Array:
    """Entries of W H where sparse rows store a value, in their order."""
    row, out = _stored_rows(block.X), np.empty(block.X.nnz)
    for start in range(0, len(row), NONZEROS_OF_CALL):
        checkpoint()
        part = slice(start, start + NONZEROS_OF_CALL)
        out[part] = np.einsum("ij,ij->i", W[row[part]], Ht[block.X.indices[part]])
    return out


def _of_dense_rows(X: Array, W: Array, Ht: Array, beta: float) -> Array:
    X, fitted = X.astype(np.float64, copy=False), times(W, Ht)
    if beta == 2.0:
        return np.square(X - fitted).sum(axis=1) / 2.0
    total, fitted = fitted.sum(axis=1), np.maximum(fitted, MIN_FITTED)
    if beta == 1.0:
        positive = X > 0.0
        logs = np.log(X / fitted, where=positive, out=np.zeros_like(X))
        return (X * logs).sum(axis=1) - X.sum(axis=1) + total
    if beta == 0.0:
        ratio = np.maximum(X, MIN_FITTED) / fitted
        return (ratio - np.log(ratio) - 1.0).sum(axis=1)
    value = np.power(X, beta) if beta > 0.0 else np.power(np.maximum(X, MIN_FITTED), beta)
    cross = beta * X * np.power(fitted, beta - 1.0)
    own = (beta - 1.0) * np.power(fitted, beta)
    return (value + own - cross).sum(axis=1) / (beta * (beta - 1.0))


def _squares_of_sparse_rows(block: RowBlock, W: Array, Ht: Array) -> Array:
    """|x - w H|^2 of each row: what is stored, and the rest of |w H|^2 by the Gram matrix of H.

    That rest is a difference. Where it and the errors are both small, next to nothing of its digits
    is left, and the errors are added up over all entries of the row instead.
    """
    fitted, values = products_at(block, W, Ht), block.X.data.astype(np.float64)
    gram = np.ascontiguousarray(transposed_times(Ht, padded(Ht), W.shape[1]))
    whole = np.einsum("ij,ij->i", times(W, gram), W)
    squares = _row_sums(block.X, np.square(values - fitted))
    squares += whole - _row_sums(block.X, np.square(fitted))
    doubtful = np.flatnonzero(squares < MAX_CANCELLATION * whole)
    step = max(1, NUMBERS_OF_PRODUCTS // len(Ht))
    for start in range(0, len(doubtful), step):
        checkpoint()
        rows = doubtful[start : start + step]
        squares[rows] = 2.0 * _of_dense_rows(block.X[rows].toarray(), W[rows], Ht, 2.0)
    return squares.clip(0.0)


def _of_sparse_counts(block: RowBlock, W: Array, Ht: Array) -> Array:
    """Kullback and Leibler's divergence, in which zeros of X count with their products alone."""
    fitted, values = products_at(block, W, Ht), block.X.data.astype(np.float64)
    fitted = np.maximum(fitted, MIN_FITTED)
    positive = values > 0.0
    logs = np.log(values / fitted, where=positive, out=np.zeros_like(values))
    total = np.einsum("ij,j->i", W, Ht.sum(axis=0))
    return _row_sums(block.X, values * logs - values) + total


def _stored_rows(X: Any) -> Array:
    """The row of each stored value of a CSR matrix."""
    return np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))


def _row_sums(X: Any, values: Array) -> Array:
    """Sums over the stored places of each row of a CSR matrix, in their order."""
    return np.bincount(_stored_rows(X), values, minlength=X.shape[0]).astype(np.float64)

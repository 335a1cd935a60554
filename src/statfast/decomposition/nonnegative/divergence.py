# SPDX-License-Identifier: BSD-3-Clause
"""The beta divergence of a nonnegative table from a product of factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._engine import checkpoint, fold
from statfast._typing import Array
from statfast.decomposition.nonnegative.row_blocks import RowBlock, times

BETAS = {"frobenius": 2.0, "kullback-leibler": 1.0, "itakura-saito": 0.0}
MIN_FITTED = float(np.finfo(np.float32).eps)  # the least product that is divided by
NONZEROS_OF_CALL = 200_000  # whose products are made at once


def distance(blocks: list[RowBlock], W: Array, Ht: Array, beta: float, n_jobs: Any) -> float:
    """The square root of twice the divergence: for beta = 2 the Frobenius norm of X - W H."""
    return float(np.sqrt(2.0 * max(divergence(blocks, W, Ht, beta, n_jobs), 0.0)))


def divergence(blocks: list[RowBlock], W: Array, Ht: Array, beta: float, n_jobs: Any) -> float:
    """The divergence of all rows: half the squared error for beta = 2, Kullback-Leibler's for 1."""

    def work(block: Any) -> Any:
        checkpoint()
        return _of_block(block, W[block.rows], Ht, beta)

    effort = 2.0 * W.size * len(Ht)
    return float(fold(work, blocks, merge=lambda a, b: a + b, n_jobs=n_jobs, effort=effort))


def products_at(block: RowBlock, W: Array, Ht: Array) -> Array:
    """Entries of W H where sparse rows store a value, in their order."""
    row = np.repeat(np.arange(block.stop - block.first), np.diff(block.X.indptr))
    out = np.empty(len(row))
    for start in range(0, len(row), NONZEROS_OF_CALL):
        checkpoint()
        part = slice(start, start + NONZEROS_OF_CALL)
        out[part] = np.einsum("ij,ij->i", W[row[part]], Ht[block.X.indices[part]])
    return out


def _of_block(block: Any, W: Array, Ht: Array, beta: float) -> Any:
    if block.is_sparse and beta in (1.0, 2.0):
        return _of_sparse_block(block, W, Ht, beta)
    X = block.dense().astype(np.float64, copy=False)
    fitted = times(W, Ht)
    if beta == 2.0:
        return float(np.square(X - fitted).sum()) / 2.0
    total, fitted = float(fitted.sum()), np.maximum(fitted, MIN_FITTED)
    if beta == 1.0:
        positive = X > 0.0
        logs = np.log(X / fitted, where=positive, out=np.zeros_like(X))
        return float((X * logs).sum() - X.sum()) + total
    if beta == 0.0:
        ratio = np.maximum(X, MIN_FITTED) / fitted
        return float((ratio - np.log(ratio)).sum() - X.size)
    value = np.power(X, beta) if beta > 0.0 else np.power(np.maximum(X, MIN_FITTED), beta)
    cross = beta * X * np.power(fitted, beta - 1.0)
    own = (beta - 1.0) * np.power(fitted, beta)
    return float((value + own - cross).sum()) / (beta * (beta - 1.0))


def _of_sparse_block(block: Any, W: Array, Ht: Array, beta: float) -> Any:
    """The same where the sum over zeros of X has a form of its own."""
    fitted, values = products_at(block, W, Ht), block.X.data.astype(np.float64)
    if beta == 2.0:
        gram = (W.T @ W) * (Ht.T @ Ht)
        squares = float(np.square(values - fitted).sum() - np.square(fitted).sum())
        return max(0.0, squares + float(gram.sum())) / 2.0
    fitted = np.maximum(fitted, MIN_FITTED)
    positive = values > 0.0
    logs = np.log(values / fitted, where=positive, out=np.zeros_like(values))
    total = float(W.sum(axis=0) @ Ht.sum(axis=0))
    return float((values * logs).sum() - values.sum()) + total

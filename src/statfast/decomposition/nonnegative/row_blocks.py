# SPDX-License-Identifier: BSD-3-Clause
"""Products of rows with factors, a block of rows at a time, of dense and sparse rows alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._core.linalg import products
from statfast._engine import checkpoint, grid
from statfast._typing import Array
from statfast._validation import is_sparse
from statfast.decomposition.components.krylov import project_rows

FLOP_OF_CALL = 4e8  # operations of one call of a kernel, which Ctrl-C waits for
MIN_ROWS_OF_BLOCK = 256  # sums of a block take as long to merge as some rows to multiply


@dataclass(frozen=True)
class RowBlock:
    """Rows `first` to `stop` of X (n, d): an array, or rows in CSR form."""

    first: int
    stop: int
    X: Any

    @property
    def rows(self) -> slice:
        """The places of the rows, in arrays of as many rows as X has."""
        return slice(self.first, self.stop)

    @property
    def is_sparse(self) -> bool:
        """Whether the rows are sparse."""
        return is_sparse(self.X)

    def dense(self) -> Array:
        """The rows as an array whose rows are contiguous."""
        return self.X.toarray() if self.is_sparse else np.ascontiguousarray(self.X)

    def times(self, P: Array) -> Array:
        """X P' (n, k), of P (k, d)."""
        return self.X @ P.T if self.is_sparse else times(self.dense(), P)

    def transposed_times(self, Y: Array, k: int) -> Array:
        """X' Y (d, k), of Y (n, wide(k)) whose columns beyond k are zero."""
        if self.is_sparse:
            return self.X.T @ Y[:, :k]
        return transposed_times(self.dense(), Y, k)


def blocks_of(X: Any, most: int = 16384) -> list[RowBlock]:
    """Blocks of at most about `most` rows, by the shape of X alone."""
    cuts = grid(X.shape[0], min(MIN_ROWS_OF_BLOCK, most), most)
    return [RowBlock(cut.start, cut.stop, X[cut]) for cut in cuts]


def padded(W: Array) -> Array:
    """W (n, k) with columns of zeros up to whole tiles, which `transposed_times` needs."""
    out = np.zeros((len(W), products.wide(W.shape[1])))
    out[:, : W.shape[1]] = W
    return out


def times(X: Array, P: Array) -> Array:
    """X P' in double of rows (n, d) and P (k, d)."""
    return project_rows(X, np.zeros(X.shape[1]), P, 1, np.float64)[0]


def transposed_times(X: Array, Y: Array, k: int) -> Array:
    """X' Y in double of rows (n, d) and Y (n, wide(k)), whose columns beyond k are zero."""
    total = np.zeros((products.tall(X.shape[1]), products.wide(k)))
    nothing = np.zeros(X.shape[1])
    step = max(16, int(FLOP_OF_CALL / max(1, 2 * total.size)))
    for start in range(0, len(X), step):
        checkpoint()
        part = slice(start, start + step)
        products.back(X[part], nothing, Y[part], total)
    return total[: X.shape[1], :k]

# SPDX-License-Identifier: BSD-3-Clause
"""A Cholesky factor of a Gram matrix whose columns come and go.

Columns are kept in the order in which they came. Those that come are appended, k^2 multiply-adds
each; where one leaves, what stands behind it is made again.
"""

from __future__ import annotations

import numpy as np

from statfast._core.linear.active_gram import COLUMNS_AT_ONCE, SPARE_ROWS, arrange, factorize
from statfast._engine import checkpoint
from statfast._typing import Array

MULTIPLICATIONS_OF_CALL = 1e9  # A kernel call takes less than 0.05 s.
# This share is added to the diagonal where columns depend on each other.
RIDGE_OF_DEPENDENCE = 1e-10
MIN_PIVOT = 1e-13  # A column of which a smaller share is left depends on those before it.


class ActiveGram:
    """Of G[order, order] with a ridge; see above."""

    def __init__(self) -> None:
        self.order = np.zeros(0, dtype=np.intp)
        self.columns, self.mark = np.zeros((2, 0), dtype=np.intp)
        self.ridge = np.nan
        self.L, self.inverse = np.zeros((0, 0)), np.zeros(0)

    def update(self, G: Array, b: Array, l2: float) -> bool:
        """Make it that of the columns whose `b` is not zero and the ridge l2, or a little more.

        Returns whether there is one.
        """
        if len(b) > len(self.columns):
            self.columns, self.mark = np.empty((2, len(b)), dtype=np.intp)
            self.columns[: len(self.order)] = self.order
        start = self._arrange(b, self.ridge != l2)
        if start == len(self.order) or self._make(G, l2, start):
            return True
        self._arrange(b, True)
        return self._make(G, l2 + RIDGE_OF_DEPENDENCE * float(G.diagonal()[self.order].max()), 0)

    def _arrange(self, b: Array, anew: bool) -> int:
        k, start = arrange(b, len(self.order), anew, self.columns, self.mark)
        self.order = self.columns[:k]
        self._grow(k)
        return start

    def _grow(self, k: int) -> None:
        if k + SPARE_ROWS <= len(self.L):
            return
        width = -(-(k + k // 2) // COLUMNS_AT_ONCE) * COLUMNS_AT_ONCE
        L, inverse = np.zeros((width + SPARE_ROWS, width)), np.zeros(width * COLUMNS_AT_ONCE)
        held = self.L.shape[1]
        L[: len(self.L), :held] = self.L
        inverse[: len(self.inverse)] = self.inverse
        self.L, self.inverse = L, inverse

    def _make(self, G: Array, ridge: float, start: int) -> bool:
        first, end = 0, -(-len(self.order) // COLUMNS_AT_ONCE)
        while 0 <= first < end:
            first = factorize(
                G,
                self.order,
                ridge,
                MIN_PIVOT,
                start,
                first,
                MULTIPLICATIONS_OF_CALL,
                self.L,
                self.inverse,
            )
            checkpoint()
        self.ridge = ridge if first >= 0 else np.nan
        return first >= 0

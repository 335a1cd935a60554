# SPDX-License-Identifier: BSD-3-Clause
"""A Cholesky factor of a Gram matrix whose columns come and go.

Columns are kept in the order in which they came. Those that come are appended, k^2 multiply-adds
each; where one leaves, what stands behind it is made again.
"""

import numpy as np

from statfast._core.linear.coordinate_descent import BESIDE, TOGETHER, factorize, solve
from statfast._engine import checkpoint

BUDGET = 1e9  # multiplications in a kernel call: below 0.05 s
RIDGE = 1e-10  # of the diagonal, where columns depend on each other
PIVOT = 1e-13  # of a column's square: what is left of one that depends on those before it


class ActiveGram:
    """Of G[order, order] with a ridge; see above."""

    def __init__(self):
        self.order = np.zeros(0, dtype=np.intp)
        self.ridge = np.nan
        self.L, self.inverse = np.zeros((0, 0)), np.zeros(0)

    def update(self, G, some, b, l2):
        """Make it that of the columns `some` (ascending) and the ridge l2, or a little more.

        What is made again is put in the order of the coefficients `b`: small ones leave first.
        Returns where in `some` the columns of the factor stand; None if there is no factor.
        """
        place = np.full(len(G), -1, dtype=np.intp)
        place[some] = np.arange(len(some))
        stays = place[self.order] >= 0
        same = len(self.order) if stays.all() else int(stays.argmin())
        stayed = self.order[stays]
        new = np.ones(len(some), dtype=bool)
        new[place[stayed]] = False
        self.order = np.concatenate([stayed, some[new]])
        self._grow(len(self.order))
        more = RIDGE * float(G.diagonal()[some].max())
        size = np.abs(b)
        for ridge in (l2, l2 + more):
            start = same if ridge == self.ridge else 0
            start = start if start == len(self.order) else start // TOGETHER * TOGETHER
            tail = self.order[start:]
            self.order[start:] = tail[np.argsort(-size[place[tail]], kind="stable")]
            if self._make(G, ridge, start):
                return place[self.order]
        self.order, self.ridge = self.order[:0], np.nan
        return None

    def _grow(self, k):
        if k + BESIDE <= len(self.L):
            return
        width = -(-(k + k // 2) // TOGETHER) * TOGETHER
        L, inverse = np.zeros((width + BESIDE, width)), np.zeros(width * TOGETHER)
        held = self.L.shape[1]
        L[: len(self.L), :held] = self.L
        inverse[: len(self.inverse)] = self.inverse
        self.L, self.inverse = L, inverse

    def _make(self, G, ridge, start):
        first, end = 0, -(-len(self.order) // TOGETHER)
        if start == len(self.order):
            return True
        while 0 <= first < end:
            first = factorize(
                G, self.order, ridge, PIVOT, start, first, BUDGET, self.L, self.inverse
            )
            checkpoint()
        self.ridge = ridge if first >= 0 else np.nan
        return first >= 0

    def solve(self, r, where):
        """The solution for the right side r, whose columns stand as `update` told."""
        x = r[where]
        solve(self.L, self.inverse, len(x), x)
        out = np.empty_like(x)
        out[where] = x
        return out

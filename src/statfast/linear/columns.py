# SPDX-License-Identifier: BSD-3-Clause
"""The columns as coordinate descent sees them: centred, scaled and weighted, without a copy.

With m the weighted means and s the scales (ones, or the reciprocals of the standard deviations),
Z = diag(w)^(1/2) (X - 1 m') diag(s): the intercept is then the difference of means, and the
penalty meets columns of one size if asked to.
"""

import numpy as np

from statfast._blocks import checkpoint, each, grid
from statfast._core import columns as kernel
from statfast._validation import refuse_large

PASS = 2_000_000  # numbers read by a kernel call: a millisecond or two
PRODUCTS = 4e8  # multiplications in a kernel call: below 0.05 s
WIDE = 256  # rows of a Gram matrix made at a time: their slabs stay in the second cache
SAMPLE = 256  # rows whose mean is near that of all


class Columns:
    """Columns Z of X (n, p) with weights that sum to n; see above.

    Attributes
    ----------
    mean, scale, square : ndarray of shape (p,)
        m, s, and the squared lengths of the columns of Z.
    """

    def __init__(self, X, weights, intercept, standardize, n_jobs=None):
        item = X.itemsize
        if item not in X.strides and X.shape[1] > 1 and X.shape[0] > 1:
            refuse_large(X.nbytes, "A copy of X with contiguous rows", "Pass contiguous rows.")
            X = np.ascontiguousarray(X)
        self.X, self.n_jobs = X, n_jobs
        self.n, self.p = X.shape
        self.by_columns = X.strides[0] == item and X.strides[1] != item
        self.weights = np.ones(self.n) if weights is None else weights * (self.n / weights.sum())
        self.root = np.sqrt(self.weights)
        self.plain = weights is None
        with np.errstate(over="ignore", invalid="ignore"):  # found, and refused, by what they give
            self._measure(intercept, standardize)

    def _measure(self, intercept, standardize):
        some = slice(None, None, max(1, self.n // SAMPLE))
        guess = np.zeros(self.p)
        if intercept:  # of contiguous rows, as numpy's sums depend on the order in memory
            guess = np.ascontiguousarray(self.X[some], dtype=np.float64).mean(0)
        for _ in range(2):
            sums, squares = np.zeros(self.p), np.zeros(self.p)
            for one, two in self._each_block(self._moments(guess)):
                sums += one
                squares += two
            if not np.isfinite(squares).all():
                raise ValueError(
                    "X holds values so large that their squares overflow. Divide its columns by "
                    "their size."
                )
            offset = sums / self.n if intercept else np.zeros(self.p)
            centred = squares - self.n * offset**2
            # Of a mean far from the guess, the square would take digits along.
            if not intercept or not (self.n * offset**2 > 1e3 * np.abs(centred)).any():
                break
            guess = guess + offset
        self.mean = guess + offset
        # What rounding leaves of a constant column is no length.
        floor = self.n * (4e-16 * np.abs(self.mean)) ** 2
        centred[centred <= floor] = 0.0
        self.scale = np.ones(self.p)
        if standardize:
            spread = np.sqrt(centred / self.n)
            self.scale = np.divide(1.0, spread, out=np.ones(self.p), where=spread > 0)
        self.constant = centred == 0
        self.scale[self.constant] = 0.0  # a column that says nothing counts as zeros
        self.square = centred * self.scale**2

    def _moments(self, guess):
        def moments(block, rows):
            sums, squares = np.zeros(block.shape[1]), np.zeros(block.shape[1])
            kernel.moments(block, self.weights[rows], guess, sums, squares)
            return sums, squares

        return moments

    def _blocks(self):
        return grid(self.n, least=max(256, min(PASS // self.p, 16384)))

    def _each_block(self, work):
        """``work(block, rows)`` of blocks of rows, in order."""
        return each(
            lambda rows: work(self.X[rows], rows), self._blocks(), n_jobs=self.n_jobs,
            effort=8.0 * self.X.size,
        )  # fmt: skip

    # ------------------------------------------------------------ products
    def correlate(self, r):
        """Z'(root r) of residuals r (n,) in the units of y: the products with all columns."""
        v = r if self.plain else r * self.weights
        out = np.zeros(self.p)
        if self.by_columns:
            self._by_columns(v, out)
        else:
            for part in self._each_block(lambda block, rows: self._by_rows(block, v[rows])):
                out += part
        out -= v.sum() * self.mean
        return out * self.scale

    def _by_columns(self, v, out):
        blocks, step = self._blocks(), max(4, PASS // self.n // 4 * 4)

        def work(first):
            stop = min(first + step, self.p)
            for rows in blocks:
                kernel.correlate(self.X[rows], v[rows], first, stop, out)
                checkpoint()

        each(work, range(0, self.p, step), n_jobs=self.n_jobs, effort=4.0 * self.X.size)

    def _by_rows(self, block, v):
        part = np.zeros(self.p)
        kernel.correlate(block, v, 0, self.p, part)
        return part

    def combine(self, index, coef):
        """X[:, index] coef - m'coef: fitted values, centred, in the units of y; coef of X."""
        out = np.full(self.n, -(self.mean[index] @ coef))
        index = np.ascontiguousarray(index, dtype=np.intp)
        coef = np.ascontiguousarray(coef)

        def work(rows):
            kernel.combine(self.X[rows], index, coef, out[rows])

        each(work, grid(self.n), n_jobs=self.n_jobs, effort=4.0 * self.n * len(index))
        return out

    def gram(self, down, across):
        """Z_i'Z_j; if `across` ends with `down`, what lies above their diagonal is undefined."""
        k, m = len(down), len(across)
        diagonal = m - k if m >= k and np.array_equal(down, across[m - k :]) else m
        blocks = max(1, min(16, self.n // (4 * max(k, m, 64))))
        rows = [slice(r * self.n // blocks, (r + 1) * self.n // blocks) for r in range(blocks)]
        refuse_large(8 * k * m * blocks, "The Gram matrix of the columns", "Pass fewer columns.")
        # Those below the diagonal last, as they are the longest, would leave threads waiting.
        chunks = [(i, min(i + WIDE, k)) for i in range(0, k, WIDE)][::-1]
        tasks = [(block, chunk) for chunk in chunks for block in rows]

        def work(task):
            block, (start, stop) = task
            total = np.zeros((stop - start, m))
            depth = max(256, int(PRODUCTS / ((stop - start) * m)))
            for first in range(block.start, block.stop, depth):
                some = slice(first, min(first + depth, block.stop))
                kernel.gram(
                    self.X[some], self.root[some], self.mean, self.scale, down[start:stop], across,
                    diagonal + start, total,
                )  # fmt: skip
                checkpoint()
            return total

        parts = each(work, tasks, n_jobs=self.n_jobs, effort=2.0 * self.n * k * m)
        out = np.empty((k, m))
        for c, (start, stop) in enumerate(chunks):
            out[start:stop] = sum(parts[c * blocks + 1 : (c + 1) * blocks], parts[c * blocks])
        return out

# SPDX-License-Identifier: BSD-3-Clause
"""Systems with a positive matrix: Cholesky's factor, and where there is none, eigenvalues.

The matrix is scaled to a diagonal of ones first, which is about the best that scaling does for its
condition (van der Sluis 1969, doi:10.1007/BF02165096).
"""

import numpy as np

from statfast._core import irls as kernel

SMALL = 1024  # columns up to which our own factor is quicker: threads of LAPACK spin on after it
PIVOT = 1e-15  # of the scaled matrix: below, its eigenvalues are looked at
LEAST = 1e-16  # of the largest eigenvalue: smaller ones are rounding


class Factor:
    """Cholesky's factor of a matrix given by its lower triangle, scaled to a diagonal of ones.

    Attributes
    ----------
    pivot : float
        The least square of a diagonal element: what the columns before it leave of a column. 0 if
        the matrix is not positive; then there is nothing to solve with.
    lower : (q, q), whose upper triangle is anything
    scale : (q,), by which rows and columns were multiplied
    """

    def __init__(self, h):
        if len(h) <= SMALL:
            self.lower, self.scale = np.empty(h.shape), np.empty(len(h))
            self.pivot = kernel.cholesky(h, self.lower, self.scale)
            return
        from scipy.linalg.lapack import dpotrf

        diagonal = h.diagonal()
        positive = bool((diagonal > 0).all())
        self.scale = 1 / np.sqrt(diagonal if positive else np.where(diagonal > 0, diagonal, 1.0))
        # As columns, which LAPACK takes without a copy, the lower triangle is the upper one.
        upper = (h * (self.scale[:, None] * self.scale)).T
        upper, info = dpotrf(upper, lower=0, clean=0, overwrite_a=1)
        self.lower = upper.T
        self.pivot = 0.0
        if info == 0 and positive:
            self.pivot = float(upper.diagonal().min()) ** 2

    def solve(self, g):
        # Not LAPACK's, whose threads spin on for longer than the pass that comes next.
        out = g.copy()
        kernel.cholesky_solve(self.lower, self.scale, out)
        return out

    def inverse(self):
        if len(self.lower) <= SMALL:
            out = np.empty(self.lower.shape)
            kernel.cholesky_inverse(self.lower, self.scale, out)
            return out
        from scipy.linalg.lapack import dpotri

        half = np.triu(dpotri(self.lower.T, lower=0)[0])
        out = half + np.triu(half, 1).T
        return out * (self.scale[:, None] * self.scale)


class Spectrum:
    """The same from eigenvalues, for a matrix whose columns depend on each other to rounding."""

    def __init__(self, h):
        from scipy.linalg import eigh

        self.scale = 1 / np.sqrt(h.diagonal())
        scaled = h * (self.scale[:, None] * self.scale)
        values, self.vectors = eigh(scaled, lower=True, check_finite=False)
        self.values = np.maximum(values, LEAST * values[-1])

    def solve(self, g):
        return (self.vectors @ ((self.vectors.T @ (g * self.scale)) / self.values)) * self.scale


def factored(h) -> Factor | Spectrum:
    """Whichever serves for a lower triangle with a positive diagonal."""
    factor = Factor(h)
    return factor if factor.pivot > PIVOT else Spectrum(h)

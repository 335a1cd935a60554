# SPDX-License-Identifier: BSD-3-Clause
"""Systems with a positive matrix: Cholesky's factor, and where there is none, eigenvalues.

The matrix is scaled to a diagonal of ones first, which is about the best that scaling does for its
condition (van der Sluis 1969, doi:10.1007/BF02165096).
"""

from __future__ import annotations

import numpy as np

from statfast._core.linalg import cholesky as kernel
from statfast._engine import interruptible
from statfast._typing import Array

# Up to so many columns our own factor is quicker than LAPACK's, whose threads spin on after it.
MAX_COLUMNS_OF_CHOLESKY_KERNEL = 1024
# One call of LAPACK inverts a triangle of so many columns in milliseconds.
MAX_COLUMNS_OF_ONE_INVERSE = 1024
COLUMNS_OF_STRIP = 256  # Products of narrower strips of a triangle take longer than its zeros.
# Up to so many columns our own inverse is as quick as LAPACK's, and wakes no threads that spin
# after it.
MAX_COLUMNS_OF_INVERSE_KERNEL = 128
MIN_PIVOT = 1e-15  # Below this pivot of the scaled matrix its eigenvalues are looked at.
MIN_EIGENVALUE = 1e-16  # Eigenvalues below this share of the largest are rounding.


class CholeskyFactor:
    """Cholesky's factor of a matrix given by its lower triangle, scaled to a diagonal of ones.

    Attributes
    ----------
    pivot : float
        The least square of a diagonal element: what the columns before it leave of a column. 0 if
        the matrix is not positive; then there is nothing to solve with.
    lower : (q, q), whose upper triangle is anything
    scale : (q,), by which rows and columns were multiplied
    """

    def __init__(self, h: Array, *, overwrite: bool = False) -> None:
        """With `overwrite`, `h` may be written to: matrices of many columns take long to copy."""
        if len(h) <= MAX_COLUMNS_OF_CHOLESKY_KERNEL:
            self.lower, self.scale = np.empty(h.shape), np.empty(len(h))
            self.pivot = kernel.cholesky(np.ascontiguousarray(h), self.lower, self.scale)
            return
        diagonal = h.diagonal()
        positive = bool((diagonal > 0).all())
        self.scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        self.lower, self.pivot = h, 0.0
        if positive:
            scaled = np.multiply(h, self.scale, out=h if overwrite else None)
            scaled *= self.scale[:, None]
            try:
                self.lower = interruptible(np.linalg.cholesky, scaled)
                self.pivot = float(self.lower.diagonal().min()) ** 2
            except np.linalg.LinAlgError:
                pass

    def solve(self, g: Array) -> Array:
        # Not by LAPACK, whose threads would spin on for longer than the next pass takes.
        out = g.copy()
        kernel.cholesky_solve(self.lower, self.scale, out)
        return out

    def inverse(self) -> Array:
        if len(self.lower) <= MAX_COLUMNS_OF_CHOLESKY_KERNEL:
            out = np.empty(self.lower.shape)
            kernel.cholesky_inverse(self.lower, self.scale, out)
            return out
        half = triangle_inverse(self.lower, lower=True)
        return interruptible(np.matmul, half.T, half) * (self.scale[:, None] * self.scale)


class EigenFactor:
    """The same from eigenvalues, for a matrix whose columns depend on each other to rounding."""

    def __init__(self, h: Array) -> None:
        self.scale = 1 / np.sqrt(h.diagonal())
        scaled = h * (self.scale[:, None] * self.scale)
        values, self.vectors = interruptible(np.linalg.eigh, scaled)
        self.values = np.maximum(values, MIN_EIGENVALUE * values[-1])

    def solve(self, g: Array) -> Array:
        return (self.vectors @ ((self.vectors.T @ (g * self.scale)) / self.values)) * self.scale


def factored(h: Array) -> CholeskyFactor | EigenFactor:
    """Whichever serves for a lower triangle with a positive diagonal."""
    factor = CholeskyFactor(h)
    return factor if factor.pivot > MIN_PIVOT else EigenFactor(h)


def triangle_inverse(T: Array, *, lower: bool = False) -> Array:
    """The inverse of a triangle (q, q); what stands beyond the diagonal is not read.

    By halves, as one call of LAPACK for all would not hear Ctrl-C.
    """
    q = len(T)
    if q <= MAX_COLUMNS_OF_INVERSE_KERNEL:
        out = np.zeros((q, q))
        kernel.triangle_inverse(np.ascontiguousarray(T if lower else T.T, np.float64), out)
        return np.ascontiguousarray(out.T) if lower else out
    if not lower:
        return np.ascontiguousarray(triangle_inverse(T.T, lower=True).T)
    out = np.zeros((q, q))
    fill_inverse(T, out)
    return out


def fill_inverse(T: Array, out: Array) -> None:
    """The inverse of a lower triangle in place of zeros, by halves."""
    q = len(T)
    if q <= MAX_COLUMNS_OF_ONE_INVERSE:
        from scipy.linalg.lapack import dtrtri

        # The rows of a lower triangle are the columns of an upper one.
        upper, singular = dtrtri(T.T, lower=0)
        if singular:
            raise np.linalg.LinAlgError(f"The triangle has a zero in row {singular}.")
        for i in range(q):
            out[i, : i + 1] = upper[: i + 1, i]
        return
    half = q // 2
    first, last, below = out[:half, :half], out[half:, half:], out[half:, :half]
    fill_inverse(T[:half, :half], first)
    fill_inverse(T[half:, half:], last)
    # Of the zeros of both triangles, those in a strip of the product alone are multiplied.
    across = np.empty(below.shape)
    for start in range(0, half, COLUMNS_OF_STRIP):
        strip = slice(start, min(start + COLUMNS_OF_STRIP, half))
        interruptible(np.matmul, T[half:, start:half], first[start:, strip], out=across[:, strip])
    np.negative(across, out=across)
    for start in range(0, q - half, COLUMNS_OF_STRIP):
        strip = slice(start, min(start + COLUMNS_OF_STRIP, q - half))
        interruptible(np.matmul, last[strip, : strip.stop], across[: strip.stop], out=below[strip])


def mirrored(lower: Array) -> Array:
    """Symmetric matrices from their lower triangles."""
    lower = np.tril(lower)
    return lower + np.swapaxes(np.tril(lower, -1), -1, -2)


# ------------------------------------------------------------------ Powers of two
def power_of_two(size: float) -> int:
    """The p for which 2^-p brings numbers up to `size` to between 1/2 and 1; 0 for a size of 0.

    Numbers over a power of two keep all their digits, and their squares neither overflow nor
    vanish: the one way in which rows, targets and distances of extreme sizes are scaled.
    """
    return int(np.frexp(size)[1])


# ------------------------------------------------------------------ Products
def dot(a: Array, b: Array) -> float:
    """The sum of the products of two arrays; rounded no worse than by pairs."""
    return float((a * b).sum())

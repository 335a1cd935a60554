# SPDX-License-Identifier: BSD-3-Clause
"""Moments: weight, mean and scatter of rows; those of two samples add to those of both."""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from statfast._core.linalg import products
from statfast._core.tile import tiles
from statfast._engine import Chunks, checkpoint
from statfast._estimator import ColumnMoments, summed
from statfast._linalg import mirrored
from statfast._validation import is_sparse, refuse_large, require_finite

# A shift that is this many standard deviations off costs four of sixteen digits.
_DEVIATIONS = 100.0
_OVERFLOW = "X holds values so large that their squares overflow. Divide its columns by their size."
_HEAD = 16  # rows whose mean is the first shift of a block

# A kernel call is held to this many multiplications, so that Ctrl-C is heard between two calls.
CALL = min(1e9, 5e6 * prod(tiles.tile_shape("d")))


@dataclass(frozen=True)
class Moments:
    """Weight, mean and scatter of rows.

    Attributes
    ----------
    mass : float
        Sum of the weights.
    n : int
        Rows with a positive weight.
    mean : (d,), zeros where nothing is centered
    scatter : (d + 1, d + 1) or more, of which the lower triangle of (d, d) holds the sum of
        w (x - mean)(x - mean)'; the rest is anything
    centered : bool
    """

    mass: float
    n: int
    mean: NDArray[np.float64]
    scatter: NDArray[np.float64]
    centered: bool = True

    def __add__(self, other: "Moments") -> "Moments":
        mass, n = self.mass + other.mass, self.n + other.n
        scatter = self.scatter + other.scatter
        if not self.centered:
            return Moments(mass, n, self.mean, scatter, False)
        # Chan, Golub and LeVeque (1983): nothing is subtracted that is not a difference of means.
        d, share = len(self.mean), other.mass / mass if mass > 0.0 else 0.0
        apart = other.mean - self.mean
        spread = np.sqrt(self.mass * share) * apart
        scatter[:d, :d] += spread[:, None] * spread
        return Moments(mass, n, self.mean + share * apart, scatter)

    def matrix(self) -> NDArray[np.float64]:
        """The scatter as a symmetric matrix (d, d)."""
        d = len(self.mean)
        return mirrored(self.scatter[:d, :d])

    def column_moments(self) -> ColumnMoments:
        """Those of the columns alone."""
        return ColumnMoments(self.mass, self.mean, self.diagonal())

    def rescaled(self, shift, scale) -> "Moments":
        """Those of the rows (x - shift) / scale; columns beyond those of `shift` stay."""
        d = len(self.mean)
        by, moved = np.ones(d), np.zeros(d)
        by[: len(scale)], moved[: len(shift)] = scale, shift
        scatter = self.scatter.copy()
        scatter[:d, :d] /= by[:, None] * by
        return Moments(self.mass, self.n, (self.mean - moved) / by, scatter)

    def diagonal(self) -> NDArray[np.float64]:
        d = len(self.mean)
        return self.scatter.diagonal()[:d].clip(0.0)


def block_moments(columns, state) -> Moments:
    """Moments of a block of rows: ``columns`` is (X, weights), ``state`` whether to center.

    Rows are taken about the mean of the first few, so that taking off the mean costs a bit or two;
    where those lie far from the others, a second pass over the block restores the digits.
    """
    X, weights = columns
    if is_sparse(X):
        X = X.toarray()
    X = np.ascontiguousarray(X)
    if not state:
        return _about(np.zeros(X.shape[1]), X, weights, centered=False)[0]
    with np.errstate(over="ignore", invalid="ignore"):
        moments, far = _about(X[:_HEAD].mean(axis=0, dtype=np.float64), X, weights)
        return _about(moments.mean, X, weights)[0] if far else moments


def _about(shift, X, weights, *, centered=True):
    """Moments from sums about ``shift``, and whether it was far from the mean."""
    n, d = X.shape
    scatter = np.zeros((products.tall(d + 1), products.wide(d + 1)))
    step = max(64, int(CALL / d**2))
    for start in range(0, n, step):
        some = slice(start, start + step)
        share = None if weights is None else weights[some]
        products.scatter(X[some], share, shift, scatter)
        if start + step < n:
            checkpoint()
    mass, sums = float(scatter[d, d]), scatter[d, :d]
    rows = n if weights is None else int(np.count_nonzero(weights))
    if not centered:
        return Moments(mass, rows, shift, scatter, False), False
    offset = sums / mass if mass > 0.0 else sums
    moved = np.sqrt(mass) * offset
    scatter[:d, :d] -= moved[:, None] * moved
    far = (moved**2 > _DEVIATIONS**2 * scatter.diagonal()[:d]).any()
    return Moments(mass, rows, shift + offset, scatter), bool(far)


def moments_of(X, weights, *, center=True, n_jobs=None) -> Moments:
    """Moments of all rows of an array, a sparse matrix (as dense blocks) or Chunks.

    Raises
    ------
    ValueError
        If X holds NaN or infinity, or values whose squares overflow.
    """
    d = None if isinstance(X, Chunks) else X.shape[1]
    if d is not None:
        refuse_large(24.0 * d * d, f"The scatter of {d} columns", "Ask for few components.")
    total = summed(
        block_moments,
        (X, weights),
        center,
        n_jobs=n_jobs,
        effort=np.inf if d is None else float(X.shape[0]) * d * d,
        least=2048 if d is None else max(2048, d),
    )
    require_finite_moments(total, None if d is None or is_sparse(X) else X)
    return total


def require_finite_moments(moments, X):
    """Raise ValueError where X holds NaN, infinity or values whose squares overflow."""
    d = len(moments.mean)
    if not (np.isfinite(moments.scatter[:d, :d]).all() and np.isfinite(moments.mean).all()):
        if X is not None:
            require_finite(X)
        raise ValueError(_OVERFLOW)


def require_finite_gram(gram, mean, X):
    """The same of a Gram matrix of rows."""
    if not (np.isfinite(gram).all() and np.isfinite(mean).all()):
        require_finite(X)
        raise ValueError(_OVERFLOW)

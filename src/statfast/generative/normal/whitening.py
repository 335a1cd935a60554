# SPDX-License-Identifier: BSD-3-Clause
"""Coordinates in which a covariance is the identity, and what a singular one leaves out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from statfast._engine import interruptible
from statfast._linalg import triangle_inverse
from statfast._typing import Array

EPSILON = np.finfo(np.float64).eps
MIN_DEVIATION = 1e-150  # Smaller standard deviations have no square in float64.


@dataclass(frozen=True)
class Whitening:
    """The linear map x -> root' x, under which a covariance S becomes root' S root = I."""

    root: NDArray[np.float64]  # (d, r), rows of zeros for constant columns
    spread: NDArray[np.float64]  # (d,) standard deviations, 1 for constant columns
    constant: NDArray[np.intp]  # columns that do not vary
    collinear: NDArray[np.intp]  # columns with a share in a direction left out
    n_lost: int  # directions left out among the columns that vary
    log_det: float  # of the covariance, without what is left out


def whiten(covariance: Array, size: Array, tol: float) -> Whitening:
    """Whitening of a covariance matrix, without the directions in which it is singular.

    Parameters
    ----------
    covariance : ndarray of shape (d, d)
    size : ndarray of shape (d,)
        Size of each column's values: a standard deviation of some units in their last place is
        rounding, and the column constant.
    tol : float
        Directions of the standardized columns with a standard deviation up to `tol` are left out.

    Notes
    -----
    Works on the correlation matrix R. Its Cholesky factor L gives the root L^-T, and the trace of
    R^-1 = L^-T L^-1, the sum of all 1 / eigenvalue, proves that no eigenvalue is small. Without
    that proof the eigenvalues themselves decide.
    """
    # Variances are below 0 by rounding alone.
    spread = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    varies = varying(covariance, size)
    live, constant = np.flatnonzero(varies), np.flatnonzero(~varies)
    spread = np.where(varies, spread, 1.0)
    kept = covariance if len(constant) == 0 else covariance[np.ix_(live, live)]
    correlation = kept / spread[live, None] / spread[live]
    root, null, log_det = _standard_root(correlation, tol)
    log_det += 2.0 * float(np.log(spread).sum())
    full = np.zeros((len(spread), root.shape[1]))
    full[live] = root / spread[live, None]
    collinear = live[np.abs(null).max(axis=1, initial=0.0) > 1e-3]
    return Whitening(full, spread, constant, collinear, null.shape[1], log_det)


def _standard_root(correlation: Array, tol: float) -> tuple[Array, Array, float]:
    """Root (d, r) of a correlation matrix, directions left out (d, d - r), log determinant."""
    d = len(correlation)
    if d == 0:
        return correlation, correlation, 0.0
    least = smallest_variance(d, tol)
    try:
        factor = interruptible(np.linalg.cholesky, correlation)
        root = triangle_inverse(factor, lower=True).T
        if (root**2).sum() < 1.0 / least:
            return root, np.empty((d, 0)), 2.0 * float(np.log(factor.diagonal()).sum())
    except np.linalg.LinAlgError:
        pass
    variances, directions = interruptible(np.linalg.eigh, correlation)
    large = variances > least
    log_det = float(np.log(variances[large]).sum())
    return directions[:, large] / np.sqrt(variances[large]), directions[:, ~large], log_det


def varying(covariance: Array, size: Array) -> NDArray[np.bool_]:
    """Which columns vary by more than the rounding of values of their size."""
    spread = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    varies: NDArray[np.bool_] = spread > np.maximum(10.0 * EPSILON * size, MIN_DEVIATION)
    return varies


def smallest_variance(d: int, tol: float) -> float:
    """The variance of a direction of d standardized columns up to which it counts as none."""
    return max(min(float(tol), 1e150) ** 2, 4.0 * d * EPSILON)


def list_columns(columns: Array, names: Array | None) -> str:
    """Up to five columns, by name or by number."""
    labels = [str(j) if names is None else repr(str(names[j])) for j in columns[:5].tolist()]
    more = f" and {len(columns) - 5} more" if len(columns) > 5 else ""
    return f"columns {', '.join(labels)}{more}" if len(columns) > 1 else f"column {labels[0]}"

# SPDX-License-Identifier: BSD-3-Clause
"""A covariance taken apart: whitening, determinant and roots; singular ones by their rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._engine import interruptible
from statfast._typing import Array
from statfast._validation import as_rows, slack_of, warn_user
from statfast.generative.normal.whitening import Whitening, list_columns, smallest_variance, whiten

ROOTS = ("cholesky", "spectral", "svd")
# With a standardized eigenvalue further below zero, a matrix is not a covariance.
MAX_NEGATIVE_EIGENVALUE = 1e-8


@dataclass(frozen=True)
class CovarianceFactor:
    """A covariance S = F F' of rank r."""

    matrix: NDArray[np.float64]  # (d, d)
    factor: NDArray[np.float64]  # F (d, r), a lower triangle where r = d
    whitener: NDArray[np.float64]  # (r, d), a lower triangle where r = d: S^-1 is its square
    log_det: float  # of the r eigenvalues that are not 0
    spread: NDArray[np.float64]  # (d,) standard deviations, 1 where they are 0
    null: NDArray[np.float64]  # (d, d - r) directions of standardized columns without variance

    @property
    def rank(self) -> int:
        return self.factor.shape[1]


def factor_covariance(
    matrix: Array, size: Array, tol: float, allow_singular: bool, names: Array | None = None
) -> CovarianceFactor:
    """The parts of a covariance; a singular one is refused unless it is allowed.

    `size` is that of each column's values, beside which a standard deviation may be rounding.
    """
    white = whiten(matrix, size, tol)
    d = len(matrix)
    if white.root.shape[1] == d:
        if not np.tril(white.root, -1).any():
            correlation = matrix / white.spread[:, None] / white.spread
            factor = white.spread[:, None] * interruptible(np.linalg.cholesky, correlation)
        else:
            factor = np.linalg.solve(white.root.T, np.eye(d))
        null = np.empty((d, 0))
        return CovarianceFactor(matrix, factor, white.root.T, white.log_det, white.spread, null)  # type: ignore[arg-type]
    variances, vectors, live = _standard_axes(matrix, white)
    if not allow_singular:
        parts = []
        if len(white.constant):
            parts.append(f"it is constant in {list_columns(white.constant, names)}")
        if white.n_lost:
            columns = list_columns(white.collinear, names)
            parts.append(f"{white.n_lost} direction(s) of {columns} are collinear")
        raise np.linalg.LinAlgError(
            f"The covariance of X is singular: {', and '.join(parts)}. Drop columns, pass more "
            "rows, shrink it, or take it by its rank with allow_singular=True."
        )
    large = variances > smallest_variance(max(1, len(live)), tol)
    factor = np.zeros((d, int(large.sum())))
    factor[live] = white.spread[live, None] * vectors[:, large] * np.sqrt(variances[large])
    lengths = interruptible(np.linalg.svd, factor, compute_uv=False)
    log_det = 2.0 * float(np.log(lengths).sum()) if large.any() else 0.0
    null = np.zeros((d, d - factor.shape[1]))
    null[live, : (~large).sum()] = vectors[:, ~large]
    null[white.constant, (~large).sum() + np.arange(len(white.constant))] = 1.0
    whitener = np.linalg.pinv(factor) if large.any() else np.zeros((0, d))
    return CovarianceFactor(matrix, factor, whitener, log_det, white.spread, null)  # type: ignore[arg-type]


def _standard_axes(matrix: Array, white: Whitening) -> tuple[Array, Array, Array]:
    live = np.setdiff1d(np.arange(len(matrix)), white.constant)
    kept = matrix[np.ix_(live, live)] / white.spread[live, None] / white.spread[live]
    if len(live) == 0:
        return np.zeros(0), np.zeros((0, 0)), live
    variances, vectors = interruptible(np.linalg.eigh, kept)
    return variances, vectors, live


def covariance_root(parts: CovarianceFactor, kind: Any) -> Any:
    """A square root Q (d, d) with Q Q' = S."""
    d = len(parts.matrix)
    if kind == "cholesky":
        if parts.rank == d and not np.triu(parts.factor, 1).any():
            return parts.factor
        upper = np.linalg.qr(np.vstack([parts.factor.T, np.zeros((d, d))]))[1]
        return (upper * np.where(upper.diagonal() < 0.0, -1.0, 1.0)[:, None]).T
    vectors, lengths, _ = interruptible(np.linalg.svd, parts.factor, full_matrices=True)
    lengths = np.append(lengths, np.zeros(d - len(lengths)))
    axes = vectors * lengths
    return axes @ vectors.T if kind == "spectral" else axes


def as_covariance(S: Any, name: str = "covariance") -> Array:
    """Check a covariance matrix that a user gives: square, symmetric, no negative variance."""
    matrix = np.array(as_rows(S, name=name, keep=(np.float64,)), dtype=np.float64)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{name} must be square; got shape {matrix.shape}. Pass (d, d).")
    size = np.abs(matrix).max()
    if not (np.abs(matrix / 2.0 - matrix.T / 2.0) <= slack_of(S) / 2.0 * size).all():
        i, j = np.unravel_index(np.abs(matrix / 2.0 - matrix.T / 2.0).argmax(), matrix.shape)
        raise ValueError(
            f"{name} must be symmetric; got {matrix[i, j]:g} at ({i}, {j}) and {matrix[j, i]:g} at "
            f"({j}, {i}). Pass (S + S.T) / 2."
        )
    matrix = matrix / 2.0 + matrix.T / 2.0
    variances = matrix.diagonal()
    spread = np.sqrt(np.where(variances > 0.0, variances, 1.0))
    with np.errstate(over="ignore"):
        standard = matrix / spread[:, None] / spread
    if np.abs(standard).max() > 1e100:
        least = -np.abs(standard).max()  # The least eigenvalue may be less.
    else:
        least = interruptible(np.linalg.eigvalsh, standard)[0]
    if least < -MAX_NEGATIVE_EIGENVALUE or (variances < 0.0).any():
        raise ValueError(
            f"{name} must be positive semi-definite; its standardized form has the eigenvalue "
            f"{least:.3g}. Pass a covariance matrix."
        )
    return matrix


def warn_singular(parts: CovarianceFactor) -> None:
    """Say that a covariance is taken by its rank."""
    d = len(parts.matrix)
    if parts.rank < d:
        warn_user(
            f"The covariance has rank {parts.rank} of {d}: densities are those in the subspace in "
            "which it varies, and 0 outside."
        )

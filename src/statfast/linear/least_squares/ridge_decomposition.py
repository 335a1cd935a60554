# SPDX-License-Identifier: BSD-3-Clause
"""One decomposition, from which ridge regression is solved for any penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._engine import interruptible
from statfast._typing import Array, ArrayLike, Jobs, Matrix, Rows, Weights
from statfast._validation import (
    as_flag,
    as_rows,
    as_weights,
    refuse_large,
    wrong_type,
)
from statfast.linear.design.column_scaling import OUT_OF_RANGE
from statfast.linear.design.targets import as_target
from statfast.linear.least_squares.nonnegative import centered_factor
from statfast.linear.least_squares.qr import MAX_VALUE, triangle_of
from statfast.linear.penalized.lasso_path import RegularizationPath
from statfast.linear.penalized.penalties import as_alphas

# Where the squares of the rows exceed those of their mean by no more than this factor, centering
# costs a digit at most.
MAX_SQUARES_OVER_MEAN = 1.1
# Up to so many sparse rows, the matrix of their products with each other is made.
MAX_SPARSE_ROWS = 6000
# A singular value that is a smaller share of the largest counts as 0.
ROUNDING_OF_SINGULAR_VALUE = 1e-14
# The least of 1 - leverage that errors of rows left out are divided by.
MIN_SLACK = 1e-12
# In squares of the largest singular value: the penalties tried by default.
SPAN_OF_PENALTIES = (1e-6, 1e2)


@dataclass(frozen=True)
class Decomposition:
    """U diag(s) V' of the centered, weighted columns; the targets on U."""

    s: NDArray[np.float64]  # (r,)
    V: NDArray[np.float64]  # (d, r)
    c: NDArray[np.float64]  # (r, T)
    mean: NDArray[np.float64]  # (d,)
    target: NDArray[np.float64]  # (T,) means of the targets
    spread: NDArray[np.float64]  # (T,) weighted squares of the targets about them

    def coefs(self, alphas: Any) -> tuple[Array, Array]:
        """Coefficients (A, T, d) and intercepts (A, T), of penalties (A,) or (A, T)."""
        penalties = np.asarray(alphas).reshape(len(alphas), -1, 1)
        shrunk = self.s / (self.s**2 + penalties) * self.c.T
        coefs = shrunk @ self.V.T
        if not np.isfinite(coefs).all() or (self.c.any() and not coefs.any()):
            raise ValueError(OUT_OF_RANGE)
        return coefs, self.target - coefs @ self.mean

    def freedom(self, alphas: list[float]) -> Array:
        """Degrees of freedom (A,), without the intercept's, on average over the targets."""
        penalties = np.asarray(alphas).reshape(len(alphas), -1, 1)
        return (self.s**2 / (self.s**2 + penalties)).sum(2).mean(1)


def decompose(
    X: Matrix, Y: Array, weights: Array | None, intercept: bool, n_jobs: Jobs = None
) -> Decomposition:
    """From the triangular factor: the columns' condition is not squared where that matters."""
    factor = triangle_of(X, Y, weights, intercept, n_jobs)
    inner, QtY, mean, target = centered_factor(factor.R, factor.QtY, intercept)
    U, s, Vt = interruptible(np.linalg.svd, inner, full_matrices=False)
    live = s > ROUNDING_OF_SINGULAR_VALUE * s.max(initial=0.0)
    c = U[:, live].T @ QtY
    # Targets whose squares overflow are refused by `RidgeCV`, which alone uses the spread.
    with np.errstate(over="ignore"):
        squares = (Y - target) ** 2
        spread = squares.sum(0) if weights is None else weights @ squares
    return Decomposition(s[live], Vt[live].T, c, mean, target, spread)


@dataclass(frozen=True)
class RowDecomposition(Decomposition):
    """The same from the products of sparse rows with each other: U has all n directions, and V is
    not made."""

    U: NDArray[np.float64]  # (n, n)
    X: Any
    root: NDArray[np.float64]  # (n,) of the weights

    def coefs(self, alphas: Any) -> Any:
        """See `Decomposition`."""
        penalties = np.asarray(alphas).reshape(len(alphas), -1, 1)
        dual = self.c.T / (self.s**2 + penalties) @ self.U.T * self.root
        A, T, n = dual.shape
        dual = dual.reshape(A * T, n).T
        coefs = (self.X.T @ dual - np.outer(self.mean, dual.sum(axis=0))).T.reshape(A, T, -1)
        if not np.isfinite(coefs).all() or (self.c.any() and not coefs.any()):
            raise ValueError(OUT_OF_RANGE)
        return coefs, self.target - coefs @ self.mean

    def left_out(self, alphas: Any, intercept: bool) -> Any:
        """The errors (n, T, A) of each row predicted from the others, times the root of its
        weight."""
        total_weight, squared = self.root @ self.root, self.U**2
        out = np.empty((len(self.U), self.c.shape[1], len(alphas)))
        for place, alpha in enumerate(alphas):
            kept_back = alpha / (self.s**2 + alpha)
            residuals = self.U @ (kept_back[:, None] * self.c)
            slack = squared @ kept_back - intercept * self.root**2 / total_weight
            out[:, :, place] = residuals / np.maximum(slack, MIN_SLACK)[:, None]
        return out


def decompose_sparse_rows(
    X: Matrix, Y: Array, weights: Array | None, intercept: bool, alphas: Array | int
) -> RowDecomposition | None:
    """Of rows fewer than the columns; None where there are others, and where their products have
    too few digits: of columns far from zero, and for tiny penalties."""
    if not hasattr(X, "indptr") or not X.shape[0] < X.shape[1] or X.shape[0] > MAX_SPARSE_ROWS:
        return None
    (n, d), T = X.shape, Y.shape[1]
    refuse_large(32.0 * n * n, f"The products of {n} rows", "Pass fewer rows, or fit Ridge.")
    w = np.ones(n) if weights is None else weights
    mean, target = np.zeros(d), np.zeros(T)
    with np.errstate(all="ignore"):
        X = X.astype(np.float64, copy=False)
        products = (X @ X.T).toarray()
        if intercept:
            mean, target = X.T @ w / w.sum(), w @ Y / w.sum()
            inner = X @ mean
            if not float(mean @ mean) * MAX_SQUARES_OVER_MEAN <= float(
                w @ products.diagonal() / w.sum()
            ):
                return None
            products += mean @ mean - inner - inner[:, None]
        root = np.sqrt(w)
        products *= root * root[:, None]
        if not 1 / MAX_VALUE < np.abs(products).max() < MAX_VALUE:
            return None
    squares, U = interruptible(np.linalg.eigh, products)
    if not isinstance(alphas, int) and not alphas.min() >= SPAN_OF_PENALTIES[0] * squares[-1]:
        return None
    s = np.sqrt(np.maximum(squares, 0.0))
    centered = root[:, None] * (Y - target)
    c = U.T @ centered
    return RowDecomposition(s, np.zeros((d, 0)), c, mean, target, (c**2).sum(0), U, X, root)


def decomposition_of(
    U: Array, s: Array, Vt: Array, QtY: Array, mean: Array, target: Array, rest: Array
) -> Decomposition:
    """The same from the singular values of a factor, and what it leaves of the targets."""
    live = s > ROUNDING_OF_SINGULAR_VALUE * s.max(initial=0.0)
    spread = (QtY**2).sum(0) + (rest**2).sum(0)
    return Decomposition(s[live], Vt[live].T, U[:, live].T @ QtY, mean, target, spread)


def ridge_path(
    X: Rows,
    y: ArrayLike,
    alphas: ArrayLike,
    *,
    sample_weight: Weights = None,
    fit_intercept: bool = True,
    n_jobs: int | None = None,
) -> RegularizationPath:
    """Ridge path: coefficients for many penalties, from one decomposition.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,)
        Target values.
    alphas : array-like of shape (A,)
        Penalties on ``|b|^2``, used in falling order.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    RegularizationPath
        The solutions are exact: its gaps are zero.

    Raises
    ------
    ValueError
        If X or y holds NaN or infinity, or their shapes do not match.

    Examples
    --------
    >>> from statfast import ridge_path
    >>> ridge_path([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0], [2.0, 0.0]).coefs.round(6)
    array([[0.5, 1. ]])
    """
    rows = as_rows(X)
    target = as_target(y, len(rows))[:, None]
    weights = as_weights(sample_weight, len(rows))
    values, alphas = alphas, as_alphas(alphas)
    if isinstance(alphas, int):
        raise wrong_type("alphas", "a list of penalties", values)
    singular = decompose(rows, target, weights, as_flag(fit_intercept, "fit_intercept"), n_jobs)
    coefs, intercepts = singular.coefs(alphas)
    return RegularizationPath(
        alphas, coefs[:, 0].T.copy(), intercepts[:, 0], np.zeros(len(alphas)),
        np.zeros(len(alphas), dtype=np.intp),
    )  # fmt: skip

# SPDX-License-Identifier: BSD-3-Clause
"""One decomposition, from which ridge regression is solved for any penalty."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from statfast._engine import aside
from statfast._typing import ArrayLike, Rows, Weights
from statfast._validation import (
    as_flag,
    as_rows,
    as_weights,
    wrong_type,
)
from statfast.linear.design.targets import as_target
from statfast.linear.design.units import OUT_OF_RANGE
from statfast.linear.least_squares.nonnegative import centered_factor
from statfast.linear.least_squares.qr import triangle_of
from statfast.linear.penalized.lasso_path import RegularizationPath
from statfast.linear.penalized.penalties import as_alphas

NOTHING = 1e-14  # of the largest singular value: no direction of the columns
SPAN = (1e-6, 1e2)  # of the largest squared singular value: the penalties tried by default


@dataclass(frozen=True)
class Decomposition:
    """U diag(s) V' of the centered, weighted columns; the targets on U."""

    s: NDArray[np.float64]  # (r,)
    V: NDArray[np.float64]  # (d, r)
    c: NDArray[np.float64]  # (r, T)
    mean: NDArray[np.float64]  # (d,)
    target: NDArray[np.float64]  # (T,) means of the targets
    spread: NDArray[np.float64]  # (T,) weighted squares of the targets about them

    def coefs(self, alphas):
        """Coefficients (A, T, d) and intercepts (A, T), of penalties (A,) or (A, T)."""
        penalties = np.asarray(alphas).reshape(len(alphas), -1, 1)
        shrunk = self.s / (self.s**2 + penalties) * self.c.T
        coefs = shrunk @ self.V.T
        if not np.isfinite(coefs).all() or (self.c.any() and not coefs.any()):
            raise ValueError(OUT_OF_RANGE)
        return coefs, self.target - coefs @ self.mean

    def freedom(self, alphas):
        """Degrees of freedom (A,), without the intercept's, on average over the targets."""
        penalties = np.asarray(alphas).reshape(len(alphas), -1, 1)
        return (self.s**2 / (self.s**2 + penalties)).sum(2).mean(1)


def decompose(X, Y, weights, intercept, n_jobs=None) -> Decomposition:
    """From the triangular factor: the columns' condition is not squared where that matters."""
    found = triangle_of(X, Y, weights, intercept, n_jobs)
    inner, QtY, mean, target = centered_factor(found.R, found.QtY, intercept)
    U, s, Vt = aside(np.linalg.svd, inner, full_matrices=False)
    some = s > NOTHING * s.max(initial=0.0)
    c = U[:, some].T @ QtY
    with np.errstate(over="ignore"):  # `RidgeCV`, which asks for it, refuses such y
        apart = (Y - target) ** 2
        spread = apart.sum(0) if weights is None else weights @ apart
    return Decomposition(s[some], Vt[some].T, c, mean, target, spread)


def decomposition_of(U, s, Vt, QtY, mean, target, rest) -> Decomposition:
    """The same from the singular values of a factor, and what it leaves of the targets."""
    some = s > NOTHING * s.max(initial=0.0)
    spread = (QtY**2).sum(0) + (rest**2).sum(0)
    return Decomposition(s[some], Vt[some].T, U[:, some].T @ QtY, mean, target, spread)


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
        Threads; None and -1 use all available cores, -2 all but one. Results do not depend on it.

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
    given, alphas = alphas, as_alphas(alphas)
    if isinstance(alphas, int):
        raise wrong_type("alphas", "a list of penalties", given)
    found = decompose(rows, target, weights, as_flag(fit_intercept, "fit_intercept"), n_jobs)
    coefs, intercepts = found.coefs(alphas)
    return RegularizationPath(
        alphas, coefs[:, 0].T.copy(), intercepts[:, 0], np.zeros(len(alphas)),
        np.zeros(len(alphas), dtype=np.intp),
    )  # fmt: skip

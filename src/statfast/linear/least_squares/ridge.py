# SPDX-License-Identifier: BSD-3-Clause
"""Ridge regression, of which all penalties are solved from one decomposition."""

from __future__ import annotations

from math import nan
from typing import Any, Self

import numpy as np

from statfast._engine import interruptible
from statfast._estimator import (
    FitState,
    Regressor,
    StoredIntervals,
    SumFit,
    array,
    fitted,
    flag,
    jobs,
    param,
    real,
)
from statfast._linalg import triangle_inverse
from statfast._typing import Array, ArrayLike, Jobs, Matrix, Rows, Weights
from statfast._validation import (
    as_real,
    as_targets,
    as_vector,
    as_weights,
    column_names,
    is_sparse,
    shape_of,
    warn_not_converged,
)
from statfast.linear.design.design import (
    INFERENCE_COLUMNS,
    AcceptsSparse,
    LinearPredictor,
    dense_if_small,
    line_of,
    linear_values,
    new_rows,
    table_of,
)
from statfast.linear.least_squares.bidiagonal import UNCONVERGED, least_squares_by_products
from statfast.linear.least_squares.column_sweeps import column_sweeps
from statfast.linear.least_squares.conjugate_gradients import ridge_by_products
from statfast.linear.least_squares.leave_one_out import (
    LeftOutByLeverages,
    LinearFit,
    left_out_fits,
)
from statfast.linear.least_squares.nonnegative import centered_factor, nonnegative_ridge
from statfast.linear.least_squares.qr import triangle_of
from statfast.linear.least_squares.ridge_decomposition import (
    Decomposition,
    decompose,
    decomposition_of,
)
from statfast.linear.least_squares.triangles import triangle

# From so many columns on, leverages by a triangular root spare more than its QR takes.
MIN_COLUMNS_OF_TRIANGLE = 64
MIN_COLUMNS_FOR_PRODUCTS = 500  # From so many sparse columns on, no matrix of them is made.


class Ridge(AcceptsSparse, LeftOutByLeverages, StoredIntervals, LinearPredictor, Regressor, SumFit):
    """Ridge regression: least squares with an l2 penalty.

    Minimizes ``sum_i w_i (y_i - b_0 - x_i'b)^2 + alpha |b|^2``; the intercept is not penalized.

    Parameters
    ----------
    alpha : float or array-like of shape (T,), default=1.0
        Not negative; 0 gives the shortest of the least-squares solutions. Several are the
        penalties of the targets, one for each.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    positive : bool, default=False
        No coefficient below zero, except for the intercept.
    store_left_out : bool, default=False
        Keep what the fits without each row need, n (d + 2) numbers, for ``interval="conformal"`` of
        ``predict``.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    coef_ : ndarray of shape (d,), or (T, d) if y has several columns
        Coefficients.
    intercept_ : float, or ndarray of shape (T,)
        Intercept.
    df_ : float
        Effective degrees of freedom, the trace of the hat matrix, on average over targets; with
        ``positive=True`` that of the columns above zero. NaN by "cg" and "lsmr", which make no hat
        matrix.
    solver_ : {"svd", "nnls", "cg", "lsmr"}
        Solver used.
    n_iter_ : int or None
        Iterations of "cg" and "lsmr"; the others have none.

    Raises
    ------
    ValueError
        By ``fit``: if X or y holds NaN or infinity, their shapes differ, or alpha is negative.

    Notes
    -----
    Singular values of the triangular factor of the columns: O(n d^2 + d^3) time, O(d^2) memory a
    thread. With ``positive=True``, non-negative least squares on that factor and the root of the
    penalty, exactly. Sparse rows of 500 columns or more are solved by conjugate gradients on the
    normal equations, to rounding, in O(nnz) time an iteration and O(d) memory, unless alpha is so
    small that these have too few digits; of more than 4000 columns, LSMR then solves them, as in
    `LinearRegression`. `ridge_path` and `RidgeCV` give any number of penalties
    for the price of one. Inference is not given: the usual standard errors do not hold for biased
    estimates.

    References
    ----------
    A. E. Hoerl & R. W. Kennard (1970), "Ridge regression: biased estimation for nonorthogonal
    problems". doi:10.1080/00401706.1970.10488634

    Examples
    --------
    >>> from statfast import Ridge
    >>> Ridge(alpha=2.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).coef_.round(6)
    array([0.5])
    """

    alpha: ArrayLike = param(real(0.0) | array, default=1.0, kw_only=False)
    fit_intercept: bool = param(flag, default=True)
    positive: bool = param(flag, default=False)
    store_left_out: bool = param(flag, default=False)
    n_jobs: Jobs = param(jobs, default=None)

    coef_: Array = fitted(follows_rows=True)
    intercept_: Any = fitted(follows_rows=True)
    df_: float = fitted()
    solver_: str = fitted()
    n_iter_: int | None = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : array-like of shape (n,) or (n, T)
            Target values.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self

        Warns
        -----
        ConvergenceWarning
            If the iterations of "lsmr" stop before their end.
        """
        return self._fit_sum(X, y, sample_weight)

    # ------------------------------------------------------------ the protocol of sums

    _multi_output = True
    _solve_parameters = ("alpha", "positive")
    _statistics = staticmethod(triangle)
    _statistics_can_be_rescaled = True
    _statistics_can_be_cut = True

    def _prepare(
        self, X: Any, y: Any, sample_weight: Weights
    ) -> tuple[tuple[Matrix, Array, Array | None], FitState]:
        """Checked rows, targets (n, T) and weights; is there an intercept, was y 1-d?"""
        intercept = self._checked().fit_intercept
        rows = dense_if_small(table_of(X))
        Y, flat = as_targets(y, rows.shape[0])
        weights = as_weights(sample_weight, rows.shape[0])
        _penalties(self.alpha, Y.shape[1])
        flat = flat or Y.shape[1] == 1  # A column is one target, as in scikit-learn.
        return (rows, Y, weights), FitState(rows.shape[1], column_names(X), more=(intercept, flat))

    def _adds_up(self, columns: tuple[Array, Array, None] | None = None) -> bool:
        one_alpha = not shape_of(self.alpha)
        return one_alpha and (columns is None or not is_sparse(columns[0]))

    def _fit_local(self, columns: tuple[Matrix, Array, Array | None], state: FitState) -> Self:
        """By the singular values of all rows, or by products with sparse rows."""
        rows, Y, weights = columns
        intercept, flat = state.more
        alpha, ended, stored = _penalties(self.alpha, Y.shape[1]), True, None
        if self.positive:
            if shape_of(alpha):
                raise ValueError("positive=True takes one alpha for all targets. Fit them apart.")
            factor = triangle_of(rows, Y, weights, intercept, self.n_jobs)
            parts = centered_factor(factor.R, factor.QtY, intercept)
            solution = nonnegative_ridge(parts, alpha, flat, intercept)
        else:
            solution, ended = _solve_by_products(rows, Y, weights, alpha, flat, intercept)
            if solution is None:
                singular = decompose(rows, Y, weights, intercept, self.n_jobs)
                solution = attributes_of_svd(singular, alpha, flat, intercept)
                if self._checked_value("store_left_out"):
                    known = fit_of_penalty(singular, columns, intercept, self.alpha)
                    stored = left_out_fits(rows, Y, weights, known, self.n_jobs)
        self._publish(None, **state.published(), **solution, _stored=stored)
        if not ended:
            warn_not_converged(self, solution["n_iter_"], UNCONVERGED)
        return self

    def _solve(self, sums: Any, state: FitState) -> Self:
        intercept, flat = state.more
        alpha = as_real(self.alpha, "alpha", 0.0)
        if self._checked_value("positive"):
            q = sums.p + int(intercept)
            R = sums.R if intercept else sums.R_without_ones
            parts = centered_factor(R[:q, :q], R[:q, q:], intercept)
            solution = nonnegative_ridge(parts, alpha, flat, intercept)
            return self._publish(None, **state.published(), **solution, _stored=None)
        singular = sums.cache.get(intercept)
        if singular is None:  # The decomposition is made for the first of the penalties, and kept.
            parts = sums.singular_values if intercept else sums.plain_singular_values
            singular = sums.cache[intercept] = decomposition_of(*parts)
        solution = attributes_of_svd(singular, alpha, flat, intercept)
        return self._publish(None, **state.published(), **solution, _stored=None)

    @staticmethod
    def _predict_together(models: Any, rows: Any) -> Any:
        if any(np.ndim(model.coef_) != 1 for model in models) or hasattr(rows, "indptr"):
            return None
        table = new_rows(models[0], rows)
        return np.ascontiguousarray(linear_values(table, *_stacked(models)).T)

    @staticmethod
    def _mean_squares(models: Any, held: Any) -> Any:
        if any(np.ndim(model.coef_) != 1 for model in models):
            return None
        coefs, intercepts = _stacked(models)
        return held.mean_squares(coefs.T, intercepts)

    def _fits_targets_independently(self) -> bool:
        return not shape_of(self.alpha)

    def _column_sweeps(self, fitted: Any, held: Any, state: Any) -> Any:
        intercept, flat = state.more
        if self.positive or not flat:
            return None
        return column_sweeps(fitted, held, intercept, as_real(self.alpha, "alpha", 0.0), 1e-11)

    def _linear_fit(self, columns: tuple[Any, ...], state: FitState) -> LinearFit | None:
        """The fit with its leverages; None where the fit without a row may be of another kind."""
        # Without a row, other coefficients may be at zero, so that no closed form holds.
        if self.positive or is_sparse(columns[0]) or shape_of(self.alpha):
            return None
        intercept, _ = state.more
        rows, Y, weights = columns
        singular = decompose(rows, Y, weights, intercept, self.n_jobs)
        return fit_of_penalty(singular, columns, intercept, self.alpha)


def fit_of_penalty(
    singular: Decomposition, columns: tuple[Any, ...], intercept: bool, alpha: Any
) -> LinearFit | None:
    """The fit of one penalty with its leverages, from a decomposition of rows, targets and weights;
    None where the fit without a row may be of another kind."""
    rows, _, weights = columns
    if is_sparse(rows) or shape_of(alpha):
        return None
    alpha = float(alpha)
    if alpha == 0.0 and len(singular.s) < rows.shape[1]:
        return None
    coefs, intercepts = singular.coefs([alpha])
    root = _root_of_leverages(singular, alpha)
    total_weight = None if not intercept else float(len(rows) if weights is None else weights.sum())
    return LinearFit(coefs[0], intercepts[0], root, singular.mean, total_weight)


def _root_of_leverages(singular: Decomposition, alpha: float) -> Array:
    """A root (d, r) of the inverse of Z'Z + alpha I, on the directions of the centered rows Z."""
    lengths = np.sqrt(singular.s**2 + alpha)
    if not MIN_COLUMNS_OF_TRIANGLE <= len(lengths) == len(singular.V):
        return singular.V / lengths
    R = interruptible(np.linalg.qr, lengths[:, None] * singular.V.T, mode="r")
    return triangle_inverse(R)


def _stacked(models: Any) -> Any:
    """Coefficients (A, d) and intercepts (A,) of models of one target."""
    coefs, intercepts = zip(*map(line_of, models), strict=True)
    return np.array(coefs), np.array(intercepts)


def _penalties(alpha: Any, n_targets: int) -> Any:
    """One penalty, or an array with that of each target."""
    if not shape_of(alpha):
        return as_real(alpha, "alpha", 0.0)
    penalties = as_vector(alpha, "alpha")
    if len(penalties) != n_targets or (penalties < 0.0).any():
        raise ValueError(
            f"alpha must be a number, or hold one for each target ({n_targets}), none of them "
            f"negative; got {penalties.tolist()}."
        )
    return penalties


def attributes_of_svd(
    singular: Decomposition, alpha: Any, flat: bool, intercept: bool
) -> dict[str, Any]:
    """What is published of a penalty, or of that of each target."""
    coefs, intercepts = singular.coefs([alpha])
    freedom = float(singular.freedom([alpha])[0]) + intercept
    return _attributes(coefs[0], intercepts[0], flat, "svd", None, freedom)


def _solve_by_products(
    rows: Matrix, Y: Array, weights: Array | None, alpha: float, flat: bool, intercept: bool
) -> Any:
    """The same of sparse rows of many columns, by products with them, or None where that is slow;
    and whether it is the solution to rounding."""
    if not hasattr(rows, "indptr") or rows.shape[1] < MIN_COLUMNS_FOR_PRODUCTS:
        return None, True
    alphas, solver, ended = np.broadcast_to(alpha, Y.shape[1:]), "cg", True
    solution = ridge_by_products(rows, Y, weights, alphas, intercept) if alphas.all() else None
    if solution is None:
        if rows.shape[1] <= INFERENCE_COLUMNS:
            return None, True
        *solution, ended = least_squares_by_products(rows, Y, weights, intercept, alphas)
        solver = "lsmr"
    coefs, intercepts, n_iter = solution
    return _attributes(coefs, intercepts, flat, solver, n_iter, nan), ended


def _attributes(
    coefs: Array, intercepts: Array, flat: bool, solver: str, n_iter: Any, freedom: float
) -> dict[str, Any]:
    return {
        "coef_": coefs[0] if flat else coefs,
        "intercept_": float(intercepts[0]) if flat else intercepts,
        "solver_": solver,
        "n_iter_": n_iter,
        "df_": freedom,
    }

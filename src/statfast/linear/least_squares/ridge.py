# SPDX-License-Identifier: BSD-3-Clause
"""Ridge regression: all penalties from one decomposition, and the choice among them."""

from __future__ import annotations

from math import nan
from typing import Any, Literal, Self, cast

import numpy as np

from statfast._engine import each, grid, interruptible
from statfast._estimator import (
    Estimator,
    FitState,
    Regressor,
    SumFit,
    array,
    by_fit,
    checks_of_all_rows,
    fitted,
    flag,
    jobs,
    left_out_plan,
    one_of,
    param,
    real,
)
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
    linear_values,
    new_rows,
    table_of,
)
from statfast.linear.design.targets import refuse_extreme
from statfast.linear.least_squares.bidiagonal import UNCONVERGED, least_squares_by_products
from statfast.linear.least_squares.conjugate_gradients import ridge_by_products
from statfast.linear.least_squares.leave_one_out import predict_left_out, refit_uncertain
from statfast.linear.least_squares.nonnegative import centered_factor, nonnegative_ridge
from statfast.linear.least_squares.qr import triangle_of
from statfast.linear.least_squares.ridge_decomposition import (
    SPAN_OF_PENALTIES,
    Decomposition,
    RowDecomposition,
    decompose,
    decompose_sparse_rows,
    decomposition_of,
)
from statfast.linear.least_squares.triangles import triangle
from statfast.linear.penalized.penalties import as_alphas

MIN_COLUMNS_FOR_PRODUCTS = 500  # From so many sparse columns on, no matrix of them is made.


class Ridge(AcceptsSparse, LinearPredictor, Regressor, SumFit):
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
        No coefficient below zero, but for the intercept.
    n_jobs : int, optional
        Threads; None and -1 use all available cores, -2 all but one. Results do not depend on it.

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
    n_jobs: Jobs = param(jobs, default=None)

    coef_: Array = fitted()
    intercept_: Any = fitted()
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
            Not negative; an integer counts as that many equal samples.

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
        alpha, ended = _penalties(self.alpha, Y.shape[1]), True
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
                solution = _attributes_of_svd(singular, alpha, flat, intercept)
        self._publish(None, **state.published(), **solution)
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
            return self._publish(None, **state.published(), **solution)
        singular = sums.cache.get(intercept)
        if singular is None:  # The decomposition is made for the first of the penalties, and kept.
            parts = sums.singular_values if intercept else sums.plain_singular_values
            singular = sums.cache[intercept] = decomposition_of(*parts)
        solution = _attributes_of_svd(singular, alpha, flat, intercept)
        return self._publish(None, **state.published(), **solution)

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

    def _plan_folds(self, task: Any) -> Any:
        return left_out_plan(self, task, type(self)._left_out) or super()._plan_folds(task)

    def _left_out(self, X: Array, y: Array, sample_weight: Any, method: str) -> Any:
        """Predictions of each row by a fit to all others; None where no formula gives them."""
        if method != "predict" or is_sparse(X) or shape_of(self.alpha):
            return None
        with checks_of_all_rows():
            columns, state = self._prepare(X, y, sample_weight)
        # Without a row, other coefficients may be at zero, so that no closed form holds.
        if self.positive:
            return None
        rows, Y, weights = columns
        intercept, flat = state.more
        singular = decompose(rows, Y, weights, intercept, self.n_jobs)
        alpha = float(cast(float, self.alpha))
        if alpha == 0.0 and len(singular.s) < rows.shape[1]:
            return None
        coefs, intercepts = singular.coefs([alpha])
        root = singular.V / np.sqrt(singular.s**2 + alpha)
        total_weight = (
            None if not intercept else float(len(rows) if weights is None else weights.sum())
        )
        known = coefs[0], intercepts[0], root, singular.mean, total_weight
        out, certain = predict_left_out(rows, Y, weights, known, self.n_jobs)
        if not refit_uncertain(self, columns, state, out, certain):
            return None
        out = out.astype(rows.dtype, copy=False)
        return out[:, 0] if flat else out


class RidgeCV(AcceptsSparse, LinearPredictor, Regressor, Estimator):
    """Ridge regression with the penalty chosen by (generalized) cross-validation.

    Parameters
    ----------
    alphas : int or array-like of shape (A,), default=(0.1, 1.0, 10.0)
        Penalties to try; or how many, evenly spaced on a log scale, from 1e-6 to 100 times the
        largest squared singular value of the centered columns. None takes 100 of these.
    criterion : {"loo", "gcv"}, default="loo"
        Mean squared error of leaving out one row after the other, each with all of its weight, or
        generalized cross-validation [1]_, which takes the average leverage for that of each row.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    n_jobs : int, optional
        Threads; None and -1 use all available cores, -2 all but one. Results do not depend on it.

    Attributes
    ----------
    alpha_ : float
        Of the least error; of equals the largest.
    alphas_ : ndarray of shape (A,)
        In falling order.
    errors_ : ndarray of shape (A,)
        The criterion for each, the average over outputs; infinite where the fit leaves no degrees
        of freedom, as of a single sample.
    coef_ : ndarray of shape (d,), or (T, d) if y was 2-d
        Coefficients.
    intercept_ : float, or ndarray of shape (T,)
        Intercept.
    df_ : float
        Effective degrees of freedom.
    solver_ : "svd"
        Solver used.
    n_iter_ : None
        None; there for scikit-learn's interface.
    best_score_ : float
        The least of `errors_`, negative.

    Raises
    ------
    ValueError
        As `Ridge`.

    Notes
    -----
    Cost: that of `Ridge` by singular values, and O(A d) for "gcv" or O(n d (d + A)) for "loo".
    Fewer sparse rows than columns, up to 6000 rows, are solved by the eigenvalues of their
    products with each other: O(n^3) time, O(n^2) memory and O(A n^2) for "loo". More rows of
    more than 4000 sparse columns are refused, as that would take minutes.

    References
    ----------
    .. [1] G. H. Golub, M. Heath & G. Wahba (1979), "Generalized cross-validation as a method for
       choosing a good ridge parameter". doi:10.1080/00401706.1979.10489751

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import RidgeCV
    >>> X = np.arange(6.0)[:, None]
    >>> RidgeCV(alphas=[0.1, 1.0, 10.0]).fit(X, [0.1, 0.9, 2.2, 2.8, 4.1, 5.0]).alpha_
    0.1
    """

    alphas: ArrayLike = param(by_fit, default=(0.1, 1.0, 10.0), kw_only=False)
    criterion: Literal["loo", "gcv"] = param(one_of("loo", "gcv"), default="loo")
    fit_intercept: bool = param(flag, default=True)
    n_jobs: Jobs = param(jobs, default=None)

    alpha_: float = fitted()
    alphas_: Array = fitted()
    errors_: Array = fitted()
    best_score_: float = fitted()
    coef_: Array = fitted()
    intercept_: Any = fitted()
    df_: float = fitted()
    solver_: str = fitted()
    n_iter_: None = fitted()

    _multi_output = True

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Choose the penalty, and fit to all samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : array-like of shape (n,) or (n, T)
            Target values.
        sample_weight : array-like of shape (n,), optional
            Not negative; an integer counts as that many equal samples, of which leave-one-out
            leaves all out at once.

        Returns
        -------
        self
        """
        params = self._checked()
        alphas = as_alphas(params.alphas)
        rows = dense_if_small(table_of(X))
        Y, flat = as_targets(y, rows.shape[0])
        flat = flat or Y.shape[1] == 1
        refuse_extreme(Y)
        weights, intercept = as_weights(sample_weight, rows.shape[0]), params.fit_intercept
        singular: Decomposition | None = decompose_sparse_rows(rows, Y, weights, intercept, alphas)
        if singular is None:
            singular = decompose(rows, Y, weights, intercept, self.n_jobs)
        if isinstance(alphas, int):
            top = float(singular.s.max(initial=0.0)) ** 2 or 1.0
            alphas = np.geomspace(SPAN_OF_PENALTIES[1] * top, SPAN_OF_PENALTIES[0] * top, alphas)
        if params.criterion == "gcv":
            errors = _gcv_errors(singular, alphas, len(Y), weights, intercept)
        elif isinstance(singular, RowDecomposition):
            errors = singular.squares_left_out(alphas, intercept) / (
                _total_weight(weights, len(Y)) * Y.shape[1]
            )
        else:
            errors = _leave_one_out(singular, rows, Y, weights, alphas, intercept, self.n_jobs)
        best = int(np.argmin(errors))
        attributes = _attributes_of_svd(singular, alphas[best], flat, intercept)
        return self._publish(
            X, **attributes, alpha_=float(alphas[best]), alphas_=alphas, errors_=errors,
            best_score_=-float(errors[best]),
        )  # fmt: skip


def _total_weight(weights: Array | None, n: int) -> float:
    return float(n if weights is None else weights.sum())


def _stacked(models: Any) -> Any:
    """Coefficients (A, d) and intercepts (A,) of models of one target."""
    return np.array([m.coef_ for m in models]), np.array([m.intercept_ for m in models])


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


def _attributes_of_svd(
    singular: Decomposition, alpha: float, flat: bool, intercept: bool
) -> dict[str, Any]:
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


def _gcv_errors(
    singular: Decomposition, alphas: Array, n: int, weights: Array | None, intercept: bool
) -> Array:
    """GCV for each penalty: RSS / n over (1 - df / n)^2, n the sum of the weights."""
    total = _total_weight(weights, n)
    used = n if weights is None else np.count_nonzero(weights)
    rank, rest = len(singular.s), 0.0
    # Otherwise the columns fit the rows perfectly, and the rest is rounding.
    if rank + intercept < used:
        rest = np.maximum(singular.spread - (singular.c**2).sum(0), 0.0).mean()
    shares = alphas[:, None] / (singular.s**2 + alphas[:, None])
    rss = rest + shares**2 @ (singular.c**2).mean(1)
    # This is 1 - df / n, to all digits.
    freedom = (total - intercept - rank + shares.sum(axis=1)) / total
    if not (freedom > 1e-12).any():
        raise ValueError(
            f"criterion='gcv' needs more rows, by weight, than degrees of freedom; got {total:.6g}."
            " Use criterion='loo', or add rows."
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(freedom > 1e-12, rss / total / freedom**2, np.inf)


def _leave_one_out(
    singular: Decomposition,
    rows: Matrix,
    Y: Array,
    weights: Array | None,
    alphas: Array,
    intercept: bool,
    n_jobs: Jobs,
) -> Array:
    """The mean squared error of each row predicted from the others, for each penalty."""
    shrink = 1.0 / (singular.s[:, None] ** 2 + alphas)  # (r, A)
    fits = singular.s[:, None, None] * shrink[:, None, :] * singular.c[:, :, None]  # (r, T, A)
    r, T, A = fits.shape
    total_weight = _total_weight(weights, len(Y))

    def work(where: slice) -> Array:
        block = rows[where].toarray() if hasattr(rows, "indptr") else rows[where]
        moved = np.ascontiguousarray(block, dtype=np.float64) - singular.mean
        turned = interruptible(np.matmul, moved, singular.V)
        w = np.ones(len(turned)) if weights is None else weights[where]
        e = (Y[where] - singular.target)[:, :, None] - (turned @ fits.reshape(r, T * A)).reshape(
            -1, T, A
        )
        h = w[:, None] * (
            turned**2 @ shrink + intercept / total_weight
        )  # A row is left out with all of its weight.
        e *= np.sqrt(w)[:, None, None]  # The square of a row of weight 0 might overflow.
        return ((e / np.maximum(1.0 - h, 1e-12)[:, None, :]) ** 2).sum((0, 1))

    parts = each(work, grid(len(Y)), n_jobs=n_jobs, effort=4.0 * len(Y) * r * (r + T * A))
    return sum(parts[1:], parts[0]) / (total_weight * T)

# SPDX-License-Identifier: BSD-3-Clause
"""The lasso and the elastic net at one penalty."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from statfast._estimator import (
    FitState,
    Regressor,
    SumFit,
    by_fit,
    count,
    fitted,
    flag,
    ignoring_sklearn_arguments,
    jobs,
    param,
    real,
    removed,
)
from statfast._typing import Array, ArrayLike, Jobs, Matrix, Rows, Weights, csr_matrix
from statfast._validation import (
    as_choice,
    as_rows,
    as_targets,
    as_weights,
    column_names,
    warn_column_vector,
    warn_not_converged,
)
from statfast.linear.design.design import AcceptsSparse, LinearPredictor, table_of
from statfast.linear.design.sparse_columns import is_whole
from statfast.linear.penalized.column_products import (
    MergedProducts,
    path_by_products,
    products_of,
    usual_sizes,
)
from statfast.linear.penalized.lasso_path import enet_path, fit_path

# Below this share of the largest penalty, a few penalties lead down to the one asked for.
FIRST_PENALTY = 0.2


def end_of(path: Any) -> dict[str, Any]:
    """The coefficients and intercepts at the last penalty."""
    several = path.coefs.ndim > 2
    intercept = path.intercepts[..., -1].copy()
    return {
        "coef_": path.coefs[..., -1].copy(),
        "intercept_": intercept if several else float(intercept),
    }


def as_gram(value: Any, d: int) -> Array | None:
    """Check products of d columns: float64 (d, d), or None where there are none."""
    if isinstance(value, bool | np.bool_ | str):
        return None
    gram = as_rows(value, name="precompute", keep=(np.float64,))
    if gram.shape != (d, d):
        raise ValueError(
            f"precompute must be False, or the products of the columns of X, of shape ({d}, {d}); "
            f"got shape {gram.shape}."
        )
    return gram


class ElasticNet(AcceptsSparse, LinearPredictor, Regressor, SumFit):
    """Linear regression with an l1 and an l2 penalty, by coordinate descent.

    Minimizes, with weights that sum to n::

        sum_i w_i (y_i - b_0 - x_i'b)^2 / (2 n) + alpha (l1_ratio |b|_1 + (1 - l1_ratio) |b|^2 / 2)

    Parameters
    ----------
    alpha : float, default=1.0
        The penalty, not negative.
    l1_ratio : float, default=0.5
        Between 0 (ridge) and 1 (lasso).
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    standardize : bool, default=False
        Penalize each coefficient times the standard deviation of its column (divisor n).
    positive : bool, default=False
        No coefficient below zero.
    tol : float, default=1e-8
        Duality gap to reach, as a fraction of the weighted sum of squares of y about its mean.
    max_iter : int, default=10000
        Maximum number of sweeps of coordinate descent.
    warm_start : bool, default=False
        Start with the coefficients of the last fit, if they are for as many columns and targets: a
        fit that differs little from it takes fewer sweeps. The end is the same, to `tol`. Rows in
        parts start from scratch.
    precompute : bool, "auto" or array-like of shape (d, d), default=False
        The products ``X.T @ X`` of dense columns, if they are known: with weights that sum to n,
        and of columns less their means where there is an intercept (else a warning says that they
        are not used). They spare time and change no result. Otherwise the fit chooses what it
        computes.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    coef_ : ndarray of shape (d,), or (T, d) if y was 2-d
        Coefficients.
    intercept_ : float, or ndarray of shape (T,)
        Intercept.
    dual_gap_ : float, or ndarray of shape (T,)
        By how much the objective may still fall, at most.
    n_iter_ : int, or list of T
        Sweeps and direct solutions.
    converged_ : bool
        Whether the iterations converged.
    sparse_coef_ : csr_array of shape (1, d), or (T, d)
        The coefficients, without their zeros.
    path : function
        `enet_path`.

    Raises
    ------
    ValueError
        By ``fit``: if X or y holds NaN or infinity, their shapes do not match, a parameter is out
        of range, or `precompute` has other products than the columns of X.

    Notes
    -----
    As `enet_path`, for a few penalties down to `alpha`. Inference is not given: the usual standard
    errors do not hold for coefficients chosen by a penalty.

    References
    ----------
    H. Zou & T. Hastie (2005), "Regularization and variable selection via the elastic net".
    doi:10.1111/j.1467-9868.2005.00503.x

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import ElasticNet
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    >>> ElasticNet(alpha=0.25, l1_ratio=0.5).fit(X, [3.0, 1.0, 4.0, 0.0]).coef_.round(6)
    array([1.666667, 0.333333])
    """

    alpha: float = param(real(0.0), default=1.0, kw_only=False)
    l1_ratio: float = param(real(0.0, 1.0), default=0.5)
    fit_intercept: bool = param(flag, default=True)
    standardize: bool = param(flag, default=False)
    positive: bool = param(flag, default=False)
    tol: float = param(real(0.0), default=1e-8)
    max_iter: int = param(count(), default=10_000)
    warm_start: bool = param(flag, default=False)
    precompute: Any = param(by_fit, default=False)
    n_jobs: Jobs = param(jobs, default=None)

    coef_: Array = fitted(follows_rows=True)
    intercept_: Any = fitted(follows_rows=True)
    dual_gap_: Any = fitted()
    n_iter_: Any = fitted()
    converged_: bool = fitted()

    @ignoring_sklearn_arguments(check_input=(True, False))
    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : array-like of shape (n,) or (n, T)
            The columns are fitted one by one.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self
        """
        return self._fit_sum(X, y, sample_weight)

    path = staticmethod(enet_path)

    @property
    def sparse_coef_(self) -> csr_matrix:
        """The coefficients as scipy.sparse.csr_array of shape (1, d), or (T, d)."""
        from scipy.sparse import csr_array

        return csr_array(np.atleast_2d(self.coef_))

    # ------------------------------------------------------------ the protocol of sums

    _multi_output = True
    _solve_parameters = ("alpha", "l1_ratio", "standardize", "positive", "tol", "max_iter")
    _statistics = staticmethod(products_of)

    def _prepare(
        self, X: Any, y: Any, sample_weight: Weights
    ) -> tuple[tuple[Matrix, Array, Array | None], FitState]:
        """Checked rows, a target or several as columns, and weights; is there an intercept?"""
        intercept = self._checked().fit_intercept
        if isinstance(self.precompute, str):
            as_choice(self.precompute, "precompute", ("auto",))
        rows = table_of(X, finite=False)
        targets, flat = as_targets(y, rows.shape[0])
        weights = as_weights(sample_weight, rows.shape[0])
        state = FitState(rows.shape[1], column_names(X), more=intercept)
        return (rows, targets[:, 0] if flat else targets, weights), state

    def _adds_up(self, columns: tuple[Array, Array, None] | None = None) -> bool:
        """Whether products of the columns are all that a fit needs."""
        if columns is None:
            return True
        if not isinstance(self.precompute, bool | np.bool_ | str):
            return False
        rows, target, _ = columns
        known = isinstance(rows, np.ndarray) and is_whole(*rows.shape)
        return known and not self._several(target) and usual_sizes(rows, target)

    def _several(self, target: Array) -> bool:
        """Whether there are targets to be fitted one by one."""
        return target.ndim > 1

    def _check_parts(self, columns: Any, state: FitState) -> None:
        rows, target, _ = columns
        several, d = self._several(target), rows.shape[1]
        if several or not is_whole(d, d):
            raise ValueError(
                f"{type(self).__name__} of rows in parts takes one target, and no more columns "
                f"than their products fit for; got {target.shape[1] if several else 1} targets and "
                f"{d} columns. Fit the targets one by one, or choose columns first."
            )

    def _fit_local(self, columns: tuple[Matrix, Array, Array | None], state: FitState) -> Self:
        """By the path of all rows, of each target in turn."""
        rows, target, weights = columns
        if target.shape[1:] == (1,):
            warn_column_vector()
        several_y = np.ascontiguousarray(target.reshape(rows.shape[0], -1).T)
        starts = self._starts(len(several_y), rows.shape[1])
        fits = [
            self._fit_penalty((rows, y, weights), start)
            for y, start in zip(several_y, starts, strict=True)
        ]
        if len(fits) == 1:
            return self._publish(None, **state.published(), **fits[0])
        several: dict[str, Any] = {name: [fit[name] for fit in fits] for name in fits[0]}
        several |= {name: np.array(several[name]) for name in ("coef_", "intercept_", "dual_gap_")}
        several["converged_"] = all(several["converged_"])
        return self._publish(None, **state.published(), **several)

    def _fit_penalty(self, columns: tuple[Any, ...], start: Any) -> dict[str, Any]:
        """What is fitted to rows, y (n,) or tasks (n, T), and weights."""
        alphas, ratio, how = self._arguments()
        how["gram"] = as_gram(self.precompute, columns[0].shape[1])
        path, goal = fit_path(
            *columns, alphas=alphas, l1_ratio=ratio, n_jobs=self.n_jobs, lead=start, **how
        )
        return self._last(path, goal)

    def _solve(self, sums: Any, state: FitState) -> Any:
        alphas, ratio, how = self._arguments()
        columns = MergedProducts(sums, state.more, how["standardize"])
        fit = self._last(*path_by_products(columns, alphas, ratio, how))
        return self._publish(None, **state.published(), **fit)

    def _starts(self, n_targets: int, d: int) -> list[Any]:
        """What leads to the fit of each target: the coefficients (d,) of the last fit, or larger
        penalties."""
        before = self.__dict__.get("coef_") if self._checked_value("warm_start") else None
        if before is None or np.atleast_2d(before).shape != (n_targets, d):
            return [FIRST_PENALTY] * n_targets
        return list(np.atleast_2d(before).astype(np.float64))

    def _checked_ratio(self) -> float:
        return self._checked_value("l1_ratio")

    def _checked_positive(self) -> bool:
        return bool(self._checked_value("positive"))

    def _arguments(self) -> tuple[Array, float, dict[str, Any]]:
        """The penalty, its share of l1 and the other arguments of a path, checked."""
        params = self._checked()
        how = {
            "intercept": params.fit_intercept,
            "standardize": params.standardize,
            "positive": self._checked_positive(),
            "tol": params.tol,
            "max_iter": params.max_iter,
        }
        return np.array([params.alpha]), self._checked_ratio(), how

    def _last(self, path: Any, goal: float) -> dict[str, Any]:
        """What is fitted, of the end of a path; with a warning where it did not converge."""
        gap = float(path.dual_gaps[-1])
        done = not (gap > goal > 0 and path.n_iters[-1] >= self.max_iter)
        if not done:
            warn_not_converged(self, int(path.n_iters[-1]))
        return {
            **end_of(path),
            "dual_gap_": gap,
            "n_iter_": int(path.n_iters[-1]),
            "converged_": done,
        }


class Lasso(ElasticNet):
    """Linear regression with an l1 penalty, by coordinate descent.

    Minimizes, with weights that sum to n::
    ``sum_i w_i (y_i - b_0 - x_i'b)^2 / (2 n) + alpha |b|_1``.

    Parameters
    ----------
    alpha : float, default=1.0
        The penalty, not negative.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    standardize : bool, default=False
        Penalize each coefficient times the standard deviation of its column (divisor n).
    positive : bool, default=False
        No coefficient below zero.
    tol : float, default=1e-8
        Duality gap to reach, as a fraction of the weighted sum of squares of y about its mean.
    max_iter : int, default=10000
        Maximum number of sweeps of coordinate descent.
    warm_start : bool, default=False
        Start with the coefficients of the last fit, if they are for as many columns and targets: a
        fit that differs little from it takes fewer sweeps. The end is the same, to `tol`. Rows in
        parts start from scratch.
    precompute : bool, "auto" or array-like of shape (d, d), default=False
        The products ``X.T @ X`` of dense columns, if they are known: with weights that sum to n,
        and of columns less their means where there is an intercept (else a warning says that they
        are not used). They spare time and change no result. Otherwise the fit chooses what it
        computes.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    coef_ : ndarray of shape (d,), or (T, d) if y was 2-d
        Coefficients.
    intercept_ : float, or ndarray of shape (T,)
        Intercept.
    dual_gap_ : float, or ndarray of shape (T,)
        By how much the objective may still fall, at most.
    n_iter_ : int, or list of T
        Sweeps and direct solutions.
    converged_ : bool
        Whether the iterations converged.
    sparse_coef_ : csr_array of shape (1, d), or (T, d)
        The coefficients, without their zeros.
    path : function
        `enet_path`.

    Raises
    ------
    ValueError
        As `ElasticNet`.

    Notes
    -----
    Cost, memory and ties: see `enet_path`.

    References
    ----------
    R. Tibshirani (1996), "Regression shrinkage and selection via the lasso".
    doi:10.1111/j.2517-6161.1996.tb02080.x

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import Lasso
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    >>> Lasso(alpha=0.5).fit(X, [3.0, 1.0, 4.0, 0.0]).coef_.round(6)
    array([1., 0.])
    """

    l1_ratio: float = removed()

    def _checked_ratio(self) -> float:
        return 1.0

# SPDX-License-Identifier: BSD-3-Clause
"""The lasso and the elastic net with a penalty chosen by cross-validation."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._engine import each
from statfast._estimator import (
    RULES,
    Estimator,
    Regressor,
    array,
    as_groups,
    by_fit,
    chosen,
    count,
    fitted,
    flag,
    folds_of,
    jobs,
    one_of,
    param,
    real,
    removed,
)
from statfast._linalg import power_of_two
from statfast._typing import Array, ArrayLike, Jobs, Matrix, Rows, Weights
from statfast._validation import as_real, as_weights, warn_not_converged, wrong_type
from statfast.linear.design.columns import columns_of
from statfast.linear.design.design import AcceptsSparse, LinearPredictor, table_of
from statfast.linear.design.targets import as_target, refuse_extreme
from statfast.linear.penalized.column_products import merged_folds, path_by_products
from statfast.linear.penalized.lasso import end_of
from statfast.linear.penalized.lasso_path import descent_of, fit_path, predict_path
from statfast.linear.penalized.penalties import alpha_grid, as_alphas


class ElasticNetCV(AcceptsSparse, LinearPredictor, Regressor, Estimator):
    """Elastic net with the penalty chosen by cross-validation.

    Parameters
    ----------
    l1_ratio : float or list of float, default=0.5
        Of several, the one with the least error is taken.
    alphas : int or array-like of shape (A,), default=100
        Penalties to try; or how many to choose for each l1_ratio, as `enet_path` does.
    eps : float, default=1e-3
        Smallest penalty relative to the largest.
    cv : int, splitter or iterable of (train, test), optional
        An integer cuts the samples in so many runs, without shuffling; None in 5.
    rule : {"min", "1se"}, default="min"
        The penalty of the least error, or the largest one whose error is within a standard error
        of the least (Breiman, Friedman, Olshen & Stone 1984, section 3.4.3).
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
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        Coefficients.
    intercept_ : float
        Of the fit to all samples.
    alpha_, l1_ratio_ : float
        Those chosen.
    alpha_min_, alpha_1se_ : float
        By either rule, for `l1_ratio_`.
    alphas_ : ndarray of shape (A,), or (R, A)
        Those tried, in falling order; of a list of R values of `l1_ratio` a row for each.
    mse_path_ : ndarray of shape (A, folds), or (R, A, folds)
        Mean squared errors of the held-out samples.
    mse_mean_, mse_error_ : ndarray of shape (A,)
        For `l1_ratio_`: their means by weight, and the standard errors of those.
    dual_gap_ : float
        By how much the objective may still fall, at most.
    n_iter_ : int
        Sweeps and direct solutions.
    converged_ : bool
        Whether the fit to all samples converged.

    Raises
    ------
    ValueError
        By ``fit``: if X or y holds NaN or infinity, their shapes do not match, or a parameter is
        out of range.

    Notes
    -----
    With n >= d and d <= 3000, the products of the columns of each fold are merged from those of its
    parts: a pass over the rows, and folds + 1 paths. Else a fold is all rows with weight 0 for
    those held out: nothing is copied. The folds run side by side. Cost: folds + 1 paths.

    References
    ----------
    J. Friedman, T. Hastie & R. Tibshirani (2010), "Regularization paths for generalized linear
    models via coordinate descent". doi:10.18637/jss.v033.i01

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import ElasticNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 5))
    >>> y = 2 * X[:, 0] + rng.standard_normal(100)
    >>> model = ElasticNetCV(l1_ratio=[0.5, 1.0], rule="1se").fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    l1_ratio: float | list[Any] = param(real(0.0, 1.0) | array, default=0.5)
    alphas: ArrayLike = param(by_fit, default=100)
    eps: float = param(real(0.0, 1.0, open_low=True), default=1e-3)
    cv: Any = param(by_fit, default=None)
    rule: Literal["min", "1se"] = param(one_of(*RULES), default="min")
    fit_intercept: bool = param(flag, default=True)
    standardize: bool = param(flag, default=False)
    positive: bool = param(flag, default=False)
    tol: float = param(real(0.0), default=1e-8)
    max_iter: int = param(count(), default=10_000)
    n_jobs: Jobs = param(jobs, default=None)

    coef_: Array = fitted(follows_rows=True)
    intercept_: float = fitted()
    alpha_: float = fitted()
    alpha_min_: float = fitted()
    alpha_1se_: float = fitted()
    l1_ratio_: float = fitted()
    alphas_: Array = fitted()
    mse_path_: Array = fitted()
    mse_mean_: Array = fitted()
    mse_error_: Array = fitted()
    dual_gap_: float = fitted()
    n_iter_: int = fitted()
    converged_: bool = fitted()

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: Weights = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Choose the penalty by cross-validation, and fit to all samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : array-like of shape (n,)
            Target values.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.
        groups : array-like of shape (n,), optional
            Group of each sample, for splitters that keep groups together.

        Returns
        -------
        self
        """
        params = self._checked()
        how = {
            "intercept": params.fit_intercept,
            "standardize": params.standardize,
            "positive": self._checked_positive(),
            "tol": params.tol,
            "max_iter": params.max_iter,
        }
        alphas = as_alphas(params.alphas)
        rows = table_of(X, n_min=2, finite=False)
        target = self._targets(y, rows.shape[0])
        refuse_extreme(target)
        weights = as_weights(sample_weight, rows.shape[0])
        groups = as_groups(groups, rows.shape[0])
        folds = folds_of(self.cv, rows, target, weights, groups=groups)
        masses = np.array([fold.held.sum() for fold in folds])
        merged = merged_folds(rows, target, weights, folds, how, self.n_jobs)
        paths = []
        ratios, several = self._ratios()
        for ratio in ratios:
            tried: Any = alphas
            if isinstance(alphas, int):
                tried = self._grid(rows, target, weights, ratio, alphas, how, merged)
            errors = self._errors(rows, target, folds, tried, ratio, how, merged)
            paths.append((ratio, tried, errors, *chosen(errors, masses, params.rule)))
        ratio, tried, errors, mean, error, best, place_of_1se, place = min(
            paths, key=lambda f: f[3][f[5]]
        )
        tried_first = tried[: place + 1]
        if merged is not None:
            path, goal = path_by_products(merged.all_rows, tried_first, ratio, how)
        else:
            path, goal = fit_path(
                rows, target, weights, alphas=tried_first, l1_ratio=ratio, n_jobs=self.n_jobs,
                **how,
            )  # fmt: skip
        done = not (path.dual_gaps[-1] > goal > 0 and path.n_iters[-1] >= self.max_iter)
        if not done:
            warn_not_converged(self, int(path.n_iters[-1]))
        return self._publish(
            X,
            **end_of(path),
            alpha_=float(tried[place]),
            alpha_min_=float(tried[best]),
            alpha_1se_=float(tried[place_of_1se]),
            l1_ratio_=ratio,
            alphas_=np.array([f[1] for f in paths]) if several else tried,
            mse_path_=np.array([f[2] for f in paths]) if several else errors,
            mse_mean_=mean,
            mse_error_=error,
            dual_gap_=float(path.dual_gaps[-1]),
            n_iter_=int(path.n_iters[-1]),
            converged_=done,
        )

    def _checked_positive(self) -> bool:
        return bool(self._checked_value("positive"))

    def _targets(self, y: Any, n: int) -> Array:
        """The target (n,), or tasks (n, T)."""
        return as_target(y, n)

    def _ratios(self) -> tuple[list[float], bool]:
        """Values of l1_ratio, and whether they were given as a list."""
        ratio = self.l1_ratio
        if isinstance(ratio, list | tuple) or (isinstance(ratio, np.ndarray) and ratio.ndim):
            if not len(ratio):
                raise wrong_type("l1_ratio", "a number or a list of numbers", ratio)
            return [as_real(r, "l1_ratio", 0.0, 1.0) for r in ratio], True
        return [as_real(ratio, "l1_ratio", 0.0, 1.0)], False

    def _grid(
        self,
        rows: Matrix,
        target: Array,
        weights: Array | None,
        ratio: float,
        how_many: int,
        how: dict[str, Any],
        merged: Any,
    ) -> Array:
        if merged is not None:
            largest_products = descent_of(merged.all_rows, None, how["positive"]).largest_products
            return alpha_grid(largest_products, merged.all_rows, ratio, how_many, self.eps)
        columns = columns_of(rows, weights, how["intercept"], how["standardize"], self.n_jobs)
        power = power_of_two(np.abs(target).max())
        residual = np.ldexp(np.ascontiguousarray(target.T), -power)
        if how["intercept"]:
            residual -= (residual @ columns.weights / columns.n)[..., None]
        products = np.array([columns.correlate(task) for task in np.atleast_2d(residual)])
        lengths = products if how["positive"] else np.abs(np.hypot.reduce(products, axis=0))
        squares = float((columns.weights * residual**2).sum())
        most = float(np.sqrt(columns.square.max() * squares))
        largest = max(float(lengths.max()), 0.0)
        return alpha_grid((largest, most), columns, ratio, how_many, self.eps, power)

    def _errors(
        self,
        rows: Matrix,
        target: Array,
        folds: list[Any],
        tried: Any,
        ratio: float,
        how: dict[str, Any],
        merged: Any,
    ) -> Array:
        def work(k: int) -> Array:
            fold = folds[k]
            if merged is None:
                path, _ = fit_path(rows, target, fold.kept, alphas=tried, l1_ratio=ratio, **how)
            else:
                path, _ = path_by_products(merged.fitted[k], tried, ratio, how)
                squares = merged.held[k].mean_squares(path)
                if squares is not None:
                    return squares
            squares = (target[fold.test][..., None] - predict_path(path, rows[fold.test])) ** 2
            squares = squares.reshape(len(squares), -1, squares.shape[-1]).mean(axis=1)
            return (fold.held / fold.held.sum()) @ squares

        # Kernels run side by side, but not the Python between them, of which each penalty has some.
        passed = 0.0 if merged is not None else 4.0 * rows.size
        effort = len(folds) * len(tried) * (passed + 2.0 * rows.shape[1] ** 2)
        effort *= target.size / len(target)
        return np.array(each(work, range(len(folds)), n_jobs=self.n_jobs, effort=effort)).T


class LassoCV(ElasticNetCV):
    """Lasso with the penalty chosen by cross-validation.

    Parameters
    ----------
    alphas : int or array-like of shape (A,), default=100
        Penalties to try; or how many to choose for each l1_ratio, as `enet_path` does.
    eps : float, default=1e-3
        Smallest penalty relative to the largest.
    cv : int, splitter or iterable of (train, test), optional
        An integer cuts the samples in so many runs, without shuffling; None in 5.
    rule : {"min", "1se"}, default="min"
        The penalty of the least error, or the largest one whose error is within a standard error of
        the least (Breiman, Friedman, Olshen & Stone 1984, section 3.4.3).
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
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        Coefficients.
    intercept_, alpha_, alpha_min_, alpha_1se_ : float
        Of the fit to all samples.
    alphas_ : ndarray of shape (A,)
        Those tried, in falling order; of a list of R values of `l1_ratio` a row for each.
    mse_path_ : ndarray of shape (A, folds)
        Mean squared errors of the held-out samples.
    mse_mean_, mse_error_ : ndarray of shape (A,)
        For `l1_ratio_`: their means by weight, and the standard errors of those.
    dual_gap_ : float
        By how much the objective may still fall, at most.
    n_iter_ : int
        Sweeps and direct solutions.
    converged_ : bool
        Whether the fit to all samples converged.

    Raises
    ------
    ValueError
        As `ElasticNetCV`.

    Notes
    -----
    As `ElasticNetCV`.

    References
    ----------
    R. Tibshirani (1996), "Regression shrinkage and selection via the lasso".
    doi:10.1111/j.2517-6161.1996.tb02080.x

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import LassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 5))
    >>> model = LassoCV(rule="1se").fit(X, 2 * X[:, 0] + rng.standard_normal(100))
    >>> round(model.alpha_, 2), round(model.alpha_min_, 2)  # the simpler, and the best
    (0.32, 0.08)
    >>> model.coef_.round(2)
    array([1.54, 0.  , 0.  , 0.  , 0.  ])
    """

    l1_ratio: float | list[Any] = removed()

    def _ratios(self) -> tuple[list[float], bool]:
        return [1.0], False

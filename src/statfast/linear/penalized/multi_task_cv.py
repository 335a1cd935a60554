# SPDX-License-Identifier: BSD-3-Clause
"""The lasso and the elastic net of several tasks, with a penalty chosen by cross-validation."""

from __future__ import annotations

from typing import Any, Self

from statfast._estimator import removed
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_targets
from statfast.linear.penalized.lasso_cv import ElasticNetCV


class MultiTaskElasticNetCV(ElasticNetCV):
    """Elastic net of several tasks, with the penalty chosen by cross-validation.

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
        Whether to fit intercepts.
    standardize : bool, default=False
        Penalize the coefficients of a column times its standard deviation (divisor n).
    tol : float, default=1e-8
        Duality gap to reach, as a fraction of the weighted sum of squares of y about its means.
    max_iter : int, default=10000
        Maximum number of sweeps of coordinate descent.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    coef_ : ndarray of shape (T, d), or (d,) if y was 1-d
        Coefficients: of a column, those of all tasks are zero, or none need be.
    intercept_ : ndarray of shape (T,), or float
        Intercepts.
    alpha_, l1_ratio_ : float
        Those chosen.
    alpha_min_, alpha_1se_ : float
        By either rule, for `l1_ratio_`.
    alphas_ : ndarray of shape (A,), or (R, A)
        Those tried, in falling order; of a list of R values of `l1_ratio` a row for each.
    mse_path_ : ndarray of shape (A, folds), or (R, A, folds)
        Mean squared errors of the held-out samples, over all tasks.
    mse_mean_, mse_error_ : ndarray of shape (A,)
        For `l1_ratio_`: their means by weight, and the standard errors of those.
    dual_gap_ : float
        By how much the objective may still fall, at most.
    n_iter_ : int
        Sweeps.
    converged_ : bool
        Whether the fit to all samples converged.

    Raises
    ------
    ValueError
        By ``fit``: if X or y holds NaN or infinity, their shapes do not match, or a parameter is
        out of range.

    Notes
    -----
    With n >= d and d <= 3000, the products of the columns and the targets of each fold are merged
    from those of its parts: a pass over the rows, and folds + 1 paths. Else a fold is all rows with
    weight 0 for those held out: nothing is copied. The folds run side by side. Cost: folds + 1
    paths of `MultiTaskElasticNet`.

    References
    ----------
    N. Simon, J. Friedman & T. Hastie (2013), "A blockwise descent algorithm for group-penalized
    multiresponse and multinomial regression". arXiv:1311.6529.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import MultiTaskElasticNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 5))
    >>> Y = X[:, :1] * [2.0, 1.0, -1.0] + rng.standard_normal((100, 3))
    >>> model = MultiTaskElasticNetCV(l1_ratio=[0.5, 1.0], rule="1se").fit(X, Y)
    >>> np.flatnonzero(model.coef_.any(axis=0))
    array([0])
    """

    positive: bool = removed()

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
        y : array-like of shape (n, T) or (n,)
            A column for each task.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.
        groups : array-like of shape (n,), optional
            Group of each sample, for splitters that keep groups together.

        Returns
        -------
        self
        """
        return super().fit(X, y, sample_weight, groups)

    _multi_output = True

    def _checked_positive(self) -> bool:
        return False

    def _targets(self, y: Any, n: int) -> Array:
        targets, flat = as_targets(y, n)
        return targets[:, 0] if flat else targets


class MultiTaskLassoCV(MultiTaskElasticNetCV):
    """Lasso of several tasks, with the penalty chosen by cross-validation.

    Parameters
    ----------
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
        Whether to fit intercepts.
    standardize : bool, default=False
        Penalize the coefficients of a column times its standard deviation (divisor n).
    tol : float, default=1e-8
        Duality gap to reach, as a fraction of the weighted sum of squares of y about its means.
    max_iter : int, default=10000
        Maximum number of sweeps of coordinate descent.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    coef_ : ndarray of shape (T, d), or (d,) if y was 1-d
        Coefficients: of a column, those of all tasks are zero, or none need be.
    intercept_ : ndarray of shape (T,), or float
        Intercepts.
    alpha_ : float
        That chosen.
    alpha_min_, alpha_1se_ : float
        By either rule.
    alphas_ : ndarray of shape (A,)
        Those tried, in falling order.
    mse_path_ : ndarray of shape (A, folds)
        Mean squared errors of the held-out samples, over all tasks.
    mse_mean_, mse_error_ : ndarray of shape (A,)
        Their means by weight, and the standard errors of those.
    dual_gap_ : float
        By how much the objective may still fall, at most.
    n_iter_ : int
        Sweeps.
    converged_ : bool
        Whether the fit to all samples converged.

    Raises
    ------
    ValueError
        As `MultiTaskElasticNetCV`.

    Notes
    -----
    As `MultiTaskElasticNetCV`.

    References
    ----------
    G. Obozinski, B. Taskar & M. I. Jordan (2010), "Joint covariate selection and joint subspace
    selection for multiple classification problems". doi:10.1007/s11222-008-9111-x

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import MultiTaskLassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 5))
    >>> Y = X[:, :1] * [2.0, 1.0, -1.0] + rng.standard_normal((100, 3))
    >>> model = MultiTaskLassoCV(rule="1se").fit(X, Y)
    >>> np.flatnonzero(model.coef_.any(axis=0))
    array([0])
    """

    l1_ratio: float | list[Any] = removed()

    def _ratios(self) -> tuple[list[float], bool]:
        return [1.0], False

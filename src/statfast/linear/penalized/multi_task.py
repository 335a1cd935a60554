# SPDX-License-Identifier: BSD-3-Clause
"""The lasso and the elastic net of several tasks at one penalty."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from statfast._estimator import FitState, fitted, removed
from statfast._typing import Array, ArrayLike, Matrix, Rows, Weights
from statfast.linear.penalized.lasso import ElasticNet


class MultiTaskElasticNet(ElasticNet):
    """Elastic net of several targets, the tasks, that share the columns selected.

    Minimizes, with weights that sum to n and B_j the coefficients of column j for all T tasks::

        sum_i w_i |y_i - b_0 - B x_i|^2 / (2 n)
            + alpha (l1_ratio sum_j |B_j| + (1 - l1_ratio) |B|^2 / 2)

    where bars are the lengths of vectors, those of B of all coefficients.

    Parameters
    ----------
    alpha : float, default=1.0
        The penalty, not negative.
    l1_ratio : float, default=0.5
        Between 0 (ridge) and 1 (lasso).
    fit_intercept : bool, default=True
        Whether to fit intercepts.
    standardize : bool, default=False
        Penalize the coefficients of a column times its standard deviation (divisor n).
    tol : float, default=1e-8
        Duality gap to reach, as a fraction of the weighted sum of squares of y about its means.
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
    coef_ : ndarray of shape (T, d), or (d,) if y was 1-d
        Coefficients: of a column, those of all tasks are zero, or none need be.
    intercept_ : ndarray of shape (T,), or float
        Intercepts.
    dual_gap_ : float
        By how much the objective may still fall, at most.
    eps_ : float
        The duality gap to reach: `tol` times the mean square of y about its means, of all tasks.
    n_iter_ : int
        Sweeps.
    converged_ : bool
        Whether the iterations converged.
    sparse_coef_ : csr_array of shape (T, d)
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
    Of one task it is the elastic net: see `ElasticNet`. Several are found by block coordinate
    descent [1]_ on the products of the columns of a working set, with Anderson extrapolation; the
    duality gap is that of the whole problem, and leaves out columns that it proves inactive [2]_.
    Of dense rows with n >= d and d <= 3000, O(n d^2 + n d T) time and O(d^2 + d T) memory, and a
    sweep O(w d T) for w columns with coefficients; otherwise O(n d T) for each of a few passes, and
    O(w^2 + d T) memory for a working set of w columns. Ties: of equal columns the first is used.

    References
    ----------
    .. [1] N. Simon, J. Friedman & T. Hastie (2013), "A blockwise descent algorithm for
       group-penalized multiresponse and multinomial regression". arXiv:1311.6529.
    .. [2] E. Ndiaye, O. Fercoq, A. Gramfort & J. Salmon (2015), "Gap safe screening rules for
       sparse multi-task and multi-class models". arXiv:1506.03736.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import MultiTaskElasticNet
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    >>> Y = np.column_stack([X[:, 0], 2 * X[:, 0]])
    >>> MultiTaskElasticNet(alpha=0.1).fit(X, Y).coef_.round(3)
    array([[0.759, 0.   ],
           [1.518, 0.   ]])
    """

    positive: bool = removed()

    eps_: float = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : array-like of shape (n, T) or (n,)
            A column for each task.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self
        """
        return self._fit_sum(X, y, sample_weight)

    def _checked_positive(self) -> bool:
        return False

    def _last(self, path: Any, goal: float) -> dict[str, Any]:
        return {**super()._last(path, goal), "eps_": goal}

    def _several(self, target: Array) -> bool:
        return False

    def _fit_local(self, columns: tuple[Matrix, Array, Array | None], state: FitState) -> Self:
        """By the path of all rows, of all targets together."""
        rows, target, _ = columns
        n_targets, d = max(target[:1].size, 1), rows.shape[1]
        starts = self._starts(n_targets, d)
        start = starts[0] if target.ndim == 1 or np.ndim(starts[0]) == 0 else np.array(starts)
        return self._publish(None, **state.published(), **self._fit_penalty(columns, start))


class MultiTaskLasso(MultiTaskElasticNet):
    """Lasso of several targets, the tasks, that share the columns selected.

    Minimizes, with weights that sum to n and B_j the coefficients of column j for all T tasks::
    ``sum_i w_i |y_i - b_0 - B x_i|^2 / (2 n) + alpha sum_j |B_j|``, where bars are the lengths of
    vectors.

    Parameters
    ----------
    alpha : float, default=1.0
        The penalty, not negative.
    fit_intercept : bool, default=True
        Whether to fit intercepts.
    standardize : bool, default=False
        Penalize the coefficients of a column times its standard deviation (divisor n).
    tol : float, default=1e-8
        Duality gap to reach, as a fraction of the weighted sum of squares of y about its means.
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
    coef_ : ndarray of shape (T, d), or (d,) if y was 1-d
        Coefficients: of a column, those of all tasks are zero, or none need be.
    intercept_ : ndarray of shape (T,), or float
        Intercepts.
    dual_gap_ : float
        By how much the objective may still fall, at most.
    eps_ : float
        The duality gap to reach: `tol` times the mean square of y about its means, of all tasks.
    n_iter_ : int
        Sweeps.
    converged_ : bool
        Whether the iterations converged.
    sparse_coef_ : csr_array of shape (T, d)
        The coefficients, without their zeros.
    path : function
        `enet_path`.

    Raises
    ------
    ValueError
        As `MultiTaskElasticNet`.

    Notes
    -----
    Cost, memory and ties: see `MultiTaskElasticNet`.

    References
    ----------
    G. Obozinski, B. Taskar & M. I. Jordan (2010), "Joint covariate selection and joint subspace
    selection for multiple classification problems". doi:10.1007/s11222-008-9111-x

    Examples
    --------
    Columns are selected for all tasks together, where the lasso selects them for each task alone:

    >>> import numpy as np
    >>> from statfast import Lasso, MultiTaskLasso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((50, 6))
    >>> B = np.zeros((3, 6))
    >>> B[:, :2] = rng.uniform(0.3, 1.0, (3, 2))  # two columns matter, for all three tasks
    >>> Y = X @ B.T + rng.standard_normal((50, 3))
    >>> (MultiTaskLasso(alpha=0.4).fit(X, Y).coef_ != 0).astype(int)
    array([[1, 1, 0, 0, 0, 0],
           [1, 1, 0, 0, 0, 0],
           [1, 1, 0, 0, 0, 0]])
    >>> (Lasso(alpha=0.15).fit(X, Y).coef_ != 0).astype(int)
    array([[1, 1, 0, 0, 1, 0],
           [1, 1, 0, 0, 0, 1],
           [1, 1, 0, 0, 0, 1]])
    """

    l1_ratio: float = removed()

    def _checked_ratio(self) -> float:
        return 1.0

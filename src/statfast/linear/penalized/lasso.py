# SPDX-License-Identifier: BSD-3-Clause
"""The lasso and the elastic net at one penalty."""

from typing import Any, Self

import numpy as np

from statfast._estimator import Estimator, FitState, Regressor
from statfast._typing import ArrayLike, Rows, Weights, csr_matrix
from statfast._validation import (
    as_count,
    as_flag,
    as_real,
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

START = 0.2  # of the largest penalty: below, a few penalties lead down to the one asked for


class ElasticNet(AcceptsSparse, LinearPredictor, Regressor, Estimator):
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
    n_jobs : int, optional
        Threads; None and -1 use all available cores, -2 all but one. Results do not depend on it.

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
        By ``fit``: if X or y holds NaN or infinity, their shapes do not match, or a parameter is
        out of range.

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

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        standardize: bool = False,
        positive: bool = False,
        tol: float = 1e-8,
        max_iter: int = 10_000,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.positive = positive
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : array-like of shape (n,) or (n, T)
            The columns are fitted one by one.
        sample_weight : array-like of shape (n,), optional
            Not negative; an integer counts as that many equal samples.

        Returns
        -------
        self
        """
        rows = table_of(X, finite=False)
        targets, flat = as_targets(y, rows.shape[0])
        if targets.shape[1] == 1 and not flat:
            warn_column_vector()
        weights = as_weights(sample_weight, rows.shape[0])
        alphas, ratio, how = self._arguments()
        state, found = FitState(rows.shape[1], column_names(X)), []
        for target in np.ascontiguousarray(targets.T):
            path, goal = fit_path(
                rows, target, weights, alphas=alphas, l1_ratio=ratio, n_jobs=self.n_jobs,
                lead=START, **how,
            )  # fmt: skip
            found.append(self._last(path, goal))
        if len(found) == 1:
            return self._publish(None, **state.published(), **found[0])
        several: dict[str, Any] = {name: [one[name] for one in found] for name in found[0]}
        several |= {name: np.array(several[name]) for name in ("coef_", "intercept_", "dual_gap_")}
        several["converged_"] = all(several["converged_"])
        return self._publish(None, **state.published(), **several)

    path = staticmethod(enet_path)

    @property
    def sparse_coef_(self) -> csr_matrix:
        """The coefficients as scipy.sparse.csr_array of shape (1, d), or (T, d)."""
        from scipy.sparse import csr_array

        return csr_array(np.atleast_2d(self.coef_))

    def _ratio(self):
        return self.l1_ratio

    def _arguments(self):
        """Penalty, share of l1 and the other arguments of a path, checked."""
        how = {
            "intercept": as_flag(self.fit_intercept, "fit_intercept"),
            "standardize": as_flag(self.standardize, "standardize"),
            "positive": as_flag(self.positive, "positive"),
            "tol": as_real(self.tol, "tol", 0.0),
            "max_iter": as_count(self.max_iter, "max_iter"),
        }
        alphas = np.array([as_real(self.alpha, "alpha", 0.0)])
        return alphas, as_real(self._ratio(), "l1_ratio", 0.0, 1.0), how

    def _prepare(self, X, y, sample_weight):
        """Checked rows, targets and weights, if products of the columns are all that a fit needs;
        the state says whether they are about the means."""
        rows = table_of(X, finite=False)
        targets, flat = as_targets(y, rows.shape[0])
        target = targets[:, 0]
        weights = as_weights(sample_weight, rows.shape[0])
        _, _, how = self._arguments()
        known = flat and isinstance(rows, np.ndarray) and is_whole(*rows.shape)
        if not (known and usual_sizes(rows, target)):
            raise NotImplementedError
        state = FitState(rows.shape[1], column_names(X), more=how["intercept"])
        return (rows, target, weights), state

    def _prepare_look(self, X, y, sample_weight):
        """The same of a few rows of parts, which are too few for `_prepare`."""
        rows = table_of(X, finite=False)
        targets, flat = as_targets(y, rows.shape[0])
        _, _, how = self._arguments()
        if not flat or not is_whole(rows.shape[1], rows.shape[1]):
            raise ValueError(
                f"{type(self).__name__} of rows in parts takes one target, and no more columns "
                f"than their products fit for; got {targets.shape[1]} targets and {rows.shape[1]} "
                "columns. Fit the targets one by one, or choose columns first."
            )
        state = FitState(rows.shape[1], column_names(X), more=how["intercept"])
        return (rows, targets[:, 0], None), state

    _statistics = staticmethod(products_of)
    _sums_of_parts = True
    _solved_by = ("alpha", "l1_ratio", "standardize", "positive", "tol", "max_iter")

    def _solve(self, sums, state):
        alphas, ratio, how = self._arguments()
        columns = MergedProducts(sums, state.more, how["standardize"])
        found = self._last(*path_by_products(columns, alphas, ratio, how))
        return self._publish(None, **state.published(), **found)

    def _last(self, path, goal):
        """What is fitted, of the end of a path; with a warning where it did not converge."""
        gap = float(path.dual_gaps[-1])
        done = not (gap > goal > 0 and path.n_iters[-1] >= self.max_iter)
        if not done:
            warn_not_converged(self, int(path.n_iters[-1]))
        return {
            "coef_": path.coefs[:, -1].copy(),
            "intercept_": float(path.intercepts[-1]),
            "dual_gap_": gap,
            "n_iter_": int(path.n_iters[-1]),
            "converged_": done,
        }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


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
        Most sweeps.
    n_jobs : int, optional
        Threads; None and -1 use all available cores, -2 all but one. Results do not depend on it.

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

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        standardize: bool = False,
        positive: bool = False,
        tol: float = 1e-8,
        max_iter: int = 10_000,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.positive = positive
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def _ratio(self):
        return 1.0

# SPDX-License-Identifier: BSD-3-Clause
"""Linear support vector regression: losses beyond a tube around the values."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np

from statfast._estimator import Regressor, fitted, one_of, param, real
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_targets, as_weights, require_random_state, warn_column_vector
from statfast.svm.linear.model import (
    LinearMachine,
    clock_of,
    solved,
    values,
    warn_stopped,
)
from statfast.svm.linear.objective import Problem
from statfast.svm.linear.rows import new_rows, rows_of

MAX_TARGET = 1e100  # The largest target and tube, whose squares are summed.


class LinearSVR(Regressor, LinearMachine):
    """Linear support vector regression.

    It minimizes, over w and b::

        w'w / 2 + (b / intercept_scaling)^2 / 2 + C sum_i c_i loss(|y_i - w'x_i - b| - epsilon)

    where the loss of what is positive is itself ("epsilon_insensitive") or its square, and 0 else.

    Parameters
    ----------
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        Absolute or squared error beyond epsilon.
    epsilon : float, default=0.0
        Errors up to here cost nothing, in the units of y. With 0 the first loss is the absolute
        error, the second the squared error of ridge regression.
    C : float, default=1.0
        Weight of the losses against the penalty.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    intercept_scaling : float, default=1.0
        The larger it is, the less the intercept is penalized: it is the coefficient of a column
        that holds this number.
    dual : {"auto", True, False}, default="auto"
        True is coordinate descent on the dual. False is Newton's method for the squared loss, an
        interior point for the other, both with sums of products of columns; Newton's steps are by
        conjugate gradients where that is cheaper. "auto" takes descent for more than some hundred
        columns with the other, for more columns than rows with the squared loss.
    tol : float, default=1e-4
        As LIBLINEAR's. Descent: the sum of the sizes of the projected gradients of the dual, in
        units of that in the first sweep. Newton: the length of the gradient, in units of that at
        0. Interior point: its square is the gap, relative to the objective.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the order in which descent visits samples; an integer makes the result
        reproducible. The direct methods do not use it.
    max_iter : int, default=1000
        Maximum number of sweeps of descent, or of iterations.
    time_limit : float, optional
        Seconds after which the iteration ends, with a model that can be used, and a warning.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        Coefficients.
    intercept_ : ndarray of shape (1,)
        Intercept.
    primal_objective_, dual_objective_, dual_gap_ : float
        What was minimized, a lower bound of it, and the difference, which is never negative except
        for rounding.
    n_iter_ : int
        Sweeps or iterations.
    converged_ : bool
        Whether the iterations converged.
    solver_ : {"descent", "newton", "interior point"}
        Solver used.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.linear.HuberRegressor : Another loss that forgives outliers.
    statfast.svm.LinearSVC : For classes.

    Notes
    -----
    A weight of 2 is a row repeated. Where several solutions of the absolute error would tie, the
    penalty decides: the solution is unique, and there are no **ties**.

    Cost: sums of products take n d^2 operations (the squares of the nonzeros of each sparse row)
    and d^3 / 3, 5 to 30 times; of many rows the interior point needs all only a few times, then
    those near the margin. A sweep of descent and a conjugate gradient take 4 n d. Memory: O(d^2) a
    thread and O(n); rows are read where they lie, except for dense ones of 64 columns or more of
    which at most a sixth is not zero: they are made sparse.

    References
    ----------
    .. [1] Ho, C.-H. and Lin, C.-J. (2012). Large-scale linear support vector regression. Journal
       of Machine Learning Research 13, 3323-3348. https://jmlr.org/papers/v13/ho12a.html
    .. [2] Ferris, M. C. and Munson, T. S. (2002). Interior-point methods for massive support
       vector machines. SIAM Journal on Optimization 13, 783-804.
       https://doi.org/10.1137/S1052623400374379

    Examples
    --------
    An outlier does not move the absolute error's line:

    >>> import numpy as np
    >>> from statfast.svm import LinearSVR
    >>> X = np.arange(7.0)[:, None]
    >>> y = np.array([1.0, 3.0, 5.0, 70.0, 9.0, 11.0, 13.0])  # 1 + 2 x, except for one
    >>> model = LinearSVR(C=100.0).fit(X, y)
    >>> model.coef_.round(6), model.intercept_.round(6)
    (array([2.]), array([1.]))
    """

    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = param(
        one_of("epsilon_insensitive", "squared_epsilon_insensitive"), default="epsilon_insensitive"
    )
    epsilon: float = param(real(0, MAX_TARGET), default=0.0)

    primal_objective_: float = fitted()
    dual_objective_: float = fitted()
    dual_gap_: float = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The samples, finite.
        y : array-like of shape (n,)
            A number for each row.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; samples of weight 0 are left out. They multiply C.

        Returns
        -------
        self : LinearSVR

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, if y is not one number for each row, or if a parameter
            is out of its range.
        TypeError
            If a parameter is of the wrong type.

        Warns
        -----
        ConvergenceWarning
            If max_iter or time_limit was reached; it reports the gap.
        """
        params = self._checked()
        rows = rows_of(X, self.n_jobs)
        target, flat = as_targets(y, rows.shape[0])
        if target.shape[1] != 1:
            raise ValueError(
                f"y must be one number for each row of X; got {target.shape[1]} columns. Fit a "
                "machine to each."
            )
        if not flat:
            warn_column_vector()
        weights = as_weights(sample_weight, rows.shape[0])
        require_random_state(params.random_state)
        squared = params.loss != "epsilon_insensitive"
        if (far := float(np.abs(target).max())) > MAX_TARGET:
            raise ValueError(
                f"y must be within {MAX_TARGET:g} of 0, so that its squares can be summed; got "
                f"{far:g}. Scale it."
            )
        made, costs, target = self._rows(rows, params, weights, target[:, 0])
        problem = Problem(made, np.ascontiguousarray(target), costs, squared, params.epsilon)
        solution, solver = solved(problem, params, clock_of(params), params.random_state)
        warn_stopped(self, solution)
        return self._publish(
            X,
            coef_=solution.v[made.n_intercepts :].copy(),
            intercept_=solution.v[: made.n_intercepts].copy() if made.n_intercepts else np.zeros(1),
            primal_objective_=solution.primal,
            dual_objective_=solution.dual,
            dual_gap_=solution.gap,
            n_iter_=solution.n_iter,
            converged_=solution.converged,
            solver_=solver,
        )

    def predict(self, X: Rows) -> Array:
        """Predict the target of each sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        ndarray of shape (m,)
            float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        rows = new_rows(self, X)
        return values(rows, self.coef_[None], self.intercept_, self.n_jobs)[:, 0]

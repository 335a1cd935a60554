# SPDX-License-Identifier: BSD-3-Clause
"""Classification by least squares on targets of +1 and -1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from statfast._engine import Chunks
from statfast._estimator import (
    Classifier,
    ColumnMoments,
    FitState,
    SumFit,
    fitted,
    flag,
    jobs,
    param,
    real,
    require_several,
    weighted_labels,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Weights
from statfast._validation import as_rows, column_names
from statfast.linear.design.design import line_of, linear_values, new_rows
from statfast.linear.glm.fit import names_of, warn_aliased
from statfast.linear.least_squares.lstsq import least_squares
from statfast.linear.least_squares.triangles import StackedFactor, solution_of, triangle


@dataclass(frozen=True)
class ClassFactor:
    """The triangular factor of rows and targets, and the weights of the classes."""

    factor: StackedFactor
    class_counts: NDArray[np.float64]  # (K,)

    def __add__(self, other: ClassFactor) -> ClassFactor:
        return ClassFactor(self.factor + other.factor, self.class_counts + other.class_counts)

    def column_moments(self) -> ColumnMoments:
        """Moments of the columns of X."""
        return self.factor.column_moments()

    def rescaled(self, shift: NDArray[np.float64], scale: NDArray[np.float64]) -> ClassFactor:
        """Of the rows (x - shift) / scale."""
        return ClassFactor(self.factor.rescaled(shift, scale), self.class_counts)

    def of_columns(self, columns: NDArray[np.intp]) -> ClassFactor:
        """That of some of the columns of X."""
        return ClassFactor(self.factor.of_columns(columns), self.class_counts)


def class_factor(columns: Any, state: Any) -> ClassFactor:
    """The statistics of a block of rows, codes and weights."""
    X, codes, weights = columns
    K = len(state.classes)
    class_counts = np.bincount(codes, weights, K).astype(np.float64)
    return ClassFactor(triangle((X, indicators(codes, K), weights), state), class_counts)


def indicators(codes: Array, n_classes: int) -> Array:
    """+1 for the rows of a class, -1 for others: of two classes the second, else of each."""
    modeled = np.arange(1 if n_classes == 2 else 0, n_classes)
    return np.where(codes[:, None] == modeled, 1.0, -1.0)


class IndicatorClassifier(Classifier):
    """Base of classifiers that fit targets of +1 and -1 by lines."""

    # What subclasses declare, or a fit sets.
    n_jobs: Jobs
    classes_: Array
    coef_: Array
    intercept_: Array

    def decision_function(self, X: Rows) -> Array:
        """Return the fitted class indicators.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        scores : ndarray of shape (m, K), or (m,) for two classes
            About +1 for rows of the class (of two, the second), -1 for others.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one, or a fit is beyond
            its type.
        """
        rows = new_rows(self, X, finite=True)
        scores = linear_values(rows, *line_of(self), n_jobs=self.n_jobs)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Rows) -> Array:
        """Predict the class of the largest fitted indicator.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        labels : ndarray of shape (m,), dtype of `classes_`

        Raises
        ------
        ValueError
            As for `decision_function`.
        """
        scores = self.decision_function(X)
        winners = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_.take(winners)

    @staticmethod
    def _present(sums: ClassFactor, state: Any) -> tuple[StackedFactor, FitState]:
        """The factor of the classes that have rows in the statistics, and the state of these."""
        present = sums.class_counts > 0.0
        classes = state.classes[present]
        require_several(classes)
        factor = sums.factor
        if not present.all():
            factor = factor.of_targets(np.flatnonzero(present)[1 if len(classes) == 2 else 0 :])
        return factor, FitState(state.n_features, state.names, classes, state.more)


class LeastSquaresClassifier(IndicatorClassifier, SumFit):
    """Classification by least squares on class indicators.

    For two classes one fit, +1 standing for the second; the sign decides. Its direction is that of
    Fisher's linear discriminant, except for scale [1]_; its threshold differs where the classes are
    not of the same size.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    tol : float, default=1e-11
        A column is left out if the columns before it leave no more than this fraction of its
        length.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    coef_ : ndarray of shape (1, d), or (K, d) for more than two classes
        Coefficients; 0 where a column depends on those before it.
    intercept_ : ndarray of shape (1,) or (K,)
        Intercept.
    rank_ : int
        Independent columns, the intercept among them.
    aliased_ : ndarray of shape (d,), bool
        The columns left out.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.linear.LogisticRegression : Fits probabilities, and is not pulled by rows far on the
        right side.
    statfast.generative.LinearDiscriminantAnalysis : The same direction, from normal classes.

    Notes
    -----
    The fit is not a probability. With three or more classes in a row, that in the middle may never
    have the largest fit (masking [1]_). **Ties** go to the lowest label, for two classes to the
    first.

    Cost: n d^2 operations for all classes together. Memory: O(d^2) a thread, and n K for targets
    and residuals.

    References
    ----------
    .. [1] Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning,
       2nd ed., sections 4.2 and 4.3. https://doi.org/10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.linear import LeastSquaresClassifier
    >>> iris = load_iris()
    >>> model = LeastSquaresClassifier().fit(iris.data, iris.target)
    >>> int((model.predict(iris.data) == iris.target).sum())
    127
    """

    fit_intercept: bool = param(flag, default=True)
    tol: float = param(real(0.0, 1.0, open_high=True), default=1e-11)
    n_jobs: Jobs = param(jobs, default=None)

    classes_: Array = fitted()
    coef_: Array = fitted(follows_rows=True)
    intercept_: Array = fitted(follows_rows=True)
    rank_: int = fitted()
    aliased_: Array = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n, d), or Chunks
            Training samples.
        y : array-like of shape (n,)
            A label for each row, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : LeastSquaresClassifier

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, if y is not one label for each row, if there is one
            class, or if a parameter is out of its range.

        Warns
        -----
        CollinearityWarning
            If columns of X are constant or collinear.
        """
        return self._fit_sum(X, y, sample_weight)

    # ------------------------------------------------------------ the protocol of sums

    _solve_parameters = ("tol",)
    _statistics = staticmethod(class_factor)
    _statistics_can_be_rescaled = True
    _statistics_can_be_cut = True

    def _prepare(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[tuple[Chunks | Array, Array, Array | None], FitState]:
        """Checked rows, codes and weights; the classes, and is there an intercept?"""
        intercept = self._checked().fit_intercept
        rows: Any = X if isinstance(X, Chunks) else as_rows(X)
        n = None if isinstance(X, Chunks) else rows.shape[0]
        classes, codes, weights = weighted_labels(y, n, sample_weight, least=2)
        # The width of chunks is known after the pass.
        width = 0 if isinstance(X, Chunks) else rows.shape[1]
        return (rows, codes, weights), FitState(width, column_names(X), classes, intercept)

    def _fit_local(self, columns: Any, state: Any) -> Self:
        """By one pass of residuals or QR of all rows, as their condition asks for."""
        rows, codes, weights = columns
        targets = indicators(codes, len(state.classes))
        tol = self._checked_value("tol")
        solution = least_squares(rows, targets, weights, state.more, tol, self.n_jobs)
        return self._fitted_by(
            solution.coef, solution.intercept, solution.rank, solution.aliased, state
        )

    def _solve(self, sums: Any, state: Any) -> Self:
        """Become fitted from merged statistics; classes without rows in them are left out."""
        factor, state = self._present(sums, state)
        solution = solution_of(factor, state.more, self._checked_value("tol"))
        return self._fitted_by(
            solution["coef"],
            solution["intercept"],
            len(solution["R"]),
            solution["aliased"],
            state,
        )

    def _fitted_by(
        self, coef: Array, intercept: Array, rank: Any, aliased: Array, state: FitState
    ) -> Self:
        d = coef.shape[1]
        names = names_of(state.names, d, False)
        warn_aliased([names[j] for j in aliased])
        more = {} if state.names is None else {"feature_names_in_": state.names}
        return self._publish(
            None, classes_=state.classes, coef_=coef, intercept_=intercept, rank_=rank,
            aliased_=np.isin(np.arange(d), aliased), n_features_in_=d, **more,
        )  # fmt: skip

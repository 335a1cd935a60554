# SPDX-License-Identifier: BSD-3-Clause
"""Classification by ridge regression on targets of +1 and -1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from statfast._estimator import (
    Answers,
    FitState,
    SumFit,
    by_fit,
    fitted,
    flag,
    jobs,
    param,
    real,
    weighted_labels,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Weights
from statfast._validation import as_weights, column_names, is_sparse
from statfast.linear.design.design import AcceptsSparse, dense_if_small, table_of
from statfast.linear.least_squares.classifier import (
    ClassFactor,
    IndicatorClassifier,
    class_factor,
    indicators,
)
from statfast.linear.least_squares.ridge import Ridge
from statfast.linear.least_squares.ridge_cv import PenaltyChoice, RidgeData


class RidgeClassifier(AcceptsSparse, IndicatorClassifier, SumFit):
    """Classification by ridge regression on class indicators.

    For two classes one fit, +1 standing for the second; the sign decides. Of more classes each has
    a fit, +1 for its own rows and -1 for all others, and the largest decides.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the l2 penalty, not negative.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalized.
    class_weight : dict or "balanced", optional
        Factors of the weights of the samples of each class, by label; "balanced" makes the classes
        weigh the same.
    positive : bool, default=False
        No coefficient below zero, except for the intercept.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    coef_ : ndarray of shape (1, d), or (K, d) for more than two classes
        Coefficients.
    intercept_ : ndarray of shape (1,) or (K,)
        Intercept.
    df_ : float
        Effective degrees of freedom, as of `Ridge`.
    solver_ : {"svd", "nnls", "cg", "lsmr"}
        Solver used, as of `Ridge`.
    n_iter_ : int or None
        Iterations of "cg" and "lsmr"; the others have none.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    RidgeClassifierCV : Chooses the penalty.
    LeastSquaresClassifier : Without a penalty.
    LogisticRegression : Fits probabilities.

    Notes
    -----
    **Ties** go to the lowest label, for two classes to the first. All classes are solved from one
    decomposition: O(n d^2 + d^3) time, O(d^2) memory a thread, and n K for the targets. Sparse rows
    are solved as by `Ridge`. Statistics of folds are merged in cross-validation, except for
    "balanced" weights, which differ from fold to fold.

    References
    ----------
    .. [1] Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning,
       2nd ed., sections 3.4.1 and 4.2. https://doi.org/10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from statfast import RidgeClassifier
    >>> from statfast.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> round(RidgeClassifier(alpha=10.0).fit(X, y).score(X, y), 3)
    0.954
    """

    alpha: float = param(real(0.0), default=1.0, kw_only=False)
    fit_intercept: bool = param(flag, default=True)
    class_weight: Mapping[Any, float] | str | None = param(by_fit, default=None)
    positive: bool = param(flag, default=False)
    n_jobs: Jobs = param(jobs, default=None)

    classes_: Array = fitted()
    coef_: Array = fitted(follows_rows=True)
    intercept_: Array = fitted(follows_rows=True)
    df_: float = fitted()
    solver_: str = fitted()
    n_iter_: int | None = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : array-like of shape (n,)
            A label for each row, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : RidgeClassifier

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, if y is not one label for each row, if there is one
            class, or if a parameter is out of its range.

        Warns
        -----
        ConvergenceWarning
            If the iterations of "lsmr" stop before their end.
        """
        return self._fit_sum(X, y, sample_weight)

    # ------------------------------------------------------------ the protocol of sums

    _solve_parameters = ("alpha", "positive")
    _statistics = staticmethod(class_factor)
    _statistics_can_be_rescaled = True
    _statistics_can_be_cut = True

    def _prepare(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[tuple[Any, Array, Array | None], FitState]:
        """Checked rows, codes and weights; the classes, and is there an intercept?"""
        intercept = self._checked().fit_intercept
        rows = dense_if_small(table_of(X))
        classes, codes, weights = weighted_labels(
            y, rows.shape[0], sample_weight, self.class_weight, least=2
        )
        return (rows, codes, weights), FitState(
            rows.shape[1], column_names(X), classes, more=intercept
        )

    def _adds_up(self, columns: Any = None) -> bool:
        # Balanced weights are those of all rows together; sparse rows are not summed.
        return not isinstance(self.class_weight, str) and (
            columns is None or not is_sparse(columns[0])
        )

    def _fit_local(self, columns: Any, state: Any) -> Self:
        """By the singular values of all rows, or by products with sparse rows."""
        rows, codes, weights = columns
        targets = indicators(codes, len(state.classes))
        return self._fitted_by(
            self._ridge()._fit_local((rows, targets, weights), _state_of_targets(state)), state
        )

    def _solve(self, sums: ClassFactor, state: Any) -> Self:
        """Become fitted from merged statistics; classes without rows in them are left out."""
        factor, state = self._present(sums, state)
        return self._fitted_by(self._ridge()._solve(factor, _state_of_targets(state)), state)

    def _ridge(self) -> Ridge:
        """The regression on the indicators."""
        return Ridge(
            self.alpha, fit_intercept=self.fit_intercept, positive=self.positive, n_jobs=self.n_jobs
        )

    def _fitted_by(self, model: Ridge, state: FitState) -> Self:
        names = ("coef_", "intercept_", "df_", "solver_", "n_iter_")
        return self._publish(
            None,
            classes_=state.classes,
            **{name: vars(model)[name] for name in names},
            **state.published(),
        )


def _state_of_targets(state: FitState) -> FitState:
    """What `Ridge` knows of these rows: an intercept, and several targets."""
    return replace(state, classes=None, more=(state.more, False))


class RidgeClassifierCV(IndicatorClassifier, PenaltyChoice):
    """Ridge classifier with the penalty chosen by cross-validation.

    Parameters
    ----------
    alphas : int or array-like of shape (A,), default=(0.1, 1.0, 10.0)
        Penalties to try; or how many, as `RidgeCV` does.
    class_weight : dict or "balanced", optional
        Factors of the weights of the samples of each class, by label; "balanced" makes the classes
        weigh the same.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    scoring : str or callable, optional
        A score to maximize, by its name in `statfast.metrics.get_scorer`. None is the squared
        error of the indicators, with `cv` the accuracy.
    cv : int, splitter or iterable of (train, test), optional
        Folds. An integer cuts the samples of each class in so many runs, without shuffling. None
        leaves out one row after the other.
    store_cv_results : bool, default=False
        Without `cv`: whether to keep `cv_results_`.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    alpha_ : float
        Of the least error; of equals the largest.
    alphas_ : ndarray of shape (A,)
        In falling order.
    errors_ : ndarray of shape (A,)
        The mean squared error for each, with `scoring` or `cv` the mean score times -1.
    cv_results_ : ndarray of shape (n, 1, A), or (n, K, A) for more than two classes
        Squared errors of each row left out, times its weight; with `scoring` its decision values.
        The penalties are in the order of `alphas`.
    coef_ : ndarray of shape (1, d), or (K, d) for more than two classes
        Coefficients.
    intercept_ : ndarray of shape (1,) or (K,)
        Intercept.
    df_ : float
        Effective degrees of freedom.
    solver_ : str
        Solver used: "svd" or, with `cv`, one of `Ridge`.
    n_iter_ : int or None
        None; iterations of solvers that have them.
    best_score_ : float
        The least of `errors_`, times -1.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    RidgeClassifier : With one penalty.
    LogisticRegressionCV : Fits probabilities.

    Notes
    -----
    **Ties** of classes go to the lowest label. Cost and limits of sparse rows are those of
    `RidgeCV`. Weights of classes multiply those of rows in fits and, where rows are left out one by
    one, in errors and scores; scores of folds count rows by `sample_weight` alone.

    References
    ----------
    .. [1] Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning,
       2nd ed., sections 3.4.1 and 7.10. https://doi.org/10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from statfast import RidgeClassifierCV
    >>> from statfast.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RidgeClassifierCV([0.01, 1.0, 100.0], scoring="accuracy").fit(X, y)
    >>> model.alpha_, round(model.best_score_, 3)
    (1.0, 0.827)
    """

    class_weight: Mapping[Any, float] | str | None = param(by_fit, default=None)

    classes_: Array = fitted()

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: Weights = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Choose the penalty, and fit to all samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : array-like of shape (n,)
            A label for each row, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample. Leave-one-out leaves
            all of these out at once.
        groups : array-like of shape (n,), optional
            Group of each sample, for splitters that keep groups together.

        Returns
        -------
        self : RidgeClassifierCV

        Raises
        ------
        ValueError
            As `RidgeClassifier`, or if settings of rows that are left out one by one are combined
            with `cv`.
        TypeError
            If a parameter is of the wrong type.
        """
        self._checked()
        rows = dense_if_small(table_of(X))
        n = rows.shape[0]
        classes, codes, weights = weighted_labels(y, n, sample_weight, self.class_weight, least=2)
        data = RidgeData(rows, indicators(codes, len(classes)), weights, flat=False)
        if self.cv is None:
            rate = _LabelRating(classes, codes, weights, type(self))
            chosen = self._choose_by_rows(data, "loo", False, rate)
        else:
            base = RidgeClassifier(
                fit_intercept=self.fit_intercept, class_weight=self.class_weight,
                n_jobs=self.n_jobs,
            )  # fmt: skip
            chosen = self._choose_by_folds(
                base, data, classes[codes], as_weights(sample_weight, n), groups
            )
        return self._publish(X, classes_=classes, **chosen)


@dataclass(frozen=True)
class _LabelRating:
    """Scores of what is decided of rows left out."""

    classes: Array
    codes: Array
    weights: Array | None
    kind: type

    def __call__(self, scorer: Any, values: Array) -> Any:
        values = values[:, 0] if len(self.classes) == 2 else values
        winners = (values > 0.0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        answers = {"decision_function": values, "predict": self.classes[winners]}
        more = {} if self.weights is None else {"sample_weight": self.weights}
        known = Answers(answers, self.classes, self.kind)
        return scorer(known, values, self.classes[self.codes], **more)

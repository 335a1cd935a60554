# SPDX-License-Identifier: BSD-3-Clause
"""The penalty of ridge regression, chosen by rows left out: one by one, or in folds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    Answers,
    Estimator,
    LeftOutFits,
    Regressor,
    StoredIntervals,
    StoredLeftOut,
    by_fit,
    fitted,
    flag,
    jobs,
    one_of,
    param,
)
from statfast._typing import Array, ArrayLike, Jobs, Matrix, Rows, Weights
from statfast._validation import (
    as_targets,
    as_weights,
    is_sparse,
    refuse_large,
    shape_of,
    wrong_type,
)
from statfast.linear.design.design import (
    AcceptsSparse,
    LinearPredictor,
    dense_if_small,
    table_of,
)
from statfast.linear.design.targets import refuse_extreme
from statfast.linear.least_squares.leave_one_out import left_out_fits
from statfast.linear.least_squares.ridge import Ridge, attributes_of_svd, fit_of_penalty
from statfast.linear.least_squares.ridge_decomposition import (
    SPAN_OF_PENALTIES,
    Decomposition,
    decompose,
    decompose_sparse_rows,
)
from statfast.linear.least_squares.ridge_errors import (
    gcv_errors,
    predictions_left_out,
    squares_left_out,
)
from statfast.linear.penalized.penalties import as_alphas


@dataclass(frozen=True)
class RidgeData:
    """Checked rows, targets (n, T) and weights; `flat` is whether there is one target."""

    rows: Matrix
    Y: Array
    weights: Array | None
    flat: bool


class PenaltyChoice(AcceptsSparse, Estimator):
    """Base of both: penalties, and how they are compared."""

    alphas: ArrayLike = param(by_fit, default=(0.1, 1.0, 10.0), kw_only=False)
    fit_intercept: bool = param(flag, default=True)
    scoring: str | Callable[..., Any] | None = param(by_fit, default=None)
    cv: Any = param(by_fit, default=None)
    store_cv_results: bool = param(flag, default=False)
    n_jobs: Jobs = param(jobs, default=None)

    alpha_: Any = fitted()
    alphas_: Array = fitted()
    errors_: Array = fitted()
    best_score_: Any = fitted()
    cv_results_: Array = fitted()
    coef_: Array = fitted(follows_rows=True)
    intercept_: Any = fitted(follows_rows=True)
    df_: float = fitted()
    solver_: str = fitted()
    n_iter_: Any = fitted()

    def _scorer(self) -> Any:
        """The score that is asked for; None for squared errors or, in folds, the model's own."""
        if self.scoring is None:
            return None
        from statfast.model_selection.evaluation.scoring import as_scorers

        if not (isinstance(self.scoring, str) or callable(self.scoring)):
            raise wrong_type("scoring", "the name of a score, or a function", self.scoring)
        return as_scorers(self.scoring, self)["score"]

    def _penalties(self, data: RidgeData) -> tuple[Array, Decomposition | None]:
        """The penalties in falling order; with the decomposition of the rows if it was needed."""
        alphas = as_alphas(self.alphas)
        if self.cv is not None and not isinstance(alphas, int):
            return alphas, None
        rows, Y, weights, intercept = data.rows, data.Y, data.weights, self.fit_intercept
        singular: Decomposition | None = decompose_sparse_rows(rows, Y, weights, intercept, alphas)
        if singular is None:
            singular = decompose(rows, Y, weights, intercept, self.n_jobs)
        if isinstance(alphas, int):
            top = float(singular.s.max(initial=0.0)) ** 2 or 1.0
            alphas = np.geomspace(SPAN_OF_PENALTIES[1] * top, SPAN_OF_PENALTIES[0] * top, alphas)
        return alphas, singular

    def _choose_by_rows(
        self, data: RidgeData, criterion: str, per_target: bool, rate: Callable[..., Any]
    ) -> dict[str, Any]:
        """What is published where rows are left out one by one; ``rate(scorer, predictions)`` is
        the score of predictions (n, T), one for each target if `per_target`."""
        scorer, store = self._scorer(), self.store_cv_results
        alphas, singular = self._penalties(data)
        assert singular is not None
        rows, Y, weights, intercept = data.rows, data.Y, data.weights, self.fit_intercept
        arguments = (singular, rows, Y, weights, alphas, intercept, self.n_jobs)
        published: dict[str, Any] = {}
        if scorer is not None or store:
            refuse_large(
                24.0 * Y.size * len(alphas), "The predictions of rows left out",
                "Pass fewer alphas, or folds in cv.",
            )  # fmt: skip
            predictions = predictions_left_out(*arguments)
        if criterion == "gcv":
            errors = gcv_errors(singular, alphas, len(Y), weights, intercept)
        elif scorer is None:
            errors = squares_left_out(*arguments)
        else:
            scores = [rate(scorer, predictions[:, :, place]) for place in range(len(alphas))]
            errors = -np.array(scores, dtype=np.float64).reshape(len(alphas), -1)
        if store:
            published["cv_results_"] = self._cv_results(data, alphas, predictions, scorer)
        if not per_target:
            errors = errors.mean(axis=1)
        best = errors.argmin(axis=0)
        alpha, score = alphas[best], -errors.min(axis=0)
        return {
            **attributes_of_svd(singular, alpha, data.flat, intercept), **published,
            "alphas_": alphas, "errors_": errors,
            "alpha_": alpha if per_target else float(alpha),
            "best_score_": score if per_target else float(score),
        }  # fmt: skip

    def _cv_results(self, data: RidgeData, alphas: Array, predictions: Array, scorer: Any) -> Array:
        """``cv_results_``: the penalties in the order in which they were passed."""
        values = predictions
        if scorer is None:
            values = (data.Y[:, :, None] - predictions) ** 2
            if data.weights is not None:
                values *= data.weights[:, None, None]
        if np.ndim(self.alphas) == 1:
            passed = np.asarray(self.alphas, dtype=np.float64)
            values = values[:, :, [int(np.argmax(alphas == alpha)) for alpha in passed]]
        return values[:, 0] if data.flat else values

    def _choose_by_folds(
        self, base: Any, data: RidgeData, y: Any, weights: Any, groups: Any
    ) -> dict[str, Any]:
        """What is published where rows are left out in folds; `base` has any penalty."""
        from statfast.model_selection import GridSearchCV

        if self.store_cv_results:
            raise ValueError(
                "cv!=None and store_cv_results=True are incompatible: folds have mean scores, in "
                "errors_. Pass one of them."
            )
        self._scorer()
        alphas, _ = self._penalties(data)
        search = GridSearchCV(
            base, {"alpha": alphas.tolist()}, scoring=self.scoring, cv=self.cv, error_score="raise"
        ).fit(data.rows, y, groups=groups, sample_weight=weights)
        best = search.best_estimator_
        return {
            **{name: vars(best)[name] for name in ("coef_", "intercept_", "df_", "solver_")},
            "n_iter_": best.n_iter_, "alphas_": alphas, "alpha_": search.best_params_["alpha"],
            "errors_": -search.cv_results_["mean_test_score"], "best_score_": search.best_score_,
        }  # fmt: skip


class RidgeCV(StoredIntervals, LinearPredictor, Regressor, PenaltyChoice):
    """Ridge regression with the penalty chosen by (generalized) cross-validation.

    Parameters
    ----------
    alphas : int or array-like of shape (A,), default=(0.1, 1.0, 10.0)
        Penalties to try; or how many, evenly spaced on a log scale, from 1e-6 to 100 times the
        largest squared singular value of the centered columns. None takes 100 of these.
    criterion : {"loo", "gcv"}, default="loo"
        Without `cv`: the error of leaving out one row after the other, each with all of its weight,
        or generalized cross-validation [1]_, which takes the average leverage for that of each row.
    alpha_per_target : bool, default=False
        Without `cv`: whether each target gets a penalty of its own.
    store_left_out : bool, default=False
        Keep what ``predict(interval="conformal")`` needs, with the chosen penalty: n (d + 3)
        numbers, and another reading of the rows. The fits without a row take the penalty that was
        chosen from all rows: where this choice depends on single rows, the level of the jackknife+
        holds only approximately.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    scoring : str or callable, optional
        A score to maximize, by its name in `statfast.metrics.get_scorer`. None is the squared
        error, with `cv` R squared.
    cv : int, splitter or iterable of (train, test), optional
        Folds. An integer cuts the samples in so many runs, without shuffling. None leaves out one
        row after the other.
    store_cv_results : bool, default=False
        Without `cv`: whether to keep `cv_results_`.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    alpha_ : float, or ndarray of shape (T,)
        Of the least error; of equals the largest.
    alphas_ : ndarray of shape (A,)
        In falling order.
    errors_ : ndarray of shape (A,), or (A, T)
        The criterion for each, with `scoring` or `cv` the mean score times -1; the average over
        targets, unless each has a penalty of its own. Infinite where the fit leaves no degrees of
        freedom, as of a single sample.
    cv_results_ : ndarray of shape (n, A), or (n, T, A)
        Squared errors of each row left out, times its weight; with `scoring` what is predicted of
        it. The penalties are in the order of `alphas`.
    coef_ : ndarray of shape (d,), or (T, d) if y was 2-d
        Coefficients.
    intercept_ : float, or ndarray of shape (T,)
        Intercept.
    df_ : float
        Effective degrees of freedom.
    solver_ : str
        Solver used: "svd" or, with `cv`, one of `Ridge`.
    n_iter_ : int or None
        None; iterations of solvers that have them.
    best_score_ : float, or ndarray of shape (T,)
        The least of `errors_`, times -1.

    Raises
    ------
    ValueError
        As `Ridge`; if settings of rows that are left out one by one are combined with `cv`.

    Notes
    -----
    Cost: that of `Ridge` by singular values, and O(A d) for "gcv" or O(n d (d + A)) for "loo".
    Fewer sparse rows than columns, up to 6000 rows, are solved by the eigenvalues of their
    products with each other: O(n^3) time, O(n^2) memory and O(A n^2) for "loo". More rows of
    more than 4000 sparse columns are refused, as that would take minutes; not with `cv`.

    With `cv` it is `GridSearchCV` of `Ridge`: the statistics of folds of dense rows are merged, so
    that all folds and penalties take about two readings of the rows. Weights are those of fits and
    scores.

    References
    ----------
    .. [1] G. H. Golub, M. Heath & G. Wahba (1979), "Generalized cross-validation as a method for
       choosing a good ridge parameter". doi:10.1080/00401706.1979.10489751

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import RidgeCV
    >>> X = np.arange(6.0)[:, None]
    >>> y = [0.1, 0.9, 2.2, 2.8, 4.1, 5.0]
    >>> RidgeCV(alphas=[0.1, 1.0, 10.0]).fit(X, y).alpha_
    0.1
    >>> RidgeCV(alphas=[0.1, 1.0, 10.0], cv=3, scoring="max_error").fit(X, y).errors_.round(2)
    array([1.58, 0.52, 0.26])
    """

    criterion: Literal["loo", "gcv"] = param(one_of("loo", "gcv"), default="loo")
    alpha_per_target: bool = param(flag, default=False)
    store_left_out: bool = param(flag, default=False)

    _multi_output = True

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
        y : array-like of shape (n,) or (n, T)
            Target values.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample. Leave-one-out leaves
            all of these out at once.
        groups : array-like of shape (n,), optional
            Group of each sample, for splitters that keep groups together.

        Returns
        -------
        self
        """
        params = self._checked()
        rows = dense_if_small(table_of(X))
        Y, flat = as_targets(y, rows.shape[0])
        flat = flat or Y.shape[1] == 1
        refuse_extreme(Y)
        data = RidgeData(rows, Y, as_weights(sample_weight, rows.shape[0]), flat)
        per_target = params.alpha_per_target and not flat
        if params.criterion == "gcv" and not (self.cv is None and self.scoring is None):
            raise ValueError(
                "criterion='gcv' leaves no rows out; got scoring or cv, which rate rows left out. "
                "Pass one of them."
            )
        if self.cv is None:
            chosen = self._choose_by_rows(
                data, params.criterion, per_target, _Rating(data, per_target, type(self))
            )
        elif params.alpha_per_target:
            raise ValueError(
                "cv!=None and alpha_per_target=True are incompatible: folds have one score. Fit "
                "the targets one by one."
            )
        else:
            base = Ridge(fit_intercept=params.fit_intercept, n_jobs=self.n_jobs)
            targets = Y[:, 0] if flat else Y
            chosen = self._choose_by_folds(base, data, targets, data.weights, groups)
        stored = self._fits_without_rows(data, chosen["alpha_"]) if params.store_left_out else None
        return self._publish(X, **chosen, _stored=stored)

    def _left_out_fits(self) -> LeftOutFits | None:
        # Fits without a row, in the sense of `ConformalRegressor`, choose their penalty anew.
        return None

    def _fits_without_rows(self, data: RidgeData, alpha: Any) -> StoredLeftOut | None:
        """The fits without each row, of the chosen penalty."""
        if is_sparse(data.rows) or shape_of(alpha):
            return None
        columns, intercept = (data.rows, data.Y, data.weights), self.fit_intercept
        singular = decompose(*columns, intercept, self.n_jobs)
        return left_out_fits(
            *columns, fit_of_penalty(singular, columns, intercept, alpha), self.n_jobs
        )


@dataclass(frozen=True)
class _Rating:
    """Scores of what is predicted of rows left out."""

    data: RidgeData
    per_target: bool
    kind: type

    def __call__(self, scorer: Any, predictions: Array) -> Any:
        if self.per_target:
            return [self._score(scorer, values, y)
                    for values, y in zip(predictions.T, self.data.Y.T, strict=True)]  # fmt: skip
        if self.data.flat:
            return self._score(scorer, predictions[:, 0], self.data.Y[:, 0])
        return self._score(scorer, predictions, self.data.Y)

    def _score(self, scorer: Any, predictions: Array, y: Array) -> Any:
        weights = self.data.weights
        more = {} if weights is None else {"sample_weight": weights}
        return scorer(Answers({"predict": predictions}, None, self.kind), predictions, y, **more)

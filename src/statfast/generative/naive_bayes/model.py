# SPDX-License-Identifier: BSD-3-Clause
"""Naive Bayes: columns that are independent within each class, whatever their densities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from statfast._engine import Chunks
from statfast._estimator import (
    ROW_DTYPES,
    Classifier,
    SumFit,
    checks_of_all_rows,
    codes_among,
    fitted,
    known_classes,
    left_out_plan,
    weighted_labels,
)
from statfast._typing import Array, ArrayLike, Jobs, Matrix, Rows, Seed, Weights
from statfast._validation import (
    as_count,
    as_csr,
    as_generator,
    as_labels,
    as_rows,
    as_weights,
    column_names,
    is_sparse,
    not_fitted,
    refuse_large,
    require_finite,
    rows_for,
)
from statfast.generative.naive_bayes.density import (
    BayesSums,
    Density,
    State,
    class_statistics,
    fill_answers,
    log_of,
    normalize_scores,
    sum_statistics,
)
from statfast.generative.naive_bayes.explanation import explain_odds
from statfast.generative.naive_bayes.priors import as_priors

if TYPE_CHECKING:
    from statfast.generative.naive_bayes.explanation import Explanation


class TooLarge(ValueError):
    """Sums of the rows are not numbers."""


class NaiveBayesModel(Classifier, SumFit):
    """What all naive Bayes classifiers share; a subclass gives its density and class priors."""

    # What subclasses declare, or a fit sets.
    _fitted_density: Any = fitted()
    n_jobs: Jobs = fitted()

    classes_: Array = fitted()
    _joint: Any = fitted()

    _statistics = staticmethod(class_statistics)
    _kept_sums = "_sums"
    _priors_name = "priors"
    _allow_sparse = True
    # Whether NaN and infinity show in the sums, so that the rows need no look.
    _nan_shows_in_sums = False

    # ------------------------------------------------------------ what subclasses say

    def _density(self, d: int) -> Any:
        """The density of d columns, its parameters checked."""
        raise NotImplementedError

    def _log_priors(self, class_counts: Array, classes: Array) -> Array:
        return log_of(as_priors(getattr(self, self._priors_name), class_counts, self._priors_name))

    def _takes_missing(self) -> bool:
        return "missing" in self._declared and self._checked_value("missing") == "ignore"

    def _rows_at_fit(self, X: Any, finite: bool) -> Matrix:
        """Checked rows; the names of columns are `column_names`."""
        if is_sparse(X):
            if not self._allow_sparse:
                return as_rows(X)  # Refuses sparse rows.
            return as_csr(X)
        return as_rows(X, keep=ROW_DTYPES, finite=finite and not self._takes_missing())

    def _rows_later(self, X: Any) -> Matrix:
        finite, sparse = not self._takes_missing(), self._allow_sparse
        rows = rows_for(self, X, keep=ROW_DTYPES, finite=finite, sparse=sparse)
        self._fitted_density.check(rows)
        return rows

    # ------------------------------------------------------------ fit

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the densities of the features in each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or Chunks
            The samples.
        y : array-like of shape (n,)
            A label for each row, of any dtype that has an order.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample, and a class all of
            whose weights are 0 is left out.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            If X is not a 2-d array of numbers that the density takes, if y is not one label for
            each row, or if a parameter is out of its range.
        TypeError
            If a parameter is of the wrong type.
        """
        return self._fit_sum(X, y, sample_weight, finite=not self._nan_shows_in_sums)

    def partial_fit(
        self, X: Rows, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: Weights = None
    ) -> Self:
        """Update the fit with more samples.

        The result is that of one `fit` on all rows, except for rounding. A class without rows so
        far has probability 0.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : array-like of shape (n,)
            Class labels.
        classes : array-like of shape (K,), optional
            All labels that will ever come; needed by the first call, checked by later ones.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            As for `fit`; also if the first call has no `classes`, if a later one has others, or
            if y holds a label that is not among them.
        """
        known = known_classes(self, classes)
        again = "_sums" in self.__dict__
        return self._merge_sum(*self._prepare(X, y, sample_weight, known, again=again))

    def _prepare(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        known: Array | None = None,
        *,
        finite: bool = True,
        again: bool = False,
    ) -> tuple[tuple[Any | Matrix, Array, Array | None], State]:
        """Every check of a fit: the columns that are cut into blocks, and all else it needs."""
        rows, density = self._rows_and_density(X, finite, again)
        n = None if isinstance(rows, Chunks) else rows.shape[0]
        if known is None:
            classes, codes, weights = weighted_labels(y, n, sample_weight)
        else:
            labels, codes = as_labels(y, n)
            weights = as_weights(sample_weight, len(codes))
            classes, codes = known, codes_among(known, labels, codes, weights)
        width = 0 if isinstance(X, Chunks) else rows.shape[1]
        density.partial = known is not None
        keep = known is not None
        return (rows, codes, weights), State(classes, density, width, column_names(X), False, keep)

    def _rows_and_density(self, X: Any, finite: bool, again: bool) -> tuple[Matrix, Density]:
        """The rows, checked, and their density."""
        if isinstance(X, Chunks):  # The number of rows of chunks is known after the pass.
            return X, self._density(0)
        if again:
            rows = self._rows_later(X)
            return rows, self._density(rows.shape[1])
        rows = self._rows_at_fit(X, finite)
        density = self._density(rows.shape[1])
        density.check(rows)
        return rows, density

    def _check_block(self, rows: Any, state: Any) -> None:
        if not self._takes_missing():
            require_finite(rows)
        state.density.check(rows)

    def _total(self, columns: tuple[Any | Matrix, Array, Array | None], state: State) -> BayesSums:
        return sum_statistics(columns, state, self.n_jobs)

    def _solve_total(self, sums: Any, columns: Any, state: Any) -> Self:
        rows: Any = columns[0]
        if isinstance(rows, Chunks):
            state = state.with_width(cast(Any, rows).shape[1])
        try:
            return self._solve(sums, state)
        except TooLarge:
            if isinstance(columns[0], np.ndarray) and not self._takes_missing():
                require_finite(columns[0])
            raise

    def _solve(self, sums: Any, state: Any) -> Self:
        """Become fitted by the merged statistics alone."""
        classes = state.classes
        if not state.keep_absent and not (sums.class_counts > 0.0).all():
            kept = np.flatnonzero(sums.class_counts > 0.0)
            classes, sums = (
                classes[kept],
                BayesSums(sums.class_counts[kept], sums.columns.of_classes(kept)),
            )
        log_priors = self._log_priors(sums.class_counts, classes)
        density = state.density
        if self._solve_parameters:  # A search may have changed these since `_prepare`.
            density = self._density(state.n_features)
            density.partial = state.keep_absent
        try:
            fitted = density.solve(sums.columns, sums.class_counts)
        except OverflowError:
            raise TooLarge(
                "X holds values so large that their squares overflow, or infinity. Divide its "
                "columns by their size."
            ) from None
        here = {"n_features_in_": state.n_features}
        if state.names is not None:
            here["feature_names_in_"] = state.names
        joint = np.where(sums.class_counts > 0.0, self._joint_priors(log_priors), -np.inf)
        return self._publish(
            None,
            classes_=classes,
            class_count_=sums.class_counts,
            **self._prior_attributes(log_priors),
            **fitted.attributes(),
            **here,
            _joint=(fitted, joint),
            _fitted_density=density,
            _sums=sums,
        )

    def _prior_attributes(self, log_priors: Array) -> dict[str, Array]:
        return {"class_prior_": np.exp(log_priors)}

    def _joint_priors(self, log_priors: Array) -> Array:
        """What the scores of the classes begin with."""
        return log_priors

    # ------------------------------------------------------------ prediction

    def predict(self, X: Rows) -> Array:
        """Predict the most probable class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        labels : ndarray of shape (m,), dtype of `classes_`
            The lowest label on ties.

        Raises
        ------
        ValueError
            If X is not a 2-d array of numbers that the density takes, with the columns of the
            fitted one.
        """
        winners = self._scored(X, "scores", np.float64).argmax(axis=1)
        return self.classes_.take(winners)

    def predict_proba(self, X: Rows) -> Array:
        """Return posterior class probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        posteriors : ndarray of shape (m, K)
            Columns as in `classes_`. float32 for float32 X, else float64. A row that has density
            0 in every class has the class probabilities.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        return self._scored(X, "proba")

    def predict_log_proba(self, X: Rows) -> Array:
        """Return the logarithm of the posteriors, also where these underflow to 0.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        log_posteriors : ndarray of shape (m, K)

        Raises
        ------
        ValueError
            As for `predict`.
        """
        return self._scored(X, "log")

    def predict_joint_log_proba(self, X: Rows) -> Array:
        """Return the logarithm of class probability times density.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        joint : ndarray of shape (m, K)
            -inf where the density is 0.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        return self._scored(X, "joint")

    def explain(self, X: Rows, *, of: Any = None, against: Any = None) -> Explanation:
        """Decompose the log odds of two classes into contributions of the features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            A few samples: the shares take m K d numbers.
        of, against : label, optional
            The two classes. None takes the most probable class of each row, and of the others the
            most probable.

        Returns
        -------
        explanation : Explanation
            `log_odds` (m,) is `base` (m,), that of the class probabilities and whatever is common
            to all columns, plus the sum of `shares` (m, d).

        Raises
        ------
        ValueError
            As for `predict`; also if a label is not among the classes, or there is one class.
        MemoryError
            If the shares would take more than half of the free memory.
        """
        rows = self._rows(X)
        fitted, priors = self._joint
        refuse_large(
            8 * rows.shape[0] * rows.shape[1] * len(priors), "explain", "Explain fewer rows."
        )
        if is_sparse(rows):
            rows = rows.toarray()
        return explain_odds(self, rows, fitted, priors, of, against)

    def sample(self, n_samples: int = 1, *, random_state: Seed = None) -> tuple[Array, Array]:
        """Draw samples from the fitted joint distribution: a class, then its features.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState, Generator or None, default=None
            Seed or generator; an integer makes the result reproducible.

        Returns
        -------
        X : ndarray of shape (n_samples, d)
        y : ndarray of shape (n_samples,)
            Their classes.
        """
        rng, codes = self._drawn_classes(n_samples, random_state)
        return self._joint[0].draw(codes, rng), self.classes_[codes]

    def _drawn_classes(
        self, n_samples: float, random_state: Seed
    ) -> tuple[np.random.Generator, Array]:
        self._require_fitted()
        n = as_count(n_samples, "n_samples")
        refuse_large(8 * n * self.n_features_in_, "sample", "Draw fewer rows at a time.")
        rng = as_generator(random_state)
        chances = np.exp(self._joint[1])
        return rng, rng.choice(len(chances), size=n, p=chances / chances.sum())

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    def _rows(self, X: Any) -> Any:
        self._require_fitted()
        return self._rows_later(X)

    def _scored(self, X: Any, what: str, dtype: type[Any] | None = None) -> Array:
        rows = self._rows(X)
        fitted, priors = self._joint
        if dtype is None:
            dtype = np.float32 if rows.dtype == np.float32 else np.float64
        out = np.empty((rows.shape[0], len(priors)), dtype)
        sparse = self._fitted_density.sparse
        fill_answers(fitted, rows, priors, out, what, sparse=sparse, n_jobs=self.n_jobs)
        return out

    def _plan_folds(self, task: Any) -> Any:
        return left_out_plan(self, task, predict_left_out) or super()._plan_folds(task)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._allow_sparse
        tags.input_tags.allow_nan = self._takes_missing()
        return tags


# ------------------------------------------------------------ leave-one-out
# Only the sums of a row's own class change when it is left out, and the class probabilities, of
# which there are few; densities say what that does to their logarithms.
def predict_left_out(model: Any, X: Any, y: Any, sample_weight: Any, method: str) -> Any:
    """Held-out classes, posteriors or log posteriors; None if there is no closed form."""
    if method not in ("predict", "predict_proba", "predict_log_proba"):
        return None
    with checks_of_all_rows():  # Some checks are made while the rows are summed.
        (rows, codes, weights), state = model._prepare(X, y, sample_weight)
        rows = np.ascontiguousarray(rows) if isinstance(rows, np.ndarray) else rows
        sums = sum_statistics((rows, codes, weights), state, model.n_jobs)
        model._log_priors(sums.class_counts, state.classes)
    row_weights = np.ones(len(codes)) if weights is None else weights
    fixed = isinstance(getattr(model, model._priors_name), np.ndarray | list | tuple)
    if fixed and (sums.class_counts[codes] - row_weights <= 0.0).any():
        return None  # A refit would lack a class that has a prior.
    scores = state.density.leave_one_out(rows, codes, weights, sums.columns, sums.class_counts)
    if scores is None:
        return None
    priors = priors_without(model, sums.class_counts, codes, row_weights, state.classes)
    if not np.isfinite(priors).any(axis=1).all():
        return None  # No class is left.
    with np.errstate(invalid="ignore"):
        scores = np.where(np.isneginf(priors), -np.inf, priors + scores)
    dead = np.isneginf(scores).all(axis=1)
    scores[dead] = priors[dead]
    scores = normalize_scores(scores, np.zeros(len(sums.class_counts)), "log")
    if method == "predict":
        return state.classes.take(scores.argmax(axis=1))
    return np.exp(scores) if method == "predict_proba" else scores


def priors_without(
    model: Any, class_counts: Array, codes: Array, row_weights: Any, classes: Any
) -> Any:
    """Log class probabilities (n, K) without each row: few of them differ."""
    weights, of_row = np.unique(row_weights, return_inverse=True)
    pairs, place = np.unique(codes * len(weights) + of_row.reshape(-1), return_inverse=True)
    priors_of_rows = np.full((len(pairs), len(class_counts)), -np.inf)
    for k, pair in enumerate(pairs.tolist()):
        code, weight = pair // len(weights), weights[pair % len(weights)]
        remaining = class_counts.copy()
        remaining[code] -= weight
        if remaining[code] <= 1e-12 * class_counts[code]:
            remaining[code] = 0.0
        present = remaining > 0.0
        if present.any():
            priors = model._log_priors(remaining[present], classes[present])
            priors_of_rows[k, present] = model._joint_priors(priors)
    return priors_of_rows[np.asarray(place).reshape(-1)]

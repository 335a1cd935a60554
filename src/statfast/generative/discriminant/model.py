# SPDX-License-Identifier: BSD-3-Clause
"""What the fits of discriminants have in common: rows to class moments, moments to a rule.

A subclass says which statistics it needs (`_kind`) and turns them into fitted attributes
(`_attributes`), among them the rule by which `ClassRule` predicts.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from statfast._engine import Chunks
from statfast._estimator import (
    ROW_DTYPES,
    FitState,
    SumFit,
    checks_of_all_rows,
    codes_among,
    known_classes,
    left_out_plan,
    weighted_labels,
)
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import (
    as_choice,
    as_labels,
    as_rows,
    as_weights,
    column_names,
    require_finite,
    rows_for,
    shown,
    wrong_type,
)
from statfast.generative.discriminant.canonical import as_priors
from statfast.generative.discriminant.class_covariances import (
    EstimatedScatters,
    estimate_scatters,
)
from statfast.generative.discriminant.leave_one_out import predict_held_out
from statfast.generative.discriminant.prediction import ClassRule
from statfast.generative.normal.class_moments import class_moments, class_scatters
from statfast.generative.normal.column_terms import AccuracySweeps, NormalTerms, accuracy_sweeps
from statfast.generative.normal.fourth_moments import fourth_moments

_METHODS = ("predict_proba", "predict", "predict_log_proba", "decision_function")
GATHER = {"pooled": class_moments, "scatters": class_scatters, "fourth": fourth_moments}


def gather_moments(columns, state, n_jobs=None):
    """The statistics of rows, codes and weights, of the kind that the state names.

    An estimator of covariances in place of a name is fitted to the rows of each class.
    """
    gather = GATHER.get(state.more) if isinstance(state.more, str) else None
    if gather is None:
        return estimate_scatters(*columns, state, n_jobs)
    return gather(*columns, len(state.classes), n_jobs=n_jobs)


class ClassNormals(ClassRule, SumFit):
    """A fit that is a sum over rows: moments of the classes, and a rule solved from them."""

    _kind: ClassVar[str] = "pooled"
    _statistics = staticmethod(gather_moments)
    _statistics_cut_blocks = True

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the classes.

        Parameters
        ----------
        X : array-like of shape (n, d), or Chunks
            The samples, finite. A memory map is read block by block, `Chunks` once, chunk by chunk.
        y : array-like of shape (n,)
            A label for each row, of any dtype that has an order, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : estimator
            Itself, fitted.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, if y is not one label for each row, if there is one
            class with weight, or too few rows for the covariances, if no column
            varies within the classes, or if a parameter is out of its range.
        TypeError
            If X is sparse, or a parameter is of the wrong type.

        Warns
        -----
        UserWarning
            If columns are constant or collinear within the classes and are left out, or the class
            means are equal.
        """
        return self._fit_sum(X, y, sample_weight)

    def partial_fit(
        self, X: Rows, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: Weights = None
    ) -> Self:
        """Update the fit with more samples.

        The result is that of one `fit` on all the rows, except for rounding. Until every class has
        the rows that its covariance needs, the estimator stays unfitted.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : array-like of shape (n,)
            Class labels.
        classes : array-like of shape (K,), optional
            All labels that will ever come; needed by the first call, checked by later ones.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        self : estimator
            Itself, fitted once there are samples enough.

        Raises
        ------
        ValueError
            As for `fit`; also if the first call has no `classes`, if a later one has others, or
            if y holds a label that is not among them.
        """
        before = self.__dict__.get("_moments")
        if isinstance(before, EstimatedScatters) or not self._adds_up():
            raise ValueError(
                "partial_fit adds moments up; got covariance_estimator, which asks for all rows at "
                "once. Use shrinkage, or fit."
            )
        if before is None:
            rows = as_rows(X, keep=ROW_DTYPES, finite=False)
        else:
            rows = rows_for(self, X, keep=ROW_DTYPES, finite=False)
        self._check()
        known = known_classes(self, classes, least=2)
        weights = as_weights(sample_weight, rows.shape[0])
        labels, codes = as_labels(y, rows.shape[0])
        codes = codes_among(known, labels, codes, weights)
        state = FitState(rows.shape[1], column_names(X), known, self._kind_now())
        return self._merge_sum((rows, codes, weights), state)

    # ------------------------------------------------------------ the steps of a fit

    def _adds_up(self, columns: tuple[Array, Array, None] | None = None) -> bool:
        return isinstance(self._kind_now(), str)

    def _total(self, columns: tuple[Array, Array, Array | None], state: FitState) -> Any:
        return gather_moments(columns, state, self.n_jobs)

    def _prepare(self, X: Any, y: Any, sample_weight: Weights) -> Any:
        """Every check of `fit`: the columns (rows, codes, weights), and the state."""
        self._check()
        if isinstance(X, Chunks) and not self._adds_up():
            raise wrong_type("X", "rows in memory, which covariance_estimator asks for", X)
        if isinstance(X, Chunks):  # The number of rows of chunks is known after the pass.
            rows: Any = X
            n = None
        else:
            rows = as_rows(X, keep=ROW_DTYPES, finite=False)
            n = rows.shape[0]
        classes, codes, weights = weighted_labels(y, n, sample_weight)
        require_classes(classes)
        # The width of chunks is known after the pass.
        width = 0 if isinstance(X, Chunks) else rows.shape[1]
        return (rows, codes, weights), FitState(width, column_names(X), classes, self._kind_now())

    def _solve(self, total: Any, state: Any) -> Self:
        """Become fitted from merged statistics; classes without rows in them are left out."""
        present = total.class_counts > 0.0
        classes = state.classes
        if not present.all():
            classes, total = classes[present], total.of_classes(present)
            require_classes(classes)
        fitted = self._attributes(classes, total, state.names)
        return self._become(state, {"classes_": classes, "_moments": total, **fitted})

    def _solve_so_far(self, total: Any, state: FitState) -> Self:
        if (total.class_counts > 0.0).all() and self._enough(total):
            try:
                return self._solve(total, state)
            except np.linalg.LinAlgError:  # A class has too few rows so far.
                pass
        return self._become(state, {"classes_": state.classes, "_moments": total})

    def _become(self, state: FitState, fitted: dict[str, Any]) -> Self:
        fitted["n_features_in_"] = fitted["_moments"].means.shape[1]
        if state.names is not None:
            fitted["feature_names_in_"] = state.names
        return self._publish(None, **fitted)

    # ------------------------------------------------------------ leave-one-out

    def leave_one_out(
        self, X: Rows, y: ArrayLike, sample_weight: Weights = None, *, method: str = "predict_proba"
    ) -> Array:
        """Return leave-one-out predictions for the training samples.

        Nothing is fitted: the estimator stays as it is.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : array-like of shape (n,)
            Class labels.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample. A sample is left out
            with all of its weight.
        method : str, default="predict_proba"
            What to give of each row: "predict_proba", "predict", "predict_log_proba" or
            "decision_function".

        Returns
        -------
        held_out : ndarray of shape (n, K), or (n,)
            Columns are the classes of y; a class of which the sample is the only one has
            probability 0.

        Raises
        ------
        ValueError
            As for `fit`, of all rows or of those that are left without one.

        Notes
        -----
        Equal to n fits except for rounding, in the time of a few predictions: distances to the fit
        without a row follow from those to the full fit. Rows that are all that a covariance has
        in some direction, and all rows where the covariance is singular, are fitted one by one.
        A fit without the row has other priors, unless they are given: R's ``CV=TRUE`` keeps those
        of all rows, as does ``priors=`` with the shares of the classes.

        References
        ----------
        .. [1] Friedman, J. H. (1989). Regularized discriminant analysis. Journal of the American
           Statistical Association 84, 165-175. https://doi.org/10.1080/01621459.1989.10478752
        """
        as_choice(method, "method", _METHODS)
        if isinstance(X, Chunks):
            raise wrong_type("X", "rows in memory, of which each is left out", X)
        columns, state = self._prepare(X, y, sample_weight)
        require_finite(columns[0])
        return predict_held_out(self, columns, state, method)

    def _plan_folds(self, task: Any) -> Any:
        return left_out_plan(self, task, _left_out) or super()._plan_folds(task)

    def _accuracy_sweeps(
        self, fitted: list[Any], columns: tuple[Any, ...], tests: list[Array], state: Any
    ) -> AccuracySweeps | None:
        centers, terms = [], []
        for total in fitted:
            if not ((total.class_counts > 0.0).all() and self._enough(total)):
                return None
            covariances = self._covariances_of_columns(total)
            if covariances is None:
                return None
            centers.append(total.class_counts @ total.means / total.class_counts.sum())
            log_priors = np.log(as_priors(self.priors, total.class_counts))
            terms.append(
                NormalTerms.of(total.means, covariances, log_priors, centers[-1], self.tol)
            )
        return accuracy_sweeps(columns, tests, centers, terms, self.n_jobs)

    def _covariances_of_columns(self, total: Any) -> Array | None:
        """The covariances of a fit, (1, d, d) or (K, d, d), of which a part is that of the fit of
        some columns; None where it is not."""
        return None

    # ------------------------------------------------------------ what the fits differ in

    def _left_out_scores(self, state: FitState, total: Any, method: str) -> Any:
        """A function from rows, codes and weights to scores, and whether they are certain."""
        raise NotImplementedError

    @property
    def _statistics_can_be_rescaled(self) -> Any:
        return self._kind_now() in ("pooled", "scatters")

    @property
    def _statistics_can_be_cut(self) -> Any:
        return self._kind_now() in ("pooled", "scatters")

    def _kind_now(self) -> str:
        """Which statistics the parameters ask for."""
        return self._kind

    def _check(self) -> Any:
        """The parameters, checked as far as they can be before the rows are read."""
        raise NotImplementedError

    def _enough(self, total: Any) -> Any:
        """Whether the statistics suffice for a fit."""
        raise NotImplementedError

    def _attributes(self, classes: Any, total: Any, names: Any) -> Any:
        """All fitted attributes from the statistics."""
        raise NotImplementedError


def _left_out(model: Any, X: Any, y: Any, sample_weight: Weights, method: str) -> Any:
    """`leave_one_out` where it takes no more than a few fits, else None."""
    if method not in _METHODS:
        return None
    with checks_of_all_rows():
        columns, state = model._prepare(X, y, sample_weight)
        require_finite(columns[0])
    return predict_held_out(model, columns, state, method, patient=False)


def require_classes(classes: Array) -> None:
    """Refuse rows of one class."""
    if len(classes) < 2:
        raise ValueError(
            "y must hold at least 2 classes to discriminate; got one class, "
            f"{shown(classes.tolist()[0])}. Pass rows of another class too."
        )

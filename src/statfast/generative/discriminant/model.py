# SPDX-License-Identifier: BSD-3-Clause
"""What the discriminants have in common: rows to class moments, moments to a rule, rule to labels.

A subclass says which statistics it needs (`_kind`), which kernels score its rule (`_kernel`), and
turns statistics into fitted attributes (`_attributes`), among them ``_rule``.
"""

from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from statfast._engine import Chunks
from statfast._estimator import Classifier, Estimator, FitState
from statfast._validation import (
    as_choice,
    as_labels,
    as_rows,
    as_weights,
    column_names,
    not_fitted,
    require_finite,
    rows_for,
    shown,
    wrong_type,
)
from statfast.generative.discriminant.leave_one_out import held_out
from statfast.generative.discriminant.rules import fill, filled, log_softmax_of
from statfast.generative.normal.class_moments import class_moments, class_scatters
from statfast.generative.normal.fourth_moments import fourth_moments

_METHODS = ("predict_proba", "predict", "predict_log_proba", "decision_function")
GATHER = {"pooled": class_moments, "scatters": class_scatters, "fourth": fourth_moments}
KEPT = (np.float64, np.float32, np.uint8)


def gathered(columns, state, n_jobs=None):
    """The statistics of rows, codes and weights, of the kind that the state names."""
    return GATHER[state.more](*columns, len(state.classes), n_jobs=n_jobs)


def statistics(columns, state):
    """The same, as folds ask for it."""
    return gathered(columns, state)


class ClassNormals(Classifier, Estimator):
    """A normal density for each class, and Bayes' rule."""

    _kind: ClassVar[str] = "pooled"
    _kernel: ClassVar[ModuleType]
    _statistics = staticmethod(statistics)

    n_jobs: int | None
    classes_: NDArray[Any]

    def fit(self, X, y, sample_weight=None):
        """Fit the classes.

        Parameters
        ----------
        X : array-like of shape (n, d), or Chunks
            The rows, finite. A memory map is read block by block, `Chunks` once, chunk by chunk.
        y : array-like of shape (n,)
            A label for each row, of any dtype that has an order, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows; an integer weight equals a repeated row.

        Returns
        -------
        self : estimator
            Itself, fitted.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, if y is not one label for each row, if there is one
            class, a class without weight, or too few rows for the covariances, if no column
            varies within the classes, or if a parameter is out of its range.
        TypeError
            If X is sparse, or a parameter is of the wrong type.

        Warns
        -----
        UserWarning
            If columns are constant or collinear within the classes and are left out, or the class
            means are equal.
        """
        columns, state = self._prepare(X, y, sample_weight)
        return self._solve(gathered(columns, state, self.n_jobs), state)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Add rows to those fitted so far, by `fit` or by this method.

        The result is that of one `fit` on all the rows, but for rounding. Until every class has
        the rows that its covariance needs, the estimator stays unfitted.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
        classes : array-like of shape (K,), optional
            All labels that will ever come; needed by the first call, checked by later ones.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        self : estimator
            Itself, fitted once there are rows enough.

        Raises
        ------
        ValueError
            As for `fit`; also if the first call has no `classes`, if a later one has others, or
            if y holds a label that is not among them.
        """
        before = self.__dict__.get("_moments")
        if before is None:
            rows = as_rows(X, keep=KEPT, finite=False)
        else:
            rows = rows_for(self, X, keep=KEPT, finite=False)
        self._check()
        known = self._known_classes(classes)
        labels, codes = as_labels(y, rows.shape[0])
        place = {label: k for k, label in enumerate(known.tolist())}
        for label in labels.tolist():
            if label not in place:
                raise ValueError(
                    f"y holds the class {shown(label)}, which is not among classes "
                    f"({shown(known.tolist())}). Name every class in the first call."
                )
        codes = np.array([place[label] for label in labels.tolist()], np.intp)[codes]
        weights = as_weights(sample_weight, rows.shape[0])
        names = self.__dict__.get("feature_names_in_", column_names(X))
        state = FitState(rows.shape[1], names, known, self._kind_now())
        total = gathered((rows, codes, weights), state, self.n_jobs)
        if before is not None:
            total = before + total
        if (total.mass > 0.0).all() and self._enough(total):
            try:
                return self._solve(total, state)
            except np.linalg.LinAlgError:  # a class has too few rows as yet
                pass
        return self._become(state, {"classes_": known, "_moments": total})

    def _known_classes(self, classes):
        """The classes of all calls of `partial_fit`."""
        known = self.__dict__.get("classes_")
        if classes is None:
            if known is None:
                raise ValueError(
                    "classes must be passed on the first call to partial_fit; got None. "
                    "Pass all labels that will ever come."
                )
            return known
        if not hasattr(classes, "__len__") or getattr(classes, "ndim", 1) == 0:
            raise wrong_type("classes", "a list of labels", classes)
        given, _ = as_labels(classes, len(classes), name="classes")
        if known is not None and not np.array_equal(given, known):
            raise ValueError(
                f"classes must be those of the first call ({shown(known.tolist())}); got "
                f"{shown(given.tolist())}. Leave it out, or fit a new estimator."
            )
        if len(given) < 2:
            raise ValueError(
                f"classes must hold at least 2 classes; got {shown(given.tolist())}. Name them all."
            )
        return given

    # ------------------------------------------------------------ the steps of a fit

    def _prepare(self, X, y, sample_weight):
        """Every check of `fit`: the columns (rows, codes, weights), and the state."""
        self._check()
        if isinstance(X, Chunks):  # how many rows it has is known after the pass
            rows = X
            classes, codes = as_labels(y, np.size(y))
        else:
            rows = as_rows(X, keep=KEPT, finite=False)
            classes, codes = as_labels(y, rows.shape[0])
        weights = as_weights(sample_weight, len(codes))
        require_classes(classes)
        if weights is not None:
            mass = np.bincount(codes, weights, len(classes))
            if not (mass > 0.0).all():
                raise ValueError(
                    "Every class in y needs a row with a positive sample_weight; the class "
                    f"{shown(classes.tolist()[mass.argmin()])} has none. Leave its rows out."
                )
        width = 0 if isinstance(X, Chunks) else rows.shape[1]  # not known before the pass
        return (rows, codes, weights), FitState(width, column_names(X), classes, self._kind_now())

    def _solve(self, total, state):
        """Become fitted from merged statistics; classes without rows in them are left out."""
        present = total.mass > 0.0
        classes = state.classes
        if not present.all():
            classes, total = classes[present], total.of_classes(present)
            require_classes(classes)
        fitted = self._attributes(classes, total, state.names)
        return self._become(state, {"classes_": classes, "_moments": total, **fitted})

    def _become(self, state, fitted):
        fitted["n_features_in_"] = fitted["_moments"].means.shape[1]
        if state.names is not None:
            fitted["feature_names_in_"] = state.names
        return self._publish(None, **fitted)

    # ------------------------------------------------------------ leave-one-out

    def leave_one_out(self, X, y, sample_weight=None, *, method="predict_proba"):
        """What each row is given by a fit to all other rows.

        Nothing is fitted: the estimator stays as it is.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            A row is left out with all of its weight.
        method : str, default="predict_proba"
            What to give of each row: "predict_proba", "predict", "predict_log_proba" or
            "decision_function".

        Returns
        -------
        held_out : ndarray of shape (n, K), or (n,)
            Columns are the classes of y; a class of which the row is the only one has
            probability 0.

        Raises
        ------
        ValueError
            As for `fit`, of all rows or of those that are left without one.

        Notes
        -----
        Equal to n fits but for rounding, in the time of a few predictions: distances to the fit
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
        return held_out(self, columns, state, method)

    def _leave_one_out(self, X, y, sample_weight, method):
        """`leave_one_out` where it takes no more than a few fits, else None."""
        if isinstance(X, Chunks) or method not in _METHODS:
            return None
        columns, state = self._prepare(X, y, sample_weight)
        require_finite(columns[0])
        return held_out(self, columns, state, method, patient=False)

    # ------------------------------------------------------------ what the fits differ in

    def _held_out(self, state, total):
        """A function from rows, codes and weights to scores, and whether they are certain."""
        raise NotImplementedError

    @property
    def _rescales(self):
        """Whether its statistics tell those of scaled columns."""
        return self._kind_now() != "fourth"

    def _kind_now(self):
        """Which statistics the parameters ask for."""
        return self._kind

    def _check(self):
        """The parameters, checked as far as they can be before the rows are read."""
        raise NotImplementedError

    def _enough(self, total):
        """Whether the statistics suffice for a fit."""
        raise NotImplementedError

    def _attributes(self, classes, total, names):
        """All fitted attributes from the statistics."""
        raise NotImplementedError

    # ------------------------------------------------------------ prediction

    def predict(self, X):
        """Return the most probable class of each row.

        Parameters
        ----------
        X : array-like of shape (m, d)

        Returns
        -------
        labels : ndarray of shape (m,), dtype of `classes_`

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        rows = self._rows(X)
        winners = np.empty(rows.shape[0], np.intp)
        fill(winners, self._kernel.argmax, rows, self._rule, self.n_jobs)
        return self.classes_.take(winners)

    def predict_proba(self, X):
        """Return the posterior probability of each class for each row.

        Parameters
        ----------
        X : array-like of shape (m, d)

        Returns
        -------
        posteriors : ndarray of shape (m, K)
            Columns as in `classes_`. float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        return filled(self._kernel.softmax, self._rows(X), self._rule, self.n_jobs)

    def predict_log_proba(self, X):
        """Return the logarithm of the posteriors, also where these underflow to 0.

        Parameters
        ----------
        X : array-like of shape (m, d)

        Returns
        -------
        log_posteriors : ndarray of shape (m, K)
            Columns as in `classes_`. float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        return filled(log_softmax_of(self._kernel), self._rows(X), self._rule, self.n_jobs)

    def decision_function(self, X):
        """Return the scores of the classes.

        Parameters
        ----------
        X : array-like of shape (m, d)

        Returns
        -------
        scores : ndarray of shape (m, K), or (m,) for two classes
            The logarithm of prior times density, less a term common to all classes; for two
            classes the log-odds of the second. float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        rows = self._rows(X)
        out = np.empty((rows.shape[0], len(self.classes_)))
        fill(out, self._kernel.scores, rows, self._rule, self.n_jobs)
        out = out[:, 1] - out[:, 0] if out.shape[1] == 2 else out
        with np.errstate(over="ignore"):
            return out.astype(np.float32 if rows.dtype == np.float32 else np.float64, copy=False)

    def _rows(self, X):
        if "_rule" not in self.__dict__:  # unfitted, or partial_fit waits for more rows
            raise not_fitted(self)
        return rows_for(self, X, keep=KEPT, finite=False)  # `fill` looks at the scores

    def __sklearn_is_fitted__(self):
        return "_rule" in self.__dict__


def require_classes(classes):
    """Refuse rows of one class."""
    if len(classes) < 2:
        raise ValueError(
            "y must hold at least 2 classes to discriminate; got one class, "
            f"{shown(classes.tolist()[0])}. Pass rows of another class too."
        )

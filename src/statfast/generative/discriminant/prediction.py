# SPDX-License-Identifier: BSD-3-Clause
"""What discriminants say of rows by a rule of any form."""

from __future__ import annotations

from types import ModuleType
from typing import Any, ClassVar, Literal

import numpy as np

from statfast._estimator import (
    ROW_DTYPES,
    Classifier,
    Estimator,
    by_fit,
    fitted,
    flag,
    jobs,
    one_of,
    param,
    real,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows
from statfast._validation import not_fitted, rows_for
from statfast.generative.normal.discriminant_rules import apply_rule, fill_by_rule, log_softmax_of


class ClassRule(Classifier, Estimator):
    """Classes by scores: ``_rule`` is what the kernels of `_kernel` take after the rows."""

    _kernel: ClassVar[ModuleType]
    _rule: tuple[Any, ...] = fitted()

    priors: ArrayLike | None = param(by_fit, default=None)
    method: Literal["moment", "mle"] = param(one_of("moment", "mle"), default="moment")
    store_covariance: bool = param(flag, default=False)
    tol: float = param(real(0), default=1e-4)
    n_jobs: Jobs = param(jobs, default=None)

    classes_: Array = fitted()
    class_count_: Array = fitted()
    priors_: Array = fitted()
    means_: Array = fitted()

    def predict(self, X: Rows) -> Array:
        """Predict the most probable class.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

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
        fill_by_rule(winners, self._kernel.argmax, rows, self._rule, self.n_jobs)
        return self.classes_.take(winners)

    def predict_proba(self, X: Rows) -> Array:
        """Return posterior class probabilities.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

        Returns
        -------
        posteriors : ndarray of shape (m, K)
            Columns as in `classes_`. float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        return apply_rule(self._kernel.softmax, self._rows(X), self._rule, self.n_jobs)

    def predict_log_proba(self, X: Rows) -> Array:
        """Return the logarithm of the posteriors, also where these underflow to 0.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

        Returns
        -------
        log_posteriors : ndarray of shape (m, K)
            Columns as in `classes_`. float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        return apply_rule(log_softmax_of(self._kernel), self._rows(X), self._rule, self.n_jobs)

    def decision_function(self, X: Rows) -> Array:
        """Return the scores of the classes.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

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
        fill_by_rule(out, self._kernel.scores, rows, self._rule, self.n_jobs)
        out = out[:, 1] - out[:, 0] if out.shape[1] == 2 else out
        with np.errstate(over="ignore"):
            return out.astype(np.float32 if rows.dtype == np.float32 else np.float64, copy=False)

    def _rows(self, X):
        if "_rule" not in self.__dict__:  # It is not fitted, or partial_fit waits for more rows.
            raise not_fitted(self)
        # `fill_by_rule` looks at the scores.
        return rows_for(self, X, keep=ROW_DTYPES, finite=False)

    def __sklearn_is_fitted__(self):
        return "_rule" in self.__dict__

# SPDX-License-Identifier: BSD-3-Clause
"""What discriminants say of rows by a rule of any form."""

from __future__ import annotations

from types import ModuleType
from typing import Any, ClassVar, Literal

import numpy as np

from statfast._estimator import (
    ROW_DTYPES,
    Classifier,
    CoefficientTable,
    Estimator,
    Summary,
    by_fit,
    fitted,
    flag,
    jobs,
    log_sum_exp,
    one_of,
    param,
    real,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed
from statfast._validation import as_count, as_generator, not_fitted, refuse_large, rows_for
from statfast.generative.normal.discriminant_rules import apply_rule, fill_by_rule, log_softmax_of
from statfast.generative.normal.likelihood import LOG_TWO_PI


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
    n_parameters_: int = fitted()
    log_likelihood_: float = fitted()
    aic_: float = fitted()
    bic_: float = fitted()

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

    # ------------------------------------------------------------ the joint distribution

    def predict_joint_log_proba(self, X: Rows) -> Array:
        """Return the logarithm of prior times density of each class.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.

        Returns
        -------
        joint : ndarray of shape (m, K)
            Columns as in `classes_`. float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        return self._log_joint(self._rows(X))

    def score_samples(self, X: Rows) -> Array:
        """Return the log density of each sample in the mixture of the classes.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.

        Returns
        -------
        log_densities : ndarray of shape (m,)
            log m(x), with m(x) the sum over the classes of prior times density. Low values are of
            samples unlike those of any class.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        return log_sum_exp(self._log_joint(self._rows(X)))

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
            Their classes, drawn with the probabilities `priors_`.

        Raises
        ------
        ValueError
            If `n_samples` is not positive.
        MemoryError
            If the samples would take more than half of the free memory.
        """
        self._require_fitted()
        n, d = as_count(n_samples, "n_samples"), self.means_.shape[1]
        refuse_large(16 * n * d, f"n_samples={n} rows of {d} columns", "Draw fewer at a time.")
        rng = as_generator(random_state)
        codes = rng.choice(len(self.priors_), size=n, p=self.priors_)
        normals, X = rng.standard_normal((n, d)), self.means_[codes]
        for k in np.unique(codes).tolist():
            root, rows = self._covariance_root(k), codes == k
            X[rows] += normals[rows][:, : root.shape[1]] @ root.T
        return X, self.classes_[codes]

    def summary(self) -> Summary:
        """Return what R's MASS prints of a fit: priors, group means and canonical variates.

        Returns
        -------
        Summary
            The last only of a linear discriminant analysis: coefficients, and the proportion of
            the trace for each.
        """
        self._require_fitted()
        facts = [
            ("Weight of rows", float(self.class_count_.sum())),
            ("Columns", self.n_features_in_),
            ("Log-likelihood", self.log_likelihood_),
            ("Parameters", self.n_parameters_),
            ("AIC", self.aic_),
            ("BIC", self.bic_),
        ]
        names = [str(label) for label in self.classes_.tolist()]
        means = dict(zip(self._column_labels(), self.means_.T, strict=True))
        tables = {
            "Prior probabilities": CoefficientTable(
                names, {"Prior": self.priors_, "Weight": self.class_count_}
            ),
            "Group means": CoefficientTable(names, means),
            **self._summary_tables(),
        }
        return Summary(type(self).__name__, facts, tables)

    def _column_labels(self) -> Any:
        names = self.__dict__.get("feature_names_in_")
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else names.tolist()

    def _summary_tables(self) -> Any:
        """More tables of the summary, by their headings."""
        return {}

    def _log_joint(self, rows: Any) -> Any:
        """Logarithm of prior times density of checked rows, (m, K)."""
        scores = apply_rule(self._kernel.scores, rows, self._rule, self.n_jobs)
        return scores - 0.5 * self._rule[0].shape[1] * LOG_TWO_PI

    def _covariance_root(self, k: int) -> Any:
        """A matrix (d, r) whose product with its transpose is the covariance of a class."""
        rule: Any = self
        return rule.rotations_[k] * np.sqrt(rule.scalings_[k])

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    def _rows(self, X: Any) -> Array:
        if "_rule" not in self.__dict__:  # It is not fitted, or partial_fit waits for more rows.
            raise not_fitted(self)
        # `fill_by_rule` checks the scores, which shows values that are not finite.
        return rows_for(self, X, keep=ROW_DTYPES, finite=False)

    def __sklearn_is_fitted__(self) -> bool:
        return "_rule" in self.__dict__

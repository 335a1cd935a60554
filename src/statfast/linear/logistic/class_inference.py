# SPDX-License-Identifier: BSD-3-Clause
"""Inference of logistic models, of which a fit may have one for each class."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan
from typing import Any

import numpy as np

from statfast._engine import each, grid
from statfast._estimator import (
    CoefficientTable,
    Summary,
    classes_with_weight,
    times_classes,
    without_unweighted,
)
from statfast._typing import Array, ArrayLike, Matrix, Rows, Weights
from statfast._validation import as_choice, as_labels, as_real, as_weights, shown
from statfast.linear.design.design import added_offset, linear_predictor, new_rows, offsets_for
from statfast.linear.design.formula import predictors, rows_again
from statfast.linear.glm.families import FAMILIES
from statfast.linear.glm.influence import Diagnosed
from statfast.linear.glm.irls_sums import ModelRows, as_float
from statfast.linear.glm.links import LINKS
from statfast.linear.glm.profile import profile_intervals
from statfast.linear.glm.row_influence import ModelParts
from statfast.linear.inference.inference import (
    Inference,
    NoInferenceError,
    as_covariance,
    intervals,
    quadratics,
)
from statfast.linear.logistic.arguments import task_of
from statfast.linear.logistic.class_influence import SoftmaxParts, log_odds
from statfast.linear.logistic.firth import profile
from statfast.linear.logistic.multinomial_profile import multinomial_intervals
from statfast.linear.logistic.problem import dense

TOGETHER = (
    'With multi_class="ovr" each class has a model of its own, fitted to the same rows: how their '
    "coefficients vary together, only the rows tell. Pass "
    "covariance=model.robust_covariance(X, y)."
)


class ClassInference(Diagnosed, Inference):
    """Mixin: the inference of `LogisticRegression`.

    A fit sets what `LogisticRegression.fit` does: ``_result``, or ``results_`` for each class.
    """

    # What the estimator declares, or its fit sets.
    _checked_value: Any
    _coefs: Any
    _has_intercept: Any
    _posterior: str
    _reference: Any
    _robust: Any
    _turned: bool
    class_weight: Any
    classes_: Any
    intercept_: Any
    method: Any

    def _inferred(self, *, refuse: bool = True) -> Any:
        if "results_" in self.__dict__:
            raise NoInferenceError(
                'With multi_class="ovr" each class has a model of its own: see summary() and '
                "results_."
            )
        return super()._inferred(refuse=refuse)

    def _results(self, *, refuse: bool = True) -> list[Any]:
        several = self.__dict__.get("results_")
        if several is None:
            return super()._results(refuse=refuse)
        return [_SingleResult(result)._inferred(refuse=refuse) for result in several.values()]

    @property
    def coef_names_(self) -> Array:
        """Names of the coefficients, ``"(Intercept)"`` first: ndarray of str (q,)."""
        several = self.__dict__.get("results_")
        if several is None:
            return super().coef_names_
        names = [f"{label}: {name}" for label, result in several.items() for name in result.names]
        return np.array(names, dtype=object)

    def odds_ratios(self, level: float = 0.95) -> CoefficientTable:
        """Exponentials of the coefficients, with Wald intervals.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals, between 0 and 1.

        Returns
        -------
        CoefficientTable
            Columns "exp(coef)", "% change" and the ends of the interval; NaN for aliased
            coefficients, infinity beyond 1.8e308.
        """
        return self._ratios(level)

    def profile(
        self,
        X: Rows,
        y: ArrayLike | None = None,
        sample_weight: Weights = None,
        *,
        level: float = 0.95,
    ) -> CoefficientTable:
        """Intervals and tests of a fit by ``method="firth"``, from its penalized likelihood.

        Twice the fall of the penalized log-likelihood when a coefficient is held, the others
        following, is referred to chi-squared with one degree of freedom. In small or separated
        samples this holds where Wald's intervals do not.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : array-like of shape (n,), optional
            Target values.
        sample_weight : array-like of shape (n,), optional
            As given to `fit`; of a formula's data frame, X alone.
        level : float, default=0.95
            Confidence level of the intervals, between 0 and 1.

        Returns
        -------
        CoefficientTable
            Columns "Estimate", the ends of the interval, and "P>chi2" of no effect; the intercept
            first, with headings of the classes where there are several models or samples of
            coefficients.

        Raises
        ------
        ValueError
            If the method is another, or the fit had weights that are not given.

        Notes
        -----
        About ten fits for each coefficient.
        """
        if self._checked_value("method") != "firth":
            raise ValueError(
                f"profile is of method='firth'; got {self.method!r}. Use conf_int and p_values_."
            )
        level = as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
        rows = rows_again(self, X, y, sample_weight, None, None)
        task, kind = task_of(self, rows.X, rows.y, rows.sample_weight, None)
        return profile(task, level, kind == "ovr")

    def _wald(self, level: float) -> Any:
        several = self.__dict__.get("results_")
        if several is None:
            return super()._wald(level)
        return np.concatenate([_SingleResult(result)._wald(level) for result in self._results()])

    def summary(self, *, covariance: str | Array = "model") -> Summary:
        """Summarize the fit: coefficients with their errors and tests, and how good it is.

        Parameters
        ----------
        covariance : {"model"} or ndarray of shape (q, q), default="model"
            Covariance of the coefficients: that of the fit, or a matrix, such as
            `robust_covariance` returns.

        Returns
        -------
        Summary
            ``print`` it, show it in a notebook, or call its ``to_frame()``. For "ovr" with a table
            for each class. Aliased coefficients have NaN.
        """
        results = self.__dict__.get("results_")
        if results is None:
            return super().summary(covariance=covariance)
        covariances = [covariance] * len(results)
        if not isinstance(covariance, str):
            q = len(self._coefs[0]) + self._has_intercept
            table = as_covariance(covariance, len(results) * q).reshape(len(results), q, -1, q)
            covariances = [table[k, :, k] for k in range(len(results))]
        alone = {
            label: _SingleResult(result).summary(covariance=class_covariance)
            for (label, result), class_covariance in zip(results.items(), covariances, strict=True)
        }
        count = next(iter(results.values())).observations
        facts = [("Observations", int(count) if count == int(count) else count)]
        facts += [
            (f"{what} of {label}", getattr(result, name))
            for what, name in (("Deviance", "deviance"), ("Null deviance", "null_deviance"))
            for label, result in results.items()
        ]
        facts += [fact for fact in next(iter(results.values())).facts if fact[0] == "Covariance"]
        notes = dict.fromkeys(note for part in alone.values() for note in part.notes)
        return Summary(
            "Logistic regression, each class against the rest", facts,
            {label: part.table for label, part in alone.items()}, tuple(notes),  # type: ignore[misc]
        )  # fmt: skip

    # ------------------------------------------------------------ rows given again
    def _scores(self, rows: Matrix, offset: Any = None) -> Array:
        """Linear predictors in float64, (n, 1) of two classes, else (n, K)."""
        if len(self.classes_) > 2 and offset is not None:
            raise ValueError("offset is for two classes. Leave it out.")
        added = offsets_for(offset, rows.shape[0])
        coefs = self._coefs
        scores = np.empty((rows.shape[0], len(coefs)))
        for k, (coef, intercept) in enumerate(zip(coefs, vars(self)["intercept_"], strict=True)):
            scores[:, k] = linear_predictor(rows, coef, intercept, added, self.n_jobs)
        return scores

    def _codes_and_weights(
        self, y: Any, n: int, sample_weight: Weights
    ) -> tuple[Array, Array | None]:
        """Codes among the classes of the fit, and weights of rows times those of their classes."""
        labels, codes = as_labels(y, n)
        weights = as_weights(sample_weight, n)
        weights, class_weight = without_unweighted(weights, self.class_weight, labels, codes)
        labels, codes = classes_with_weight(labels, codes, weights)
        known = {label: k for k, label in enumerate(self.classes_.tolist())}
        unknown = set(labels.tolist()) - set(known)
        if unknown:
            raise ValueError(f"y holds {shown(min(unknown))}, which is not a class of the fit.")
        places = np.array([known[label] for label in labels.tolist()], dtype=np.intp)
        codes = places[codes]
        return codes, times_classes(weights, class_weight, self.classes_, codes)

    def _indicators(self, codes: Array) -> Array:
        """What each linear predictor is of, as 0 and 1: (n, 1) or (n, K)."""
        modeled = [0 if self._turned else 1] if len(self._coefs) == 1 else range(len(self._coefs))
        return (codes[:, None] == np.array(modeled)).astype(float)

    def _parts(self, samples: Any) -> ModelParts:
        results = self._results(refuse=False)
        rows = new_rows(self, samples.X)
        n = rows.shape[0]
        codes, weights = self._codes_and_weights(samples.y, n, samples.sample_weight)
        ones = self._indicators(codes)
        offset = added_offset(LINKS["logit"], samples.offset, samples.exposure, n)
        scores, constant = self._scores(rows, offset), self._has_intercept
        if self._posterior == "softmax":
            return SoftmaxParts(rows, ones, weights, scores, constant, results, self._reference)
        binomial, logit = FAMILIES["binomial"], LINKS["logit"]
        return ModelParts(rows, ones, weights, scores, binomial, logit, constant, results)

    def _profiles(self, samples: Any, level: float) -> Any:
        if self.method == "firth":
            table = self.profile(samples.X, samples.y, samples.sample_weight, level=level)
            return np.column_stack(list(table.columns.values())[1:3])
        results, constant = self._results(), self._has_intercept
        rows = new_rows(self, samples.X)
        codes, weights = self._codes_and_weights(samples.y, rows.shape[0], samples.sample_weight)
        quantile = results[0].quantile(level)
        if isnan(quantile):  # There is no inference, as the weights sum to too little.
            return np.full((sum(len(result.coef) for result in results), 2), nan)
        results = [replace(result, robust=None, clusters=0) for result in results]
        offset = added_offset(LINKS["logit"], samples.offset, samples.exposure, rows.shape[0])
        if len(self.classes_) > 2 and offset is not None:
            raise ValueError("offset is for two classes. Leave it out.")
        if self._posterior == "softmax":
            return multinomial_intervals(
                dense(rows),
                codes,
                weights,
                self._reference,
                constant,
                results[0],
                quantile,
                self.n_jobs,
            )
        binomial, logit = FAMILIES["binomial"], LINKS["logit"]
        fixed = weights, offset, binomial, logit, constant, self.n_jobs
        return np.concatenate([
            profile_intervals(ModelRows(rows, y, *fixed), result, quantile)
            for y, result in zip(self._indicators(codes).T.copy(), results, strict=True)
        ])  # fmt: skip

    def _uncertainty(
        self, X: Any, offset: Any, se: bool, interval: Any, level: float, covariance: Any
    ) -> Any:
        """Standard errors and ends of intervals of the probabilities, as asked for."""
        level = as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
        results = self._results()
        X, offset, _ = predictors(self, X, offset)
        rows, posterior = new_rows(self, X), self._posterior
        scores = self._scores(rows, offset)
        varying = np.arange(scores.shape[1])
        if posterior == "softmax":
            varying = np.delete(varying, self._reference)
        elif posterior == "sigmoid":  # a softmax in which the score of the reference is 0
            varying = np.array([0 if self._turned else 1])
            scores = np.insert(scores, 1 - varying[0], 0.0, axis=1)
        if not isinstance(covariance, str):
            spreads = spreads_of(as_covariance(covariance, sum(len(r.coef) for r in results)))
        elif as_choice(covariance, "covariance", ("model",)) and "_robust" in self.__dict__:
            spreads = spreads_of(self._robust)
        elif posterior == "ovr":
            raise NoInferenceError(TOGETHER)
        else:
            spreads = results[0].spreads
        errors = class_errors(rows, self._has_intercept, scores, posterior, varying, spreads)
        quantile = interval and results[0].quantile(level)
        return errors_and_ends(errors[0], errors[1], se, quantile)


class _SingleResult(Inference):
    def __init__(self, result: Any) -> None:
        self._result = result


# ------------------------------------------------------------ errors of probabilities
# By the delta method both are made of the log-odds of each class against all others, whose variance
# is g' M g for their slopes g by the linear predictors, which have the covariance M: errors are
# p (1 - p) times its root, ends of intervals those of the log-odds, turned into probabilities (as
# R's ``plogis(fit + c(-1, 1) * z * se)`` for two classes). Agresti 2013, Categorical Data Analysis,
# 3rd ed., section 16.1.
def class_errors(
    rows: Any, intercept: bool, scores: Any, posterior: Any, varying: Any, spreads: Any
) -> Any:
    """Log-odds of each class against all others and their standard errors, (n, K) each.

    Parameters
    ----------
    rows : ndarray or CSR matrix of shape (n, d)
    intercept : bool
        Whether there is one.
    scores : ndarray of shape (n, K)
        Linear predictors.
    posterior : {"softmax", "ovr"}
    varying : ndarray of shape (m,)
        The classes whose linear predictors vary.
    spreads : callable
        ``spreads(block, intercept)``: the covariances (n, m, m) of these for some rows.
    """
    from scipy.special import expit, log_expit

    logs, bend = scores, None
    if posterior == "ovr":
        logs, bend = log_expit(scores), expit(-scores)
    logits, errors = np.empty(scores.shape), np.empty(scores.shape)

    def work(where: slice) -> None:
        block = rows[where]
        M = spreads(block.toarray() if hasattr(block, "indptr") else as_float(block), intercept)
        for k in range(scores.shape[1]):
            logits[where, k], g = log_odds(logs[where], k)
            g = (g if bend is None else g * bend[where])[:, varying]
            variance = np.einsum("ia,iab,ib->i", g, M, g)
            errors[where, k] = np.sqrt(np.maximum(variance, 0.0))

    each(work, grid(scores.shape[0], 1024))
    return logits, errors


def errors_and_ends(logits: Any, errors: Any, se: bool, quantile: float) -> Any:
    """Standard errors (n, K) if asked for, and ends (n, K, 2) if there is a quantile: a list."""
    from scipy.special import expit

    out = [expit(logits) * expit(-logits) * errors] if se else []
    if quantile is not None:
        out.append(expit(intervals(logits, errors, quantile)))
    return out


def spreads_of(covariance: Any) -> Any:
    """As `Result.spreads`, of another covariance of all coefficients; NaN is for aliased ones."""
    table = np.nan_to_num(covariance)
    return lambda block, intercept: quadratics(block, table, intercept)

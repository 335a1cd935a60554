# SPDX-License-Identifier: BSD-3-Clause
"""Logistic regression: the estimator. How it is solved: linear/logistic/arguments.py."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    Classifier,
    Estimator,
    NewtonTerms,
    SparseCoefficients,
    accuracy,
    by_fit,
    count,
    fitted,
    flag,
    jobs,
    one_of,
    param,
    real,
)
from statfast._typing import Array, ArrayLike, ClassWeight, Jobs, Rows, Weights
from statfast._validation import as_choice, as_flag, as_labels, warn_not_converged
from statfast.linear.design.design import has_offset, new_rows, row_arguments, warn_no_offset
from statfast.linear.design.formula import FromFormula, predictors
from statfast.linear.glm.robust_fit import fit_robust, is_robust
from statfast.linear.inference.inference import Result
from statfast.linear.logistic.arguments import SOLVERS, task_of, task_of_parts
from statfast.linear.logistic.class_inference import ClassInference
from statfast.linear.logistic.fold_models import plan_of_folds


class LogisticRegression(SparseCoefficients, FromFormula, ClassInference, Classifier, Estimator):
    """Logistic regression, by maximum likelihood with inference, or penalized.

    The log-odds of a class are linear in the columns::

        log(P(y = 1 | x) / P(y = 0 | x)) = intercept + coef' x

    Parameters
    ----------
    C : float, default=inf
        Inverse strength of the penalty. Infinity is maximum likelihood, without a penalty (in
        scikit-learn the default is 1.0). A finite C adds to minus the log-likelihood half the sum
        of squares of the coefficients, except for the intercept, over C: ridge. There are no
        standard errors then.
    l1_ratio : float, default=0.0
        Fraction of the l1 norm in the penalty of a finite C, from 0 (ridge) over the elastic net to
        1 (lasso), whose penalty is the sum of absolute values over C, by which some become 0.
    method : {"ml", "firth"}, default="ml"
        "ml" maximizes the likelihood, with the penalty if C is finite. "firth" is Firth's method
        for less bias, whose estimates exist where the classes are separated, too [2]_; see
        `profile`. It takes no other penalty.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    class_weight : dict or "balanced", optional
        Factors of the weights of the samples of each class, by label; "balanced" makes the classes
        weigh the same.
    reference : label, optional
        The class against which the coefficients are reported; the first by default. It changes
        `coef_`, not the predictions, and has no part in a penalized model of several classes.
    multi_class : {"multinomial", "ovr"}, default="multinomial"
        For three or more classes: "multinomial" is one model in which the probabilities are
        proportional to the exponentials of the scores of the classes; "ovr" fits each class against
        the others, and divides their probabilities by their sum.
    tol : float, default=1e-10
        The iterations end when a step moves the log-odds by no more, in root mean square and in
        units of the standard deviation of a response; with an l1 penalty, when the duality gap (of
        several classes, and in parts: the fall promised) is this fraction of the null model's loss.
    max_iter : int, default=100
        Maximum number of iterations.
    warm_start : bool, default=False
        Start with the coefficients of the last fit, if that converged, with the same classes and
        as many columns. The end is the same, to `tol`. Rows in parts start from scratch.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    coef_ : ndarray of shape (1, d), or (K, d) for more than two classes
        Coefficients; 0 where a column depends on those before it (see `aliased_`). Of a multinomial
        model by maximum likelihood, those of the reference class are 0; with a penalty, they sum to
        0 over the classes.
    intercept_ : ndarray of shape (1,) or (K,)
        Intercept.
    n_iter_ : ndarray of shape (1,) or (K,), int32
        Iterations over all samples, without those over a sample. Steps by scores alone, of which
        a run has at most 12 passes, are one iteration.
    converged_ : bool
        Whether the iterations converged.
    results_ : dict of str to Result
        For "ovr" and three or more classes: the numbers of each class's model.
    design_ : FormulaDesign
        Of `from_formula` alone: the terms, and how new data become columns.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.linear.GeneralizedLinearModel : Other families and links.

    Notes
    -----
    Iteratively reweighted least squares [1]_, one pass over the rows an iteration. Where the
    likelihood has no maximum, as the classes are separated [3]_, a warning names the columns.
    scikit-learn's ``penalty=`` ("l2", "l1", "elasticnet", None) is accepted beside C and l1_ratio,
    which say the same, and is refused where it contradicts them.

    Several classes in one model are fitted by Newton's method, whose Hessian limited-memory BFGS
    corrects where a new one would cost more. `summary`, `standard_errors_`, `conf_int` and
    similar tables are of the coefficients with the intercept first, of one class after the other
    but the reference. With "ovr" and three or more classes each has a model of its own
    (`results_`): `conf_int`, `coef_names_` and `robust_covariance` are of one after the other,
    `residuals` and `influence` have a column for each.

    Residuals of a multinomial model have a column for each class, too: those of two classes for its
    indicator y_k and probability p_k, so that Pearson's are (y_k - p_k) / sqrt(p_k (1 - p_k)).
    For `influence` a row has K - 1 responses, the indicators of the classes but the reference, of
    covariance V = diag(p) - p p'. With L L' = V for L = diag(r) - p r' / (1 + s), r the roots of
    these p and s that of the reference's, and M the covariance of the row's linear predictors, its
    block of the hat matrix is a L' M L for weight a [4]_ [5]_. Its trace, the leverage, is the same
    for any root and reference. Cook's distance is that of one step of Newton's method without the
    row. Residuals are standardized by the variance of y_k - p_k that the fit leaves, of V - a V M
    V. In `robust_covariance`, HC2 takes (I - V M)^(-1/2) (y - p) for the row's y - p, HC3 (I - V
    M)^-1 (y - p), and HC1 counts all coefficients.

    A weight of 2 is a row repeated. **Ties** between classes go to the lowest label.

    Cost: n d^2 operations a pass, and d^3. Memory: O(d^2) a thread; rows are read where they lie.

    References
    ----------
    .. [1] McCullagh, P. and Nelder, J. A. (1989). Generalized Linear Models, 2nd ed., section 4.4.
       https://doi.org/10.1007/978-1-4899-3242-6
    .. [2] Heinze, G. and Schemper, M. (2002). A solution to the problem of separation in logistic
       regression. Statistics in Medicine 21, 2409-2419. https://doi.org/10.1002/sim.1047
    .. [3] Albert, A. and Anderson, J. A. (1984). On the existence of maximum likelihood estimates
       in logistic regression models. Biometrika 71, 1-10. https://doi.org/10.1093/biomet/71.1.1
    .. [4] Lesaffre, E. and Albert, A. (1989). Multiple-group logistic regression diagnostics.
       Applied Statistics 38, 425-440. https://doi.org/10.2307/2347731
    .. [5] Fahrmeir, L. and Tutz, G. (2001). Multivariate Statistical Modeling Based on Generalized
       Linear Models, 2nd ed., section 4.2. https://doi.org/10.1007/978-1-4757-3454-6

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.linear import LogisticRegression
    >>> iris = load_iris()
    >>> X, y = iris.data[50:, :2], iris.target[50:]  # versicolor and virginica, sepals
    >>> model = LogisticRegression().fit(X, y)
    >>> model.coef_.round(3)
    array([[1.902, 0.405]])
    >>> model.standard_errors_.round(3)
    array([3.097, 0.517, 0.863])
    """

    C: float = param(real(0, open_low=True, infinite=True), default=np.inf)
    l1_ratio: float = param(real(0, 1), default=0.0)
    method: Literal["ml", "firth"] = param(one_of("ml", "firth"), default="ml")
    fit_intercept: bool = param(flag, default=True)
    class_weight: ClassWeight = param(by_fit, default=None)
    reference: Any = param(by_fit, default=None)
    multi_class: Literal["multinomial", "ovr"] = param(
        one_of("multinomial", "ovr"), default="multinomial"
    )
    tol: float = param(real(0, open_low=True), default=1e-10)
    max_iter: int = param(count(), default=100)
    warm_start: bool = param(flag, default=False)
    n_jobs: Jobs = param(jobs, default=None)

    classes_: Array = fitted()
    coef_: Array = fitted(follows_rows=True)
    intercept_: Array = fitted(follows_rows=True)
    n_iter_: Array = fitted()
    converged_: bool = fitted()
    results_: dict[str, Result] = fitted()

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: Weights = None,
        offset: ArrayLike | None = None,
        *,
        cov_type: Literal["nonrobust", "HC0", "HC1", "HC2", "HC3", "cluster", "HAC"] = "nonrobust",
        groups: ArrayLike | None = None,
        maxlags: int | None = None,
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or Chunks
            The samples, finite. A memory map is read block by block, and `Chunks` are read once for
            each pass.
        y : array-like of shape (n,)
            A label for each row, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.
        offset : array-like of shape (n,), optional
            Added to the log-odds of two classes.
        cov_type : {"nonrobust", "HC0", "HC1", "HC2", "HC3", "cluster", "HAC"}, default="nonrobust"
            The covariance of the coefficients from which all tables, tests and intervals take
            their errors: the model's, or that of `robust_covariance`. Tests stay of t or z; t
            and F of clusters have one degree of freedom less than there are clusters.
        groups : array-like of shape (n,), optional
            Labels of clusters, for "cluster".
        maxlags : int, optional
            Samples before each that it may depend on, for "HAC".

        Returns
        -------
        self : LogisticRegression

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, if y is not one label for each row, if there is one
            class, or if a parameter is out of its range or contradicts another.
        TypeError
            If a parameter is of the wrong type.

        Warns
        -----
        SeparationWarning
            If the classes are separated: the coefficients of the columns named are infinite.
        CollinearityWarning
            If columns of X are constant or collinear.
        ConvergenceWarning
            If max_iter passes were not enough.
        """
        if is_robust(cov_type, groups, maxlags):
            more = {"offset": offset}
            return fit_robust(self, cov_type, groups, maxlags, X, y, sample_weight, **more)
        task, kind = task_of(self, X, y, sample_weight, offset)
        return self._solved(task, kind, X, row_arguments(sample_weight, task.offset))

    def _fit_source(self, parts: Any, X: Any) -> Any:
        """The same of rows in parts, a round for each pass."""
        task, kind = task_of_parts(self, parts)
        return self._solved(task, kind, X)

    def _solved(self, task: Any, kind: str, X: Any, fit_arguments: tuple[Any, ...] = ()) -> Self:
        solution = SOLVERS[kind, task.penalty](task)
        if not solution.converged and not _has_warned(solution):
            warn_not_converged(self, int(solution.n_iter.max()))
        fitted = solution.attributes(task, kind)
        if isinstance(solution.result, Result):
            fitted["_result"] = solution.result
        else:
            fitted["results_"] = solution.result
        return self._publish(X, **fitted, _row_arguments=fit_arguments)

    def _coefs_before(self, kind: str, classes: Array, reference: int, q: int) -> Array | None:
        """Coefficients (m, q) of the last fit, if this one is to go on there; `kind` is "binary" or
        the multi_class."""
        if not self._checked_value("warm_start") or not self.__dict__.get("converged_"):
            return None
        posterior = {"binary": "sigmoid", "multinomial": "softmax"}.get(kind, kind)
        if self._posterior != posterior or not np.array_equal(self.classes_, classes):
            return None
        if kind == "binary" and self._reference != reference:
            return None
        n_intercepts = int(self._checked_value("fit_intercept"))
        coef = np.column_stack([vars(self)["intercept_"][:, None][:, :n_intercepts], self._coefs])
        return coef if coef.shape[1] == q else None

    def _newton_terms(self, X: Array, y: Any, weights: Array) -> list[NewtonTerms] | None:
        penalty = 0.0 if np.isinf(self.C) else 1.0 / self.C
        if self.method != "ml" or self.class_weight is not None or (penalty and self.l1_ratio):
            return None
        probabilities = self.predict_proba(X)
        labels, codes = as_labels(y, len(X))
        marks = labels[codes][:, None] == self.classes_
        classes = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        slopes = np.atleast_2d(vars(self)["coef_"])
        return [
            NewtonTerms(
                weights * probabilities[:, c] * (1.0 - probabilities[:, c]),
                weights * (marks[:, c] - probabilities[:, c]),
                slopes[place], penalty, bool(self.fit_intercept),
            )
            for place, c in enumerate(classes)
        ]  # fmt: skip

    def _plan_folds(self, task: Any) -> Any:
        """Models of all folds, as far as they predict, fitted together; see `fold_fits`."""
        return plan_of_folds(self, task)

    _plans_scaled_folds = True

    def _plan_scaled_folds(self, task: Any, scaled: Any) -> Any:
        return plan_of_folds(self, task, scaled)

    def decision_function(self, X: Rows, offset: ArrayLike | None = None) -> Array:
        """Return the log-odds.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.
        offset : array-like of shape (m,), optional
            Added to the log-odds of two classes. A model fitted with one warns where it is left
            out.

        Returns
        -------
        scores : ndarray of shape (m,), or (m, K) for more than two classes
            Of two classes the log-odds of the second; of several those of each against the others,
            or in a multinomial model the scores of which the softmax are the probabilities.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        X, offset, _ = predictors(self, X, offset)
        rows = new_rows(self, X)
        if offset is None and has_offset(self):
            warn_no_offset(self)
        scores = self._scores(rows, offset)
        if self._turned:
            scores *= -1.0
        if rows.dtype == np.float32:
            scores = scores.astype(np.float32)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Rows, offset: ArrayLike | None = None) -> Array:
        """Predict the most probable class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.
        offset : array-like of shape (m,), optional
            Added to the log-odds of two classes.

        Returns
        -------
        labels : ndarray of shape (m,), dtype of `classes_`
        """
        scores = self.decision_function(X, offset)
        winners = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_.take(winners)

    def score(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: Weights = None,
        *,
        offset: ArrayLike | None = None,
    ) -> float:
        """Return the (weighted) accuracy.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Test samples.
        y : array-like of shape (m,)
            True labels.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.
        offset : array-like of shape (m,), optional
            Added to the log-odds of two classes.

        Returns
        -------
        float
        """
        return accuracy(self.predict(X, offset), y, sample_weight)

    def predict_proba(
        self,
        X: Rows,
        offset: ArrayLike | None = None,
        *,
        se: bool = False,
        interval: Literal["confidence"] | None = None,
        level: float = 0.95,
        covariance: Literal["model"] | Array = "model",
    ) -> Any:
        """Return class probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.
        offset : array-like of shape (m,), optional
            Added to the log-odds of two classes.
        se : bool, default=False
            Also return the standard errors of the probabilities, by the delta method.
        interval : {None, "confidence"}, default=None
            Also return intervals of the probabilities: see Notes.
        level : float, default=0.95
            Confidence level of the intervals, between 0 and 1.
        covariance : {"model"} or ndarray of shape (q, q), default="model"
            Of all coefficients, for errors and intervals; of `robust_covariance`, it is right also
            where the model is not. With "ovr" and three or more classes it must be given: models
            fitted to the same samples vary together, and how, these tell.

        Returns
        -------
        probabilities : ndarray of shape (m, K)
            Columns as in `classes_`. float32 for float32 X, else float64.
        errors : ndarray of shape (m, K)
            Only with ``se=True``.
        ends : ndarray of shape (m, K, 2)
            Only with an interval: lower and upper ends, between 0 and 1.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one, or if errors or
            intervals are asked of a penalized fit, or of one without a maximum.

        Notes
        -----
        Intervals are made on the scale of the log-odds of a class against all others, log(p_k) -
        log(1 - p_k), whose standard error is by the delta method, and turned into probabilities. Of
        two classes these are the linear predictor and its own standard error, as in R's
        ``plogis(fit + c(-1, 1) * z * se.fit)``. Each holds its own probability so often, not all at
        once.

        Examples
        --------
        >>> from statfast.datasets import load_iris
        >>> from statfast.linear import LogisticRegression
        >>> iris = load_iris()
        >>> model = LogisticRegression().fit(iris.data[:, 1:2], iris.target)
        >>> p, errors, ends = model.predict_proba([[3.0]], se=True, interval="confidence")
        >>> p.round(3), errors.round(3)
        (array([[0.209, 0.345, 0.446]]), array([[0.044, 0.048, 0.05 ]]))
        >>> ends.round(3)[0]
        array([[0.135, 0.308],
               [0.257, 0.445],
               [0.351, 0.546]])
        """
        from scipy.special import expit, softmax

        as_choice(interval, "interval", (None, "confidence"))
        scores = self.decision_function(X, offset)
        if scores.ndim == 1:
            shares = np.stack([expit(-scores), expit(scores)], axis=1)
        elif self._posterior == "softmax":
            shares = softmax(scores, axis=1)
        else:
            shares = expit(scores)
            total = shares.sum(axis=1, keepdims=True)
            shares = np.divide(shares, total, out=_highest(scores), where=total > 0)
        if not as_flag(se, "se") and interval is None:
            return shares
        return (shares, *self._uncertainty(X, offset, se, interval, level, covariance))

    def predict_log_proba(self, X: Rows, offset: ArrayLike | None = None) -> Array:
        """Return the logarithm of the probabilities, also where these underflow to 0.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.
        offset : array-like of shape (m,), optional
            Added to the log-odds of two classes.

        Returns
        -------
        log_probabilities : ndarray of shape (m, K)
        """
        from scipy.special import log_expit, log_softmax, logsumexp

        scores = self.decision_function(X, offset)
        if scores.ndim == 1:
            return np.stack([log_expit(-scores), log_expit(scores)], axis=1)
        if self._posterior == "softmax":
            return log_softmax(scores, axis=1)
        logs = log_expit(scores)
        return logs - logsumexp(logs, axis=1, keepdims=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _has_warned(solution: Any) -> bool:
    return any("no finite maximum" in result.refusal for result in solution.results())


def _highest(scores: Array) -> Array:
    """One for the highest score of each row, zeros elsewhere."""
    out = np.zeros_like(scores)
    out[np.arange(len(scores)), scores.argmax(axis=1)] = 1.0
    return out

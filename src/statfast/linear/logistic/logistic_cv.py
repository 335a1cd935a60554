# SPDX-License-Identifier: BSD-3-Clause
"""Penalized logistic regression with a penalty chosen by cross-validation."""

import numpy as np

from statfast._estimator import RULES, Classifier, Estimator, chosen, folds_of
from statfast._validation import (
    as_choice,
    as_count,
    as_flag,
    as_labels,
    as_real,
    as_weights,
    shown,
    warn_not_converged,
)
from statfast.linear.design.design import AcceptsSparse, linear_values, new_rows, table_of
from statfast.linear.logistic.logistic_path import LogisticDescent, fit_logistic_path
from statfast.linear.penalized.held_out import held_out
from statfast.linear.penalized.penalties import as_alphas


class LogisticRegressionCV(AcceptsSparse, Classifier, Estimator):
    """Logistic regression with an l1 or elastic-net penalty chosen by cross-validation.

    Of more than two classes each is fitted against the others, with a penalty of its own.

    Parameters
    ----------
    l1_ratio : float, default=1.0
        Between 0 (ridge) and 1 (lasso).
    alphas : array-like of shape (A,), optional
        Penalties to try, as in `logistic_path`; None takes `n_alphas`.
    n_alphas : int, default=50
    eps : float, default=1e-2
        The last penalty as a share of the first.
    cv : int, splitter or iterable of (train, test), default=5
        An integer cuts the rows of each class in so many runs, without shuffling.
    rule : {"min", "1se"}, default="min"
        The penalty of the least deviance, or the largest one whose deviance is within a standard
        error of the least.
    fit_intercept : bool, default=True
    standardize : bool, default=False
        Penalize each coefficient times the standard deviation of its column (divisor n).
    tol : float, default=1e-8
    max_iter : int, default=100
    n_jobs : int, optional
        The last three as in `logistic_path`.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    coef_ : ndarray of shape (m, d)
        m = 1 row of log-odds of the second of two classes; m = K rows for more than two.
    intercept_ : ndarray of shape (m,)
    alpha_, alpha_min_, alpha_1se_ : ndarray of shape (m,)
        The penalties chosen, and those of either rule.
    alphas_ : ndarray of shape (m, A)
        Those tried, in falling order.
    deviance_path_ : ndarray of shape (m, A, folds)
        Mean deviances of the rows held out.
    deviance_mean_, deviance_error_ : ndarray of shape (m, A)
        Their means by weight, and the standard errors of those.
    dual_gap_ : ndarray of shape (m,)
    n_iter_ : ndarray of shape (m,)
        Of the fits to all rows.

    Raises
    ------
    ValueError
        By ``fit``: if X holds NaN or infinity, y has one class, or a parameter is out of range.

    Notes
    -----
    A fold is all rows with weight 0 for those held out. Cost: folds + 1 paths for each row of
    coefficients. Probabilities of more than two classes are those against the others over their
    sum. Ties between classes go to the first.

    References
    ----------
    J. Friedman, T. Hastie & R. Tibshirani (2010), "Regularization paths for generalized linear
    models via coordinate descent". doi:10.18637/jss.v033.i01

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import LogisticRegressionCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 5))
    >>> y = np.where(3 * X[:, 0] + rng.standard_normal(200) > 0, "yes", "no")
    >>> model = LogisticRegressionCV(rule="1se").fit(X, y)
    >>> np.flatnonzero(model.coef_[0]), bool(model.score(X, y) > 0.85)
    (array([0]), True)
    """

    def __init__(
        self, *, l1_ratio=1.0, alphas=None, n_alphas=50, eps=1e-2, cv=5, rule="min",
        fit_intercept=True, standardize=False, tol=1e-8, max_iter=100, n_jobs=None,
    ):  # fmt: skip
        self.l1_ratio = l1_ratio
        self.alphas = alphas
        self.n_alphas = n_alphas
        self.eps = eps
        self.cv = cv
        self.rule = rule
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Choose, and fit to all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        self
        """
        rows = table_of(X, n_min=2, finite=False)
        n = rows.shape[0]
        labels, codes = as_labels(y, n)
        if len(labels) < 2:
            raise ValueError(
                f"y must hold at least 2 classes to tell apart; got one class, "
                f"{shown(labels.tolist()[0])}. Pass rows of another class too."
            )
        weights = as_weights(sample_weight, n)
        ratio = as_real(self.l1_ratio, "l1_ratio", 0.0, 1.0)
        how = {
            "l1_ratio": ratio,
            "intercept": as_flag(self.fit_intercept, "fit_intercept"),
            "standardize": as_flag(self.standardize, "standardize"),
            "tol": as_real(self.tol, "tol", 0.0),
            "max_iter": as_count(self.max_iter, "max_iter"),
        }
        rule = as_choice(self.rule, "rule", RULES)
        folds = folds_of(self.cv, rows, codes, weights, codes)
        given = None if self.alphas is None else as_alphas(self.alphas)
        modeled = [1] if len(labels) == 2 else range(len(labels))
        found = [
            self._one(rows, (codes == k).astype(np.float64), weights, folds, given, rule, how)
            for k in modeled
        ]
        together = {name: np.array([one[name] for one in found]) for name in found[0]}
        if together["n_iter_"].max() >= how["max_iter"]:
            warn_not_converged(self, int(together["n_iter_"].max()))
        return self._publish(X, classes_=labels, **together)

    def _one(self, rows, y01, weights, folds, alphas, rule, how):
        """One class against the others."""
        for fold in folds:
            _require_both(fold.kept, y01)
        if alphas is None:
            start = LogisticDescent(
                rows, y01, weights, how["intercept"], how["standardize"], self.n_jobs
            )
            alphas = start.grid(how["l1_ratio"], self.n_alphas, self.eps)
        errors = self._errors(rows, y01, folds, alphas, how)
        masses = np.array([fold.held.sum() for fold in folds])
        mean, error, best, one, place = chosen(errors, masses, rule)
        path = fit_logistic_path(
            rows, y01, weights, alphas=alphas[: place + 1], n_jobs=self.n_jobs, **how
        )
        return {
            "coef_": path.coefs[:, -1],
            "intercept_": path.intercepts[-1],
            "alpha_": alphas[place],
            "alpha_min_": alphas[best],
            "alpha_1se_": alphas[one],
            "alphas_": alphas,
            "deviance_path_": errors,
            "deviance_mean_": mean,
            "deviance_error_": error,
            "dual_gap_": path.dual_gaps[-1],
            "n_iter_": path.n_iters[-1] or how["max_iter"],  # 0 where the path ended before
        }

    def _errors(self, rows, y01, folds, alphas, how):
        def fit(kept):
            return fit_logistic_path(rows, y01, kept, alphas=alphas, **how)

        def loss(test, eta):
            return 2 * (np.logaddexp(0.0, eta) - y01[test][:, None] * eta)

        return held_out(folds, rows, fit, loss, self.n_jobs)

    def decision_function(self, X):
        """Log-odds of the second of two classes, or of each against the others.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)

        Returns
        -------
        ndarray of shape (m,), or (m, K) for more than two classes
        """
        rows = new_rows(self, X, finite=True)
        if len(self.classes_) == 2:
            return linear_values(rows, self.coef_[0], self.intercept_[0])
        return linear_values(rows, self.coef_, self.intercept_)

    def predict(self, X):
        """The most probable class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)

        Returns
        -------
        ndarray of shape (m,)
        """
        eta = self.decision_function(X)
        return self.classes_[(eta > 0).astype(np.intp) if eta.ndim == 1 else eta.argmax(axis=1)]

    def predict_proba(self, X):
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)

        Returns
        -------
        ndarray of shape (m, K)
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X):
        """Logarithms of the probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)

        Returns
        -------
        ndarray of shape (m, K)
        """
        from scipy.special import log_expit, logsumexp

        eta = self.decision_function(X)
        if eta.ndim == 1:
            return np.stack([log_expit(-eta), log_expit(eta)], axis=1)
        logs = log_expit(eta)
        return logs - logsumexp(logs, axis=1, keepdims=True)


def _require_both(kept, y01):
    if not (kept[y01 == 0].any() and kept[y01 == 1].any()):
        raise ValueError(
            "y has a class whose rows are all held out by a fold of cv, or have weight 0. Pass "
            "fewer folds."
        )

# SPDX-License-Identifier: BSD-3-Clause
"""Penalized logistic regression with the penalty chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    absent,
    as_folds,
    as_groups,
    by_fit,
    checked_by,
    classes_with_weight,
    fitted,
    flag,
    one_of,
    param,
    removed,
    require_several,
    rows_besides,
    with_params,
    without_unweighted,
)
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import (
    MAX_REPEATS,
    as_count,
    as_labels,
    as_real,
    as_weights,
    column_names,
    not_fitted,
    wrong_type,
)
from statfast.linear.design.design import table_of
from statfast.linear.inference.inference import NoInferenceError
from statfast.linear.logistic.logistic import LogisticRegression

PENALIZED = (
    "a penalized fit has no standard errors, tests or intervals. Fit LogisticRegression with "
    "C=np.inf for them."
)
POWERS_OF_C = -4, 4  # A number of Cs lies between these powers of ten, as in scikit-learn.


def as_strengths(Cs: Any, name: str) -> list[float]:
    """Values of C, ascending: a list of float."""
    if isinstance(Cs, int | np.integer) and not isinstance(Cs, bool):
        return np.logspace(*POWERS_OF_C, as_count(Cs, name, high=MAX_REPEATS)).tolist()
    return sorted(as_real(C, name, 0.0, open_low=True) for C in _listed(Cs, name))


def as_shares(ratios: Any, name: str) -> list[float]:
    """Values of l1_ratio: a list of float."""
    return [as_real(ratio, name, 0.0, 1.0) for ratio in _listed(ratios, name)]


def _listed(values: Any, name: str) -> list[float]:
    try:
        listed = list(values)
    except TypeError:
        raise wrong_type(name, "a list of numbers", values) from None
    if isinstance(values, str | dict) or not listed:
        raise wrong_type(name, "a list of numbers", values)
    return listed


class LogisticRegressionCV(LogisticRegression):
    """Logistic regression with the penalty chosen by cross-validation.

    Parameters
    ----------
    Cs : int or array-like of float, default=10
        Inverse strengths of the penalty to try; or how many, evenly spaced on a log scale from 1e-4
        to 1e4.
    l1_ratios : array-like of float, default=(0.0,)
        Proportions of the l1 norm to try: 0 is ridge, 1 lasso.
    cv : int, splitter or iterable of (train, test), optional
        Folds. An integer cuts the samples of each class in so many runs, without shuffling; None in
        5.
    scoring : str or callable, optional
        A score to maximize, by its name in `statfast.metrics.get_scorer`; None is "neg_log_loss".
    rule : {"min", "1se"}, default="min"
        The candidate with the best score, or the smallest C whose score is within a standard error
        of the best (Breiman, Friedman, Olshen & Stone 1984, section 3.4.3).
    refit : bool, default=True
        Fit the chosen candidate to all samples. False takes the best candidate of each fold by
        itself, and the means of their penalties and of the coefficients of their fits in the folds.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    class_weight : dict or "balanced", optional
        Factors of the weights of the samples of each class, by label; "balanced" makes the classes
        weigh the same.
    multi_class : {"multinomial", "ovr"}, default="multinomial"
        For three or more classes: "multinomial" is one model in which the probabilities are
        proportional to the exponentials of the scores of the classes; "ovr" fits each class against
        the others, and divides their probabilities by their sum.
    tol : float, default=1e-10
        The iterations end when a step moves the log-odds by no more, in root mean square and in
        units of the standard deviation of a response; with an l1 penalty, when the duality gap (of
        several classes: the fall that a step promises) is this fraction of the null model's loss.
    max_iter : int, default=100
        Maximum number of iterations.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    coef_ : ndarray of shape (1, d), or (K, d) for more than two classes
        Coefficients of the fit to all samples, or means of those of the folds.
    intercept_ : ndarray of shape (1,) or (K,)
        Intercept.
    C_ : float
        The chosen inverse strength, or the mean of those of the folds.
    l1_ratio_ : float
        The chosen fraction of the l1 norm, or the mean of those of the folds.
    Cs_ : ndarray of shape (S,)
        Those tried, ascending.
    l1_ratios_ : ndarray of shape (R,)
        Values of `l1_ratio` tried.
    scores_ : ndarray of shape (folds, R, S)
        Scores of the held-out samples.
    n_iter_ : ndarray of shape (1,) or (K,), int32
        Passes of the fit to all samples, or the most of those of the folds.
    converged_ : bool
        Whether the iterations converged, without `refit` those of all folds.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.linear.logistic_path : Coefficients for falling l1 penalties.

    Notes
    -----
    A search over `LogisticRegression`, as `statfast.model_selection.GridSearchCV` makes it: ridge
    models of all folds are fitted together. Ties between candidates go to the smallest C. ``score``
    is that of `scoring`, or the accuracy where it is None. Without `refit` there is no fit to all
    samples, and so no summary of one.

    Cost: a fit for each fold and candidate, and one to all rows; without `refit` one for each fold.

    References
    ----------
    .. [1] Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning,
       2nd ed., section 7.10. https://doi.org/10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from statfast import LogisticRegressionCV
    >>> from statfast.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegressionCV(Cs=[0.01, 1.0, 100.0], rule="1se").fit(X, y)
    >>> model.C_, model.scores_.shape
    (100.0, (5, 1, 3))
    """

    _scorer: Any = fitted()

    C: float = removed()
    l1_ratio: float = removed()
    method: Literal["ml", "firth"] = removed(fixed="ml")
    reference: Any = removed()
    warm_start: bool = removed(fixed=False)
    Cs: ArrayLike = param(checked_by(as_strengths, 10, (0.1, 1.0)), default=10)
    l1_ratios: ArrayLike = param(checked_by(as_shares, (0.0,), (0.0, 0.5)), default=(0.0,))
    cv: Any = param(by_fit, default=None)
    scoring: str | Callable[..., Any] | None = param(by_fit, default=None)
    rule: Literal["min", "1se"] = param(one_of("min", "1se"), default="min")
    refit: bool = param(flag, default=True)

    conf_int = absent(PENALIZED)
    influence = absent(PENALIZED)
    odds_ratios = absent(PENALIZED)
    profile = absent(PENALIZED)
    robust_covariance = absent(PENALIZED)
    t_test = absent(PENALIZED)
    wald_test = absent(PENALIZED)

    C_: float = fitted()
    l1_ratio_: float = fitted()
    Cs_: Array = fitted()
    l1_ratios_: Array = fitted()
    scores_: Array = fitted()

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: Weights = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Choose the penalty by cross-validation, and fit to all samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The samples, finite.
        y : array-like of shape (n,)
            A label for each row, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Weights of fits and scores.
        groups : array-like of shape (n,), optional
            Group of each sample, for splitters that keep groups together.

        Returns
        -------
        self : LogisticRegressionCV

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, if y is not one label for each row, if there is one
            class, or a fold holds out all rows of one, if a parameter is out of its range, or if
            `rule` is "1se", which is of all folds together, without `refit`.
        TypeError
            If a parameter is of the wrong type.
        """
        from statfast.model_selection import GridSearchCV

        params = self._checked()
        if params.rule == "1se" and not params.refit:
            raise ValueError(
                "rule='1se' compares means over folds; refit=False takes the best candidate of "
                "each. Pass one of them."
            )
        rows = table_of(X, n_min=2, finite=False)
        n = rows.shape[0]
        labels, codes = as_labels(y, n)
        weights = as_weights(sample_weight, n)
        weights, class_weight = without_unweighted(weights, self.class_weight, labels, codes)
        classes, codes = classes_with_weight(labels, codes, weights)
        require_several(classes)
        Cs, ratios = params.Cs, params.l1_ratios
        pairs = [
            (rows_besides(test, n) if train is None else train, test)
            for train, test in as_folds(self.cv, rows, y, n, codes, as_groups(groups, n))
        ]
        for train, _ in pairs:
            require_classes(codes[train], None if weights is None else weights[train], len(classes))
        base = LogisticRegression(
            fit_intercept=self.fit_intercept, class_weight=class_weight,
            multi_class=self.multi_class, tol=self.tol, max_iter=self.max_iter, n_jobs=self.n_jobs,
        )  # fmt: skip
        search = GridSearchCV(
            base, {"C": Cs, "l1_ratio": ratios}, cv=pairs, rule=self.rule, error_score="raise",
            scoring="neg_log_loss" if self.scoring is None else self.scoring, refit=params.refit,
        )  # fmt: skip
        named = rows if column_names(X) is None else X  # summaries show the names
        search.fit(named, classes[codes], sample_weight=weights)
        scores = search.cv_results_
        table = np.array([scores[f"split{fold}_test_score"] for fold in range(len(pairs))])
        if params.refit:
            best = search.best_estimator_
            attributes = {name: best.__dict__[name] for name in best.__dict__["_fitted"]}
            choice = search.best_params_
        else:
            chosen = [scores["params"][place] for place in table.argmax(axis=1)]
            attributes = _means_of_folds(base, rows, classes[codes], weights, pairs, chosen)
            choice = {name: float(np.mean([c[name] for c in chosen])) for name in chosen[0]}
        return self._publish(
            X,
            **attributes,
            C_=choice["C"],
            l1_ratio_=choice["l1_ratio"],
            Cs_=np.array(Cs),
            l1_ratios_=np.array(ratios),
            scores_=table.reshape(len(pairs), len(Cs), len(ratios)).transpose(0, 2, 1),
            _scorer=search.scorer_,
        )

    def score(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> float:
        """Return the score named by `scoring`, or the accuracy where it is None.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Test samples.
        y : array-like of shape (m,)
            True labels.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        float
        """
        if self.scoring is None:
            return super().score(X, y, sample_weight)
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        more = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self._scorer(self, X, y, **more))

    def _inferred(self, *, refuse: bool = True) -> Any:
        if self.__sklearn_is_fitted__() and not {"_result", "results_"} & self.__dict__.keys():
            raise NoInferenceError(
                "With refit=False coefficients are means over folds: no fit to all samples has a "
                "likelihood or a summary. Pass refit=True."
            )
        return super()._inferred(refuse=refuse)

    def _plan_folds(self, task: Any) -> None:
        return None  # Each fold chooses a penalty by itself.


def _means_of_folds(
    base: LogisticRegression, rows: Any, labels: Array, weights: Array | None, pairs: Any,
    chosen: list[dict[str, float]],
) -> dict[str, Any]:  # fmt: skip
    """What is fitted, as the mean of the fits of each fold with the candidate chosen for it."""
    models = []
    for (train, _), params in zip(pairs, chosen, strict=True):
        w = None if weights is None else weights[train]
        models.append(with_params(base, params).fit(rows[train], labels[train], w))
    first = models[0].__dict__
    kept = [name for name in first["_fitted"] if name not in ("_result", "results_")]
    return {name: first[name] for name in kept} | {
        "coef_": np.mean([vars(model)["coef_"] for model in models], axis=0),
        "intercept_": np.mean([vars(model)["intercept_"] for model in models], axis=0),
        "n_iter_": np.max([model.n_iter_ for model in models], axis=0),
        "converged_": all(model.converged_ for model in models),
    }


def require_classes(codes: Array, weights: Array | None, n_classes: int) -> None:
    """Refuse a fold without rows of some class."""
    if (np.bincount(codes, weights, minlength=n_classes) <= 0).any():
        raise ValueError(
            "y has a class whose rows are all held out by a fold of cv, or have weight 0. Pass "
            "fewer folds."
        )

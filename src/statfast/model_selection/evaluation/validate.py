# SPDX-License-Identifier: BSD-3-Clause
"""Cross-validation: scores and predictions of rows held out."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any, Literal

import numpy as np

from statfast._engine import is_distributed
from statfast._estimator import ANY, HeldOutAnswers, ignoring_sklearn_arguments
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_choice, as_flag
from statfast.model_selection.evaluation.candidate_scores import scored_candidates
from statfast.model_selection.evaluation.fold_strategies import (
    FoldFits,
    require_method,
    rows_of_fold,
    with_arguments,
)
from statfast.model_selection.evaluation.part_folds import validated_parts
from statfast.model_selection.evaluation.scoring import (
    FoldScores,
    as_error_score,
    as_one_scorer,
    as_scorers,
    known_classes,
    plan_of_fits,
    threaded_copy,
)

METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function")


@ignoring_sklearn_arguments(verbose=ANY, pre_dispatch=ANY)
def cross_validate(
    estimator: Any,
    X: Rows,
    y: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    scoring: str | Callable[..., Any] | list[Any] | dict[Any, Any] | None = None,
    cv: Any = None,
    n_jobs: int | None = None,
    params: dict[Any, Any] | None = None,
    sample_weight: Weights = None,
    return_train_score: bool = False,
    return_estimator: bool = False,
    return_indices: bool = False,
    error_score: float | Literal["raise"] = nan,
) -> FoldScores:
    """Cross-validate an estimator: scores, times, and how the folds were fitted.

    Parameters
    ----------
    estimator : estimator
        With ``fit``, by scikit-learn's protocol; copies of it are fitted.
    X : array-like of shape (n, d), statfast.Parts or collection of Dask's
        Samples. Of those in parts: see Notes.
    y : array-like of shape (n,), optional
        Class labels or target values.
    groups : array-like of shape (n,), optional
        Group of each sample, for splitters that keep groups together, and for those of a search
        that is validated.
    scoring : str, callable, list or dict, optional
        Names of ``statfast.metrics.get_scorer_names``, or functions of (estimator, X, y). None is
        the estimator's own ``score``.
    cv : int, splitter or iterable of (train, test), optional
        None is 5 folds; an integer is `KFold` or, for classifiers, `StratifiedKFold`.
    n_jobs : int, optional
        Threads of each fit, if the estimator has a parameter of this name; None leaves that to it.
    params : dict, optional
        Arguments of ``fit``, of which those with a value for each row are cut to the rows of a
        fold: ``{"sample_weight": w}`` weights the fits but not the scores. Where ``predict`` and
        ``score`` take one, say ``{"exposure": t}``, they get that of the rows held out.
        ``{"groups": g}`` is the same as `groups`.
    sample_weight : array-like of shape (n,), optional
        Weights of fits and scores. Samples of weight 0 are left out.
    return_train_score : bool, default=False
        Also return scores on the training samples.
    return_estimator : bool, default=False
        Also return the fitted estimators.
    return_indices : bool, default=False
        Also return the indices of the folds.
    error_score : float or "raise", default=nan
        What a fold scores whose fit or score fails; a warning says so.

    Returns
    -------
    FoldScores
        A dict: ``test_score`` (or ``test_NAME`` for several), ``fit_time`` and ``score_time``,
        arrays with one entry for each fold, `error_score` (nan) where a fit or a score fails; on
        request ``train_score``, ``estimator`` and ``indices``. Its attribute ``path`` says how:
        "merged statistics", "closed form", "shared structure" or "refit".

    Raises
    ------
    ValueError
        If the folds do not fit the rows, `scoring` has no such name, or all fits fail.
    TypeError
        If an argument is of the wrong type.

    Warns
    -----
    FitFailedWarning
        If some fits fail.

    Notes
    -----
    All ways give the scores of refits. Statistics of folds are merged, never subtracted, so that
    an outlier in one fold costs no digits in the others: equal to refits except for rounding, which
    the condition of the rows magnifies alike. Leave-one-out formulas refit a sample where its
    leverage is near 1. Iterations that share their start end by the criterion of a fit by itself;
    for scores that are functions of the model, and for ``return_estimator``, they are refits.

    Rows in parts are read once for the statistics of all folds and once for the scores. The
    estimator is one whose fit is a sum, folds are those of an integer, `KFold` or
    `StratifiedKFold` without shuffling, and the scores means over samples or "r2"; what fails
    raises.

    References
    ----------
    M. Izbicki (2013), "Algebraic classifiers: a generic approach to fast cross-validation, online
    training, and parallel training". ICML, PMLR 28(3), 648-656.

    Examples
    --------
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_iris
    >>> from statfast.model_selection import cross_validate
    >>> iris = load_iris()
    >>> result = cross_validate(LinearDiscriminantAnalysis(), iris.data, iris.target, cv=5)
    >>> result["test_score"].round(3), result.path
    (array([1.   , 1.   , 0.967, 0.933, 1.   ]), 'merged statistics')
    """
    if is_distributed(X):
        return validated_parts(
            estimator, X, y, groups=groups, scoring=scoring, cv=cv, n_jobs=n_jobs, params=params,
            sample_weight=sample_weight, return_train_score=return_train_score,
            return_estimator=return_estimator, return_indices=return_indices,
        )  # fmt: skip
    estimator = threaded_copy(estimator, n_jobs)
    scorers = as_scorers(scoring, estimator)
    error_score = as_error_score(error_score)
    with_train = as_flag(return_train_score, "return_train_score")
    with_models = as_flag(return_estimator, "return_estimator")
    folds = plan_of_fits(estimator, X, y, cv, groups, params, sample_weight, scorers)
    scored = scored_candidates(
        estimator, folds, [{}], scorers, error_score, with_train=with_train,
        with_models=with_models,
    )  # fmt: skip
    times = {"fit_time": scored.fit_times[0], "score_time": scored.score_times[0]}
    scores = FoldScores(times, scored.strategy)
    scores |= {f"test_{name}": values[0] for name, values in scored.test.items()}
    scores |= {f"train_{name}": values[0] for name, values in scored.train.items()}
    if with_models:
        scores["estimator"] = [None if isinstance(m, Exception) else m for (m,) in scored.models]
    if as_flag(return_indices, "return_indices"):
        scores["indices"] = {
            "train": [folds.train(k) for k in range(len(folds.pairs))],
            "test": [test for _, test in folds.pairs],
        }
    return scores


@ignoring_sklearn_arguments(verbose=ANY, pre_dispatch=ANY)
def cross_val_score(
    estimator: Any,
    X: Rows,
    y: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    scoring: str | Callable[..., Any] | None = None,
    cv: Any = None,
    n_jobs: int | None = None,
    params: dict[Any, Any] | None = None,
    sample_weight: Weights = None,
    error_score: float | Literal["raise"] = nan,
) -> Array:
    """Cross-validated scores of an estimator.

    Parameters
    ----------
    estimator : estimator
        With ``fit``, by scikit-learn's protocol; copies of it are fitted.
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,), optional
        Class labels or target values.
    groups : array-like of shape (n,), optional
        Group of each sample, for splitters that keep groups together.
    scoring : str or callable, optional
        Names of ``statfast.metrics.get_scorer_names``, or functions of (estimator, X, y). None is
        the estimator's own ``score``.
    cv : int, splitter or iterable of (train, test), optional
        None is 5 folds; an integer is `KFold` or, for classifiers, `StratifiedKFold`.
    n_jobs : int, optional
        Threads of each fit, if the estimator has a parameter of this name; None leaves that to it.
    params : dict, optional
        Arguments of ``fit``; see `cross_validate`.
    sample_weight : array-like of shape (n,), optional
        Weights of fits and scores. Samples of weight 0 are left out.
    error_score : float or "raise", default=nan
        What a fold scores whose fit or score fails; a warning says so.

    Returns
    -------
    ndarray of shape (folds,)
        `error_score` (nan) where a fit or a score fails.

    Raises
    ------
    ValueError, TypeError
        As `cross_validate`; also if `scoring` names several scores.

    Examples
    --------
    >>> from statfast import LinearRegression
    >>> from statfast.model_selection import cross_val_score
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> y = [0.1, 0.9, 2.1, 2.9, 4.2, 4.8]
    >>> cross_val_score(LinearRegression(), X, y, cv=2, scoring="neg_mean_absolute_error").round(2)
    array([-0.11, -0.18])
    """
    as_one_scorer(scoring, estimator)  # Refuses several.
    return cross_validate(
        estimator, X, y, groups=groups, scoring=scoring, cv=cv, n_jobs=n_jobs, params=params,
        sample_weight=sample_weight, error_score=error_score,
    )["test_score"]  # fmt: skip


@ignoring_sklearn_arguments(verbose=ANY, pre_dispatch=ANY)
def cross_val_predict(
    estimator: Any,
    X: Rows,
    y: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    cv: Any = None,
    n_jobs: int | None = None,
    params: dict[Any, Any] | None = None,
    sample_weight: Weights = None,
    method: str = "predict",
) -> Array:
    """Cross-validated predictions: each sample by a fit to the other folds.

    Parameters
    ----------
    estimator : estimator
        With ``fit``, by scikit-learn's protocol; copies of it are fitted.
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,), optional
        Class labels or target values.
    groups : array-like of shape (n,), optional
        Group of each sample, for splitters that keep groups together.
    cv : int, splitter or iterable of (train, test), optional
        None is 5 folds; an integer is `KFold` or, for classifiers, `StratifiedKFold`. Each sample
        must be held out once.
    n_jobs : int, optional
        Threads of each fit, if the estimator has a parameter of this name; None leaves that to it.
    params : dict, optional
        Arguments of ``fit``; see `cross_validate`.
    sample_weight : array-like of shape (n,), optional
        Weights of fits and scores. Samples of weight 0 are left out.
    method : str, default="predict"
        What to ask: "predict", "predict_proba", "predict_log_proba" or "decision_function".

    Returns
    -------
    ndarray of shape (n,) or (n, K)
        In the order of the rows. The columns of probabilities are the classes of y; a class that
        was not among the rows fitted has probability 0, of which the logarithm is minus infinity,
        and the least decision value of float64.

    Raises
    ------
    ValueError
        If the folds do not hold each row out once, or as the fits.
    TypeError
        If an argument is of the wrong type.

    Examples
    --------
    >>> from statfast import LinearRegression
    >>> from statfast.model_selection import cross_val_predict
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> cross_val_predict(LinearRegression(), X, [1.0, 2.0, 3.0, 4.0], cv=2).round(6)
    array([1., 2., 3., 4.])
    """
    estimator = threaded_copy(estimator, n_jobs)
    as_choice(method, "method", METHODS)
    folds = plan_of_fits(estimator, X, y, cv, groups, params, sample_weight)
    require_partition(folds, "cross_val_predict")
    return held_out_answers(estimator, folds, method)[0]


def require_partition(folds: Any, name: str) -> None:
    """Refuse folds that do not hold out each row once."""
    held = np.concatenate([test for _, test in folds.pairs])
    if len(held) != folds.n or (np.bincount(held, minlength=folds.n) != 1).any():
        raise ValueError(
            f"{name} only works for partitions: cv must hold each row out once. Use "
            "KFold or another splitter of that kind."
        )


def held_out_answers(estimator: Any, folds: Any, method: str) -> tuple[Array, str]:
    """What a method gives for each row by the model that did not see it, and the strategy."""
    require_method(estimator, method, f"method={method!r}")
    fits = FoldFits(estimator, folds, methods=frozenset({method}))
    of_all_rows = fits.plan.of_all_rows() if isinstance(fits.plan, HeldOutAnswers) else None
    if of_all_rows is not None:
        return of_all_rows[0], fits.strategy
    classes = None
    if method != "predict":
        classes = known_classes(folds.y, folds.n, folds.weights)
    parts, order = [], []
    for (_, test), fitted in zip(folds.pairs, fits, strict=True):
        model = with_arguments(folds, fitted.only_model(), test)
        of_fold = np.asarray(getattr(model, method)(rows_of_fold(fitted.X, test)))
        parts.append(_for_all(of_fold, model, classes, method))
        order.append(test)
    whole = np.concatenate(parts)
    answers = np.empty_like(whole)
    answers[np.concatenate(order)] = whole
    return answers, fits.strategy


def _for_all(answers: Array, model: Any, classes: Array | None, method: str) -> Array:
    """Answers with a column for each class, those too that the model has not seen."""
    seen = getattr(model, "classes_", None)
    if classes is None or seen is None or len(seen) == len(classes):
        return answers
    if answers.ndim == 1 and len(classes) < 3:
        return answers
    missing = {"predict_proba": 0.0, "predict_log_proba": -np.inf}.get(
        method, np.finfo(np.float64).min
    )
    wide = np.full((len(answers), len(classes)), missing, answers.dtype)
    columns = np.flatnonzero(np.isin(classes, seen))
    if answers.ndim == 1:  # One column is a decision between two classes.
        wide[:, columns[0]], wide[:, columns[1]] = -answers, answers
    else:
        wide[:, columns] = answers
    return wide

# SPDX-License-Identifier: BSD-3-Clause
"""Scores as they change with a parameter, or with the number of rows fitted."""

from math import nan

import numpy as np

from statfast._estimator import ANY, taking
from statfast._validation import (
    as_estimator,
    as_flag,
    as_generator,
    to_array,
    wrong_type,
)
from statfast.model_selection.scoring import Scores, as_error_score, as_plan, as_scorers
from statfast.model_selection.tables import scored_candidates
from statfast.model_selection.ways import Folds, fitted_folds, require_weights, with_params


@taking(verbose=ANY, pre_dispatch=ANY, params=(None,))
def validation_curve(
    estimator, X, y=None, *, param_name, param_range, groups=None, cv=None, scoring=None,
    n_jobs=None, sample_weight=None, error_score=nan,
):  # fmt: skip
    """Score an estimator for several values of a parameter, on rows fitted and held out.

    Parameters
    ----------
    estimator : estimator
    X : array-like of shape (n, d)
    y : array-like of shape (n,), optional
    param_name : str
    param_range : array-like of shape (A,)
        Values of the parameter.
    groups : array-like of shape (n,), optional
    cv : int, splitter or iterable of (train, test), optional
    scoring : str or callable, optional
    n_jobs : int, optional
    sample_weight : array-like of shape (n,), optional
    error_score : float or "raise", default=nan
        All as in `cross_validate`.

    Returns
    -------
    train_scores : ndarray of shape (A, folds)
    test_scores : ndarray of shape (A, folds)
        `error_score`, which is nan unless given, where a fit or a score fails.

    Raises
    ------
    ValueError, TypeError
        As `GridSearchCV`.

    Examples
    --------
    >>> from statfast import Ridge
    >>> from statfast.model_selection import validation_curve
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> train, test = validation_curve(
    ...     Ridge(), X, y, param_name="alpha", param_range=[0.0, 1.0], cv=2
    ... )
    >>> test.round(2)
    array([[ 1.  ,  1.  ],
           [-6.56, -6.56]])
    """
    listed = hasattr(param_range, "__len__") and getattr(param_range, "ndim", 1) > 0
    if not listed or isinstance(param_range, str) or not len(param_range):
        raise wrong_type("param_range", "a list of values", param_range)
    if not isinstance(param_name, str):
        raise wrong_type("param_name", "the name of a parameter", param_name)
    model = _threaded(estimator, n_jobs)
    scorers = as_scorers(scoring, estimator)
    require_weights(estimator, sample_weight)
    candidates = [{param_name: value} for value in list(param_range)]
    with_params(model, candidates[0])
    folds = as_plan(estimator, X, y, cv, groups, sample_weight)
    found = scored_candidates(
        model, folds, candidates, scorers, as_error_score(error_score), with_train=True
    )
    (name,) = scorers
    return found.train[name], found.test[name]


@taking(verbose=ANY, pre_dispatch=ANY, exploit_incremental_learning=(False,), params=(None,))
def learning_curve(
    estimator, X, y=None, *, groups=None, train_sizes=(0.1, 0.325, 0.55, 0.775, 1.0), cv=None,
    scoring=None, n_jobs=None, sample_weight=None, shuffle=False, random_state=None,
    error_score=nan, return_times=False,
):  # fmt: skip
    """Score an estimator fitted to more and more rows.

    Parameters
    ----------
    estimator : estimator
    X : array-like of shape (n, d)
    y : array-like of shape (n,), optional
    groups : array-like of shape (n,), optional
    train_sizes : array-like of shape (T,), default=(0.1, 0.325, 0.55, 0.775, 1.0)
        Numbers of rows, or shares of those that the smallest training part has.
    cv : int, splitter or iterable of (train, test), optional
    scoring : str or callable, optional
    n_jobs : int, optional
    sample_weight : array-like of shape (n,), optional
        All as in `cross_validate`.
    shuffle : bool, default=False
        Take the rows of a training part in random order, not in theirs.
    random_state : int, Generator or None, default=None
    error_score : float or "raise", default=nan
    return_times : bool, default=False

    Returns
    -------
    train_sizes_abs : ndarray of shape (T,)
        Distinct numbers of rows, ascending.
    train_scores : ndarray of shape (T, folds)
    test_scores : ndarray of shape (T, folds)
        `error_score`, which is nan unless given, where a fit or a score fails.
    fit_times, score_times : ndarray of shape (T, folds)
        On request.

    Raises
    ------
    ValueError
        If a size is out of its range; also as `cross_validate`.

    Notes
    -----
    Each training part is the beginning of the next one, so that models of merged statistics add to
    the sums of the part before: all sizes cost one pass over the rows of a fold.

    Examples
    --------
    >>> from statfast import LinearRegression
    >>> from statfast.model_selection import learning_curve
    >>> X = [[float(i)] for i in range(12)]
    >>> sizes, train, test = learning_curve(
    ...     LinearRegression(), X, [2.0 * x[0] for x in X], train_sizes=[3, 8], cv=3
    ... )
    >>> sizes, test.shape
    (array([3, 8]), (2, 3))
    """
    model = _threaded(estimator, n_jobs)
    scorers = as_scorers(scoring, estimator)
    require_weights(estimator, sample_weight)
    error_score = as_error_score(error_score)
    folds = as_plan(estimator, X, y, cv, groups, sample_weight)
    trains = [folds.train(k) for k in range(len(folds.pairs))]
    sizes = _sizes(train_sizes, min(map(len, trains)))
    if as_flag(shuffle, "shuffle"):
        rng = as_generator(random_state)
        trains = [rng.permutation(train) for train in trains]
    (name,) = scorers
    test, fitted_scores = [], []
    scores = Scores(scorers, error_score)
    for train, (_, held) in zip(trains, folds.pairs, strict=True):
        pairs = [(np.sort(train[:size]), held) for size in sizes]
        nested = Folds(folds.X, folds.y, folds.weights, folds.n, pairs)
        _, fits = fitted_folds(model, nested, [{}])
        for k, fitted in enumerate(fits):
            scores.add(nested, k, fitted, with_train=True)
    scores.tell()
    shape = len(trains), len(sizes)
    test = np.reshape(scores.test[0][name], shape).T
    fitted_scores = np.reshape(scores.train[0][name], shape).T
    out = [np.array(sizes), fitted_scores, test]
    if as_flag(return_times, "return_times"):
        out += [np.reshape(t, shape).T for t in (scores.fit_times, scores.score_times)]
    return tuple(out)


def _sizes(train_sizes, most):
    given = to_array(train_sizes, "train_sizes", "a list of shares or of numbers of rows")
    if given.ndim != 1 or not given.size or given.dtype.kind not in "iuf":
        raise wrong_type("train_sizes", "a list of shares or of numbers of rows", train_sizes)
    if given.dtype.kind == "f":
        if not ((given > 0) & (given <= 1)).all():
            raise ValueError(
                f"train_sizes must be shares within (0, 1], or integers; got {given.tolist()}."
            )
        given = (given * most).astype(np.intp).clip(1, most)
    elif given.min() < 1 or given.max() > most:
        raise ValueError(
            f"train_sizes must be between 1 and the rows of the smallest training part ({most}); "
            f"got {given.tolist()}."
        )
    return np.unique(given).tolist()


def _threaded(estimator, n_jobs):
    as_estimator(estimator)
    if n_jobs is not None and "n_jobs" in estimator.get_params(deep=False):
        return with_params(estimator, {"n_jobs": n_jobs})
    return with_params(estimator, {})

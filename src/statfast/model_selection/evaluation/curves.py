# SPDX-License-Identifier: BSD-3-Clause
"""Scores as they change with a parameter, or with the number of rows fitted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from inspect import signature
from math import nan
from time import perf_counter
from typing import Any, Literal

import numpy as np

from statfast._estimator import (
    ANY,
    Folds,
    copied,
    ignoring_sklearn_arguments,
    take_rows,
    with_params,
)
from statfast._typing import Array, ArrayLike, Rows, Seed, Weights
from statfast._validation import (
    as_flag,
    to_array,
    wrong_type,
)
from statfast.model_selection.evaluation.candidate_scores import scored_candidates
from statfast.model_selection.evaluation.fold_strategies import FittedFold, FoldFits, require_method
from statfast.model_selection.evaluation.scoring import (
    Scores,
    as_error_score,
    as_one_scorer,
    known_classes,
    plan_of_fits,
    threaded_copy,
)
from statfast.model_selection.splitting.splitter import as_shuffler


@ignoring_sklearn_arguments(verbose=ANY, pre_dispatch=ANY)
def validation_curve(
    estimator: Any,
    X: Rows,
    y: ArrayLike | None = None,
    *,
    param_name: str,
    param_range: Sequence[Any] | Array,
    groups: ArrayLike | None = None,
    cv: Any = None,
    scoring: str | Callable[..., Any] | None = None,
    n_jobs: int | None = None,
    params: dict[Any, Any] | None = None,
    sample_weight: Weights = None,
    error_score: float | Literal["raise"] = nan,
) -> tuple[Array, Array]:
    """Validation curve: training and test scores for several values of a parameter.

    Parameters
    ----------
    estimator : estimator
        With ``fit``, by scikit-learn's protocol; copies of it are fitted.
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,), optional
        Class labels or target values.
    param_name : str
        Name of the parameter to vary.
    param_range : array-like of shape (A,)
        Values of the parameter.
    groups : array-like of shape (n,), optional
        Group of each sample, for splitters that keep groups together.
    cv : int, splitter or iterable of (train, test), optional
        None is 5 folds; an integer is `KFold` or, for classifiers, `StratifiedKFold`.
    scoring : str or callable, optional
        Names of ``statfast.metrics.get_scorer_names``, or functions of (estimator, X, y). None is
        the estimator's own ``score``.
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
    model = threaded_copy(estimator, n_jobs)
    scorers = {"score": as_one_scorer(scoring, estimator)}
    candidates = [{param_name: value} for value in list(param_range)]
    with_params(model, candidates[0])
    folds = plan_of_fits(estimator, X, y, cv, groups, params, sample_weight, scorers)
    scored = scored_candidates(
        model, folds, candidates, scorers, as_error_score(error_score), with_train=True,
    )  # fmt: skip
    (name,) = scorers
    return scored.train[name], scored.test[name]


@ignoring_sklearn_arguments(verbose=ANY, pre_dispatch=ANY)
def learning_curve(
    estimator: Any,
    X: Rows,
    y: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    train_sizes: ArrayLike = (0.1, 0.325, 0.55, 0.775, 1.0),
    cv: Any = None,
    scoring: str | Callable[..., Any] | None = None,
    n_jobs: int | None = None,
    params: dict[Any, Any] | None = None,
    sample_weight: Weights = None,
    exploit_incremental_learning: bool = False,
    shuffle: bool = False,
    random_state: Seed = None,
    error_score: float | Literal["raise"] = nan,
    return_times: bool = False,
) -> tuple[Array, ...]:
    """Learning curve: scores for growing training sets.

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
    train_sizes : array-like of shape (T,), default=(0.1, 0.325, 0.55, 0.775, 1.0)
        Numbers of rows, or proportions of those that the smallest training part has.
    cv : int, splitter or iterable of (train, test), optional
        None is 5 folds; an integer is `KFold` or, for classifiers, `StratifiedKFold`.
    scoring : str or callable, optional
        Names of ``statfast.metrics.get_scorer_names``, or functions of (estimator, X, y). None is
        the estimator's own ``score``.
    n_jobs : int, optional
        Threads of each fit, if the estimator has a parameter of this name; None leaves that to it.
    params : dict, optional
        Arguments of ``fit``; see `cross_validate`.
    sample_weight : array-like of shape (n,), optional
        Weights of fits and scores. Samples of weight 0 are left out.
    exploit_incremental_learning : bool, default=False
        Fit the rows that a size adds by ``partial_fit``, which the estimator must have: for
        estimators whose answers depend on how rows come, such as `MiniBatchKMeans`. Fits that are
        sums share their work without it.
    shuffle : bool, default=False
        Take the rows of a training part in random order, not in theirs.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.
    error_score : float or "raise", default=nan
        What a fold scores whose fit or score fails; a warning says so.
    return_times : bool, default=False
        Also return fit and score times.

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
        If a size is out of its range, or there is no ``partial_fit`` to exploit; also as
        `cross_validate`.

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
    model = threaded_copy(estimator, n_jobs)
    scorers = {"score": as_one_scorer(scoring, estimator)}
    error_score = as_error_score(error_score)
    incremental = as_flag(exploit_incremental_learning, "exploit_incremental_learning")
    calls = ("fit", "partial_fit") if incremental else ("fit",)
    folds = plan_of_fits(
        estimator, X, y, cv, groups, params, sample_weight, scorers, calls
    )  # fmt: skip
    trains = [folds.train(k) for k in range(len(folds.pairs))]
    sizes = _sizes(train_sizes, min(map(len, trains)))
    if as_flag(shuffle, "shuffle"):
        rng = as_shuffler(random_state)
        trains = [rng.permutation(train) for train in trains]
    (name,) = scorers
    scores = Scores(scorers, error_score)
    if incremental:
        require_method(model, "partial_fit", "exploit_incremental_learning=True")
    for train, (_, held) in zip(trains, folds.pairs, strict=True):
        pairs = [(np.sort(train[:size]), held) for size in sizes]
        nested = replace(folds, pairs=pairs)
        fits: Any
        if incremental:
            fits = _fits_of_increments(model, nested, np.split(train[: sizes[-1]], sizes[:-1]))
        else:
            fits = FoldFits(model, nested)
        # The models are asked about rows that they have seen.
        for k, fitted in enumerate(fits):
            scores.add(nested, k, fitted, with_train=True)
    scores.warn()
    shape = len(trains), len(sizes)
    test = np.reshape(scores.test[0][name], shape).T
    fitted_scores = np.reshape(scores.train[0][name], shape).T
    out = [np.array(sizes), fitted_scores, test]
    if as_flag(return_times, "return_times"):
        out += [np.reshape(t, shape).T for t in (scores.fit_times, scores.score_times)]
    return tuple(out)


def _fits_of_increments(model: Any, nested: Folds, added: list[Array]) -> Iterator[FittedFold]:
    """The models of nested training parts: one model, which goes on with the rows added."""
    model = copied(model)
    known = signature(model.partial_fit).parameters
    classes = {}
    if "classes" in known:
        labels: Any = nested.y
        classes = {"classes": known_classes(labels, nested.n, nested.weights)}
    for rows in added:
        start = perf_counter()
        X, y = take_rows(nested.X, rows), take_rows(nested.y, rows)
        outcome: Any = model
        try:
            X_and_y = (X,) if y is None else (X, y)
            model.partial_fit(*X_and_y, **nested.arguments_of(rows), **classes)
        except Exception as error:  # An error fails this size alone.
            outcome = error
        yield FittedFold([outcome], None, nested.X, perf_counter() - start)


def _sizes(train_sizes: Any, most: int) -> list[int]:
    sizes = to_array(train_sizes, "train_sizes", "a list of shares or of numbers of rows")
    if sizes.ndim != 1 or not sizes.size or sizes.dtype.kind not in "iuf":
        raise wrong_type("train_sizes", "a list of shares or of numbers of rows", train_sizes)
    if sizes.dtype.kind == "f":
        if not ((sizes > 0) & (sizes <= 1)).all():
            raise ValueError(
                f"train_sizes must be shares within (0, 1], or integers; got {sizes.tolist()}."
            )
        sizes = (sizes * most).astype(np.intp).clip(1, most)
    elif sizes.min() < 1 or sizes.max() > most:
        raise ValueError(
            f"train_sizes must be between 1 and the rows of the smallest training part ({most}); "
            f"got {sizes.tolist()}."
        )
    return np.unique(sizes).tolist()

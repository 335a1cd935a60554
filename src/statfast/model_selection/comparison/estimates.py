# SPDX-License-Identifier: BSD-3-Clause
"""Estimates of the error beyond plain folds: the bootstrap, and an interval by nested folds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np

from statfast._distance import scale_of
from statfast._estimator import (
    BOOTSTRAPS,
    MERGED,
    BootstrapEstimate,
    CoefficientTable,
    Folds,
    SumFit,
    Tabled,
    group_runs,
    no_information,
    parts_of_folds,
    runs,
    stratified_runs,
    take_rows,
    with_params,
)
from statfast._typing import Array, ArrayLike, Rows, Seed, Weights
from statfast._validation import (
    as_choice,
    as_count,
    as_estimator,
    as_flag,
    as_generator,
    as_labels,
    as_real,
    as_weights,
)
from statfast.model_selection.comparison.losses import as_loss, coded, losses, truth_of
from statfast.model_selection.comparison.variance import replicated
from statfast.model_selection.evaluation.fold_strategies import (
    FoldFits,
    require_weights,
    rows_of_fold,
)
from statfast.model_selection.evaluation.scoring import groups_argument
from statfast.model_selection.splitting.resampling import Bootstrap
from statfast.model_selection.splitting.splitter import (
    as_placed,
    as_placed_rows,
    joined_rows,
    n_rows,
)


def bootstrap_error(
    estimator: Any,
    X: Rows,
    y: ArrayLike,
    *,
    method: str = ".632+",
    n_bootstraps: int = 200,
    loss: str = "auto",
    random_state: Seed = None,
) -> BootstrapEstimate:
    """Bootstrap estimate (.632, .632+) of the error of an estimator.

    Parameters
    ----------
    estimator : estimator
        Estimator to fit; copies of it are used.
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,)
        Class labels or target values.
    method : str, default=".632+"
        ".632+" [1]_, ".632" or "out_of_bag".
    n_bootstraps : int, default=200
        Number of bootstrap samples.
    loss : str, default="auto"
        "zero_one", "squared", "absolute", or "auto": 0-1 for classifiers, else squared.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.

    Returns
    -------
    BootstrapEstimate

    Raises
    ------
    ValueError
        If an argument is out of its range, or a fit fails.

    Notes
    -----
    Samples are weights of the statistics of linear discriminants and naive Bayes; other models are
    fitted to the rows that were drawn. Each predicts the rows that it has not seen.

    References
    ----------
    .. [1] B. Efron & R. J. Tibshirani (1997), "Improvements on cross-validation: the .632+
       bootstrap method". doi:10.1080/01621459.1997.10474007

    Examples
    --------
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_iris
    >>> from statfast.model_selection import bootstrap_error
    >>> iris = load_iris()
    >>> result = bootstrap_error(
    ...     LinearDiscriminantAnalysis(), iris.data, iris.target, n_bootstraps=50, random_state=0
    ... )
    >>> result
                    Estimate
    error           0.023087
    training        0.020000
    out of bag      0.024871
    no information  0.666667
    weight          0.633757
    overfitting     0.007532
    """
    as_choice(method, "method", BOOTSTRAPS)
    loss, X = as_loss(loss, as_estimator(estimator)), as_placed_rows(X)
    n = n_rows(X)
    truth, classes = truth_of(y, n, loss)
    pairs = list(Bootstrap(as_count(n_bootstraps, "n_bootstraps"), random_state=random_state)
                 .split(X))  # fmt: skip
    y = as_placed(y, "y")
    path, answers = _of_samples(estimator, X, y, pairs, classes)
    total, times = np.zeros(n), np.zeros(n)
    for (_, test), predicted in zip(pairs, answers, strict=True):
        total[test] += losses(truth[test], predicted, loss)
        times[test] += 1
    out = float((total[times > 0] / times[times > 0]).mean())
    predicted = coded(with_params(estimator, {}).fit(X, y).predict(X), classes)
    training = float(losses(truth, predicted, loss).mean())
    none = no_information(truth, predicted, loss)
    return BootstrapEstimate.from_losses(method, training, out, none, path)


def _of_samples(
    estimator: Any, X: Any, y: Any, pairs: list[tuple[Array, Array]], classes: Any
) -> tuple[str, Iterator[Any]]:
    """The way, and in turn what the fit to each sample predicts of the rows held out."""
    if isinstance(estimator, SumFit) and estimator._samples_as_weights:
        trains, tests = ([pair[side] for pair in pairs] for side in (0, 1))
        n_jobs = getattr(estimator, "n_jobs", None)
        answers = replicated(estimator, X, y, X, trains, classes, n_jobs, tests)
        if answers is not None:
            return MERGED, answers
    folds = Folds(X, y, None, len(y), pairs)
    fits = FoldFits(estimator, folds, methods=frozenset({"predict"}))
    return fits.strategy, _of_fits(pairs, fits, classes)


def _of_fits(pairs: list[tuple[Array, Array]], fits: Any, classes: Array) -> Iterator[Array]:
    for (_, test), fitted in zip(pairs, fits, strict=True):
        yield coded(fitted.only_model().predict(rows_of_fold(fitted.X, test)), classes)


@dataclass(frozen=True, repr=False)
class NestedInterval(Tabled):
    """Result of `nested_cv_interval`.

    Attributes
    ----------
    error : float
        Estimate, corrected for bias.
    interval : tuple of float
        Of the error.
    cv_error : float
        Mean loss of plain cross-validation.
    cv_interval : tuple of float
        By the standard deviation of its losses as if they were independent: too narrow.
    inflation : float
        How much wider the interval is than that, between 1 and sqrt(K).
    bias : float
        Taken off.
    path : str
        How the models were fitted.

    Examples
    --------
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_wine
    >>> from statfast.model_selection import nested_cv_interval
    >>> wine = load_wine()
    >>> model = LinearDiscriminantAnalysis()
    >>> result = nested_cv_interval(model, wine.data, wine.target, n_repeats=5, random_state=0)
    >>> round(result.error, 3), round(result.inflation, 2)
    (0.012, 1.61)
    """

    error: float
    interval: tuple
    cv_error: float
    cv_interval: tuple
    inflation: float
    bias: float
    path: str

    def table(self) -> CoefficientTable:
        """Both estimates with their intervals.

        Returns
        -------
        CoefficientTable
        """
        ends = np.array([self.interval, self.cv_interval])
        columns = {
            "Error": np.array([self.error, self.cv_error]),
            "Lower": ends[:, 0],
            "Upper": ends[:, 1],
        }
        return CoefficientTable(["nested", "plain"], columns)


def nested_cv_interval(
    estimator: Any,
    X: Rows,
    y: ArrayLike,
    *,
    n_splits: int = 10,
    n_repeats: int = 50,
    loss: str = "auto",
    level: float = 0.9,
    bias_exponent: float = 1.0,
    groups: ArrayLike | None = None,
    sample_weight: Weights = None,
    random_state: Seed = None,
) -> NestedInterval:
    """Nested cross-validation: an error estimate with a confidence interval.

    Parameters
    ----------
    estimator : estimator
        Estimator to fit; copies of it are used.
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,)
        Class labels or target values.
    n_splits : int, default=10
        K, at least 3.
    n_repeats : int, default=50
        Of the folds; K (K + 1) / 2 fits each.
    loss : str, default="auto"
        "zero_one", "squared", "absolute", or "auto": 0-1 for classifiers, else squared.
    level : float, default=0.9
        Confidence level of the interval, between 0 and 1.
    bias_exponent : float, default=1.0
        The bias of K (1 - 1/K) n samples is (1 + ((K - 2) / K)^e) times the difference of nested
        and plain estimates: e = 1 in the paper [1]_, 1.5 in its authors' software.
    groups : array-like of shape (n,), optional
        Rows of a group are kept in one fold: whole groups are shuffled and dealt out, the largest
        first, each to the fold with fewest rows. A search that is validated gets those of its rows.
    sample_weight : array-like of shape (n,), optional
        Weights of the fits.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.

    Returns
    -------
    NestedInterval

    Raises
    ------
    ValueError
        If an argument is out of its range, or a fit fails.

    Notes
    -----
    Losses in different folds are not independent, so that the usual interval is too narrow. Here
    the mean squared error of cross-validation is estimated: a fold is held out, the others are
    cross-validated, and the two errors are compared. Models of merged statistics share those of
    the folds among all fits without a pair of folds.

    References
    ----------
    .. [1] S. Bates, T. Hastie & R. Tibshirani (2023), "Cross-validation: what does it estimate and
       how well does it do it?" doi:10.1080/01621459.2023.2197686

    Examples
    --------
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_iris
    >>> from statfast.model_selection import nested_cv_interval
    >>> iris = load_iris()
    >>> result = nested_cv_interval(
    ...     LinearDiscriminantAnalysis(), iris.data, iris.target, n_repeats=5, random_state=0
    ... )
    >>> result
              Error     Lower    Upper
    nested  0.02098  0.001559  0.04040
    plain   0.02133  0.001915  0.04075
    """
    from scipy.special import ndtri

    loss, X = as_loss(loss, as_estimator(estimator)), as_placed_rows(X)
    n = n_rows(X)
    truth, classes = truth_of(y, n, loss)
    K = as_count(n_splits, "n_splits", 3, n, limit="the number of rows")
    times = as_count(n_repeats, "n_repeats")
    level = as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
    exponent = as_real(bias_exponent, "bias_exponent", 0.0)
    weights, rng, y = as_weights(sample_weight, n), as_generator(random_state), as_placed(y, "y")
    require_weights(estimator, weights)
    arguments, codes = {}, None
    if groups is not None:
        labels, codes = as_labels(groups, n, name="groups")
        as_count(K, "n_splits", 3, len(labels), limit="the number of groups")
        if (name := groups_argument(estimator)) is not None:
            arguments[name] = as_placed(groups, "groups")
    every = Folds(X, y, weights, n, [], arguments)
    pairs = []
    for _ in range(times):
        parts = _parts(truth, classes, n, K, rng, codes)
        inner, outer, path = _pairs(estimator, every, parts, truth, classes, loss)
        for k in range(K):
            pairs.append((np.concatenate([inner[k, j] for j in range(K) if j != k]), outer[k]))
    # Losses are divided by a power of two, so that they have squares: no bit of the result depends
    # on it.
    unit = scale_of(float(max(part.max() for pair in pairs for part in pair)))
    pairs = [(without * unit, held_out * unit) for without, held_out in pairs]
    terms = []
    for without, held_out in pairs:
        a = float(without.mean() - held_out.mean())
        b = float(held_out.var(ddof=1)) / len(held_out) if len(held_out) > 1 else 0.0
        terms.append(a * a - b)
    nested = float(np.mean([without.mean() for without, _ in pairs]))
    plain = np.concatenate([held_out for _, held_out in pairs])
    cv_error, sd = float(plain.mean()), float(plain.std(ddof=1))
    bias = (1.0 + ((K - 2) / K) ** exponent) * (nested - cv_error)
    inner_sd = float(np.concatenate([without for without, _ in pairs]).std(ddof=1))
    root = sqrt(max(0.0, float(np.mean(terms))))
    usual = inner_sd / sqrt(n * (K - 1) / K)
    inflation = min(max(root / usual if usual else 1.0, 1.0), sqrt(K))
    z = float(ndtri(0.5 + level / 2.0))
    error, half, narrow = nested - bias, z * sd / sqrt(n) * inflation, z * sd / sqrt(n)
    return NestedInterval(
        error / unit, ((error - half) / unit, (error + half) / unit), cv_error / unit,
        ((cv_error - narrow) / unit, (cv_error + narrow) / unit), inflation, bias / unit, path,
    )  # fmt: skip


def _parts(
    truth: Array, classes: Any, n: int, K: int, rng: np.random.Generator, groups: Any
) -> list[Array]:
    if groups is not None:
        return group_runs(rng.permutation(groups.max() + 1)[groups], K)
    if classes is not None:
        return stratified_runs(truth, K, rng.shuffle)
    fold = np.empty(n, dtype=np.intp)
    order = rng.permutation(n)
    for k, part in enumerate(runs(n, K)):
        fold[order[part]] = k
    return parts_of_folds(fold, K)


def _pairs(estimator, every, parts, truth, classes, loss):
    """Losses on fold j of the fit without folds j and k, for each (k, j); and without k alone."""
    K, n = len(parts), every.n
    outs = [(k,) for k in range(K)] + [(j, k) for k in range(K) for j in range(k)]
    pairs = []
    for out in outs:
        kept = np.ones(n, dtype=bool)
        for k in out:
            kept[parts[k]] = False
        pairs.append((np.flatnonzero(kept), np.sort(np.concatenate([parts[k] for k in out]))))
    folds = replace(every, pairs=pairs)
    fits = FoldFits(estimator, folds)  # The models are asked about parts of the rows held out.
    inner, outer = {}, [None] * K
    for out, fitted in zip(outs, fits, strict=True):
        model = fitted.only_model()
        for k in out:
            predicted = coded(model.predict(take_rows(fitted.X, parts[k])), classes)
            fold_losses = losses(truth[parts[k]], predicted, loss)
            if len(out) == 1:
                outer[k] = fold_losses
            else:
                inner[out[0] if k == out[1] else out[1], k] = fold_losses
    return inner, outer, fits.strategy


def external_validation(
    estimator: Any,
    X: Rows,
    y: ArrayLike,
    X_new: ArrayLike,
    y_new: ArrayLike,
    *,
    scoring: str | Callable[..., Any] | None = None,
    select_on_all: bool = False,
) -> float:
    """External validation: the score of an estimator on another data set.

    Parameters
    ----------
    estimator : estimator
        A search selects on (X, y) alone, unless this says otherwise.
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,)
        Class labels or target values.
    X_new : array-like of shape (m, d)
        The other set.
    y_new : array-like of shape (m,)
        Labels or targets of the new samples.
    scoring : str or callable, optional
        Names of ``statfast.metrics.get_scorer_names``, or functions of (estimator, X, y). None is
        the estimator's own ``score``.
    select_on_all : bool, default=False
        Show the optimism of selection that has seen the other set: it is fitted, too.

    Returns
    -------
    float
        nan where the score is not defined on the other set, as R^2 is not of one row.

    Raises
    ------
    ValueError
        As the fit.

    Examples
    --------
    >>> from statfast import LinearRegression
    >>> from statfast.model_selection import external_validation
    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.1, 1.9]
    >>> round(external_validation(LinearRegression(), X, y, [[3.0], [4.0]], [3.0, 4.1]), 3)
    0.88
    """
    from statfast.model_selection.evaluation.scoring import as_scorers

    (scorer,) = as_scorers(scoring, as_estimator(estimator)).values()
    rows, targets = X, y
    if as_flag(select_on_all, "select_on_all"):
        rows = joined_rows(X, X_new, "X", "X_new")
        targets = joined_rows(y, y_new, "y", "y_new")
    model = with_params(estimator, {}).fit(rows, targets)
    return float(scorer(model, X_new, y_new))

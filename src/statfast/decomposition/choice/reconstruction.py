# SPDX-License-Identifier: BSD-3-Clause
"""Errors of held-out rows for every number of components, from the sums of the folds alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._engine import checkpoint
from statfast._estimator import (
    ROW_DTYPES,
    CoefficientTable,
    Tabled,
    as_folds,
    as_groups,
    rows_besides,
    sums_of,
    without_each,
)
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_count, as_flag, as_rows, as_targets, as_weights
from statfast.decomposition.components.decompose import scale_of
from statfast.decomposition.components.eigen import largest_eigen
from statfast.decomposition.components.moments import block_moments, require_finite_moments


@dataclass(frozen=True, repr=False)
class ComponentErrors(Tabled):
    """Cross-validated errors of 0, 1, ..., m components.

    Attributes
    ----------
    errors : ndarray of shape (K, m + 1)
        Mean squared error of each fold, by the components of all other samples.
    mean, standard_error : ndarray of shape (m + 1,)
        Their mean over folds, and its standard error.
    n_components : int
        The fewest with the smallest mean error.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.decomposition import reconstruction_errors
    >>> result = reconstruction_errors(load_iris().data)
    >>> result.mean.round(3), result.n_components
    (array([6.384, 0.403, 0.112, 0.028, 0.   ]), 4)
    """

    errors: NDArray[np.float64]
    mean: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    n_components: int

    def table(self) -> CoefficientTable:
        """The mean error of each number of components, and its standard error.

        Returns
        -------
        CoefficientTable
        """
        columns = {"Mean error": self.mean, "Std. error": self.standard_error}
        names = [f"{k} component{'s' * (k != 1)}" for k in range(len(self.mean))]
        return CoefficientTable(names, columns)


def reconstruction_errors(
    X: Rows,
    y: ArrayLike | None = None,
    *,
    cv: Any = 5,
    groups: ArrayLike | None = None,
    correlation: bool = False,
    max_components: int | None = None,
    sample_weight: Weights = None,
    n_jobs: int | None = None,
) -> ComponentErrors:
    """Cross-validated reconstruction errors of PCA, for every number of components.

    Without y, the mean squared distance of held-out rows from their reconstruction by the leading
    components of the other rows. With y, the mean squared error of `PrincipalComponentRegression`.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,) or (n, T), optional
        Targets, whose squared errors are summed.
    cv : int, splitter or iterable of (train, test), default=5
        An integer cuts the samples into so many runs.
    groups : array-like of shape (n,), optional
        Group of each sample, for splitters that keep groups together.
    correlation : bool, default=False
        Divide columns by their standard deviation among the other rows. Distances are then those
        of standardized columns.
    max_components : int, optional
        The largest number of interest; None is min(n of the smallest training part, d).
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    ComponentErrors

    Raises
    ------
    ValueError
        If X or y is not finite, or fewer than two rows to fit
        on.

    Notes
    -----
    The rows are read once. The moments of each training part are merged from those of the folds,
    by prefixes and suffixes and never by subtraction, and the errors follow from moments alone:
    ``trace((I - V'V) (S + w (m - mean)(m - mean)'))``. The error of a reconstruction falls with
    every component, up to rounding: it says what a compression costs, not how many components are
    real; `choose_components` does. O(n d^2 + K d^3) time, O(K d^2) memory.

    References
    ----------
    Engstrom & Jensen 2025, Fast partition-based cross-validation with centering and scaling,
    arXiv:2401.13185. Izbicki 2013, Algebraic classifiers, ICML.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.decomposition import reconstruction_errors
    >>> reconstruction_errors(load_iris().data, cv=10).mean.round(3).tolist()
    [5.395, 0.372, 0.112, 0.028, 0.0]
    """
    correlation = as_flag(correlation, "correlation")
    rows = as_rows(X, keep=ROW_DTYPES, n_min=2, finite=False)
    weights = as_weights(sample_weight, len(rows))
    targets = None if y is None else as_targets(y, len(rows))[0]
    folds = as_folds(cv, rows, y, len(rows), groups=as_groups(groups, len(rows)))
    columns, d = (rows, targets, weights), rows.shape[1]
    parts = sums_of(_statistics, columns, None, [test for _, test in folds], n_jobs=n_jobs)
    for part in parts:
        require_finite_moments(part, rows)
    if all(train is None for train, _ in folds):
        rest = list(without_each(parts))
    else:
        trains = [_train(pair, len(rows)) for pair in folds]
        rest = sums_of(_statistics, columns, None, trains, n_jobs=n_jobs)
    least = min(part.n for part in rest)
    if least < 2:
        raise ValueError("X must have at least 2 rows to fit on beside each fold. Pass more rows.")
    if min(part.total_weight for part in rest) <= 1.0:
        raise ValueError(
            "sample_weight must sum to more than 1 beside each fold, as weights count rows. Scale "
            "the weights to sum to the number of rows."
        )
    most = min(least, d)
    if max_components is not None:
        most = as_count(max_components, "max_components", 1, most)
    errors = np.empty((len(folds), most + 1))
    for number, (train, test) in enumerate(zip(rest, parts, strict=True)):
        checkpoint()
        errors[number] = _errors(train, test, d, most, correlation)
    mean = errors.mean(axis=0)
    spread = errors.std(axis=0, ddof=min(1, len(folds) - 1)) / np.sqrt(len(folds))
    best = int((mean > mean.min() + 1e-12 * abs(mean[0])).argmin())
    return ComponentErrors(errors, mean, spread, best)


def _statistics(columns: tuple[Array, Array, Array], state: Any) -> Any:
    X, y, weights = columns
    return block_moments((X if y is None else np.hstack([X, y]), weights), True)


def _train(pair: Any, n: int) -> Any:
    """Rows that a fold is fitted on."""
    train, test = pair
    return rows_besides(test, n) if train is None else train


def _errors(train: Any, test: Any, d: int, most: Any, correlation: Any) -> Any:
    """Mean squared errors of a fold for 0, ..., most components."""
    learned, held = train.matrix(), test.matrix()
    distance = test.mean - train.mean
    held += test.total_weight * distance[:, None] * distance
    if correlation:
        scale, constant = scale_of(train.diagonal()[:d], train.mean[:d], train.total_weight)
        by = np.ones(len(learned))
        by[:d] = scale
        learned, held = learned / (by[:, None] * by), held / (by[:, None] * by)
        for table in (learned, learned.T):
            table[list(constant)] = 0.0
    values, V = largest_eigen(learned[:d, :d], most)
    total_weight = test.total_weight if test.total_weight > 0.0 else 1.0
    inside = V @ held[:d, :d] @ V.T
    if len(learned) == d:
        explained = np.cumsum(inside.diagonal())
        return (held.trace() - np.concatenate([[0.0], explained])).clip(0.0) / total_weight
    live = values > 4.0 * d * np.finfo(float).eps * values[0]
    # In units of the scores, so that neither slopes nor their squares overflow for tiny scores.
    unit = np.ldexp(1.0, int(np.frexp(np.sqrt(values[0]))[1])) if values[0] > 0.0 else 1.0
    slopes = V @ learned[:d, d:] / unit / (np.where(live, values, 1.0) / unit / unit)[:, None]
    gamma = np.where(live[:, None], slopes, 0.0)
    # |y - T gamma|^2 summed, for the leading k of the scores T, grows entry by entry.
    cross = ((V @ held[:d, d:] / unit) * gamma).sum(axis=1)
    square = (gamma @ gamma.T) * (inside / unit / unit)
    table = np.cumsum(np.cumsum(square, axis=0), axis=1).diagonal()
    total = held[d:, d:].trace() - 2.0 * np.cumsum(cross) + table
    return np.concatenate([[held[d:, d:].trace()], total]).clip(0.0) / total_weight

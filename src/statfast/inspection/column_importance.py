# SPDX-License-Identifier: BSD-3-Clause
"""Permutation importance: the fall of a score when the values of a column are permuted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._engine import checkpoint, each
from statfast._estimator import CoefficientTable, Display, Tabled, by_score, picture, take_rows
from statfast._typing import Array, Rows, Seed, Weights
from statfast._validation import (
    MAX_REPEATS,
    as_count,
    as_generator,
    as_real,
    as_weights,
    to_array,
    wrong_type,
)
from statfast.inspection.row_table import RowTable
from statfast.metrics import get_scorer


@dataclass(frozen=True, repr=False)
class PermutationImportance(Tabled):
    """Result of `permutation_importance`.

    Attributes
    ----------
    importances : ndarray of shape (d, n_repeats)
        The score of the rows less that with the column permuted.
    importances_mean, importances_std : ndarray of shape (d,)
        Of the repeats.
    score : float
        Of the rows as they are; where it is nan, as R^2 of one row, so are all others.
    names : list of str
        Of the columns.

    Examples
    --------
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_iris
    >>> from statfast.inspection import permutation_importance
    >>> iris = load_iris()
    >>> model = LinearDiscriminantAnalysis().fit(iris.data, iris.target)
    >>> permutation_importance(model, iris.data, iris.target, random_state=0)
           Mean  Std. dev.
    x0  0.01200   0.018086
    x1  0.01467   0.006532
    x2  0.53600   0.016111
    x3  0.31867   0.018571
    """

    importances: NDArray[np.float64]
    importances_mean: NDArray[np.float64]
    importances_std: NDArray[np.float64]
    score: float
    names: list

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def table(self) -> CoefficientTable:
        """Return means and standard deviations as a table.

        Returns
        -------
        CoefficientTable
        """
        columns = {"Mean": self.importances_mean, "Std. dev.": self.importances_std}
        return CoefficientTable(list(map(str, self.names)), columns)

    def interval(self, level: float = 0.95) -> Array:
        """Confidence intervals of the mean importances, by the t distribution of the repeats.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals, between 0 and 1.

        Returns
        -------
        ndarray of shape (d, 2)
            They tell how well the mean over all permutations of these samples is known, not how it
            would vary with other samples; nan where the score is.
        """
        from scipy.special import stdtrit

        level = as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
        repeats = self.importances.shape[1]
        if repeats < 2:
            raise ValueError("level needs two repeats or more of n_repeats; got 1. Raise it.")
        half_width = stdtrit(repeats - 1, 0.5 + level / 2.0) / np.sqrt(repeats)
        half_width = half_width * self.importances.std(axis=1, ddof=1)
        return self.importances_mean[:, None] + np.outer(half_width, [-1.0, 1.0])

    def plot(self, **style: Any) -> Display:
        """Draw the importances: `statfast.plot.permutation_importances`.

        Parameters
        ----------
        **style : object
            Style of the main artist, passed on to matplotlib.

        Returns
        -------
        statfast.plot.Display
        """
        return picture("permutation_importances")(self, **style)


def permutation_importance(
    estimator: Any,
    X: Rows,
    y: Any,
    *,
    scoring: str | Callable[..., Any] | list[str] | dict[Any, Any] | None = None,
    n_repeats: int = 5,
    n_jobs: int | None = None,
    random_state: Seed = None,
    sample_weight: Weights = None,
    max_samples: float = 1.0,
) -> Any:
    """Permutation importance: the fall of a score when a feature is permuted.

    Parameters
    ----------
    estimator : estimator
        Fitted: anything with the method that the score asks for.
    X : array-like of shape (n, d)
        Rows to score, best ones that the model was not fitted to. A data frame stays one.
    y : array-like of shape (n,) or (n, outputs), or None
        Their targets.
    scoring : str, callable, list of str, dict or None, default=None
        Names of `statfast.metrics.get_scorer`, a callable of (estimator, X, y), several of them in
        a list or a dict, or None for the estimator's own ``score``.
    n_repeats : int, default=5
        Permutations of each column.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.
    sample_weight : array-like of shape (n,), optional
        Passed to the score.
    max_samples : int or float, default=1.0
        Samples drawn for each permutation without replacement, or their share.

    Returns
    -------
    PermutationImportance, or dict of them by the names of several scores

    Raises
    ------
    ValueError
        If X and y differ in length, or a parameter is out of range.

    Notes
    -----
    A column that says what another says as well has little importance, as the other remains.

    Cost: d * n_repeats predictions of the rows. Memory: a copy of the rows for each thread.

    References
    ----------
    .. [1] Breiman, L. (2001). Random forests. Machine Learning 45, 5-32.
       https://doi.org/10.1023/A:1010933404324
    .. [2] Fisher, A., Rudin, C. and Dominici, F. (2019). All models are wrong, but many are useful.
       Journal of Machine Learning Research 20 (177), 1-81.

    Examples
    --------
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_iris
    >>> from statfast.inspection import permutation_importance
    >>> iris = load_iris()
    >>> model = LinearDiscriminantAnalysis().fit(iris.data, iris.target)
    >>> result = permutation_importance(model, iris.data, iris.target, random_state=0)
    >>> int(result.importances_mean.argmax())
    2
    """
    table = RowTable(X)
    n, width = table.shape
    repeats = as_count(n_repeats, "n_repeats", high=MAX_REPEATS)
    weights = as_weights(sample_weight, n)
    if y is not None:
        y = y if hasattr(y, "iloc") else to_array(y, "y", "an array-like of targets")
        if y.ndim == 0 or len(y) != n:
            got = "a single value" if y.ndim == 0 else len(y)
            raise ValueError(f"y must have one target for each row of X ({n}); got {got}.")
    # Rows without weight are neither permuted nor scored.
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights)
        table, n, weights = table.part(kept), len(kept), weights[kept]
        y = None if y is None else _rows_of_targets(y, kept)
    scorers = _scorers(scoring)
    if isinstance(max_samples, int | np.integer) and not isinstance(max_samples, bool):
        m = as_count(max_samples, "max_samples", high=n, limit="the rows of X")
    else:
        m = max(1, int(as_real(max_samples, "max_samples", 0.0, 1.0, open_low=True) * n))
    entropy = int(as_generator(random_state).integers(2**63))
    scores = _scores(scorers, estimator, table.values, y, weights)

    def work(j: int) -> list[list[float]]:
        permuted, falls = table.copy(), []
        rng = np.random.default_rng([entropy, j])
        for _ in range(repeats):
            if m < n:
                rows = rng.choice(n, m, replace=False)
                part = table.part(rows)
                sampled = _rows_of_targets(y, rows), None if weights is None else weights[rows]
                before = _scores(scorers, estimator, part.values, *sampled)
                part.permute(j, rng.permutation(m))
                after = _scores(scorers, estimator, part.values, *sampled)
            else:
                permuted.permute(j, rng.permutation(n))
                before, after = scores, _scores(scorers, estimator, permuted.values, y, weights)
            falls.append([before[name] - after[name] for name in scorers])
            checkpoint()
        return falls

    falls_of_columns = np.array(each(work, range(width), n_jobs=n_jobs))
    names = [table.name(j) for j in range(width)]
    results = {
        name: PermutationImportance(
            importances=falls_of_columns[:, :, k],
            importances_mean=falls_of_columns[:, :, k].mean(axis=1),
            importances_std=falls_of_columns[:, :, k].std(axis=1),
            score=scores[name],
            names=names,
        )
        for k, name in enumerate(scorers)
    }
    return results.get(None, results)


def _scorers(scoring):
    """Scorers by name; a single one has the name None."""
    if scoring is None:
        return {None: by_score}
    if callable(scoring):
        return {None: scoring}
    if isinstance(scoring, str):
        return {None: _by_name(scoring)}
    if isinstance(scoring, Mapping) and scoring:
        return {str(k): s if callable(s) else _by_name(s) for k, s in scoring.items()}
    if isinstance(scoring, list | tuple | set) and scoring:
        return {name: _by_name(name) for name in scoring}
    raise wrong_type("scoring", "None, the name of a score, a callable, or several", scoring)


def _by_name(name: str) -> Any:
    if not isinstance(name, str):
        raise wrong_type("scoring", "the name of a score", name)
    return get_scorer(name)


def _scores(
    scorers: dict[None, Any], estimator: Any, X: Array, y: Any, weights: Array | None
) -> dict[None, float]:
    arguments = {} if weights is None else {"sample_weight": weights}
    return {name: float(scorer(estimator, X, y, **arguments)) for name, scorer in scorers.items()}


def _rows_of_targets(y: Any, rows: Array) -> Array | None:
    if y is None:
        return None
    return take_rows(y if hasattr(y, "iloc") else to_array(y, "y", "an array of targets"), rows)

# SPDX-License-Identifier: BSD-3-Clause
"""k-prototypes: clusters of rows of categories and numbers."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    by_fit,
    count,
    fitted,
    jobs,
    nothing,
    one_of,
    param,
    randomness,
    real,
    verbosity,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed, Weights
from statfast._validation import as_weights
from statfast.cluster.modes.columns import MixedColumns
from statfast.cluster.modes.kmodes import INIT, N_INIT, CentersOfTables
from statfast.cluster.modes.mixed_rows import FittedRows, MixedRows


class KPrototypes(CentersOfTables):
    """k-prototypes clustering of rows of categories and numbers.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    metric : {"huang", "gower"}, default="huang"
        The distance of a row and a center. "huang" is the sum of squared differences of numbers, as
        they are, and `gamma` times the number of categories that differ; its centers are means and
        modes. "gower" is the mean over the columns in which the row has a value, of the absolute
        difference over the range for numbers and of `gamma` for categories that differ; its centers
        are medians and modes, and no column needs to be scaled.
    gamma : float, optional
        Weight of a mismatch of categories. None is half the mean standard deviation of the columns
        of numbers for "huang" (1 where that is 0), 1 for "gower".
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Which columns hold categories: a mask, numbers of columns, or names of a data frame's
        columns. "from_dtype" are categorical columns, truth values, and all that hold something
        other than numbers; None: no column.
    init : {"cao", "huang", "k-means++", "random"} or array-like of shape (k, d), default="cao"
        Initialization. "cao" takes rows of frequent categories that are far from each other, and
        draws nothing; "huang" draws categories by their frequency, and takes the rows nearest to
        those; "k-means++" draws each row as the best of 2 + floor(log k) in proportion to weight *
        dissimilarity to the nearest row so far; "random" draws k rows by weight; or the values of k
        centers.
    n_init : "auto" or int, default="auto"
        Number of starts; the run of least cost is kept, the first such on ties. "auto" is 1 for
        "cao", "k-means++" and an array, 10 for "huang" and "random".
    max_iter : int, default=100
        Maximum number of iterations of one run.
    verbose : int or bool, default=0
        If not 0, each iteration prints a line.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    cluster_centroids_ : ndarray of shape (k, d)
        The centers, in the order of the columns of X; numbers if all values are such, else objects.
    labels_ : ndarray of shape (n,), int32
        The nearest center of each row: what ``predict(X)`` returns.
    cost_ : float
        Sum of weight * dissimilarity to the nearest center.
    gamma_ : float
        The weight of a mismatch that was used.
    n_iter_ : int
        Iterations of the run that was kept.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.cluster.KModes : for categories alone.
    statfast.cluster.KMedoids : centers that are rows, also by Gower's dissimilarity.

    Notes
    -----
    Rows are assigned to the nearest center, and centers move to the modes and the means (lower
    medians) of their rows, in turn, until the cost falls no more: a local optimum. (Huang's loop
    moves the centers after each row instead, and depends on the order of the rows.) **Ties**: of
    equally near centers the lowest index; of equally frequent categories the lowest in sorted
    order. The result is the same for any number of threads.

    **Missing values** (None, NaN, NA) add nothing to a dissimilarity and are counted in no center.
    A cluster without a value in a column keeps the one that it had. **Empty clusters** take, in
    order of index, the rows farthest from their own centers. **Weights**: a weight of 2 counts like
    a row given twice, and a weight of 0 like a row left out, except for the draws of init="random"
    and "huang". Gower's ranges are those of the fitted rows of positive weight; a column that is
    constant there adds nothing.

    Cost: O(n d k) an iteration: of bytes for categories, 16 or more at a time (of columns with more
    than 254 categories, of 4 bytes), and of float64 for numbers; "gower" sorts each column of
    numbers once. Memory: 8 bytes for each number, 1 or 4 for each category, 12 n, for "gower" 4 n
    for each column of numbers; a column of L categories takes 8 k L.

    References
    ----------
    Huang, Z. (1998). Extensions to the k-means algorithm for clustering large data sets with
    categorical values. Data Mining and Knowledge Discovery 2, 283-304.
    doi:10.1023/A:1009769707641

    Gower, J. C. (1971). A general coefficient of similarity and some of its properties. Biometrics
    27, 857-871. doi:10.2307/2528823

    Examples
    --------
    >>> from statfast.cluster import KPrototypes
    >>> X = [["red", 1.0], ["red", 2.0], ["blue", 9.0], ["red", 1.5], ["blue", 8.0]]
    >>> model = KPrototypes(n_clusters=2).fit(X)
    >>> model.labels_
    array([0, 0, 1, 0, 1], dtype=int32)
    >>> model.cluster_centroids_
    array([['red', 1.5],
           ['blue', 8.5]], dtype=object)
    >>> model.predict([["blue", 7.0], [None, 2.0]])
    array([1, 0], dtype=int32)
    """

    n_clusters: int = param(count(), default=8, kw_only=False)
    metric: Literal["huang", "gower"] = param(one_of("huang", "gower"), default="huang")
    gamma: float | None = param(nothing | real(0), default=None)
    categorical_features: Any = param(by_fit, default="from_dtype")
    init: Literal["cao", "huang", "k-means++", "random"] | ArrayLike = param(INIT, default="cao")
    n_init: Literal["auto"] | int = param(N_INIT, default="auto")
    max_iter: int = param(count(), default=100)
    verbose: int | bool = param(verbosity, default=0)
    random_state: Seed = param(randomness, default=None)
    n_jobs: Jobs = param(jobs, default=None)

    cluster_centroids_: Array = fitted()
    labels_: Array = fitted()
    cost_: float = fitted()
    gamma_: float = fitted()
    n_iter_: int = fitted()

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Fit the centers.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
            Numbers, and categories: strings, truth values, categorical columns, and numbers in the
            columns that `categorical_features` names; None and NaN are missing.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : KPrototypes

        Raises
        ------
        ValueError
            If X is not a table with a row and a column, holds infinity or a column without values,
            if dissimilarities would overflow, if `categorical_features` names no columns of X, if
            `n_clusters` is greater than the number of rows (of positive weight), if `init` has the
            wrong shape or other categories, or if a parameter is out of its range.
        TypeError
            If a column holds values of several types, or a parameter has the wrong type.
        MemoryError
            If a column has so many categories that their table for k clusters would take more than
            half of the free memory.
        """
        params = self._checked()
        columns, codes, numbers = MixedColumns.of_fit(X, self.categorical_features)
        weights = as_weights(sample_weight, codes.shape[1])
        ranges = _ranges(numbers, weights) if params.metric == "gower" else None
        gamma = params.gamma
        if gamma is None:
            gamma = 1.0 if ranges is not None else _half_mean_deviation(numbers, weights) or 1.0
        mixed = MixedRows(codes, numbers, float(gamma), ranges, self.n_jobs)
        rows = FittedRows(mixed, columns.sizes, weights)
        run = self._best_run(rows, columns, params.n_clusters, params.n_init)
        return self._publish_run(X, rows, columns, run, gamma_=float(gamma))


def _ranges(numbers: Array, weights: Array | None) -> Array:
    """The range of each column (p,) over the rows of positive weight."""
    counted = numbers if weights is None else numbers[:, weights > 0]
    with np.errstate(over="ignore", invalid="ignore"):
        widths = np.fmax.reduce(counted, axis=1) - np.fmin.reduce(counted, axis=1)
    if np.isinf(widths).any():
        raise ValueError(
            "X holds numbers whose range overflows, by which the metric 'gower' divides. Scale X "
            "down."
        )
    return np.nan_to_num(widths)


def _half_mean_deviation(numbers: Array, weights: Array | None) -> float:
    """Half the mean of the standard deviations of the columns; 0 without any."""
    if not len(numbers):
        return 0.0
    present = ~np.isnan(numbers) * (1.0 if weights is None else weights)
    filled, total = np.nan_to_num(numbers), np.maximum(present.sum(axis=1), 1e-300)
    with np.errstate(over="ignore", invalid="ignore"):
        means = (filled * present).sum(axis=1) / total
        variances = ((filled - means[:, None]) ** 2 * present).sum(axis=1) / total
        deviation = float(np.sqrt(variances).mean())
    return 0.5 * deviation if np.isfinite(deviation) else 0.0

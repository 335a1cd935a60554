# SPDX-License-Identifier: BSD-3-Clause
"""k-modes, and what it shares with k-prototypes."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    Clusterer,
    Estimator,
    array,
    count,
    fitted,
    jobs,
    one_of,
    param,
    randomness,
    verbosity,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed, Weights
from statfast._validation import (
    MAX_REPEATS,
    as_columns,
    as_generator,
    as_weights,
    warn_not_converged,
    warn_user,
)
from statfast.cluster.kmeans.data import require_enough
from statfast.cluster.kmeans.model import warn_empty
from statfast.cluster.modes.columns import MixedColumns
from statfast.cluster.modes.mixed_rows import (
    FittedRows,
    MixedRows,
    Prototypes,
    PrototypesRun,
    iterate,
)
from statfast.cluster.modes.starts import DRAWN, REPEATED, STARTS

INIT = one_of(*STARTS) | array
N_INIT = one_of("auto") | count(high=MAX_REPEATS)
RUNS_OF_CRUDE_STARTS = 10  # of those drawn without regard to each other


class CentersOfTables(Clusterer, Estimator):
    """Base of the estimators whose centers are made of categories, and of numbers."""

    # What subclasses declare, or a fit sets.
    cluster_centroids_: Array = fitted()

    n_clusters: int
    init: str | ArrayLike
    n_init: Literal["auto"] | int
    max_iter: int
    verbose: int | bool
    random_state: Seed
    n_jobs: Jobs

    _columns: MixedColumns = fitted()
    _centers: Prototypes = fitted()
    _dissimilarity: tuple[float, Any] = fitted()  # gamma, and the ranges of Gower's

    def predict(self, X: Rows) -> Array:
        """Predict the nearest center of each sample.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
            Samples; a category that no fitted row has differs from all others.

        Returns
        -------
        labels : ndarray of shape (n,), int32
            Index of the nearest center, the lowest on ties.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a table of the fitted columns, or holds infinity.
        TypeError
            If a column holds neither strings nor numbers.
        """
        codes, numbers = self._checked_columns().of_fitted(self, X)
        return MixedRows(codes, numbers, *self._dissimilarity, self.n_jobs).nearest(self._centers)[
            0
        ]

    def _checked_columns(self) -> MixedColumns:
        return self.__dict__.get("_columns", MixedColumns(()))

    def _best_run(
        self, rows: FittedRows, columns: MixedColumns, k: int, runs: Any
    ) -> PrototypesRun:
        """The run of least cost, the first of equals."""
        require_enough(rows, k)
        start = None if isinstance(self.init, str) else self._start(rows, columns, k)
        drawn = isinstance(self.init, str) and self.init in DRAWN
        if runs == "auto":
            runs = RUNS_OF_CRUDE_STARTS if drawn and self.init in REPEATED else 1
        elif runs > 1 and not drawn:
            warn_user(
                f"init draws nothing, and n_init={runs} runs would all be the same: one is made. "
                'Leave n_init at "auto".'
            )
            runs = 1
        best: PrototypesRun | None = None
        rng, report = as_generator(self.random_state), print if self.verbose else None
        for seed in rng.integers(2**32, size=runs):
            begin = start or STARTS[str(self.init)](rows, k, np.random.default_rng(seed))
            run = iterate(rows, begin, self.max_iter, report)
            if best is None or run.cost < best.cost:
                best = run
        assert best is not None
        if not np.isfinite(best.cost):
            raise ValueError(
                "X holds numbers so large that sums of dissimilarities overflow. Divide them by a "
                "constant first."
            )
        if not best.converged:
            warn_not_converged(self, best.n_iter, "Raise max_iter.")
        warn_empty(np.bincount(best.labels, minlength=k), "choose another init")
        return best

    def _start(self, rows: FittedRows, columns: MixedColumns, k: int) -> Prototypes:
        table = as_columns(self.init, name="init")
        shape = len(table[0]), len(table)
        if shape != (k, len(columns.levels)):
            raise ValueError(
                f"init must have shape ({k}, {len(columns.levels)}), a row for each of n_clusters "
                f"and a column for each of X; got {shape}."
            )
        codes, numbers = columns.coded(table)
        known = [
            (values >= 0) & (values < size)
            for values, size in zip(codes, columns.sizes, strict=True)
        ]
        if not np.all(known) or np.isnan(numbers).any():
            raise ValueError(
                "init must hold categories that X has, and no missing values. Take rows of X."
            )
        return Prototypes(
            np.ascontiguousarray(codes.T),
            np.ascontiguousarray(numbers.T),
        )

    def _publish_run(
        self, X: Any, rows: FittedRows, columns: MixedColumns, run: PrototypesRun, **more: Any
    ) -> Self:
        return self._publish(
            X,
            n_features_in_=len(columns.levels),
            cluster_centroids_=columns.table(*run.centers),
            labels_=run.labels,
            cost_=run.cost,
            n_iter_=run.n_iter,
            _columns=columns,
            _centers=run.centers,
            _dissimilarity=(rows.rows.gamma, rows.rows.ranges),
            **more,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        return tags


class KModes(CentersOfTables):
    """k-modes clustering of categories: centers of the fewest mismatches in all.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    init : {"cao", "huang", "k-means++", "random"} or array-like of shape (k, d), default="cao"
        Initialization. "cao" takes rows of frequent categories that are far from each other, and
        draws nothing; "huang" draws categories by their frequency, and takes the rows nearest to
        those; "k-means++" draws each row as the best of 2 + floor(log k) in proportion to weight *
        mismatches with the nearest row so far; "random" draws k rows by weight; or the categories
        of k centers.
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
        The modes; numbers if all categories are such, else objects.
    labels_ : ndarray of shape (n,), int32
        The nearest center of each row: what ``predict(X)`` returns.
    cost_ : float
        Sum of weight * mismatches with the nearest center.
    n_iter_ : int
        Iterations of the run that was kept.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.cluster.KPrototypes : for tables of categories and numbers.
    statfast.cluster.KMedoids : centers that are rows, also by Gower's dissimilarity.

    Notes
    -----
    Rows are assigned to the nearest center, by the number of columns that differ, and centers move
    to the modes of their rows, in turn, until the cost falls no more: a local optimum. (Huang's
    loop moves the centers after each row instead, and depends on the order of the rows.) **Ties**:
    of equally near centers the lowest index; of equally frequent categories the lowest in sorted
    order. The result is the same for any number of threads.

    **Missing values** (None, NaN, NA) agree with every center and are counted in no mode. A
    cluster without a value in a column keeps the mode that it had. **Empty clusters** take, in
    order of index, the rows that differ most from their own centers. **Weights**: a weight of 2
    counts like a row given twice, and a weight of 0 like a row left out, except for the draws of
    init="random" and "huang".

    Cost: O(n d k) comparisons of bytes an iteration, 16 or more at a time; of columns with more
    than 254 categories, comparisons of 4 bytes. Memory: n d bytes (or 4 n d) and 12 n; a column of
    L categories takes 8 k L.

    References
    ----------
    Huang, Z. (1998). Extensions to the k-means algorithm for clustering large data sets with
    categorical values. Data Mining and Knowledge Discovery 2, 283-304.
    doi:10.1023/A:1009769707641

    Cao, F., Liang, J. and Bai, L. (2009). A new initialization method for categorical data
    clustering. Expert Systems with Applications 36, 10223-10228. doi:10.1016/j.eswa.2009.01.060

    Examples
    --------
    >>> from statfast.cluster import KModes
    >>> X = [["red", "small"], ["red", "large"], ["blue", "tiny"], ["red", "small"],
    ...      ["blue", "tiny"]]
    >>> model = KModes(n_clusters=2).fit(X)
    >>> model.labels_
    array([0, 0, 1, 0, 1], dtype=int32)
    >>> model.cluster_centroids_
    array([['red', 'small'],
           ['blue', 'tiny']], dtype=object)
    >>> model.cost_
    1.0
    >>> model.predict([["blue", "huge"], [None, "small"]])
    array([1, 0], dtype=int32)
    """

    n_clusters: int = param(count(), default=8, kw_only=False)
    init: Literal["cao", "huang", "k-means++", "random"] | ArrayLike = param(INIT, default="cao")
    n_init: Literal["auto"] | int = param(N_INIT, default="auto")
    max_iter: int = param(count(), default=100)
    verbose: int | bool = param(verbosity, default=0)
    random_state: Seed = param(randomness, default=None)
    n_jobs: Jobs = param(jobs, default=None)

    cluster_centroids_: Array = fitted()
    labels_: Array = fitted()
    cost_: float = fitted()
    n_iter_: int = fitted()

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Fit the modes.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
            Categories: strings, numbers, truth values or categorical columns; None and NaN are
            missing.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : KModes

        Raises
        ------
        ValueError
            If X is not a table with a row and a column, holds infinity or a column without values,
            if `n_clusters` is greater than the number of rows (of positive weight), if `init` has
            the wrong shape or other categories, or if a parameter is out of its range.
        TypeError
            If a column holds values of several types, or a parameter has the wrong type.
        MemoryError
            If a column has so many categories that their table for k clusters would take more than
            half of the free memory.
        """
        params = self._checked()
        columns, codes, numbers = MixedColumns.of_fit(X, "all")
        weights = as_weights(sample_weight, codes.shape[1])
        rows = FittedRows(MixedRows(codes, numbers, 1.0, None, self.n_jobs), columns.sizes, weights)
        run = self._best_run(rows, columns, params.n_clusters, params.n_init)
        return self._publish_run(X, rows, columns, run)

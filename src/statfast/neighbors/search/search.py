# SPDX-License-Identifier: BSD-3-Clause
"""The search among fitted rows, as a base of the estimators of neighbors.

An index is any class that has the methods of `Index`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any, Literal, Protocol

import numpy as np

from statfast._distance import (
    BLOCKWISE,
    Metric,
    as_metric,
    as_metric_rows,
    is_gappy,
    metric_rows_for,
)
from statfast._estimator import Estimator, by_fit, count, fitted, jobs, nothing, one_of, param
from statfast._typing import Array, Jobs, Matrix, Rows, csr_array
from statfast._validation import (
    as_choice,
    as_count,
    as_csr,
    as_rows,
    compress_rows,
    is_sparse,
    not_fitted,
    refuse_large,
    require_width,
    rows_for,
    shown,
)
from statfast.neighbors.brute.graph import as_graph
from statfast.neighbors.brute.magnitude import in_range
from statfast.neighbors.brute.precomputed import PRECOMPUTED_METRIC, without_self
from statfast.neighbors.brute.sparse import prepared
from statfast.neighbors.search.algorithms import ALGORITHMS, SearchTask, built
from statfast.neighbors.search.auto_algorithm import choose_algorithm
from statfast.neighbors.search.part_search import neighbors_in_parts
from statfast.neighbors.spatial.kd_index import KDTreeIndex
from statfast.neighbors.spatial.kd_tree import KDTree
from statfast.neighbors.spatial.spatial_tree import SpatialTree

MAX_ROWS = 2**31 - 1  # large arrays of row numbers are int32

# Rows of these types are not converted; those of others become float64.
NATIVE_DTYPES = (np.float64, np.float32, np.uint8)

# Neighbors of a slice of a vote: 64 MB of distances and ids. A search of that size keeps all
# threads busy, so that larger slices would cost memory and save no time.
MAX_HELD_NEIGHBORS = 1 << 22


class Index(Protocol):
    """The methods of an index. Neighbors are ordered by (reduced distance, id).

    Reduced distances are those that are compared, such as squares of Euclidean distances.
    `Metric.finish` turns them into distances for the user.
    """

    def query(self, Q: Any, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Reduced distances (m, k) float64 and ids (m, k) intp of the nearest to each of Q."""

    def self_query(self, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The same for the rows of the index, each of them without itself."""

    def query_radius(
        self, Q: Any, r: Any, n_jobs: int | None = None, *, by_row: bool = False,
        distances: bool = True,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        """Starts (m + 1,), reduced distances, ids of the rows within reduced radii r of Q, those of
        each query ordered by (distance, id), or by id."""


class Search(Estimator):
    """The fitted rows, their metric and their index.

    A subclass has these parameters, and publishes what `_searchable` returns at the end of fit.
    """

    algorithm: Literal["auto", "kd_tree", "ball_tree", "brute"] = param(
        one_of(*ALGORITHMS), default="auto"
    )
    leaf_size: int | None = param(nothing | count(), default=None)
    metric: str | Callable[..., Any] = param(by_fit, default="minkowski")
    p: float = param(by_fit, default=2)
    metric_params: dict[Any, Any] | None = param(by_fit, default=None)
    n_jobs: Jobs = param(jobs, default=None)

    n_samples_fit_: int = fitted()
    n_features_in_: int = fitted()
    _rows: Any = fitted()  # dense, or a sparse csr_array
    _metric: Metric = fitted()
    _index: Index = fitted()

    def _searchable(self, X: Any, *, k: int = 1, radius: float | None = None) -> dict:
        """Check and index the rows; returns the attributes that fit publishes.

        `algorithm="auto"` chooses for a search of the k nearest or, if given, within a radius.
        """
        if isinstance(X, SpatialTree):
            return self._of_tree(X)
        leaf = self._checked_value("leaf_size")
        rows, metric = self._metric_rows(X)
        n = rows.shape[0]
        reduced = None if radius is None else float(metric.reduce_radii(radius))
        task = SearchTask(rows, metric, leaf, self.n_jobs, min(k, n), reduced)
        auto = self.algorithm == "auto"
        used, index = (
            choose_algorithm(task) if auto else (self.algorithm, built(self.algorithm, task))
        )
        return {
            "n_samples_fit_": n,
            "algorithm_": used,
            "effective_metric_": metric.name,
            "effective_metric_params_": self._metric_params_of(metric),
            "_rows": rows,
            "_metric": metric,
            "_index": index,
        }

    def _metric_rows(self, X: Any) -> tuple[Any, Metric]:
        """Check the rows, or distances, and prepare them for their metric."""
        metric: Metric = PRECOMPUTED_METRIC
        metric_arguments: dict[str, Any] = {"p": self.p, "metric_params": self.metric_params}
        if precomputed(self.metric):
            rows = as_graph(X) if is_sparse(X) else as_rows(X, keep=NATIVE_DTYPES)
        elif is_sparse(X):
            rows = as_csr(X)
            metric = as_metric(self.metric, d=rows.shape[1], **metric_arguments)
        else:
            rows, metric = as_metric_rows(X, self.metric, keep=NATIVE_DTYPES, **metric_arguments)
        n = rows.shape[0]
        if n > MAX_ROWS:
            raise ValueError(
                f"X must have at most {MAX_ROWS} rows (2^31 - 1); got {n}. Search it in "
                "parts and merge the neighbors found in each."
            )
        if not precomputed(self.metric) or not is_sparse(X):
            metric, rows = in_range(metric, rows, self.n_jobs)
        return rows, metric

    def _of_tree(self, tree: SpatialTree) -> dict[str, Any]:
        """The attributes of a fit to a tree, which is searched as it is, by its own metric."""
        plain = isinstance(self.metric, str) and self.metric == "minkowski"
        plain = plain and isinstance(self.p, Real) and self.p == 2
        if not plain or self.metric_params is not None:
            asked = as_metric(
                self.metric, p=self.p, metric_params=self.metric_params, d=tree.n_features
            )
            if (asked.name, asked.p) != (tree._metric.name, tree._metric.p):
                raise ValueError(
                    f"metric must be that of the tree ({tree.metric!r}), or be left out; got "
                    f"{shown(self.metric)}."
                )
        name = "kd_tree" if isinstance(tree, KDTree) else "ball_tree"
        if self.algorithm not in ("auto", name):
            raise ValueError(
                f"algorithm must be 'auto' or {name!r} for a tree of this kind; got "
                f"{shown(self.algorithm)}."
            )
        return {
            "n_samples_fit_": tree.n_samples,
            "n_features_in_": tree.n_features,
            "algorithm_": name,
            "effective_metric_": tree.metric,
            "effective_metric_params_": {"p": tree._metric.p} if tree.metric == "minkowski" else {},
            "_rows": tree._prepared_rows(),
            "_metric": tree._metric,
            "_index": tree._index,
        }

    def _metric_params_of(self, metric: Metric) -> dict:
        """The parameters of the metric used; p only if it is Minkowski's."""
        params = {} if self.metric_params is None else dict(self.metric_params)
        p = params.pop("p", self.p)
        return {**params, "p": p} if metric.name == "minkowski" else params

    def _queries(self, X: Any) -> Array | None:
        """Check the rows of a query; None, for the fitted rows, stays None."""
        if "_parts" in self.__dict__:
            raise TypeError("Of rows in parts there is kneighbors(X) alone. Fit rows in memory.")
        if X is None:
            if not self.__sklearn_is_fitted__():
                raise not_fitted(self)
            return None
        fitted, metric = self.__dict__.get("_rows"), self.__dict__.get("_metric")
        if metric is not None and metric.kind == BLOCKWISE:
            return metric_rows_for(self, X, metric, NATIVE_DTYPES)
        if metric is not None and metric.name == PRECOMPUTED_METRIC.name:
            return self._distances_to(X)
        if fitted is None or isinstance(fitted, np.ndarray):
            rows = rows_for(self, X, keep=NATIVE_DTYPES)
            return self._metric.prepare(rows, n_jobs=self.n_jobs)
        return prepared(self._metric, csr_for(self, X))

    def _distances_to(self, X: Any) -> Array:
        """Check distances from queries to the fitted rows: a table, or a sparse graph."""
        if not is_sparse(X):
            return self._metric.prepare(rows_for(self, X, keep=NATIVE_DTYPES), n_jobs=self.n_jobs)
        graph = as_graph(X)
        require_width(self, graph)
        return graph

    def _count(self, rows: Matrix | None) -> int:
        """How many rows a query has."""
        return self.n_samples_fit_ if rows is None else rows.shape[0]

    @property
    def _is_pairwise(self) -> bool:
        return precomputed(self.metric)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = is_gappy(self.metric)
        return tags


class KNeighborSearch(Search):
    """The search for the k nearest rows."""

    n_neighbors: int

    def kneighbors(
        self, X: Rows | None = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Return the k nearest neighbors of each query.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The query samples. None takes the fitted samples, each of them excluding itself (by its
            own index: another sample with the same values is a neighbor at distance 0).
        n_neighbors : int, optional
            Neighbors of each row; None takes the estimator's own.
        return_distance : bool, default=True
            Whether to return the distances as well.

        Returns
        -------
        distances : ndarray of shape (m, n_neighbors), float64
            Distances in ascending order; only if `return_distance`.
        ids : ndarray of shape (m, n_neighbors), intp
            Indices of the fitted samples, ordered by (distance before its root, index).

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width, if `n_neighbors` is not between
            1 and the number of rows to choose from, or if a squared distance overflows.
        MemoryError
            If the two results would take more than half the free memory.
        """
        fit = self.__dict__
        if "_parts" in fit:
            distances, ids = neighbors_in_parts(self, X, n_neighbors)
            return (distances, ids) if return_distance else ids
        index, plain = fit.get("_index"), type(X) is np.ndarray and X.shape[:-1] == (1,)
        if plain and type(index) is KDTreeIndex and "feature_names_in_" not in fit:
            k = self.n_neighbors if n_neighbors is None else n_neighbors
            found = index.nearest_to_one(np.asarray(X)[0], k)
            if found is not None:
                return (found[0][None], found[1][None]) if return_distance else found[1][None]
        rows, k = self._queries(X), self._neighbors_of(X, n_neighbors)
        refuse_large(
            16 * self._count(rows) * k, "The table of neighbors", "Pass the rows of X in parts."
        )
        reduced, ids = self._nearest(rows, k)
        return (self._metric.finish(reduced, out=reduced), ids) if return_distance else ids

    def kneighbors_graph(
        self,
        X: Rows | None = None,
        n_neighbors: int | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
    ) -> csr_array:
        """Return the neighbors of each row of X as a sparse matrix.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The query samples; None takes the fitted samples, each of them excluding itself.
        n_neighbors : int, optional
            Neighbors of each row; None takes the estimator's own.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether an entry is 1 or the distance.

        Returns
        -------
        graph : scipy.sparse.csr_array of shape (m, `n_samples_fit_`), float64
            Entry (i, j) is set where fitted row j is a neighbor of row i. A row's entries are
            stored nearest first, and a neighbor at distance 0 is stored too.

        Raises
        ------
        ValueError
            As for `kneighbors`, or if `mode` is neither of the two.
        """
        as_choice(mode, "mode", ("connectivity", "distance"))
        distances, ids = self.kneighbors(X, n_neighbors)
        return graph(
            mode, starts_of(*ids.shape), distances.ravel(), ids.ravel(), self.n_samples_fit_
        )

    def _neighbors_of(self, X: Any, n_neighbors: int | None = None) -> int:
        """Check the number of neighbors of each query."""
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        most, limit = self.n_samples_fit_, "the number of fitted rows"
        if X is None:
            most, limit = most - 1, limit + " besides the row itself"
        return as_count(k, "n_neighbors", 1, most, limit=limit)

    def _nearest(self, rows: Array | None, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Reduced distances and ids (m, k) of the nearest rows; of the fitted rows if rows is
        None."""
        if rows is None:
            reduced, ids = self._index.self_query(k, self.n_jobs)
        else:
            reduced, ids = self._index.query(rows, k, self.n_jobs)
        return finite(reduced, reduced[:, -1]), ids

    def _slices(self, rows: Any, k: int, wide: int = 1) -> Iterator[tuple]:
        """Yield (part, starts, reduced distances, ids) by slices, so that not all are in memory.

        `wide` is how many other numbers the caller needs for each row, which count like neighbors.
        """
        m = self._count(rows)
        step = max(64, MAX_HELD_NEIGHBORS // max(k, wide))
        if rows is None and precomputed(self.metric) and is_sparse(self._rows):
            step = m  # a graph is in memory, and may not hold rows as neighbors of themselves
        for start in range(0, m, step):
            part = slice(start, min(start + step, m))
            if step >= m:
                reduced, ids = self._nearest(rows, k)
            elif rows is None:
                self_ids = np.arange(part.start, part.stop)
                reduced, ids = without_self(*self._nearest(self._rows[part], k + 1), self_ids)
            else:
                reduced, ids = self._nearest(rows[part], k)
            yield part, starts_of(*ids.shape), reduced.reshape(-1), ids.reshape(-1)


def precomputed(metric: Any) -> bool:
    """Whether the user passes distances instead of rows."""
    return isinstance(metric, str) and metric == PRECOMPUTED_METRIC.name


def csr_for(search: Search, X: Matrix) -> Matrix:
    """Check queries, sparse or not, for a search among sparse rows."""
    if not is_sparse(X):
        return compress_rows(rows_for(search, X, keep=(np.float64,)))
    return rows_for(search, X, sparse=True)


def finite(reduced: np.ndarray, farthest: np.ndarray) -> np.ndarray:
    """Refuse reduced distances if one of the farthest is infinite; returns them."""
    if farthest.size and not farthest.max() < np.inf:
        raise ValueError(
            "X holds a row so far from its neighbors that their squared distance overflows "
            "float64 (1.8e308). Divide the rows of fit and X by a common scale first."
        )
    return reduced


def starts_of(m: int, k: int) -> np.ndarray:
    """The places where the neighbors of each of m rows start, if each has k."""
    return np.arange(0, m * k + 1, k)


def graph(mode: str, starts: Array, distances: Array | None, ids: Array, n: int) -> Matrix:
    """The sparse matrix of these neighbors among n rows."""
    from scipy.sparse import csr_array

    entries = distances if mode == "distance" else np.ones(ids.shape[0])
    return csr_array((entries, ids, starts), shape=(len(starts) - 1, n))

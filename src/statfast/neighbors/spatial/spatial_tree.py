# SPDX-License-Identifier: BSD-3-Clause
"""The base of the public trees, which checks arguments and queries an index.

A subclass builds its index. The index answers in reduced distances, of rows that were prepared for
the metric; see neighbors/search/search.py and _distance/metrics.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, Self

import numpy as np

from statfast._distance import Metric, as_metric
from statfast._engine import checkpoint
from statfast._typing import Array, ArrayLike, Jobs, Rows
from statfast._validation import (
    as_count,
    as_real,
    as_rows,
    as_targets,
    refuse_large,
    shape_of,
    shown,
    wrong_type,
)
from statfast.neighbors.brute.magnitude import in_range

NATIVE_DTYPES = (np.float64, np.float32, np.uint8)  # rows of other types become float64
MAX_ROWS = 2**31 - 8  # large arrays of row numbers are int32
SLICE_ROWS = 1 << 14  # rows whose neighbors are counted at a time
FIRST_SLICE_ROWS = 1 << 10  # rows of the first slice whose neighbors are listed
# Later slices have about so many neighbors, and SLICE_ROWS rows at most.
MAX_HELD_NEIGHBORS = 1 << 22


class SpatialTree:
    """The rows in a tree, with its queries."""

    _box: Array | None = None  # the lengths of a box that repeats itself

    def __init__(
        self,
        X: Rows,
        *,
        leaf_size: int | None = None,
        metric: Any = "euclidean",
        p: float = 2,
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        rows = as_rows(X, keep=NATIVE_DTYPES)
        if len(rows) > MAX_ROWS:
            raise ValueError(
                f"X must have at most {MAX_ROWS} rows; got {len(rows)}. Search it in parts and "
                "merge the neighbors found in each."
            )
        if leaf_size is not None:
            leaf_size = as_count(leaf_size, "leaf_size")
        checked_metric = as_metric(
            metric, p=p, metric_params=metric_params, d=rows.shape[1], X=rows
        )
        self.n_samples, self.n_features = rows.shape
        self.dtype = rows.dtype
        self.metric = checked_metric.name
        self._metric, rows = in_range(checked_metric, rows, n_jobs)
        self._n_jobs = n_jobs
        self._index = self._built(rows, leaf_size)

    def _built(self, rows: Any, leaf_size: int | None) -> Any:
        """The index of prepared rows."""
        raise NotImplementedError

    @property
    def nbytes(self) -> int:
        """Memory of the tree in bytes."""
        return self._index.nbytes

    @property
    def data(self) -> Array:
        """A float64 copy of the samples, in the original order.

        Not of a metric whose rows are transformed: cosine, correlation, seuclidean, mahalanobis.
        """
        if self._metric.prepares:
            raise ValueError(
                f"The tree holds rows that metric={self.metric!r} has transformed. Keep X itself."
            )
        out = np.empty((self.n_samples, self.n_features))
        out[self._index.ids] = self._index.points(slice(0, self.n_samples))
        return out

    def _prepared_rows(self) -> Array:
        """The rows as the metric prepared them, in their original order."""
        points = self._index.points(slice(0, self.n_samples))
        out = np.empty_like(points)
        out[self._index.ids] = points
        return out

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.n_samples} rows, {self.n_features} features, "
            f"{self.dtype}, metric={self.metric!r})"
        )

    def query(
        self,
        X: Rows,
        k: int | Sequence[int] = 1,
        return_distance: bool = True,
        dualtree: bool = False,
        breadth_first: bool = False,
        sort_results: bool = True,
        *,
        distance_upper_bound: float = inf,
        n_jobs: int | None = None,
    ) -> Any:
        """Return the k nearest neighbors of each query, the nearest first.

        Of rows at one distance those of lower index come first, also where that decides which of
        them is among the k.

        Parameters
        ----------
        X : array-like of shape (m, d) or (d,)
            The queries, finite; a single one gives results without their first axis.
        k : int or sequence of int, default=1
            Neighbors of each, at most the number of rows; or which of them, the nearest being 1.
        return_distance : bool, default=True
            Whether to return the distances as well.
        dualtree : bool, default=False
            Accepted for scikit-learn's sake; changes nothing.
        breadth_first : bool, default=False
            Accepted for scikit-learn's sake; changes nothing.
        sort_results : bool, default=True
            Taken for scikit-learn's sake: the results are always sorted.
        distance_upper_bound : float, default=inf
            Neighbors at this distance, or farther, are left out, as by scipy's tree: in their
            places stand an infinite distance and the number of rows.
        n_jobs : int, optional
            Threads; None takes what the tree was built with.

        Returns
        -------
        distances : ndarray of shape (m, k), float64
            In ascending order, infinite beyond the bound; only if `return_distance`.
        ids : ndarray of shape (m, k), intp
            Indices of rows, ordered by (distance before its root, index).

        Raises
        ------
        ValueError
            If X is not finite or of another width, if k is not between 1 and the number of rows,
            if the bound is negative, or if a distance overflows.
        TypeError
            If k is not an integer.
        MemoryError
            If the results would take more than half the free memory.
        """
        rows, single = self._queries(X)
        places = None if not shape_of(k) else self._places(k)
        k = as_count(
            k if places is None else int(places.max()) + 1, "k", 1, self.n_samples,
            limit="the number of rows",
        )  # fmt: skip
        bound = as_real(distance_upper_bound, "distance_upper_bound", 0.0, infinite=True)
        refuse_large(16 * len(rows) * k, "The table of neighbors", "Pass the rows of X in parts.")
        answer = self._finished(*self._index.query(rows, k, self._threads(n_jobs)))
        if places is not None:
            answer = [part[:, places] for part in answer]
        if bound < inf:
            far = answer[0] >= bound
            answer[0][far], answer[1][far] = inf, self.n_samples
        answer = [part[0] for part in answer] if single else answer
        return tuple(answer) if return_distance else answer[1]

    def _places(self, k: Any) -> Array:
        """Which of the neighbors are asked for, from 0 on."""
        ranks = [
            as_count(rank, "k", 1, self.n_samples, limit="the number of rows") for rank in list(k)
        ]
        if not ranks:
            raise ValueError("k must name a neighbor at least; got none. Pass k=[1], say.")
        return np.array(ranks) - 1

    def self_query(
        self, k: int = 1, *, return_distance: bool = True, n_jobs: int | None = None
    ) -> tuple[Array, Array]:
        """Return the k nearest neighbors of each sample, itself excluded.

        Another row with the same values is a neighbor at distance 0. Faster than `query` with the
        rows, as they are asked about in the order of the tree.

        Parameters
        ----------
        k : int, default=1
            Neighbors of each, fewer than there are samples.
        return_distance : bool, default=True
            Whether to return the distances as well.
        n_jobs : int, optional
            Threads; None takes what the tree was built with.

        Returns
        -------
        distances : ndarray of shape (n, k), float64
            In ascending order; only if `return_distance`.
        ids : ndarray of shape (n, k), intp
            Indices of rows, ordered by (distance before its root, index).

        Raises
        ------
        ValueError
            If k is not between 1 and the number of rows less one, or if a distance overflows.
        TypeError
            If k is not an integer.
        MemoryError
            If the results would take more than half the free memory.
        """
        limit = "the number of rows besides the row itself"
        k = as_count(k, "k", 1, self.n_samples - 1, limit=limit)
        refuse_large(16 * self.n_samples * k, "The table of neighbors", "Lower k.")
        answer = self._finished(*self._index.self_query(k, self._threads(n_jobs)))
        return answer if return_distance else answer[1]

    def query_radius(
        self,
        X: Rows,
        r: ArrayLike,
        return_distance: bool = False,
        count_only: bool = False,
        sort_results: bool = False,
        *,
        n_jobs: int | None = None,
    ) -> Any:
        """Return all neighbors within a radius of each query.

        Parameters
        ----------
        X : array-like of shape (m, d) or (d,)
            The queries, finite; a single one gives results without their first axis.
        r : float or array-like of shape (m,)
            The radius, or one for each query, at least 0. A row at that very distance is within.
        return_distance : bool, default=False
            Whether to return the distances as well.
        count_only : bool, default=False
            Whether to return only how many there are, which takes neither their memory nor, for
            balls that lie inside, the time to look at them. Not with `return_distance`.
        sort_results : bool, default=False
            Whether the nearest come first; only with `return_distance`.
        n_jobs : int, optional
            Threads; None takes what the tree was built with.

        Returns
        -------
        ids : ndarray of shape (m,) of ndarrays, intp
            Indices of rows, ascending; with `sort_results` ordered by (distance before its root,
            index). Views of one array. With `count_only` an ndarray of shape (m,), intp: how many.
        distances : ndarray of shape (m,) of ndarrays, float64
            Only if `return_distance`. As in scikit-learn's trees they come
            after the indices, unlike those of `query`.

        Raises
        ------
        ValueError
            If X is not finite or of another width, if a radius is negative or not finite, or if
            `return_distance` does not go with `count_only` or `sort_results`.
        MemoryError
            If the results would take more than half the free memory, as far as the tree can tell
            beforehand (a k-d tree counts them first).
        """
        require_distances(return_distance, sort_results)
        if count_only and return_distance:
            raise ValueError("count_only and return_distance exclude each other. Leave out one.")
        rows, single = self._queries(X)
        limits = self._reduced_radii(r, len(rows))
        if count_only:
            count = self._index.count_radius(rows, limits, self._threads(n_jobs))
            return count[0] if single else count
        starts, reduced, ids = self._index.query_radius(
            rows, limits, self._threads(n_jobs), by_row=not sort_results,
            distances=bool(return_distance) or not np.all(limits < np.inf),
        )  # fmt: skip
        distances = None if reduced is None else self._finished(reduced, ids)[0]
        wanted = [ids, distances] if return_distance else [ids]
        lists = [part if single else rowwise(starts, part) for part in wanted]
        return tuple(lists) if return_distance else lists[0]

    def query_pairs(self, r: float) -> Array:
        """Return all pairs of samples within a radius of each other.

        Parameters
        ----------
        r : float
            The radius, at least 0. Samples at that very distance are a pair.

        Returns
        -------
        ndarray of shape (pairs, 2), intp
            Indices i < j of rows, in lexicographic order.

        Raises
        ------
        ValueError
            If the radius is negative or not finite.
        MemoryError
            If there are so many pairs, 24 bytes each, that they would take more than half the free
            memory.

        Notes
        -----
        Each pair is found from both of its rows, by `query_radius`, and kept once.
        """
        limit = self._reduced_radii(r, None)
        if limit.ndim > 0:
            raise wrong_type("r", "a number", r)
        index, n, pairs, n_pairs, seen = self._index, self.n_samples, [], 0, 0
        start, step = 0, FIRST_SLICE_ROWS
        while start < n:
            part = slice(start, min(start + step, n))
            starts, _, ids = index.query_radius(
                index.points(part), float(limit), self._n_jobs, by_row=True, distances=False
            )
            rows = np.repeat(index.ids[part].astype(np.int64), np.diff(starts))
            first_of_pair = rows < ids
            pairs.append(rows[first_of_pair] << 32 | ids[first_of_pair])
            n_pairs, seen, start = n_pairs + len(pairs[-1]), seen + len(ids), part.stop
            refuse_large(24 * n_pairs, "The table of pairs", "Lower the radius, or count them.")
            step = max(1, min(SLICE_ROWS, MAX_HELD_NEIGHBORS * start // max(1, seen)))
        words = np.concatenate(pairs)
        pairs.clear()
        words.sort()
        out = np.empty((len(words), 2), np.intp)
        np.right_shift(words, 32, out=out[:, 0])
        np.bitwise_and(words, 2**32 - 1, out=out[:, 1])
        return out

    def count_neighbors(
        self, other: Self, r: ArrayLike, weights: tuple[Any, Any] | ArrayLike | None = None
    ) -> Any:
        """Count the pairs of samples of two trees within a radius.

        Parameters
        ----------
        other : tree of the same kind
            Of as many features, with the same metric and the same parameters of it. It may be the
            tree itself: then each pair counts twice, and each row with itself once.
        r : float or array-like of shape (s,)
            The radius, or several, at least 0. Samples at that very distance count.
        weights : tuple of two array-likes, or array-like of shape (n,), optional
            Weights of the rows of this tree and of the other, each (n,) or None for 1; a single one
            is that of both. A pair counts the product of its weights.

        Returns
        -------
        int or ndarray of shape (s,), intp
            How many, for each radius; with weights their sums, as floats.

        Raises
        ------
        ValueError
            If a radius is negative or not finite, or the trees differ in width, metric or box; or
            if there is not a finite weight, perhaps negative, for each row.
        TypeError
            If `other` is not a tree of this kind.
        """
        if not isinstance(other, type(self)):
            raise wrong_type("other", f"a {type(self).__name__}", other)
        boxes = [tree._box if tree._box is not None else np.zeros(0) for tree in (self, other)]
        same = is_same_metric(self._metric, other._metric) and np.array_equal(boxes[0], boxes[1])
        if other.n_features != self.n_features or not same:
            raise ValueError(
                f"other must have the {self.n_features} features and the metric of this tree "
                f"({self.metric!r}, with the same parameters); got {shown(other)}. Build both "
                "with metric_params that are given, not estimated from their rows."
            )
        limits = np.atleast_1d(self._reduced_radii(r, None))
        if weights is not None:
            sums = self._weighted_counts(other, limits, weights)
            return float(sums[0]) if not shape_of(r) else sums
        large, small = (self, other) if self.n_samples >= other.n_samples else (other, self)
        total = np.zeros(len(limits), np.intp)
        for start in range(0, small.n_samples, SLICE_ROWS):
            rows = small._index.points(slice(start, min(start + SLICE_ROWS, small.n_samples)))
            for i, limit in enumerate(limits):
                checkpoint()
                total[i] += large._index.count_radius(rows, limit, self._n_jobs).sum()
        return int(total[0]) if not shape_of(r) else total

    def _weighted_counts(self, other: Self, limits: Array, weights: Any) -> Array:
        """Sums of products of weights, of pairs within each radius."""
        pair = weights if isinstance(weights, tuple) else (weights, weights)
        if len(pair) != 2:
            raise ValueError(
                f"weights must be two array-likes, of each tree; got {len(pair)}. Pass a pair."
            )
        first, second = (
            np.ones(tree.n_samples) if given is None else as_vector(given, tree.n_samples)
            for tree, given in zip((self, other), pair, strict=True)
        )
        total, start, step, seen = np.zeros(len(limits)), 0, FIRST_SLICE_ROWS, 0
        while start < self.n_samples:
            checkpoint()
            part = slice(start, min(start + step, self.n_samples))
            starts, reduced, ids = other._index.query_radius(
                self._index.points(part), float(limits.max(initial=0.0)), self._n_jobs, by_row=True
            )
            products = np.repeat(first[self._index.ids[part]], np.diff(starts)) * second[ids]
            total += [products[reduced <= limit].sum() for limit in limits]
            seen, start = seen + len(ids), part.stop
            step = max(1, min(SLICE_ROWS, MAX_HELD_NEIGHBORS * start // max(1, seen)))
        return total

    def _queries(self, X: Any) -> tuple[Array, bool]:
        """Check queries; returns prepared rows, and whether X was a single row."""
        rows, single = one_or_many(X, "X")
        if rows.shape[1] != self.n_features:
            raise ValueError(
                f"X has {rows.shape[1]} features, but the {type(self).__name__} has "
                f"{self.n_features}. Pass the same columns."
            )
        return self._metric.prepare(rows, name="X", n_jobs=self._n_jobs), single

    def _reduced_radii(self, r: Any, m: int | None) -> Array:
        """Check radii; returns the largest reduced distances within them."""
        try:
            radii = np.array(r, np.float64)
        except (TypeError, ValueError) as error:
            raise wrong_type("r", "a number or an array of numbers", r) from error
        if radii.ndim > 1 or (m is not None and radii.shape not in ((), (m,))):
            wanted = "a number" if m is None else f"a number, or one for each of {m} queries"
            raise ValueError(f"r must be {wanted}; got an array of shape {radii.shape}.")
        if not (radii >= 0).all():
            raise ValueError(f"r must be at least 0; got {shown(r)}.")
        return self._metric.reduce_radii(radii)

    def _threads(self, n_jobs: Jobs) -> int | None:
        return self._n_jobs if n_jobs is None else n_jobs

    def _finished(self, reduced: Array, ids: Array) -> Any:
        """Distances and ids; refuses distances that overflowed."""
        if reduced.size and not reduced.max() < np.inf:
            raise ValueError(
                "A row is so far from a query that their distance overflows float64 on the way "
                "(1.8e308). Divide the rows and the queries by a common scale first."
            )
        return self._metric.finish(reduced, out=reduced), ids


def as_vector(weights: Any, n: int) -> Array:
    """Weights of n rows, of either sign."""
    vector = as_targets(weights, n, name="weights")[0]
    if vector.shape[1] != 1:
        raise ValueError(f"weights must be of one number a row; got {vector.shape[1]}.")
    return vector[:, 0]


def is_same_metric(a: Metric, b: Metric) -> bool:
    """Whether two metrics are the same distance, of rows prepared in the same way."""
    arrays: list[tuple[Any, Any]] = [(a.origin, b.origin), (a.factor, b.factor)]
    return (a.name, a.kind, a.p, a.function) == (
        b.name, b.kind, b.p, b.function,
    ) and all((x is None and y is None) or np.array_equal(x, y) for x, y in arrays)  # fmt: skip


def one_or_many(Q: Any, name: str) -> tuple[Array, bool]:
    """Check rows, or a single row; returns rows, and whether there was a single one."""
    if isinstance(Q, list | tuple):
        single = len(Q) > 0 and (np.isscalar(Q[0]) or getattr(Q[0], "ndim", None) == 0)
        return as_rows([Q] if single else Q, name=name, keep=NATIVE_DTYPES), single
    single = getattr(Q, "ndim", None) == 1
    return as_rows(np.asarray(Q)[None] if single else Q, name=name, keep=NATIVE_DTYPES), single


def require_distances(return_distance: int, sort_results: bool) -> None:
    """Refuse results that are to be sorted but without distances, as scikit-learn does."""
    if sort_results and not return_distance:
        raise ValueError(
            "sort_results=True needs return_distance=True. Leave it out, or ask for the distances."
        )


def rowwise(starts: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The values of each row, as an array of views."""
    rows = np.empty(len(starts) - 1, dtype=object)
    ends = starts.tolist()
    for i in range(len(rows)):
        rows[i] = values[ends[i] : ends[i + 1]]
    return rows

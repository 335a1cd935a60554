# SPDX-License-Identifier: BSD-3-Clause
"""The search for all rows within a radius, as a base of estimators."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any, Literal

from statfast._typing import Array, Matrix, Rows, csr_array
from statfast._validation import as_choice, as_flag, as_real
from statfast.neighbors.brute.precomputed import without_self_within
from statfast.neighbors.search.search import Search, finite, graph
from statfast.neighbors.spatial.spatial_tree import require_distances, rowwise

# Rows of the first slice, whose numbers of neighbors determine the size of the next.
FIRST_SLICE_ROWS = 256
MAX_HELD_NEIGHBORS = 1 << 20  # neighbors of a slice, about: they stay in the caches
MAX_SLICE_GROWTH = 8  # the rows of a slice, at most, in units of those of the slice before


class RadiusSearch(Search):
    """The search for the rows within a radius."""

    radius: float

    def radius_neighbors(
        self,
        X: Rows | None = None,
        radius: float | None = None,
        return_distance: bool = True,
        sort_results: bool = False,
    ) -> Any:
        """Return all neighbors within a radius of each query.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The query samples. None takes the fitted samples, each of them excluding itself.
        radius : float, optional
            The radius, at least 0, or infinity; samples at that very distance are within. None
            takes the estimator's own.
        return_distance : bool, default=True
            Whether to return the distances as well.
        sort_results : bool, default=False
            Whether the nearest come first; only with `return_distance`.

        Returns
        -------
        distances : ndarray of shape (m,) of ndarrays, float64
            Distances of each row's neighbors; only if `return_distance`.
        ids : ndarray of shape (m,) of ndarrays, intp
            Indices of the fitted rows, ascending; with `sort_results` ordered by (distance before
            its root, index). None for a row without neighbors.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width, if `radius` is negative or not
            finite, or if results are to be sorted without distances.
        MemoryError
            If the results would take more than half the free memory.

        Notes
        -----
        All arrays of a result are views of one, of 16 bytes for each neighbor in all. Sorting many
        neighbors by distance takes longer than finding them.
        """
        require_distances(return_distance, sort_results)
        rows, limit = self._queries(X), self._reduced_radius(radius)
        starts, reduced, ids = self._within(
            rows, limit, by_row=not sort_results, distances=bool(return_distance)
        )
        neighbors = rowwise(starts, ids)
        if not return_distance:
            return neighbors
        return rowwise(starts, self._metric.finish(reduced, out=reduced)), neighbors

    def radius_neighbors_graph(
        self,
        X: Rows | None = None,
        radius: float | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
        sort_results: bool = False,
    ) -> csr_array:
        """Return the rows within a radius of each row of X as a sparse matrix.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The query samples; None takes the fitted samples, each of them excluding itself.
        radius : float, optional
            The radius; None takes the estimator's own.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether an entry is 1 or the distance.
        sort_results : bool, default=False
            Whether a row's entries are stored nearest first, else by column.

        Returns
        -------
        graph : scipy.sparse.csr_array of shape (m, `n_samples_fit_`), float64
            Entry (i, j) is set where fitted row j is within the radius of row i. A neighbor at
            distance 0 is stored too.

        Raises
        ------
        ValueError
            As for `radius_neighbors`, or if `mode` is neither of the two.
        MemoryError
            As for `radius_neighbors`.
        """
        as_choice(mode, "mode", ("connectivity", "distance"))
        rows, limit = self._queries(X), self._reduced_radius(radius)
        by_row = not as_flag(sort_results, "sort_results")
        starts, reduced, ids = self._within(
            rows, limit, by_row=by_row, distances=mode == "distance" or not by_row
        )
        distances = reduced if reduced is None else self._metric.finish(reduced, out=reduced)
        return graph(mode, starts, distances, ids, self.n_samples_fit_)

    def _reduced_radius(self, radius: float | None = None) -> float:
        """Check a radius; returns the largest reduced distance within it."""
        radius = self.radius if radius is None else radius
        return float(self._metric.reduce_radii(as_real(radius, "radius", 0, infinite=True)))

    def _within(
        self, rows: Matrix | None, limit: float, part: slice | None = None, *, by_row: bool = True,
        distances: bool = True,
    ) -> tuple[Array, Any, Array]:  # fmt: skip
        """Starts, reduced distances and ids of the neighbors within a limit, of a slice of queries.

        The queries are the fitted rows, each without itself, if `rows` is None. The neighbors of
        each are ordered by id, or by (distance, id). Without `distances` these may be None.
        """
        part = part or slice(0, self._count(rows))
        queries = (self._rows if rows is None else rows)[part]
        starts, reduced, ids = self._index.query_radius(
            queries, limit, self.n_jobs, by_row=by_row,
            distances=distances or not limit < inf,  # An infinite one is refused below.
        )  # fmt: skip
        if rows is None:
            starts, reduced, ids = without_self_within(starts, reduced, ids, part.start)
        return starts, None if reduced is None else finite(reduced, reduced), ids

    def _balls(
        self, rows: Matrix | None, limit: float, wide: int = 1, *, distances: bool = True
    ) -> Iterator[tuple]:
        """Yield (part, starts, reduced distances, ids) by slices, so that not all are in memory.

        `wide` is how many other numbers the caller needs for each row, which count like neighbors.
        """
        m = self._count(rows)
        start, step, n_neighbors = 0, FIRST_SLICE_ROWS, 0
        while start < m:
            part = slice(start, min(start + step, m))
            neighbors = self._within(rows, limit, part, distances=distances)
            yield part, *neighbors
            start, n_neighbors = part.stop, n_neighbors + len(neighbors[2])
            per_row = max(n_neighbors / start, wide)
            step = max(1, min(MAX_SLICE_GROWTH * step, int(MAX_HELD_NEIGHBORS / per_row)))

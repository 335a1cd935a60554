# SPDX-License-Identifier: BSD-3-Clause
"""The k-d tree: the fastest exact search in few dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from statfast._distance import CHEBYSHEV, EUCLIDEAN, MANHATTAN, MINKOWSKI
from statfast._typing import Array, ArrayLike, Rows
from statfast._validation import shown, to_array
from statfast.neighbors.spatial.kd_index import KDTreeIndex
from statfast.neighbors.spatial.periodic_index import PeriodicIndex
from statfast.neighbors.spatial.spatial_tree import SpatialTree

__all__ = ["KDTree", "KDTreeIndex"]

MAX_REPEATED_COLUMNS = 8  # of a box: queries have 3 ** columns images

_FLOATS = np.dtype(np.float64), np.dtype(np.float32)


class KDTree(SpatialTree):
    """k-d tree for exact nearest-neighbor and radius queries.

    For rows of few columns, some 2 to 12, or more if they lie near a surface of few dimensions.
    Rows that spread in many directions are searched faster by
    ``NearestNeighbors(algorithm="brute")``.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The samples, finite. They are copied. float64 and float32 are kept, uint8 becomes float32,
        any other type float64.
    leaf_size : int, optional
        Rows of a leaf (a multiple of eight up to 256, others are rounded up); None takes 32.
        Changes the time only.
    metric : str, default="euclidean"
        The distance: "euclidean", "manhattan", "chebyshev" or "minkowski"; or "seuclidean",
        "mahalanobis", "cosine" and "correlation", which are Euclidean distances of rows prepared
        once.
    p : float, default=2
        Exponent of "minkowski", at least 1.
    metric_params : dict, optional
        Further parameters of the metric: "w", "V", "VI".
    boxsize : float or array-like of shape (d,), optional
        Lengths of a box whose opposite sides are the same place; 0 for columns that do not repeat.
        Rows must lie in [0, length); queries anywhere. Of the metrics that prepare no rows.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    n_samples : int
        Number of rows, n.
    n_features : int
        Number of features, d.
    dtype : dtype
        Of X: float64, float32 or uint8.
    metric : str
        The metric in use.
    boxsize : ndarray of shape (d,), or None
        The lengths of the box.
    nbytes : int
        Memory of the tree.

    Raises
    ------
    ValueError
        If X is not a finite 2-d array with a row and a column, if the metric needs another index
        (then `BallTree` takes it) or its parameters are wrong; or if rows lie outside the box.

    Notes
    -----
    The answer is that of float64 arithmetic on differences, sum_j (q_j - x_j)^2, to the last bit
    that of brute force, for any number of threads and on every instruction set, far from the
    origin and at any scale at which the squares do not overflow: rows so near one another that
    all squares would vanish are scaled by a power of two. Neighbors are ordered by (distance,
    index): **ties go to the lowest index**, also where they decide who is among the k.

    The rows are divided at medians until a leaf is left; a leaf is scanned in vector code, and so
    are the eight boxes that a node encloses its rows with [1]_. The boxes are tight, so that gaps
    between clusters are pruned. Many queries to a large tree are taken in the order in which they
    lie in space. One query of shape (d,), float64 or float32, takes a shortcut of a few
    microseconds.

    Cost: O(n d log n) to build; O(log n + k) a query in few
    dimensions and up to O(n d) in many. Memory: the rows in their own type, 4 n bytes of indices,
    and boxes of d / 2 numbers for eight rows; twice the rows more while it is built. The tree
    pickles.

    References
    ----------
    .. [1] J. H. Friedman, J. L. Bentley, R. A. Finkel (1977). An algorithm for finding best matches
       in logarithmic expected time. ACM Transactions on Mathematical Software 3(3), 209-226.
       doi:10.1145/355744.355745

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.neighbors import KDTree
    >>> tree = KDTree(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [3.0, 3.0]]))
    >>> distances, ids = tree.query([[1.0, 1.0], [3.0, 2.0]], k=2)
    >>> ids
    array([[1, 0],
           [3, 1]])
    >>> tree.query(np.array([1.0, 1.0]))
    (array([1.]), array([1]))
    >>> tree.self_query(return_distance=False).ravel()
    array([1, 0, 0, 2])
    """

    _index: Any

    def __init__(
        self,
        X: Rows,
        *,
        leaf_size: int | None = None,
        metric: Any = "euclidean",
        p: float = 2,
        metric_params: dict[str, Any] | None = None,
        boxsize: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            X, leaf_size=leaf_size, metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs
        )
        if boxsize is not None:
            self._box = self._checked_box(boxsize)
            self._index = PeriodicIndex(self._index, self._box)

    @property
    def boxsize(self) -> Array | None:
        """The lengths of the box that repeats itself, (d,), or None."""
        return None if self._box is None else self._box.copy()

    def _checked_box(self, boxsize: Any) -> Array:
        d = self.n_features
        lengths = to_array(boxsize, "boxsize", "a number, or one for each column", numbers=True)
        box = np.empty(d)
        if lengths.shape not in ((), (d,)) or lengths.dtype.kind not in "biuf":
            raise ValueError(
                f"boxsize must be a number, or one for each of the {d} columns; got "
                f"{shown(boxsize)}."
            )
        box[:] = lengths
        if not (np.isfinite(box) & (box >= 0.0)).all():
            raise ValueError(f"boxsize must be finite and not negative; got {shown(boxsize)}.")
        if self._metric.prepares:
            raise ValueError(
                f"boxsize goes with metrics of the rows as they are; got {self.metric!r}, or rows "
                "so near one another that they are scaled. Leave it out."
            )
        if np.count_nonzero(box) > MAX_REPEATED_COLUMNS:
            raise ValueError(
                f"boxsize must repeat at most {MAX_REPEATED_COLUMNS} columns; got "
                f"{np.count_nonzero(box)}. Set it to 0 for others."
            )
        points = self._index.points(slice(0, self.n_samples))
        outside = ((points < 0.0) | (points >= box)) & (box > 0.0)
        if outside.any():
            row, column = np.argwhere(outside)[0].tolist()
            raise ValueError(
                f"X must lie in [0, boxsize) in columns that repeat; got {points[row, column]} in "
                f"column {column}. Take it modulo {box[column]}."
            )
        return box

    def _built(self, rows: Array, leaf_size: int | None) -> Any:
        if self._metric.kind not in (EUCLIDEAN, MANHATTAN, CHEBYSHEV, MINKOWSKI):
            below = self._metric.p < 1.0
            raise ValueError(
                f"metric must be one whose distances grow with the difference of each column; got "
                f"{self.metric!r}{' with p below 1' * below}. Use "
                f"{'' if below else 'BallTree, or '}NearestNeighbors(algorithm='brute')."
            )
        return KDTreeIndex.build(rows, self._n_jobs, metric=self._metric, leaf_size=leaf_size)

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
        plain = self._box is None and distance_upper_bound == inf
        if plain and type(X) is np.ndarray and X.ndim == 1 and X.dtype in _FLOATS:
            found = self._index.nearest_to_one(X.astype(np.float64, copy=False), k)
            if found is not None:
                return found if return_distance else found[1]
        return super().query(
            X, k, return_distance, distance_upper_bound=distance_upper_bound, n_jobs=n_jobs
        )

    query.__doc__ = SpatialTree.query.__doc__

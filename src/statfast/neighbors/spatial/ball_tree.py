# SPDX-License-Identifier: BSD-3-Clause
"""The ball tree: an exact search for all metrics that obey the triangle inequality."""

from __future__ import annotations

from typing import Any

from statfast._distance import BLOCKWISE
from statfast._typing import Array
from statfast.neighbors.spatial.ball_index import BallTreeIndex
from statfast.neighbors.spatial.spatial_tree import SpatialTree

__all__ = ["BallTree", "BallTreeIndex"]


class BallTree(SpatialTree):
    """Ball tree for exact nearest-neighbor and radius queries.

    For rows that lie near a surface of few dimensions among many columns, for places on a sphere,
    and for distances that are not sums over columns. Where the rows spread in more than some eight
    directions no tree passes much by: use ``NearestNeighbors(algorithm="brute")``.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The samples, finite. They are copied. float64 and float32 are kept, uint8 becomes float32,
        any other type float64.
    leaf_size : int, optional
        Rows of a leaf, about (in eights); None takes 16. Changes the time only.
    metric : str or callable, default="euclidean"
        The distance: "euclidean", "manhattan", "chebyshev",
        "minkowski", "seuclidean", "mahalanobis", "cosine", "correlation", "hamming", "jaccard",
        "haversine" (latitude and longitude in radians; the distance is the angle in radians), or a
        function of two float64 rows of shape (d,).
    p : float, default=2
        Exponent of "minkowski", at least 1.
    metric_params : dict, optional
        Further parameters of the metric: "w", "V", "VI"; keyword arguments of a callable.
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
    nbytes : int
        Memory of the tree.

    Notes
    -----
    Distances are those of float64 differences, the same to the last bit as brute force finds them,
    for any number of threads; neighbors are ordered by (distance before its root, index), so that
    **ties go to the lowest index**, also where they decide who is among the k. The bounds by which
    balls are pruned allow for rounding, far from the origin and at any scale.

    **A function is trusted to be a metric**: never negative, 0 for equal rows, symmetric, and
    obeying the triangle inequality (up to 1e-12 relatively). If it does not, neighbors may be
    missed, and nothing says so. It is called from Python, one pair at a time and in one thread; the
    tree saves calls, about 4 n log2(n) of which build it.

    Cost: O(n d log n) to build; a query O(d log n) where the rows have few intrinsic dimensions,
    O(n d) where many. Memory: the rows in their own type, 8 n bytes of indices, and balls of 9 d
    bytes a leaf; twice the rows more while it is built. The tree pickles.

    References
    ----------
    .. [1] S. M. Omohundro (1989). Five balltree construction algorithms. International Computer
       Science Institute, TR-89-063.
    .. [2] J. K. Uhlmann (1991). Satisfying general proximity/similarity queries with metric trees.
       Information Processing Letters 40(4), 175-179. doi:10.1016/0020-0190(91)90074-R

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.neighbors import BallTree
    >>> cities = np.radians([[52.5, 13.4], [48.9, 2.4], [40.7, -74.0], [35.7, 139.7]])
    >>> tree = BallTree(cities, metric="haversine")
    >>> angle, ids = tree.query(np.radians([51.5, -0.1]), k=2)
    >>> ids
    array([1, 0])
    >>> np.round(angle * 6371)  # kilometers
    array([339., 929.])
    >>> tree.query_pairs(1000 / 6371)
    array([[0, 1]])
    """

    def _built(self, rows: Array, leaf_size: int | None) -> Any:
        if self._metric.kind == BLOCKWISE:
            raise ValueError(
                f"metric must be one of which balls can bound distances; got {self.metric!r}"
                f"{' with p below 1' * (self._metric.p < 1.0)}. Use "
                "NearestNeighbors(algorithm='brute')."
            )
        return BallTreeIndex.build(rows, self._n_jobs, metric=self._metric, leaf_size=leaf_size)

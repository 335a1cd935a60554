# SPDX-License-Identifier: BSD-3-Clause
"""The search for neighbors as an estimator."""

from __future__ import annotations

from typing import Any, Self

from statfast._estimator import count, fitted, param, real
from statfast._typing import Rows
from statfast.neighbors.search.part_search import index_of_parts
from statfast.neighbors.search.radius_search import RadiusSearch
from statfast.neighbors.search.search import KNeighborSearch


class NearestNeighbors(KNeighborSearch, RadiusSearch):
    """Exact nearest neighbors and radius neighbors.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbors of each row, k.
    radius : float, default=1.0
        Radius of `radius_neighbors`.
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}, default="auto"
        How to search. "brute" compares each query with each fitted sample, "kd_tree" and
        "ball_tree" pass over those that cannot be near; "auto" takes what is likely to be faster
        for many queries, judged by searches on a sample (see Notes). The answer is the same.
    leaf_size : int, optional
        Rows of a leaf of the trees; None takes the tree's own choice. Changes the time only.
    metric : str or callable, default="minkowski"
        The distance: "euclidean" ("l2"), "sqeuclidean", "manhattan" ("cityblock", "l1"),
        "chebyshev" ("infinity"), "minkowski", "seuclidean", "mahalanobis", "cosine",
        "correlation", "haversine" (radians in, radians out), "hamming", "jaccard", "canberra",
        "braycurtis", "nan_euclidean", "jensenshannon", "dice", "yule", "russellrao",
        "rogerstanimoto", "sokalmichener", "sokalsneath" and "gower" (see Notes), a function of two
        rows, or "precomputed": then X is a table of distances, of the fitted rows (n, n) or
        from queries to them (m, n), or a sparse graph of these (see Notes).
        "kd_tree" serves Minkowski's and what is scaled to it, such
        as "mahalanobis" and "cosine"; "ball_tree" also "haversine", and functions that obey the
        triangle inequality.
    p : float, default=2
        Exponent of "minkowski", above 0; 2 is the Euclidean distance, and less than 1 is served by
        brute force alone.
    metric_params : dict, optional
        Further parameters of the metric: "w", weights of the columns; "V", variances of
        "seuclidean" or the covariance of "mahalanobis" (those of the fitted rows if missing), or
        "VI", its inverse; "base" of the logarithms of "jensenshannon", natural ones if missing; for
        "gower" also "kinds" and "ranges" of columns (see Notes).
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of fitted samples, n.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.
    algorithm_ : str
        The search used: "kd_tree", "ball_tree" or "brute".
    effective_metric_ : str
        The metric used, "euclidean" for "minkowski" with p = 2.
    effective_metric_params_ : dict
        `metric_params`, with p where the metric used is "minkowski".

    Notes
    -----
    The answer is that of float64 arithmetic on differences, sum_j (q_j - x_j)^2, for any
    algorithm and number of threads. Neighbors are ordered by (distance, index): **ties go to
    the lowest index**, also where they decide who is among the k. Distances are compared before
    their root is taken: squares that differ in the last bit may have the same root, and rows at
    distances that are shown as equal then stand in the order of their squares.

    float64, float32 and uint8 rows are searched as they are, every other dtype as float64. An
    array of the three dtypes is kept by reference, not copied: do not modify it while the
    estimator is in use.

    Rows so near one another that the squares (or p-th powers) of all differences would vanish in
    float64 are held as a copy scaled by a power of two, and so are their queries; distances come
    back in the units of X. A difference of less than 1e-160 among others of more than 1e-130, or
    with a large p the smallest part of the distances, counts as 0.

    Sparse rows are searched by brute force, without being made dense, by "euclidean",
    "sqeuclidean", "manhattan" and "cosine"; queries may then be sparse or not.

    Of a sparse graph of distances, as `kneighbors_graph(mode="distance")` makes it, what is stored
    in a row are its neighbors, a stored 0 too, in any order; all others are farther. A row with
    fewer than k is refused. A fitted row need not store itself: where it is asked about without
    itself, its own entry is left out.

    "canberra" is the sum of ``|a - b| / (|a| + |b|)``, "braycurtis" that of ``|a - b|`` over that
    of ``|a + b|``; 0 / 0 is 0. "nan_euclidean" takes NaN for missing: the root of d / c times the
    sum of squares over the c columns in which both rows have a value. They are searched by brute
    force in numpy and scipy, a block at a time, as are the following, and "minkowski" with p < 1.

    "jensenshannon" [4]_ divides rows, which must not be negative, by their sums, p and q, and is
    the root of the mean of sum p log(p / m) and sum q log(q / m), with m = (p + q) / 2. Of rows as
    sets of the columns that are not 0, with c columns that both have, a and b that one alone has
    and e that neither has: "dice" is (a + b) / (2 c + a + b), "yule" 2 a b / (c e + a b),
    "russellrao" (d - c) / d, "rogerstanimoto", also called "sokalmichener",
    2 (a + b) / (c + e + 2 (a + b)), and "sokalsneath" 2 (a + b) / (c + 2 (a + b)); 0 / 0 is 0. By
    "russellrao" a row is not at 0 from itself unless it has all columns.

    "gower" [3]_ takes tables of several kinds of columns, also data frames, as R's cluster::daisy
    does: the mean of a dissimilarity for each column, over those in which both rows have a value
    (NaN and None are missing), by the weights "w". It is ``|a - b| / range`` for a column that is
    "numeric", and for "ordinal" ones, of places of the ordered values; 0 or 1, whether two values
    differ, for "nominal" ones; the same for "asymmetric" ones, of 0 and 1, that do not count where
    neither row has a 1. Numbers are numeric, ordered categories of pandas ordinal, all else
    nominal; ``metric_params={"kinds": {column: kind}}`` says otherwise, or a list of d kinds.
    "ranges" are those of the fitted rows if missing; queries may be beyond. Two rows that agree
    only in what neither has are at 0 (NA in R). Where two rows have no column in common a
    ValueError says so.

    "auto" builds a k-d tree (for "haversine" a ball tree), of samples of the rows first if they
    are many, and counts how many rows 64 of them have it look at to find their `n_neighbors`
    neighbors; at what a row costs either way, the cheaper is taken. Trees win up to some 8
    columns of independent numbers, and in any number of columns where the rows lie near a surface
    of few dimensions. Fewer than 512 rows, sparse rows and the metrics "hamming", "jaccard",
    "precomputed" and functions are left to brute force.

    Cost: brute force fits in O(n d); a search of m rows takes O(n m d), made in float32 or, where
    the machine multiplies bytes (AVX-512 VNNI), on rows rounded to bytes; an error bound decides
    which rows are looked at again in float64. Its memory: 4 n bytes; where bytes are multiplied
    4 n more, and n d for rounded rows (none for uint8 rows). Trees fit in O(d n log n) and hold
    a copy of the rows; a search takes O(log n) a row where columns are few. Results take 16 m k
    bytes.

    References
    ----------
    .. [1] C. D. Yu, J. Huang, W. Austin, B. Xiao, G. Biros (2015). Performance optimization for
       the k-nearest neighbors kernel on x86 architectures. SC '15. doi:10.1145/2807591.2807601
    .. [2] J. H. Friedman, J. L. Bentley, R. A. Finkel (1977). An algorithm for finding best
       matches in logarithmic expected time. ACM Transactions on Mathematical Software 3(3),
       209-226. doi:10.1145/355744.355745
    .. [3] J. C. Gower (1971). A general coefficient of similarity and some of its properties.
       Biometrics 27(4), 857-871. doi:10.2307/2528823
    .. [4] D. M. Endres, J. E. Schindelin (2003). A new metric for probability distributions. IEEE
       Transactions on Information Theory 49(7), 1858-1860. doi:10.1109/TIT.2003.813506

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.neighbors import NearestNeighbors
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [3.0, 3.0]])
    >>> search = NearestNeighbors(n_neighbors=2).fit(X)
    >>> distances, ids = search.kneighbors([[1.0, 1.0]])
    >>> ids
    array([[1, 0]])
    >>> search.kneighbors(n_neighbors=1, return_distance=False).ravel()
    array([1, 0, 0, 2])
    >>> distances, ids = search.radius_neighbors([[1.0, 1.0]], 1.5, sort_results=True)
    >>> ids[0]
    array([1, 0, 2])
    """

    n_neighbors: int = param(count(), default=5, kw_only=False)
    radius: float = param(real(0, infinite=True), default=1.0)

    n_samples_fit_: int = fitted()
    algorithm_: str = fitted()
    effective_metric_: str = fitted()
    effective_metric_params_: Any = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Store or index the training samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The samples, finite (but see the metrics "nan_euclidean" and "gower"), or a `KDTree` or
            `BallTree` of them, which is searched by its own metric. float64, float32 and uint8
            arrays are kept by reference.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : NearestNeighbors

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with a row and a column, if it has 2^31 rows or
            more, if a parameter is out of its range, or if the metric cannot take these rows
            (as "mahalanobis" those whose covariance is singular) or `algorithm` this metric.
        TypeError
            If X is not made of numbers, or `n_neighbors` is not an integer.
        """
        return self._publish(X, **self._searchable(X, k=self._checked().n_neighbors))

    def _fit_source(self, source: Any, X: Any) -> Any:
        """Fit rows in parts, which stay where they are; the first query indexes each part."""
        self._checked()
        return self._publish(X, **index_of_parts(self, source))

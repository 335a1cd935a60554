# SPDX-License-Identifier: BSD-3-Clause
"""Transformers of rows to the sparse graph of their neighbors."""

from __future__ import annotations

from typing import Any, Literal, Self

from statfast._estimator import Transformer, count, fitted, one_of, param, real
from statfast._typing import Array, Rows, csr_array
from statfast.neighbors.search.radius_search import RadiusSearch
from statfast.neighbors.search.search import KNeighborSearch, Search

MODES = ("connectivity", "distance")


class GraphTransformer(Transformer, Search):
    """The number and the names of the columns: one for each fitted row."""

    @property
    def _n_features_out(self) -> int:
        return self.n_samples_fit_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags


class KNeighborsTransformer(GraphTransformer, KNeighborSearch):
    """Rows to the sparse graph of their nearest neighbors.

    Before an estimator with ``metric="precomputed"`` in a pipeline, it makes the search once.

    Parameters
    ----------
    mode : {"distance", "connectivity"}, default="distance"
        What is stored: the distances of `n_neighbors` + 1 neighbors, so that a fitted row has
        `n_neighbors` besides itself; or a 1 for each of `n_neighbors`, the row itself among them.
    n_neighbors : int, default=5
        Neighbors of each row, k.
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}, default="auto"
        How neighbors are searched; the answer is the same.
    leaf_size : int, optional
        Rows of a leaf of the trees; None takes the tree's own choice.
    metric : str or callable, default="minkowski"
        The distance, any of `NearestNeighbors`.
    p : float, default=2
        Exponent of "minkowski"; 2 is the Euclidean distance.
    metric_params : dict, optional
        Further parameters of the metric.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of fitted samples, n, and of columns of the graph.
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

    See Also
    --------
    RadiusNeighborsTransformer : The neighbors within a radius.
    kneighbors_graph : The same in one call.

    Notes
    -----
    Ties go to the lowest index. Cost: that of `NearestNeighbors`. Memory: 16 bytes for each entry.

    References
    ----------
    .. [1] J. L. Bentley (1975). Multidimensional binary search trees used for associative
       searching. Communications of the ACM 18(9), 509-517. doi:10.1145/361002.361007

    Examples
    --------
    >>> from statfast import KNeighborsClassifier, make_pipeline
    >>> from statfast.datasets import load_iris
    >>> from statfast.neighbors import KNeighborsTransformer
    >>> X, y = load_iris(return_X_y=True)
    >>> vote = KNeighborsClassifier(n_neighbors=5, metric="precomputed")
    >>> model = make_pipeline(KNeighborsTransformer(n_neighbors=20), vote).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.99
    >>> graph = KNeighborsTransformer(n_neighbors=1).fit_transform([[0.0], [1.0], [3.0]])
    >>> graph.toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 2., 0.]])
    """

    mode: Literal["distance", "connectivity"] = param(one_of(*MODES), default="distance")
    n_neighbors: int = param(count(), default=5)

    n_samples_fit_: int = fitted()
    algorithm_: str = fitted()
    effective_metric_: str = fitted()
    effective_metric_params_: Any = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Store or index the samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The samples, as for `NearestNeighbors`.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : KNeighborsTransformer

        Raises
        ------
        ValueError
            If X is refused by the search (see `NearestNeighbors.fit`), or if a parameter is out of
            its range.
        TypeError
            If X is not made of numbers, or `n_neighbors` is not an integer.
        """
        return self._publish(X, **self._searchable(X, k=self._checked().n_neighbors))

    def transform(self, X: Rows) -> csr_array:
        """Return the graph of neighbors of rows among the fitted ones.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows; a fitted one is a neighbor of itself, at distance 0.

        Returns
        -------
        graph : scipy.sparse.csr_array of shape (m, n), float64
            Entries are stored nearest first in each row.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not finite, has other columns than the fitted rows, or if these are fewer than
            the neighbors to store.
        MemoryError
            If the graph would take more than half the free memory.
        """
        params = self._checked()
        k = params.n_neighbors + (params.mode == "distance")
        return self.kneighbors_graph(_require_rows(X), k, mode=params.mode)


class RadiusNeighborsTransformer(GraphTransformer, RadiusSearch):
    """Rows to the sparse graph of the neighbors within a radius.

    Parameters
    ----------
    mode : {"distance", "connectivity"}, default="distance"
        What is stored: distances, or a 1 for each neighbor.
    radius : float, default=1.0
        The radius; rows at that very distance are within.
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}, default="auto"
        How neighbors are searched; the answer is the same.
    leaf_size : int, optional
        Rows of a leaf of the trees; None takes the tree's own choice.
    metric : str or callable, default="minkowski"
        The distance, any of `NearestNeighbors`.
    p : float, default=2
        Exponent of "minkowski"; 2 is the Euclidean distance.
    metric_params : dict, optional
        Further parameters of the metric.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of fitted samples, n, and of columns of the graph.
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

    See Also
    --------
    KNeighborsTransformer : The k nearest neighbors.
    radius_neighbors_graph : The same in one call.

    Notes
    -----
    Cost: that of `NearestNeighbors`. Memory: 16 bytes for each entry.

    References
    ----------
    .. [1] J. L. Bentley (1975). Multidimensional binary search trees used for associative
       searching. Communications of the ACM 18(9), 509-517. doi:10.1145/361002.361007

    Examples
    --------
    >>> from statfast.neighbors import RadiusNeighborsTransformer
    >>> graph = RadiusNeighborsTransformer(radius=2.0).fit_transform([[0.0], [1.0], [3.0]])
    >>> graph.toarray()  # a distance of 0, of a row to itself, is stored, too
    array([[0., 1., 0.],
           [1., 0., 2.],
           [0., 2., 0.]])
    >>> graph.nnz
    7
    """

    mode: Literal["distance", "connectivity"] = param(one_of(*MODES), default="distance")
    radius: float = param(real(0, infinite=True), default=1.0)

    n_samples_fit_: int = fitted()
    algorithm_: str = fitted()
    effective_metric_: str = fitted()
    effective_metric_params_: Any = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Store or index the samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The samples, as for `NearestNeighbors`.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : RadiusNeighborsTransformer

        Raises
        ------
        ValueError
            If X is refused by the search (see `NearestNeighbors.fit`), or if a parameter is out of
            its range.
        TypeError
            If X is not made of numbers.
        """
        return self._publish(X, **self._searchable(X, radius=self._checked().radius))

    def transform(self, X: Rows) -> csr_array:
        """Return the graph of neighbors of rows among the fitted ones.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            The rows; a fitted one is a neighbor of itself, at distance 0.

        Returns
        -------
        graph : scipy.sparse.csr_array of shape (m, n), float64
            Entries are stored nearest first in each row.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not finite, or has other columns than the fitted rows.
        MemoryError
            If the graph would take more than half the free memory.
        """
        return self.radius_neighbors_graph(
            _require_rows(X), mode=self._checked().mode, sort_results=True
        )


def _require_rows(X: Any) -> Array:
    if X is None:
        raise ValueError("X must be given; got None. Pass the fitted rows to transform these.")
    return X

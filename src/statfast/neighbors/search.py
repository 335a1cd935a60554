# SPDX-License-Identifier: BSD-3-Clause
"""The k nearest rows: one search, shared by every estimator that stands on neighbours.

An index is any class with two methods::

    build(X, n_jobs) -> index
    index.query(Q, k, n_jobs) -> squared distances (m, k) float64, ids (m, k) intp

whose rows come back ordered by (squared distance, id). All else here holds for each of them.
"""

from collections.abc import Iterator

import numpy as np

from statfast._base import Estimator
from statfast._errors import not_fitted
from statfast._validation import as_choice, as_count, as_rows, refuse_large, rows_for
from statfast.neighbors.brute import BruteIndex
from statfast.neighbors.itself import without_self

# algorithm= -> (algorithm_, index class)
INDEXES = {"auto": ("brute", BruteIndex), "brute": ("brute", BruteIndex)}

MOST_ROWS = 2**31 - 1  # row numbers are 32 bits wide where they are many

# Dtypes searched as they are; every other one becomes float64.
KEPT = (np.float64, np.float32, np.uint8)

# Neighbours held at once by a vote: 2**22 of them are 64 MB of distances and ids. A search of
# that size keeps every thread busy, so larger slices would cost memory and win no time.
HELD = 1 << 22


class NeighborSearch(Estimator):
    """The fitted rows and the search among them: what estimators on neighbours have in common.

    A subclass has these parameters, and publishes what `_searchable` returns at the end of fit.
    """

    n_neighbors: int
    algorithm: str
    n_jobs: int | None

    n_samples_fit_: int
    _rows: np.ndarray
    _index: BruteIndex

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Find the nearest fitted rows of each row of X.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The query rows. None takes the fitted rows, each of them excluding itself (by its
            own index: another row with the same values is a neighbour at distance 0).
        n_neighbors : int, optional
            Neighbours of each row; None takes the estimator's own.
        return_distance : bool, default=True
            Whether to return the distances as well.

        Returns
        -------
        distances : ndarray of shape (m, n_neighbors), float64
            Euclidean distances in ascending order; only if `return_distance`.
        ids : ndarray of shape (m, n_neighbors), intp
            Indices of the fitted rows, ordered by (distance, index).

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
        rows, k = self._queries(X, n_neighbors)
        m = rows.shape[0]
        refuse_large(16 * m * k, "The table of neighbours", "Pass the rows of X in parts.")
        d2, ids = self._nearest(rows, k, slice(0, m), itself=X is None)
        return (np.sqrt(d2, out=d2), ids) if return_distance else ids

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        """Return the neighbours of each row of X as a sparse matrix.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The query rows; None takes the fitted rows, each of them excluding itself.
        n_neighbors : int, optional
            Neighbours of each row; None takes the estimator's own.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether an entry is 1 or the distance.

        Returns
        -------
        graph : scipy.sparse.csr_array of shape (m, n_samples_fit_), float64
            Entry (i, j) is set where fitted row j is a neighbour of row i. A row's entries are
            stored nearest first, and a neighbour at distance 0 is stored too.

        Raises
        ------
        ValueError
            As for `kneighbors`, or if `mode` is neither of the two.
        """
        from scipy.sparse import csr_array

        as_choice(mode, "mode", ("connectivity", "distance"))
        distances, ids = self.kneighbors(X, n_neighbors)
        m, k = ids.shape
        entries = distances.ravel() if mode == "distance" else np.ones(m * k)
        starts = np.arange(0, m * k + 1, k)
        return csr_array((entries, ids.ravel(), starts), shape=(m, self.n_samples_fit_))

    def _searchable(self, rows: np.ndarray) -> dict:
        """Build the index of checked rows: the attributes that fit has to publish."""
        as_count(self.n_neighbors, "n_neighbors")
        if len(rows) > MOST_ROWS:
            raise ValueError(
                f"X must have at most {MOST_ROWS} rows (2^31 - 1); got {len(rows)}. Search it in "
                "parts and merge the neighbours found in each."
            )
        used, index = INDEXES[as_choice(self.algorithm, "algorithm", tuple(INDEXES))]
        return {
            "n_samples_fit_": rows.shape[0],
            "algorithm_": used,
            "effective_metric_": "euclidean",
            "_rows": rows,
            "_index": index.build(rows, self.n_jobs),
        }

    def _queries(self, X, n_neighbors=None) -> tuple[np.ndarray, int]:
        """Check the query: its rows, and how many neighbours each is to have."""
        if X is not None:
            rows = rows_for(self, X, keep=KEPT)
        elif self.__sklearn_is_fitted__():
            rows = self._rows
        else:
            raise not_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        most, limit = self.n_samples_fit_, "the number of fitted rows"
        if X is None:
            most, limit = most - 1, limit + " besides the row itself"
        return rows, as_count(k, "n_neighbors", 1, most, limit=limit)

    def _nearest(self, rows, k: int, part: slice, *, itself: bool):
        """Squared distances and ids (m, k) of rows[part]; `itself`: rows are the fitted ones."""
        d2, ids = self._index.query(rows[part], k + itself, self.n_jobs)
        if not d2[:, -1].max() < np.inf:
            raise ValueError(
                "X holds a row so far from its neighbours that their squared distance overflows "
                "float64 (1.8e308). Divide the rows of fit and X by a common scale first."
            )
        return without_self(d2, ids, np.arange(part.start, part.stop)) if itself else (d2, ids)

    def _slices(self, rows, k: int, *, itself: bool) -> Iterator[tuple]:
        """Yield (part, d2, ids) over slices of the rows, for callers that keep neither."""
        m = rows.shape[0]
        step = max(64, HELD // k)
        for start in range(0, m, step):
            part = slice(start, min(start + step, m))
            yield part, *self._nearest(rows, k, part, itself=itself)


class NearestNeighbors(NeighborSearch):
    """Exact nearest neighbours in Euclidean distance.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours of each row, k.
    algorithm : {"auto", "brute"}, default="brute"
        How to search. "brute" compares each query with each fitted row; "auto" chooses, for
        now always "brute". `algorithm_` says what was used.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of fitted rows, n.
    n_features_in_ : int
        Number of columns, d.
    feature_names_in_ : ndarray of shape (d,)
        Column names, if fitted on a data frame whose names are all strings.
    algorithm_ : str
        The search used.
    effective_metric_ : str
        "euclidean".

    Notes
    -----
    The answer is that of float64 arithmetic on differences, sum_j (q_j - x_j)^2, for any number
    of threads. Neighbours are ordered by (distance, index): **ties go to the lowest index**,
    also where they decide who is among the k.

    float64, float32 and uint8 rows are searched as they are, every other dtype as float64. An
    array of the three dtypes is kept by reference, not copied: do not modify it while the
    estimator is in use.

    Cost: fit O(n d); a search of m rows O(n m d), made in float32 or, where the machine multiplies
    bytes (AVX-512 VNNI), on rows rounded to bytes; an error bound decides which rows are looked at
    again in float64. Memory: 4 n bytes; where bytes are multiplied 4 n more, and n d for rounded
    rows (none for uint8 rows); and 16 m k bytes of results.

    References
    ----------
    C. D. Yu, J. Huang, W. Austin, B. Xiao, G. Biros. "Performance optimization for the k-nearest
    neighbors kernel on x86 architectures". SC '15, 2015. doi:10.1145/2807591.2807601

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
    """

    def __init__(self, n_neighbors=5, *, algorithm="brute", n_jobs=None):
        self.n_neighbors = n_neighbors
        self.algorithm = algorithm
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Take the rows to search among.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The rows, finite. float64, float32 and uint8 arrays are kept by reference.
        y : ignored
            Present for the estimator protocol.

        Returns
        -------
        self : NearestNeighbors

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with a row and a column, if it has 2^31 rows or
            more, or if a parameter is out of its range.
        TypeError
            If X is sparse, or `n_neighbors` is no integer.
        """
        return self._publish(X, **self._searchable(as_rows(X, keep=KEPT)))

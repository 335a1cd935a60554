# SPDX-License-Identifier: BSD-3-Clause
"""Classification by the vote of the nearest neighbours."""

import numpy as np

from statfast._base import Classifier
from statfast._core import vote
from statfast._validation import as_choice, as_labels, as_rows, refuse_large
from statfast.neighbors.search import KEPT, NeighborSearch

WEIGHTS = ("uniform", "distance")
TIES = ("lowest", "nearest")


class KNeighborsClassifier(Classifier, NeighborSearch):
    """Classify a row by the vote of its k nearest fitted rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours that vote, k.
    weights : {"uniform", "distance"} or callable, default="uniform"
        Weight of a neighbour's vote: 1, or 1 / distance, or what the callable returns for an
        array of distances (m, k): weights (m, k), not negative, some of each row positive.
        With "distance", neighbours at distance 0 have weight 1 and all others of that row
        none. A callable sees at most some 4 million distances a call.
    algorithm : {"auto", "brute"}, default="brute"
        How to search; see `NearestNeighbors`.
    ties : {"lowest", "nearest"}, default="lowest"
        Which of the classes that share the largest vote wins: the lowest label (as in
        scikit-learn), or the one whose nearest member is nearest to the row, and of those
        equally near the lowest label.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
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
    Neighbours are exact, and **rows at equal distance are taken lowest index first**, which
    decides who is among the k; `ties` then decides between classes. Votes are summed in float64,
    nearest neighbour first, and compared exactly. float64, float32 and uint8 rows are kept by
    reference and searched as they are: do not modify the fitted array.

    fit has no `sample_weight`. An integer weight should equal a repeated row, and a repeated row
    takes several of the k places in the search; a weight on the vote alone would not.

    Cost: fit O(n d + n log n); m rows O(n m d) for the search and O(m k) for the vote. Memory:
    O(n d), and about 100 MB of neighbours at a time, however many rows are classified.

    References
    ----------
    .. [1] T. Cover and P. Hart (1967). Nearest neighbor pattern classification. IEEE
       Transactions on Information Theory 13(1), 21-27. doi:10.1109/TIT.1967.1053964
    .. [2] S. A. Dudani (1976). The distance-weighted k-nearest-neighbor rule. IEEE Transactions
       on Systems, Man, and Cybernetics 6(4), 325-327. doi:10.1109/TSMC.1976.5408784

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.neighbors import KNeighborsClassifier
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    >>> y = np.array(["near", "near", "near", "far", "far"])
    >>> model = KNeighborsClassifier(n_neighbors=3).fit(X, y)
    >>> model.predict([[1.5], [9.0]])
    array(['near', 'far'], dtype='<U4')
    >>> model.predict_proba([[6.5]])
    array([[0.66666667, 0.33333333]])
    >>> model.score(X, y)
    1.0
    """

    def __init__(
        self, n_neighbors=5, *, weights="uniform", algorithm="brute", ties="lowest", n_jobs=None
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.ties = ties
        self.n_jobs = n_jobs

    def fit(self, X, y):
        """Take the rows to search among and their labels.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The rows, finite. float64, float32 and uint8 arrays are kept by reference.
        y : array-like of shape (n,)
            A label for each row, of any dtype that has an order; one class is enough.

        Returns
        -------
        self : KNeighborsClassifier

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with a row and a column, if it has 2^31 rows or
            more, if y is not one label for each row (several outputs are refused: fit one
            classifier for each), or if a parameter is out of its range.
        TypeError
            If X is sparse, or `n_neighbors` is no integer.
        """
        self._voting()
        rows = as_rows(X, keep=KEPT)
        classes, codes = as_labels(y, rows.shape[0])
        return self._publish(X, classes_=classes, _codes=codes, **self._searchable(rows))

    def predict(self, X=None):
        """Return the class with the largest vote for each row of X.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The rows to classify. None takes the fitted rows, each without its own vote: the
            leave-one-out prediction.

        Returns
        -------
        labels : ndarray of shape (m,), dtype of `classes_`

        Raises
        ------
        ValueError
            As for `kneighbors`, or if a `weights` callable returns the wrong shape, a negative
            or NaN weight, or a row of zeros.
        """
        weights, nearest = self._voting()
        rows, k = self._queries(X)
        votes = np.zeros(self.classes_.shape[0])
        winners = np.empty(rows.shape[0], np.intp)
        for part, d2, ids in self._slices(rows, k, itself=X is None):
            w = vote_weights(weights, d2)
            vote.winners(self._codes, ids, d2, w, nearest, votes, winners[part])
        return self.classes_.take(winners)

    def predict_proba(self, X=None):
        """Return each class's share of the vote for each row of X.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The rows to classify; None takes the fitted rows, each without its own vote.

        Returns
        -------
        shares : ndarray of shape (m, K), float64
            Columns as in `classes_`; each row sums to 1.

        Raises
        ------
        ValueError
            As for `predict`.
        MemoryError
            If the result would take more than half the free memory.
        """
        weights, _ = self._voting()
        rows, k = self._queries(X)
        shape = rows.shape[0], self.classes_.shape[0]
        refuse_large(8 * shape[0] * shape[1], "The table of shares", "Pass the rows of X in parts.")
        shares = np.zeros(shape)
        for part, d2, ids in self._slices(rows, k, itself=X is None):
            vote.shares(self._codes, ids, vote_weights(weights, d2), shares[part])
        return shares

    def _voting(self):
        """Check the vote's parameters: the weights, and whether ties go to the nearest."""
        if not callable(self.weights):
            as_choice(self.weights, "weights", WEIGHTS)
        return self.weights, as_choice(self.ties, "ties", TIES) == "nearest"


def vote_weights(weights, d2: np.ndarray) -> np.ndarray | None:
    """Weights (m, k) of the votes of neighbours at squared distances d2; None: one each."""
    if callable(weights):
        return checked_weights(weights(np.sqrt(d2)), d2.shape)
    if weights == "uniform":
        return None
    inverse = np.empty_like(d2)
    vote.inverse_distances(d2, inverse)
    return inverse


def checked_weights(values, shape: tuple[int, int]) -> np.ndarray:
    """Check what a callable returned: float64 weights of this shape that can decide a vote."""
    w = np.ascontiguousarray(values, dtype=np.float64)
    if w.shape != shape:
        raise ValueError(
            f"weights must return one weight for each distance, shape {shape}; got shape "
            f"{w.shape}. Return an array of the shape it is given."
        )
    total = w.sum(axis=1)
    # Written so that NaN fails too.
    if not (w.min() >= 0.0 and total.max() < np.inf):
        raise ValueError(
            f"weights must return finite weights of at least 0; got {w.min()} to {w.max()}. "
            'For 1 / distance use weights="distance", which allows for distance 0.'
        )
    if not total.min() > 0.0:
        raise ValueError(
            f"weights must return a positive weight in each row; got a row of {shape[1]} zeros. "
            "Give at least the nearest neighbour a positive weight."
        )
    return w

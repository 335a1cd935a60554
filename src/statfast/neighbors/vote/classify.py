# SPDX-License-Identifier: BSD-3-Clause
"""Classification by the vote of the nearest neighbors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, Self

import numpy as np

from statfast._core.neighbors import vote
from statfast._estimator import count, fitted, one_of, param, randomness
from statfast._typing import Array, ArrayLike, Rows, Seed
from statfast._validation import refuse_large
from statfast.neighbors.vote.leave_one_out import LeftOut
from statfast.neighbors.vote.weights import TIES, WEIGHTING, Voting, weigh


class KNeighborsClassifier(Voting, LeftOut):
    """k-nearest-neighbors classifier.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbors that vote, k.
    weights : {"uniform", "distance"} or callable, default="uniform"
        Weight of a neighbor's vote: 1, or 1 / distance, or what the callable returns for an
        array of distances (m, k): weights (m, k), not negative, some of each row positive.
        With "distance", neighbors at distance 0 have weight 1 and all others of that row
        none; so have those of infinite weight. A callable sees at most some 4 million distances a
        call.
    ties : {"lowest", "nearest", "random"}, default="lowest"
        Which of the classes that share the largest vote wins: the lowest label (as in
        scikit-learn); the one whose nearest member is nearest to the sample, and of those equally
        near the lowest label; or one of them drawn at random. A draw depends on `random_state` and
        the sample's nearest neighbor and its distance alone: the same sample is always given the
        same label.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the draws of `ties="random"`; an integer makes the result reproducible.
        Taken at fit.
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}, default="auto"
        Search method: "brute", a k-d tree or a ball tree; "auto" takes what is likely to be
        fastest. The answer is the same.
    leaf_size : int, optional
        Rows of a leaf of the trees; None takes the tree's own choice.
    metric : str or callable, default="minkowski"
        The distance.
    p : float, default=2
        Exponent of "minkowski", above 0; 2 is the Euclidean distance, and less than 1 is served by
        brute force alone.
    metric_params : dict, optional
        Further parameters of the metric.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    classes_ : ndarray of shape (K,), or list of such
        The labels, ascending; of several outputs a list, as for all that follows by class.
    outputs_2d_ : bool
        Whether labels are of several outputs.
    n_samples_fit_ : int
        Number of fitted samples, n.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.
    algorithm_ : str
        The search used.
    effective_metric_ : str
        The metric used, "euclidean" for "minkowski" with p = 2.
    effective_metric_params_ : dict
        `metric_params`, with p where the metric used is "minkowski".

    Notes
    -----
    Neighbors are exact, and **rows at equal distance are taken lowest index first**, which
    decides who is among the k; `ties` then decides between classes. Votes are summed in float64,
    nearest neighbor first, and compared exactly. float64, float32 and uint8 rows are kept by
    reference and searched as they are: do not modify the fitted array.

    fit has no `sample_weight`. An integer weight should equal a repeated row, and a repeated row
    takes several of the k places in the search; a weight on the vote alone would not.

    Cost: that of `NearestNeighbors`, and O(n log n) for the labels of fit and O(m k) for the vote
    on m rows. Memory: that of the search, and about 100 MB of neighbors at a time, however many
    rows are classified.

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
    >>> model.leave_one_out([1, 2, 3])
    array([0. , 0. , 0.4])
    >>> model.tune_n_neighbors([1, 2, 3])
    2
    """

    n_neighbors: int = param(count(), default=5, kw_only=False)
    weights: Literal["uniform", "distance"] | Callable[..., Any] = param(
        WEIGHTING, default="uniform"
    )
    ties: Literal["lowest", "nearest", "random"] = param(one_of(*TIES), default="lowest")
    random_state: Seed = param(randomness, default=None)

    classes_: Any = fitted()
    outputs_2d_: bool = fitted()
    n_samples_fit_: int = fitted()
    algorithm_: str = fitted()
    effective_metric_: str = fitted()
    effective_metric_params_: Any = fitted()

    def fit(self, X: Rows, y: ArrayLike) -> Self:
        """Store or index the training samples and their labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The samples, finite, or a `KDTree` or `BallTree` of them, which brings its metric.
            float64, float32 and uint8 arrays are kept by reference.
        y : array-like of shape (n,) or (n, T)
            A label for each row, of any dtype that has an order; one class is enough. Or those of
            several outputs, which are elected one by one by the same neighbors.

        Returns
        -------
        self : KNeighborsClassifier

        Raises
        ------
        ValueError
            If X is refused by the search (see `NearestNeighbors.fit`), if y is not one label for
            each row and output, or if a parameter is out of its range.
        TypeError
            If X is not made of numbers, or `n_neighbors` is not an integer.
        """
        search = self._searchable(X, k=self._checked().n_neighbors)
        electorate = self._electorate(y, search["n_samples_fit_"], several=True)
        return self._publish(X, **search, **electorate)

    def _ties_at_random(self) -> bool:
        return self.ties == "random"

    def predict(self, X: Rows | None = None) -> Array:
        """Predict the class with the largest vote.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The samples to classify. None takes the fitted samples, each without its own vote: the
            leave-one-out prediction.

        Returns
        -------
        labels : ndarray of shape (m,) or (m, T), dtype of `classes_`

        Raises
        ------
        ValueError
            As for `kneighbors`, or if a `weights` callable returns the wrong shape, a negative
            or NaN weight, or a row of zeros.
        """
        rows, k = self._queries(X), self._neighbors_of(X)
        return self._predicted(self._slices(rows, k), self._count(rows), k)

    def _predicted(self, slices: Iterator[Any], m: int, k: int) -> Array:
        weighting, ties = self._voting()
        outputs = self._outputs
        winners = np.empty((len(outputs), m), np.intp)
        for part, starts, reduced, ids in slices:
            weights = weigh(weighting, self._metric, starts, reduced, (-1, k))
            for output, output_winners in zip(outputs, winners, strict=True):
                self._elect(output, ties, starts, ids, reduced, weights, output_winners[part])
        labels = [
            output[0].take(output_winners)
            for output, output_winners in zip(outputs, winners, strict=True)
        ]
        return np.column_stack(labels) if self.outputs_2d_ else labels[0]

    def predict_proba(self, X: Rows | None = None) -> Any:
        """Return class probabilities: proportions of the vote.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The samples to classify; None takes the fitted samples, each without its own vote.

        Returns
        -------
        shares : ndarray of shape (m, K), float64, or list of such
            Columns as in `classes_`; each row sums to 1. Of several outputs a list.

        Raises
        ------
        ValueError
            As for `predict`.
        MemoryError
            If the result would take more than half the free memory.
        """
        weighting, _ = self._voting()
        rows, k = self._queries(X), self._neighbors_of(X)
        m, outputs = self._count(rows), self._outputs
        width = sum(len(classes) for classes, _ in outputs)
        refuse_large(8 * m * width, "The table of shares", "Pass the rows of X in parts.")
        shares = [np.zeros((m, len(classes))) for classes, _ in outputs]
        for part, starts, reduced, ids in self._slices(rows, k, wide=width):
            for (_, codes), output_shares in zip(outputs, shares, strict=True):
                self._share(codes, weighting, starts, ids, reduced, (-1, k), output_shares[part])
        return shares if self.outputs_2d_ else shares[0]

    def _add_errors(
        self, part: Any, ks: Any, starts: Any, reduced: Any, ids: Any, total: Any
    ) -> None:
        weighting, ties = self._voting()
        count, outputs = np.zeros(len(ks), np.intp), self._outputs
        for trial, begin, d, near, weights in self._trials(weighting, ks, starts, reduced, ids):
            for classes, codes in outputs:
                vote.errors(
                    codes, codes[part], begin, near, d, weights,
                    len(classes), ties, self._seed, ks[trial], count[trial],
                )  # fmt: skip
        total += count / len(outputs)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

# SPDX-License-Identifier: BSD-3-Clause
"""Classification and regression by all fitted rows within a radius."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import by_fit, fitted, one_of, param, randomness, real
from statfast._typing import Array, ArrayLike, Rows, Seed
from statfast._validation import refuse_large, shown, warn_user
from statfast.neighbors.search.radius_search import RadiusSearch
from statfast.neighbors.vote.weights import TIES, WEIGHTING, Averaging, Voting, weigh


class RadiusNeighborsClassifier(Voting, RadiusSearch):
    """Radius-neighbors classifier: a vote of the training samples within a radius.

    Parameters
    ----------
    radius : float, default=1.0
        How near a fitted sample must be to vote, that distance included.
    weights : {"uniform", "distance"} or callable, default="uniform"
        Weight of a neighbor's vote: 1, or 1 / distance, or what the callable returns for a
        1-d array of distances, those of many rows one after the other: as many weights, not
        negative, some of each row positive. With "distance", neighbors at distance 0 have
        weight 1 and all others of that row none.
    ties : {"lowest", "nearest", "random"}, default="lowest"
        Winner among the classes with the largest vote: the lowest label, the one with the nearest
        member, or one drawn at random by `random_state`.
    outlier_label : label, "most_frequent" or None, default=None
        The label of rows without a neighbor: this one, which may be none of the fitted ones;
        that of most fitted rows (of several the lowest); None refuses such rows.
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
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    outputs_2d_ : bool
        False: labels are of one output.
    outlier_label_ : label or None
        The label of rows without a neighbor.
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
    All rows within the radius vote, so only the `ties` between classes have to be decided. Votes
    are summed in float64, in the order of the fitted rows, and compared exactly.

    Cost: that of the search, and O(1) for each neighbor found. Memory: that of the search, and
    about 32 MB of neighbors at a time, however many rows are classified.

    References
    ----------
    E. Fix and J. L. Hodges (1951, reprinted 1989). Discriminatory analysis. Nonparametric
    discrimination: consistency properties. International Statistical Review 57(3), 238-247.
    doi:10.2307/1403797

    Examples
    --------
    >>> from statfast.neighbors import RadiusNeighborsClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [10.0]], ["low", "low", "mid", "high"]
    >>> model = RadiusNeighborsClassifier(1.5, outlier_label="none").fit(X, y)
    >>> model.predict([[0.5], [9.0], [50.0]])
    array(['low', 'high', 'none'], dtype='<U4')
    >>> model.predict_proba([[1.0], [50.0]])
    array([[0.        , 0.66666667, 0.33333333],
           [0.        , 0.        , 0.        ]])
    """

    radius: float = param(real(0, infinite=True), default=1.0, kw_only=False)
    weights: Literal["uniform", "distance"] | Callable[..., Any] = param(
        WEIGHTING, default="uniform"
    )
    ties: Literal["lowest", "nearest", "random"] = param(one_of(*TIES), default="lowest")
    outlier_label: Any = param(by_fit, default=None)
    random_state: Seed = param(randomness, default=None)

    classes_: Array = fitted()
    outputs_2d_: bool = fitted()
    outlier_label_: Any = fitted()
    n_samples_fit_: int = fitted()
    algorithm_: str = fitted()
    effective_metric_: str = fitted()
    effective_metric_params_: Any = fitted()

    _outlier: int = fitted()
    _labels: np.ndarray = fitted()

    def fit(self, X: Rows, y: ArrayLike) -> Self:
        """Store or index the training samples and their labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The samples, finite, or a `KDTree` or `BallTree` of them, which brings its metric.
            float64, float32 and uint8 arrays are kept by reference.
        y : array-like of shape (n,)
            A label for each row, of any dtype that has an order; one class is enough.

        Returns
        -------
        self : RadiusNeighborsClassifier

        Raises
        ------
        ValueError
            If X is refused by the search (see `NearestNeighbors.fit`), if y is not one label for
            each row, or if a parameter is out of its range.
        TypeError
            If X is not made of numbers, or `outlier_label` is of another type than the labels.
        """
        search = self._searchable(X, radius=self._checked().radius)
        votes = self._electorate(y, search["n_samples_fit_"])
        label, code, labels = outlier(self.outlier_label, votes["classes_"], votes["_codes"])
        return self._publish(
            X, **search, **votes, outlier_label_=label, _outlier=code, _labels=labels
        )

    def predict(self, X: Rows | None = None) -> Array:
        """Predict the class with the largest vote.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The samples to classify. None takes the fitted samples, each without its own vote: the
            leave-one-out prediction.

        Returns
        -------
        labels : ndarray of shape (m,)
            Of the dtype of `classes_`, wider if the outlier label needs it.

        Raises
        ------
        ValueError
            As for `radius_neighbors`; if a row has no neighbor and there is no outlier label; or
            if a `weights` callable returns the wrong shape, a negative or NaN weight, or only
            zeros for a row.
        """
        weighting, ties = self._voting()
        rows, limit = self._queries(X), self._reduced_radius()
        winners = np.empty(self._count(rows), np.intp)
        compared = weighting != "uniform" or ties != TIES["lowest"]
        for part, starts, reduced, ids in self._balls(rows, limit, distances=compared):
            self._rows_without_neighbor(part, starts)
            weights = weigh(weighting, self._metric, starts, reduced, (-1,))
            self._elect(self._outputs[0], ties, starts, ids, reduced, weights, winners[part])
        winners[winners < 0] = self._outlier
        return self._labels.take(winners)

    def predict_proba(self, X: Rows | None = None) -> Array:
        """Return class probabilities: proportions of the vote.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The samples to classify; None takes the fitted samples, each without its own vote.

        Returns
        -------
        shares : ndarray of shape (m, K), float64
            Columns as in `classes_`; each row sums to 1. A row without neighbors has all of it
            at the outlier label, or zeros if that is not a fitted label.

        Raises
        ------
        ValueError
            As for `predict`.
        MemoryError
            If the result would take more than half the free memory.
        """
        weighting, _ = self._voting()
        rows, limit = self._queries(X), self._reduced_radius()
        m, classes = self._count(rows), len(self.classes_)
        refuse_large(8 * m * classes, "The table of shares", "Pass the rows of X in parts.")
        shares = np.zeros((m, classes))
        balls = self._balls(rows, limit, wide=classes, distances=weighting != "uniform")
        for part, starts, reduced, ids in balls:
            alone = self._rows_without_neighbor(part, starts)
            self._share(self._codes, weighting, starts, ids, reduced, (-1,), shares[part])
            if self._outlier < classes:
                shares[alone, self._outlier] = 1.0
        return shares

    def _rows_without_neighbor(self, part: slice, starts: Array) -> np.ndarray:
        """The rows without a neighbor; refuses them if there is no outlier label."""
        alone = part.start + np.flatnonzero(np.diff(starts) == 0)
        if len(alone) and self.outlier_label_ is None:
            raise ValueError(
                f"X has a row (row {alone[0]}) with no neighbor within radius {self.radius}. "
                "Give an outlier_label for such rows, or raise radius."
            )
        return alone


class RadiusNeighborsRegressor(Averaging, RadiusSearch):
    """Radius-neighbors regression: the average over the training samples within a radius.

    Parameters
    ----------
    radius : float, default=1.0
        How near a fitted sample must be to count, that distance included.
    weights : {"uniform", "distance"} or callable, default="uniform"
        Weight of a neighbor: 1, or 1 / distance (neighbors at distance 0 then count alone), or what
        the callable returns for a 1-d array of distances: as many weights, not negative.
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
    n_outputs_ : int
        Number of outputs, T.
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
    All rows within the radius count, so no ties have to be decided. Targets are float64 and
    summed in the order of the fitted rows. Weights "uniform" make this the Nadaraya-Watson
    estimate with a box for a kernel; a callable gives the other kernels.

    Cost: that of the search, and O(T) for each neighbor found. Memory: that of the search, and
    about 32 MB of neighbors at a time, however many rows are predicted.

    References
    ----------
    E. A. Nadaraya (1964). On estimating regression. Theory of Probability and its Applications
    9(1), 141-142. doi:10.1137/1109020

    Examples
    --------
    >>> from statfast.neighbors import RadiusNeighborsRegressor
    >>> X = [[0.0], [1.0], [2.0], [4.0]]
    >>> model = RadiusNeighborsRegressor(1.0).fit(X, [0.0, 1.0, 4.0, 16.0])
    >>> model.predict([[0.4], [1.0]])
    array([0.5       , 1.66666667])
    """

    radius: float = param(real(0, infinite=True), default=1.0, kw_only=False)
    weights: Literal["uniform", "distance"] | Callable[..., Any] = param(
        WEIGHTING, default="uniform"
    )

    n_outputs_: int = fitted()
    n_samples_fit_: int = fitted()
    algorithm_: str = fitted()
    effective_metric_: str = fitted()
    effective_metric_params_: Any = fitted()

    def fit(self, X: Rows, y: ArrayLike) -> Self:
        """Store or index the training samples and their targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The samples, finite, or a `KDTree` or `BallTree` of them, which brings its metric.
            float64, float32 and uint8 arrays are kept by reference.
        y : array-like of shape (n,) or (n, T)
            The targets, finite numbers: one output, or several.

        Returns
        -------
        self : RadiusNeighborsRegressor

        Raises
        ------
        ValueError
            If X is refused by the search (see `NearestNeighbors.fit`), if y is not a row of
            finite numbers for each row of X, or if a parameter is out of its range.
        TypeError
            If X is not made of numbers, or the radius is none.
        """
        search = self._searchable(X, radius=self._checked().radius)
        return self._publish(X, **search, **self._averaged(y, search["n_samples_fit_"]))

    def predict(self, X: Rows | None = None) -> Array:
        """Predict the average over the neighbors.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The samples to predict. None takes the fitted samples, each without its own target: the
            leave-one-out prediction.

        Returns
        -------
        y : ndarray of shape (m,) or (m, T), float64
            1-d if the targets of fit were. NaN for samples without a neighbor, and a warning.

        Raises
        ------
        ValueError
            As for `radius_neighbors`, or if a `weights` callable returns the wrong shape, a
            negative or NaN weight, or only zeros for a row.
        """
        rows, limit = self._queries(X), self._reduced_radius()
        balls = self._balls(rows, limit, distances=self._checked_value("weights") != "uniform")
        averages = self._predict(balls, self._count(rows), (-1,))
        if np.isnan(averages).any():
            warn_user(
                "One or more samples have no neighbors within specified radius; predicting NaN."
            )
        return averages


def outlier(
    label: float | str | None, classes: np.ndarray, codes: np.ndarray
) -> tuple[float | str | None, int, Array]:
    """The outlier label, its code, and the labels by code, the last of which may be a new one."""
    if label is None:
        return None, len(classes), classes
    if isinstance(label, str) and label == "most_frequent":
        code = int(np.bincount(codes).argmax())
        return classes[code], code, classes
    numbers = bool, int, float, np.number, np.bool_
    alike = numbers if classes.dtype.kind in "biuf" else (str, bytes)
    if not isinstance(label, (type(classes[0]), *alike)):
        raise TypeError(
            f"outlier_label must be a label like those of y (dtype {classes.dtype}), "
            f"'most_frequent' or None; got {shown(label)}."
        )
    places = np.flatnonzero(classes == label)
    if len(places):
        return classes[places[0]], int(places[0]), classes
    labels = np.append(classes, np.array([label]))
    return labels[-1], len(classes), labels

# SPDX-License-Identifier: BSD-3-Clause
"""Regression by the average of the nearest neighbors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from statfast._core.neighbors import average
from statfast._estimator import copied, count, fitted, param
from statfast._typing import Array, ArrayLike, Rows
from statfast.neighbors.brute.magnitude import require_size, width_of
from statfast.neighbors.vote.leave_one_out import LeftOut
from statfast.neighbors.vote.weights import WEIGHTING, Averaging


class KNeighborsRegressor(Averaging, LeftOut):
    """k-nearest-neighbors regression.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbors that are averaged, k.
    weights : {"uniform", "distance"} or callable, default="uniform"
        Weight of a neighbor: 1, or 1 / distance, or what the callable returns for an array of
        distances (m, k): weights (m, k), not negative, some of each row positive. With
        "distance", neighbors at distance 0 have weight 1 and all others of that row none; so
        have those of infinite weight. A callable sees at most some 4 million distances a call.
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
        Threads; None and -1 take all usable cores, -2 all but one.

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
    Neighbors are exact, and **rows at equal distance are taken lowest index first**, which
    decides who is among the k. Targets are float64 and summed nearest neighbor first.

    fit has no `sample_weight`, as for `KNeighborsClassifier`.

    Cost: that of `NearestNeighbors`, and O(m k T) for the averages of m rows. Memory: that of the
    search, and about 100 MB of neighbors at a time, however many rows are predicted.

    References
    ----------
    N. S. Altman (1992). An introduction to kernel and nearest-neighbor nonparametric regression.
    The American Statistician 46(3), 175-185. doi:10.1080/00031305.1992.10475879

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.neighbors import KNeighborsRegressor
    >>> X = np.array([[0.0], [1.0], [2.0], [4.0]])
    >>> model = KNeighborsRegressor(n_neighbors=2).fit(X, [0.0, 1.0, 4.0, 16.0])
    >>> model.predict([[0.4], [3.5]])
    array([ 0.5, 10. ])
    >>> model.leave_one_out([1, 2, 3])
    array([38.75      , 50.4375    , 72.33333333])
    """

    n_neighbors: int = param(count(), default=5, kw_only=False)
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
        self : KNeighborsRegressor

        Raises
        ------
        ValueError
            If X is refused by the search (see `NearestNeighbors.fit`), if y is not a row of
            finite numbers for each row of X, or if a parameter is out of its range.
        TypeError
            If X is not made of numbers, or `n_neighbors` is no integer.
        """
        search = self._searchable(X, k=self._checked().n_neighbors)
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
            1-d if the targets of fit were.

        Raises
        ------
        ValueError
            As for `kneighbors`, or if a `weights` callable returns the wrong shape, a negative
            or NaN weight, or a row of zeros.
        """
        rows, k = self._queries(X), self._neighbors_of(X)
        return self._predicted(self._slices(rows, k), self._count(rows), k)

    def _left_out_fits(self, X: Any, y: Array, weights: Array | None) -> AveragesWithoutRows | None:
        if self.weights != "uniform" or weights is not None or self.metric == "precomputed":
            return None
        model = copied(self).fit(X, y)
        if model.n_neighbors >= model.n_samples_fit_:
            return None
        return AveragesWithoutRows(model, model.predict(None))

    def _full_fits(self, X: Any, y: Array, weights: Array | None) -> AveragesWithNewRow | None:
        if self.weights != "uniform" or weights is not None or self.metric == "precomputed":
            return None
        model = copied(self).fit(X, y)
        if model.n_neighbors >= model.n_samples_fit_:
            return None
        far, near = model.kneighbors(None)
        rest = model._targets[near[:, :-1], 0].sum(axis=1) / model.n_neighbors
        return AveragesWithNewRow(model, model.predict(None), rest, far[:, -1])

    def _predicted(self, slices: Iterator[Any], m: int, k: int) -> Array:
        return self._predict(slices, m, (-1, k))

    def _add_errors(
        self, part: Any, ks: Any, starts: Any, reduced: Any, ids: Any, total: Any
    ) -> None:
        outputs = self._targets.shape[1]
        errors, sums = np.zeros((len(ks), outputs)), np.empty(outputs)
        weighting, truth = self._checked_value("weights"), self._targets[part]
        require_size(width_of(self._targets), "y")
        for trial, begin, _, near, weights in self._trials(weighting, ks, starts, reduced, ids):
            average.squares(
                self._targets, truth, begin, near, weights, ks[trial], sums, errors[trial]
            )
        if not np.isfinite(errors).all():
            raise ValueError(
                "y holds values so large that their squared errors overflow float64 (1.8e308). "
                "Divide y by a constant first."
            )
        total += errors.mean(axis=1)


@dataclass(frozen=True)
class AveragesWithoutRows:
    """The averages without each row: its neighbors have the next nearest row in its place."""

    model: Any
    answers: Array
    fit_of_row: None = None

    def predict(self, rows: Any) -> Array:
        k = self.model.n_neighbors
        _, near = self.model.kneighbors(rows, k + 1)
        targets = self.model._targets[near, 0]
        means = targets[:, :k].mean(axis=1)
        out = np.repeat(means[:, None], len(self.answers), axis=1)
        changed = means[:, None] + (targets[:, k:] - targets[:, :k]) / k
        np.put_along_axis(out, near[:, :k], changed, axis=1)
        return out


@dataclass(frozen=True)
class AveragesWithNewRow:
    """The averages of all rows and a new one, of any target y of that.

    Of rows that are nearer to the new one than to their k-th neighbor, y takes the place of the
    target of that: their errors are |c - y / k|. At the new row the average is v, so that its error
    |y - v| is as small between (k v - k c) / (k - 1) and (k v + k c) / (k + 1), in either order.
    """

    model: Any
    answers: Array  # (n,) averages without the row itself
    rest: Array  # (n,) the same without the k-th neighbor, whose share is 0
    reach_of_row: Array  # (n,) distance of the k-th neighbor

    def bounds(self, rows: Any) -> tuple[Array, Array]:
        n, k = len(self.answers), self.model.n_neighbors
        far, near = self.model.kneighbors(rows, n)
        distances = np.empty(far.shape)
        np.put_along_axis(distances, near, far, axis=1)
        targets = self.model._targets[:, 0]
        values = targets[near[:, :k]].mean(axis=1)[:, None]
        errors = np.abs(targets - self.answers)
        low, high = values - errors, values + errors
        point, row = np.nonzero(distances < self.reach_of_row)
        c, v = (targets - self.rest)[row], values[point, 0]
        one_end = (v + c) / (1.0 + 1.0 / k)
        with np.errstate(divide="ignore", invalid="ignore"):
            other_end = (v - c) / (1.0 - 1.0 / k)
        if k == 1:  # The new row is the only neighbor: all beyond the middle conforms.
            other_end = np.where(c < v, np.inf, -np.inf)
            one_end = np.where(c == v, np.inf, one_end)  # Both errors are the same.
        low[point, row] = np.minimum(one_end, other_end)
        high[point, row] = np.maximum(one_end, other_end)
        return low, high

# SPDX-License-Identifier: BSD-3-Clause
"""Regression by the average of the nearest neighbors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from statfast._core.neighbors import average
from statfast._estimator import (
    VALUES_PER_BLOCK,
    FitsOfRows,
    LeftOutIntervals,
    RankRule,
    StoredLeftOut,
    copied,
    count,
    count_rows,
    fitted,
    param,
    rank_of,
    take_rows,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows
from statfast._validation import as_choice
from statfast.neighbors.brute.magnitude import require_size, width_of
from statfast.neighbors.vote.leave_one_out import LeftOut
from statfast.neighbors.vote.weights import WEIGHTING, Averaging


class KNeighborsRegressor(LeftOutIntervals, Averaging, LeftOut):
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
    _kept: dict[int, Array] = fitted()  # leave-one-out predictions (n, T), by n_neighbors

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
            If X is not made of numbers, or `n_neighbors` is not an integer.
        """
        search = self._searchable(X, k=self._checked().n_neighbors)
        averaged = self._averaged(y, search["n_samples_fit_"])
        return self._publish(X, **search, **averaged, _kept={})

    def predict(
        self,
        X: Rows | None = None,
        *,
        interval: Literal["conformal"] | None = None,
        level: float = 0.95,
    ) -> Any:
        """Predict the average over the neighbors.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The samples to predict. None takes the fitted samples, each without its own target: the
            leave-one-out prediction.
        interval : {None, "conformal"}, default=None
            Also return intervals of new targets, by the jackknife+ (see `ConformalRegressor`). The
            first call finds the neighbors of all fitted samples.
        level : float, default=0.95
            Confidence level of the interval, between 0 and 1.

        Returns
        -------
        y : ndarray of shape (m,) or (m, T), float64
            1-d if the targets of fit were.
        ends : ndarray of float64, shape (m, 2) or (m, T, 2)
            Only with an interval; infinite, with a warning, where there are too few samples.

        Raises
        ------
        ValueError
            As for `kneighbors`, or if a `weights` callable returns the wrong shape, a negative
            or NaN weight, or a row of zeros, or if an interval is asked for and X is None,
            `weights` is not "uniform", X was a matrix of distances, or all samples are neighbors.
        """
        rows, k = self._queries(X), self._neighbors_of(X)
        averages = self._predicted(self._slices(rows, k), self._count(rows), k)
        if as_choice(interval, "interval", (None, "conformal")) is None:
            return averages
        if X is None:
            raise ValueError(
                "interval='conformal' is of new samples: those of the fit have their targets. Pass "
                "X."
            )
        return averages, self._conformal_ends(X, level, self._flat)

    def _left_out(self) -> StoredLeftOut | None:
        if not self._has_plain_averages():
            return None
        answers = self._kept.get(self.n_neighbors)
        if answers is None:
            answers = np.reshape(self.predict(None), self._targets.shape)
            self._kept[self.n_neighbors] = answers
        fits: list[Any] = [AveragesWithoutRows(self, t, c) for t, c in enumerate(answers.T)]
        return StoredLeftOut(fits, np.abs(self._targets - answers), None)

    def _has_plain_averages(self) -> bool:
        """Whether a row without which the fit is made changes averages by one neighbor."""
        return (
            self.weights == "uniform"
            and self.metric != "precomputed"
            and self.n_neighbors < self.n_samples_fit_
        )

    def _why_no_intervals(self) -> str:
        return (
            "interval='conformal' needs weights='uniform', rows that are not distances, and more "
            "of them than n_neighbors. Fit again, or choose ConformalRegressor."
        )

    def _full_fits(self, X: Any, y: Array, weights: Array | None) -> AveragesWithNewRow | None:
        if weights is not None:
            return None
        model = copied(self).fit(X, y)
        if not model._has_plain_averages():
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
class AveragesWithoutRows(FitsOfRows):
    """The averages without each row: its neighbors have the next nearest row in its place."""

    model: Any
    target: int
    answers: Array

    def predict(self, rows: Any) -> Array:
        near, means, changed = self._changed(rows)
        out = np.repeat(means[:, None], len(self.answers), axis=1)
        np.put_along_axis(out, near, means[:, None] + changed, axis=1)
        return out

    def _changed(self, rows: Any) -> tuple[Array, Array, Array]:
        """Neighbors (m, k), averages (m,), and what is added to them without each neighbor."""
        k = self.model.n_neighbors
        _, near = self.model.kneighbors(rows, k + 1)
        targets = self.model._targets[near, self.target]
        return near[:, :k], targets[:, :k].mean(axis=1), (targets[:, k:] - targets[:, :k]) / k

    def ends(
        self, rows: Any, errors: Array, rule: RankRule, of_rows: Array | None, n_jobs: Jobs
    ) -> Array:
        if rule.is_weighted or of_rows is not None:
            return super().ends(rows, errors, rule, of_rows, n_jobs)
        step = max(1, VALUES_PER_BLOCK // (4 * self.model.n_neighbors))
        m = count_rows(rows)
        return np.concatenate([
            self._ends_by_rank(take_rows(rows, np.arange(start, min(start + step, m))), errors,
                               rank_of(rule.level, len(errors)))
            for start in range(0, max(m, 1), step)
        ])  # fmt: skip

    def _ends_by_rank(self, rows: Any, errors: Array, rank: int) -> Array:
        """Ends of the values of a rank: k of these are not the errors themselves, so that they have
        ranks among the errors that are within k of it."""
        near, means, changed = self._changed(rows)
        if rank > len(errors):
            return np.tile([-np.inf, np.inf], (len(means), 1))
        order = np.argsort(errors, kind="stable")
        first = max(rank - 1 - near.shape[1], 0)
        window = errors[order[first : rank + near.shape[1]]]
        place = np.empty_like(order)
        place[order] = np.arange(-first, len(order) - first)
        places = place[near]
        # Rows below the window stay below, except for neighbors.
        kth = rank - 1 - first + (places < 0).sum(axis=1)
        table = np.empty((len(means), len(window) + near.shape[1]))
        point, column = np.nonzero((places >= 0) & (places < len(window)))
        ends = []
        for sign in (-1.0, 1.0):
            table[:, : len(window)] = window
            table[point, places[point, column]] = np.inf
            table[:, len(window) :] = errors[near] + sign * changed
            table.sort(axis=1)
            ends.append(means + sign * table[np.arange(len(means)), kth])
        return np.column_stack(ends)


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

# SPDX-License-Identifier: BSD-3-Clause
"""The choice of k: the leave-one-out error for many k, from one search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from statfast._estimator import (
    Answers,
    FoldTask,
    HeldOutAnswers,
    SharedFits,
    checks_of_all_rows,
    copied,
    left_out_plan,
)
from statfast._typing import Array, ArrayLike
from statfast._validation import as_count, is_iterable, takes_too_much, wrong_type
from statfast.neighbors.search.search import KNeighborSearch, starts_of
from statfast.neighbors.vote.weights import weigh


class LeftOut(KNeighborSearch):
    """Leave-one-out errors. A subclass has `_add_errors`, for the errors of a slice of rows."""

    weights: object

    def leave_one_out(self, ks: ArrayLike) -> Array:
        """Find the leave-one-out error for each of several k, from one search.

        Each fitted row is predicted from the others. The neighbors are searched once, for the
        largest k; those of smaller k are the first of them.

        Parameters
        ----------
        ks : array-like of int of shape (L,)
            Numbers of neighbors to try, each from 1 to n - 1, in any order.

        Returns
        -------
        errors : ndarray of shape (L,), float64
            Of a classifier the fraction of wrong labels, of a regressor the mean squared error
            (over samples and outputs).

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If `ks` is empty or holds a number out of its range, or as for `predict`.
        TypeError
            If `ks` holds anything but integers.

        Notes
        -----
        Cost: that of the search for the largest k, and O(n k) for the votes or sums. A function
        for `weights` is called again for each k, with the distances of so many.
        """
        self._queries(None)
        ks, places = distinct(ks, self.n_samples_fit_ - 1)
        total = np.zeros(len(ks))
        for part, starts, reduced, ids in self._slices(None, int(ks[-1])):
            self._add_errors(part, ks, starts, reduced, ids, total)
        return total[places] / self.n_samples_fit_

    def tune_n_neighbors(self, ks: ArrayLike) -> int:
        """Choose the k with the smallest leave-one-out error.

        Of several with the same error the largest is chosen: it averages more and so varies less
        from sample to sample, at no cost in error that the data can show.

        Parameters
        ----------
        ks : array-like of int of shape (L,)
            Numbers of neighbors to choose from, each from 1 to n - 1, in any order.

        Returns
        -------
        int
            The chosen k. The estimator is not changed:
            ``model.set_params(n_neighbors=model.tune_n_neighbors(range(1, 30)))`` does that, and
            needs no new fit.

        Raises
        ------
        ValueError, TypeError
            As for `leave_one_out`.
        """
        self._queries(None)
        ks = listed(ks)
        errors = self.leave_one_out(ks)
        return int(max(k for k, error in zip(ks, errors, strict=True) if error == errors.min()))

    # ------------------------------------------------------------ cross-validation

    def _plan_folds(self, task: FoldTask) -> Any:
        """Plan one search for all candidates, if they differ in `n_neighbors` alone."""
        folds = task.folds
        if folds.weights is not None or self._ties_at_random():
            return None
        ks = self._ks(task.candidates)
        if task.left_out_method == "predict" and ks is not None and len(ks) > 1:
            return self._left_out_plan(task, ks)
        if task.left_out_method is not None:
            return left_out_plan(self, task, _left_out)
        X = task.matrix()
        answers_alone = task.methods is not None and task.methods <= {"predict", "score"}
        if ks is None or len(ks) < 2 or not answers_alone or not hasattr(X, "dtype"):
            return None
        if hasattr(X, "tocsr") or self.metric == "precomputed":
            return None
        if any(max(ks) > len(folds.train(k)) for k in range(len(folds))):
            return None
        return SharedFits(X, self._by_folds(X, folds, ks))

    def _left_out_plan(self, task: Any, ks: Any) -> Any:
        """A plan of the predictions of each row for each of many k, from one search."""
        folds, n = task.folds, task.folds.n
        with checks_of_all_rows():
            model = copied(self).set_params(n_neighbors=max(ks)).fit(folds.X, folds.y)
        if max(ks) >= n or takes_too_much(16 * n * max(ks)):
            return None
        near = Neighbors(model, list(model._slices(None, max(ks))), n)
        answers = [near.predicted(k) for k in ks]
        tests = [test for _, test in folds.pairs]
        return HeldOutAnswers(folds.X, "predict", [(tests, answers)], type(self))

    def _by_folds(self, X: Array, folds: Any, ks: list[int]) -> Iterator[list[Any]]:
        for k, (_, test) in enumerate(folds.pairs):
            train = folds.train(k)
            try:
                model = copied(self).set_params(n_neighbors=max(ks)).fit(X[train], folds.y[train])
                rows = model._queries(X[test])
                near = Neighbors(model, list(model._slices(rows, max(ks))), len(test))
                classes = getattr(model, "classes_", None)
                yield [Answers({"predict": near.predicted(k)}, classes, type(self)) for k in ks]
            except Exception as error:  # fails this fold alone
                yield [error] * len(ks)

    def _ties_at_random(self) -> Any:
        """Whether ties are drawn by lot, so that answers differ from fit to fit."""
        return False

    def _ks(self, candidates: Any) -> list[int] | None:
        """The numbers of neighbors, or None if candidates differ in other parameters."""
        if any(set(params) - {"n_neighbors"} for params in candidates):
            return None
        with checks_of_all_rows():
            return [
                as_count(params.get("n_neighbors", self.n_neighbors), "n_neighbors")
                for params in candidates
            ]

    def _add_errors(
        self, part: Any, ks: Any, starts: Any, reduced: Any, ids: Any, total: Any
    ) -> None:
        """Add the errors for each of ks of the rows in `part` to the total."""
        raise NotImplementedError

    def _trials(
        self, weighting: Any, ks: Any, starts: Any, reduced: Any, ids: Any
    ) -> Iterator[tuple]:
        """Yield (which of ks, starts, reduced distances, ids, weights) for ks that are tried
        together.

        The weight of a neighbor may depend on k if it comes from a function of all k distances;
        then each k is tried by itself.
        """
        m, k = len(starts) - 1, int(ks[-1])
        if not callable(weighting):
            weights = weigh(weighting, self._metric, starts, reduced, (m, k))
            yield slice(None), starts, reduced, ids, weights
            return
        for trial, fewer in enumerate(ks.tolist()):
            first = np.ascontiguousarray(reduced.reshape(m, k)[:, :fewer]).reshape(-1)
            near = np.ascontiguousarray(ids.reshape(m, k)[:, :fewer]).reshape(-1)
            begin = starts_of(m, fewer)
            weights = weigh(weighting, self._metric, begin, first, (m, fewer))
            yield slice(trial, trial + 1), begin, first, near, weights


def _left_out(model: Any, X: Array, y: Array, weights: Array | None, method: str) -> Array | None:
    """The answers of a method for each row, by all other rows."""
    if model._ties_at_random():
        return None
    with checks_of_all_rows():
        model.fit(X, y)
    return None if model.n_neighbors >= model.n_samples_fit_ else getattr(model, method)(None)


class Neighbors:
    """The nearest of a set of rows, the first of which are the nearest for smaller k."""

    def __init__(self, model: Any, slices: list[tuple[slice, Array, Array, Array]], m: int) -> None:
        self.model, self.slices, self.m = model, slices, m
        self.k = model.n_neighbors

    def predicted(self, k: int) -> Array:
        """The predictions of the model with k neighbors."""
        return self.model._predicted(self._first(k), self.m, k)

    def _first(self, k):
        for part, starts, reduced, ids in self.slices:
            m = len(starts) - 1
            near = (np.ascontiguousarray(a.reshape(m, self.k)[:, :k]).reshape(-1)
                    for a in (reduced, ids))  # fmt: skip
            yield part, starts_of(m, k), *near


def distinct(ks: Any, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Check numbers of neighbors; returns distinct ones in order, and the place of each."""
    limit = "the number of fitted rows besides the row itself"
    checked = [as_count(k, "ks", 1, most, limit=limit) for k in listed(ks)]
    ks, places = np.unique(np.array(checked, np.intp), return_inverse=True)
    return ks, places


def listed(ks: Any) -> list:
    """The numbers of neighbors as a list that is not empty."""
    if isinstance(ks, str) or not is_iterable(ks):
        raise wrong_type("ks", "a list of integers", ks)
    ks = list(ks)
    if not ks:
        raise ValueError("ks must hold a number of neighbors; got none. Give at least one.")
    return ks

# SPDX-License-Identifier: BSD-3-Clause
"""Logistic regression of rows in parts: the problem, and the sums of its multinomial models."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from statfast._distance import extent_of
from statfast._engine import Parts, Work
from statfast._estimator import (
    class_factors,
    codes_among,
    first_round,
    require_several,
    times_factors,
)
from statfast._validation import as_labels, as_weights
from statfast.linear.design.standardization import frame_of_extent
from statfast.linear.glm.part_rows import Response
from statfast.linear.logistic.problem import LogisticProblem
from statfast.linear.logistic.softmax_sums import SoftmaxSums


@dataclass(frozen=True)
class PartProblem(LogisticProblem):
    """That of rows in parts. `marks` are the codes of the classes, `weights` their weights."""

    weighting: Any = field(kw_only=True)  # labels and factors of their rows' weights, or None

    @property
    def in_parts(self) -> bool:
        return True

    def ones(self, code: int) -> Any:
        labels = self.classes.tolist()
        if len(labels) == 2:
            return Response(labels[1], complement=code == 0, named=True, weighting=self.weighting)
        return Response(labels[code], named=True, weighting=self.weighting)

    def sums(self, code: int | None = None) -> Any:
        return PartSums(self, code)


def problem_of_parts(
    model: Any, params: Any, parts: Parts, penalty: tuple, reference: Any
) -> PartProblem:
    """The parameters of a model, and what a first round says of its classes."""
    first = first_round(parts, True)
    if first.y is None:
        raise ValueError("This method requires y to be passed, but the target y is None.")
    classes, _ = as_labels(first.y, None)
    totals = np.array([first.masses[label] for label in classes.tolist()])
    weighting = None
    if model.class_weight is not None:
        weighting = classes, class_factors(model.class_weight, classes, totals)
        totals = totals * weighting[1]
    present = totals > 0.0
    if present.any():  # Where no row has a weight, the fit refuses them later.
        classes, totals = classes[present], totals[present]
    require_several(classes)
    word, C, ratio = penalty
    if word == "firth":
        raise ValueError(
            "method='firth' is for rows in memory; got it with rows in parts. Fit it to a sample "
            "in memory."
        )
    return PartProblem(
        parts, np.arange(len(classes), dtype=np.intp), classes, reference(classes), totals, None,
        params.fit_intercept, C, word, params.max_iter, params.tol,
        model.n_jobs, parts.column_names, ratio, weighting=weighting,
    )  # fmt: skip


class PartSums(SoftmaxSums):
    """`SoftmaxSums` of parts, in a round each. `codes` are those of the classes, with weights.

    Of one class against the others there are two, the others first.
    """

    def __init__(self, task: Any, positive: Any = None) -> None:
        self.rows, self.codes, self.weights = task.X, task.codes, task.weights
        self.n, self.n_jobs = sum(task.X.lengths), None
        if positive is not None:
            weight = self.weights[positive]
            self.codes, self.weights = np.arange(2), np.array([self.weights.sum() - weight, weight])
        frame = frame_of_extent(task.X.total(Work(_extent)), task.intercept)
        frame.refuse_tiny()
        self._coding = ClassCoding(task.classes, task.weighting, positive)
        self.source = task.X.prepared(self._coding)
        self._measure(frame, len(self.codes))

    def _take(self, columns):
        self.source = self.rows.prepared(replace(self._coding, columns=columns))


@dataclass(frozen=True)
class ClassCoding:
    """How X, y and weights of a part become rows, codes and weights."""

    classes: np.ndarray
    weighting: Any  # labels and factors, as those of `PartProblem`
    positive: Any  # which class is 1, all others 0; None where each has a code of its own
    columns: Any = None  # those of X that are taken, or all

    def __call__(self, part: tuple[Any, ...]) -> tuple[Any, ...]:
        X, y, weights = part
        n = len(X)
        labels, codes = as_labels(y, n)
        weights = as_weights(weights, n)
        if self.weighting is not None:
            known, factors = self.weighting
            weights = times_factors(weights, factors, codes_among(known, labels, codes))
        codes = codes_among(self.classes, labels, codes, weights)
        codes = codes if self.positive is None else (codes == self.positive).astype(np.intp)
        rows = X if self.columns is None else np.ascontiguousarray(X[:, self.columns])
        return rows, codes, weights


def _extent(columns: Any, _: slice) -> Any:
    return extent_of(columns[0], weights=columns[2])

# SPDX-License-Identifier: BSD-3-Clause
"""The data of a k-means fit to rows in parts: statistics of a first pass, and drawn rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np

from statfast._distance import Extent, extent_of, origin_of, scale_of
from statfast._engine import Parts, Stacked, Work, new_fit
from statfast._estimator import first_round, require_finite_part
from statfast._validation import as_weights
from statfast.cluster.kmeans.data import KMeansData, Panels, require_range
from statfast.cluster.kmeans.dense_rows import DenseFrame, DenseRows

MAX_PANEL_NUMBERS = 1 << 25  # numbers of a worker's rows that are also kept as panels: 128 MB


class NoPanels(Panels):
    """Panels that are never made, which saves memory."""

    possible = False

    def __init__(self) -> None:
        pass

    def scaled(self, scale: Any, halves: bool = False) -> Any:
        return None, None


@dataclass(frozen=True)
class PartsSurvey:
    """Statistics of a first pass: extremes, weighted sums, weights, rows of positive weight."""

    extent: Extent
    total: np.ndarray
    total_weight: float
    max_weight: float
    weighted_rows: int

    def __add__(self, other: PartsSurvey) -> PartsSurvey:
        return PartsSurvey(
            self.extent + other.extent,
            self.total + other.total,
            self.total_weight + other.total_weight,
            max(self.max_weight, other.max_weight),
            self.weighted_rows + other.weighted_rows,
        )


@dataclass(frozen=True)
class PartsData:
    """`KMeansData` of rows in parts; workers are sent all of it but `parts`."""

    parts: Any
    fit: str  # the key under which workers keep soft state
    shape: tuple[int, int]
    dtype: np.dtype
    low: np.ndarray
    high: np.ndarray
    origin: np.ndarray
    radius: float
    mean: np.ndarray  # weighted
    total_weight: float
    max_weight: float
    weighted_rows: int
    starts: tuple[int, ...]  # the first row of each part, and the number of rows
    rows_in_place: int  # the most rows of one worker
    algorithm: str
    n_jobs: int | None = None

    @property
    def weights(self) -> np.ndarray | None:
        """The greatest weight, in an array, if weights are not all 1."""
        even = self.max_weight == 1.0 and self.total_weight == self.shape[0]
        return None if even else np.array([self.max_weight])

    def frame(self, centers: np.ndarray) -> DenseFrame:
        """See `KMeansData.frame`."""
        radius = max(self.radius, float(np.abs(centers - self.origin).max()))
        return DenseFrame(centers, self.origin, scale_of(radius))

    def rounded(self, centers: np.ndarray) -> np.ndarray:
        return centers.astype(self.dtype, copy=False).astype(np.float64, copy=False)

    def total(self, work: Work, *state: Any) -> Any:
        """The sum of ``work(columns, (data, *state))`` over the parts."""
        return self.parts.total(work, (replace(self, parts=None), *state))

    def with_memory(self) -> PartsData:
        """The same rows, with soft state of its own."""
        return replace(self, fit=new_fit(self.parts))

    def of_part(self, columns: tuple, panels: bool = False) -> KMeansData:
        """The data of a part, about the origin of all rows; also as panels if these are small."""
        X, _, weights = columns
        X = X if X.strides[1] == X.itemsize else np.ascontiguousarray(X)
        algorithm = "lloyd" if self.algorithm == "lloyd" else "hamerly"  # rows are not sorted
        small = panels and self.rows_in_place * self.shape[1] <= MAX_PANEL_NUMBERS
        return KMeansData(
            DenseRows(X), as_weights(weights, len(X)), None, X.shape, self.dtype, self.mean,
            self.low, self.high, self.origin, self.radius,
            Panels(X, self.origin, None) if small else NoPanels(), algorithm,
        )  # fmt: skip

    def scatter(self) -> float:
        """The sum of weight * squared distance to the mean."""
        return float(self.total(Work(_scatter)))

    def take(self, index: Any) -> np.ndarray:
        """Rows by their numbers, (m, d) float64, in that order."""
        index = np.asarray(index)
        rows = self.total(Work(_taken, numbered=True, empty=True), np.sort(index)).rows
        return rows[np.argsort(np.argsort(index, kind="stable"))]

    def draw_row(self, rng: np.random.Generator) -> np.ndarray:
        """A row drawn in proportion to weight, (1, d): a part, then one of its rows."""
        if self.weights is None:
            return self.take([min(int(rng.random() * self.shape[0]), self.shape[0] - 1)])
        totals = self.total(Work(_weight, empty=True)).rows
        goal = rng.random() * totals.sum()
        part = min(int(np.searchsorted(np.cumsum(totals), goal, "right")), len(totals) - 1)
        state = part, goal - totals[:part].sum()
        return self.total(Work(_row_at_weight, numbered=True), *state).rows


def survey_parts(parts: Parts, algorithm: str) -> PartsData:
    """The data of rows in parts, in one pass; refuses what `survey_rows` refuses."""
    first = first_round(parts, False)
    survey = parts.total(Work(_surveyed))
    if survey is None:
        raise ValueError("sample_weight must hold a positive weight; got none in any part.")
    extent = survey.extent
    if not np.isfinite(extent.total).all():
        parts.total(Work(require_finite_part))
    require_range(extent.low, extent.high, survey.total_weight, "X")
    origin = origin_of(extent.mean)
    dtype = np.dtype(np.float32 if extent.dtype == np.float32 else np.float64)
    starts = (0, *accumulate(first.lengths))
    places = parts.engine.places(parts.refs)
    most = max(sum(first.lengths[part] for part in place) for place in places)
    return PartsData(
        parts, new_fit(parts), (starts[-1], first.X.shape[1]), dtype, extent.low, extent.high,
        origin, extent.radius(origin), survey.total / survey.total_weight, survey.total_weight,
        survey.max_weight, survey.weighted_rows, starts, most, algorithm,
    )  # fmt: skip


# ------------------------------------------------------------------ work on a part


def _surveyed(columns: Any, _: slice) -> Any:
    X, _, weights = columns
    weights = as_weights(weights, len(X))
    extent = extent_of(X)
    if weights is None:
        return PartsSurvey(extent, extent.total, float(len(X)), 1.0, len(X))
    total = DenseRows(X).total(weights, None)
    used = int(np.count_nonzero(weights))
    return PartsSurvey(extent, total, float(weights.sum()), float(weights.max()), used)


def _scatter(columns: Any, state: Any) -> Any:
    (data,) = state
    return data.of_part(columns).scatter_about(data.mean)


def _taken(columns: Any, state: Any, number: Any) -> Any:
    data, index = state
    first, last = np.searchsorted(index, data.starts[number : number + 2])
    return Stacked(columns[0][index[first:last] - data.starts[number]].astype(np.float64))


def _weight(columns: Any, _: slice) -> Any:
    weights = columns[2]
    return Stacked(np.array([float(len(columns[0]) if weights is None else np.sum(weights))]))


def _row_at_weight(columns: Any, state: Any, number: Any) -> Any:
    """The row of a part at which the weights pass a threshold."""
    _, part, goal = state
    if number != part:
        return None
    sums = np.cumsum(np.asarray(columns[2], dtype=np.float64))
    weighted = np.flatnonzero(columns[2])
    row = min(int(np.searchsorted(sums, goal, "right")), int(weighted[-1]))
    return Stacked(columns[0][row : row + 1].astype(np.float64))

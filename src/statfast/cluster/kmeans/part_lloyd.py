# SPDX-License-Identifier: BSD-3-Clause
"""Lloyd's algorithm for rows in parts, a round for each pass.

A round sends the centers and brings back the sums of the clusters. Labels, bounds and distances of
rows stay with the parts as soft state, which changes no answer: labels are exact with bounds and
without, and sums are made of labels alone, anew in each iteration. So where no row changes its
cluster the centers repeat to the bit, and that ends the iteration.
"""

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np

from statfast._distance import Extent, extent_of, origin_of
from statfast._engine import Parts, borrowed, new_fit, parts_stay
from statfast._estimator import has_weight, looked, require_finite_part
from statfast._validation import as_weights
from statfast.cluster.kmeans.assignment import Assignment
from statfast.cluster.kmeans.block_passes import inertia
from statfast.cluster.kmeans.center_sums import KMeansStatistics
from statfast.cluster.kmeans.data import Panels, PreparedRows, require_range
from statfast.cluster.kmeans.dense_rows import DenseRows

PANELED = 1 << 25  # numbers of a worker's rows, up to which they are panels, too: 128 MB


class NoPanels(Panels):
    """No copies of the rows are made."""

    possible = False

    def __init__(self):
        pass

    def at(self, scale):
        return None, None


@dataclass(frozen=True)
class _Survey:
    """The first look: extremes, sums by weight, the heaviest row, rows of positive weight."""

    extent: Extent
    total: np.ndarray
    mass: float
    heaviest: float
    used: int

    def __add__(self, other: "_Survey") -> "_Survey":
        return _Survey(
            self.extent + other.extent, self.total + other.total, self.mass + other.mass,
            max(self.heaviest, other.heaviest), self.used + other.used,
        )  # fmt: skip


@dataclass(frozen=True)
class PartRowsData:
    """What `PreparedRows` tells of rows, of those in parts; sent to the workers but for `parts`."""

    parts: Any
    fit: str
    shape: tuple[int, int]
    dtype: np.dtype
    low: np.ndarray
    high: np.ndarray
    origin: np.ndarray
    reach: float
    mean: np.ndarray  # by weight
    mass: float
    heaviest: float
    used: int
    starts: tuple
    most: int  # rows that lie in one place
    algorithm: str

    @property
    def weights(self) -> np.ndarray | None:
        """The heaviest, if they are not all 1."""
        even = self.heaviest == 1.0 and self.mass == self.shape[0]
        return None if even else np.array([self.heaviest])

    def rounded(self, centers: np.ndarray) -> np.ndarray:
        return centers.astype(self.dtype, copy=False).astype(np.float64, copy=False)

    def total(self, work: Any, *state: Any) -> Any:
        return self.parts.total(work, (replace(self, parts=None), *state))

    def prepared(self, columns: tuple, panels: bool = False) -> PreparedRows:
        """Rows of a part, about the origin of all; as panels, too, where these are small."""
        X, _, weights = columns
        X = X if X.strides[1] == X.itemsize else np.ascontiguousarray(X)
        algorithm = "lloyd" if self.algorithm == "lloyd" else "hamerly"  # rows are not sorted
        small = panels and self.most * self.shape[1] <= PANELED
        return PreparedRows(
            DenseRows(X), as_weights(weights, len(X)), None, X.shape, self.dtype, self.mean,
            self.low, self.high, self.origin, self.reach,
            Panels(X, self.origin, None) if small else NoPanels(), algorithm,
        )  # fmt: skip


def survey_parts(parts: Parts, algorithm: str) -> PartRowsData:
    """Look through the rows once; refuses NaN, infinity, and values whose squares overflow."""
    look = looked(parts, False)
    found = parts.total(_surveyed, None)
    if found is None:
        raise ValueError("sample_weight must hold a positive weight; got none in any part.")
    extent = found.extent
    if not np.isfinite(extent.total).all():
        parts.total(require_finite_part, None)
    require_range(extent.low, extent.high, found.mass, "X")
    origin = origin_of(extent.mean)
    dtype = np.dtype(np.float32 if extent.dtype == np.float32 else np.float64)
    starts = (0, *accumulate(look.lengths))
    places = parts.engine.places(parts.refs)
    most = max(sum(look.lengths[part] for part in place) for place in places)
    return PartRowsData(
        parts, new_fit(parts), (starts[-1], look.X.shape[1]), dtype, extent.low, extent.high,
        origin, extent.reach(origin), found.total / found.mass, found.mass, found.heaviest,
        found.used, starts, most, algorithm,
    )  # fmt: skip


def iterate_parts(data: PartRowsData, centers: np.ndarray, *, tol: float, max_iter: int) -> tuple:
    """Lloyd's algorithm from a start: centers, weights of the clusters, inertia, iterations, and
    whether it converged."""
    converged, n_iter = False, 0
    while not converged and n_iter < max_iter:
        n_iter += 1
        step = data.total(_lloyd, centers).step
        if not step.mass.all():
            _relocate(data, step, centers)
        means = data.rounded(step.solve())
        with np.errstate(over="ignore"):
            shift = float(np.square(means - centers).sum())
        centers = means
        converged = shift <= tol
    last = data.total(_inertia, centers)
    return centers, last[1:], float(last[0]), n_iter, converged


def scatter_of(data: PartRowsData) -> float:
    """The sum of weight * squared distance to the mean."""
    return float(data.total(_scatter))


def _relocate(data, step, centers):
    """Give each empty cluster one of the rows farthest from their centers, as `relocate` does."""
    empty = np.flatnonzero(step.mass == 0)
    far = data.total(_farthest, centers, len(empty))
    rows = zip(far.rows, far.weights, far.labels, strict=True)
    for target, (row, weight, source) in zip(empty, rows, strict=False):
        step._give(row, weight, source, target)


# ------------------------------------------------------------------ works


def _surveyed(columns, state):
    X, _, weights = columns
    if not has_weight(weights):
        return None
    weights = as_weights(weights, len(X))
    extent = extent_of(X)
    if weights is None:
        return _Survey(extent, extent.total, float(len(X)), 1.0, len(X))
    total = DenseRows(X).total(weights, None)
    used = int(np.count_nonzero(weights))
    return _Survey(extent, total, float(weights.sum()), float(weights.max()), used)


class _Step:
    """Sums of clusters that add up."""

    def __init__(self, step):
        self.step = step

    def __getstate__(self):
        return self.step.sums, self.step.mass

    def __setstate__(self, state):
        self.step = KMeansStatistics(*state[0].shape)
        self.step.sums, self.step.mass = state

    def __add__(self, other):
        both = KMeansStatistics(*self.step.sums.shape)
        both.sums = self.step.sums + other.step.sums
        both.mass = self.step.mass + other.step.mass
        return _Step(both)


def _lloyd(columns, told):
    data, centers = told
    if not has_weight(columns[2]):
        return None

    with _assignment(data, columns, centers) as state:
        return _Step(state.labeled(centers))


def _assignment(data, columns, centers):
    """The labels of a part's rows, and what spares them a look."""
    return borrowed(
        data.fit, columns[0], lambda: Assignment(data.prepared(columns, parts_stay()), centers)
    )


def _inertia(columns, told):
    data, centers = told
    if not has_weight(columns[2]):
        return None
    rows = data.prepared(columns)
    with _assignment(data, columns, centers) as state:
        state.labeled(centers)
        labels = state.labels
        total = inertia(rows.rows, rows.weights, rows.frame(centers), labels)
        counts = np.bincount(labels, minlength=len(centers))
    return np.r_[total, counts.astype(float)]


def _scatter(columns, told):
    (data,) = told
    if not has_weight(columns[2]):
        return None
    rows = data.prepared(columns)
    labels = np.zeros(rows.shape[0], np.int32)
    return inertia(rows.rows, rows.weights, rows.frame(data.mean[None]), labels)


@dataclass(frozen=True)
class _Far:
    """Rows far from their centers, the farthest first; of equals the first."""

    d2: np.ndarray
    number: np.ndarray
    rows: np.ndarray
    weights: np.ndarray
    labels: np.ndarray
    count: int

    def __add__(self, other: "_Far") -> "_Far":
        names = ("d2", "number", "rows", "weights", "labels")
        both = [np.concatenate([getattr(self, n), getattr(other, n)]) for n in names]
        order = np.lexsort((both[1], -both[0]))[: self.count]
        d2, number, rows, weights, labels = (part[order] for part in both)
        return _Far(d2, number, rows, weights, labels, self.count)


def _farthest(columns, told, number):
    data, centers, count = told
    if not has_weight(columns[2]):
        return None
    rows = data.prepared(columns)
    frame = rows.frame(centers)
    labels = np.empty(rows.shape[0], np.int32)
    rows.rows.step(frame, labels)
    d2 = rows.rows.to_own(frame, labels)
    weights = np.ones(len(d2)) if rows.weights is None else rows.weights
    d2[weights == 0] = 0.0
    far = np.argsort(-d2, kind="stable")[:count]
    far = far[d2[far] > 0.0]
    return _Far(
        d2[far], far + data.starts[number], rows.take(far), weights[far], labels[far], count
    )


_farthest.takes_number = True  # type: ignore[attr-defined]

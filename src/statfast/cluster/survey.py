# SPDX-License-Identifier: BSD-3-Clause
"""The first look at the rows to be clustered: shape, means, extremes, and whether all is finite."""

from dataclasses import dataclass
from math import frexp, isfinite, ldexp

import numpy as np

from statfast._blocks import Chunks, reduce
from statfast._core import lloyd as kernel
from statfast._core.extent import extent
from statfast._validation import as_weights, require_finite

KEPT = (np.float64, np.float32, np.uint8)  # taken as they are; every other dtype as float64
FLOAT32 = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Survey:
    """The rows of a fit, and what a first pass over them found."""

    rows: np.ndarray | Chunks
    weights: np.ndarray | None  # (n,) float64
    n_jobs: int | None
    shape: tuple[int, int]
    dtype: np.dtype  # of the centres
    mean: np.ndarray  # (d,) unweighted
    low: np.ndarray  # (d,) least value of each column
    high: np.ndarray  # (d,) greatest value
    origin: np.ndarray  # (d,) float32, about the mean
    reach: float  # greatest distance from it in any column

    @property
    def mass(self):
        """Total weight."""
        return self.shape[0] if self.weights is None else self.weights.sum()

    def frame(self, centers):
        """The kernel's form of these centres, about the mean of the rows."""
        return frame_of(centers, self.origin, self.reach)

    def rounded(self, centers):
        """The centres as float64 numbers that `dtype` can hold."""
        return centers.astype(self.dtype, copy=False).astype(np.float64, copy=False)

    def take(self, index):
        """The rows of these indices, (m, d) float64."""
        if isinstance(self.rows, np.ndarray):
            return self.rows[index].astype(np.float64)
        index = np.asarray(index)
        out = np.empty((len(index), self.shape[1]))

        def partial(rows, X):
            here = (rows.start <= index) & (index < rows.stop)
            out[here] = X[index[here] - rows.start]

        reduce(partial, self.rows, merge=lambda a, b: None, n_jobs=self.n_jobs)
        return out


def survey(rows, sample_weight, n_jobs):
    """Look through the rows once; refuses NaN, infinity, and values whose squares overflow."""
    effort = 4.0 * rows.size if isinstance(rows, np.ndarray) else np.inf

    def partial(where, X):
        d = X.shape[1]
        found = np.zeros(d), np.full(d, np.inf), np.full(d, -np.inf)
        extent(X, *found)
        return where.stop, X.dtype, *found

    def merge(a, b):
        return b[0], b[1], a[2] + b[2], np.minimum(a[3], b[3]), np.maximum(a[4], b[4])

    with np.errstate(over="ignore", invalid="ignore"):
        n, dtype, total, low, high = reduce(
            partial, rows, merge=merge, n_jobs=n_jobs, effort=effort
        )
    if not np.isfinite(total).all() and isinstance(rows, np.ndarray):  # Chunks look themselves
        require_finite(rows)
    weights = as_weights(sample_weight, n)
    if weights is not None and (weights == 1.0).all():
        weights = None
    require_range(low, high, n if weights is None else weights.sum(), "X")
    # Rounding may put a mean just outside its column, where a constant one has no other value.
    mean = np.clip(total / n, low, high)
    origin = origin_of(mean)
    reach = float(np.maximum(high - origin, origin - low).max())
    dtype = np.dtype(np.float32 if dtype == np.float32 else np.float64)
    return Survey(rows, weights, n_jobs, (n, len(low)), dtype, mean, low, high, origin, reach)


def require_range(low, high, mass, name):
    """Refuse columns whose sums, or whose sums of squared distances, could overflow."""
    value = max(-low.min(), high.max())
    with np.errstate(over="ignore"):
        largest = mass * (value + np.square(high - low).sum())
    if not isfinite(largest):
        raise ValueError(
            f"{name} holds values as large as {value:.3g}, whose squared distances overflow "
            "float64 when they are summed. Divide the data by a constant first."
        )


def origin_of(mean):
    """The point which the kernel's frame is about: a mean, as float32."""
    return np.clip(mean, -FLOAT32, FLOAT32).astype(np.float32)


def frame_of(centers, origin=None, reach=0.0):
    """The kernel's form of centres, about `origin` and scaled so that rows and centres are about 1.

    `origin` is best near the mean of the rows, and `reach` their greatest distance from it in any
    column; another choice changes the time, not the result.
    """
    if origin is None:
        origin = origin_of(centers.mean(axis=0))
    exponent = frexp(max(reach, np.abs(centers - origin).max()))[1]
    # A power of two is exact; none is needed where float32 squares are far from their limits.
    scale = 1.0 if abs(exponent) <= 16 else ldexp(1.0, min(max(-exponent, -120), 120))
    return kernel.frame(centers, origin, scale)

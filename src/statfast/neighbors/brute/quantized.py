# SPDX-License-Identifier: BSD-3-Clause
"""Rows rounded to bytes, as a filter of neighbors, and estimates of whether that pays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._core.distance import pairwise
from statfast._core.neighbors import quantized
from statfast._engine import grid
from statfast._typing import Array

MIN_ROWS, MIN_NUMBERS = 4096, 1 << 20  # of rows: with fewer, rounding costs more than it saves
MAX_FEATURES = 65_536  # features beyond which sums of byte products overflow
SAMPLED_NUMBERS = 1 << 22  # numbers of the sampled rows, about; there are at least 136 rows


@dataclass(frozen=True)
class ByteCode:
    """The rows in bytes, and estimates of the candidates that their rounding leaves."""

    code: np.ndarray  # (n, d) uint8
    start: np.ndarray  # (n,) float32, -|y|^2 / 2
    step: float  # y is about step * (code - 128)
    error: float  # the largest |y - step * (code - 128)|
    n_others: int = 0
    near: float = 0.0  # a typical squared distance to the fourth nearest of n_others rows
    dimension: float = 0.0  # (distance / near) ** dimension times as many rows are nearer, about
    doubt: float = 0.0  # a typical error of squared distances

    @classmethod
    def step_of(cls, rows: Array, radius: float) -> Any:
        """The unit of a byte (1 for whole numbers); and an array for the codes, None if they cannot
        pay."""
        n, d = rows.shape
        if not (
            quantized.available() and n >= MIN_ROWS and n * d >= MIN_NUMBERS and d <= MAX_FEATURES
        ):
            return 0.5, None
        if whole_numbers(rows):
            return 1.0, rows if rows.dtype == np.uint8 else np.empty(rows.shape, np.uint8)
        return radius / 127, np.empty(rows.shape, np.uint8)

    @classmethod
    def measure(cls, index: Any, code: Any, start: Any, step: Any, error: Any) -> Any:
        """Estimate the density of neighborhoods from distances between sampled rows."""
        if error == 0:
            return cls(code, start, step, error)
        n, d = code.shape
        n_queries = min(64, max(8, SAMPLED_NUMBERS // (17 * d)))
        n_others = 16 * n_queries
        sample = np.linspace(0, n - 1, n_queries + n_others).astype(np.intp)
        y = index.rows[sample].astype(np.float64)
        y -= index.origin
        y *= index.scale
        queries, compared = np.ascontiguousarray(y[::17]), np.delete(y, np.s_[::17], axis=0)
        squared = np.empty((n_queries, n_others))
        pairwise.matrix("squared", queries, compared, np.zeros(d, np.float32), 0.0, squared)
        squared.sort(axis=1)
        near, far = np.median(squared[:, 3]), np.median(squared[:, 31])
        dimension = np.log(8) / max(np.log(far / near), 1e-3) if near > 0 else np.inf
        doubt = 8 * float(np.median(index.norm)) * error
        return cls(code, start, step, error, n_others, near, dimension, doubt)

    def pays(self, k: int) -> Any:
        """Whether bytes are likely to be faster than float32 for k neighbors.

        It compares estimates of cycles: those that byte products save on all rows, halved to be on
        the safe side, and those of a float64 distance, with its cache misses, for each candidate.
        """
        n, d = self.code.shape
        saved = n * (10.5 * d - 50) / 448
        return quantized.available() and self.candidates(k) * (d / 2 + 300) <= saved / 2

    def room(self, k: int) -> Any:
        """The number of candidates that there is room for."""
        return int(2 * k + 128 + 3 * self.candidates(k))

    def candidates(self, k: int) -> Any:
        """The number of candidates that a query for k neighbors is likely to have."""
        if self.error == 0:
            return k
        if self.near == 0:
            return np.inf
        crowding = k * self.n_others / (4 * len(self.code))
        distance = self.near * crowding ** (1 / self.dimension)
        return k * np.exp(min(50.0, self.dimension * np.log1p(self.doubt / distance)))


def whole_numbers(rows: Any) -> Any:
    """Whether the rows are whole numbers from 0 to 255."""
    if rows.dtype == np.uint8:
        return True
    for block in grid(len(rows)):
        numbers = rows[block]
        with np.errstate(invalid="ignore"):
            if not np.array_equal(numbers, numbers.astype(np.uint8)):
                return False
    return True

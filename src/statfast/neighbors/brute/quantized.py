# SPDX-License-Identifier: BSD-3-Clause
"""Rows rounded to bytes, as a filter of neighbors: whether it pays, and what it leaves open."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._core.distance import pairwise
from statfast._core.neighbors import quantized
from statfast._engine import grid
from statfast._typing import Array

FEWEST, LEAST = 4096, 1 << 20  # rows and numbers: with fewer, rounding costs more than it saves
MAX_FEATURES = 65_536  # features beyond which sums of byte products overflow
SAMPLED_NUMBERS = 1 << 22  # about the numbers of the rows looked at, which are at least 136


@dataclass(frozen=True)
class ByteCode:
    """The rows in bytes, and how many rows too many their rounding leaves as candidates."""

    code: np.ndarray  # (n, d) uint8
    start: np.ndarray  # (n,) float32, -|y|^2 / 2
    step: float  # y is about step * (code - 128)
    left: float  # the largest |y - step * (code - 128)|
    others: int = 0
    near: float = 0.0  # a typical squared distance to the nearest row but three, of `others`
    dimension: float = 0.0  # so that about (distance / near) ** dimension times as many are nearer
    doubt: float = 0.0  # by how much a squared distance may be off

    @classmethod
    def step_of(cls, rows: Array, reach: float) -> Any:
        """The unit of a byte (1 for whole numbers), and an array for the codes if they may pay."""
        n, d = rows.shape
        if not (quantized.available() and n >= FEWEST and n * d >= LEAST and d <= MAX_FEATURES):
            return 0.5, None
        if whole_numbers(rows):
            return 1.0, rows if rows.dtype == np.uint8 else np.empty(rows.shape, np.uint8)
        return reach / 127, np.empty(rows.shape, np.uint8)

    @classmethod
    def of(cls, index: Any, code: Any, start: Any, step: Any, left: Any) -> Any:
        """Look at some rows' distances to others to see how crowded the neighborhoods are."""
        if left == 0:
            return cls(code, start, step, left)
        n, d = code.shape
        queries = min(64, max(8, SAMPLED_NUMBERS // (17 * d)))
        others = 16 * queries
        at = np.linspace(0, n - 1, queries + others).astype(np.intp)
        y = index.rows[at].astype(np.float64)
        y -= index.origin
        y *= index.scale
        ours, theirs = np.ascontiguousarray(y[::17]), np.delete(y, np.s_[::17], axis=0)
        squared = np.empty((queries, others))
        pairwise.matrix("squared", ours, theirs, np.zeros(d, np.float32), 0.0, squared)
        squared.sort(axis=1)
        near, far = np.median(squared[:, 3]), np.median(squared[:, 31])
        dimension = np.log(8) / max(np.log(far / near), 1e-3) if near > 0 else np.inf
        doubt = 8 * float(np.median(index.norm)) * left
        return cls(code, start, step, left, others, near, dimension, doubt)

    def pays(self, k: int) -> Any:
        """Whether bytes are likely to be faster than float32 for k neighbors.

        In cycles, about: what a product in bytes saves on each row, halved to be on the safe side,
        against a distance in float64, with its cache misses, for each candidate.
        """
        n, d = self.code.shape
        saved = n * (10.5 * d - 50) / 448
        return quantized.available() and self.candidates(k) * (d / 2 + 300) <= saved / 2

    def room(self, k: int) -> Any:
        """Candidates to have room for."""
        return int(2 * k + 128 + 3 * self.candidates(k))

    def candidates(self, k: int) -> Any:
        """How many candidates a query for k neighbors is likely to have."""
        if self.left == 0:
            return k
        if self.near == 0:
            return np.inf
        crowding = k * self.others / (4 * len(self.code))
        distance = self.near * crowding ** (1 / self.dimension)
        return k * np.exp(min(50.0, self.dimension * np.log1p(self.doubt / distance)))


def whole_numbers(rows: Any) -> Any:
    """Whether the rows are whole numbers from 0 to 255."""
    if rows.dtype == np.uint8:
        return True
    for block in grid(len(rows)):
        some = rows[block]
        with np.errstate(invalid="ignore"):
            if not np.array_equal(some, some.astype(np.uint8)):
                return False
    return True

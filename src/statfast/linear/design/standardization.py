# SPDX-License-Identifier: BSD-3-Clause
"""Columns about their means and of size 1, by powers of two: coefficients of either as of the
other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._distance import Extent, extent_of, scale_of
from statfast._typing import Array, Jobs
from statfast._validation import require_finite
from statfast.linear.design.column_scaling import VANISHED

MAX_SCALE = 2.0**480  # The square of this scale is still finite.


@dataclass(frozen=True)
class Standardization:
    """Rows as the kernel sees them: z = (x - shift) * scale, after a 1 for the intercept."""

    intercept: bool
    shift: np.ndarray  # (d,)
    scale: np.ndarray  # (d,)
    extent: np.ndarray  # (d,) the greatest |x - shift|

    def refuse_tiny(self) -> None:
        """Raise ValueError if columns are too small to be brought to 1/2 to 1."""
        if ((self.extent > 0) & (self.extent * self.scale < 0.5)).any():
            raise ValueError(VANISHED)

    def design(self, block: np.ndarray) -> np.ndarray:
        """The rows z of a block of rows x, (m, q)."""
        z = (block - self.shift) * self.scale
        return np.column_stack([np.ones(len(z)), z]) if self.intercept else z

    def from_user(self, coef: np.ndarray) -> np.ndarray:
        """Coefficients (K, q) of 1 and x as those of z."""
        out = coef.copy()
        out[:, int(self.intercept) :] /= self.scale
        if self.intercept:
            out[:, 0] += coef[:, 1:] @ self.shift
        return out

    def to_user(self) -> np.ndarray:
        """The (q, q) matrix that turns coefficients of z into those of 1 and x."""
        turn = np.diag(np.append(np.ones(int(self.intercept)), self.scale))
        if self.intercept:
            turn[0, 1:] = -self.shift * self.scale
        return turn


def frame_of(
    rows: Any, intercept: bool, n_jobs: Jobs, weights: Array | None = None
) -> Standardization:
    """Columns about their means, where an intercept allows it, and of size 1/2 to 1."""
    return frame_of_extent(extent_of(rows, n_jobs, weights), intercept, rows)


def frame_of_extent(extent: Extent, intercept: bool, rows: Array | None = None) -> Standardization:
    """The same by what a pass over the rows has found."""
    with np.errstate(over="ignore", invalid="ignore"):
        shift = extent.mean if intercept else np.zeros(len(extent.total))
        extents = np.maximum(np.abs(extent.high - shift), np.abs(extent.low - shift))
    if not (np.isfinite(extents).all() and np.isfinite(extent.total).all()):
        if isinstance(rows, np.ndarray):
            require_finite(rows)
        raise ValueError(
            "X holds values so large that their sums overflow. Divide its columns by their size."
        )
    scale = np.array([scale_of(r) for r in extents.tolist()])
    return Standardization(intercept, shift, np.minimum(scale, MAX_SCALE), extents)

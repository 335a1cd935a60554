# SPDX-License-Identifier: BSD-3-Clause
"""The target of a penalized or least-squares fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import as_targets, warn_column_vector

# Even errors in the tenth digit of such a target have squares that do not vanish.
MIN_TARGET = 1e-140


def as_target(y: Any, n: int) -> Array:
    """One target: (n,) numbers; a column is accepted with a warning."""
    targets, flat = as_targets(y, n)
    if targets.shape[1] != 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {targets.shape} instead. Fit one "
            "target at a time."
        )
    if not flat:
        warn_column_vector()
    return targets[:, 0]


def refuse_extreme(y: Array) -> None:
    """Raise ValueError if squared errors of predictions of y would overflow or vanish."""
    size = np.abs(y).max()
    if size > 1 / MIN_TARGET:
        raise ValueError("y holds values so large that squares of errors overflow. Divide it.")
    if 0 < size < MIN_TARGET:
        raise ValueError("y holds values so small that squares of errors vanish. Scale it up.")

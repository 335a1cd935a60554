# SPDX-License-Identifier: BSD-3-Clause
"""Averages of the scores of classes or labels."""

from __future__ import annotations

from typing import Any

from statfast._typing import Array


def mean_where_heavy(scores: Any, weights: Array | None) -> Any:
    """The mean of scores by weights, in which one without weight need not be a number."""
    if weights is None:
        return float(scores.mean())
    heavy = weights > 0
    return float(scores[heavy] @ weights[heavy] / weights.sum()) if heavy.any() else float("nan")

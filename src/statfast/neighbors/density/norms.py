# SPDX-License-Identifier: BSD-3-Clause
"""Metrics by which space has a volume: norms of differences, perhaps under a linear map."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._distance import Metric, as_metric
from statfast._typing import Array
from statfast._validation import shown

NORMS = ("euclidean", "manhattan", "chebyshev", "minkowski", "seuclidean", "mahalanobis")
OF_ROWS = ("seuclidean", "mahalanobis")  # metrics whose parameter may be that of the rows


def as_norm(metric: Any, metric_params: Any, rows: Array, weights: Array | None) -> Metric:
    """Check a metric, which has to be a norm, and its parameters; some may be those of rows."""
    checked = None
    if not callable(metric):
        given = metric_params if isinstance(metric_params, dict) else {}
        is_told = "V" in given or "VI" in given
        if weights is not None and not is_told and isinstance(metric, str) and metric in OF_ROWS:
            raise ValueError(
                f"metric_params must hold V for metric={metric!r} where rows have weights, as it "
                "would be that of the rows without them. Pass V."
            )
        scales = is_told or (isinstance(metric, str) and metric in OF_ROWS)
        checked = as_metric(
            metric, metric_params=metric_params, d=rows.shape[1], X=rows if scales else None
        )
    if checked is None or checked.name not in NORMS or checked.p < 1.0:
        raise ValueError(
            f"metric must be one of {', '.join(map(repr, NORMS))}, by which space has a volume; "
            f"got {shown(metric)}{' with p below 1' * (checked is not None and checked.p < 1.0)}. "
            "Take 'euclidean'."
        )
    if checked.factor is not None and checked.factor.ndim == 1 and not checked.factor.all():
        raise ValueError(
            "metric_params['w'] must be positive, so that the density has an integral; got 0. Drop "
            "the column."
        )
    return checked


def log_volume_of_unit(metric: Metric) -> float:
    """The logarithm of the volume, among prepared rows, of a unit of volume among the rows."""
    if metric.factor is None:
        return 0.0
    if metric.factor.ndim == 1:
        return float(np.log(metric.factor).sum())
    return float(np.linalg.slogdet(metric.factor)[1])


def restored(metric: Metric, rows: Array, offsets: Array) -> Array:
    """Prepared rows, moved by offsets, in the units of the caller."""
    moved = rows + offsets
    if metric.factor is None:
        return moved
    origin = 0.0 if metric.origin is None else metric.origin
    if metric.factor.ndim == 1:
        return moved / metric.factor + origin
    return np.linalg.solve(metric.factor.T, moved.T).T + origin

# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of metrics: weights and variances of columns, and covariances, checked."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from statfast._distance.precision import extent_of
from statfast._engine import interruptible, reduce
from statfast._linalg import triangle_inverse
from statfast._typing import Array
from statfast._validation import slack_of, wrong_type

MIN_VARIANCE = 1e-300  # smaller variances have lost digits


def _numbers(value: Any, name: str, shape: tuple[int, ...]) -> Array:
    try:
        if np.iscomplexobj(value):
            raise TypeError
        array = np.array(value, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise wrong_type(name, f"an array of shape {shape}", value) from error
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}; got {array.shape}.")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite; got NaN or infinity. Drop such columns.")
    return array


def vector(value: Any, name: str, d: int, *, zero: bool = False) -> Array:
    """Check positive numbers, one for each column; with `zero`, some of them may be 0."""
    vector = _numbers(value, name, (d,))
    wrong = vector < 0 if zero else vector <= 0
    if wrong.any():
        at = wrong.argmax()
        raise ValueError(
            f"{name} must {'not be negative' if zero else 'be positive'}; got {vector[at]} for "
            f"column {at}. Drop that column, or {'raise its weight' if zero else 'raise it'}."
        )
    if not vector.any():
        raise ValueError(f"{name} is zero for every column. Give one a positive weight.")
    return vector


def variances(V: Any, d: int, X: Array | None) -> Array:
    if V is not None:
        return vector(V, "metric_params['V']", d)
    diagonal = _covariance(X, "seuclidean").diagonal()
    if not (diagonal > 0).all():
        raise ValueError(
            f"Column {(diagonal <= 0).argmax()} of X is constant, so the metric 'seuclidean' "
            "cannot divide by its variance. Drop the column, or pass metric_params="
            "{'V': variances}."
        )
    return diagonal


def whitening(V: Any, VI: Any, d: int, X: Array | None) -> Array:
    """The matrix F with |(a - b) @ F| the Mahalanobis distance."""
    if V is not None and VI is not None:
        raise ValueError("metric_params holds both 'V' and its inverse 'VI'. Leave one out.")
    name = "metric_params['VI']" if VI is not None else "metric_params['V']"
    if V is None and VI is None:
        matrix, name = _covariance(X, "mahalanobis"), "The covariance of X"
    else:
        parameter = V if VI is None else VI
        matrix = _numbers(parameter, name, (d, d))
        if np.abs(matrix - matrix.T).max() > slack_of(parameter) * np.abs(matrix).max():
            raise ValueError(f"{name} must be a symmetric matrix; it differs from its transpose.")
    spread = np.sqrt(np.maximum(matrix.diagonal(), 0))
    factor = None
    if spread.all():
        with suppress(np.linalg.LinAlgError):
            factor = interruptible(np.linalg.cholesky, matrix / spread[:, None] / spread)
    # The square of a pivot is the share of a column's variance that the columns before do not
    # explain.
    if factor is None or (factor.diagonal() ** 2).min() < 4 * d * np.finfo(np.float64).eps:
        raise ValueError(
            f"{name} is singular: a column is constant or a combination of others. Drop such "
            "columns, pass more rows, or add a little to the diagonal of metric_params['V']."
        )
    if VI is not None:
        return spread[:, None] * factor
    return triangle_inverse(factor, lower=True).T / spread[:, None]


def _covariance(X: Array | None, metric: str) -> Array:
    """The covariance of the fitted rows, divided by n - 1; summed about their mean."""
    if X is None or len(X) < 2:
        raise ValueError(
            f"The metric {metric!r} needs metric_params={{'V': ...}} or at least 2 dense rows "
            "to estimate it from."
        )
    extent = extent_of(X)
    middle = extent.mean

    def partial(_: slice, block: Array) -> tuple[Array, Array]:
        z = block - middle
        return z.sum(axis=0), interruptible(np.matmul, z.T, z)

    def merge(total: tuple[Array, Array], part: tuple[Array, Array]) -> tuple[Array, Array]:
        return total[0] + part[0], total[1] + part[1]

    with np.errstate(over="ignore", invalid="ignore"):
        first, second = reduce(partial, X, merge=merge, effort=2.0 * X.size * X.shape[1])
        covariance = (second - np.outer(first, first) / len(X)) / (len(X) - 1)
    if not np.isfinite(covariance).all():
        raise ValueError(
            f"The variances of X, which the metric {metric!r} needs, overflow. Scale X down."
        )
    varies = extent.low < extent.high  # rounding leaves a little variance of constant columns
    if (covariance.diagonal()[varies] < MIN_VARIANCE).any():
        raise ValueError(
            f"The variances of X, which the metric {metric!r} needs, vanish in float64. Multiply "
            "the columns of X that are so small."
        )
    return covariance * np.outer(varies, varies)

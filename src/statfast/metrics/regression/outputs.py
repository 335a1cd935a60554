# SPDX-License-Identifier: BSD-3-Clause
"""What the measures of predicted numbers share: checked values, means, and means over outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._typing import Array, Weights
from statfast._validation import as_choice, as_real, as_targets, as_weights, to_array

# The squares of numbers between these, and their sums, neither overflow nor vanish.
MIN_NUMBER, MAX_NUMBER = 1e-100, 1e100
AVERAGES = ("raw_values", "uniform_average", "variance_weighted")


def values_of(
    y_true: Any, y_pred: Any, sample_weight: Weights, multioutput: Any
) -> tuple[Array, Array, Array | None, str]:
    """True and predicted values, (n, T) each, weights or None, and how outputs are averaged."""
    n = _length(y_true)
    true, _ = as_targets(y_true, n, name="y_true")
    pred, _ = as_targets(y_pred, _length(y_pred), name="y_pred")
    if len(true) != len(pred):
        raise ValueError(
            "y_true and y_pred must have as many rows (inconsistent numbers of samples); got "
            f"{len(true)} and {len(pred)}."
        )
    if true.shape != pred.shape:
        raise ValueError(
            "y_true and y_pred must have one value for each row and output (inconsistent numbers "
            f"of outputs); got {true.shape} and {pred.shape}."
        )
    return true, pred, as_weights(sample_weight, n), _checked(multioutput, true.shape[1])


def _length(y: Any) -> int:
    """How many rows there are; what is not a column is left to be refused."""
    shape = getattr(y, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) else 0
    return len(y) if hasattr(y, "__len__") else 0


def _checked(multioutput: Any, outputs: int) -> Any:
    if isinstance(multioutput, str) or multioutput is None:
        return as_choice(multioutput, "multioutput", AVERAGES)
    weights = to_array(multioutput, "multioutput", "a 1d array-like of weights")
    if weights.shape != (outputs,) or outputs == 1:
        raise ValueError(
            f"multioutput must have a weight for each of several outputs; there are {outputs}, and "
            f"its shape is {weights.shape}."
        )
    weights = np.array([as_real(weight, "multioutput", 0.0) for weight in weights.tolist()])
    if not weights.any():
        raise ValueError("multioutput must have a weight that is not 0; got zeros. Raise one.")
    return weights


def require_single(true: Array, name: str) -> None:
    if true.shape[1] > 1:
        raise ValueError(f"{name} is for one output; got {true.shape[1]}. Pass one column.")


def mean(values: Array, weights: Array | None) -> Array:
    """Of each column of (n, T)."""
    if weights is None:
        return values.mean(axis=0)
    with np.errstate(invalid="ignore"):
        means = weights @ values / weights.sum()
    if np.isnan(means).any():  # An infinite value of weight 0 gave NaN.
        used = weights > 0
        means = weights[used] @ values[used] / weights.sum()
    return means


def in_units(measure: Callable[..., Any], *columns: Array) -> tuple[Array, Array]:
    """A measure of columns (n, T), and the unit of each output in which it is taken.

    The unit is 1, or else a power of two where values are so large, or so small, that what is made
    of them would overflow or vanish.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        measured = measure(*columns)
    units = np.ones(columns[0].shape[1])
    if not ((measured > MIN_NUMBER) & (measured < MAX_NUMBER)).all():
        most = np.max([np.abs(column).max(axis=0) for column in columns], axis=0)
        far = (most > 0) & ~((most > MIN_NUMBER) & (most < MAX_NUMBER))
        units[far] = np.ldexp(1.0, np.frexp(most[far])[1] - 1)
        measured = measure(*(column / units for column in columns))
    return measured, units


def variance(values: Array, weights: Array | None) -> Array:
    """Of each column; 0 where all are equal, whatever the rounding of their mean."""
    spread = mean((values - mean(values, weights)) ** 2, weights)
    return np.where(np.ptp(values, axis=0) > 0, spread, 0.0)


def averaged(values: Array, outputs: str) -> Array | float:
    """One number from those of the outputs, unless each is wanted."""
    if isinstance(outputs, str):
        return values if outputs == "raw_values" else float(values.mean())
    used = outputs > 0  # The values of outputs without weight may be infinite.
    return float(outputs[used] @ values[used] / outputs.sum())


def explained(
    residual: tuple[Array, Array],
    total: tuple[Array, Array],
    outputs: str,
    force_finite: bool,
    degree: int = 1,
) -> Array | float:
    """1 - residual / total of each output, averaged; both as `in_units` of a degree gives them."""
    (residual, residual_unit), (total, unit) = residual, total
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        share = 1 - residual / total * (residual_unit / unit) ** degree
    if force_finite:
        share = np.where(total == 0, np.where(residual == 0, 1.0, 0.0), share)
    if isinstance(outputs, str) and outputs == "variance_weighted":
        weights = total * (unit / unit.max()) ** degree
        return averaged(share, weights if weights.any() else "uniform_average")
    return averaged(share, outputs)


def quantile(values: Array, order: float, weights: Array | None) -> Array:
    """Of each column; where the weights up to a value are just the share, the mean of two.

    The share is compared to within rounding, as sums of weights are.
    """
    by_value = np.argsort(values, axis=0, kind="stable")
    if weights is None:
        weights = np.ones(len(values))
    quantiles = np.empty(values.shape[1])
    for column, rows in enumerate(by_value.T):
        rows = rows[weights[rows] > 0]
        sums = np.cumsum(weights[rows])
        share = order * sums[-1]
        at = np.searchsorted(sums, share * (1 - 1e-14)) if share > 0 else 0
        last = min(at, len(rows) - 1)
        after = last + 1 if sums[last] <= share * (1 + 1e-14) and last + 1 < len(rows) else last
        quantiles[column] = values[rows[[last, after]], column].mean()
    return quantiles

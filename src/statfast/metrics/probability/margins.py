# SPDX-License-Identifier: BSD-3-Clause
"""Losses of margins: of z = y f with labels -1 and 1, and the mean hinge loss of classes."""

from __future__ import annotations

from typing import Literal

import numpy as np

from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import (
    as_choice,
    as_labels,
    as_rows,
    as_weights,
    to_array,
    to_numbers,
)
from statfast.metrics.classification.label_table import as_column
from statfast.metrics.classification.top_k import among
from statfast.metrics.regression.outputs import in_units, mean

LOSSES = ("zero_one", "hinge", "logistic", "exponential", "squared")


def margin_loss(
    margin: ArrayLike,
    loss: Literal["zero_one", "hinge", "logistic", "exponential", "squared"] = "logistic",
) -> Array:
    """Margin loss: 0-1, hinge, squared, logistic and exponential losses of margins.

    Parameters
    ----------
    margin : array-like
        Values z of any shape.
    loss : {"zero_one", "hinge", "logistic", "exponential", "squared"}, default="logistic"
        1 for z <= 0 and else 0; max(0, 1 - z); log2(1 + exp(-z)); exp(-z); (1 - z)^2. All but the
        first are above it, and convex.

    Returns
    -------
    ndarray of the same shape
        Losses beyond the largest float64 are infinite.

    Raises
    ------
    ValueError
        If a margin is NaN.

    References
    ----------
    Bartlett, P. L., Jordan, M. I. and McAuliffe, J. D. (2006). Convexity, classification, and risk
    bounds. Journal of the American Statistical Association 101, 138-156.
    doi:10.1198/016214505000000907

    Examples
    --------
    >>> from statfast.metrics import margin_loss
    >>> margin_loss([-1.0, 0.0, 2.0], "hinge")
    array([2., 1., 0.])
    >>> margin_loss(0.0)
    np.float64(1.0)
    """
    as_choice(loss, "loss", LOSSES)
    z = to_numbers(to_array(margin, "margin", "an array-like of numbers"), "margin", (np.float64,))
    if np.isnan(z).any():
        raise ValueError("margin contains NaN. Drop these rows first.")
    with np.errstate(over="ignore"):
        if loss == "zero_one":
            return np.asarray(z <= 0).astype(np.float64)
        if loss == "hinge":
            return np.maximum(0.0, 1 - z)
        if loss == "logistic":
            return np.logaddexp(0.0, -z) / np.log(2.0)
        return np.exp(-z) if loss == "exponential" else (1 - z) ** 2


@np.errstate(over="ignore")
def hinge_loss(
    y_true: ArrayLike,
    pred_decision: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: Weights = None,
) -> float:
    """Mean hinge loss; of more than two classes, Crammer and Singer's.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    pred_decision : array-like of shape (n,) or (n, K)
        Decision values of the higher of two labels, or of each class.
    labels : array-like of shape (K,), optional
        The classes of the columns, sorted; None takes those of `y_true`.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If there is not one finite value for each label (and class).

    Examples
    --------
    >>> from statfast.metrics import hinge_loss
    >>> round(hinge_loss([-1, 1, 1], [-2.2, 1.0, 0.2]), 4)
    0.2667
    """
    y = as_column(y_true, "y_true")
    classes, codes = as_labels(y, len(y), name="y_true")
    if labels is not None:
        codes, classes = among(labels, classes, codes)
    values = to_array(pred_decision, "pred_decision", "an array-like of numbers")
    values = as_rows(values[:, None] if values.ndim == 1 else values, name="pred_decision")
    if len(values) != len(y) or values.shape[1] != (1 if len(classes) <= 2 else len(classes)):
        raise ValueError(
            f"pred_decision must have a row for each of y_true ({len(y)}), and a column for each "
            f"of more than two classes ({len(classes)}); got {values.shape}. Name all by labels."
        )
    if len(classes) <= 2:
        margin = np.where(codes == 1, values[:, 0], -values[:, 0])
    else:
        true_value = values[np.arange(len(y)), codes]
        rivals = values.astype(np.float64)
        rivals[np.arange(len(y)), codes] = -np.inf
        margin = true_value - rivals.max(axis=1)
    losses = np.clip(1 - margin, 0.0, np.finfo(np.float64).max)
    weights = as_weights(sample_weight, len(y))
    means, unit = in_units(lambda column: mean(column, weights), losses[:, None])
    return float(means[0] * unit[0])

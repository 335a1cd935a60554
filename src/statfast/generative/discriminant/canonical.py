# SPDX-License-Identifier: BSD-3-Clause
"""From class moments to linear scores and canonical vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._engine import interruptible
from statfast._typing import Array
from statfast._validation import shown, warn_user
from statfast.generative.normal.class_moments import ClassMoments
from statfast.generative.normal.whitening import Whitening, list_columns, whiten


@dataclass(frozen=True)
class Discriminant:
    """Linear scores and canonical vectors of K classes with a common covariance."""

    covariance: NDArray[np.float64]  # (d, d)
    center: NDArray[np.float64]  # (d,) mean of the class means, by priors
    coef: NDArray[np.float64]  # (K, d)
    intercept: NDArray[np.float64]  # (K,)
    scalings: NDArray[np.float64]  # (d, r)
    singular_values: NDArray[np.float64]  # (r,)
    white: Whitening


def discriminate(
    moments: ClassMoments, covariance: Array, priors: Array, tol: float
) -> Discriminant:
    """Linear scores and canonical vectors, in coordinates where the covariance is the identity.

    There the score of class k is its whitened mean times x, and the canonical vectors are the
    singular vectors of the weighted class means. Means are taken from their center: the term that
    all scores lose by it changes no posterior, and would drown the others far from the origin.
    """
    class_counts, means = moments.class_counts, moments.means
    n, n_classes = class_counts.sum(), len(class_counts)
    white = whiten(covariance, np.abs(means).max(axis=0), tol)
    center = priors @ means
    distances = (means - center) @ white.root

    between = np.sqrt(n * priors / (n_classes - 1))[:, None] * distances
    _, singular_values, variates = interruptible(np.linalg.svd, between, full_matrices=False)
    rank = int((singular_values > tol * singular_values[:1]).sum())
    rank = min(rank, n_classes - 1)
    coef = distances @ white.root.T
    return Discriminant(
        covariance=covariance,
        center=center,
        coef=coef,
        intercept=np.log(priors) - (distances**2).sum(axis=1) / 2.0 - coef @ center,
        scalings=_signed(white.root @ variates[:rank].T, white.spread),
        singular_values=singular_values[:rank],
        white=white,
    )


def _signed(scalings: Array, spread: Array) -> Array:
    """Canonical vectors with the largest standardized coefficient of each positive."""
    sized = scalings * spread[:, None]
    largest = np.abs(sized).argmax(axis=0)
    return scalings * np.where(sized[largest, np.arange(scalings.shape[1])] < 0.0, -1.0, 1.0)


# ---------------------------------------------------------------- what can be wrong with the rows


def require_enough(classes: Any, class_counts: Array, unbiased: bool) -> None:
    """Refuse one class, and a pooled covariance without degrees of freedom."""
    if len(classes) < 2:
        raise ValueError(
            "y must hold at least 2 classes to discriminate; got one class, "
            f"{shown(classes.tolist()[0])}. Pass rows of another class too."
        )
    if unbiased and class_counts.sum() <= len(classes):
        raise ValueError(
            f"X must have more rows, or a larger sum of sample_weight ({class_counts.sum():g}), "
            f"than there are classes ({len(classes)}). Pass more rows, scale the weights so that "
            'they sum to the number of rows, or use method="mle".'
        )


def as_priors(priors: Any, class_counts: Array) -> Array:
    """Class probabilities that sum to 1."""
    if priors is None:
        return class_counts / class_counts.sum()
    try:
        values = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"priors must be numbers; got {shown(priors)} ({error}).") from error
    if values.shape != class_counts.shape:
        raise ValueError(
            f"priors must hold one probability for each of the {len(class_counts)} classes; got "
            f"shape {values.shape}. Order them as classes_, the sorted labels."
        )
    if not ((values > 0.0) & np.isfinite(values)).all():
        raise ValueError(
            f"priors must all be positive; got {shown(values.tolist())}. Leave out the rows of a "
            "class that is not to be predicted."
        )
    if abs(values.sum() - 1.0) > 1e-5:
        warn_user(f"The priors do not sum to 1 but to {values.sum():g}: they were rescaled.")
    return values / values.sum()


def warn_left_out(fit: Discriminant, means: Array, names: Array | None) -> None:
    """Name the columns that a singular covariance involves; refuse rows without any variation."""
    white = fit.white
    if white.root.shape[1] == 0:
        raise ValueError(
            "No column of X varies within the classes, so they have no covariance. Pass rows "
            "that differ, or compare the values themselves."
        )
    split = np.ptp(means[:, white.constant], axis=0) > 0.0
    if not split.all():
        columns = list_columns(white.constant[~split], names)
        warn_user(f"Left out of the fit, with coefficient 0, as constant: {columns}.")
    if split.any():
        warn_user(
            "Left out of the fit, with coefficient 0, as constant within each class: "
            f"{list_columns(white.constant[split], names)}. Their values alone tell classes apart."
        )
    if white.n_lost:
        warn_user(
            f"The within-class covariance is singular: {white.n_lost} direction(s) in which "
            f"columns are collinear were left out of the fit, among "
            f"{list_columns(white.collinear, names)}. Drop columns, or pass more rows."
        )
    if len(fit.singular_values) == 0:
        warn_user("The class means are equal: there is nothing to discriminate by.")

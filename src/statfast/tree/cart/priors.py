# SPDX-License-Identifier: BSD-3-Clause
"""Prior probabilities of the classes of a tree, and costs of wrong decisions.

Breiman, Friedman, Olshen and Stone 1984, section 4.4: costs enter splits by altered priors, the
prior of a class times the sum of the costs of its errors, and determine the classes of leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import as_rows, as_vector, shown


@dataclass(frozen=True)
class TreePriors:
    """Weights that priors and costs give to the rows of classes.

    Attributes
    ----------
    grown : ndarray of shape (K,)
        Of a row in growth: by the altered prior.
    plain : ndarray of shape (K,)
        The same by the prior itself.
    cost : ndarray of shape (K, K)
        Of each decision (column) for each class (row).
    """

    grown: np.ndarray
    plain: np.ndarray
    cost: np.ndarray

    def masses(self, shares, total_weight):
        """Weights by the priors, (m, K), from shares and weights by the altered priors."""
        return shares * total_weight[:, None] * (self.plain / self.grown)

    def shares(self, shares: Array) -> Array:
        """Probabilities by the priors, from shares by the altered priors."""
        weighted = shares * (self.plain / self.grown)
        return weighted / weighted.sum(axis=1, keepdims=True)

    def decisions(self, shares: Array) -> Array:
        """The class of the least expected cost, the lowest of equals."""
        risk = self.shares(shares) @ self.cost
        least = risk.min(axis=1, keepdims=True)
        return (risk <= least * (1 + 1e-12)).argmax(axis=1)


def class_priors(
    priors: Any, cost: Any, classes: Array, label: Array, weight: Array | None
) -> TreePriors | None:
    """Check both arguments; None where neither is given.

    Parameters
    ----------
    priors : array-like of shape (K,), "uniform", or None
    cost : array-like of shape (K, K), or None
    classes : ndarray of shape (K,)
    label : ndarray of int, shape (n,)
    weight : ndarray of shape (n,), or None
    """
    if priors is None and cost is None:
        return None
    K = len(classes)
    class_weights = np.bincount(label, weight, minlength=K)
    if not (class_weights > 0).all():
        raise ValueError(
            f"class {classes[class_weights.argmin()]!s} has no row with weight, which priors and "
            "cost ask for. Leave it out of y."
        )
    prior = class_weights / class_weights.sum() if priors is None else _priors(priors, K)
    table = 1.0 - np.eye(K) if cost is None else _cost(cost, K)
    if K == 1:  # there is only one class
        return None
    altered = prior * table.sum(axis=1)
    total = class_weights.sum()
    return TreePriors(
        altered / altered.sum() * total / class_weights, prior * total / class_weights, table
    )


def _priors(priors: Any, K: int) -> Array:
    if isinstance(priors, str):
        if priors != "uniform":
            raise ValueError(
                f"priors must be one probability for each class, 'uniform' or None; got {priors!r}."
            )
        return np.full(K, 1.0 / K)
    table = as_vector(np.atleast_1d(priors) if np.isscalar(priors) else priors, "priors")
    if table.shape != (K,):
        raise ValueError(
            f"priors must hold one probability for each of the {K} classes; got {len(table)}."
        )
    if not (table > 0).all() or abs(table.sum() - 1) > 1e-6:
        raise ValueError(
            f"priors must be positive and sum to 1; got {shown(priors)}. Divide them by their sum."
        )
    return table / table.sum()


def _cost(cost: Array | tuple[float, float], K: int) -> Array:
    table = as_rows(cost, name="cost", keep=(np.float64,))
    if table.shape != (K, K):
        raise ValueError(
            f"cost must have one row and one column for each of the {K} classes; got {table.shape}."
        )
    if (table < 0).any() or np.diag(table).any() or not (table.sum(axis=1) > 0).all():
        raise ValueError(
            "cost must be 0 on the diagonal, nowhere negative, and positive somewhere in each row; "
            f"got {shown(cost)}."
        )
    return table

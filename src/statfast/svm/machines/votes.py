# SPDX-License-Identifier: BSD-3-Clause
"""One machine for each pair of classes: how their coefficients are kept, and how they decide.

Pairs (i, j), i < j, come in the order (0, 1), (0, 2), ..., (1, 2), ...; the value of a pair is
positive where it prefers i. The coefficients of a support vector are a column of K - 1: that of a
vector of class c in the pair with class j stands in row j if j < c, else in row j - 1.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast.svm.dual.problems import Machine


def pairs(n_classes: int) -> list[tuple[int, int]]:
    """The pairs of classes, in order."""
    return list(combinations(range(n_classes), 2))


def assembled(machines: list[Machine], codes: Array, n_classes: int) -> tuple[Array, Array, Array]:
    """Support vectors of all pairs together, and their coefficients.

    Returns the training rows that are support vectors, by class and then by index; how many each
    class has; and the coefficients, (K - 1, S).
    """
    coef = np.zeros((n_classes - 1, len(codes)))
    for (i, j), machine in zip(pairs(n_classes), machines, strict=True):
        of_i = codes[machine.rows] == i
        coef[j - 1, machine.rows[of_i]] = machine.coef[of_i]
        coef[i, machine.rows[~of_i]] = machine.coef[~of_i]
    support = np.flatnonzero(coef.any(axis=0))
    support = support[np.argsort(codes[support], kind="stable")]
    counts = np.bincount(codes[support], minlength=n_classes).astype(np.int32)
    return support.astype(np.int32), counts, np.ascontiguousarray(coef[:, support])


def pair_values(parts: list[Array], rho: Array) -> Array:
    """Values of all pairs, (n, P), from the sums (n, K - 1) over the vectors of each class."""
    k = len(parts)
    out = np.empty((len(parts[0]), len(rho)))
    for p, (i, j) in enumerate(pairs(k)):
        np.add(parts[i][:, j - 1], parts[j][:, i], out=out[:, p])
    out -= rho
    return out


def pair_coef(dual_coef: Any, vectors: Any, counts: Any) -> Any:
    """Coefficients of the columns in each pair, (P, d): sums of vectors, for linear kernels."""
    ends = np.append(0, np.cumsum(counts))
    part = [slice(a, b) for a, b in pairwise(ends)]
    return np.array(
        [
            dual_coef[j - 1, part[i]] @ vectors[part[i]] + dual_coef[i, part[j]] @ vectors[part[j]]
            for i, j in pairs(len(counts))
        ]
    )


def votes(values: Array, n_classes: int) -> Array:
    """How many pairs prefer each class, (n, K); a value of zero is a vote for the first."""
    counts = np.zeros((len(values), n_classes))
    for p, (i, j) in enumerate(pairs(n_classes)):
        first = values[:, p] >= 0.0
        counts[:, i] += first
        counts[:, j] += ~first
    return counts


def scores(values: Array, n_classes: int) -> Array:
    """Votes, and within the same number of votes the sum of the values, squeezed below a third."""
    total = np.zeros((len(values), n_classes))
    for p, (i, j) in enumerate(pairs(n_classes)):
        total[:, i] += values[:, p]
        total[:, j] -= values[:, p]
    return votes(values, n_classes) + total / (3.0 * (np.abs(total) + 1.0))

# SPDX-License-Identifier: BSD-3-Clause
"""Scores and probabilities of the classes from the values of the binary classifiers.

Loss-based decoding (Allwein, Schapire & Singer 2000, doi:10.1162/15324430152733133) takes the class
whose word c has the least sum of losses L(c_j f_j), where f_j are the decision values; an entry 0
of the word adds L(0). With L(z) = (1 - sign z) / 2 the sum is the distance of the word from the
signs of the values.
"""

from __future__ import annotations

import numpy as np

from statfast._engine import checkpoint
from statfast._estimator import MIN_PAIR_PROBABILITY, ROWS_PER_SOLVE, coupled
from statfast._typing import Array

MIN_CHANGE = 1e-10  # the iteration ends where no probability changes by more
MAX_ROUNDS = 2000


def scores(decoding: str, values: Array, matrix: Array) -> Array:
    """Scores (m, K) of the classes, the larger the better: minus the sum of losses.

    For "exponential" it is minus the logarithm of the sum, which does not overflow.
    """
    signs = matrix.astype(np.float64)
    if decoding == "linear":
        return values @ signs.T
    if decoding == "distance":
        return 0.5 * (np.sign(values) @ signs.T - matrix.shape[1])
    out = np.empty((len(values), len(signs)))
    for k, word in enumerate(signs):
        out[:, k] = -LOSSES[decoding](values * word)
    return out


def _hinge(z: Array) -> Array:
    return np.maximum(0.0, 1.0 - z).sum(axis=1)


def _logistic(z: Array) -> Array:
    return np.logaddexp(0.0, -2.0 * z).sum(axis=1)


def _exponential(z: Array) -> Array:
    top = (-z).max(axis=1, keepdims=True)
    return top[:, 0] + np.log(np.exp(-z - top).sum(axis=1))


LOSSES = {"exponential": _exponential, "logistic": _logistic, "hinge": _hinge}
DECODINGS = ("distance", "linear", *LOSSES)


def normalized(shares: Array) -> Array:
    """Probabilities of each class against the rest, divided by their sum; equal ones where the sum
    is 0."""
    total = shares.sum(axis=1, keepdims=True)
    equal = np.full(shares.shape, 1.0 / shares.shape[1])
    return np.divide(shares, total, out=equal, where=total > 0)


def of_pairs(shares: Array, matrix: Array) -> Array:
    """Probabilities (m, K) from the shares of classifiers of two classes each, by `coupled`."""
    k = len(matrix)
    first, second = (matrix > 0).argmax(axis=0), (matrix < 0).argmax(axis=0)
    r, count = np.zeros((len(shares), k, k)), np.zeros((k, k))
    for j, (a, b) in enumerate(zip(first, second, strict=True)):
        r[:, a, b] += shares[:, j]
        r[:, b, a] += 1.0 - shares[:, j]
        count[[a, b], [b, a]] += 1.0
    return coupled(r / np.where(count > 0.0, count, 1.0))


def bradley_terry(shares: Array, matrix: Array, total_weight: Array) -> Array:
    """Probabilities (m, K) of the generalized Bradley-Terry model (Huang, Weng & Lin 2006,
    https://jmlr.org/papers/v7/huang06a.html), by the authors' fixed-point iteration.

    They maximize the likelihood of the classifiers' probabilities, in which each classifier weighs
    as much as the rows it was trained on. A class that no classifier separates gets 1/K.
    """
    yes, no = (matrix > 0).astype(np.float64), (matrix < 0).astype(np.float64)
    both, weight = yes + no, total_weight / total_weight.mean()
    seen = both.any(axis=1)
    out = np.empty((len(shares), len(matrix)))
    for start in range(0, len(shares), ROWS_PER_SOLVE):
        part = np.clip(
            shares[start : start + ROWS_PER_SOLVE], MIN_PAIR_PROBABILITY, 1.0 - MIN_PAIR_PROBABILITY
        )
        probabilities = np.full((len(part), len(matrix)), 1.0 / len(matrix))
        active = np.arange(len(part))
        for _ in range(MAX_ROUNDS):
            checkpoint()
            p, r = probabilities[active], part[active]
            factor = (weight * r / (p @ yes)) @ yes.T + (weight * (1.0 - r) / (p @ no)) @ no.T
            p_new = p.copy()
            p_new[:, seen] *= factor[:, seen] / ((weight / (p @ both)) @ both[seen].T)
            p_new[:, seen] *= seen.mean() / p_new[:, seen].sum(axis=1, keepdims=True)
            probabilities[active] = p_new
            active = active[np.abs(p_new - p).max(axis=1) > MIN_CHANGE]
            if not len(active):
                break
        out[start : start + ROWS_PER_SOLVE] = probabilities
    return out

# SPDX-License-Identifier: BSD-3-Clause
"""Probabilities of classes from those of pairs of them."""

from __future__ import annotations

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array

MIN_PAIR_PROBABILITY = (
    # The least probability of either class of a pair, as certainty would leave nothing for the
    # other classes.
    1e-7
)
ROWS_PER_SOLVE = 4096  # Rows that are solved together; their systems take 8 (K + 1)^2 bytes a row.


def coupled(r: Array) -> Array:
    """Class probabilities (n, K) from those of pairs, r[:, i, j] = P(i | i or j).

    They minimize the sum over i, j of (r_ji p_i - r_ij p_j)^2 with sum 1: the second method of Wu,
    Lin & Weng (2004), https://www.jmlr.org/papers/v5/wu04a.html. It is a linear system, solved as
    one. A pair of which nothing is known has r_ij = r_ji = 0; the diagonal is 0.
    """
    n, k = r.shape[:2]
    place, out = np.arange(k), np.empty((n, k))
    for start in range(0, n, ROWS_PER_SOLVE):
        checkpoint()
        part = r[start : start + ROWS_PER_SOLVE]
        known = part + np.swapaxes(part, 1, 2) > 0.0
        part = np.where(known, np.clip(part, MIN_PAIR_PROBABILITY, 1.0 - MIN_PAIR_PROBABILITY), 0.0)
        system = np.zeros((len(part), k + 1, k + 1))
        system[:, :k, :k] = -part * np.swapaxes(part, 1, 2)
        # The diagonal is the sum over j of r_ji^2.
        system[:, place, place] = (part * part).sum(axis=1)
        system[:, :k, k] = system[:, k, :k] = 1.0
        right = np.zeros((len(part), k + 1, 1))
        right[:, k] = 1.0
        p = np.maximum(np.linalg.solve(system, right)[:, :k, 0], 0.0)
        out[start : start + ROWS_PER_SOLVE] = p / p.sum(axis=1, keepdims=True)
    return out

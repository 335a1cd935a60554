# SPDX-License-Identifier: BSD-3-Clause
"""Slow, obvious twins: reduced distances by the table of metrics, and searches among them."""

import numpy as np


def eightfold(terms, join=np.add):
    """Terms (..., d) put together in the reference order: eight partial sums, and the rest."""
    d = terms.shape[-1]
    whole = d - d % 8
    part, rest = np.zeros((8, *terms.shape[:-1])), np.zeros(terms.shape[:-1])
    for p in range(whole):
        part[p % 8] = join(part[p % 8], terms[..., p])
    for p in range(whole, d):
        rest = join(rest, terms[..., p])
    a, b, c, d, e, f, g, h = part
    return join(rest, join(join(join(a, b), join(c, d)), join(join(e, f), join(g, h))))


def reduced(kind, A, B, p=2.0):
    """Reduced distances (n, m) of prepared rows, for each kind by its name."""
    A, B = np.asarray(A, np.float64), np.asarray(B, np.float64)
    t = np.abs(A[:, None, :] - B[None, :, :])
    if kind == "euclidean":
        return eightfold(t * t)
    if kind == "manhattan":
        return eightfold(t)
    if kind == "chebyshev":
        return eightfold(t, np.maximum)
    if kind == "minkowski":
        return eightfold(t * t * t if p == 3 else (t * t) * (t * t) if p == 4 else t**p)
    if kind == "haversine":
        along, across = np.sin(t[..., 0] / 2), np.sin(t[..., 1] / 2)
        cosines = np.cos(A[:, 0])[:, None] * np.cos(B[:, 0])
        return 2 * np.arcsin(np.minimum(1, np.sqrt(along * along + cosines * (across * across))))
    if kind == "hamming":
        return (t != 0).sum(axis=-1) / A.shape[1]
    a, b = (A != 0)[:, None, :], (B != 0)[None, :, :]
    either = (a | b).sum(axis=-1)
    return np.where(either > 0, (a != b).sum(axis=-1) / np.maximum(either, 1), 0.0)


def nearest(distances, k, itself=False):
    """The k smallest of each row of a table of distances, by (distance, index)."""
    distances = distances.copy()
    if itself:
        np.fill_diagonal(distances, np.inf)
    ids = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, ids, axis=1), ids


def within(distances, limit):
    """Starts, distances and ids of all within the limits, by (distance, index)."""
    limit = np.broadcast_to(limit, len(distances))
    order = np.argsort(distances, axis=1, kind="stable")
    ids = [row[distances[q, row] <= limit[q]] for q, row in enumerate(order)]
    starts = np.cumsum([0, *map(len, ids)])
    return starts, np.concatenate([distances[q, i] for q, i in enumerate(ids)]), np.concatenate(ids)

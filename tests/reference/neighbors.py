# SPDX-License-Identifier: BSD-3-Clause
"""Slow, obvious twins of the neighbor search and of the vote."""

import numpy as np


def nearest(X, Q, k, itself=False):
    """Squared distances and ids of the k nearest rows of X to each row of Q.

    Float64 differences, ordered by (distance, index). `itself`: Q is X, without each row itself.
    """
    d2 = np.empty((len(Q), k))
    ids = np.empty((len(Q), k), dtype=np.intp)
    for i, q in enumerate(np.asarray(Q, dtype=np.float64)):
        with np.errstate(over="ignore"):
            to_all = ((np.asarray(X, dtype=np.float64) - q) ** 2).sum(axis=1)
        order = np.argsort(to_all, kind="stable")
        ids[i] = (order[order != i] if itself else order)[:k]
        d2[i] = to_all[ids[i]]
    return d2, ids


def distance_weights(d2):
    """1 / distance; in a row with zeros 1 for those and 0 for all others."""
    weights = np.empty_like(d2)
    for i, row in enumerate(d2):
        if (row == 0).any():
            weights[i] = row == 0
        else:
            weights[i] = 1 / np.sqrt(row)
    return weights


def votes(codes, ids, weights, n_classes):
    """The vote of each class in each row."""
    counted = np.zeros((len(ids), n_classes))
    for i in range(len(ids)):
        for j in range(ids.shape[1]):
            counted[i, codes[ids[i, j]]] += weights[i, j]
    return counted


def winners(codes, ids, d2, weights, n_classes, ties):
    """The class with the largest vote in each row, by the tie rule "lowest" or "nearest"."""
    counted = votes(codes, ids, weights, n_classes)
    out = np.empty(len(ids), dtype=np.intp)
    for i, vote in enumerate(counted):
        tied = np.flatnonzero(vote == vote.max())
        if ties == "nearest":
            to_class = [d2[i, codes[ids[i]] == c].min() for c in tied]
            tied = tied[np.flatnonzero(to_class == np.min(to_class))]
        out[i] = tied[0]
    return out


def within(X, Q, r, itself=False):
    """For each row of Q the squared distances and ids of the rows of X within r, nearest first."""
    d2, ids = nearest(X, Q, len(X) - itself, itself)
    near = d2 <= r * r
    return [row[keep] for row, keep in zip(d2, near, strict=True)], [
        row[keep] for row, keep in zip(ids, near, strict=True)
    ]


class SlowIndex:
    """What a search index has to be: `build` and `query`."""

    def __init__(self, X):
        self.X = X

    @classmethod
    def build(cls, X, n_jobs=None):
        return cls(X)

    def query(self, Q, k, n_jobs=None):
        return nearest(self.X, Q, k)

# SPDX-License-Identifier: BSD-3-Clause
"""Counts of pairs of labels of rows that lie in parts: one round, as many numbers as pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._engine import Work
from statfast._validation import as_labels, as_weights


class PairCounts:
    """How often, by weight, each pair of a true and a predicted label was found."""

    def __init__(self, counts: Any) -> None:
        self.counts = counts

    def __add__(self, other: Any) -> Any:
        counts = dict(self.counts)
        for pair, weight in other.counts.items():
            counts[pair] = counts.get(pair, 0) + weight
        return PairCounts(counts)


def pairs_in(columns: Any, _: slice) -> Any:
    """Those of a part: predictions, truth, weights."""
    predicted, truth, weights = columns
    n = len(predicted)
    names, rows = as_labels(truth, n, name="y_true")
    predicted_names, cells = as_labels(predicted, n, name="y_pred")
    weights = as_weights(weights, n)
    width = len(predicted_names)
    counts = np.bincount(rows * width + cells, weights, len(names) * width)
    pairs = [(a, b) for a in names.tolist() for b in predicted_names.tolist()]
    return PairCounts({p: w for p, w in zip(pairs, counts.tolist(), strict=True) if w})


def labels_in(columns: Any, _: slice) -> Any:
    """The true labels of a part, and the weight of their rows."""
    _, truth, weights = columns
    if not len(truth):
        return None
    labels, codes = as_labels(truth, len(truth), name="y_true")
    masses = np.bincount(codes, as_weights(weights, len(truth)), len(labels))
    return PairCounts(dict(zip(labels.tolist(), masses.tolist(), strict=True)))


def counted_pairs(parts: Any) -> Any:
    """The pairs of a true and a predicted label that occur, as two lists, and their weights."""
    total = parts.total(Work(pairs_in))
    if total is None:
        raise ValueError("y_true has 0 label(s) while a minimum of 1 is required.")
    truth, predicted = zip(*sorted(total.counts), strict=True)
    weights = np.array([total.counts[pair] for pair in sorted(total.counts)])
    return list(truth), list(predicted), weights

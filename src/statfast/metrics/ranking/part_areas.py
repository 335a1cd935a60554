# SPDX-License-Identifier: BSD-3-Clause
"""The area under the ROC curve of rows that lie in parts, exactly.

Scores are integers of 64 bits in the same order. A round counts negatives and positives in ranges
of them. A range that holds one class, or one score, is decided; of the others small ones are looked
at together, score by score, and large ones in 2^16 ranges of their own. Rounds: 1, about one for
each `MOST` rows in ranges that hold both classes, and one for each large range.
"""

from collections import deque
from typing import NamedTuple

import numpy as np

from statfast._estimator import has_weight
from statfast._validation import as_labels, as_weights, explain_nonfinite
from statfast.metrics.classification.part_counts import labels_in

BITS = 16  # by which a range is cut
MOST = 1 << 20  # rows that are looked at score by score in a round


class KeyRange(NamedTuple):
    """Scores from a least one on, and the rows found there."""

    least: int
    bits: int  # it is of 2^bits scores
    negatives: float
    positives: float
    rows: int


class KeyTable:
    """Weights of negatives and positives, and rows (m, 3), of keys (m,), ascending."""

    def __init__(self, keys, weights):
        self.keys, place = np.unique(keys, return_inverse=True)
        self.weights = np.zeros((len(self.keys), 3), weights.dtype)
        np.add.at(self.weights, place.ravel(), weights)

    def __add__(self, other):
        keys = np.concatenate([self.keys, other.keys])
        return KeyTable(keys, np.concatenate([self.weights, other.weights]))

    def ranges(self, bits):
        table = zip(self.keys.tolist(), self.weights.tolist(), strict=True)
        return [KeyRange(key, bits, *counts) for key, counts in table]


def area_of_parts(parts, *, average="macro", max_fpr=None, multi_class="raise", labels=None):
    """`roc_auc_score` of two classes."""
    if max_fpr is not None or labels is not None:
        raise ValueError(
            "max_fpr and labels are for rows in memory; got them with rows in parts, of which the "
            "whole area of two classes is made. Leave them out."
        )
    classes = sorted(parts.total(labels_in, None).counts)
    if len(classes) != 2:
        raise ValueError(
            f"y_true must hold 2 classes for rows in parts; got {len(classes)}. Score each class "
            "against the rest."
        )
    todo = deque(parts.total(counted, (classes[1], None, 64 - BITS)).ranges(64 - BITS))
    before, positives, twice = 0, 0, 0
    while todo:
        one = todo.popleft()
        if not (one.bits and one.negatives and one.positives):
            twice += one.positives * (2 * before + one.negatives)
            before, positives = before + one.negatives, positives + one.positives
            continue
        some, after, rows = [one], [], one.rows
        while rows <= MOST and todo and (rows + todo[0].rows <= MOST or not _mixed(todo[0])):
            after.append(todo.popleft())
            if _mixed(after[-1]):
                some.append(after[-1])
                rows += after[-1].rows
        bits = 0 if rows <= MOST else max(0, one.bits - BITS)
        told = [(part.least, part.bits) for part in some]
        found = parts.total(counted, (classes[1], told, bits)).ranges(bits)
        kept = [part for part in after if not _mixed(part)]
        todo.extendleft(reversed(sorted([*found, *kept])))
    return float(twice / (2 * before * positives))


def _mixed(part):
    return bool(part.bits and part.negatives and part.positives)


def ordered(scores):
    """Integers without sign, in the order of the scores."""
    bits = (scores.astype(np.float64) + 0.0).view(np.uint64)  # -0.0 is 0.0
    sign = np.uint64(1) << np.uint64(63)
    return np.where(bits & sign, ~bits, bits | sign)


def counted(columns, told):
    """Counts of a part by the leading bits of scores; of some ranges, or of all scores."""
    scores, truth, weights = columns
    positive, ranges, bits = told
    if not has_weight(weights):
        return None
    n = len(scores)
    explain_nonfinite(np.asarray(scores, dtype=np.float64), "y_score")
    if scores.ndim != 1:
        raise ValueError(
            "y_score must be one column for two classes; got two. Pass that of the positive class."
        )
    labels, codes = as_labels(truth, n, name="y_true")
    true = np.array([label == positive for label in labels.tolist()])[codes]
    keys = ordered(np.asarray(scores))
    inside = np.ones(n, dtype=bool)
    if ranges is not None:
        least = np.array([one for one, _ in ranges], dtype=np.uint64)
        size = np.array([(1 << b) - 1 for _, b in ranges], dtype=np.uint64)
        place = np.searchsorted(least, keys, "right") - 1
        inside = (place >= 0) & (keys - least[place] <= size[place])
    weights = as_weights(weights, n)
    table = np.zeros((n, 3), np.int64 if weights is None else np.float64)
    own = 1 if weights is None else weights
    table[:, 0], table[:, 1], table[:, 2] = own * ~true, own * true, 1
    shift = np.uint64(bits)
    return KeyTable(keys[inside] >> shift << shift, table[inside])

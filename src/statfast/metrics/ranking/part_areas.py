# SPDX-License-Identifier: BSD-3-Clause
"""Areas under ROC curves of rows that lie in parts, exactly.

Scores are integers of 64 bits in the same order. A round counts negatives and positives in ranges
of them. A range that holds one class, or one score, is decided; of the others small ones are looked
at together, score by score, and large ones in 2^16 ranges of their own. Rounds: 1, about one for
each `MAX_ROWS_OF_ROUND` rows in ranges that hold both classes, and one for each large range.
"""

from __future__ import annotations

from collections import deque
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from statfast._engine import Work
from statfast._typing import Array
from statfast._validation import as_choice, as_labels, as_weights, explain_nonfinite
from statfast.metrics.classification.part_counts import labels_in
from statfast.metrics.ranking.averages import mean_where_heavy
from statfast.metrics.ranking.two_classes import warn_one_class

BITS_OF_ROUND = 16  # A round cuts a range of scores by so many bits.
MAX_ROWS_OF_ROUND = 1 << 20  # The rows whose scores are counted one by one in a round.


class KeyRange(NamedTuple):
    """Scores from a least one on, and the rows found there."""

    least: int
    bits: int  # The range has 2^bits scores.
    negatives: float
    positives: float
    rows: int


class KeyTable:
    """Weights of negatives and positives, and rows (m, 3), of keys (m,), ascending."""

    def __init__(self, keys: Array, weights: Any) -> None:
        self.keys, place = np.unique(keys, return_inverse=True)
        self.weights = np.zeros((len(self.keys), 3), weights.dtype)
        np.add.at(self.weights, place.ravel(), weights)

    def __add__(self, other: Any) -> Any:
        keys = np.concatenate([self.keys, other.keys])
        return KeyTable(keys, np.concatenate([self.weights, other.weights]))

    def ranges(self, bits: Any) -> Any:
        table = zip(self.keys.tolist(), self.weights.tolist(), strict=True)
        return [KeyRange(key, bits, *counts) for key, counts in table]


class Sides(NamedTuple):
    """Which rows are positives and which negatives, and the column of their scores."""

    positive: Any
    negative: Any = None  # The negative class; None for all other classes.
    column: int | None = None  # The column of the scores, where these have one for each class.
    classes: int = 2


def area_of_parts(
    parts: Any,
    *,
    average: str = "macro",
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Any = None,
) -> Any:
    """`roc_auc_score`; of several classes one area after the other."""
    if max_fpr is not None or labels is not None or average in ("micro", "samples"):
        raise ValueError(
            "max_fpr, labels and the averages 'micro' and 'samples' are for rows in memory; got "
            "them with rows in parts. Leave them out."
        )
    masses = parts.total(Work(labels_in, empty=True)).counts
    classes, k = sorted(masses), len(masses)
    if k == 2:
        return _area(parts, Sides(classes[1]))
    if k < 2:
        return _undefined()
    if multi_class == "raise":
        raise ValueError(
            "multi_class must be in ('ovo', 'ovr') for more than two classes. Pass "
            "multi_class='ovr' for each class against all others."
        )
    column = {label: c for c, label in enumerate(classes)}
    if as_choice(multi_class, "multi_class", ("raise", "ovr", "ovo")) == "ovr":
        areas = [_area(parts, Sides(label, None, column[label], k)) for label in classes]
        weights = [masses[label] for label in classes]
    else:
        if average is None:
            raise ValueError("multi_class='ovo' has an average: 'macro' or 'weighted'.")
        areas, weights = [], []
        for pair in combinations(classes, 2):
            both = [Sides(a, b, column[a], k) for a, b in (pair, pair[::-1])]
            areas.append(np.mean([_area(parts, sides) for sides in both]))
            weights.append(masses[pair[0]] + masses[pair[1]])
    if average is None:
        return np.array(areas)
    if as_choice(average, "average", ("macro", "weighted")) == "macro":
        return float(np.mean(areas))
    return mean_where_heavy(np.array(areas), np.array(weights))


def _area(parts: Any, sides: Any) -> Any:
    """The probability that a positive ranks above a negative."""
    todo = deque(
        parts.total(Work(counted), (sides, None, 64 - BITS_OF_ROUND)).ranges(64 - BITS_OF_ROUND)
    )
    before, positives, twice = 0, 0, 0
    while todo:
        bucket = todo.popleft()
        if not (bucket.bits and bucket.negatives and bucket.positives):
            twice += bucket.positives * (2 * before + bucket.negatives)
            before, positives = before + bucket.negatives, positives + bucket.positives
            continue
        chosen, after, rows = [bucket], [], bucket.rows
        while (
            rows <= MAX_ROWS_OF_ROUND
            and todo
            and (rows + todo[0].rows <= MAX_ROWS_OF_ROUND or not _mixed(todo[0]))
        ):
            after.append(todo.popleft())
            if _mixed(after[-1]):
                chosen.append(after[-1])
                rows += after[-1].rows
        bits = 0 if rows <= MAX_ROWS_OF_ROUND else max(0, bucket.bits - BITS_OF_ROUND)
        ranges = [(part.least, part.bits) for part in chosen]
        finer = parts.total(Work(counted), (sides, ranges, bits)).ranges(bits)
        kept = [part for part in after if not _mixed(part)]
        todo.extendleft(reversed(sorted([*finer, *kept])))
    if not before or not positives:
        return _undefined()
    return float(twice / (2 * before * positives))


def _undefined() -> Any:
    warn_one_class("ROC AUC score is not defined in that case.")
    return float("nan")


def _mixed(part: Any) -> Any:
    return bool(part.bits and part.negatives and part.positives)


def ordered(scores: Any) -> Any:
    """Integers without sign, in the order of the scores."""
    bits = (scores.astype(np.float64) + 0.0).view(np.uint64)  # Adding 0.0 turns -0.0 into 0.0.
    sign = np.uint64(1) << np.uint64(63)
    return np.where(bits & sign, ~bits, bits | sign)


def counted(columns: Any, sent_state: Any) -> Any:
    """Counts of a part by the leading bits of scores; of some ranges, or of all scores."""
    scores, truth, weights = columns
    sides, ranges, bits = sent_state
    n = len(scores)
    weights = as_weights(weights, n)
    if weights is not None and sides.negative is not None:
        raise ValueError("multi_class='ovo' has no sample_weight. Use multi_class='ovr'.")
    scores = np.asarray(scores)
    if ranges is None:
        _require_scores(scores, sides)
    keys = ordered(scores if sides.column is None else scores[:, sides.column])
    labels, codes = as_labels(truth, n, name="y_true")
    true = np.array([label == sides.positive for label in labels.tolist()])[codes]
    inside = np.ones(n, dtype=bool)
    if sides.negative is not None:
        inside = true | np.array([label == sides.negative for label in labels.tolist()])[codes]
    if ranges is not None:
        least = np.array([low for low, _ in ranges], dtype=np.uint64)
        size = np.array([(1 << b) - 1 for _, b in ranges], dtype=np.uint64)
        place = np.searchsorted(least, keys, "right") - 1
        inside &= (place >= 0) & (keys - least[place] <= size[place])
    table = np.zeros((n, 3), np.int64 if weights is None else np.float64)
    w = 1 if weights is None else weights
    table[:, 0], table[:, 1], table[:, 2] = w * ~true, w * true, 1
    shift = np.uint64(bits)
    return KeyTable(keys[inside] >> shift << shift, table[inside])


def _require_scores(scores, sides):
    """Refuse what scores of rows in memory are refused for."""
    explain_nonfinite(scores.astype(np.float64, copy=False), "y_score")
    if sides.column is None:
        if scores.ndim != 1:
            raise ValueError(
                "y_score must be one column for two classes; got two. Pass that of the positive "
                "class."
            )
    elif scores.ndim != 2 or scores.shape[1] != sides.classes:
        raise ValueError(
            f"y_score must have a column for each class ({sides.classes}); got shape "
            f"{scores.shape}."
        )
    elif not np.allclose(1, scores.sum(axis=1)):
        raise ValueError("y_score must hold probabilities, which sum to 1 over the classes.")

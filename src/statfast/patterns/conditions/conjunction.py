# SPDX-License-Identifier: BSD-3-Clause
"""Conjunctions of conditions: one interval for each column, in words, and their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from statfast._typing import Array
from statfast.patterns.conditions.condition import (
    Condition,
    condition_text,
    intersection,
    rows_that_meet,
)


def conjunction(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Conditions with one interval for each column, by column."""
    intervals: dict[int, Condition] = {}
    equalities = []
    for condition in conditions:
        if condition.code >= 0 or condition.is_missing:
            equalities.append(condition)
        elif condition.column in intervals:
            intervals[condition.column] = intersection(intervals[condition.column], condition)
        else:
            intervals[condition.column] = condition
    return tuple(sorted([*intervals.values(), *equalities], key=lambda condition: condition.column))


def description(conditions: Sequence[Condition], names: Sequence[str]) -> str:
    """A conjunction in words; "always" of no conditions."""
    texts = [condition_text(condition, names[condition.column]) for condition in conditions]
    return " and ".join(texts) or "always"


def covered_rows(conditions: Sequence[Condition], rows: Array) -> NDArray[np.bool_]:
    """Mark the rows (n, p) that meet all conditions."""
    marks = np.ones(len(rows), dtype=bool)
    for condition in conditions:
        marks &= rows_that_meet(condition, rows[:, condition.column])
    return marks

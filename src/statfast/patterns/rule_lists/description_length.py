# SPDX-License-Identifier: BSD-3-Clause
"""Bits to tell a set of rules, and the rows that it gets wrong.

J. R. Quinlan 1995, MDL and categorical theories (continued); W. W. Cohen 1995.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

import numpy as np

from statfast._typing import Array

REDUNDANCY = 0.5  # Rules are told twice as long as need be: conditions depend on each other.


@dataclass(frozen=True)
class Exceptions:
    """Weights of the rows that rules cover, and of errors among those and among the others."""

    covered: float
    uncovered: float
    false_positive: float
    false_negative: float


def description_bits(
    lengths: Sequence[int], n_conditions: int, totals: Array, uncovered: Array
) -> float:
    """Bits of rules of so many conditions each, and of their errors.

    `totals` and `uncovered` are weights of the other classes and of the class: of all rows, and of
    those that no rule covers.
    """
    covered = np.maximum(totals - uncovered, 0.0)
    exceptions = Exceptions(
        float(covered.sum()), float(uncovered.sum()), float(covered[0]), float(uncovered[1])
    )
    bits = sum(rule_bits(length, n_conditions) for length in lengths)
    return bits + exception_bits(exceptions, float(totals[1] / totals.sum()))


def rule_bits(n_used: int, n_conditions: int) -> float:
    """Bits of a rule: the number of its conditions, and which of all conditions they are."""
    if not n_used:
        return 0.0
    n_used = min(n_used, n_conditions)
    which = _subset_bits(n_conditions, n_used, n_used / n_conditions)
    return REDUNDANCY * (log2(n_used) + which)


def exception_bits(exceptions: Exceptions, expected_share: float) -> float:
    """Bits of the errors: how many, and which rows they are.

    `expected_share` of them are expected on the larger side; on the other side their share there
    is told by their number.
    """
    errors = exceptions.false_positive + exceptions.false_negative
    covered, uncovered = exceptions.covered, exceptions.uncovered
    if covered > uncovered:
        expected = expected_share * errors / covered
        inside = _subset_bits(covered, exceptions.false_positive, expected)
        outside = _share_bits(uncovered, exceptions.false_negative)
    else:
        expected = (1.0 - expected_share) * errors / uncovered
        inside = _share_bits(covered, exceptions.false_positive)
        outside = _subset_bits(uncovered, exceptions.false_negative, expected)
    return log2(covered + uncovered + 1.0) + inside + outside


def _share_bits(total: float, chosen: float) -> float:
    return _subset_bits(total, chosen, chosen / total) if chosen > 0.0 else 0.0


def _subset_bits(total: float, chosen: float, probability: float) -> float:
    """Bits to tell which of so many are chosen, each with a probability."""
    bits = 0.0
    probability = min(max(probability, 1e-12), 1.0 - 1e-12)
    if chosen > 0.0:
        bits -= chosen * log2(probability)
    if total > chosen:
        bits -= (total - chosen) * log2(1.0 - probability)
    return bits

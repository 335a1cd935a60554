# SPDX-License-Identifier: BSD-3-Clause
"""Which variables the solver of the dual works on next.

The worst violators of the conditions of optimality are the wrong ones as long as there are many:
they are outliers, a few hundred of which put the others right, so that rounds become many. So of
violators at a bound an even part is taken, which stands for all of them, beside a few of the
worst, without which nothing might move, and the free variables; when few violate, all of them and
what is nearest to violating.

The part is that with the largest multiples of the golden ratio, modulo 1: whatever the order of
the rows, it is spread evenly over them.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from statfast._typing import Array

MIN_VARIABLES = 512  # The least variables of a set, and those of the first one.
# A set has room for so many variables for each that violates its conditions, as steps make more of
# them.
VARIABLES_PER_VIOLATOR = 2
SHARE_OF_WORST = 1 / 64  # This share of a set is given to the worst violators of either side.
GOLDEN = (5**0.5 - 1) / 2


def next_active(f: Array, b: Array, low: Any, high: Any, middle: Any, most: Any) -> Any:
    """The active set, ascending.

    Parameters
    ----------
    f, b, low, high : ndarray of shape (m,)
        The gradient, the variables and their bounds.
    middle : float or ndarray of shape (m,)
        What -f of free variables will be at the solution, about.
    most : int
        Variables of the set.
    """
    above = -f - middle
    rises, falls = b < high, b > low
    free, sides = rises & falls, (np.where(rises, above, -inf), np.where(falls, -above, -inf))
    score = np.maximum(*sides)
    violating = int(np.count_nonzero(score > 0.0)) if b.any() else 0
    count = min(most, max(MIN_VARIABLES, VARIABLES_PER_VIOLATOR * violating))
    chosen = np.zeros(len(b), bool)
    wrong = [np.flatnonzero(side > 0.0) for side in sides]
    for side, places in zip(sides, wrong, strict=True):
        chosen[places[largest(side[places], max(1, int(SHARE_OF_WORST * count)))]] = True
    free &= ~chosen
    outer = [places[~(free | chosen)[places]] for places in wrong]
    counts, room = [len(places) for places in outer], count - int(np.count_nonzero(chosen))
    inner = int(np.count_nonzero(free))
    room -= min(inner, max(room // 2, room - sum(counts)))
    part = min(counts[0], max(room // 2, room - counts[1]))
    for places, wanted in zip(outer, (part, min(counts[1], room - part)), strict=True):
        chosen[places[largest(places * GOLDEN % 1.0, wanted)]] = True
    room = count - int(np.count_nonzero(chosen))
    chosen[free if inner <= room else largest(np.where(free, score, -inf), room)] = True
    score[chosen] = -inf
    chosen[largest(score, count - int(np.count_nonzero(chosen)))] = True
    return np.flatnonzero(chosen)


def largest(score: Array, count: int) -> Any:
    """Places of the largest scores, the lowest place on ties; no -inf."""
    if count <= 0:
        return np.empty(0, np.intp)
    if count >= len(score):
        return np.flatnonzero(score > -inf)
    least = np.partition(score, len(score) - count)[len(score) - count]
    if least == -inf:
        return np.flatnonzero(score > -inf)
    above = np.flatnonzero(score > least)
    ties = np.flatnonzero(score == least)[: count - len(above)]
    return np.concatenate([above, ties])

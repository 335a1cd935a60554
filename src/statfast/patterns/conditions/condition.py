# SPDX-License-Identifier: BSD-3-Clause
"""A condition on one column."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._typing import Array


@dataclass(frozen=True)
class Condition:
    """A condition on the value of one column.

    Attributes
    ----------
    column : int
        The column.
    low : float, default=-inf
        A number is to be above it,
    high : float, default=inf
        and at most this.
    code : int, default=-1
        A category is to be that of this number; -1 where the column holds numbers.
    category : object, default=None
        That category.
    is_missing : bool, default=False
        The value is to be missing.

    Examples
    --------
    >>> from statfast.patterns import Condition
    >>> condition = Condition(2, high=2.45)
    >>> condition.low, condition.high
    (-inf, 2.45)
    """

    column: int
    low: float = -inf
    high: float = inf
    code: int = -1
    category: Any = None
    is_missing: bool = False


def rows_that_meet(condition: Condition, values: Array) -> NDArray[np.bool_]:
    """Mark the rows that meet a condition, of values (n,) as numbers, or codes of categories."""
    if condition.is_missing:
        return np.isnan(values)
    if condition.code >= 0:
        return values == condition.code
    return (values > condition.low) & (values <= condition.high)


def intersection(a: Condition, b: Condition) -> Condition:
    """The interval in both of two intervals of a column."""
    return Condition(a.column, max(a.low, b.low), min(a.high, b.high))


def condition_text(condition: Condition, name: str) -> str:
    """A condition in words, with the name of its column."""
    if condition.is_missing:
        return f"{name} is missing"
    if condition.code >= 0:
        return f"{name} = {condition.category}"
    if isinf(condition.low):
        return f"{name} <= {condition.high:g}"
    if isinf(condition.high):
        return f"{name} > {condition.low:g}"
    return f"{condition.low:g} < {name} <= {condition.high:g}"

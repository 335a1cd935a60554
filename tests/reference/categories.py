# SPDX-License-Identifier: BSD-3-Clause
"""Categories as columns of zeros and ones, and as numbers: by comparing each with each."""

import numpy as np


def is_nan(value):
    return isinstance(value, float | np.floating) and value != value


def same(a, b):
    if a is None or b is None:
        return a is b
    return (is_nan(a) and is_nan(b)) or (not is_nan(a) and not is_nan(b) and a == b)


def categories(column):
    """The distinct values in order, None and then NaN at the end."""
    there = sorted({v for v in column if v is not None and not is_nan(v)})
    none = [None] if any(v is None for v in column) else []
    return there + none + ([float("nan")] if any(is_nan(v) for v in column) else [])


def one_hot(columns, known):
    """Zeros and ones of rows, given as columns, for categories known of each column."""
    rows = len(columns[0])
    return np.array(
        [
            [float(same(column[i], value)) for column, values in zip(columns, known, strict=True)
             for value in values]
            for i in range(rows)
        ]
    )  # fmt: skip


def ordinal(columns, known):
    """The place of each value among the categories known of its column, NaN where it is missing."""
    table = np.full((len(columns[0]), len(columns)), np.nan)
    for j, (column, values) in enumerate(zip(columns, known, strict=True)):
        for i, value in enumerate(column):
            if value is not None and not is_nan(value):
                table[i, j] = next(k for k, v in enumerate(values) if same(v, value))
    return table

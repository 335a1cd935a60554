# SPDX-License-Identifier: BSD-3-Clause
"""Checks of dissimilarities that the user passes.

They are a square matrix, or its upper triangle row by row as scipy's ``pdist`` gives it. All
numbers are finite and none is negative; the diagonal is zero. Linkage asks for symmetry as well,
medoids and scores do not. Rounding errors, such as those of ``1 - np.corrcoef(X)``, are allowed for
up to `slack_of`: numbers below zero or on the diagonal become zero, in a copy.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import isqrt
from typing import Any

import numpy as np

from statfast._core.distance import dissimilarity as kernel
from statfast._core.distance.triangle import extent
from statfast._engine import each, grid
from statfast._typing import Array
from statfast._validation import FLOATS, as_rows, refuse_large, shown, slack_of

NUMBERS_PER_TASK = 1 << 21  # numbers that a task reads
TILE_ROWS = 512  # rows and columns compared with those across the diagonal


def is_triangle(X: Any) -> bool:
    """Whether X is a vector, and so meant as the upper triangle of a matrix."""
    try:
        return np.ndim(X) == 1 and not hasattr(X, "columns")
    except ValueError:  # uneven rows, which the check of rows refuses
        return False


def as_triangle(
    y: Any, name: str = "X", *, keep: tuple[Any, ...] = FLOATS, n_jobs: int | None = None
) -> tuple[np.ndarray, int, float]:
    """Check the dissimilarities of the pairs (0, 1), (0, 2), ..., (n - 2, n - 1).

    Returns them, contiguous; the number of rows, 1 if there are no pairs; and the largest.
    """
    if np.size(y) == 0:
        return np.empty(0), 1, 0.0
    y = np.asarray(y)
    slack = slack_of(y)
    y = as_rows(y[None], name=name, keep=keep, finite=False)[0]
    n = (1 + isqrt(1 + 8 * len(y))) // 2
    if n * (n - 1) // 2 != len(y):
        raise ValueError(
            f"{name} has {len(y)} dissimilarities, which is not n (n - 1) / 2: for n = {n} rows it "
            f"would be {n * (n - 1) // 2}, for n = {n + 1} {n * (n + 1) // 2}. Pass one for each "
            "pair of rows in the order of scipy's pdist, or the square matrix."
        )
    if not y.flags.c_contiguous:
        refuse_large(y.nbytes, f"A contiguous copy of {name}", "Pass it contiguous.")
        y = np.ascontiguousarray(y)
    low, high = extremes(y[None], name, slack, n_jobs)
    return _not_negative(y, name) if low < 0 else y, n, high


def as_matrix(table: Any, name: str = "X", *, n_min: int = 1) -> tuple[np.ndarray, float]:
    """Check a matrix that is symmetric up to rounding; returns it and its largest number.

    It is not copied if its rows are contiguous.
    """
    slack = slack_of(table)
    table = _square(table, name, FLOATS, n_min)
    if table.strides[1] != table.itemsize:
        table = _in_order(table, name)
    table, high = _without_rounding(table, name, slack)
    _require_symmetry(table, slack * high, name)
    return table, high


def as_table(
    table: Any,
    name: str = "X",
    *,
    keep: tuple[Any, ...] = FLOATS,
    n_min: int = 1,
    n_jobs: int | None = None,
) -> tuple[np.ndarray, bool]:
    """Check a square matrix; returns it in C order, and whether it is exactly symmetric.

    Both are found in one pass: rows from the diagonal on, with the columns below it.
    """
    slack = slack_of(table)
    table = _square(table, name, keep, n_min)
    if not table.flags.c_contiguous:
        table = _in_order(table, name)
    different = False

    def compare_mirrored(rows: slice) -> bool:
        nonlocal different
        sound, same = kernel.mirrored(table, rows.start, rows.stop, not different)
        different = different or not same
        return sound

    n = len(table)
    blocks = grid(n, least=kernel.MIRROR_ROWS, most=kernel.MIRROR_ROWS)
    sound = all(each(compare_mirrored, blocks, n_jobs=n_jobs, effort=4.0 * n * n))
    if not sound or table.diagonal().any():
        table, _ = _without_rounding(table, name, slack, n_jobs)
    return table, not different


def extremes(
    matrix: np.ndarray, name: str, slack: float, n_jobs: int | None = None
) -> tuple[float, float]:
    """The smallest and the largest number of contiguous rows.

    Refuses numbers that are not finite, or below 0 by more than `slack` times the largest.
    """
    m, n = matrix.shape
    if not matrix.size:
        return 0.0, 0.0
    rows = max(1, NUMBERS_PER_TASK // n)
    pieces = [(i, j) for i in range(0, m, rows) for j in range(0, n, NUMBERS_PER_TASK)]

    def find_extremes(piece: tuple[int, int]) -> tuple[float, float, bool]:
        values = _piece(matrix, rows, piece)
        contiguous = values.flags.c_contiguous
        piece_extremes = [extent(line) for line in ([values.reshape(-1)] if contiguous else values)]
        lows, highs, finites = zip(*piece_extremes, strict=True)
        return min(lows), max(highs), all(finites)

    piece_extremes = each(find_extremes, pieces, n_jobs=n_jobs, effort=2.0 * matrix.size)
    lows, highs, finites = zip(*piece_extremes, strict=True)
    low, high, finite = min(lows), max(highs), all(finites)
    if finite and low >= -slack * high:
        return low, high
    for piece in pieces:
        values = _piece(matrix, rows, piece)
        bad = values < -slack * high if finite else ~np.isfinite(values)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            row, column = piece[0] + int(row), piece[1] + int(column)
            where = f"row {row}, column {column}" if m > 1 else f"position {column}"
            refuse(float(matrix[row, column]), f"first at {where}", name)
    raise AssertionError


def _piece(matrix: Array, rows: int, piece: tuple[int, int]) -> Array:
    i, j = piece
    return matrix[i : i + rows, j : j + NUMBERS_PER_TASK]


def refuse(value: float, where: str, name: str) -> None:
    """Refuse a number that is not a dissimilarity."""
    if value != value:
        raise ValueError(f"{name} contains NaN, {where}. Drop or impute missing values first.")
    if value > 0:
        raise ValueError(f"{name} contains infinity, {where}. Drop, clip or rescale it first.")
    raise ValueError(
        f"{name} has the negative dissimilarity {shown(value)}, {where}. Pass dissimilarities, "
        "which are not negative, not similarities."
    )


def _square(table: Any, name: str, keep: tuple[Any, ...], n_min: int) -> Array:
    table = as_rows(table, name=name, keep=keep, finite=False, n_min=n_min)
    if table.shape[0] == table.shape[1]:
        return table
    raise ValueError(
        f"{name} must be a square matrix of dissimilarities, or its upper triangle as a vector;"
        f" got shape {table.shape}. For rows of features pass a metric, such as 'euclidean'."
    )


def _in_order(table: Array, name: str) -> Array:
    refuse_large(table.nbytes, f"A copy of {name} in the order of rows", "Pass it in C order.")
    return np.ascontiguousarray(table)


def _without_rounding(
    table: Array, name: str, slack: float, n_jobs: int | None = None
) -> tuple[Array, float]:
    """The matrix with rounding errors below 0 and on the diagonal set to 0; its largest number."""
    low, high = extremes(table, name, slack, n_jobs)
    diagonal = table.diagonal()
    if not (np.abs(diagonal) <= slack * high).all():
        row = int((np.abs(diagonal) > slack * high).argmax())
        raise ValueError(
            f"{name} has {shown(float(table[row, row]))} on its diagonal, at row {row}; a "
            "dissimilarity from a row to itself is 0. Pass dissimilarities, not similarities, or "
            "np.fill_diagonal them with 0."
        )
    if low < 0 or diagonal.any():
        table = _not_negative(table, name)
        np.fill_diagonal(table, 0.0)
    return table, high


def _not_negative(values: Array, name: str) -> Array:
    """A copy with negative numbers set to 0."""
    fix = "Set its diagonal, and what is below 0, to 0."
    refuse_large(values.nbytes, f"A copy of {name} without rounding errors", fix)
    return np.maximum(values, 0.0)


def _require_symmetry(table: Array, limit: float, name: str) -> None:
    def compare(pair: tuple[int, int]) -> None:
        a, b = (slice(start, start + TILE_ROWS) for start in pair)
        differences = np.abs(table[a, b] - table[b, a].T)
        if differences.max() > limit:
            i, j = np.unravel_index(int(differences.argmax()), differences.shape)
            i, j = int(i) + a.start, int(j) + b.start
            raise ValueError(
                f"{name} must be symmetric; got {table[i, j]} at row {i}, column {j} but "
                f"{table[j, i]} at row {j}, column {i}. Average it with its transpose."
            )

    pairs = list(combinations_with_replacement(range(0, len(table), TILE_ROWS), 2))
    each(compare, pairs, effort=4.0 * table.size)

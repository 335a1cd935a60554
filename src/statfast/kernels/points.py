# SPDX-License-Identifier: BSD-3-Clause
"""The points a kernel takes, checked: rows of numbers, strings, or a matrix made before."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._validation import as_rows, shown, wrong_type

ROWS, STRINGS, MATRIX = "rows", "strings", "matrix"


def as_points(X: Any, domain: str, kernel: Any, name: str = "X") -> Any:
    """Check points: a C-contiguous float64 array of rows or of a matrix, or a list of strings."""
    if domain == STRINGS:
        return as_strings(X, kernel, name)
    first = next(iter(X), None) if isinstance(X, list | tuple) else None
    kind = getattr(getattr(X, "dtype", None), "kind", "")
    if isinstance(first, str | bytes) or kind in ("U", "S"):
        raise TypeError(
            f"{name} holds strings, and {kernel} takes rows of numbers. Choose a kernel on "
            "strings, such as Spectrum(3)."
        )
    return np.ascontiguousarray(as_rows(X, name=name), np.float64)


def as_strings(X: Any, kernel: Any, name: str = "X") -> list:
    """Check strings: a list, all of them str or all bytes."""
    wanted = "a list of strings, all str or all bytes"
    if isinstance(X, str | bytes | dict | set) or not hasattr(X, "__len__"):
        raise wrong_type(name, wanted, X)
    shape = getattr(X, "shape", (0,))
    if len(shape) != 1:
        raise ValueError(
            f"{name} must be {wanted}; got an array of shape {shape}. {kernel} takes strings: pass "
            "one a point, such as one column, or choose a kernel of rows, such as RBF()."
        )
    if hasattr(X, "to_pylist"):  # pyarrow
        X = X.to_pylist()
    elif hasattr(X, "dtype"):  # numpy, pandas, polars
        X = np.asarray(X).tolist()
    strings = list(X)
    if not strings:
        raise ValueError(f"{name} has 0 sample(s) while a minimum of 1 is required. Pass strings.")
    kind = str if isinstance(strings[0], str) else bytes
    for at, string in enumerate(strings):
        if not isinstance(string, kind):
            raise TypeError(
                f"{name} must be {wanted}, as {kernel} takes strings; got {shown(string)} "
                f"({type(string).__name__}) at {at}. Drop or convert it."
            )
    return strings


def require_alike(A: Any, B: Any, domain: str, kernel: Any) -> None:
    """Refuse points X and Y between which there is no kernel."""
    if domain == ROWS and A.shape[1] != B.shape[1]:
        raise ValueError(
            f"X and Y must have the same columns; got {A.shape[1]} and {B.shape[1]}. "
            "Pass the same features."
        )
    if domain == STRINGS and isinstance(A[0], str) != isinstance(B[0], str):
        raise TypeError("X and Y must both hold str, or both bytes. Encode or decode one of them.")
    if domain == MATRIX and A.shape[1] != len(B):
        raise ValueError(
            f"X must have one column for each of the {len(B)} points of Y, as {kernel} takes the "
            f"values themselves; got shape {A.shape}. Pass the kernel matrix between them."
        )


def require_symmetric(matrix: np.ndarray, what: str, slack: float) -> None:
    """Refuse kernel values of points among themselves that do not form a symmetric matrix.

    They may differ by `slack` times the largest (`slack_of` what was given).
    """
    n = len(matrix)
    if matrix.shape != (n, n):
        raise ValueError(
            f"{what} must be a square matrix; got shape {matrix.shape}. Pass one row and one "
            "column for each point."
        )
    step = max(1, (1 << 18) // n)
    limit = slack * max(float(matrix.max()), -float(matrix.min()))
    for first in range(0, n, step):
        part, mirrored = matrix[first : first + step], matrix[:, first : first + step].T
        with np.errstate(over="ignore"):
            wrong = np.abs(part - mirrored) > limit
        if wrong.any():
            i, j = np.argwhere(wrong)[0] + (first, 0)
            raise ValueError(
                f"{what} must be symmetric; got {matrix[i, j]} at row {i}, column {j} and "
                f"{matrix[j, i]} at row {j}, column {i}. Pass (K + K.T) / 2 if that is meant."
            )

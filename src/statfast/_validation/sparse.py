# SPDX-License-Identifier: BSD-3-Clause
"""Sparse rows: their check, and their preparation for a metric.

A foundation as `_validation` is, which knows dense rows alone: each sparse format becomes CSR with
sorted columns, without duplicates or zeros, in float64. Few methods take such rows; the others keep
to `as_rows`, which refuses them with a sentence.
"""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from statfast._core.rows.sparse_rows import is_canonical
from statfast._typing import Array, csr_array
from statfast._validation.rows import nonfinite

MAX_COLUMNS = 2**31 - 1  # column numbers are 32 bits wide


def is_sparse(X: Any) -> TypeGuard[Any]:
    """Whether X is of a sparse kind (scipy's, or one that looks like it)."""
    kind = type(X)  # The entries of a damaged matrix cannot always be counted.
    return hasattr(kind, "toarray") and hasattr(kind, "nnz")


def as_sparse(X: Any, *, name: str = "X", n_min: int = 1) -> csr_array:
    """Check the parts of a sparse matrix and return it as CSR, its values as they are.

    The parts are checked before scipy's kernels meet them: these trust each index, and write and
    read wherever it points.
    """
    if getattr(X, "ndim", 2) != 2:
        raise ValueError(f"Expected 2D array, got sparse {name} with shape {X.shape}. Reshape it.")
    for count, least, what in zip(X.shape, (n_min, 1), ("sample", "feature"), strict=True):
        if count < least:
            raise ValueError(
                f"{name} has {count} {what}(s) (shape={X.shape}) while a minimum of {least} is "
                f"required. Pass more {'rows' if what == 'sample' else 'columns'}."
            )
    held = getattr(X, "dtype", np.dtype(np.float64))
    if held.kind not in "biufc":
        raise TypeError(f"{name} must hold numbers; got dtype {held}. Convert it first.")
    try:
        fault = _fault(X)
        if not fault:
            matrix = X.tocsr()
            fault = None if matrix is X else _fault(matrix)
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        fault = error
    if fault:
        raise ValueError(f"{name} is a damaged sparse matrix: {fault}. Build it again.")
    # scipy cannot take rows out of a matrix of half precision, or of another byte order.
    kind = np.float32 if matrix.dtype == np.float16 else matrix.dtype.newbyteorder("=")
    if not all(part.flags.aligned for part in (matrix.data, matrix.indices, matrix.indptr)):
        matrix = matrix.copy()
    return matrix.astype(kind, copy=False)


def as_csr(
    X: Any,
    *,
    name: str = "X",
    n_min: int = 1,
    allow_nan: bool = False,
    finite: bool = True,
) -> csr_array:
    """Check a sparse matrix and return it as a canonical float64 scipy.sparse.csr_array (n, d).

    With `allow_nan`, values may be NaN; without `finite`, anything.

    Shares memory with X where nothing has to be changed.
    """
    from scipy.sparse import csr_array

    if _is_sound(X, n_min):
        return csr_array((X.data, X.indices, X.indptr), shape=X.shape)
    matrix = as_sparse(X, name=name, n_min=n_min)
    if X.shape[1] > MAX_COLUMNS:
        raise ValueError(f"{name} must have at most {MAX_COLUMNS} columns; got {X.shape[1]}.")
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {X.dtype}.")
    rows = csr_array(
        (matrix.data.astype(np.float64, copy=False), matrix.indices, matrix.indptr), shape=X.shape
    )
    wrong = np.isinf(rows.data) if allow_nan else ~np.isfinite(rows.data)
    if finite and wrong.any():
        at = int(wrong.argmax())
        row = int(np.searchsorted(rows.indptr, at, side="right")) - 1
        raise nonfinite(rows.data[at], name, row, rows.indices[at])
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    if not rows.data.all():
        rows = rows.copy()
        rows.eliminate_zeros()
    return rows


def compress_rows(rows: Array) -> csr_array:
    """Dense rows (n, d) in CSR form, as ``csr_array(rows)``, in a third of its time."""
    from scipy.sparse import csr_array

    n, d = rows.shape
    stored = rows != 0
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.count_nonzero(stored, axis=1), out=starts[1:])
    kind = np.int32 if max(int(starts[-1]), d) <= MAX_COLUMNS else np.int64
    columns = np.broadcast_to(np.arange(d, dtype=kind), (n, d))[stored]
    return csr_array((rows[stored], columns, starts.astype(kind)), shape=(n, d))


def _is_sound(X: Any, n_min: int) -> bool:
    """Whether X is a CSR matrix of which nothing is to be changed, as most are: one look."""
    if getattr(X, "format", None) != "csr" or X.ndim != 2 or not n_min <= X.shape[0] <= MAX_COLUMNS:
        return False
    start, place, value = X.indptr, X.indices, X.data
    plain = all(
        type(part) is np.ndarray and part.flags.c_contiguous and part.flags.aligned
        for part in (start, place, value)
    )
    return (
        plain
        and value.dtype == np.float64
        and start.dtype == place.dtype
        and place.dtype in (np.int32, np.int64)
        and 1 <= X.shape[1] <= MAX_COLUMNS
        and start.shape == (X.shape[0] + 1,)
        and place.shape == value.shape == (start[-1],)
        and start[0] == 0
        and bool((start[1:] >= start[:-1]).all())
        and is_canonical(start, place, value, X.shape[1])
    )


def _fault(X: Any) -> str | None:
    """What is wrong with the parts of a matrix, if they do not fit each other or its shape."""
    n, d = X.shape
    match getattr(X, "format", None):
        case "csr":
            return _fault_of_lines(X, n, d)
        case "csc":
            return _fault_of_lines(X, d, n)
        case "bsr":
            high, wide = X.data.shape[1:] if X.data.ndim == 3 else (0, 0)
            if not (high and wide) or n % high or d % wide:
                return f"blocks of shape {X.data.shape[1:]} do not tile {X.shape}"
            return _fault_of_lines(X, n // high, d // wide)
        case "coo":
            if not X.row.shape == X.col.shape == X.data.shape:
                return "row, col and data differ in length"
            return _fault_of_places(X.row, n, "row") or _fault_of_places(X.col, d, "col")
        case "dia":
            if X.data.ndim != 2 or X.offsets.shape != X.data.shape[:1]:
                return "data must have one row for each of the offsets"
        case "lil":
            if len(X.rows) != n or [*map(len, X.rows)] != [*map(len, X.data)]:
                return "rows and data differ in length"
    return None


def _fault_of_lines(X: Any, n: int, d: int) -> str | None:
    """The same for n lines, one after another, of indices below d."""
    start, place = X.indptr, X.indices
    if start.shape != (n + 1,) or start.dtype.kind not in "iu":
        return f"indptr must hold {n + 1} integers; got {start.dtype} of shape {start.shape}"
    if start[0] != 0 or (start[1:] < start[:-1]).any():
        return "indptr must start with 0 and never fall"
    if place.shape != X.data.shape[:1] or start[-1] > len(place):
        return (
            f"indptr ends with {start[-1]}, but there are {len(place)} indices and "
            f"{len(X.data)} values"
        )
    return _fault_of_places(place[: start[-1]], d, "indices")


def _fault_of_places(place: Array, d: int, what: str) -> str | None:
    if place.dtype.kind not in "iu":
        return f"{what} must be integers; got {place.dtype}"
    if len(place) and (place.min() < 0 or place.max() >= d):
        return f"{what} must be between 0 and {d - 1}; got {place.min()} to {place.max()}"
    return None


def parts_of(rows: csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Starts, columns and values as kernels take them."""
    return (
        rows.indptr.astype(np.intp, copy=False),
        rows.indices.astype(np.int32, copy=False),
        rows.data,
    )


def require_counts(rows: Any) -> None:
    """Refuse negative values of dense or CSR rows."""
    values = rows.data if is_sparse(rows) else rows
    if values.dtype.kind == "u" or not values.size or not values.min() < 0:
        return
    if is_sparse(rows):
        at = int((values < 0).argmax())
        row, column = int(np.searchsorted(rows.indptr, at, "right")) - 1, rows.indices[at]
        value = values[at]
    else:
        row, column = np.argwhere(values < 0)[0]
        value = values[row, column]
    raise ValueError(
        f"X must not be negative; got {value} at row {row}, column {column}. Negative values in "
        "data are not counts: shift or drop them first."
    )

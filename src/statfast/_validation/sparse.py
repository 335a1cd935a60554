# SPDX-License-Identifier: BSD-3-Clause
"""Sparse rows: their check, and their preparation for a metric.

A foundation as `_validation` is, which knows dense rows alone: each sparse format becomes CSR with
sorted columns, without duplicates or zeros, in float64. Few methods take such rows; the others keep
to `as_rows`, which refuses them with a sentence.
"""

from typing import Any

import numpy as np

from statfast._core import sparse as kernel
from statfast._distances import EUCLIDEAN, MANHATTAN, Metric, refuse_empty
from statfast._validation import explain_nonfinite

WIDEST = 2**31 - 1  # column numbers are 32 bits wide


def is_sparse(X: Any) -> bool:
    """Whether X is of a sparse kind (scipy's, or one that looks like it)."""
    return hasattr(X, "toarray") and hasattr(X, "nnz")


def as_csr(X: Any, *, name: str = "X", n_min: int = 1):
    """Check a sparse matrix and return it as a canonical float64 scipy.sparse.csr_array (n, d).

    Shares memory with X where nothing has to be changed.
    """
    from scipy.sparse import csr_array

    if getattr(X, "ndim", 2) != 2:
        raise ValueError(f"Expected 2D array, got sparse {name} with shape {X.shape}. Reshape it.")
    for count, least, what in zip(X.shape, (n_min, 1), ("sample", "feature"), strict=True):
        if count < least:
            raise ValueError(
                f"{name} has {count} {what}(s) (shape={X.shape}) while a minimum of {least} is "
                f"required. Pass more {'rows' if what == 'sample' else 'columns'}."
            )
    if X.shape[1] > WIDEST:
        raise ValueError(f"{name} must have at most {WIDEST} columns; got {X.shape[1]}.")
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {X.dtype}.")
    if X.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers; got dtype {X.dtype}. Convert it first.")
    given = X.tocsr()
    rows = csr_array(
        (given.data.astype(np.float64, copy=False), given.indices, given.indptr), shape=X.shape
    )
    if not np.isfinite(rows.data).all():
        at = int((~np.isfinite(rows.data)).argmax())
        row = int(np.searchsorted(rows.indptr, at, side="right")) - 1
        wrong = np.zeros((row + 1, int(rows.indices[at]) + 1))
        wrong[-1, -1] = rows.data[at]
        explain_nonfinite(wrong, name)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    if not rows.data.all():
        rows = rows.copy()
        rows.eliminate_zeros()
    return rows


def parts_of(rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Starts, columns and values as kernels take them."""
    return (
        rows.indptr.astype(np.intp, copy=False),
        rows.indices.astype(np.int32, copy=False),
        rows.data,
    )


def prepared(metric: Metric, rows, *, name: str = "X"):
    """`Metric.prepare` for checked sparse rows, which gives the very numbers it gives dense ones.

    Raises ValueError if the metric is none that leaves zeros zeros: not one of Euclidean, squared
    Euclidean, Manhattan (weighted or not) and cosine; and for cosine if a row is zero.
    """
    from scipy.sparse import csr_array

    factor = metric.factor
    if metric.kind not in (EUCLIDEAN, MANHATTAN) or (factor is not None and factor.ndim == 2):
        sparse = False
    else:
        sparse = metric.name != "correlation"
    if not sparse:
        raise ValueError(
            f"The metric {metric.name!r} takes dense rows; {name} is sparse. Choose 'euclidean', "
            f"'manhattan' or 'cosine', or pass {name}.toarray()."
        )
    if metric.name != "cosine" and factor is None:
        return rows
    start, column, value = parts_of(rows)
    if metric.name == "cosine":
        count = np.diff(start)
        refuse_empty(count == 0, "of zeros", "cosine", name)
        row = np.repeat(np.arange(len(count)), count)
        largest = np.maximum.reduceat(np.abs(value), start[:-1])
        value = np.ldexp(value, -np.frexp(largest)[1][row])
        squares = np.empty(len(count))
        kernel.sizes(start, column, value, rows.shape[1], EUCLIDEAN, squares)
        value = value / np.sqrt(squares)[row]
    elif factor is not None:
        value = value * factor[column]
    image = csr_array((value, rows.indices, rows.indptr), shape=rows.shape)
    if not value.all():  # what underflowed, and columns of weight 0
        image = image.copy()
        image.eliminate_zeros()
    return image

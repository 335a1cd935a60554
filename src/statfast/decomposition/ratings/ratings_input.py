# SPDX-License-Identifier: BSD-3-Clause
"""Ratings as they are given, checked: sparse, or dense where all are known."""

import numpy as np

from statfast._validation import as_rows, as_sparse, explain_nonfinite, is_sparse, shown, to_array


def known_ratings(X, implicit):
    """The ratings as CSR, explicit zeros among them."""
    from scipy.sparse import csr_array

    if not is_sparse(X):
        dense = as_rows(X)
        n, m = dense.shape
        starts = np.arange(0, n * m + 1, m)
        places = np.tile(np.arange(m, dtype=np.int32), n)
        data = np.ascontiguousarray(dense, dtype=np.float64).ravel()
        rows = csr_array((data, places, starts), shape=(n, m))
    else:
        sparse = as_sparse(X)
        if sparse.dtype.kind not in "biuf":
            raise TypeError(f"X must hold numbers; got dtype {sparse.dtype}. Convert it first.")
        rows = csr_array(
            (sparse.data.astype(np.float64, copy=False), sparse.indices, sparse.indptr),
            shape=sparse.shape,
        )
        if rows.nnz:
            explain_nonfinite(rows.data, "X")
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
    if implicit:
        if rows.nnz and rows.data.min() < 0.0:
            raise ValueError(
                f"X must not be negative where implicit=True; got {rows.data.min():g}."
            )
        if not rows.data.all():
            rows = rows.copy()
            rows.eliminate_zeros()
    return rows


def as_places(values, count, name):
    """Rows or columns of the fit, as integers."""
    places = to_array(values, name, "a list of integers")
    if places.ndim != 1 or places.dtype.kind not in "iu":
        raise TypeError(f"{name} must be a list of integers; got {shown(values)}.")
    if len(places) and (places.min() < 0 or places.max() >= count):
        raise ValueError(
            f"{name} must be between 0 and {count - 1}; got {places.min()} to {places.max()}."
        )
    return places

# SPDX-License-Identifier: BSD-3-Clause
"""Eigenvalues and eigenvectors of symmetric matrices, largest first, and the rule of signs."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._engine import interruptible
from statfast._typing import Array

# Up to so many columns, all eigenvectors cost less than a choice of few.
MAX_COLUMNS_OF_ALL_VECTORS = 96
# A longer call of scipy.linalg, which holds Python's lock, would delay Ctrl-C.
MAX_COLUMNS_OF_SCIPY = 1000


def eigenvalues(matrix: Array) -> Any:
    """All eigenvalues of a symmetric matrix, descending, not below 0."""
    return _call(np.linalg.eigvalsh, matrix)[::-1].clip(0.0)


def largest_eigen(matrix: Array, k: int) -> tuple[Array, Array]:
    """The k largest eigenvalues (k,), descending, and their eigenvectors as rows (k, d)."""
    d = len(matrix)
    if MAX_COLUMNS_OF_ALL_VECTORS < d <= MAX_COLUMNS_OF_SCIPY and 4 * k < d:
        from scipy.linalg import eigh

        values, vectors = eigh(matrix, subset_by_index=(d - k, d - 1), check_finite=False)
    else:
        values, vectors = _call(np.linalg.eigh, matrix)
    values, vectors = values[::-1][:k], vectors[:, ::-1][:, :k]
    return values.clip(0.0), np.ascontiguousarray(vectors.T)


def _call(function: Any, matrix: Array) -> Any:
    return (
        function(matrix)
        if len(matrix) <= MAX_COLUMNS_OF_ALL_VECTORS
        else interruptible(function, matrix)
    )


def fix_signs(vectors: Array) -> Array:
    """Rows with their largest entry, the first of those alike, positive: scikit-learn's rule."""
    if vectors.size == 0:
        return vectors
    largest = np.abs(vectors).argmax(axis=1)
    negative = vectors[np.arange(len(vectors)), largest] < 0.0
    return np.where(negative[:, None], -vectors, vectors)


def complete_basis(vectors: Array, live: Array) -> Array:
    """Orthonormal rows: those that are live stay, the others become any that complete them."""
    d, kept = vectors.shape[1], vectors[live]
    if live.all():
        return vectors
    out = vectors.copy()
    wanted = np.flatnonzero(~live)
    known, j = list(kept), 0
    for place in wanted.tolist():
        while True:  # Unit vectors that are not in the span complete the basis.
            new = np.zeros(d)
            new[j] = 1.0
            j += 1
            for _ in range(2):
                for basis in (np.asarray(known),) if known else ():
                    new -= basis.T @ (basis @ new)
            length = np.sqrt(new @ new)
            if length > 0.5 / np.sqrt(d):
                break
        out[place] = new / length
        known.append(out[place])
    return out

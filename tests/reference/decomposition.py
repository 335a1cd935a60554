# SPDX-License-Identifier: BSD-3-Clause
"""Principal components by definition: the singular value decomposition of centered rows."""

import numpy as np


def components(X, weights=None, *, correlation=False, center=True):
    """Singular values and right singular vectors of the rows; an integer weight repeats a row."""
    X = np.asarray(X, dtype=np.longdouble)
    w = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.longdouble)
    mass = w.sum()
    Z = X - (w @ X) / mass if center else X
    if correlation:
        spread = np.sqrt((w @ Z**2) / (mass - 1))
        Z = Z / np.where(spread > 0, spread, 1)
    _, s, V = np.linalg.svd((np.sqrt(w)[:, None] * Z).astype(np.float64), full_matrices=False)
    return s, signed(V)


def signed(V):
    """The entry largest in size of each row is positive."""
    for v in V:
        if v[np.abs(v).argmax()] < 0:
            v *= -1
    return V


def singular_values(X, digits=50):
    """Those of centered rows, in so many digits: eigenvalues of the Gram matrix of columns."""
    import mpmath

    with mpmath.workdps(digits):
        rows = mpmath.matrix([[mpmath.mpf(float(x)) for x in row] for row in X])
        n, d = rows.rows, rows.cols
        for j in range(d):
            mean = sum(rows[i, j] for i in range(n)) / n
            for i in range(n):
                rows[i, j] -= mean
        gram = rows.T * rows
        values = mpmath.eigsy(gram, eigvals_only=True)
        return np.array([float(mpmath.sqrt(max(v, 0))) for v in values])[::-1]


def reconstruction_errors(X, k):
    """Squared distances of rows from their projections on k components."""
    Z = X - X.mean(0)
    V = components(X)[1][:k]
    return ((Z - Z @ V.T @ V) ** 2).sum(1)

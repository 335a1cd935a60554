# SPDX-License-Identifier: BSD-3-Clause
"""Rows, offsets and the linear predictor: what fitting and prediction have in common."""

import numpy as np

from statfast._blocks import reduce
from statfast._chunks import Chunks
from statfast._core.irls import predict as kernel_predict
from statfast._sparse import as_csr, is_sparse
from statfast._validation import FLOATS, as_rows, explain_nonfinite, require_finite, rows_for


def rows_of(X):
    """Rows to fit: dense (not yet searched for NaN), CSR, or `Chunks`."""
    if isinstance(X, Chunks):
        return X
    if is_sparse(X):
        return as_csr(X)
    return as_rows(X, keep=FLOATS, finite=False)


def new_rows(estimator, X):
    """Rows to predict, of the width fitted."""
    if not is_sparse(X):
        return rows_for(estimator, X, keep=FLOATS, finite=False)
    rows = as_csr(X)
    rows_for(estimator, np.zeros((1, rows.shape[1])))  # for its sentences
    return rows


def offsets_for(offset, n, *, name="offset"):
    """Check what is added to the linear predictor: float64 (n,), or None."""
    if offset is None:
        return None
    values = np.asarray(offset)
    if values.ndim == 0:
        values = np.full(n, values)
    if values.shape != (n,):
        raise ValueError(
            f"{name} must have shape ({n},), one number per row of X; got {values.shape}."
        )
    values = np.ascontiguousarray(as_rows(values[:, None], name=name, keep=(np.float64,))[:, 0])
    return values


def exposures_for(exposure, n):
    """The offset that goes with an exposure: its logarithm."""
    values = offsets_for(exposure, n, name="exposure")
    if values is not None and (values <= 0).any():
        raise ValueError(
            f"exposure must be positive; got {values.min()} at row {values.argmin()}. Leave out "
            "rows without exposure."
        )
    return None if values is None else np.log(values)


def linear_predictor(rows, coef, intercept, offset=None, n_jobs=None):
    """``offset + intercept + rows @ coef`` in float64; `rows` dense or CSR, `coef` (p,)."""
    if hasattr(rows, "indptr"):
        return rows @ coef + intercept + (0.0 if offset is None else offset)
    out = np.empty(len(rows))
    b = np.append(intercept, coef)
    zero = np.zeros(len(coef))

    def partial(where, block, shift):
        kernel_predict(block, zero, True, b, shift, out[where])

    effort = 4.0 * rows.shape[0] * rows.shape[1]
    with np.errstate(over="ignore", invalid="ignore"):
        reduce(partial, rows, offset, merge=lambda a, b: None, n_jobs=n_jobs, effort=effort)
    if not np.isfinite(out).all():
        require_finite(rows)
        explain_nonfinite(out, "The linear predictor")
    return out

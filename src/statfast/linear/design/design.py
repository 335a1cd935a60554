# SPDX-License-Identifier: BSD-3-Clause
"""Rows, offsets and the linear predictor: what fitting and prediction have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.linear.irls import predict as kernel_predict
from statfast._engine import Chunks, reduce
from statfast._typing import Array, Jobs, Matrix, Rows
from statfast._validation import (
    FLOATS,
    as_csr,
    as_rows,
    as_type,
    is_sparse,
    require_finite,
    rows_for,
    warn_user,
)

MAX_OFFSET = 1e100  # Larger offsets are refused.
RANGE_OF_RESPONSES = 1e-160, 1e140  # Within this range the squares of responses can be summed.
MAX_FILLED = 200_000  # Sparse rows of no more numbers than this are made dense.
INFERENCE_COLUMNS = 4000  # Up to so many sparse columns, matrices of all of them serve inference.
MAX_NUMBERS_OF_ONE_PRODUCT = 4096  # Up to here one BLAS product is the quickest.
NUMBERS_OF_BLOCK = 65536  # A call on a block of so many numbers takes 10 us or more.


def rows_of(X: Any) -> Matrix:
    """Rows to fit: dense (not yet searched for NaN), CSR, or `Chunks`."""
    if isinstance(X, Chunks):
        return X
    if is_sparse(X):
        return as_csr(X)
    return as_rows(X, keep=FLOATS, finite=False)


def table_of(X: Any, n_min: int = 1, finite: bool = True) -> Matrix:
    """Rows to fit that lie in memory, dense or CSR; `finite` as in `as_rows`."""
    return as_csr(X, n_min=n_min) if is_sparse(X) else as_rows(X, n_min=n_min, finite=finite)


def dense_if_small(rows: Matrix) -> Matrix:
    """CSR rows as an array, if they have few numbers, zeros counted."""
    is_small = hasattr(rows, "indptr") and rows.shape[0] * rows.shape[1] <= MAX_FILLED
    return rows.toarray() if is_small else rows


def dense_blocks(rows: Any) -> Any:
    """CSR rows as `Chunks` of arrays, made as they are read."""
    step = max(1024, 8 * rows.shape[1])
    return Chunks(lambda: (rows[i : i + step].toarray() for i in range(0, rows.shape[0], step)))


def has_no_columns(X: Any) -> bool:
    """Whether X is a table without columns."""
    shape = getattr(X, "shape", None)
    return isinstance(shape, tuple) and shape[1:] == (0,)


def new_rows(estimator: Any, X: Any, finite: bool = False) -> Matrix:
    """Rows to predict, of the width fitted."""
    if has_no_columns(X) and estimator.__dict__.get("n_features_in_") == 0:
        return np.zeros((X.shape[0], 0))  # The model has an intercept alone.
    if not is_sparse(X):
        return rows_for(estimator, X, keep=FLOATS, finite=finite)
    rows = as_csr(X)
    rows_for(estimator, np.zeros((1, rows.shape[1])))  # Refuses another width or names.
    return rows


def offsets_for(offset: Any, n: int, *, name: str = "offset") -> Array | None:
    """Check what is added to the linear predictor: float64 (n,), or None."""
    if offset is None:
        return None
    try:
        values = np.asarray(offset)
    except ValueError as error:
        raise ValueError(f"{name} should be a 1-d array of numbers: {error}") from error
    if values.ndim == 0:
        values = np.full(n, values)
    if values.shape != (n,):
        raise ValueError(
            f"{name} must have shape ({n},), one number per row of X; got {values.shape}."
        )
    values = np.ascontiguousarray(as_rows(values[:, None], name=name, keep=(np.float64,))[:, 0])
    if np.abs(values).max() > MAX_OFFSET:
        raise ValueError(f"{name} must be within {MAX_OFFSET:g} of 0. Divide it by a constant.")
    return values


def require_squares(y: Array) -> None:
    """Raise ValueError if squares of responses overflow or vanish."""
    size, (low, high) = float(np.abs(y).max()), RANGE_OF_RESPONSES
    if not (size == 0.0 or low <= size <= high):
        raise ValueError(
            f"The largest size in y must be between {low:g} and {high:g}, so that its squares are "
            f"numbers; got {size:.3g}. Scale y."
        )


def exposures_for(exposure: Array | list[Any] | None, n: int) -> Any:
    """The offset that goes with an exposure: its logarithm."""
    values = offsets_for(exposure, n, name="exposure")
    if values is not None and (values <= 0).any():
        raise ValueError(
            f"exposure must be positive; got {values.min()} at row {values.argmin()}. Leave out "
            "rows without exposure."
        )
    return None if values is None else np.log(values)


def added_offset(link: Any, offset: Any, exposure: Any, n: int) -> Array | None:
    """What is added to the linear predictor of n rows: an offset, an exposure, both or None."""
    offset, exposure = offsets_for(offset, n), exposures_for(exposure, n)
    if exposure is None:
        return offset
    if link.name != "log":
        raise ValueError(f"exposure goes with the link 'log'; got {link.name!r}. Use offset.")
    return exposure if offset is None else offset + exposure


def row_arguments(weights: Any = None, offset: Any = None, exposure: Any = None) -> tuple[Any, ...]:
    """Names of the arguments of a fit that rows have each for themselves, as far as they matter."""
    rows = {
        "sample_weight": weights is not None and bool((np.asarray(weights) != 1).any()),
        "offset": offset is not None and bool(np.asarray(offset).any()),
        "exposure": exposure is not None and bool((np.asarray(exposure) != 1).any()),
    }
    return tuple(name for name, matters in rows.items() if matters)


def has_offset(model: Any) -> bool:
    """Whether a model was fitted with an offset or an exposure."""
    return bool({"offset", "exposure"} & set(model.__dict__.get("_row_arguments", ())))


def warn_no_offset(model: Any) -> None:
    """Say that a model fitted with an offset predicts without one."""
    kind = "exposure" if "exposure" in model._row_arguments else "offset"
    warn_user(
        f"{type(model).__name__} was fitted with an offset; without one the prediction assumes 0. "
        f"Pass {kind}."
    )


def linear_predictor(
    rows: Matrix, coef: Array, intercept: float, offset: Any = None, n_jobs: Jobs = None
) -> Array:
    """``offset + intercept + rows @ coef`` in float64; `rows` dense or CSR, `coef` (p,)."""
    return linear_values(rows, coef, intercept, offset, n_jobs, dtype=np.float64)


def linear_values(
    rows: Matrix,
    coef: Array,
    intercept: Array | float,
    offset: Any = None,
    n_jobs: Jobs = None,
    *,
    dtype: type[Any] | None = None,
) -> Array:
    """``offset + intercept + rows @ coef'`` for coef of shape (p,) or (T, p).

    `rows` are dense or CSR. Summed in double, with the same bits however the rows lie in memory,
    and returned in the type of the rows or `dtype`.
    """
    added = intercept if offset is None else intercept + offset
    if hasattr(rows, "indptr"):
        with np.errstate(over="ignore", invalid="ignore"):
            values = rows @ coef.T + added
        return as_type(values, np.float64)
    dtype = rows.dtype if dtype is None else dtype
    if rows.size <= MAX_NUMBERS_OF_ONE_PRODUCT:
        wide = np.ascontiguousarray(rows, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            values = wide @ coef.T + added
        return _of_finite(rows, values, dtype)
    out = np.empty((len(rows), *coef.T.shape[1:]), dtype=dtype)
    if coef.ndim == 2:

        def fill_targets(where: slice, block: Array) -> None:
            out[where] = block.astype(np.float64, copy=False) @ coef.T + intercept

        partial, aligned = fill_targets, ()
    else:
        b, zero = np.append(intercept, coef), np.zeros(len(coef))

        def fill_target(where: slice, block: Array, shift: Any) -> None:
            to = np.empty(len(block))
            kernel_predict(block, zero, True, b, shift, to)
            out[where] = to

        partial, aligned = fill_target, (offset,)
    effort, least = 4.0 * rows.size, max(256, NUMBERS_OF_BLOCK // max(rows.shape[1], 1))
    with np.errstate(over="ignore", invalid="ignore"):
        reduce(
            partial, rows, *aligned, merge=lambda a, b: None, n_jobs=n_jobs, effort=effort,
            least=least,
        )  # fmt: skip
    return _of_finite(rows, out, dtype)


def _of_finite(rows: Array, values: Array, dtype: np.dtype[Any] | type[Any]) -> Array:
    """Values in their type; if one is not a number, rows that are none are named first."""
    if not np.isfinite(values).all():
        require_finite(rows)
    elif values.dtype == dtype:
        return values
    return as_type(values, dtype)


def line_of(model: Any) -> tuple[Array, Any]:
    """Coefficients and intercept of a model with all digits, whatever the type of its rows."""
    return vars(model)["coef_"], vars(model)["intercept_"]


class LinearPredictor:
    """Mixin: ``predict`` from ``coef_`` and ``intercept_``."""

    coef_: Any
    intercept_: Any

    def predict(self, X: Rows) -> Array:
        """Predict.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        ndarray of shape (m,), or (m, T) if y was 2-d
            float32 if X is.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X has another width than at fit, or holds NaN or infinity, or if a prediction is too
            large for the type of X.
        """
        return self._means_of(self._rows_to_predict(X))

    def _rows_to_predict(self, X: Rows) -> Matrix:
        return new_rows(self, X, finite=True)

    def _means_of(self, rows: Matrix) -> Array:
        return linear_values(rows, *line_of(self))


class AcceptsSparse:
    """Mixin: tells scikit-learn that rows to fit may be sparse."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        return tags

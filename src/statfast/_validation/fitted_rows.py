# SPDX-License-Identifier: BSD-3-Clause
"""Rows for an estimator that is fitted: they have the columns of those of ``fit``."""

from __future__ import annotations

from math import isfinite
from typing import Any, Literal, overload

import numpy as np

from statfast._typing import Array
from statfast._validation.errors import not_fitted, warn_user
from statfast._validation.rows import (
    _FLOAT64,
    _MAX_DOT_VALUES,
    FLOATS,
    as_rows,
    column_names,
    require_finite,
)
from statfast._validation.sparse import as_csr, is_sparse


@overload
def rows_for(
    estimator: Any, X: Any, *, name: str = "X", keep: tuple[type, ...] = FLOATS, n_min: int = 1,
    finite: bool = True, named: bool = True, sparse: Literal[False] = False,
) -> Array: ...  # fmt: skip


@overload
def rows_for(
    estimator: Any, X: Any, *, name: str = "X", keep: tuple[type, ...] = FLOATS, n_min: int = 1,
    finite: bool = True, named: bool = True, sparse: bool,
) -> Any: ...  # fmt: skip


def rows_for(
    estimator: Any,
    X: Any,
    *,
    name: str = "X",
    keep: tuple[type, ...] = FLOATS,
    n_min: int = 1,
    finite: bool = True,
    named: bool = True,
    sparse: bool = False,
) -> Any:
    """`as_rows` for a fitted estimator: the width and the column names must be those of ``fit``;
    names are not looked at where `named` is False, as of what ``transform`` gave. With `sparse`,
    sparse rows are `as_csr`; without it they are refused."""
    fitted = estimator.__dict__
    # A few rows of float64 take under a microsecond: the latency of predict is decided here.
    # A sum of squares is finite only if every value is; where it overflows, the long way decides.
    if (
        type(X) is np.ndarray
        and X.dtype is _FLOAT64
        and X.ndim == 2
        and n_min * X.shape[1] <= X.size <= _MAX_DOT_VALUES
        and X.shape[1] == fitted.get("n_features_in_")
        and "feature_names_in_" not in fitted
        and X.flags.aligned
        and isfinite(np.vdot(X, X))
    ):
        return X
    if "n_features_in_" not in fitted:
        raise not_fitted(estimator)
    if sparse and is_sparse(X):
        rows = as_csr(X, name=name, n_min=n_min, allow_nan=not finite)
        require_width(estimator, rows, name)
        return rows
    if named:
        compare_names(estimator, X, name)
    table = as_rows(X, name=name, keep=keep, n_min=n_min, finite=False)
    require_width(estimator, table, name)
    if finite:
        require_finite(table, name)
    return table


def require_width(estimator: Any, rows: Any, name: str = "X") -> None:
    """Refuse a table of another number of columns than that of ``fit``."""
    if rows.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"{name} has {rows.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )


def compare_names(estimator: Any, X: Any, name: str = "X") -> None:
    """Warn of, or refuse, column names other than those of ``fit``."""
    seen = estimator.__dict__.get("feature_names_in_")
    names = column_names(X)
    model = type(estimator).__name__
    if seen is None and names is not None:
        warn_user(f"{name} has feature names, but {model} was fitted without feature names")
    elif seen is not None and names is None:
        warn_user(
            f"{name} does not have valid feature names, but {model} was fitted with feature names"
        )
    elif seen is not None and names is not None and not np.array_equal(names, seen):
        unseen, missing = sorted(set(names) - set(seen)), sorted(set(seen) - set(names))
        text = "The feature names should match those that were passed during fit.\n"
        if unseen:
            text += "\n- ".join(["Feature names unseen at fit time:", *unseen[:5]]) + "\n"
        if missing:
            text += "\n- ".join(["Feature names seen at fit time, yet now missing:", *missing[:5]])
        if not unseen and not missing:
            text += "Feature names must be in the same order as they were in fit."
        raise ValueError(text.rstrip("\n") + "\n")

# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of kernel values or distances between rows: a subset of rows takes the same columns.

An estimator says that it takes one, as do those that wrap it: scikit-learn's tag ``pairwise``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._estimator.member_rows import take_columns, take_rows

NAMED = ("metric", "kernel", "affinity")  # The parameters that may be "precomputed".


class PairwiseRows:
    """Mixin of estimators, which say whether X is to hold values between rows."""

    @property
    def _is_pairwise(self) -> bool:
        """Whether a parameter asks for such values, or an estimator inside does."""
        values = [getattr(self, name, None) for name in NAMED]
        if any(isinstance(value, str) and value == "precomputed" for value in values):
            return True
        return is_pairwise(getattr(self, "estimator", None))


def is_pairwise(estimator: Any) -> bool:
    """Whether X is to hold a value between each row and each row of the fit."""
    if estimator is None or isinstance(estimator, type | str):
        return False
    # The tags say the same, but asking for them imports scikit-learn.
    if isinstance(estimator, PairwiseRows):
        return estimator._is_pairwise
    try:
        return bool(estimator.__sklearn_tags__().input_tags.pairwise)
    except (AttributeError, ImportError):
        return False


def as_square(X: Any, estimator: Any) -> Any:
    """A matrix of values between rows, of which rows are to be cut with their columns."""
    X = X if hasattr(X, "shape") else np.asarray(X)
    if len(X.shape) != 2 or X.shape[0] != X.shape[1]:
        raise ValueError(
            f"X should be a square matrix for {type(estimator).__name__}, of the values between "
            f"all pairs of rows, as it is computed before; got shape {tuple(X.shape)}. Pass them, "
            "or an estimator that takes rows."
        )
    return X


def columns_of(X: Any, places: Any) -> Any:
    """The columns of some rows of the fit; None is all of them."""
    if places is None:
        return X
    if isinstance(X, list | tuple):
        return take_columns(np.asarray(X), places)
    if hasattr(X, "get_columns") and len(np.unique(places)) < len(places):
        X = X.to_numpy()  # Polars cannot have two columns of the same name.
    return take_columns(X, places)


def between(X: Any, places: Any) -> Any:
    """Values between some rows; None is all of them."""
    return columns_of(take_rows(X, places), places)

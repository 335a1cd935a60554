# SPDX-License-Identifier: BSD-3-Clause
"""Members of ensembles, which are estimators of any library: checks, copies, seeds and rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._estimator import ROW_DTYPES, NamedRows, copied, named_rows, takes_weights, width_of
from statfast._typing import Array
from statfast._validation import (
    FitFailedWarning,
    as_rows,
    categorical_mask,
    column_names,
    is_sparse,
    shown,
    warn_user,
)
from statfast.tree.cart.model import CartModel

UNFITTED = (ValueError, ArithmeticError)  # exceptions of a member that cannot be fitted to its rows


def as_learner(estimator: Any, name: str) -> Any:
    """An estimator, not a class, that has ``fit`` and ``predict``."""
    if isinstance(estimator, type) or not (
        callable(getattr(estimator, "fit", None)) and callable(getattr(estimator, "predict", None))
    ):
        raise TypeError(
            f"{name} must have fit and predict; got {shown(estimator)}. Pass an instance, such as "
            "DecisionTreeClassifier()."
        )
    return estimator


def require_weighted(estimator: Any) -> None:
    """Raise TypeError unless ``fit`` takes sample_weight."""
    if not takes_weights(estimator):
        raise TypeError(
            f"estimator must take sample_weight; {type(estimator).__name__}.fit does not. Choose "
            "another, or resample."
        )


def warn_unfitted(name: str, n_members: Any, n_rounds: int, reason: Any) -> None:
    """Warn that boosting ends with the members so far, as the next one could not be fitted."""
    warn_user(
        f"{name} ends after {n_members} of {n_rounds} rounds, as the next member could not be "
        f"fitted to the weights it had: {reason} Lower n_estimators, or choose another estimator.",
        FitFailedWarning,
    )


def seeded(estimator: Any, rng: np.random.Generator) -> Any:
    """A copy, with a ``random_state`` drawn for it where it has one and none was set."""
    member = copied(estimator)
    if hasattr(member, "get_params") and "random_state" in member.get_params(deep=False):
        member.set_params(random_state=int(rng.integers(2**31 - 1)))
    return member


def one_thread(member: Any) -> Any:
    """The member, with ``n_jobs=1`` if it has that parameter, as other members use the threads."""
    if hasattr(member, "get_params") and "n_jobs" in member.get_params(deep=False):
        member.set_params(n_jobs=1)
    return member


def rows_for_all(rows: Any, estimator: Any) -> Any:
    """Rows for all members; for trees, a data frame or objects of numbers become an array once.

    A data frame with columns of categories stays as it is, as trees take these from it.
    """
    if not isinstance(estimator, CartModel) or is_sparse(rows) or array_of(rows) is not None:
        return rows
    if estimator.__sklearn_is_fitted__():
        categorical = estimator._columns is not None
    else:
        wanted = estimator.categorical_features
        categorical = categorical_mask(rows, wanted, width_of(rows, None)).any()
    if categorical:
        return rows
    return named_rows(as_rows(rows, keep=ROW_DTYPES, finite=False), column_names(rows))


def array_of(rows: Any) -> Array | None:
    """Rows of numbers as an ndarray; None for all other rows."""
    rows = rows.rows if isinstance(rows, NamedRows) else rows
    return rows if isinstance(rows, np.ndarray) and rows.dtype in ROW_DTYPES else None

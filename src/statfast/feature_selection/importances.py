# SPDX-License-Identifier: BSD-3-Clause
"""How important a fitted model holds each column to be: its coefficients or importances."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np

from statfast._estimator import checked_by, copied, takes_weights
from statfast._typing import Array
from statfast._validation import as_estimator, is_sparse, wrong_type


def as_getter(value: Any, name: str) -> Any:
    """Check what tells the importances of a fitted model: an attribute, or a function."""
    if not (isinstance(value, str) or callable(value)):
        raise wrong_type(name, "'auto', the name of an attribute, or a function", value)
    return value


getter = checked_by(as_getter, "auto", "coef_")


def magnitudes_of(model: Any, getter_: Any, norm_order: Any, width: int | None = None) -> Array:
    """Absolute importances of the columns, (d,): of several outputs or classes, their norms."""
    values = _importances_of(model, getter_)
    values = values.toarray() if is_sparse(values) else np.asarray(values, dtype=np.float64)
    if values.ndim not in (1, 2) or (width is not None and values.shape[-1] != width):
        raise ValueError(
            f"importance_getter must give an importance for each of the {width} columns, of shape "
            f"(d,) or (K, d); got {values.shape} of {type(model).__name__}."
        )
    size = np.abs(values) if values.ndim == 1 else np.linalg.norm(values, norm_order, axis=0)
    if np.isnan(size).any():
        column = int(np.isnan(size).argmax())
        raise ValueError(
            f"The importance of column {column} of {type(model).__name__} is NaN. Drop columns "
            "that have no coefficient first."
        )
    return size


def _importances_of(model: Any, getter_: Any) -> Any:
    if not isinstance(getter_, str):
        return getter_(model)
    if getter_ != "auto":
        try:
            return attrgetter(getter_)(model)
        except AttributeError as error:
            raise ValueError(
                f"importance_getter={getter_!r} is not an attribute of the fitted "
                f"{type(model).__name__}: {error}. Pass another name, or a function."
            ) from error
    for name in ("coef_", "feature_importances_"):
        values = getattr(model, name, None)
        if values is not None:
            return values
    raise ValueError(
        f"importance_getter='auto' needs coef_ or feature_importances_ of the fitted model; "
        f"{type(model).__name__} has neither. Pass the name of an attribute, or a function."
    )


def holds_missing(rows: Any) -> bool:
    """Whether an array holds NaN; of other rows nobody looks."""
    return isinstance(rows, np.ndarray) and rows.dtype.kind == "f" and bool(np.isnan(rows).any())


def as_learner(estimator: Any) -> Any:
    """Check what is to be fitted."""
    return as_estimator(estimator, "estimator")


def trained(
    estimator: Any, rows: Any, y: Any, weights: Array | None, options: dict[str, Any],
    method: str = "fit", again: Any = None,
) -> Any:  # fmt: skip
    """A copy of an estimator that is fitted, or the model before that sees more rows."""
    if weights is not None:
        if not takes_weights(estimator):
            raise TypeError(
                f"{type(estimator).__name__}.fit takes no sample_weight; got weights. Leave them "
                "out, or choose another estimator."
            )
        options = {**options, "sample_weight": weights}
    model = copied(estimator) if again is None else again
    getattr(model, method)(rows, y, **options)
    return model

# SPDX-License-Identifier: BSD-3-Clause
"""Targets and weights: labels by codes, numbers to predict, weights of rows."""

from __future__ import annotations

from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation.errors import warn_column_vector, wrong_type
from statfast._validation.rows import as_rows, explain_nonfinite, to_array, to_numbers

MIN_WEIGHT, MAX_WEIGHT = 1e-100, 1e100  # weight


# ------------------------------------------------------------------ labels and weights
def as_labels(y: Any, n: int | None, *, name: str = "y") -> tuple[Array, Array]:
    """Check class labels.

    Parameters
    ----------
    y : array-like of shape (n,)
        Strings, booleans, integers, or floats without fractions.
    n : int or None
        Rows of the data matrix; None where they are not counted yet.

    Returns
    -------
    classes : ndarray of shape (K,), the distinct labels, sorted
    codes : ndarray of intp, shape (n,), with ``classes[codes] == y``
    """
    if y is None:
        raise ValueError(f"This method requires y to be passed, but the target {name} is None.")
    y = to_array(y, name, "a 1d array-like of labels")
    if y.ndim == 2 and y.shape[1] == 1:
        warn_column_vector(name)
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(f"{name} should be a 1d array, got an array of shape {y.shape} instead.")
    if n is not None and len(y) != n:
        raise ValueError(f"{name} must have one label per row of X ({n}); got {len(y)}.")
    if len(y) == 0:
        raise ValueError(f"{name} has 0 label(s) while a minimum of 1 is required.")
    if y.dtype.kind in "biu":
        return code_integers(y)
    if y.dtype.kind == "f":
        explain_nonfinite(y, name)
        return code_floats(y, name)
    if y.dtype.kind in "USOT":
        return code_objects(y, name)
    if y.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {y.dtype}.")
    raise ValueError(f"Unknown label type: {name} has dtype {y.dtype}. Pass strings or integers.")


def as_weights(
    sample_weight: Any, n: int | None, *, name: str = "sample_weight", signed: bool = False
) -> Array | None:
    """Check sample weights: float64 of shape (n,), none negative, not all zero; None is None.

    Those that are `signed` may be negative.

    Those that are not 0 are between `MIN_WEIGHT` and `MAX_WEIGHT`, so that no product of two
    overflows or vanishes. They are not scaled: likelihoods, inertias and costs grow with them.
    n is None where rows are not counted yet.
    """
    if sample_weight is None:
        return None
    weights = to_array(sample_weight, name, "a 1d array-like of weights")
    if weights.ndim == 0 and n is not None:
        weights = np.full(n, weights)
    if weights.ndim != 1 or (n is not None and len(weights) != n) or not len(weights):
        raise ValueError(
            f"{name} must have shape ({'rows' if n is None else n},), one weight per row of X; got "
            f"{weights.shape}."
        )
    weights = np.ascontiguousarray(to_numbers(weights, name, (np.float64,)))
    with np.errstate(over="ignore"):
        lowest, total = weights.min(), weights.sum()
    if not isfinite(total):
        explain_nonfinite(weights, name)
        raise ValueError(f"{name} sums to infinity. Scale it down.")
    if lowest < 0 and not signed:
        raise ValueError(
            f"{name} must not be negative; got {lowest} at row {weights.argmin()}. "
            "Use a weight of 0 to leave a row out."
        )
    if not weights.any():
        raise ValueError(f"{name} is zero for every row. Give at least one row a positive weight.")
    sizes = np.abs(weights) if lowest < 0 else weights
    beyond = (sizes > 0) & ((sizes < MIN_WEIGHT) | (sizes > MAX_WEIGHT))
    if beyond.any():
        row = beyond.argmax()
        raise ValueError(
            f"{name} must be 0, or between {MIN_WEIGHT:g} and {MAX_WEIGHT:g}; got {weights[row]} "
            f"at row {row}. Scale all weights, or use 0 to leave a row out."
        )
    return weights


def as_targets(y: Any, n: int, *, name: str = "y") -> tuple[Array, bool]:
    """Check the targets of a regression.

    Parameters
    ----------
    y : array-like of shape (n,) or (n, T)
        Finite real numbers: one output, or T of them.
    n : int
        Rows of the data matrix.

    Returns
    -------
    ndarray of shape (n, T), float64, C-contiguous; T = 1 for 1-d targets
    bool
        Whether y was 1-d.
    """
    if y is None:
        raise ValueError(f"This method requires y to be passed, but the target {name} is None.")
    if not hasattr(y, "ndim") and not hasattr(y, "columns"):
        try:
            y = np.asarray(y)
        except ValueError as error:
            raise ValueError(
                f"{name} should be an array-like of numbers: {error} Give all rows the same length."
            ) from error
    flat = getattr(y, "ndim", 2) == 1
    if flat:
        y = np.asarray(y)[:, None]
    elif getattr(y, "ndim", 2) == 0:
        raise ValueError(f"{name} should be a 1d or 2d array; got the single value {y!r}.")
    targets = as_rows(y, name=name, keep=(np.float64,), n_min=0)
    if len(targets) != n:
        raise ValueError(f"{name} must have one target per row of X ({n}); got {len(targets)}.")
    if n == 0:  # The number of rows of chunks is not known yet.
        raise ValueError(f"{name} has 0 values while a minimum of 1 is required.")
    return np.ascontiguousarray(targets), flat


def as_label(label: Any, name: str) -> Any:
    """Check what is to be one label: a string or a number."""
    if isinstance(label, np.generic) and label.dtype.kind in "biufUS":
        return label.item()
    if not isinstance(label, str | bytes | Real):
        raise wrong_type(name, "one label, a string or a number", label)
    return label


def as_names(names: Any, name: str) -> list[str]:
    """Check a list of names, and write them out as strings."""
    if not isinstance(names, list | tuple | str):
        array = to_array(names, name, "a list of names")
        if array.ndim != 1:
            raise wrong_type(name, "a list of names", names)
        names = array.tolist()
    return [str(label) for label in names]


def as_feature_names(names: Any, model: Any, d: int, unnamed: str = "x") -> list[str]:
    """The names of d columns: those passed as `feature_names`, else those of a model's fit, else
    x0, x1, ..."""
    if names is None:
        names = getattr(model, "feature_names_in_", [f"{unnamed}{j}" for j in range(d)])
    if isinstance(names, str):  # whose letters are not names
        raise wrong_type("feature_names", "a list of names", names)
    names = as_names(names, "feature_names")
    if len(names) != d:
        raise ValueError(f"feature_names must name the {d} columns; got {len(names)} names.")
    return names


def as_vector(values: Any, name: str, *, n_min: int = 1) -> Array:
    """Check a column of finite numbers: float64 of shape (n,)."""
    numbers = to_array(values, name, "a 1d array-like of numbers")
    if numbers.ndim != 1 or len(numbers) < n_min:
        raise ValueError(
            f"{name} must be a column of at least {n_min} finite numbers; got {numbers.shape}."
        )
    numbers = to_numbers(numbers, name, (np.float64,))
    explain_nonfinite(numbers, name)
    return numbers


# ------------------------------------------------------------------ Labels
def code_integers(y: Array) -> tuple[Array, Array]:
    """A table over the range of the labels where that is short: no sort."""
    if not len(y):
        return y, np.zeros(0, dtype=np.intp)
    low, high = int(y.min()), int(y.max())
    if high - low > max(1024, 4 * len(y)):
        classes, codes = np.unique(y, return_inverse=True)
        return classes, codes.astype(np.intp, copy=False)
    # Differences could overflow a narrow signed type; those of large uint64 do not fit int64.
    offset = y - y.min() if y.dtype == np.uint64 else y.astype(np.int64) - low
    offset = offset.astype(np.intp, copy=False)
    used = np.zeros(high - low + 1, dtype=bool)
    used[offset] = True
    rank = np.cumsum(used, dtype=np.intp) - 1
    # In the labels' own type, where what wraps around on the way wraps back in the sum.
    return np.flatnonzero(used).astype(y.dtype) + y.min(), rank[offset]


def code_floats(y: Array, name: str) -> tuple[Array, Array]:
    """Integers where they are exact; beyond, a conversion would wrap around."""
    fractions = y != np.floor(y)
    if fractions.any():
        row = fractions.argmax()
        raise ValueError(
            f"Unknown label type: continuous. {name} must hold class labels; got {y[row]} at row "
            f"{row}. Cut it into classes first."
        )
    # The comparison is in float64, as 2^53 overflows float16.
    exact = float(np.abs(y).max()) < 2**53
    classes, codes = code_integers(y.astype(np.int64)) if exact else np.unique(y, False, True)
    return classes.astype(y.dtype), codes.astype(np.intp, copy=False)


def code_objects(y: Array, name: str) -> tuple[Array, Array]:
    """Strings and objects by hashing: sorting n strings costs more than n lookups."""
    order: dict[Any, int] = {}
    try:
        codes = [order.setdefault(label, len(order)) for label in y.tolist()]
    except TypeError as error:
        raise TypeError(f"{name} must hold class labels; {error}.") from error
    labels = list(order)
    types = {_label_type(label, name) for label in labels}
    if len(types) > 1 or not types <= {str, bytes, bool, int, float}:
        got = sorted(kind.__name__ for kind in types)
        raise TypeError(
            f"{name} must hold labels of one type, strings or integers; got {got}. "
            f"Convert it, for example with {name}.astype(str)."
        )
    ranked = sorted(range(len(labels)), key=labels.__getitem__)
    rank = np.empty(len(labels), dtype=np.intp)
    rank[ranked] = np.arange(len(labels))
    dtype = y.dtype if types <= {str, bytes} else None
    return np.array([labels[k] for k in ranked], dtype=dtype), rank[codes]


def _label_type(label: Any, name: str) -> type:
    """The Python type that a label among objects stands for; refuses what is missing."""
    if isinstance(label, str):
        return str
    if isinstance(label, bool | np.bool_):
        return bool
    if isinstance(label, Integral):
        return int
    if label is None or type(label).__name__ in ("NAType", "NaTType") or label != label:
        raise ValueError(f"{name} contains missing labels ({label!r}). Drop those rows first.")
    # The remainder of infinity is NaN, which is not 0.
    if isinstance(label, Real) and label % 1 != 0:
        raise ValueError(
            f"Unknown label type: continuous. {name} must hold class labels; got {label!r}."
        )
    return float if isinstance(label, Real) else type(label)


def label_columns(y: Any) -> Array | None:
    """The columns of labels of several outputs, else None."""
    if y is None or isinstance(y, str) or hasattr(type(y), "nnz"):
        return None
    shape = getattr(y, "shape", None)
    if shape is None:
        try:
            y = np.asarray(y)
        except ValueError:
            return None
        shape = y.shape
    return np.asarray(y).T if len(shape) == 2 and shape[1] > 1 else None

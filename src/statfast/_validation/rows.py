# SPDX-License-Identifier: BSD-3-Clause
"""The only place that checks input.

Public methods pass what the user gave through here once; everything below trusts it.
Each failure is one sentence that names the argument, what it got, and the fix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from math import isfinite
from typing import Any

import numpy as np

from statfast._core.rows.extent import all_finite
from statfast._typing import Array
from statfast._validation.errors import wrong_type
from statfast._validation.kinds import plain_objects, refuse_times
from statfast._validation.memory import refuse_large

FLOATS = (np.float64, np.float32)
_FLOAT64 = np.dtype(np.float64)
_MAX_DOT_VALUES = (
    4096  # values: up to here one BLAS dot product is the cheapest test for NaN and infinity
)
_VALUES_PER_SLICE = (
    1 << 20
)  # values looked at in one go: 8 MB, so that a slice that must be copied is small


# ------------------------------------------------------------------ rows
def as_rows(
    X: Any, *, name: str = "X", keep: tuple[type, ...] = FLOATS, n_min: int = 1, finite: bool = True
) -> Array:
    """Check a data matrix and return it as a 2-d ndarray.

    Parameters
    ----------
    X : array-like of shape (n, d)
        ndarray, memory map, list of rows, pandas / polars / pyarrow table.
    name : str
        What the caller's argument is called.
    keep : tuple of numpy scalar types
        Types returned as they are; always holds float64, the type all other numbers become.
    n_min : int
        Fewest rows accepted.
    finite : bool
        False leaves the search for NaN and infinity to the caller (see `require_finite`).

    Returns
    -------
    ndarray of shape (n, d), any strides, possibly read-only, possibly the user's own memory.
    """
    columns = None
    if type(X) is not np.ndarray:
        refuse_distributed(X, name)
        columns = column_names(X)  # Mixed names of columns are refused before any work is done.
        series = hasattr(X, "to_frame")
        X = to_array(X, name, "a 2-d array-like of numbers", numbers=True)
        require_shape(X, name, n_min, series=series)
    else:
        require_shape(X, name, n_min)
    if X.dtype is not _FLOAT64 and not (X.dtype.type in keep and X.dtype.isnative):
        X = to_numbers(X, name, keep, columns)
    if not X.flags.aligned:
        X = X.copy()
    if finite:
        require_finite(X, name)
    return X


def require_finite(X: Array, name: str = "X", allow_nan: bool = False) -> None:
    """Raise the sentence of `explain_nonfinite` unless every value of the ndarray is finite."""
    if X.dtype.kind != "f" or (X.size <= _MAX_DOT_VALUES and isfinite(np.vdot(X, X))):
        return
    for rows in _slices(X):
        block = X[rows]
        if block.strides[1] != block.itemsize:
            block = np.ascontiguousarray(block)
        if not all_finite(block):
            return explain_nonfinite(X, name, allow_nan)


def explain_nonfinite(X: Array, name: str = "X", allow_nan: bool = False) -> None:
    """Raise ValueError naming the first NaN or infinity of a 1-d or 2-d ndarray, if any."""
    for rows in _slices(X):
        good = ~np.isinf(X[rows]) if allow_nan else np.isfinite(X[rows])
        if not good.all():
            wrong = np.argwhere(~good)
            first = (rows.start + wrong[0, 0], *wrong[0, 1:])
            one_target = name.startswith("y") and X.shape[1:] == (1,)
            raise nonfinite(X[first], name, *(first[:1] if one_target else first))


def nonfinite(value: Any, name: str, row: int, column: int | None = None) -> ValueError:
    """The ValueError for a NaN or infinity at a row; the caller raises it."""
    what, fix = "NaN", "Drop or impute missing values first."
    if name.startswith("y"):
        fix = "Drop rows with missing values first."
    if not np.isnan(value):
        what = f"infinity, or a value too large for {value.dtype.name}"
        fix = "Drop, clip or rescale it first."
    place = f"row {row}" if column is None else f"row {row}, column {column}"
    error = ValueError(f"{name} contains {what}, first at {place}. {fix}")
    if name == "X" and column is not None:
        error.column = int(column)  # type: ignore[attr-defined]  # see `name_column`
    return error


_REPEATABLE = "statfast: columns are drawn with replacement"


def with_repeatable_names(frame: Any) -> Any:
    """A view of a pandas data frame, of which a column may be taken several times."""
    view = frame.copy(deep=False)
    view.attrs[_REPEATABLE] = True
    return view


def refuse_repeated_names(X: Any, name: str = "X") -> None:
    """Refuse a data frame of which two columns have one name, unless a model drew them so."""
    attributes = getattr(X, "attrs", None)
    if isinstance(attributes, dict) and _REPEATABLE in attributes:
        return
    names = column_names(X)
    if names is not None and len(set(names)) < len(names):
        twice = next(label for label, count in Counter(names).items() if count > 1)
        raise ValueError(f"{name} has two columns named {twice!r}. Rename or drop one of them.")


def name_column(error: ValueError, X: Any) -> None:
    """In an error of `nonfinite`, call the column by its name if the rows are a data frame's."""
    column = error.__dict__.pop("column", None)
    if column is not None and (names := column_names(X)) is not None and column < len(names):
        text = str(error).replace(f", column {column}.", f", column {names[column]!r}.")
        error.args = (text,)


def as_type(values: Array, dtype: Any, name: str = "The prediction") -> Array:
    """Values in the type of the rows they are for; refuses those that it does not hold."""
    with np.errstate(over="ignore"):
        values = values.astype(dtype, copy=False)
    explain_nonfinite(values, name)
    return values


def slack_of(X: Any) -> float:
    """How far a matrix may be from what it stands for by rounding, relative to its largest number.

    A distance that is the root of a difference of squares is known to the root of the precision of
    those only. So are zeros on a diagonal, numbers that are not negative, and symmetry. The
    precision is that of the type of X; what is not an array of floats is taken as float64.
    """
    dtype = getattr(X, "dtype", None)
    floating = isinstance(dtype, np.dtype) and dtype.kind == "f"
    return 4.0 * float(np.finfo(dtype if floating else np.float64).eps) ** 0.5


def _slices(X: Array) -> list[slice]:
    step = max(1, _VALUES_PER_SLICE // max(1, X[:1].size))
    return [slice(start, start + step) for start in range(0, X.shape[0], step)]


def require_shape(X: Array, name: str, n_min: int = 1, *, series: bool = False) -> None:
    """Refuse an array that is not 2-d (of a `series` of a library of data frames, say how it
    becomes one), or has too few rows or no columns."""
    if X.ndim != 2:
        got = f"{X.ndim}D array" if X.ndim else "scalar array"
        column, row = (
            ("to_frame()", "to_frame().transpose()")
            if series
            else ("reshape(-1, 1)", "reshape(1, -1)")
        )
        fix = f"{name}.{column} if it is one feature, {name}.{row} if it is one row"
        raise ValueError(
            f"Expected 2D array, got {got} instead: {name} has shape {X.shape}. "
            f"Reshape your data{f' with {fix}' if X.ndim == 1 else ' to (rows, features)'}."
        )
    for count, least, what in zip(X.shape, (n_min, 1), ("sample", "feature"), strict=True):
        if count < least:
            raise ValueError(
                f"{name} has {count} {what}(s) (shape={X.shape}) while a minimum of {least} is "
                f"required. Pass more {'rows' if what == 'sample' else 'columns'}."
            )


# ------------------------------------------------------------------ column names
def column_names(X: Any) -> Array | None:
    """Column names of a table as an ndarray of str; None where there are none, or not of str."""
    if isinstance(X, np.ndarray | list | tuple):
        return None
    if type(X).__name__ == "LazyFrame":  # polars
        raise TypeError("The data frame is lazy (LazyFrame). Pass its rows: X.collect().")
    names = getattr(X, "column_names", None)  # pyarrow, whose `columns` are the data
    if names is None:
        names = getattr(X, "columns", None)
    if not isinstance(names, Collection):
        return None
    types = sorted({type(name).__name__ for name in names})
    if "str" not in types:
        return None
    if len(types) > 1:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your "
            f"input has {types} as column name types. Convert them with "
            "X.columns = X.columns.astype(str)."
        )
    return np.array(list(names), dtype=object)


# ------------------------------------------------------------------ containers and numbers
def to_array(values: Any, name: str, wanted: str, *, numbers: bool = False) -> Array:
    """Any container to an ndarray of whatever type and shape it holds, not copied if it can.

    Numbers that lie across the borders of words are copied, as kernels read words. If it is to hold
    numbers, a data frame with a column of dates is refused.
    """
    if type(values) is np.ndarray:
        return values if values.flags.aligned else values.copy()
    if hasattr(type(values), "toarray") and hasattr(type(values), "nnz"):
        raise TypeError(
            f"Sparse data was passed for {name}, but dense data is required. Pass {name}.toarray()."
        )
    if isinstance(values, dict) and numbers:
        raise TypeError(f"{wrong_type(name, wanted, values)} Pass pandas.DataFrame({name}).")
    if values is None or isinstance(values, str | bytes | dict | set):
        raise wrong_type(name, wanted, values)
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} is an array with masked values. Fill or drop them first.")
    if hasattr(values, "__arrow_c_stream__") and not hasattr(values, "__array__"):
        import pyarrow

        values = pyarrow.table(values)
    if numbers:
        refuse_times(values, name)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(
            f"{name} should be {wanted}: {error} Give all rows the same length."
        ) from error
    if array.ndim == 0 and array.dtype == object:
        raise wrong_type(name, wanted, values)
    return array if array.flags.aligned else array.copy()


def holds_float32(X: Any) -> bool:
    """Whether `as_rows`, or `as_csr`, gives float32 of an array, sparse matrix or data frame."""
    dtype = getattr(X, "dtype", None)
    if dtype is None and hasattr(X, "columns") and hasattr(X, "__getitem__"):
        dtype = np.asarray(X[:1]).dtype
    return bool(dtype == np.float32)


def shape_of(values: Any) -> tuple[int, ...]:
    """The shape of anything that has one; a list of lists of different lengths has its own."""
    if isinstance(values, int):  # numpy.shape makes an array first, in a microsecond
        return ()
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple):
        return shape
    try:
        return np.shape(values)
    except ValueError:
        return (len(values),)


def is_dask(X: object) -> bool:
    """Whether this is a collection of Dask's; imports nothing."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


def refuse_distributed(X: Any, name: str) -> None:
    """Rows on a cluster are not gathered in silence, which `__array__` would do."""
    if hasattr(X, "n_parts"):
        raise TypeError(
            f"{name} is in parts, which would be gathered here. Pass np.asarray({name}), if they "
            "fit in memory, or a sample of them."
        )
    if is_dask(X):
        raise TypeError(
            f"{name} is a collection of Dask's, whose rows would be gathered here. Pass "
            f"{name}.compute(), if they fit in memory, or a sample of them."
        )


def to_numbers(X: Array, name: str, keep: tuple[type, ...], columns: Array | None = None) -> Array:
    """Any dtype to one of ``keep``; `columns` are the names of the columns, if there are some."""
    if X.dtype.kind == "c":
        raise ValueError(
            f"Complex data not supported: {name} has dtype {X.dtype}. "
            "Pass real and imaginary parts as separate columns."
        )
    if X.dtype.kind in "US":
        plain_objects(X.astype(object), name, columns)  # refuses strings
    if X.dtype.kind not in "biufO":
        raise ValueError(
            f"{name} must hold numbers; got dtype {X.dtype}. Encode its columns as numbers first."
        )
    if X.dtype == object:
        X = plain_objects(X, name, columns)
    target = X.dtype.type if X.dtype.type in keep else np.float64
    refuse_large(X.size * target().itemsize, f"{name} as {target.__name__}", "Pass float64.")
    try:
        # A value that overflows becomes infinite, and is reported as such.
        with np.errstate(over="ignore"):
            return X.astype(target, order="K")
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(
            f"{name} must hold numbers; a value did not convert: {error}. "
            "Encode its columns as numbers first."
        ) from error

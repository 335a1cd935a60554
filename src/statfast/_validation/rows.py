# SPDX-License-Identifier: BSD-3-Clause
"""The only place that checks input.

Public methods pass what the user gave through here once; everything below trusts it.
Each failure is one sentence that names the argument, what it got, and the fix.
"""

from math import isfinite
from numbers import Integral, Real
from pathlib import Path

import numpy as np

from statfast._core.extent import all_finite
from statfast._errors import not_fitted, shown, warn_column_vector, warn_user, wrong_type

FLOATS = (np.float64, np.float32)

_FLOAT64 = np.dtype(np.float64)
_FEW = 4096  # values: up to here one BLAS dot product is the cheapest test for NaN and infinity
_SLICE = 1 << 20  # values looked at in one go: 8 MB, so that a slice that must be copied is small


# ------------------------------------------------------------------ rows
def as_rows(X, *, name="X", keep=FLOATS, n_min=1, finite=True):
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
    if type(X) is not np.ndarray:
        X = _to_table(X, name)
    _require_shape(X, name, n_min)
    if X.dtype is not _FLOAT64 and not (X.dtype.type in keep and X.dtype.isnative):
        X = _to_numbers(X, name, keep)
    if not X.flags.aligned:
        X = X.copy()
    if finite:
        require_finite(X, name)
    return X


def rows_for(estimator, X, *, name="X", keep=FLOATS, n_min=1, finite=True):
    """`as_rows` for a fitted estimator: the width and the column names must be those of ``fit``."""
    fitted = estimator.__dict__
    # A few rows of float64 take under a microsecond: the latency of predict is decided here.
    # A sum of squares is finite only if every value is; where it overflows, the long way decides.
    if (
        type(X) is np.ndarray
        and X.dtype is _FLOAT64
        and X.ndim == 2
        and n_min * X.shape[1] <= X.size <= _FEW
        and X.shape[1] == fitted.get("n_features_in_")
        and "feature_names_in_" not in fitted
        and X.flags.aligned
        and isfinite(np.vdot(X, X))
    ):
        return X
    if "n_features_in_" not in fitted:
        raise not_fitted(estimator)
    _compare_names(estimator, X, name)
    rows = as_rows(X, name=name, keep=keep, n_min=n_min, finite=False)
    if rows.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"{name} has {rows.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    if finite:
        require_finite(rows, name)
    return rows


def require_finite(X, name="X"):
    """Raise the sentence of `explain_nonfinite` unless every value of the ndarray is finite."""
    if X.dtype.kind != "f" or (X.size <= _FEW and isfinite(np.vdot(X, X))):
        return
    for rows in _slices(X):
        block = X[rows]
        if block.strides[1] != block.itemsize:
            block = np.ascontiguousarray(block)
        if not all_finite(block):
            explain_nonfinite(X, name)


def explain_nonfinite(X, name="X"):
    """Raise ValueError naming the first NaN or infinity of a 1-d or 2-d ndarray, if any."""
    for rows in _slices(X):
        wrong = np.argwhere(~np.isfinite(X[rows]))
        if len(wrong):
            first = (rows.start + wrong[0, 0], *wrong[0, 1:])
            what, fix = "NaN", "Drop or impute missing values first."
            if not np.isnan(X[first]):
                what = f"infinity, or a value too large for {X.dtype.name}"
                fix = "Drop, clip or rescale it first."
            column = f", column {first[1]}" if X.ndim == 2 else ""
            raise ValueError(f"{name} contains {what}, first at row {first[0]}{column}. {fix}")


def _slices(X):
    step = max(1, _SLICE // X[0].size)
    return [slice(start, start + step) for start in range(0, X.shape[0], step)]


def _require_shape(X, name, n_min):
    if X.ndim != 2:
        got = f"{X.ndim}D array" if X.ndim else "scalar array"
        fix = f"{name}.reshape(-1, 1) if it is one feature, {name}.reshape(1, -1) if it is one row"
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
def column_names(X):
    """Column names of a table as an ndarray of str; None where there are none, or not of str."""
    if isinstance(X, np.ndarray | list | tuple):
        return None
    names = getattr(X, "column_names", None)  # pyarrow, whose `columns` are the data
    if names is None:
        names = getattr(X, "columns", None)
    if not hasattr(names, "__len__"):
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


def _compare_names(estimator, X, name):
    seen = estimator.__dict__.get("feature_names_in_")
    names = column_names(X)
    model = type(estimator).__name__
    if seen is None and names is not None:
        warn_user(f"{name} has feature names, but {model} was fitted without feature names")
    elif seen is not None and names is None:
        warn_user(
            f"{name} does not have valid feature names, but {model} was fitted with feature names"
        )
    elif seen is not None and not np.array_equal(names, seen):
        unseen, missing = sorted(set(names) - set(seen)), sorted(set(seen) - set(names))
        text = "The feature names should match those that were passed during fit.\n"
        if unseen:
            text += "\n- ".join(["Feature names unseen at fit time:", *unseen[:5]]) + "\n"
        if missing:
            text += "\n- ".join(["Feature names seen at fit time, yet now missing:", *missing[:5]])
        if not unseen and not missing:
            text += "Feature names must be in the same order as they were in fit."
        raise ValueError(text.rstrip("\n") + "\n")


# ------------------------------------------------------------------ containers and numbers
def _to_array(values, name, wanted):
    """Any container to an ndarray of whatever type and shape it holds, not copied if it can."""
    if type(values) is np.ndarray:
        return values
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise TypeError(
            f"Sparse data was passed for {name}, but dense data is required. Pass {name}.toarray()."
        )
    if values is None or isinstance(values, str | bytes | dict | set):
        raise wrong_type(name, wanted, values)
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} is an array with masked values. Fill or drop them first.")
    if hasattr(values, "__arrow_c_stream__") and not hasattr(values, "__array__"):
        import pyarrow

        values = pyarrow.table(values)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} should be {wanted}: {error} Even out its rows.") from error
    if array.ndim == 0 and array.dtype == object:
        raise wrong_type(name, wanted, values)
    return array


def _to_table(X, name):
    column_names(X)  # mixed names are refused before any work is done
    array = _to_array(X, name, "a 2-d array-like of numbers")
    if array.dtype == object and hasattr(X, "isna") and hasattr(X, "to_numpy"):
        # pandas' nullable columns arrive as objects; to us, their missing values are NaN.
        return _converted(lambda: X.to_numpy(dtype=np.float64, na_value=np.nan), name)
    return array


def _to_numbers(X, name, keep):
    """Any dtype to one of ``keep``."""
    if X.dtype.kind == "c":
        raise ValueError(
            f"Complex data not supported: {name} has dtype {X.dtype}. "
            "Pass real and imaginary parts as separate columns."
        )
    if X.dtype.kind not in "biufO":
        raise ValueError(
            f"{name} must hold numbers; got dtype {X.dtype}. Encode its columns as numbers first."
        )
    target = X.dtype.type if X.dtype.type in keep else np.float64
    refuse_large(X.size * target().itemsize, f"{name} as {target.__name__}", "Pass float64.")
    return _converted(lambda: X.astype(target, order="K"), name)


def _converted(convert, name):
    try:
        with np.errstate(over="ignore"):  # what overflows is found, and named, as infinity
            return convert()
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(
            f"{name} must hold numbers; a value did not convert: {error}. "
            "Encode its columns as numbers first."
        ) from error


# ------------------------------------------------------------------ labels and weights
def as_labels(y, n, *, name="y"):
    """Check class labels.

    Parameters
    ----------
    y : array-like of shape (n,)
        Strings, booleans, integers, or floats without fractions.
    n : int
        Rows of the data matrix.

    Returns
    -------
    classes : ndarray of shape (K,), the distinct labels, sorted
    codes : ndarray of intp, shape (n,), with ``classes[codes] == y``
    """
    if y is None:
        raise ValueError(f"This method requires y to be passed, but the target {name} is None.")
    y = _to_array(y, name, "a 1d array-like of labels")
    if y.ndim == 2 and y.shape[1] == 1:
        warn_column_vector(name)
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(f"{name} should be a 1d array, got an array of shape {y.shape} instead.")
    if len(y) != n:
        raise ValueError(f"{name} must have one label per row of X ({n}); got {len(y)}.")
    if y.dtype.kind in "biu":
        return _code_integers(y)
    if y.dtype.kind == "f":
        return _code_floats(y, name)
    if y.dtype.kind in "USOT":
        return _code_objects(y, name)
    if y.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {y.dtype}.")
    raise ValueError(f"Unknown label type: {name} has dtype {y.dtype}. Pass strings or integers.")


def as_weights(sample_weight, n, *, name="sample_weight"):
    """Check sample weights: float64 of shape (n,), none negative, not all zero; None is None."""
    if sample_weight is None:
        return None
    weights = _to_array(sample_weight, name, "a 1d array-like of weights")
    if weights.ndim == 0:
        weights = np.full(n, weights)
    if weights.shape != (n,):
        raise ValueError(
            f"{name} must have shape ({n},), one weight per row of X; got {weights.shape}."
        )
    weights = np.ascontiguousarray(_to_numbers(weights, name, (np.float64,)))
    with np.errstate(over="ignore"):
        lowest, total = weights.min(), weights.sum()
    if not isfinite(total):
        explain_nonfinite(weights, name)
        raise ValueError(f"{name} sums to infinity. Scale it down.")
    if lowest < 0:
        raise ValueError(
            f"{name} must not be negative; got {lowest} at row {weights.argmin()}. "
            "Use a weight of 0 to leave a row out."
        )
    if total == 0:
        raise ValueError(f"{name} is zero for every row. Give at least one row a positive weight.")
    return weights


def _code_integers(y):
    """A table over the range of the labels where that is short: no sort."""
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


def _code_floats(y, name):
    explain_nonfinite(y, name)
    fractions = y != np.floor(y)
    if fractions.any():
        row = fractions.argmax()
        raise ValueError(
            f"Unknown label type: continuous. {name} must hold class labels; got {y[row]} at row "
            f"{row}. Cut it into classes first."
        )
    exact = np.abs(y).max() < 2**53
    classes, codes = _code_integers(y.astype(np.int64)) if exact else np.unique(y, False, True)
    return classes.astype(y.dtype), codes.astype(np.intp, copy=False)


def _code_objects(y, name):
    """Strings and objects by hashing: sorting n strings costs more than n lookups."""
    order = {}
    try:
        found = [order.setdefault(label, len(order)) for label in y.tolist()]
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
    return np.array([labels[k] for k in ranked], dtype=dtype), rank[found]


def _label_type(label, name):
    """The Python type that a label among objects stands for; refuses what is missing."""
    if isinstance(label, str):
        return str
    if isinstance(label, bool | np.bool_):
        return bool
    if isinstance(label, Integral):
        return int
    if label is None or type(label).__name__ in ("NAType", "NaTType") or label != label:
        raise ValueError(f"{name} contains missing labels ({label!r}). Drop those rows first.")
    if isinstance(label, Real) and label % 1 != 0:  # infinity has no remainder, so it is not 0
        raise ValueError(
            f"Unknown label type: continuous. {name} must hold class labels; got {label!r}."
        )
    return float if isinstance(label, Real) else type(label)


# ------------------------------------------------------------------ parameters
def as_count(value, name, low=1, high=None, *, limit=None):
    """Check an integer parameter; ``limit`` says in words what ``high`` is."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise wrong_type(name, "an integer", value)
    if value < low or (high is not None and value > high):
        top = f"{limit} ({high})" if limit else high
        wanted = f"at least {low}" if high is None else f"between {low} and {top}"
        fix = "Raise" if value < low else "Lower"
        raise ValueError(f"{name} must be {wanted}; got {value}. {fix} {name}.")
    return int(value)


def as_real(value, name, low=None, high=None, *, open_low=False, open_high=False):
    """Check a finite real parameter between ``low`` and ``high``, ends included unless open."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise wrong_type(name, "a number", value)
    small = low is not None and (value <= low if open_low else value < low)
    large = high is not None and (value >= high if open_high else value > high)
    if small:
        wanted, fix = f"{'greater than' if open_low else 'at least'} {low}", f"Raise {name}."
    elif large:
        wanted, fix = f"{'less than' if open_high else 'at most'} {high}", f"Lower {name}."
    elif not isfinite(value):
        wanted, fix = "finite", "Give a finite number."
    else:
        return float(value)
    raise ValueError(f"{name} must be {wanted}; got {value}. {fix}")


def as_choice(value, name, choices):
    """Check a parameter that is one of a few strings (or None)."""
    if (value is None or isinstance(value, str)) and value in choices:
        return value
    wanted = " or ".join(repr(choice) for choice in choices)
    if isinstance(value, str):
        raise ValueError(f"{name} must be {wanted}; got {shown(value)}.")
    raise wrong_type(name, wanted, value)


def as_generator(random_state, *, name="random_state"):
    """``random_state`` (None, int, Generator, RandomState, SeedSequence) as a numpy Generator."""
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**32, size=4, dtype=np.uint32)  # a new seed each time
    elif isinstance(random_state, Integral):
        random_state = as_count(random_state, name, low=0)
    elif not isinstance(random_state, np.random.Generator | np.random.SeedSequence | None):
        raise wrong_type(name, "None, an integer or a numpy.random.Generator", random_state)
    return np.random.default_rng(random_state)


# ------------------------------------------------------------------ memory
_CGROUP = Path("/sys/fs/cgroup")


def refuse_large(nbytes, what, instead):
    """Raise MemoryError if ``what`` would take more than half the free memory."""
    free = _free_memory() if nbytes > 1 << 26 else None
    if free is not None and nbytes > free / 2:
        raise MemoryError(
            f"{what} needs {nbytes / 2**30:.1f} GiB, more than half of the "
            f"{free / 2**30:.1f} GiB of free memory. {instead}"
        )


def _free_memory():
    """Bytes the process may still take, where Linux says so; None elsewhere."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        free = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvail"))
    except (OSError, StopIteration):
        return None
    try:
        limit, used = (int((_CGROUP / f"memory.{end}").read_text()) for end in ("max", "current"))
    except (OSError, ValueError):  # no such file, or no limit: it says "max"
        return free
    return max(0, min(free, limit - used))

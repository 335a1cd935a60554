# SPDX-License-Identifier: BSD-3-Clause
"""What counts as a number, whatever container it comes in.

Numbers are real numbers, truth values and decimals; None and pandas' NA are missing. Dates, times
and durations are none, as their size depends on the unit that a container stores them in; nor are
strings, whose digits may as well name categories. The values decide: a category whose levels are
numbers holds numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, time, timedelta
from typing import Any

import numpy as np

from statfast._core.rows.kinds import object_types
from statfast._typing import Array

TIMES = (date, time, timedelta, np.datetime64, np.timedelta64)
# The names of the types of such columns begin with these words.
_TIME_TYPES = ("date", "time", "duration", "period")
_FIX_TIMES = "Convert it to numbers first, such as days since the first date, or leave it out."
_FIX_STRINGS = "Convert it with astype(float) if it holds numbers, else encode it (OneHotEncoder)."
_FIX_LABELS = "Convert it with astype(float) if it holds numbers; labels are for classifiers."
_FIX_WEIGHTS = "Convert it with astype(float)."


def is_time_type(dtype: object) -> bool:
    """Whether the type of a column is one of dates, times or durations; in any library."""
    return str(dtype).lower().startswith(_TIME_TYPES)


def refuse_times(X: Any, name: str) -> None:
    """Refuse a data frame with a column of dates, which it may hand out as numbers."""
    types = _column_types(X)
    if types is None or not any(map(is_time_type, set(types))):
        return
    j = next(j for j, kind in enumerate(types) if is_time_type(kind))
    names = getattr(X, "column_names", None)
    label = (X.columns if names is None else names)[j]
    raise ValueError(
        f"{name} must hold numbers; got dtype {types[j]} in column {label!r}. {_FIX_TIMES}"
    )


def is_iterable(value: Any) -> bool:
    """Whether it can be iterated, unlike an array of no dimensions, which is an Iterable too."""
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) != 0


def _column_types(X: Any) -> list[Any] | None:
    """The types of a data frame's columns, a list; None of anything else."""
    types = getattr(X, "dtypes", None)  # pandas, polars
    if types is None:
        types = getattr(getattr(X, "schema", None), "types", None)  # pyarrow
    return list(types) if isinstance(types, Iterable) else None


def plain_objects(values: Array, name: str, columns: Array | None = None) -> Array:
    """Objects that may become numbers, NaN for pandas' NA; refuses dates and strings.

    `columns` are the names of the columns, which the sentence then uses.
    """
    kinds = object_types(values.ravel().tolist())
    for kind in kinds:
        if kind.__name__ == "NaTType" or _is_time(kind):
            raise _no_number(values, kind, name, columns, _FIX_TIMES)
        if issubclass(kind, str | bytes):
            fixes = {"y": _FIX_LABELS, "sample_weight": _FIX_WEIGHTS}
            fix = fixes.get(name, _FIX_STRINGS)
            raise _no_number(values, kind, name, columns, fix)
    if any(kind.__name__ == "NAType" for kind in kinds):
        lost = [type(value).__name__ == "NAType" for value in values.ravel().tolist()]
        values = np.where(np.reshape(lost, values.shape), np.nan, values)
    return values


def first_time(values: Array) -> object | None:
    """The first date, time or duration among objects; None if there is none."""
    entries = values.tolist()
    kinds = [kind for kind in object_types(entries) if _is_time(kind)]
    return next(value for value in entries if type(value) in kinds) if kinds else None


def _is_time(kind: type) -> bool:
    missing = kind.__name__ == "NaTType"
    return not missing and (kind.__name__ == "Period" or issubclass(kind, TIMES))


def _no_number(values: Array, kind: type, name: str, columns: Array | None, fix: str) -> ValueError:
    """The ValueError for the first value of a kind that is not a number."""
    first = next(i for i, value in enumerate(values.ravel().tolist()) if type(value) is kind)
    row, *rest = (int(i) for i in np.unravel_index(first, values.shape))
    place = f"row {row}"
    one_target = name.startswith("y") and values.shape[1:] == (1,) and columns is None
    if rest and not one_target:
        label = rest[0] if columns is None else columns[rest[0]]
        place = f"column {label!r}, {place}"
    value = repr(values.reshape(-1)[first])
    value = value if len(value) <= 60 else f"{value[:57]}..."
    return ValueError(f"{name} must hold numbers; got {value} in {place}. {fix}")

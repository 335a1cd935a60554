# SPDX-License-Identifier: BSD-3-Clause
"""Categories of columns: their counts, groups of rare ones, and their numbers.

Counts of two samples add up, so that encoders can be fitted to batches of rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np

from statfast._core.preprocessing.objects import number_objects
from statfast._engine import checkpoint
from statfast._estimator import Estimator, Transformer, fitted
from statfast._typing import Array, Rows
from statfast._validation import (
    as_columns,
    code_integers,
    column_labels,
    column_names,
    columns_for,
    is_missing,
    not_fitted,
    shown,
    wrong_type,
)

OBJECTS_A_CALL = 1 << 20  # some hundredths of a second
FIRST_LOOK = 64  # entries that tell most columns with fractions from integers
INFREQUENT = "infrequent_sklearn"  # the name in scikit-learn


# ------------------------------------------------------------------ counts
def distinct(column: Array, label: int | str) -> tuple[Array, Array]:
    """The sorted values of a column, missing ones last, and the place of each entry among them."""
    integers = _as_integers(column)
    if integers is not None:
        values, places = code_integers(integers)
        return values.astype(column.dtype), places
    if column.dtype.kind == "f":
        values = np.unique(column)
        return values, numbered(column, values)
    keys, places = _first_numbers(column, {})
    values = _sorted(keys, column.dtype, label)
    return values, _renumbered(keys, values)[places]


def _as_integers(column: Array) -> Array | None:
    """Integers, also those that are stored as floats; None of other columns."""
    if column.dtype.kind != "f":
        return column if column.dtype.kind in "biu" else None
    with np.errstate(invalid="ignore"):  # What int64 does not hold differs after the conversion.
        for part in (column[:FIRST_LOOK], column):
            integers = part.astype(np.int64)
            if not (integers == part).all():
                return None
    return integers


def _sorted(seen: Iterable[Any], dtype: Any, label: Any) -> Array:
    missing = [value for value in seen if not isinstance(value, str) and is_missing(value)]
    present = [value for value in seen if not is_missing(value)] if missing else list(seen)
    try:
        present.sort()
    except TypeError as error:
        types = sorted({type(value).__name__ for value in present})
        raise TypeError(
            "Encoders require their input argument must be uniformly strings or numbers. Got "
            f"{types} in column {label} of X. Convert the column to strings."
        ) from error
    present += [None] if None in missing else []
    present += [np.nan] if any(value is not None for value in missing) else []
    values = np.empty(len(present), dtype=dtype)
    values[:] = present
    return values


@dataclass(frozen=True)
class EncodedCounts:
    """The number of rows, and the categories of each column with their counts; two add up."""

    n: int
    values: list
    counts: list

    def __add__(self, other: EncodedCounts) -> EncodedCounts:
        pairs = zip(self.values, self.counts, other.values, other.counts, strict=True)
        both = [_merged(*four, j) for j, four in enumerate(pairs)]
        return EncodedCounts(self.n + other.n, [v for v, _ in both], [c for _, c in both])


def _merged(
    values: Array, counts: Array, more_values: Array, more_counts: Array, j: int
) -> tuple[Array, Array]:
    if all(part.dtype.kind in "biuf" for part in (values, more_values)):
        merged = np.unique(np.concatenate([values, more_values]))
    else:
        seen = {*values.tolist(), *more_values.tolist()}
        same_kind = values.dtype.kind == more_values.dtype.kind
        merged = _sorted(seen, np.result_type(values, more_values) if same_kind else object, j)
    total = np.zeros(len(merged), dtype=np.intp)
    total[numbered(values, merged)] += counts
    total[numbered(more_values, merged)] += more_counts
    return merged, total


def numbered(column: Array, values: Array) -> Array:
    """The place of each entry of a column among the categories; -1 if it is not one of them."""
    if column.dtype.kind in "biuf" and values.dtype.kind in "biuf":
        return _numbered_numbers(column, values)
    keys, places = _first_numbers(column, {value: k for k, value in enumerate(values.tolist())})
    return _renumbered(keys, values)[places]


def _first_numbers(column: Array, table: dict[Any, int]) -> tuple[list[Any], Array]:
    """The keys of a table and the other entries of a column as they come, and each one's place."""
    entries, places = column.tolist(), np.empty(len(column), dtype=np.intp)
    try:
        for begin in range(0, len(entries), OBJECTS_A_CALL):
            end = min(begin + OBJECTS_A_CALL, len(entries))
            number_objects(entries, begin, end, table, places)
            checkpoint()
    except TypeError as error:
        raise _no_category(error) from error
    return list(table), places


def _no_category(error: Any) -> Any:
    return TypeError(f"X has others: the argument must be a table of strings or numbers; {error}.")


def _renumbered(keys: list[Any], values: Array) -> Array:
    """The place of each key among the values; -1 if it is not one of them."""
    place_of_value = {value: k for k, value in enumerate(values.tolist())}
    nan = next((k for value, k in place_of_value.items() if _is_nan(value)), -1)
    places = [nan if _is_nan(key) else place_of_value.get(key, -1) for key in keys]
    return np.array(places, dtype=np.intp)


def _is_nan(value: float | str) -> bool:
    return value is not None and not isinstance(value, str) and is_missing(value)


def _numbered_numbers(column: Array, values: Array) -> Array:
    has_nan = len(values) and values[-1] != values[-1]
    numbers = values[: len(values) - bool(has_nan)]
    if not len(numbers):
        place = np.full(len(column), -1)
    elif _narrow(column, numbers) and (integers := _as_integers(numbers)) is not None:
        place = _numbered_integers(column, integers)
    else:
        place = np.searchsorted(numbers, column).clip(max=len(numbers) - 1)
        place[numbers[place] != column] = -1
    if has_nan and column.dtype.kind == "f":
        place[np.isnan(column)] = len(numbers)
    return place


def _narrow(column: Array, numbers: Array) -> bool:
    """Whether a table of all integers between the least and the greatest is small."""
    same = column.dtype == numbers.dtype and column.dtype.kind != "b"
    return same and float(numbers[-1]) - float(numbers[0]) <= 4 * len(column)


def _numbered_integers(column: Array, integers: Array) -> Array:
    """The places by a table of all integers between the least and the greatest."""
    low, high = integers[0], integers[-1]
    table = np.full(int(high) - int(low) + 2, -1)
    table[integers - low] = np.arange(len(integers))
    known, offset = (column >= low) & (column <= high), column
    if column.dtype.kind == "f":
        with np.errstate(invalid="ignore"):  # of NaN and of large numbers, which are not known
            offset = column.astype(np.int64)
        known &= offset == column
    return table[np.where(known, offset - low, len(table) - 1)]


def rare(counts: Array, n: int, min_frequency: float | None, max_categories: int | None) -> Array:
    """Marks of the rare categories, which are one group."""
    mask = np.zeros(len(counts), dtype=bool)
    if min_frequency is not None:
        least = min_frequency if isinstance(min_frequency, Integral) else float(min_frequency) * n
        mask = counts < least
    # As in scikit-learn, the group counts as a category even where all others would fit.
    if max_categories is not None and max_categories < len(counts) - mask.sum() + 1:
        keep = int(max_categories) - 1  # unsigned integers cannot be negated
        order = np.argsort(counts, kind="stable")
        mask[order if keep == 0 else order[:-keep]] = True
    return mask


# ------------------------------------------------------------------ encoders
class CategoryEncoder(Transformer, Estimator):
    """The base of encoders: categories that are found or passed, counts, and rare groups."""

    # What subclasses declare, or a fit sets.
    dtype: Any = fitted()
    categories: Any = fitted()
    handle_unknown: Any = fitted()
    min_frequency: float | None = fitted()
    max_categories: int | None = fitted()

    categories_: list[Array] = fitted()
    _rare_ones: Any = fitted()

    _tolerant: tuple[str, ...] = ()  # values of handle_unknown that accept unknown categories

    def fit(self, X: Rows, y: object = None) -> Self:
        """Find the categories.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Numbers, strings or objects; a data frame with columns of any of these.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self
        """
        return self._solved(self._counted(X)[0], column_names(X))

    def fit_transform(self, X: Rows, y: object = None) -> Any:
        """Find the categories, and encode the same rows.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        ndarray or csr_array
            As of `transform`.
        """
        counted, places = self._counted(X)
        return self._solved(counted, column_names(X))._encoded(places)

    def partial_fit(self, X: Rows, y: object = None) -> Self:
        """Update the categories with more samples.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self
        """
        before = self.__dict__.get("_counts")
        if before is None:
            return self.fit(X)
        columns_for(self, X)  # refuses other columns
        return self._solved(before + self._counted(X)[0], self.__dict__.get("feature_names_in_"))

    def _counted(self, X: Any) -> tuple[EncodedCounts, list[Array]]:
        self._require_parameters()
        columns = as_columns(X)
        labels = column_labels(column_names(X), len(columns))
        fixed = checked_categories(self.categories, columns, labels)
        values, places = [], []
        for j, (column, label) in enumerate(zip(columns, labels, strict=True)):
            if fixed is None:
                encoded = distinct(column, label)
            else:
                encoded = fixed[j], self._placed(column, fixed[j], label, "fit")
            values.append(encoded[0])
            places.append(encoded[1])
        counts = [
            np.bincount(place + 1, minlength=len(v) + 1)[1:]  # without what is unknown
            for place, v in zip(places, values, strict=True)
        ]
        return EncodedCounts(len(columns[0]), values, counts), places

    def transform(self, X: Rows) -> Any:
        """Encode rows.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to transform.

        Returns
        -------
        ndarray or csr_array of shape (m, columns)
            Of `dtype`; the table asked for by `set_output`, which none is for sparse rows.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X has other columns than at fit, or categories that are refused.
        """
        columns = columns_for(self, X)
        triples = zip(
            columns, self.categories_, column_labels(column_names(X), len(columns)), strict=True
        )
        return self._encoded([self._placed(*three, "transform") for three in triples])

    def _encoded(self, places: Any) -> Any:
        raise NotImplementedError

    def _require_parameters(self) -> None:
        try:
            kind = np.dtype(self.dtype).kind
        except TypeError:
            kind = None
        if self.dtype is None or kind not in set("biuf"):
            raise wrong_type("dtype", "a type of numbers", self.dtype)
        self._checked()

    def _placed(self, column: Array, values: Array, label: int | str, when: str) -> Array:
        place = numbered(column, values)
        if self.handle_unknown == "error" and (place < 0).any():
            unknown = list(dict.fromkeys(column[place < 0].tolist()))
            raise ValueError(
                f"Found unknown categories {shown(unknown)} in column {label} during {when} of X. "
                f"Pass handle_unknown={self._tolerant[0]!r} to accept them."
            )
        return place

    def _rare(self, counted: EncodedCounts, j: int, kept: list[int] | tuple[()] = ()) -> Array:
        """Marks of the rare categories of a column; those in `kept` are never rare."""
        counts = np.delete(counted.counts[j], kept)
        if self.min_frequency is None and self.max_categories is None:
            return np.zeros(len(counted.counts[j]), dtype=bool)
        mask = np.zeros(len(counted.counts[j]), dtype=bool)
        mask[np.delete(np.arange(len(mask)), kept)] = rare(
            counts, counted.n, self.min_frequency, self.max_categories
        )
        return mask

    @property
    def infrequent_categories_(self) -> list[Any]:
        """Infrequent categories of each feature, which are encoded as one; None without."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        pairs = zip(self.categories_, self._rare_ones, strict=True)
        return [values[mask] if mask.any() else None for values, mask in pairs]

    def _solved(self, counted: EncodedCounts, names: Any) -> Any:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def checked_categories(categories: Any, columns: list[Array], labels: list[int | str]) -> Any:
    """The categories that the user passed, an array for each column; None for "auto"."""
    if isinstance(categories, str) and categories == "auto":
        return None
    if isinstance(categories, str | bytes | dict) or not isinstance(categories, Iterable):
        raise wrong_type("categories", "'auto' or a list with an array for each column", categories)
    categories = (
        list(np.atleast_1d(categories)) if isinstance(categories, np.ndarray) else list(categories)
    )
    if len(categories) != len(columns):
        raise ValueError(
            "Shape mismatch: if categories is an array, it has to be of shape (n_features,), "
            f"({len(columns)},) here; got {len(categories)}."
        )
    return [
        as_categories(values, column, label)
        for values, column, label in zip(categories, columns, labels, strict=True)
    ]


def as_categories(categories: Any, column: Array, label: Any) -> Array:
    """Check categories that the user passed; returns them in the type of the column."""
    number = column.dtype.kind in "biuf"
    try:
        values = np.asarray(list(categories), dtype=None if number else object)
    except (TypeError, ValueError) as error:
        wanted = "'auto' or a list with an array for each column"
        raise wrong_type("categories", wanted, categories) from error
    if values.ndim != 1 or not len(values):
        raise ValueError(
            f"categories must hold an array of values for column {label}; got {categories!r}."
        )
    if number and values.dtype.kind not in "biuf":
        raise ValueError(
            f"categories must hold numbers for column {label} of X, which holds numbers."
        )
    if column.dtype.kind in "US":
        values = values.astype(column.dtype.kind)
    present = values[[not is_missing(value) for value in values.tolist()]]
    if any(is_missing(value) for value in values[: len(present)].tolist()):
        raise ValueError(
            "Nan should be the last element in user provided categories; see column "
            f"{label} of categories."
        )
    if len(set(present.tolist())) < len(present):
        raise ValueError(
            f"In column {label}, the predefined categories contain duplicate elements. Drop them "
            "from categories."
        )
    if number and (present[1:] < present[:-1]).any():
        raise ValueError(
            "Unsorted categories are not supported for numerical categories: sort those of column "
            f"{label} in categories."
        )
    return values


def joined(parts: list[Array]) -> Array:
    """A table of columns of values, in a type that holds all of them."""
    kinds = {part.dtype.kind for part in parts}
    dtype = object if "O" in kinds or (kinds & set("US") and kinds - set("US")) else None
    return np.stack([part.astype(dtype or part.dtype, copy=False) for part in parts], axis=1)

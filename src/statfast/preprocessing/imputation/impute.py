# SPDX-License-Identifier: BSD-3-Clause
"""Imputation of missing values by one value for each column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    Estimator,
    Transformer,
    by_fit,
    callable_,
    fitted,
    flag,
    one_of,
    param,
)
from statfast._typing import Array, Matrix, Rows
from statfast._validation import (
    as_columns,
    as_real,
    as_rows,
    columns_for,
    is_missing,
    is_sparse,
    not_fitted,
    require_width,
    rows_for,
    shown,
    warn_user,
    wrong_type,
)
from statfast.preprocessing.imputation.missing import (
    PREFIX,
    as_objects,
    have_marks,
    missing_marks,
    sparse_columns,
    with_marks,
)

STRATEGIES = ("mean", "median", "most_frequent", "constant")
OF_NUMBERS = ("mean", "median")
SUMMED = ("mean", "constant")  # strategies of partial_fit
MISSING = "missing_value"  # the constant for strings


@dataclass
class Totals:
    """The sum and number of the values of each column, and whether some are missing."""

    sums: np.ndarray
    counts: np.ndarray
    missing: np.ndarray

    def __add__(self, other: Totals) -> Totals:
        with np.errstate(over="ignore"):
            sums = self.sums + other.sums
        return Totals(sums, self.counts + other.counts, self.missing | other.missing)


class SimpleImputer(Transformer, Estimator):
    """Imputation of missing values by the mean, median or mode of a feature, or a constant.

    Parameters
    ----------
    missing_values : number, str, None or nan, default=nan
        What stands for a missing value; None and NaN stand for each other, and for pandas' NA.
    strategy : {"mean", "median", "most_frequent", "constant"} or callable, default="mean"
        Strings are filled by the last two. Of several values as frequent, the least. A callable
        gets the values of a column that are there.
    fill_value : number or str, optional
        The constant; None is 0, or "missing_value" where X holds anything but numbers.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.
    add_indicator : bool, default=False
        Append a column of zeros and ones for each column that had missing values at fit.
    keep_empty_features : bool, default=False
        Keep columns of which all values are missing, filled by 0 (or the constant).

    Attributes
    ----------
    statistics_ : ndarray of shape (d,)
        What is filled in; NaN for columns that are left out.
    indicator_features_ : ndarray of int
        Columns with missing values at fit, if `add_indicator`.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if X holds infinity, or NaN where `missing_values` is something else, or
        strings of which a mean is asked; for sparse rows whose missing values are 0.

    Notes
    -----
    A column without values is left out, with a warning, unless `keep_empty_features`. O(n d) time
    for means, O(n d log n) for the others. What is not stored in a sparse matrix is zero, and not
    missing; sparse rows stay sparse, and all costs are those of the values stored, except for a
    callable's. Means and constants join `partial_fit`.

    References
    ----------
    Little & Rubin 2019, Statistical Analysis with Missing Data, doi:10.1002/9781119482260.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.preprocessing import SimpleImputer
    >>> SimpleImputer().fit_transform([[1.0, np.nan], [3.0, 4.0], [np.nan, 8.0]])
    array([[1., 6.],
           [3., 4.],
           [2., 8.]])
    >>> SimpleImputer(strategy="most_frequent").fit_transform([["a"], ["b"], [None], ["b"]]).T
    array([['a', 'b', 'b', 'b']], dtype=object)
    """

    _passes_nan = False

    missing_values: float | str | None = param(by_fit, default=np.nan)
    strategy: Literal["mean", "median", "most_frequent", "constant"] | Callable[..., Any] = param(
        callable_ | one_of(*STRATEGIES), default="mean"
    )
    fill_value: float | str | None = param(by_fit, default=None)
    copy: bool = param(flag, default=True)
    add_indicator: bool = param(flag, default=False)
    keep_empty_features: bool = param(flag, default=False)

    statistics_: Array = fitted()
    indicator_features_: Array = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Compute the fill values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Numbers, strings or objects; a data frame with columns of any of these.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : SimpleImputer
        """
        return self._fit(X, None)

    def partial_fit(self, X: Rows, y: object = None) -> Self:
        """Update the fill values with more samples, if they follow from sums or counts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : SimpleImputer

        Raises
        ------
        ValueError
            If `strategy` is neither "mean" nor "constant": medians and modes need all rows.
        """
        strategy = self.strategy
        if callable(strategy) or self._checked_value("strategy") not in SUMMED:
            raise ValueError(
                "partial_fit adds sums of columns: strategy must be 'mean' or 'constant'; got "
                f"{shown(strategy)}. Call fit with all rows."
            )
        return self._fit(X, self.__dict__.get("_totals"))

    def _fit(self, X: Any, before: Totals | None) -> Self:
        self._checked()
        rows = self._rows(X, fitted=before is not None)
        numbers = rows.dtype != object
        if before is not None and numbers != (self.statistics_.dtype != object):
            raise ValueError("X holds other than numbers, and the rows before did not.")
        constant = self._constant(numbers)
        missing = missing_marks(rows, self.missing_values)
        d = rows.shape[1]
        filled = np.full(d, constant, dtype=None if numbers else object)
        totals = Totals(np.zeros(d), np.zeros(d, dtype=np.int64), have_marks(missing))
        columns, gaps = rows, missing
        if numbers and not is_sparse(rows):  # columns in one piece are read faster
            columns, gaps = np.asfortranarray(rows), np.asfortranarray(missing)
        for j in range(d):
            present, zeros = _present_values(columns, gaps, j)
            totals.counts[j] = len(present) + zeros
            if self.strategy == "mean":
                with np.errstate(over="ignore"):
                    totals.sums[j] = present.sum(dtype=np.float64)
            elif self.strategy != "constant":
                filled[j] = self._typical(present, zeros) if totals.counts[j] else 0
        if before is not None:
            totals = before + totals
        empty = totals.counts == 0
        if self.strategy == "mean":
            filled = totals.sums / np.maximum(totals.counts, 1)
        if numbers and not np.isfinite(filled).all():
            raise ValueError("X holds values so large that their sum overflows. Rescale it.")
        if empty.any() and not self.keep_empty_features:
            filled[empty] = np.nan
            listed = ", ".join(str(j) for j in np.flatnonzero(empty)[:5])
            warn_user(f"Left out, as all their values are missing: column(s) {listed} of X.")
        fitted = {
            "statistics_": filled,
            "indicator_features_": np.flatnonzero(totals.missing),
            "n_features_in_": d,
        }
        if self.strategy in SUMMED:
            fitted["_totals"] = totals
        if before is not None and "feature_names_in_" in self.__dict__:
            fitted["feature_names_in_"] = self.feature_names_in_
        return self._publish(X, **fitted)

    def transform(self, X: Rows) -> Any:
        """Impute the missing values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to transform.

        Returns
        -------
        ndarray or csc_array of shape (m, columns that are kept)
            float32 for float32 rows, else float64; objects where X was not numbers alone at fit;
            the table asked for by `set_output`.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a 2-d array with the columns of the fitted one.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        rows = self._rows(X, fitted=True)
        missing = missing_marks(rows, self.missing_values)
        kept = self._kept()
        if is_sparse(rows):
            return self._fill_sparse(rows, missing, kept)
        out = np.where(missing, self.statistics_.astype(rows.dtype), rows)
        out = out if len(kept) == out.shape[1] else out[:, kept]
        return with_marks(out, missing, self.indicator_features_) if self.add_indicator else out

    def inverse_transform(self, X: Rows) -> Any:
        """Restore the missing values where they were imputed.

        Parameters
        ----------
        X : array-like of shape (m, columns of `transform`)
            Transformed samples.

        Returns
        -------
        ndarray of shape (m, d)
            With `missing_values`, also in columns that were left out.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            Without `add_indicator`, or if X has other columns.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        if not self.add_indicator:
            raise ValueError(
                "inverse_transform needs to know where X was filled. Fit with add_indicator=True."
            )
        numbers, kept = self.statistics_.dtype != object, self._kept()
        rows = as_rows(X) if numbers else as_objects(as_columns(X))
        wanted = len(kept) + len(self.indicator_features_)
        if rows.shape[1] != wanted:
            raise ValueError(f"X has {rows.shape[1]} features, but {wanted} are expected.")
        out = np.full((len(rows), self.n_features_in_), self.missing_values, dtype=rows.dtype)
        out[:, kept] = rows[:, : len(kept)]
        flags = rows[:, len(kept) :].astype(bool)
        for j, filled in zip(self.indicator_features_, flags.T, strict=True):
            out[filled, j] = self.missing_values
        return out

    # ------------------------------------------------------------ rows
    def _rows(self, X: Any, fitted: bool = False) -> Matrix:
        """Rows as a table of numbers, CSC, or a table of objects."""
        if is_sparse(X):
            rows = sparse_columns(X, self.missing_values)
            if fitted:
                require_width(self, rows)
            return rows
        numbers = callable(self.strategy) or self.strategy in OF_NUMBERS
        if not numbers:
            columns = columns_for(self, X) if fitted else as_columns(X)
            numbers = all(column.dtype.kind in "biuf" for column in columns)
            if fitted:
                numbers = numbers and self.statistics_.dtype != object
        if not numbers:
            return as_objects(columns)
        if not fitted:
            return as_rows(X, finite=False)
        return rows_for(self, X, finite=False)

    def _fill_sparse(self, rows: Matrix, missing: Matrix, kept: Array) -> Matrix:
        from scipy.sparse import csc_array

        column = np.repeat(np.arange(rows.shape[1]), np.diff(rows.indptr))
        data = np.where(missing.data, self.statistics_[column].astype(rows.dtype), rows.data)
        out = csc_array((data, rows.indices, rows.indptr), shape=rows.shape)
        out = out if len(kept) == rows.shape[1] else out[:, kept]
        return with_marks(out, missing, self.indicator_features_) if self.add_indicator else out

    # ------------------------------------------------------------ fill values
    def _constant(self, numbers: bool) -> Any:
        if self.fill_value is None:
            return 0.0 if numbers else MISSING
        if numbers:
            return as_real(self.fill_value, "fill_value")
        if not isinstance(self.fill_value, str | Real) or is_missing(self.fill_value):
            raise wrong_type("fill_value", "a number or a string", self.fill_value)
        return self.fill_value

    def _typical(self, values: Array, zeros: int) -> float | str:
        """The median or mode of values and a number of zeros; of several modes the least."""
        if self.strategy == "most_frequent":
            return _mode(values, zeros)
        if self.strategy == "median":
            with np.errstate(over="ignore"):
                return _median(values.astype(np.float64), zeros)
        rule: Any = self.strategy
        values = np.append(values.astype(np.float64), np.zeros(zeros))
        return as_real(rule(values), "strategy of a column of X")

    def _kept(self) -> Array:
        return np.flatnonzero([not is_missing(value) for value in self.statistics_.tolist()])

    def _named(self, names: list[str]) -> list[str]:
        out = [names[j] for j in self._kept()]
        if self.add_indicator:
            out += [f"{PREFIX}{names[j]}" for j in self.indicator_features_]
        return out

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.missing_values != 0
        tags.input_tags.allow_nan = is_missing(self.missing_values)
        tags.input_tags.string = tags.input_tags.categorical = self.strategy in STRATEGIES[2:]
        return tags


def _present_values(rows: Matrix, missing: Matrix, j: int) -> tuple[Array, int]:
    """The values of a column that are not missing, and the number of zeros that are not stored."""
    if not is_sparse(rows):
        return rows[~missing[:, j], j], 0
    part = slice(rows.indptr[j], rows.indptr[j + 1])
    return rows.data[part][~missing.data[part]], rows.shape[0] - (part.stop - part.start)


def _median(values: Array, zeros: int) -> float:
    """The median of values and a number of zeros."""
    if not zeros:
        return np.median(values)
    values, n = np.sort(values), len(values) + zeros
    below = int(np.searchsorted(values, 0.0))
    # Places among all that are in order, of the middle one or two.
    middle = [
        values[k] if k < below else 0.0 if k < below + zeros else values[k - zeros]
        for k in {(n - 1) // 2, n // 2}
    ]
    return np.mean(middle)


def _mode(entries: Array, zeros: int) -> float | str:
    if entries.dtype != object:
        values, counts = np.unique(entries, return_counts=True)
        if zeros:
            values, counts = np.append(values, 0.0), np.append(counts, zeros)
            values, place = np.unique(values, return_inverse=True)
            counts = np.bincount(place, counts)
        return values[counts.argmax()]
    counts = Counter(entries.tolist())
    most = max(counts.values())
    modes = [value for value, count in counts.items() if count == most]
    try:
        return min(modes)
    except TypeError:  # several types are ordered by their names
        return min(modes, key=lambda value: (type(value).__name__, str(value)))

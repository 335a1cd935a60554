# SPDX-License-Identifier: BSD-3-Clause
"""Marks of missing values, which imputers fill, and which may be columns of their own."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import Estimator, Transformer, by_fit, fitted, flag, one_of, param
from statfast._typing import Array, Matrix, Rows
from statfast._validation import (
    as_columns,
    as_real,
    as_rows,
    as_sparse,
    columns_for,
    explain_nonfinite,
    is_missing,
    is_sparse,
    not_fitted,
    require_width,
    rows_for,
    shown,
)

PREFIX = "missingindicator_"  # of the names of columns of marks


# ---------------------------------------------------------------- marks
def missing_marks(rows: Matrix, value: Any) -> Matrix:
    """Marks of what is missing, a table or a sparse matrix, for a table of numbers or objects or
    CSC; `value` stands for it, None and NaN for each other. Refuses infinity, and NaN beside
    another value."""
    if is_sparse(rows):
        marks = rows.copy()
        marks.data = missing_marks(rows.data[:, None], value)[:, 0]
        return marks
    gaps = is_missing(value)
    if rows.dtype == object:
        nothing = np.array([[is_missing(v) for v in row] for row in rows.tolist()], dtype=bool)
        if gaps:
            return nothing
        if nothing.any():
            raise ValueError(
                f"X contains NaN or None, but missing_values is {shown(value)}. Drop them."
            )
        return np.array([[v == value for v in row] for row in rows.tolist()], dtype=bool)
    if gaps:
        marks = np.isnan(rows)
        if np.isinf(rows).any():
            explain_nonfinite(np.where(marks, 0.0, rows), "X")
        return marks
    value = as_real(value, "missing_values")
    explain_nonfinite(rows, "X")
    return rows == value


def have_marks(marks: Matrix) -> Array:
    """Whether each column has marks."""
    if not is_sparse(marks):
        return marks.any(axis=0)
    column = np.repeat(np.arange(marks.shape[1]), np.diff(marks.indptr))
    return np.bincount(column, marks.data, marks.shape[1]) > 0


def with_marks(out: Matrix, marks: Matrix, features: Array) -> Matrix:
    """A table, with the marks of some columns behind it as zeros and ones."""
    if not is_sparse(out):
        return np.hstack([out, marks[:, features].astype(out.dtype)])
    from scipy.sparse import csc_array, hstack

    flags = csc_array(marks)[:, features].astype(out.dtype)
    flags.eliminate_zeros()
    return hstack([out, flags], format="csc")


def as_objects(columns: list[Array]) -> Array:
    """Columns of any type as one table of objects."""
    table = np.empty((len(columns[0]), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        table[:, j] = column
    return table


def sparse_columns(X: Any, value: Any) -> Matrix:
    """Sparse rows as CSC of floats, in which `value` stands for what is missing."""
    if not is_missing(value) and value == 0:
        raise ValueError(
            "Imputation not possible when missing_values == 0 and input is sparse. Pass "
            "X.toarray()."
        )
    rows = as_sparse(X).tocsc()
    if rows.dtype.kind not in "biuf":
        raise ValueError(f"X must hold numbers; got dtype {rows.dtype}. Convert it first.")
    kind = rows.dtype if rows.dtype in (np.float32, np.float64) else np.float64
    rows = rows.astype(kind, copy=False)
    rows.sum_duplicates()
    return rows


class MissingIndicator(Transformer, Estimator):
    """Columns that mark missing values.

    Parameters
    ----------
    missing_values : number, str, None or nan, default=nan
        What stands for a missing value; None and NaN stand for each other, and for pandas' NA.
    features : {"missing-only", "all"}, default="missing-only"
        Give a column for each feature with missing values at fit, or for each.
    sparse : bool or "auto", default="auto"
        Give a sparse matrix; "auto" does for sparse samples.
    error_on_new : bool, default=True
        Refuse missing values in a feature that had none at fit, with "missing-only".

    Attributes
    ----------
    features_ : ndarray of int
        The features that have a column.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if X holds infinity, or NaN where `missing_values` is something else; for sparse
        rows whose missing values are 0.

    See Also
    --------
    SimpleImputer : Fills missing values by one value for each feature.
    KNNImputer : Fills missing values by those of similar samples.

    Notes
    -----
    What is not stored in a sparse matrix is zero, and not missing. O(n d) time.

    References
    ----------
    M. P. Jones (1996), "Indicator and stratification methods for missing explanatory variables in
    multiple linear regression". doi:10.1080/01621459.1996.10476680

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.preprocessing import MissingIndicator
    >>> marks = MissingIndicator().fit([[1.0, np.nan, 2.0], [np.nan, 4.0, 2.0]])
    >>> marks.transform([[np.nan, 3.0, 1.0]])
    array([[ True, False]])
    >>> marks.get_feature_names_out().tolist()
    ['missingindicator_x0', 'missingindicator_x1']
    """

    _passes_nan = False

    missing_values: float | str | None = param(by_fit, default=np.nan)
    features: Literal["missing-only", "all"] = param(
        one_of("missing-only", "all"), default="missing-only"
    )
    sparse: bool | Literal["auto"] = param(flag | one_of("auto"), default="auto")
    error_on_new: bool = param(flag, default=True)

    features_: Array = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Find the features with missing values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Numbers, strings or objects; a data frame with columns of any of these.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : MissingIndicator
        """
        self._checked()
        marks = missing_marks(self._rows(X, fitted=False), self.missing_values)
        chosen = have_marks(marks) | (self.features == "all")
        return self._publish(X, features_=np.flatnonzero(chosen))

    def transform(self, X: Rows) -> Any:
        """Mark the missing values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to transform.

        Returns
        -------
        ndarray or csc_array of bool of shape (m, features with a column)
            Or the table asked for by `set_output`.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a 2-d array with the columns of the fitted one, or has missing values in
            other features.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        sparse = self._checked_value("sparse")
        marks = missing_marks(self._rows(X, fitted=True), self.missing_values)
        new = np.setdiff1d(np.flatnonzero(have_marks(marks)), self.features_)
        if self._checked_value("error_on_new") and len(new) and self.features == "missing-only":
            raise ValueError(
                f"The features {shown(new.tolist())} have missing values in transform but have no "
                "missing values in fit: X has a gap where none was. Pass error_on_new=False."
            )
        if is_sparse(marks):
            marks = marks.astype(bool)
            marks.eliminate_zeros()
        out = marks[:, self.features_]
        if is_sparse(out):
            return out.toarray() if sparse is False else out
        if sparse is True:
            from scipy.sparse import csc_array

            return csc_array(out)
        return out

    def _rows(self, X: Any, fitted: bool) -> Matrix:
        """Rows as a table of numbers, CSC, or a table of objects."""
        if is_sparse(X):
            rows = sparse_columns(X, self.missing_values)
            if fitted:
                require_width(self, rows)
            return rows
        columns = columns_for(self, X) if fitted else as_columns(X)
        if not all(column.dtype.kind in "biuf" for column in columns):
            for column in columns:
                if not all(isinstance(v, str | bytes | Real) or is_missing(v) for v in column):
                    raise TypeError("X must hold numbers or strings. Convert other objects first.")
            return as_objects(columns)
        return rows_for(self, X, finite=False) if fitted else as_rows(X, finite=False)

    def _named(self, names: list[str]) -> list[str]:
        return [f"{PREFIX}{names[j]}" for j in self.features_]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        gaps = is_missing(self.missing_values)
        tags.input_tags.sparse = gaps or self.missing_values != 0
        tags.input_tags.allow_nan = gaps
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags

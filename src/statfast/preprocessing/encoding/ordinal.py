# SPDX-License-Identifier: BSD-3-Clause
"""Categories as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import by_fit, count, fitted, nothing, one_of, param, real
from statfast._typing import Array, ArrayLike, Rows
from statfast._validation import (
    as_rows,
    column_labels,
    is_missing,
    not_fitted,
    shown,
    wrong_type,
)
from statfast.preprocessing.encoding.categories import (
    INFREQUENT,
    CategoryEncoder,
    EncodedCounts,
    joined,
)

UNKNOWN = ("error", "use_encoded_value")


class OrdinalEncoder(CategoryEncoder):
    """Ordinal encoding: categories as integers.

    Parameters
    ----------
    categories : "auto" or list of array-like, default="auto"
        The categories of each column, in their order; "auto" finds and sorts them.
    dtype : number type, default=numpy.float64
        Of what is given.
    handle_unknown : {"error", "use_encoded_value"}, default="error"
        For a category that was not there at fit: refuse it, or give `unknown_value`.
    unknown_value : int or nan, optional
        Must be no number of a category.
    encoded_missing_value : int or nan, default=nan
        For None and NaN.
    min_frequency : int or float, optional
        Categories there less often, as a number or a fraction of the samples, get one number, the
        last.
    max_categories : int, optional
        Most numbers for a column, one of them for all that are rarer; missing values do not count.

    Attributes
    ----------
    categories_ : list of ndarray
        Missing values are the last.
    infrequent_categories_ : list of ndarray or None
        Categories with one number.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: for infinity, dates or complex numbers, and for numbers of unknown or missing
        categories that are taken. By ``transform``: for categories not there at fit.
    TypeError
        If a column holds both strings and numbers.

    See Also
    --------
    OneHotEncoder : A column for each category.

    Notes
    -----
    Counts of batches add, so that ``partial_fit`` finds the categories of all rows; numbers may
    then change. O(n d) time for strings, O(n d log n) for numbers.

    References
    ----------
    S. S. Stevens (1946), On the theory of scales of measurement, Science 103, 677-680,
    doi:10.1126/science.103.2684.677.

    Examples
    --------
    >>> from statfast.preprocessing import OrdinalEncoder
    >>> sizes = OrdinalEncoder(categories=[["small", "medium", "large"]])
    >>> sizes.fit_transform([["large"], ["small"], [None]][:2])
    array([[2.],
           [0.]])
    """

    # What subclasses declare, or a fit sets.
    _tables: Any = fitted()

    categories: Literal["auto"] | Sequence[ArrayLike] = param(by_fit, default="auto")
    dtype: Any = param(by_fit, default=np.float64)
    handle_unknown: Literal["error", "use_encoded_value"] = param(one_of(*UNKNOWN), default="error")
    unknown_value: float | None = param(by_fit, default=None)
    encoded_missing_value: float = param(by_fit, default=np.nan)
    min_frequency: float | None = param(
        nothing | count() | real(0, 1, open_low=True, open_high=True), default=None
    )
    max_categories: int | None = param(nothing | count(), default=None)

    categories_: Any = fitted()

    _tolerant = UNKNOWN[1:]

    def _require_parameters(self) -> None:
        super()._require_parameters()
        unknown = self._checked_value("handle_unknown") == UNKNOWN[1]
        self._require_number("encoded_missing_value")
        if unknown:
            if self.unknown_value is None:
                raise wrong_type(
                    "unknown_value", "an integer or nan with 'use_encoded_value'", None
                )
            self._require_number("unknown_value")
        elif self.unknown_value is not None:
            raise TypeError(
                "unknown_value should only be set when handle_unknown is 'use_encoded_value', "
                f"got {shown(self.unknown_value)}."
            )

    def _require_number(self, name: str) -> None:
        value = getattr(self, name)
        nan = isinstance(value, float | np.floating) and np.isnan(value)
        if not nan and (isinstance(value, bool) or not isinstance(value, Integral)):
            raise wrong_type(name, "an integer or nan", value)
        if nan and np.dtype(self.dtype).kind != "f" and name == "unknown_value":
            raise ValueError(f"{name} is nan, which dtype must hold; got {self.dtype}.")
        if not nan and not abs(value) < 2**53:
            raise ValueError(f"{name} must be less than 2**53 in size; got {shown(value)}.")

    # ------------------------------------------------------------ fit
    def _solved(self, counted: EncodedCounts, names: Array | None) -> Self:
        masks, tables = [], []
        labels = column_labels(names, len(counted.values))
        for j, values in enumerate(counted.values):
            gaps = [k for k, value in enumerate(values.tolist()) if is_missing(value)]
            mask = self._rare(counted, j, gaps)
            present = np.ones(len(values), dtype=bool)
            present[gaps] = False
            level = np.cumsum(present & ~mask) - 1.0
            level[mask] = (present & ~mask).sum()
            used = int((present & ~mask).sum()) + bool(mask.any())
            self._require_free("unknown_value", self.unknown_value, used, labels[j])
            if gaps:
                if np.dtype(self.dtype).kind != "f" and np.isnan(self.encoded_missing_value):
                    raise ValueError(
                        f"There are missing values in column {labels[j]} of X. For OrdinalEncoder "
                        f"to encode missing values with dtype: {self.dtype}, set "
                        "encoded_missing_value to a non-nan value, or set dtype to a float dtype."
                    )
                self._require_free(
                    "encoded_missing_value", self.encoded_missing_value, used, labels[j]
                )
                level[gaps] = self.encoded_missing_value
            unknown = np.nan if self.unknown_value is None else self.unknown_value
            masks.append(mask)
            tables.append(np.append(level, unknown))
        return self._publish(
            None,
            categories_=counted.values,
            n_features_in_=len(masks),
            **({} if names is None else {"feature_names_in_": names}),
            _counts=counted,
            _rare_ones=masks,
            _tables=tables,
            _n_features_out=len(masks),
        )

    def _require_free(self, name: str, value: float | None, used: int, label: int | str) -> None:
        if value is not None and 0 <= value < used:
            raise ValueError(
                f"The used value for {name}, {value}, is one of the values already used for "
                f"encoding the {used} seen categories of column {label}. Choose another."
            )

    # ------------------------------------------------------------ rows
    def _encoded(self, places: list[Array]) -> Array:
        out = np.empty((len(places[0]), len(places)), dtype=self.dtype)
        for j, (place, table) in enumerate(zip(places, self._tables, strict=True)):
            out[:, j] = table[place]
        return out

    def inverse_transform(self, X: Rows) -> Any:
        """Return the categories.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Transformed samples.

        Returns
        -------
        ndarray of shape (m, d)
            "infrequent_sklearn" for one of several rare ones, None for `unknown_value`.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X has other columns than at fit, or a number of no category.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        rows = as_rows(X, finite=False)
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(
                f"Shape of the passed X data is not correct. Expected {self.n_features_in_} "
                f"columns, got {rows.shape[1]}."
            )
        return joined([self._categories_of(rows[:, j], j) for j in range(rows.shape[1])])

    def _categories_of(self, codes: Array, j: int) -> Array:
        values, mask, table = self.categories_[j], self._rare_ones[j], self._tables[j][:-1]
        names = np.where(mask, INFREQUENT, values.astype(object)) if mask.any() else values
        numbers, first = np.unique(table, return_index=True)
        place = np.searchsorted(numbers, codes).clip(max=len(numbers) - 1)
        place[np.isnan(codes)] = len(numbers) - 1
        same = (numbers[place] == codes) | (np.isnan(numbers[place]) & np.isnan(codes))
        categories = names[first[place]]
        if same.all():
            return categories
        missed = self._tables[j][-1]
        unknown = np.isnan(codes) if np.isnan(missed) else codes == missed
        if self.handle_unknown == "error" or not (same | unknown).all():
            wrong = (
                codes[~same][0] if self.handle_unknown == "error" else codes[~(same | unknown)][0]
            )
            names = self.__dict__.get("feature_names_in_")
            label = column_labels(names, self.n_features_in_)[j]
            raise ValueError(
                f"X holds {wrong} in column {label}, which is the number of no category."
            )
        categories = categories.astype(object)
        categories[~same] = None
        return categories

    def _named(self, names: list[str]) -> list[str]:
        return names

# SPDX-License-Identifier: BSD-3-Clause
"""Categories as columns of zeros and ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import by_fit, count, fitted, flag, nothing, one_of, param, real
from statfast._typing import Array, ArrayLike, Matrix, Rows
from statfast._validation import (
    as_choice,
    as_csr,
    as_rows,
    column_labels,
    is_missing,
    is_sparse,
    not_fitted,
    shown,
    warn_user,
    wrong_type,
)
from statfast.preprocessing.encoding.categories import (
    INFREQUENT,
    CategoryEncoder,
    EncodedCounts,
    joined,
)

UNKNOWN = ("error", "ignore", "infrequent_if_exist", "warn")


class OneHotEncoder(CategoryEncoder):
    """One-hot encoding of categorical features.

    Parameters
    ----------
    categories : "auto" or list of array-like, default="auto"
        The categories of each column; "auto" finds them. Numbers must be sorted.
    drop : {"first", "if_binary"} or array-like of shape (d,), optional
        Leave one category out: the first of each column, that of columns with two, or those given.
    sparse_output : bool, default=True
        Give a sparse matrix.
    dtype : number type, default=numpy.float64
        Of what is given.
    handle_unknown : {"error", "ignore", "infrequent_if_exist", "warn"}, default="error"
        For a category that was not there at fit: refuse it, give zeros, or count it with the rare
        ones if there are any, with a warning for "warn".
    min_frequency : int or float, optional
        Categories there less often, as a number or a fraction of the samples, are counted as one.
    max_categories : int, optional
        Most columns for each of those of X, one of them for all that are rarer.
    feature_name_combiner : "concat" or callable, default="concat"
        Makes the name of a column of that of X and a category: ``name_category``.

    Attributes
    ----------
    categories_ : list of ndarray
        Sorted; None and NaN are categories, and the last.
    drop_idx_ : ndarray of shape (d,), or None
        Places of the categories left out.
    infrequent_categories_ : list of ndarray or None
        Categories counted as one.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: for infinity, dates or complex numbers; for categories that were not given. By
        ``transform``: for categories not there at fit, with ``handle_unknown="error"``.
    TypeError
        If a column holds both strings and numbers.

    See Also
    --------
    OrdinalEncoder : A number for each category.
    statfast.pipeline.ColumnTransformer : Some columns encoded, others scaled.

    Notes
    -----
    Counts of batches add, so that ``partial_fit`` finds the categories of all rows. O(n d) time for
    strings, O(n d log n) for numbers; memory for the numbers of the categories.

    References
    ----------
    D. B. Suits (1957), Use of dummy variables in regression equations, Journal of the American
    Statistical Association 52, 548-551, doi:10.1080/01621459.1957.10501412.

    Examples
    --------
    >>> from statfast.preprocessing import OneHotEncoder
    >>> encoder = OneHotEncoder(sparse_output=False).fit([["red", 1], ["green", 2], ["red", 2]])
    >>> encoder.transform([["green", 1]])
    array([[1., 0., 1., 0.]])
    >>> encoder.get_feature_names_out(["color", "size"]).tolist()
    ['color_green', 'color_red', 'size_1', 'size_2']
    """

    # What subclasses declare, or a fit sets.
    _places: Any = fitted()

    _n_features_out: Any = fitted()

    _passes_nan = False

    categories: Literal["auto"] | Sequence[ArrayLike] = param(by_fit, default="auto")
    drop: ArrayLike | None = param(by_fit, default=None)
    sparse_output: bool = param(flag, default=True)
    dtype: Any = param(by_fit, default=np.float64)
    handle_unknown: Literal["error", "ignore", "infrequent_if_exist", "warn"] = param(
        one_of(*UNKNOWN), default="error"
    )
    min_frequency: float | None = param(
        nothing | count() | real(0, 1, open_low=True, open_high=True), default=None
    )
    max_categories: int | None = param(nothing | count(), default=None)
    feature_name_combiner: Literal["concat"] | Callable[..., Any] = param(by_fit, default="concat")

    categories_: Any = fitted()
    drop_idx_: Any = fitted()

    _tolerant = UNKNOWN[1:]

    def _require_parameters(self) -> None:
        super()._require_parameters()
        if self.feature_name_combiner != "concat" and not callable(self.feature_name_combiner):
            raise wrong_type("feature_name_combiner", "'concat' or callable", (
                self.feature_name_combiner
            ))  # fmt: skip
        if isinstance(self.drop, str):
            as_choice(self.drop, "drop", ("first", "if_binary"))
        elif self.drop is not None and not isinstance(self.drop, list | tuple | np.ndarray):
            raise wrong_type("drop", "'first', 'if_binary' or a category of each column", self.drop)

    # ------------------------------------------------------------ fit
    def _solved(self, counted: EncodedCounts, names: Array | None) -> Self:
        d = len(counted.values)
        masks = [self._rare(counted, j) for j in range(d)]
        levels = [_levels(mask) for mask in masks]  # the group of each category
        dropped = self._dropped(counted.values, masks, levels, column_labels(names, d))
        places, start = [], 0
        for level, mask, drop in zip(levels, masks, dropped, strict=True):
            number = int(level.max()) + 1
            column = np.arange(start, start + number)
            if drop is not None:
                column[drop] = -1
                column[drop + 1 :] -= 1
            unknown = self.handle_unknown in ("infrequent_if_exist", "warn") and mask.any()
            places.append(np.append(column[level], column[-1] if unknown else -1))
            start += number - (drop is not None)
        index = [
            None if drop is None else int(np.flatnonzero(level == drop)[0])
            for drop, level in zip(dropped, levels, strict=True)
        ]
        return self._publish(
            None,
            categories_=counted.values,
            drop_idx_=None if self.drop is None else np.array(index, dtype=object),
            n_features_in_=d,
            **({} if names is None else {"feature_names_in_": names}),
            _counts=counted,
            _rare_ones=masks,
            _places=places,
            _n_features_out=start,
        )

    def _dropped(
        self, categories: list[Array], masks: list[Array], levels: list[Array], labels: Any
    ) -> Any:
        """The group of each column that is dropped, or None."""
        d = len(categories)
        if self.drop is None:
            return [None] * d
        if isinstance(self.drop, str):
            return [0 if self.drop == "first" or level.max() == 1 else None for level in levels]
        drop: Any = self.drop
        if len(drop) != d:
            raise ValueError(
                f"drop must hold a category for each of the {d} columns of X; got {len(drop)}."
            )
        groups = []
        for j, (category, values) in enumerate(zip(drop, categories, strict=True)):
            same = [k for k, v in enumerate(values.tolist()) if _alike(v, category)]
            if not same:
                raise ValueError(
                    "The following categories were supposed to be dropped, but were not found in "
                    f"the training data: drop has {shown(category)} for column {labels[j]}."
                )
            if masks[j][same[0]]:
                raise ValueError(
                    f"Unable to drop category {shown(category)} from column {labels[j]} because it "
                    "is infrequent. Choose another in drop."
                )
            groups.append(int(levels[j][same[0]]))
        return groups

    # ------------------------------------------------------------ rows
    def _encoded(self, places: list[Array]) -> Matrix:
        where = np.empty((len(places[0]), len(places)), dtype=np.int32)
        for j, (place, column) in enumerate(zip(places, self._places, strict=True)):
            np.take(column.astype(np.int32), place, out=where[:, j], mode="wrap")
        unknown = [j for j, place in enumerate(places) if place.min() < 0]
        if unknown and (self.drop is not None or self.handle_unknown == "warn"):
            grouped = "as the infrequent category if present or " * (
                self.handle_unknown in ("infrequent_if_exist", "warn")
            )
            warn_user(
                f"Found unknown categories in columns {unknown} during transform. These unknown "
                f"categories will be encoded {grouped}as all zeros."
            )
        if self.sparse_output:
            return self._sparse(where)
        out = np.zeros((len(where), self._n_features_out), dtype=self.dtype)
        row, column = np.nonzero(where >= 0)
        out[row, where[row, column]] = 1
        return out

    def _sparse(self, where: Array) -> Matrix:
        from scipy.sparse import csr_array

        n, d = where.shape
        if where.min() >= 0:
            columns, starts = where.ravel(), np.arange(0, n * d + 1, d)
        else:
            known = where >= 0
            columns, starts = where[known], np.append(0, np.cumsum(known.sum(axis=1)))
        starts = starts.astype(np.int32 if starts[-1] < 2**31 else np.int64)
        ones = np.ones(len(columns), dtype=self.dtype)
        return csr_array((ones, columns, starts), shape=(n, self._n_features_out))

    def inverse_transform(self, X: Rows) -> Any:
        """Return the categories.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, columns)
            The category of a row is that of its largest number.

        Returns
        -------
        ndarray of shape (m, d)
            "infrequent_sklearn" for one of several rare ones; rows of zeros are the category left
            out, or None if there is none.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X has other columns than `transform` gives, or rows of zeros that no category is.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        rows = as_csr(X).tocsc() if is_sparse(X) else as_rows(X)
        if rows.shape[1] != self._n_features_out:
            raise ValueError(
                f"Shape of the passed X data is not correct. Expected {self._n_features_out} "
                f"columns, got {rows.shape[1]}."
            )
        parts, start = [], 0
        for j in range(self.n_features_in_):
            names, drop = self._level_names(j)
            width = len(names) - (drop is not None)
            part = rows[:, start : start + width]
            parts.append(
                self._category_of(part.toarray() if is_sparse(part) else part, names, drop)
            )
            start += width
        return joined(parts)

    def _level_names(self, j: int) -> tuple[Array, int | None]:
        """The categories of a column, with rare ones as one, and the place of the dropped one."""
        values, mask = self.categories_[j], self._rare_ones[j]
        names = values
        if mask.any():
            names = np.append(values[~mask].astype(object), INFREQUENT)
        drop = None if self.drop_idx_ is None else self.drop_idx_[j]
        return names, None if drop is None else int(_levels(mask)[drop])

    def _category_of(self, part: Array, names: Array, drop: Any) -> Array:
        kept = np.arange(len(names)) if drop is None else np.delete(np.arange(len(names)), drop)
        zero = ~part.any(axis=1)
        if not len(kept):
            return np.full(len(part), names[drop], dtype=names.dtype)
        values = names[kept[part.argmax(axis=1)]]
        if not zero.any():
            return values
        if drop is not None:
            values[zero] = names[drop]
            return values
        if self.handle_unknown == "error":
            raise ValueError(
                f"Samples {shown(np.flatnonzero(zero).tolist())} of X can not be inverted when "
                "drop=None and handle_unknown='error' because they contain all zeros."
            )
        if self.handle_unknown != "ignore" and names[-1] == INFREQUENT and names.dtype == object:
            values[zero] = INFREQUENT
            return values
        values = values.astype(object)
        values[zero] = None
        return values

    def _named(self, names: list[str]) -> list[str]:
        combine = self.feature_name_combiner
        if combine == "concat":
            combine = "{}_{}".format
        combined = []
        for j, name in enumerate(names):
            levels, drop = self._level_names(j)
            combined += [
                combine(name, level) for k, level in enumerate(levels.tolist()) if k != drop
            ]
        return combined


def _levels(mask: Array) -> Array:
    """The number of the group of each category: frequent ones, then the group of rare ones."""
    level = np.cumsum(~mask) - 1
    return np.where(mask, (~mask).sum(), level)


def _alike(value: float | str | None, wanted: Any) -> bool:
    if is_missing(value) or is_missing(wanted):
        return is_missing(value) and is_missing(wanted) and (value is None) == (wanted is None)
    return np.ndim(wanted) == 0 and bool(value == wanted)

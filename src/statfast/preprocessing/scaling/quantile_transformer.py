# SPDX-License-Identifier: BSD-3-Clause
"""Columns spread evenly, or as a normal distribution, by their quantiles."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, Self

import numpy as np

from statfast._core.preprocessing.shares import shares_below
from statfast._engine import checkpoint, each
from statfast._estimator import Estimator, Transformer, count, fitted, flag, one_of, param
from statfast._typing import Array, Rows
from statfast._validation import (
    as_csr,
    as_rows,
    is_sparse,
    require_finite,
    rows_for,
    warn_user,
)
from statfast.preprocessing.bases.quantiles import ROUNDING

MAX_QUANTILES = 2**31 - 1
ROWS_AT_ONCE = 1 << 15  # whose numbers stay in the cache from one step to the next
LAST = 1e-7  # Shares nearer to 0 or 1 are at the ends of the normal distribution that is made.
# The ends themselves, -ndtri(LAST); rounded to float32 they are still found to be ends.
END, SLACK = 5.199337582192816, 1e-6


class QuantileTransformer(Transformer, Estimator):
    """Map each feature to a uniform or a normal distribution by its quantiles.

    A value becomes the share of the training samples below it, or the normal quantile of that
    share: outliers come near, and any rising function of a feature leaves the result.

    Parameters
    ----------
    n_quantiles : int, default=1000
        Quantiles kept of each feature, at most the number of samples; linear in between.
    output_distribution : {"uniform", "normal"}, default="uniform"
        Of the transformed values.
    ignore_implicit_zeros : bool, default=False
        Leave zeros of sparse samples out of the quantiles.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.

    Attributes
    ----------
    n_quantiles_ : int
        Number of quantiles, q.
    quantiles_ : ndarray of shape (q, d)
        Of each feature, ascending; NaN for one without values.
    references_ : ndarray of shape (q,)
        Their shares, from 0 to 1.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if X holds infinity, or is sparse with negative values whose zeros count.

    See Also
    --------
    PowerTransformer : A smooth curve of one number for each feature.

    Notes
    -----
    Quantiles are interpolated linearly (definition 7 of [1]_), as numpy does. A value that is
    several quantiles gets the middle of their shares, but at the ends of a feature 0 and 1. All
    samples are looked at: scikit-learn's `subsample` and `random_state` are accepted and change
    nothing. The normal quantiles end at -5.2 and 5.2, those of 1e-7 and of 1 - 1e-7. NaN is a value
    that is missing: it is passed over by ``fit``, and stays in place. Zeros that are not stored
    stay zeros. Fit: a sort of each column, O(n d log n); transform: O(n d log n_quantiles).

    References
    ----------
    .. [1] R. J. Hyndman, Y. Fan (1996), "Sample quantiles in statistical packages".
       doi:10.1080/00031305.1996.10473566

    Examples
    --------
    >>> from statfast.preprocessing import QuantileTransformer
    >>> X = [[1.0], [2.0], [4.0], [8.0], [1000.0]]
    >>> QuantileTransformer(n_quantiles=5).fit(X).transform([[3.0], [504.0]]).ravel().tolist()
    [0.375, 0.875]
    """

    n_quantiles: int = param(count(1, MAX_QUANTILES), default=1000)
    output_distribution: Literal["uniform", "normal"] = param(
        one_of("uniform", "normal"), default="uniform"
    )
    ignore_implicit_zeros: bool = param(flag, default=False)
    copy: bool = param(flag, default=True)

    n_quantiles_: int = fitted()
    quantiles_: Array = fitted()
    references_: Array = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Compute the quantiles of each feature.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : QuantileTransformer
        """
        params = self._checked()
        rows: Any
        if is_sparse(X):
            rows = _stored_columns(X)
            self._refuse_negative(rows)
        else:
            if params.ignore_implicit_zeros:
                warn_user(
                    "'ignore_implicit_zeros' takes effect only with sparse matrix. This parameter "
                    "has no effect."
                )
            rows = as_rows(X, finite=False)
            require_finite(rows, allow_nan=True)
        n, d = rows.shape
        if params.n_quantiles > n:
            warn_user(
                f"n_quantiles ({params.n_quantiles}) is greater than the total number of samples "
                f"({n}). n_quantiles is set to n_samples."
            )
        m = min(params.n_quantiles, n)
        shares = np.linspace(0.0, 1.0, m)
        work = partial(_quantiles, rows, shares, params.ignore_implicit_zeros)
        of_columns = each(work, range(d), effort=100.0 * n * d)
        return self._publish(
            X, n_quantiles_=m, quantiles_=np.stack(of_columns, axis=1), references_=shares
        )

    def transform(self, X: Rows) -> Any:
        """Map values to their shares, or to normal quantiles.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to transform.

        Returns
        -------
        ndarray or csr_array of shape (m, d)
            float32 for float32 rows, else float64; the table asked for by `set_output`.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a 2-d array with the columns of the fitted one, or holds infinity; if it is
            sparse with negative values, and zeros count.
        """
        return self._applied(X, _as_shares)

    def inverse_transform(self, X: Rows) -> Any:
        """Map shares, or normal quantiles, to values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Transformed samples.

        Returns
        -------
        ndarray or csr_array of shape (m, d)
            Within the range of the training samples.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a 2-d array with the columns of the fitted one, or holds infinity.
        """
        return self._applied(X, _as_values, named=False)

    def _applied(self, X: Any, change: Any, named: bool = True) -> Any:
        # Of sparse samples the columns alone are looked at.
        rows = rows_for(
            self, np.zeros((1, X.shape[1])) if is_sparse(X) else X, named=named, finite=False
        )
        normal = self.output_distribution == "normal"
        quantiles = np.ascontiguousarray(self.quantiles_.T)
        if is_sparse(X):
            table = _stored_columns(X)
            if change is _as_shares:
                self._refuse_negative(table)
            for j in range(table.shape[1]):
                checkpoint()
                part = slice(table.indptr[j], table.indptr[j + 1])
                table.data[part] = change(table.data[part], quantiles[j], normal)
            out = table.tocsr()
            return out.astype(np.float32) if X.dtype == np.float32 else out
        require_finite(rows, allow_nan=True)
        n, d = rows.shape
        made = np.empty(rows.shape, dtype=rows.dtype, order="F" if rows.flags.f_contiguous else "C")

        def fill(start: int) -> None:
            block = np.array(rows[start : start + ROWS_AT_ONCE].T, dtype=np.float64, order="C")
            for j, column in enumerate(block):
                block[j] = change(column, quantiles[j], normal)
            made[start : start + ROWS_AT_ONCE] = block.T

        each(fill, range(0, n, ROWS_AT_ONCE), effort=100.0 * n * d)
        return made

    def _refuse_negative(self, rows: Any) -> None:
        if not self.ignore_implicit_zeros and (rows.data < 0).any():
            raise ValueError(
                f"{type(self).__name__} only accepts non-negative sparse matrices, as zeros stay "
                f"zeros; X holds {rows.data[rows.data < 0][0]}. Set ignore_implicit_zeros=True, or "
                "pass X.toarray()."
            )

    def _named(self, names: list[str]) -> list[str]:
        return names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def _stored_columns(X: Any) -> Any:
    """A new CSC of all that is stored, zeros too: the least value becomes one, and comes back."""
    as_csr(X, allow_nan=True)  # refuses what is not a table of numbers
    table = X.astype(np.float64).tocsc(copy=True)
    table.sum_duplicates()
    return table


def _quantiles(rows: Any, shares: Array, stored_alone: bool, j: int) -> Array:
    """The quantiles of a column without what is NaN, by linear interpolation; NaN for no value."""
    checkpoint()
    if is_sparse(rows):
        stored = rows.data[rows.indptr[j] : rows.indptr[j + 1]]
        others = 0 if stored_alone else rows.shape[0] - len(stored)
        if len(stored) + others == 0:
            return np.zeros(len(shares))
        values = np.sort(np.concatenate([stored, np.zeros(others)]))
    else:
        values = np.sort(rows[:, j])
    # NaN is sorted to the end.
    values = values[: len(values) - np.count_nonzero(np.isnan(values))]
    if not len(values):
        return np.full(len(shares), np.nan)
    place = shares * (len(values) - 1)
    near = np.rint(place)
    place = np.where(np.abs(place - near) <= ROUNDING * len(values), near, place)
    return np.maximum.accumulate(_between(values, place))


def _between(values: Array, place: Array) -> Array:
    """Ascending values, and linear interpolation between them: at their numbers, or fractions."""
    low = place.astype(np.intp)
    left = values[low].astype(np.float64)
    right = values[np.minimum(low + 1, len(values) - 1)].astype(np.float64)
    part = place - low
    with np.errstate(over="ignore", invalid="ignore"):
        # Where the difference would overflow, each end is taken by its part.
        return np.where(
            np.isinf(right - left), left * (1.0 - part) + right * part, left + part * (right - left)
        )


def _as_shares(column: Array, quantiles: Array, normal: bool) -> Array:
    """The share of each value, or its normal quantile."""
    out = np.empty_like(column)
    shares_below(column, quantiles, out)
    if not normal:
        return out
    from scipy.special import ndtri

    return np.clip(ndtri(out), -END, END)


def _as_values(column: Array, quantiles: Array, normal: bool) -> Array:
    """The quantile of each share, or of each normal quantile."""
    missing = np.isnan(column)
    if normal:
        from scipy.special import ndtr

        shares = ndtr(column)
        shares[column <= -END * (1.0 - SLACK)] = 0.0
        shares[column >= END * (1.0 - SLACK)] = 1.0
    else:
        shares = np.clip(column, 0.0, 1.0)
    out = _between(quantiles, np.where(missing, 0.0, shares) * (len(quantiles) - 1))
    out[missing] = np.nan
    return out

# SPDX-License-Identifier: BSD-3-Clause
"""Columns made of columns: polynomials and broken lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import comb
from typing import Any, Self

import numpy as np

from statfast._core.preprocessing.sparse_products import list_products
from statfast._engine import checkpoint, each
from statfast._estimator import (
    Estimator,
    Transformer,
    array,
    checked_by,
    count,
    fitted,
    flag,
    nothing,
    param,
)
from statfast._typing import Array, ArrayLike, Matrix, Rows, Weights
from statfast._validation import (
    MAX_REPEATS,
    as_count,
    as_csr,
    as_rows,
    as_weights,
    explain_nonfinite,
    is_sparse,
    parts_of,
    refuse_large,
    rows_for,
    wrong_type,
)
from statfast.preprocessing.bases.quantiles import step_quantiles

MAX_DEGREE = 2**15  # A higher power of any number but 1 overflows or vanishes.
BYTES_OF_TERM = 16  # Of a product of sparse rows: itself, and its place.
TERMS_OF_CALL = 1 << 19  # A kernel call makes so many products in about 1 ms.
EFFORT_OF_TERM = 4.0  # Of a product of sparse rows, in floating-point operations.
MAX_TERMS = 2**62
ROWS_AT_ONCE = 4096  # A column of so many rows stays in cache while it is read again.
# Fewer rows are laid out by rows, as columns would be loops of a few numbers.
MIN_ROWS_BY_COLUMNS = 32


def _products(d: int, degree: int, only: bool, begin: int) -> Iterator[tuple[int, slice, slice]]:
    """The terms of degree 2 and more, in the order of ``itertools.combinations`` (`only`: no column
    twice) or ``combinations_with_replacement``: those that begin with column j are j times the
    last terms of one degree less, which begin with j (j + 1) or a later one.

    Yields j, the places of the shorter terms, and those of their products.
    """
    # Places of the terms that begin with each column.
    starts, end = list(range(begin, begin + d)), begin + d
    for _ in range(2, degree + 1):
        starts.append(end)
        shorter, starts = starts[int(only) :], []
        stop, place = end, end
        for j, first in enumerate(shorter[:d]):
            starts.append(place)
            yield j, slice(first, stop), slice(place, place + stop - first)
            place += stop - first
        if place == stop:
            return
        end = place


def _count_terms(d: int, degrees: range, only: bool) -> int:
    """How many terms there are of some degrees, or more than memory has addresses."""
    m = 0
    for k in degrees:
        m += comb(d, k) if only else comb(d + k - 1, k)
        if m >= MAX_TERMS:
            break
    return m


def as_degrees(degree: Any, name: str) -> tuple[int, int]:
    """The least and the largest degree."""
    if not isinstance(degree, tuple | list) or len(degree) != 2:
        return 0, as_count(degree, name, 0, MAX_DEGREE)
    low, high = (as_count(end, name, 0, MAX_DEGREE) for end in degree)
    if low > high:
        raise ValueError(f"{name} must not fall; got {degree}. Exchange the two.")
    return low, high


def _shifts(d: int, degree: int, only: bool, begin: int) -> Array:
    """For each degree from 2 on, and each column, how far the terms that begin with it are behind
    the shorter ones that they are made of: int64 (degrees, d)."""
    shifts = []
    starts, end = begin + np.arange(d), begin + d
    for _ in range(2, degree + 1):
        shorter = np.append(starts, end)[int(only) :][:d]
        length = end - shorter
        starts = end + np.cumsum(length) - length
        if not length.any():
            break
        shifts.append(np.zeros(d, np.int64))
        shifts[-1][: len(shorter)] = starts - shorter
        end += int(length.sum())
    return np.array(shifts, np.int64).reshape(len(shifts), d)


def _count_row_terms(lengths: Array, degree: int, least: int, only: bool) -> tuple[Array, int]:
    """How many terms rows of so many nonzeros have, of degrees from `least` on, and the most of one
    row and degree."""
    distinct = np.flatnonzero(np.bincount(lengths))
    counts = [
        [comb(r, k) if only else comb(r + k - 1, k) for k in range(1, degree + 1)]
        for r in distinct.tolist()
    ]
    most = max((max(row, default=0) for row in counts), default=0)
    refuse_large(8 * max(most, sum(map(sum, counts))), "The columns made of X", "Lower degree.")
    of_length = np.zeros(lengths.max(initial=0) + 1, np.intp)
    of_length[distinct] = [sum(row[max(least, 1) - 1 :]) for row in counts]
    return of_length[lengths], most


class PolynomialFeatures(Transformer, Estimator):
    """Polynomial and interaction features.

    Parameters
    ----------
    degree : int or tuple of two int, default=2
        Largest degree, 0 or more; or the least and the largest.
    interaction_only : bool, default=False
        Only products of different columns.
    include_bias : bool, default=True
        Begin with a column of ones.

    Attributes
    ----------
    powers_ : ndarray of shape (m, d)
        The exponent of each column of X in each column made: first by degree, then in
        lexicographic order, as in scikit-learn. It is made when it is asked for.
    n_output_features_ : int
        Number of features made.

    Raises
    ------
    ValueError
        By ``fit``, if X is not a 2-d array of finite numbers or a parameter is out of range.
    MemoryError
        By ``fit``, if one row, by ``transform``, if all rows, and by ``powers_``, if the exponents
        would take more than half of the free memory.

    Notes
    -----
    Each column is one product of two columns made before: n m multiplications, 8 n m bytes. Sparse
    rows stay sparse: time and memory are those of the products that are not 0, some r^k / k! of
    degree k in a row of r nonzeros, and of the column of ones.

    References
    ----------
    J. D. Gergonne (1815), translated 1974, "The application of the method of least squares to the
    interpolation of sequences". doi:10.1016/0315-0860(74)90034-2

    Examples
    --------
    >>> from statfast import PolynomialFeatures
    >>> PolynomialFeatures(2).fit_transform([[2.0, 3.0]])
    array([[1., 2., 3., 4., 6., 9.]])
    """

    _terms: Any = fitted()

    degree: int | tuple[int, int] = param(
        checked_by(as_degrees, 2, 0, 3, (2, 3)), default=2, kw_only=False
    )
    interaction_only: bool = param(flag, default=False)
    include_bias: bool = param(flag, default=True)

    n_output_features_: int = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Determine the output features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self
        """
        params = self._checked()
        d = (as_csr(X) if is_sparse(X) else as_rows(X)).shape[1]
        (least, degree), only, bias = params.degree, params.interaction_only, params.include_bias
        highest = min(degree, d) if only else degree
        below = _count_terms(d, range(1, min(least, highest + 1)), only)
        m = bias + below + _count_terms(d, range(max(least, 1), highest + 1), only)
        if m - below == 0:
            raise ValueError(
                "include_bias is False, and there are no terms of the degree: no column is left. "
                "Raise degree."
            )
        if m >= MAX_TERMS or not is_sparse(X):
            refuse_large(8 * m, "A row of the columns made of X", "Lower degree.")
        terms = (degree, only, int(bias), below, least)
        return self._publish(X, n_output_features_=m - below, _terms=terms)

    @property
    def powers_(self) -> Array:
        """The exponent of each column of X in each column made, (m, d)."""
        if "_terms" not in self.__dict__:
            raise AttributeError("powers_ is known after fit.")
        degree, only, bias, below, _ = self._terms
        m, d = self.n_output_features_ + below, self.n_features_in_
        refuse_large(8 * m * d, "The table of powers for X", "Lower degree.")
        powers = np.zeros((m, d), dtype=np.intp)
        if degree:
            np.fill_diagonal(powers[bias : bias + d], 1)
        for j, shorter, made in _products(d, degree, only, bias):
            powers[made] = powers[shorter]
            powers[made, j] += 1
        # The column of ones is left out once the lower terms have been used.
        powers[: bias + below][below:] = 0
        return powers[below:]

    def transform(self, X: Rows) -> Any:
        """Compute the features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Samples to transform.

        Returns
        -------
        ndarray, csr_array or csc_array of shape (n, m)
            Columns contiguous, or the rows, if they are fewer than 32; float32 if X is. CSC of CSC,
            CSR of other sparse X.

        Raises
        ------
        ValueError
            If a product overflows.
        """
        rows = rows_for(self, X, sparse=True)
        if is_sparse(rows):
            table: Any = X
            out = self._sparse_products(rows, table.dtype)
            return out.tocsc() if table.format == "csc" else out
        n, d = rows.shape
        degree, only, bias, below, _ = self._terms
        # Lower terms are counted too, as higher ones are made of them.
        m = self.n_output_features_ + below
        refuse_large(n * m * rows.itemsize, "The columns made of X", "Lower degree.")
        out = np.empty((n, m), dtype=rows.dtype, order="C" if n < MIN_ROWS_BY_COLUMNS else "F")
        if degree:
            out[:, bias : bias + d] = rows
        terms = list(_products(d, degree, only, bias))
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            for start in range(0, n, ROWS_AT_ONCE):
                block = out[start : start + ROWS_AT_ONCE]
                for j, shorter, made in terms:
                    factor = block[:, bias + j, None]
                    np.multiply(block[:, shorter], factor, out=block[:, made])
            largest = np.abs(rows).max().astype(np.float64) ** degree
        out[:, : bias + below][:, below:] = 1.0
        if not largest < np.finfo(out.dtype).max / 2:
            explain_nonfinite(out[:, below:], "A product of columns of X")
        return out[:, below:]

    def _sparse_products(self, rows: Matrix, dtype: Any) -> Matrix:
        """The columns made of sparse rows, CSR."""
        from scipy.sparse import csr_array

        degree, only, bias, below, least = self._terms
        n, d = rows.shape
        if not rows.data.all():
            rows = rows.copy()
            rows.eliminate_zeros()
        start, column, value = parts_of(rows)
        lengths = np.diff(start)
        counts, most = _count_row_terms(lengths, degree, least, only)
        total = int(counts.sum()) + n * bias
        refuse_large(BYTES_OF_TERM * total, "The columns made of X", "Lower degree.")
        out_start = np.zeros(n + 1, np.intp)
        np.cumsum(counts + bias, out=out_start[1:])
        is_wide = max(self.n_output_features_, total) > np.iinfo(np.int32).max
        places = np.empty(total, np.int64 if is_wide else np.int32)
        values = np.empty(total, np.float32 if dtype == np.float32 else np.float64)
        if bias:
            places[out_start[:-1]], values[out_start[:-1]] = 0, 1.0
        if degree:
            size = max(most, int(lengths.max())) + 1
            shifts = _shifts(d, degree, only, bias)

            def list_of_rows(ends: tuple[int, int]) -> None:
                begin, end = ends
                work = np.empty((4, size), np.int64), np.empty((2, size))
                list_products(
                    start[begin : end + 1], column, value, shifts, only, bias, below, *work,
                    out_start[begin:end] + bias, places, values,
                )  # fmt: skip
                checkpoint()

            # Runs of rows with so many terms, or of one row.
            steps = np.arange(0, total, TERMS_OF_CALL)
            ends = np.unique(np.append(np.searchsorted(out_start[:-1], steps), n))
            each(list_of_rows, list(pairwise(ends.tolist())), effort=total * EFFORT_OF_TERM)
        with np.errstate(over="ignore"):
            largest = np.abs(value).max(initial=0.0) ** degree
        if not largest < np.finfo(values.dtype).max / 2:
            explain_nonfinite(values[:, None], "A product of columns of X")
        arrays = values, places, out_start.astype(places.dtype)
        return csr_array(arrays, shape=(n, self.n_output_features_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _named(self, names: list[str]) -> list[str]:
        def factor(j: Any, power: int) -> str:
            return str(names[j]) if power == 1 else f"{names[j]}^{power}"

        return [
            " ".join(factor(j, powers[j]) for j in np.flatnonzero(powers)) or "1"
            for powers in self.powers_
        ]


class PiecewiseLinearFeatures(Transformer, Estimator):
    """Piecewise linear (linear spline) features: x, and max(x - k, 0) for each knot k.

    A linear model of these columns is continuous and linear between knots; the coefficient of a
    knot's column is the change of slope there.

    Parameters
    ----------
    n_knots : int, default=4
        Knots of each column: the quantiles 1 / (n_knots + 1), 2 / (n_knots + 1), ... of its values,
        each once, and none that leaves no row on one of its sides.
    knots : list of array-like, optional
        For each column its knots, in place of quantiles.

    Attributes
    ----------
    knots_ : list of ndarray
        Of each column, ascending.
    n_output_features_ : int
        Number of features made.

    Raises
    ------
    ValueError
        By ``fit``, if X is not a 2-d array of finite numbers, or knots do not fit it.

    Notes
    -----
    Cost: a sort of each column at ``fit``, n m operations and 8 n m bytes at ``transform``.

    References
    ----------
    J. H. Friedman (1991), "Multivariate adaptive regression splines". doi:10.1214/aos/1176347963

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import LinearRegression, PiecewiseLinearFeatures
    >>> x = np.arange(7.0)[:, None]
    >>> basis = PiecewiseLinearFeatures(knots=[[3.0]])
    >>> LinearRegression().fit(basis.fit_transform(x), np.abs(x[:, 0] - 3)).coef_.round(6)
    array([-1.,  2.])
    """

    n_knots: int = param(count(0, MAX_REPEATS), default=4, kw_only=False)
    knots: Sequence[ArrayLike] | None = param(nothing | array, default=None)

    knots_: list[Array] = fitted()
    n_output_features_: int = fitted()

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Choose the knots.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self
        """
        params, rows = self._checked(), as_rows(X)
        weights = as_weights(sample_weight, len(rows))
        if self.knots is None:
            knots = [_quantiles(column, weights, params.n_knots) for column in rows.T]
        else:
            knots = self._checked_knots(rows.shape[1])
        m = sum(1 + len(k) for k in knots)
        return self._publish(X, knots_=knots, n_output_features_=m)

    def _checked_knots(self, d: int) -> list[Array]:
        try:
            knots = [np.unique(np.asarray(k, dtype=np.float64).ravel()) for k in self.knots or ()]
        except (TypeError, ValueError, OverflowError):
            raise wrong_type("knots", "a list of lists of numbers", self.knots) from None
        if len(knots) != d:
            raise ValueError(f"knots must have a list for each of the {d} columns of X; got "
                             f"{len(knots)}.")  # fmt: skip
        if not all(np.isfinite(k).all() for k in knots):
            raise ValueError("knots must be finite. Leave out NaN and infinity.")
        return knots

    def transform(self, X: Rows) -> Any:
        """Compute the features.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Samples to transform.

        Returns
        -------
        ndarray of shape (n, m)
            For each column itself, then its knots in ascending order; float32 if X is.
        """
        rows = rows_for(self, X)
        m = self.n_output_features_
        refuse_large(len(rows) * m * rows.itemsize, "The columns made of X", "Use fewer knots.")
        out = np.empty((len(rows), m), dtype=rows.dtype, order="F")
        c = 0
        for column, knots in zip(rows.T, self.knots_, strict=True):
            out[:, c] = column
            for k in knots:
                c += 1
                with np.errstate(over="ignore"):
                    np.maximum(column - np.float64(k), 0, out=out[:, c])
            c += 1
        explain_nonfinite(out, "A column made of X")
        return out

    def _named(self, names: list[str]) -> list[str]:
        return [
            text
            for name, knots in zip(names, self.knots_, strict=True)
            for text in (name, *(f"({name}-{k:.6g})+" for k in knots))
        ]


def _quantiles(column: Array, weights: Array | None, count: int) -> Array:
    """The least values below or at which lie so many parts of the weight, each once, inside."""
    shares = np.arange(1, count + 1) / (count + 1)
    held = column if weights is None else column[weights > 0]
    knots = np.unique(step_quantiles(column, weights, shares, average=False))
    return knots[(knots > held.min()) & (knots < held.max())]

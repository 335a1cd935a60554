# SPDX-License-Identifier: BSD-3-Clause
"""Columns made of columns: polynomials and broken lines."""

from math import comb

import numpy as np

from statfast._estimator import Estimator, Transformer
from statfast._validation import (
    MANY,
    as_count,
    as_flag,
    as_rows,
    as_weights,
    explain_nonfinite,
    refuse_large,
    rows_for,
    wrong_type,
)

STEEPEST = 2**15  # degree: of any number but 1, so high a power overflows or vanishes
CELLS = 1 << 16  # numbers of the columns that are made at once: few calls, and few of them copied


def _lengthened(d, degree, only, begin):
    """The terms of each degree in turn, in the order of ``itertools.combinations`` (`only`: no
    column twice) or ``combinations_with_replacement``: each is a shorter one and one column more.

    Yields the number of the first, those of the shorter ones (None: they have no factor), and the
    last column of each.
    """
    shorter, last = None, np.arange(d)
    for k in range(degree):
        if k:
            count = d - last - only  # of columns that may follow
            parent = np.repeat(np.arange(len(last)), count)
            place = np.arange(len(parent)) - np.repeat(np.cumsum(count) - count, count)
            shorter, last, begin = begin + parent, last[parent] + only + place, begin + len(last)
        if not len(last):
            return
        yield begin, shorter, last


class PolynomialFeatures(Transformer, Estimator):
    """Polynomial and interaction features.

    Parameters
    ----------
    degree : int, default=2
        Largest degree, 0 or more.
    interaction_only : bool, default=False
        Only products of different columns.
    include_bias : bool, default=True
        Begin with a column of ones.

    Attributes
    ----------
    powers_ : ndarray of shape (m, d)
        The exponent of each column of X in each column made: first by degree, then in
        lexicographic order, as in scikit-learn.
    n_output_features_ : int

    Raises
    ------
    ValueError
        By ``fit``, if X is not a 2-d array of finite numbers or a parameter is out of range.
    MemoryError
        By ``transform``, if the columns would take more than half of the free memory.

    Notes
    -----
    Each column is one product of two columns made before: n m multiplications, 8 n m bytes.

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

    def __init__(self, degree=2, *, interaction_only=False, include_bias=True):
        self.degree = degree
        self.interaction_only = interaction_only
        self.include_bias = include_bias

    def fit(self, X, y=None):
        """Count the columns.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : ignored

        Returns
        -------
        self
        """
        d = as_rows(X).shape[1]
        degree = as_count(self.degree, "degree", 0, STEEPEST)
        only = as_flag(self.interaction_only, "interaction_only")
        bias = as_flag(self.include_bias, "include_bias")
        m = int(bias)
        for k in range(1, (min(degree, d) if only else degree) + 1):
            m += comb(d, k) if only else comb(d + k - 1, k)
            if m >= 1 << 62:
                break
        if m == 0:
            raise ValueError("degree is 0 and include_bias False: no column is left. Raise degree.")
        refuse_large(8 * m * d, "The table of powers for X", "Lower degree.")
        powers = np.zeros((m, d), dtype=np.intp)
        for begin, shorter, last in _lengthened(d, degree, only, int(bias)):
            made = powers[begin : begin + len(last)]
            if shorter is not None:
                np.take(powers, shorter, axis=0, out=made, mode="clip")  # "raise" would copy
            made[np.arange(len(last)), last] += 1
        return self._publish(X, powers_=powers, n_output_features_=m)

    def transform(self, X):
        """Make the columns.

        Parameters
        ----------
        X : array-like of shape (n, d)

        Returns
        -------
        ndarray of shape (n, m)
            Columns contiguous; float32 if X is.

        Raises
        ------
        ValueError
            If a product overflows.
        """
        rows = rows_for(self, X)
        m = self.n_output_features_
        refuse_large(len(rows) * m * rows.itemsize, "The columns made of X", "Lower degree.")
        out = np.empty((len(rows), m), dtype=rows.dtype, order="F")
        bias = int(not self.powers_[0].any())
        out[:, :bias] = 1.0
        step = max(1, CELLS // len(rows))
        degree, only = int(self.powers_[-1].sum()), int(self.powers_.max(initial=0)) == 1
        for begin, shorter, last in _lengthened(rows.shape[1], degree, only, bias):
            for first in range(0, len(last), step):
                some = slice(first, first + step)
                made = out[:, begin : begin + len(last)][:, some]
                if shorter is None:
                    made[:] = rows[:, last[some]]
                else:
                    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                        np.multiply(out[:, shorter[some]], rows[:, last[some]], out=made)
        explain_nonfinite(out, "A product of columns of X")
        return out

    def _named(self, names):
        def factor(j, power):
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

    def __init__(self, n_knots=4, *, knots=None):
        self.n_knots = n_knots
        self.knots = knots

    def fit(self, X, y=None, sample_weight=None):
        """Choose the knots.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : ignored
        sample_weight : array-like of shape (n,), optional
            A value with weight 2 counts twice among the quantiles.

        Returns
        -------
        self
        """
        rows = as_rows(X)
        weights = as_weights(sample_weight, len(rows))
        count = as_count(self.n_knots, "n_knots", 0, high=MANY)
        if self.knots is None:
            knots = [_quantiles(column, weights, count) for column in rows.T]
        else:
            knots = self._given(rows.shape[1])
        m = sum(1 + len(k) for k in knots)
        return self._publish(X, knots_=knots, n_output_features_=m)

    def _given(self, d):
        try:
            knots = [np.unique(np.asarray(k, dtype=np.float64).ravel()) for k in self.knots]
        except (TypeError, ValueError, OverflowError):
            raise wrong_type("knots", "a list of lists of numbers", self.knots) from None
        if len(knots) != d:
            raise ValueError(f"knots must have a list for each of the {d} columns of X; got "
                             f"{len(knots)}.")  # fmt: skip
        if not all(np.isfinite(k).all() for k in knots):
            raise ValueError("knots must be finite. Leave out NaN and infinity.")
        return knots

    def transform(self, X):
        """Make the columns.

        Parameters
        ----------
        X : array-like of shape (n, d)

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

    def _named(self, names):
        return [
            text
            for name, knots in zip(names, self.knots_, strict=True)
            for text in (name, *(f"({name}-{k:.6g})+" for k in knots))
        ]


def _quantiles(column, weights, count):
    """The least values below or at which lie so many parts of the weight, each once, inside."""
    order = np.argsort(column, kind="stable")
    values = column[order].astype(np.float64)
    share = np.ones(len(values)) if weights is None else weights[order]
    values, share = values[share > 0], share[share > 0]
    below = np.cumsum(share)
    wanted = below[-1] * np.arange(1, count + 1) / (count + 1)
    places = np.minimum(np.searchsorted(below, wanted * (1 - 1e-12)), len(values) - 1)
    knots = np.unique(values[places])
    return knots[(knots > values[0]) & (knots < values[-1])]

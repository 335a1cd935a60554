# SPDX-License-Identifier: BSD-3-Clause
"""B-splines of columns: smooth pieces of polynomials that add up to one."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._core.preprocessing.splines import (
    CONSTANT,
    CONTINUED,
    LINEAR,
    PERIODIC,
    fill_splines,
    list_splines,
)
from statfast._engine import each
from statfast._estimator import (
    Estimator,
    Transformer,
    by_fit,
    count,
    fitted,
    flag,
    one_of,
    param,
)
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import (
    as_choice,
    as_rows,
    as_weights,
    column_labels,
    column_names,
    explain_nonfinite,
    refuse_large,
    require_finite,
    rows_for,
)
from statfast.preprocessing.bases.quantiles import columns, step_quantiles

MAX_DEGREE = 1000
MAX_KNOTS = 1_000_000
NUMBERS_AT_ONCE = 1 << 15  # of a few rows with their columns made, which the cache holds
KNOTS = ("uniform", "quantile")
BEYOND = {
    "error": CONSTANT, "constant": CONSTANT, "linear": LINEAR, "continue": CONTINUED,
    "periodic": PERIODIC,
}  # fmt: skip


class SplineTransformer(Transformer, Estimator):
    """B-splines of each feature: a linear model of them is a smooth curve of the feature.

    Parameters
    ----------
    n_knots : int, default=5
        Knots of each feature, 2 or more.
    degree : int, default=3
        Degree of the polynomials between knots.
    knots : {"uniform", "quantile"} or array-like of shape (n_knots, d), default="uniform"
        At equal distances, at quantiles, or where they are given, in rising order.
    extrapolation : {"error", "constant", "linear", "continue", "periodic"}, default="constant"
        Beyond the first and the last knot: refuse values, keep the splines of the end, go on
        straight or by the last polynomial, or begin again.
    include_bias : bool, default=True
        Keep the last spline of each feature, which is one less the others.
    order : {"C", "F"}, default="C"
        Have rows or columns contiguous.
    handle_missing : {"error", "zeros"}, default="error"
        Refuse NaN, or let all splines be 0 there.
    sparse_output : bool, default=False
        Give a sparse matrix: only degree + 1 splines of a feature are not 0.

    Attributes
    ----------
    n_features_out_ : int
        Number of splines: ``n_knots + degree - 1`` of each feature, n_knots - 1 of a periodic one,
        one less without `include_bias`.
    bsplines_ : list of scipy.interpolate.BSpline
        For each feature; made when it is asked for.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if X holds infinity, or NaN unless `handle_missing` is "zeros"; if knots do not
        rise, or are fewer than a periodic spline needs.
    MemoryError
        By ``transform``: if the splines would take more than half of the free memory.

    See Also
    --------
    PiecewiseLinearFeatures : Broken lines, whose coefficients are changes of slope.

    Notes
    -----
    By the recursion of de Boor [1]_, between knots that are as far apart beyond the ends as at
    them. Quantiles have the middle of a step where they are on one, with and without weights. All
    splines of a constant feature are 0. Cost: O(n d degree^2), and a sort of each column for
    quantiles; memory 8 bytes for each number made.

    References
    ----------
    .. [1] C. de Boor (1972), "On calculating with B-splines", Journal of Approximation Theory 6,
       50-62. doi:10.1016/0021-9045(72)90080-9

    Examples
    --------
    >>> from statfast.preprocessing import SplineTransformer
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> SplineTransformer(n_knots=2, degree=2).fit_transform(X).round(3)
    array([[0.5  , 0.5  , 0.   ],
           [0.222, 0.722, 0.056],
           [0.056, 0.722, 0.222],
           [0.   , 0.5  , 0.5  ]])
    """

    _knots: Any = fitted()

    n_knots: int = param(count(2, MAX_KNOTS), default=5, kw_only=False)
    degree: int = param(count(0, MAX_DEGREE), default=3, kw_only=False)
    knots: Literal["uniform", "quantile"] | ArrayLike = param(by_fit, default="uniform")
    extrapolation: Literal["error", "constant", "linear", "continue", "periodic"] = param(
        one_of("error", "constant", "linear", "continue", "periodic"), default="constant"
    )
    include_bias: bool = param(flag, default=True)
    order: Literal["C", "F"] = param(one_of("C", "F"), default="C")
    handle_missing: Literal["error", "zeros"] = param(one_of("error", "zeros"), default="error")
    sparse_output: bool = param(flag, default=False)

    n_features_out_: int = fitted()

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
        self : SplineTransformer
        """
        params = self._checked()
        rows = as_rows(X, finite=False)
        self._refuse_missing(rows)
        weights = as_weights(sample_weight, len(rows))
        if isinstance(self.knots, str):
            as_choice(self.knots, "knots", KNOTS)
            labels = column_labels(column_names(X), rows.shape[1])
            base = [
                self._placed(column, weights, params.n_knots, label)
                for column, label in zip(columns(rows), labels, strict=True)
            ]
        else:
            base = list(self._checked_knots(rows.shape[1]).T)
        degree, n_knots = params.degree, len(base[0])
        periodic = params.extrapolation == "periodic"
        if periodic and n_knots <= degree:
            raise ValueError(
                f"Periodic splines require degree < n_knots. Got n_knots={n_knots} and "
                f"degree={degree}. Raise n_knots, or lower degree."
            )
        extended = _periodic_knots if periodic else _regular_knots
        of_each = (n_knots - 1 if periodic else n_knots + degree - 1) - (not params.include_bias)
        return self._publish(
            X,
            _knots=np.array([extended(knots, degree) for knots in base]),
            n_features_out_=of_each * len(base),
        )

    def transform(self, X: Rows) -> Any:
        """Compute the splines.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to transform.

        Returns
        -------
        ndarray or csr_array of shape (m, k)
            The splines of the first feature come first; float32 if X is. The table asked for by
            `set_output`.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a 2-d array with the columns of the fitted one, holds infinity, or NaN
            unless `handle_missing` is "zeros"; if a value is beyond the knots and `extrapolation`
            is "error", or a spline overflows there.
        """
        rows = rows_for(self, X, finite=False)
        self._refuse_missing(rows)
        n, d = rows.shape
        degree, made = self.degree, self.n_features_out_ // d
        if self.extrapolation == "error":
            low, high = self._knots[:, degree], self._knots[:, -degree - 1]
            if (rows < low).any() or (rows > high).any():
                raise ValueError(
                    "`X` contains values beyond the limits of the knots. Set extrapolation to "
                    "'constant', 'linear', 'continue' or 'periodic'."
                )
        of_each = self._splines_of_each()
        used = degree + 1
        held = d * used if self.sparse_output else d * made
        refuse_large(n * held * rows.itemsize, "The splines of X", "Use fewer knots.")
        out = np.empty((n, held), dtype=rows.dtype, order="C" if self.sparse_output else self.order)
        places = np.empty((n, held), dtype=np.int32) if self.sparse_output else None
        how = degree, of_each, made, BEYOND[self.extrapolation]
        step = max(1, NUMBERS_AT_ONCE // max(held, 1))
        by_columns = places is None and self.order == "F"

        def fill(start: int) -> None:
            block, work = slice(start, start + step), np.empty(2 * degree + 2)
            values = np.ascontiguousarray(rows[block], dtype=np.float64)
            if places is not None:
                list_splines(values, self._knots, *how, work, places[block], out[block])
            elif not by_columns:
                fill_splines(values, self._knots, *how, work, out[block])
            else:
                for j, column in enumerate(values.T.copy()):
                    part = out[block, j * made : (j + 1) * made]
                    fill_splines(column[:, None], self._knots[j : j + 1], *how, work, part)

        each(fill, range(0, n, step), effort=20.0 * n * d * (degree + 1) ** 2)
        explain_nonfinite(out, "A spline of X")
        return out if places is None else _compressed(out, places, self.n_features_out_)

    @property
    def bsplines_(self) -> list[Any]:
        """The splines of each feature, as scipy's."""
        if "_knots" not in self.__dict__:
            raise AttributeError("bsplines_ is known after fit.")
        from scipy.interpolate import BSpline

        degree, of_each = self.degree, self._splines_of_each()
        splines = np.eye(of_each)
        if self.extrapolation == "periodic":
            splines = np.concatenate([splines, splines[:degree]])
        beyond: Any = {"periodic": "periodic", "continue": True}.get(self.extrapolation, False)
        return [BSpline(knots, splines, degree, extrapolate=beyond) for knots in self._knots]

    # ------------------------------------------------------------ knots
    def _refuse_missing(self, rows: Array) -> None:
        zeros = self.handle_missing == "zeros"
        if not zeros and np.isnan(rows).any():
            raise ValueError(
                "X contains NaN, and SplineTransformer is configured to error in this case. Set "
                "handle_missing='zeros', or impute the values."
            )
        require_finite(rows, allow_nan=zeros)

    def _placed(self, column: Array, weights: Array | None, n_knots: int, label: Any) -> Array:
        """Knots at equal distances or at quantiles of the values that are there."""
        held = ~np.isnan(column)
        if weights is not None:
            held &= weights > 0
        values = column[held]
        if not len(values):
            raise ValueError(f"X holds no value in column {label}. Leave it out.")
        shares = np.linspace(0.0, 1.0, n_knots)
        if self.knots == "quantile":
            return step_quantiles(values, None if weights is None else weights[held], shares)
        low, high = float(values.min()), float(values.max())
        if high - low == np.inf:
            raise ValueError(
                f"X holds values in column {label} so far apart that their difference overflows. "
                "Rescale it."
            )
        return np.linspace(low, high, n_knots)

    def _checked_knots(self, d: int) -> Array:
        knots: Any = as_rows(self.knots, name="knots")
        if len(knots) < 2:
            raise ValueError("Number of knots, knots.shape[0], must be >= 2; got 1. Add a knot.")
        if knots.shape[1] != d:
            raise ValueError(
                f"knots.shape[1] == n_features is violated: it must be {d}; got {knots.shape[1]}. "
                "Pass a column of knots for each feature."
            )
        if not (np.diff(knots, axis=0) > 0).all():
            raise ValueError("knots must be sorted without duplicates. Sort each column of it.")
        return knots.astype(np.float64)

    def _splines_of_each(self) -> int:
        d = self.n_features_in_
        return self.n_features_out_ // d + (not self.include_bias)

    def _named(self, names: list[str]) -> list[str]:
        made = self.n_features_out_ // self.n_features_in_
        return [f"{name}_sp_{k}" for name in names for k in range(made)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.handle_missing == "zeros"
        return tags


def _regular_knots(base: Array, degree: int) -> Array:
    """Knots with as many more as the degree beyond each end, at the distance of the last two."""
    steps = np.arange(1.0, degree + 1.0)
    before = base[0] - steps[::-1] * (base[1] - base[0])
    after = base[-1] + steps * (base[-1] - base[-2])
    return np.concatenate([before, base, after])


def _periodic_knots(base: Array, degree: int) -> Array:
    period = base[-1] - base[0]
    before, after = base[len(base) - degree - 1 : -1] - period, base[1 : degree + 1] + period
    return np.concatenate([before, base, after])


def _compressed(values: Array, places: Array, width: int) -> Any:
    """CSR of the values that are at a place."""
    from scipy.sparse import csr_array

    n, held = values.shape
    kept = places >= 0
    if kept.all():
        starts = np.arange(0, n * held + 1, held)
        data, indices = values.reshape(-1), places.reshape(-1)
    else:
        starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
        data, indices = values[kept], places[kept]
    out = csr_array((data, indices, starts), shape=(n, width))
    out.sum_duplicates()  # Splines of high degrees and few periodic knots begin anew.
    return out

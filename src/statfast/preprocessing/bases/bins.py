# SPDX-License-Identifier: BSD-3-Clause
"""Columns cut into bins: of equal width, of equal weight, or around centers."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal, Self

import numpy as np

from statfast._engine import checkpoint
from statfast._estimator import Estimator, Transformer, by_fit, fitted, one_of, param
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import (
    FLOATS,
    as_count,
    as_csr,
    as_rows,
    as_weights,
    column_labels,
    column_names,
    is_sparse,
    not_fitted,
    rows_for,
    shown,
    to_array,
    warn_user,
    wrong_type,
)
from statfast.preprocessing.bases.quantiles import columns, sorted_column, step_quantiles
from statfast.preprocessing.encoding.one_hot import OneHotEncoder

STEPS = ("averaged_inverted_cdf", "inverted_cdf")  # quantiles that know weights
METHODS = (
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf",
    "hazen", "weibull", "linear", "median_unbiased", "normal_unbiased",
)  # fmt: skip
MIN_WIDTH = 1e-8  # of a bin, as in scikit-learn; relative to the range of a column below 1
MAX_BINS = 2**31 - 1  # Columns of zeros and ones are numbered in 32 bits.
MAX_COMPARED_EDGES = 32  # inner edges; of more, a search is faster
VALUES_AT_ONCE = 2**15
MAX_ROUNDS = 10_000  # of k-means of one column, which ends by itself long before


class KBinsDiscretizer(Transformer, Estimator):
    """Cut each feature into intervals.

    Parameters
    ----------
    n_bins : int or array-like of shape (d,), default=5
        Bins of each feature, 2 or more.
    encode : {"onehot", "onehot-dense", "ordinal"}, default="onehot"
        Give a column of zeros and ones for each bin, as a sparse matrix or an array, or the number
        of the bin.
    strategy : {"quantile", "uniform", "kmeans"}, default="quantile"
        Bins of as many samples, of one width, or each around a center of k-means of the column,
        started at the middles of bins of one width.
    quantile_method : str, default="averaged_inverted_cdf"
        Definition of a quantile, one of those of ``numpy.quantile`` that are of Hyndman and Fan.
        Weights go with "averaged_inverted_cdf" and "inverted_cdf".
    dtype : {numpy.float32, numpy.float64}, optional
        Of what is given; None is that of the samples.

    Attributes
    ----------
    bin_edges_ : ndarray of shape (d,), of ndarray of shape (bins + 1,)
        Ascending. A constant feature has one bin, from -infinity to infinity.
    n_bins_ : ndarray of int of shape (d,)
        Bins of each feature. Those too narrow are left out, with a warning: as in scikit-learn
        not above 1e-8, or 1e-8 of the range of a feature that is less than 1.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if X holds NaN or infinity, or values whose differences overflow; for weights
        with other quantiles than those two.

    See Also
    --------
    PiecewiseLinearFeatures : Columns that are linear between knots.

    Notes
    -----
    A value at an edge is in the bin above it; values beyond the first and the last edge are in the
    first and the last bin. All samples are looked at: scikit-learn's `subsample` and
    `random_state` are accepted and change nothing. Fit: a sort of each column, O(n d log n), then
    O(n_bins log n) for a step of k-means; transform: O(n d log n_bins). Memory for a column.

    References
    ----------
    J. Dougherty, R. Kohavi, M. Sahami (1995), "Supervised and unsupervised discretization of
    continuous features", ICML 1995, 194-202. doi:10.1016/B978-1-55860-377-6.50032-3

    R. J. Hyndman, Y. Fan (1996), "Sample quantiles in statistical packages".
    doi:10.1080/00031305.1996.10473566

    Examples
    --------
    >>> from statfast.preprocessing import KBinsDiscretizer
    >>> ages = [[3.0], [8.0], [21.0], [35.0], [52.0], [90.0]]
    >>> bins = KBinsDiscretizer(3, encode="ordinal").fit(ages)
    >>> bins.bin_edges_[0].tolist()
    [3.0, 14.5, 43.5, 90.0]
    >>> bins.transform([[14.5], [1000.0]]).ravel().tolist()
    [1.0, 2.0]
    """

    _middles: Any = fitted()
    _encoder: Any = fitted()

    n_bins: int | ArrayLike = param(by_fit, default=5, kw_only=False)
    encode: Literal["onehot", "onehot-dense", "ordinal"] = param(
        one_of("onehot", "onehot-dense", "ordinal"), default="onehot"
    )
    strategy: Literal["uniform", "quantile", "kmeans"] = param(
        one_of("uniform", "quantile", "kmeans"), default="quantile"
    )
    quantile_method: str = param(one_of(*METHODS), default="averaged_inverted_cdf")
    dtype: Any = param(by_fit, default=None)

    bin_edges_: Array = fitted()
    n_bins_: Array = fitted()

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Choose the edges of the bins.

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
        self : KBinsDiscretizer
        """
        self._checked()
        dtype = self._output_dtype()
        rows = as_rows(X)
        n, d = rows.shape
        weights = as_weights(sample_weight, n)
        wanted = self._wanted_bins(d)
        between = self.strategy == "quantile" and self.quantile_method not in STEPS
        if weights is not None and between:
            raise ValueError(
                "quantile_method must be 'averaged_inverted_cdf' or 'inverted_cdf' with "
                f"sample_weight; got {self.quantile_method!r}. Leave one of them out."
            )
        labels = column_labels(column_names(X), d)
        edges, middles = np.empty(d, dtype=object), []
        for j, (column, label) in enumerate(zip(columns(rows), labels, strict=True)):
            checkpoint()
            edges[j], middle = self._edges(column, weights, int(wanted[j]), label)
            middles.append(middle)
        bins = np.array([len(of_column) - 1 for of_column in edges], dtype=np.int64)
        fitted = {"bin_edges_": edges, "n_bins_": bins, "_middles": middles}
        if self.encode != "ordinal":
            encoder = OneHotEncoder(
                categories=[np.arange(float(b)) for b in bins],
                sparse_output=self.encode == "onehot",
                dtype=dtype or rows.dtype,
            )
            fitted["_encoder"] = encoder.fit(np.zeros((1, d)))
        return self._publish(X, **fitted)

    def transform(self, X: Rows) -> Any:
        """Tell the bin of each value.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to transform.

        Returns
        -------
        csr_array of shape (m, bins), or ndarray of shape (m, bins) or (m, d)
            Of `dtype`; the table asked for by `set_output`, which none is for sparse rows.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        dtype = self._output_dtype()
        rows = rows_for(self, X)
        bins = _reached(rows, self.bin_edges_, dtype or rows.dtype)
        if self.encode == "ordinal":
            return bins
        places = list(bins.T.astype(np.intp))
        return self._encoder._encoded(places).astype(dtype or rows.dtype, copy=False)

    def inverse_transform(self, X: Rows) -> Any:
        """Return the middle of each bin.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, columns)
            Transformed samples.

        Returns
        -------
        ndarray of shape (m, d)
            The value itself of a feature that was constant at fit.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X has other columns than `transform` gives, or numbers of no bin.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        d = self.n_features_in_
        sparse = is_sparse(X)
        held: Any = as_csr(X) if sparse else as_rows(X)
        given = getattr(X, "dtype", None) if sparse else held.dtype
        kind = np.float32 if given == np.float32 else np.float64
        codes = held if self.encode == "ordinal" else self._encoder.inverse_transform(held)
        codes = codes.toarray() if is_sparse(codes) else codes
        if codes.shape[1] != d:
            raise ValueError(f"X has {codes.shape[1]} features, but {d} are expected.")
        out = np.empty(codes.shape, dtype=kind)
        for j, (middle, bins) in enumerate(zip(self._middles, codes.T, strict=True)):
            # As in scikit-learn, a fraction is cut.
            wrong = (bins <= -1) | (bins >= len(middle))
            if wrong.any():
                raise ValueError(
                    f"X holds {bins[wrong][0]} in column {j}, whose bins are numbered from 0 to "
                    f"{len(middle) - 1}. Pass what transform gave."
                )
            out[:, j] = middle[bins.astype(np.intp)]
        return out

    # ------------------------------------------------------------ edges
    def _output_dtype(self) -> Any:
        if self.dtype is None:
            return None
        try:
            kind = np.dtype(self.dtype)
        except TypeError:
            kind = None
        if kind not in FLOATS:
            raise wrong_type("dtype", "numpy.float32, numpy.float64 or None", self.dtype)
        return kind

    def _wanted_bins(self, d: int) -> Array:
        if isinstance(self.n_bins, Integral):
            return np.full(d, as_count(self.n_bins, "n_bins", 2, MAX_BINS // d))
        if self.n_bins is None or isinstance(self.n_bins, str | bytes | float):
            raise wrong_type("n_bins", "an integer, or one for each column", self.n_bins)
        wanted = to_array(self.n_bins, "n_bins", "an integer, or one for each column")
        if wanted.shape != (d,):
            raise ValueError(
                "n_bins must be a scalar or array of shape (n_features,), "
                f"({d},) here; got {wanted.shape}."
            )
        for k, number in enumerate(wanted.tolist()):
            whole = isinstance(number, int | float) and number == int(number)
            if isinstance(number, bool) or not whole or not 2 <= number <= MAX_BINS // d:
                raise ValueError(
                    "KBinsDiscretizer received an invalid number of bins at indices "
                    f"{k}: n_bins must hold integers of at least 2; got {shown(number)}."
                )
        return wanted.astype(np.intp)

    def _edges(self, column: Array, weights: Array | None, bins: int, label: Any) -> Any:
        """The edges of the bins of a column, and the middle of each."""
        held = column if weights is None else column[weights > 0]
        low, high = float(held.min()), float(held.max())
        if low == high:
            warn_user(f"Feature {label} is constant and will be replaced with 0.")
            return np.array([-np.inf, np.inf]), np.array([low])
        width = high - low
        if width == np.inf:
            raise ValueError(
                f"X holds values in column {label} so far apart that their difference overflows. "
                "Rescale it."
            )
        shares: Any = np.arange(bins + 1) / bins
        if self.strategy == "uniform":
            edges = np.linspace(low, high, bins + 1)
        elif self.strategy == "kmeans":
            centers = _centers(*sorted_column(column, weights), bins)
            edges = np.concatenate([[low], 0.5 * centers[1:] + 0.5 * centers[:-1], [high]])
        elif self.quantile_method in STEPS:
            edges = step_quantiles(column, weights, shares, self.quantile_method == STEPS[0])
        else:
            method: Any = self.quantile_method
            edges = np.quantile(column.astype(np.float64, copy=False), shares, method=method)
        if self.strategy != "uniform":
            wide = np.diff(edges, prepend=-np.inf) > MIN_WIDTH * min(1.0, width)
            edges = edges[wide]
            if len(edges) <= bins:
                warn_user(
                    f"Bins whose width are too small (i.e., <= 1e-8) in feature {label} are "
                    "removed. Consider decreasing the number of bins."
                )
        return edges, 0.5 * edges[1:] + 0.5 * edges[:-1]

    def _named(self, names: list[str]) -> list[str]:
        return names if self.encode == "ordinal" else self._encoder._named(names)


# ---------------------------------------------------------------- bins of values
def _reached(rows: Array, edges: Array, kind: Any) -> Array:
    """The number of inner edges that each value reaches: of few edges, each is compared with all
    values of a block of rows; of many, each value is searched among them."""
    out = np.empty(rows.shape, dtype=kind)
    most = max(len(of_column) - 2 for of_column in edges)
    if most > MAX_COMPARED_EDGES:
        for j, of_column in enumerate(edges):
            out[:, j] = np.searchsorted(of_column[1:-1], rows[:, j], side="right")
        return out
    inner = np.full((most, len(edges)), np.inf)  # No value reaches infinity.
    for j, of_column in enumerate(edges):
        inner[: len(of_column) - 2, j] = of_column[1:-1]
    step = max(1, VALUES_AT_ONCE // len(edges))
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        reached = np.zeros(block.shape, dtype=np.uint8)
        for edge in inner:
            reached += block >= edge
        out[start : start + step] = reached
    return out


# ---------------------------------------------------------------- k-means of a column
def _centers(values: Array, below: Array, k: int) -> Array:
    """Ascending centers of k-means of sorted values, Lloyd's steps from the middles of k intervals.

    Each cluster is a run of the values, whose sum is a difference of sums up to its ends, until
    the runs stay; then the sums are those of the runs, which lose no digits. A cluster without
    values gets the value farthest from its center, as in scikit-learn.
    """
    first = np.flatnonzero(np.diff(values, prepend=-np.inf) > 0)
    points, ends = values[first], np.append(first[1:], len(values)) - 1
    if len(points) <= k:
        return points
    # About the middle, and in units of the range, so that sums keep their digits.
    origin, unit = 0.5 * points[0] + 0.5 * points[-1], points[-1] - points[0]
    spread, weight = (points - origin) / unit, np.diff(below[ends], prepend=0.0)
    sums, totals = np.append(0.0, np.cumsum(weight * spread)), np.append(0.0, below[ends])
    centers = (np.arange(k) + 0.5) / k - 0.5
    runs, exact = np.zeros(k + 1, dtype=np.intp), False
    for _ in range(MAX_ROUNDS):
        checkpoint()
        before = runs
        middles = 0.5 * centers[1:] + 0.5 * centers[:-1]
        runs = np.concatenate([[0], np.searchsorted(spread, middles, side="right"), [len(points)]])
        if (runs[1:] == runs[:-1]).any():
            centers, exact = _with_farthest(spread, weight, centers, runs), False
        elif not (runs == before).all() and not exact:
            centers = np.diff(sums[runs]) / np.diff(totals[runs])
        elif not exact or not (runs == before).all():
            starts, exact = runs[:-1], True
            centers = np.add.reduceat(weight * spread, starts) / np.add.reduceat(weight, starts)
        else:
            break
    return centers * unit + origin


def _with_farthest(spread: Array, weight: Array, centers: Array, runs: Array) -> Array:
    """Centers of the runs, of which those that are empty get the values farthest from theirs."""
    k, sizes = len(centers), np.diff(runs)
    members, empty = np.repeat(np.arange(k), sizes), np.flatnonzero(sizes == 0)
    distances = np.abs(spread - centers[members])
    members[np.argsort(-distances, kind="stable")[: len(empty)]] = empty
    total, sums = np.bincount(members, weight, k), np.bincount(members, weight * spread, k)
    return np.sort(np.divide(sums, total, where=total > 0, out=centers.copy()))

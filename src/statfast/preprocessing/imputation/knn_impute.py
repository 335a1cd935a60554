# SPDX-License-Identifier: BSD-3-Clause
"""Imputation of missing values by those of the nearest samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from statfast._core.preprocessing.donors import PANEL_POINTS, nearest, squared_distances
from statfast._engine import checkpoint, each
from statfast._estimator import (
    Estimator,
    Transformer,
    by_fit,
    callable_,
    count,
    fitted,
    flag,
    one_of,
    param,
)
from statfast._linalg import power_of_two
from statfast._typing import Array, Rows
from statfast._validation import (
    as_rows,
    explain_nonfinite,
    is_missing,
    not_fitted,
    rows_for,
)
from statfast.preprocessing.imputation.missing import PREFIX, have_marks, missing_marks, with_marks

OPERATIONS_A_CALL = 30_000_000  # of a kernel: within 0.1 s
MAX_ROWS_A_TASK = 64  # queries whose distances are held together
NAN_EUCLIDEAN = "nan_euclidean"


class KNNImputer(Transformer, Estimator):
    """Imputation of missing values by the mean of those of the nearest samples that have them.

    Parameters
    ----------
    missing_values : number or nan, default=nan
        What stands for a missing value; None stands for NaN, and for pandas' NA.
    n_neighbors : int, default=5
        Number of neighbors, fewer where fewer have the feature.
    weights : {"uniform", "distance"} or callable, default="uniform"
        Weights of the neighbors: all alike, or one over the distance, where those at distance 0
        are the only ones. A callable gets distances of shape (gaps, k) in ascending order, NaN
        where there is no neighbor, and returns weights of that shape.
    metric : "nan_euclidean" or callable, default="nan_euclidean"
        Euclidean distance of the features that both samples have, times the root of the share of
        these among all. A callable gets two samples and ``missing_values=``, and returns a number,
        NaN for none.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.
    add_indicator : bool, default=False
        Append a column of zeros and ones for each column that had missing values at fit.
    keep_empty_features : bool, default=False
        Keep columns of which all values are missing at fit, filled by 0.

    Attributes
    ----------
    indicator_features_ : ndarray of int
        Columns with missing values at fit.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if X holds infinity, or NaN where `missing_values` is something else.

    See Also
    --------
    SimpleImputer : Fills missing values by one value for each feature.
    MissingIndicator : The columns of `add_indicator` alone.

    Notes
    -----
    Of samples as near, those that come first in the training data are the neighbors. Distances are
    summed from differences in float64, and lose no digits. A sample that has no feature in common
    with any that have the one it lacks is given the mean of that feature.

    All threads are used. O(m n d) time for m samples with missing values of n fitted ones, with
    O(m g (n + k)) for g missing values in each; 8 n d bytes for the fitted samples, and 8 n bytes
    for each of 64 samples a thread.

    References
    ----------
    O. Troyanskaya et al. (2001), "Missing value estimation methods for DNA microarrays".
    doi:10.1093/bioinformatics/17.6.520

    J. K. Dixon (1979), "Pattern recognition with partly missing data".
    doi:10.1109/TSMC.1979.4310090

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.preprocessing import KNNImputer
    >>> X = [[1.0, 2.0], [1.5, np.nan], [2.0, 4.0], [50.0, 90.0]]
    >>> KNNImputer(n_neighbors=2).fit_transform(X)[1]
    array([1.5, 3. ])
    >>> KNNImputer(n_neighbors=2, weights="distance").fit(X).transform([[1.25, np.nan]])
    array([[1.25, 2.5 ]])
    """

    _passes_nan = False

    missing_values: float | None = param(by_fit, default=np.nan)
    n_neighbors: int = param(count(), default=5)
    weights: Literal["uniform", "distance"] | Callable[..., Any] = param(
        callable_ | one_of("uniform", "distance"), default="uniform"
    )
    metric: Literal["nan_euclidean"] | Callable[..., Any] = param(
        callable_ | one_of(NAN_EUCLIDEAN), default=NAN_EUCLIDEAN
    )
    copy: bool = param(flag, default=True)
    add_indicator: bool = param(flag, default=False)
    keep_empty_features: bool = param(flag, default=False)

    indicator_features_: Array = fitted()
    _donors: Array = fitted()
    _present: Array = fitted()
    _means: Array = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Keep the samples.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : KNNImputer
        """
        self._checked()
        rows = as_rows(X, finite=False)
        missing = missing_marks(rows, self.missing_values)
        donors = np.where(missing, np.nan, rows)
        present = np.ascontiguousarray(~missing.T)
        counts = present.sum(axis=1)
        # Over a power of two, so that sums of large values do not overflow.
        power = power_of_two(_largest(donors))
        sums = np.where(present.T, np.ldexp(donors.astype(np.float64), -power), 0.0).sum(axis=0)
        return self._publish(
            X,
            indicator_features_=np.flatnonzero(have_marks(missing)),
            _donors=donors,
            _present=present,
            _means=np.ldexp(sums / np.maximum(counts, 1), power),
        )

    def transform(self, X: Rows) -> Any:
        """Impute the missing values.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to transform.

        Returns
        -------
        ndarray of shape (m, columns that are kept)
            float32 for float32 rows, else float64; the table asked for by `set_output`.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a 2-d array with the columns of the fitted one, or a callable gives
            distances or weights of another shape, or that are negative.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        params = self._checked()
        rows = rows_for(self, X, finite=False)
        missing = missing_marks(rows, self.missing_values)
        filled = np.where(missing, 0.0, rows).astype(rows.dtype)
        full = self._present.any(axis=1)
        wanted = missing & full
        lacking = np.flatnonzero(wanted.any(axis=1))
        if len(lacking):
            queries = np.where(missing, np.nan, rows)[lacking].astype(np.float64)
            self._impute(filled, lacking, queries, wanted[lacking], params)
        explain_nonfinite(filled, "X with imputed values")
        if params.keep_empty_features:
            filled[:, ~full] = 0.0
        elif not full.all():
            filled = filled[:, full]
        if not params.add_indicator:
            return filled
        return with_marks(filled, missing, self.indicator_features_)

    def _impute(
        self, filled: Array, lacking: Array, queries: Array, wanted: Array, params: Any
    ) -> None:
        """Fill the gaps of the rows `lacking`, which are `queries` with NaN where they are."""
        power = power_of_two(max(_largest(self._donors), _largest(queries)))
        donors, queries = np.ldexp(self._donors, -power), np.ldexp(queries, -power)
        d, n = self._present.shape
        k = min(params.n_neighbors, n)
        metric = params.metric
        panels = None if callable(metric) else in_panels(donors)
        present = self._present.view(np.uint8)

        def fill(block: slice) -> None:
            part, gaps = queries[block], wanted[block]
            if panels is None:
                squares = self._measured(queries[block], power)
            else:
                squares = _squares(part, panels)
            query, gap = map(np.ascontiguousarray, np.nonzero(gaps))
            least, who = np.empty((len(query), k)), np.empty((len(query), k), dtype=np.intp)
            at_once = max(1, OPERATIONS_A_CALL // n)
            for start in range(0, len(query), at_once):
                checkpoint()
                some = slice(start, start + at_once)
                nearest(squares, present, query[some], gap[some], least[some], who[some])
            values = donors[who, gap[:, None]]
            distances = np.where(who < 0, np.nan, np.ldexp(np.sqrt(least), power))
            means = _weighted_means(values, distances, params.weights)
            nowhere = who[:, 0] < 0
            with np.errstate(over="ignore"):
                imputed = np.where(nowhere, self._means[gap], np.ldexp(means, power))
                filled[lacking[block][query], gap] = imputed

        step = int(np.clip(OPERATIONS_A_CALL // (n * d), 1, MAX_ROWS_A_TASK))
        blocks = [slice(start, start + step) for start in range(0, len(queries), step)]
        alone = callable(metric) or callable(params.weights)
        effort = 0.0 if alone else 5.0 * len(queries) * n * d
        each(fill, blocks, effort=effort)

    def _measured(self, queries: Array, power: int) -> Array:
        """Squared distances by a function of the user's, infinity for none."""
        metric: Any = self.metric
        value = np.nan if self.missing_values is None else self.missing_values
        a, b = (
            np.where(np.isnan(rows), value, rows)
            for rows in (np.ldexp(queries, power), self._donors.astype(np.float64))
        )
        distances = np.empty((len(a), len(b)))
        for i, row in enumerate(a):
            checkpoint()
            distances[i] = [metric(row, other, missing_values=value) for other in b]
        distances = np.ldexp(distances, -power)
        if (distances < 0).any():
            raise ValueError("metric must give distances of at least 0, or NaN; got less.")
        return np.where(np.isnan(distances), np.inf, distances * distances)

    def _named(self, names: list[str]) -> list[str]:
        kept = np.asarray(self._present.any(axis=1))
        out = [
            name for name, has in zip(names, kept, strict=True) if has or self.keep_empty_features
        ]
        if self.add_indicator:
            out += [f"{PREFIX}{names[j]}" for j in self.indicator_features_]
        return out

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = is_missing(self.missing_values)
        return tags


def in_panels(donors: Array) -> Array:
    """Donors in panels, in each of which they stand feature by feature; filled up by NaN."""
    n, d = donors.shape
    panels = np.full((-(-n // PANEL_POINTS), d, PANEL_POINTS), np.nan)
    for p, panel in enumerate(panels):
        some = donors[p * PANEL_POINTS : (p + 1) * PANEL_POINTS]
        panel[:, : len(some)] = some.T
    return panels


def _squares(queries: Array, panels: Array) -> Array:
    """Squared distances of some queries to all donors, infinity for none."""
    has = ~np.isnan(queries)
    starts = np.append(0, np.cumsum(has.sum(axis=1)))
    features = np.ascontiguousarray(np.nonzero(has)[1])
    squares = np.empty((len(queries), len(panels) * PANEL_POINTS))
    step = max(1, OPERATIONS_A_CALL // (PANEL_POINTS * queries.size))
    for start in range(0, len(panels), step):
        checkpoint()
        places = slice(start * PANEL_POINTS, (start + step) * PANEL_POINTS)
        part = np.empty((len(queries), min(step, len(panels) - start) * PANEL_POINTS))
        squared_distances(queries, starts, features, panels[start : start + step], part)
        squares[:, places] = part
    return squares


def _weighted_means(values: Array, distances: Array, weights: Any) -> Array:
    """Means of the values of neighbors (T, k), whose distances are NaN where there is none."""
    there = ~np.isnan(distances)
    if callable(weights):
        share = np.array(weights(distances.copy()), dtype=np.float64)
        if share.shape != distances.shape:
            raise ValueError(
                f"weights must give an array of shape {distances.shape}; got {share.shape}."
            )
        share = np.where(np.isnan(share) | ~there, 0.0, share)
    elif weights == "distance":
        zero = distances == 0
        # Over the least distance, so that no quotient overflows.
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(zero.any(axis=1, keepdims=True), zero, distances[:, :1] / distances)
        share = np.where(there, share, 0.0)
    else:
        share = there.astype(np.float64)
    total = share.sum(axis=1)
    if ((total <= 0) & there.any(axis=1)).any() or not np.isfinite(total).all():
        raise ValueError(
            "weights must have a positive and finite sum over the neighbors of each gap; got "
            f"{total.min()}. Add a small number to all of them."
        )
    products = share * np.where(there, values, 0.0)
    return products.sum(axis=1) / np.where(total > 0, total, 1.0)


def _largest(rows: Array) -> float:
    """The largest size of a value that is not missing, or 0."""
    there = rows[~np.isnan(rows)]
    return float(np.abs(there).max()) if len(there) else 0.0

# SPDX-License-Identifier: BSD-3-Clause
"""The selector of columns that vary."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from statfast._engine import Chunks
from statfast._estimator import (
    ROW_DTYPES,
    FitState,
    MomentsByClass,
    SumFit,
    fitted,
    moments_by_class,
    param,
    real,
    require_sound_squares,
)
from statfast._typing import Array, Rows, Weights
from statfast._validation import (
    as_csr,
    as_rows,
    as_weights,
    column_names,
    is_sparse,
)
from statfast.feature_selection.selector import FeatureSelector, best_first


class VarianceThreshold(FeatureSelector, SumFit):
    """Keep the features whose variance is above a threshold: by default, those that vary at all.

    Parameters
    ----------
    threshold : float, default=0.0
        Features with a variance that is not larger are removed.

    Attributes
    ----------
    variances_ : ndarray of shape (d,)
        Variances, with divisor n, of the values that are not missing; NaN of a column of NaN.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if X holds infinity, or values whose squares overflow or vanish, or if no
        variance is above the threshold.

    See Also
    --------
    SelectKBest : Features that tell of a target.

    Notes
    -----
    One pass: sums about a row of each block, merged in pairs [1]_, so that a constant column has a
    variance of exactly 0 wherever it lies. NaN counts for nothing. Variances depend on units: with
    a threshold above 0 features should be measured on one scale. Rows may be dense, CSR, `Chunks`,
    parts or Dask collections. Cost O(n d), memory O(d) a thread.

    References
    ----------
    .. [1] Chan, T. F., Golub, G. H. and LeVeque, R. J. (1983). Algorithms for computing the sample
       variance. The American Statistician 37, 242-247. https://doi.org/10.2307/2683386

    Examples
    --------
    >>> from statfast import VarianceThreshold
    >>> X = [[0.0, 2.0, 0.1], [0.0, 1.0, 0.1], [0.0, 1.0, 0.2]]
    >>> VarianceThreshold().fit_transform(X)
    array([[2. , 0.1],
           [1. , 0.1],
           [1. , 0.2]])
    """

    threshold: float = param(real(0), default=0.0, kw_only=False)

    variances_: NDArray[np.float64] = fitted()

    _takes_missing = True

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Compute the variances.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or Chunks
            Training samples; NaN is missing.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self
        """
        return self._fit_sum(X, y, sample_weight)

    # ------------------------------------------------------------ the protocol of sums
    _solve_parameters = ("threshold",)

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> tuple[tuple[Any, ...], FitState]:
        self._checked()
        if isinstance(X, Chunks):
            return (X, as_weights(sample_weight, None)), FitState(0)
        rows = as_csr(X) if is_sparse(X) else as_rows(X, keep=ROW_DTYPES, finite=False)
        weights = as_weights(sample_weight, rows.shape[0])
        return (rows, weights), FitState(rows.shape[1], column_names(X))

    @staticmethod
    def _statistics(columns: tuple[Any, ...], state: FitState) -> MomentsByClass:
        rows, weights = columns
        codes = np.zeros(rows.shape[0], np.intp)
        moments = moments_by_class(rows, codes, weights, 1, missing=True)
        require_sound_squares(rows, weights, moments.squares, moments.means, missing=True)
        return moments

    def _solve(self, moments: MomentsByClass, state: FitState) -> Self:
        threshold = self._checked_value("threshold")
        weights = moments.class_counts[0]
        with np.errstate(invalid="ignore"):
            variances = np.where(weights > 0.0, moments.squares[0] / weights, np.nan)
        if not (variances > threshold).any():
            few = " (X contains only one sample)" if weights.max() <= 1.0 else ""
            raise ValueError(
                f"No feature in X meets the variance threshold {threshold:.5f}{few}. Lower "
                "threshold, or pass features that vary."
            )
        published = {**state.published(), "n_features_in_": len(variances)}
        return self._publish(None, variances_=variances, **published)

    # ------------------------------------------------------------ the fitted selector
    def _support(self) -> NDArray[np.bool_]:
        return self.variances_ > self._checked_value("threshold")

    def _table(self) -> Any:
        facts = [("Threshold", float(self.threshold))]
        columns: dict[str, Array] = {"Variance": self.variances_}
        return facts, columns, best_first(self.variances_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags

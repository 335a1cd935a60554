# SPDX-License-Identifier: BSD-3-Clause
"""Standardization of columns by their means and standard deviations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from statfast._engine import Chunks
from statfast._estimator import (
    ColumnMoments,
    FitState,
    SumFit,
    Transformer,
    column_moments,
    fitted,
    flag,
    param,
    summed,
)
from statfast._typing import Array, Rows, Weights
from statfast._validation import (
    as_csr,
    as_rows,
    as_weights,
    column_names,
    is_sparse,
    not_fitted,
    require_finite,
    rows_for,
)
from statfast.preprocessing.scaling.affine import (
    in_blocks,
    less_and_over,
    refuse_other_columns,
    sparse_scaled,
    times_and_more,
)

CENTERED = "Cannot center sparse matrices, as X is one: pass `with_mean=False` instead."

NUMBERS_OF_BLOCK = 1 << 15  # numbers of rows whose moments take longer than the calls


class StandardScaler(Transformer, SumFit):
    """Standardize each feature to mean 0 and standard deviation 1.

    Parameters
    ----------
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.
    with_mean : bool, default=True
        Take the means off. Sparse samples, which would no longer be sparse, need False.
    with_std : bool, default=True
        Divide by the standard deviations.

    Attributes
    ----------
    mean_ : ndarray of shape (d,), or None
        None if neither means nor standard deviations are wanted.
    var_ : ndarray of shape (d,), or None
        With divisor n; None without `with_std`.
    scale_ : ndarray of shape (d,), or None
        Standard deviations; 1 for a constant column. None without `with_std`.
    n_samples_seen_ : int, float or ndarray of shape (d,)
        Samples, or the sum of their weights; of each column where some have missing values.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if X holds infinity, or values whose squares overflow or vanish.
    TypeError
        If X is sparse and means are to be taken off.

    See Also
    --------
    statfast.pipeline.Pipeline : Scaling as a part of a model, so that folds held out do not leak.

    Notes
    -----
    One pass: sums about a row of each block, merged in pairs [1]_, so that columns far from zero
    lose no digits, and a constant column is found to be exactly that. A variance that rounding of
    the mean explains counts as 0, as in scikit-learn. NaN is a value that is missing: it is passed
    over by ``fit``, and stays in place. Rows may be dense, CSR or `Chunks`; float32
    rows give float32. Cost O(n d), memory O(d) a thread.

    References
    ----------
    .. [1] Chan, T. F., Golub, G. H. and LeVeque, R. J. (1983). Algorithms for computing the sample
       variance. The American Statistician 37, 242-247. https://doi.org/10.2307/2683386

    Examples
    --------
    >>> from statfast.preprocessing import StandardScaler
    >>> StandardScaler().fit_transform([[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]]).round(3)
    array([[-1.225,  0.   ],
           [ 0.   ,  0.   ],
           [ 1.225,  0.   ]])
    """

    copy: bool = param(flag, default=True)
    with_mean: bool = param(flag, default=True)
    with_std: bool = param(flag, default=True)

    mean_: Any = fitted()
    var_: Any = fitted()
    scale_: Any = fitted()
    n_samples_seen_: Any = fitted()

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Compute means and standard deviations.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or Chunks
            Training samples.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : StandardScaler
        """
        return self._fit_sum(X, y, sample_weight)

    def partial_fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Update means and standard deviations with more samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        self : StandardScaler
        """
        if self.__sklearn_is_fitted__():
            refuse_other_columns(self, X)
        return self._merge_sum(*self._prepare(X, y, sample_weight))

    # ------------------------------------------------------------ the protocol of sums

    _fits_from_moments = True
    _solve_parameters = ("copy", "with_mean", "with_std")

    def _prepare(
        self, X: Any, y: Any, sample_weight: Weights
    ) -> tuple[tuple[Chunks | Array, Array | None], FitState]:
        centers = self._checked().with_mean
        if isinstance(X, Chunks):
            rows = X
            return (rows, as_weights(sample_weight, None)), FitState(0)
        if is_sparse(X):
            if centers:
                raise TypeError(CENTERED)
            rows = as_csr(X, allow_nan=True)
        else:
            rows = as_rows(X, finite=False)
        weights = as_weights(sample_weight, rows.shape[0])
        return (rows, weights), FitState(rows.shape[1], column_names(X))

    @staticmethod
    def _statistics(columns: tuple[Array, Array | None], state: FitState) -> ColumnMoments:
        return column_moments(*columns, allow_nan=True)

    def _total(
        self, columns: tuple[Chunks | Array, Array | None], state: FitState
    ) -> ColumnMoments:
        rows = columns[0]
        if isinstance(rows, Chunks):
            return summed(self._statistics, columns, state)
        n, d = rows.shape
        least = max(256, NUMBERS_OF_BLOCK // max(d, 1))
        return summed(self._statistics, columns, state, effort=8.0 * n * d, least=least)

    def _solve(self, moments: ColumnMoments, state: FitState) -> Self:
        spread = self._checked_value("with_std")
        wanted = spread or self._checked_value("with_mean")
        seen = np.unique(moments.total_weight)  # one number, unless columns have missing values
        empty = np.asarray(moments.total_weight) == 0.0
        names = {} if state.names is None else {"feature_names_in_": state.names}
        return self._publish(
            None,
            mean_=np.where(empty, np.nan, moments.mean) if wanted else None,
            var_=moments.variances() if spread else None,
            scale_=moments.scales() if spread else None,
            n_samples_seen_=_as_counts(seen[0] if len(seen) == 1 else moments.total_weight),
            n_features_in_=len(moments.mean),
            **names,
            _moments=moments,
        )

    # ------------------------------------------------------------ rows

    def transform(self, X: Rows, copy: bool | None = None) -> Any:
        """Standardize the features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to transform.
        copy : bool, optional
            Kept for scikit-learn's sake: input is never modified.

        Returns
        -------
        ndarray or csr_array of shape (m, d)
            float32 for float32 rows, else float64; the table asked for by `set_output`.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a 2-d array with the columns of the fitted one, holds infinity, or a scaled
            value is beyond its type.
        """
        shift, scale = self._shift_and_scale()
        return self._applied(X, np.divide, less_and_over(shift, scale))

    def inverse_transform(self, X: Rows, copy: bool | None = None) -> Any:
        """Undo `transform`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Transformed samples.
        copy : bool, optional
            Kept for scikit-learn's sake: input is never modified.

        Returns
        -------
        ndarray or csr_array of shape (m, d)

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            As for `transform`.
        """
        shift, scale = self._shift_and_scale()
        return self._applied(X, np.multiply, times_and_more(scale, shift), named=False)

    def _shift_and_scale(self) -> tuple[Array, Array]:
        """The numbers subtracted from columns (d,), and those by which they are divided (d,)."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        d = self.n_features_in_
        shift = self.mean_ if self.with_mean and self.mean_ is not None else np.zeros(d)
        return shift, np.ones(d) if self.scale_ is None else self.scale_

    def _applied(
        self,
        X: Any,
        sparse: Callable[..., Any],
        dense: Callable[..., Any],
        named: bool = True,
    ) -> Any:
        if is_sparse(X):
            shift, scale = self._shift_and_scale()
            if shift.any() or self.with_mean:
                raise TypeError(CENTERED)
            return sparse_scaled(self, X, scale, sparse, named)
        rows = rows_for(self, X, named=named, finite=False)
        require_finite(rows, allow_nan=True)
        return in_blocks(rows, dense)

    def _named(self, names: list[str]) -> list[str]:
        return names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.with_mean
        tags.input_tags.allow_nan = True
        return tags


def _as_counts(weights: Any) -> Any:
    """A number or an array of weights, as integers where all of them are."""
    if np.all(weights == np.floor(weights)):
        return int(weights) if np.ndim(weights) == 0 else weights.astype(np.int64)
    return float(weights) if np.ndim(weights) == 0 else weights

# SPDX-License-Identifier: BSD-3-Clause
"""Incremental principal component analysis, exact: its sums merge."""

from __future__ import annotations

from typing import Self

import numpy as np

from statfast._engine import Chunks, checkpoint
from statfast._estimator import FitState, count, fitted, flag, nothing, param
from statfast._typing import Array, Rows
from statfast._validation import (
    as_csr,
    as_flag,
    as_rows,
    column_names,
    is_sparse,
    rows_for,
)
from statfast.decomposition.components.decompose import (
    from_moments,
    most_components,
    settled,
)
from statfast.decomposition.components.moments import (
    block_moments,
    moments_of,
    require_finite_moments,
)
from statfast.decomposition.components.number import as_rule
from statfast.decomposition.pca.likelihood import ProbabilisticComponents
from statfast.decomposition.pca.model import KEPT, ComponentModel


class IncrementalPCA(ProbabilisticComponents, ComponentModel):
    """Incremental principal component analysis: the exact PCA of all batches.

    The weight, mean and scatter of the batches are merged, so that the components do not depend on
    how the rows are cut, and nothing is lost from one batch to the next.

    Parameters
    ----------
    n_components : int or None, default=None
        How many to keep; None keeps min(n, d).
    whiten : bool, default=False
        Divide scores by their standard deviation.
    copy : bool, default=True
        Without meaning: X is never modified.
    batch_size : int or None, default=None
        Rows that ``fit`` reads at a time; None is five times the columns. The answer is the same,
        but for rounding.

    Attributes
    ----------
    components_ : ndarray of shape (k, d)
        Directions, by falling variance, the largest entry of each positive.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (k,)
        Variance of the scores, and its fraction of that of all columns.
    singular_values_ : ndarray of shape (k,)
        Singular values of the centered data.
    mean_, var_ : ndarray of shape (d,)
        Mean of the columns, and their variance with divisor n.
    noise_variance_ : float
        Mean variance of the components left out.
    n_components_, n_samples_seen_, n_samples_, batch_size_, n_features_in_ : int
        Numbers of components, of samples seen, and of features.

    Raises
    ------
    ValueError
        From ``fit``: if X is not a finite 2-d array of two rows or more, or more components are
        asked for than it has rows or columns.

    Notes
    -----
    `PCA` has `partial_fit`, too, and more to say; this class is for those who know it by this name.
    Others of this name keep a few singular vectors, and approximate. Components with equal variance
    are any basis of their plane. O(n d^2) time; O(d^2) memory, whatever the number of rows.

    References
    ----------
    Chan, Golub & LeVeque 1983, Algorithms for computing the sample variance,
    doi:10.1080/00031305.1983.10483115.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.decomposition import IncrementalPCA
    >>> iris, pca = load_iris(), IncrementalPCA(n_components=2)
    >>> for start in range(0, 150, 30):
    ...     pca = pca.partial_fit(iris.data[start : start + 30])
    >>> pca.explained_variance_ratio_.round(3).tolist()
    [0.925, 0.053]
    """

    n_components: int | None = param(nothing | count(), default=None, kw_only=False)
    whiten: bool = param(flag, default=False)
    copy: bool = param(flag, default=True)
    batch_size: int | None = param(nothing | count(), default=None)

    components_: Array = fitted()
    explained_variance_: Array = fitted()
    explained_variance_ratio_: Array = fitted()
    singular_values_: Array = fitted()
    mean_: Array = fitted()
    var_: Array = fitted()
    noise_variance_: float = fitted()
    n_components_: int = fitted()
    n_samples_seen_: int = fitted()
    n_samples_: int = fitted()
    batch_size_: int = fitted()

    scale_ = None  # columns are never divided

    def fit(self, X: Rows, y: object = None) -> Self:
        """Fit the components, batch by batch.

        Parameters
        ----------
        X : {array-like, sparse matrix, Chunks} of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            As the class says.
        """
        self._check_parameters()
        if isinstance(X, Chunks):
            moments, size = moments_of(X, None), self.batch_size or 0
            if moments.n < 2:
                raise ValueError("X has 1 sample(s) while a minimum of 2 is required. Pass more.")
        else:
            rows = as_csr(X, n_min=2) if is_sparse(X) else as_rows(X, keep=KEPT, n_min=2)
            size, moments = self.batch_size or 5 * rows.shape[1], None
            for start in range(0, rows.shape[0], size):
                checkpoint()
                more = moments_of(rows[start : start + size], None)
                moments = more if moments is None else moments + more
        require_finite_moments(moments, None)
        d = len(moments.mean)  # type: ignore[union-attr]
        k = as_rule(self.n_components, moments.n, moments.mass, d)  # type: ignore[union-attr]
        return self._published(X, moments, k, size)

    def partial_fit(self, X: Rows, y: object = None, check_input: bool = True) -> Self:
        """Update the components with a batch of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.
        check_input : bool, default=True
            Without meaning: input is always checked.

        Returns
        -------
        self
            Fitted once there are two samples. While there are fewer samples than components asked
            for, there are as many components as samples.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the first batch.
        """
        self._check_parameters()
        as_flag(check_input, "check_input")
        before = self.__dict__.get("_moments")
        if is_sparse(X):
            rows = as_csr(X)
        elif before is None:
            rows = as_rows(X, keep=KEPT, finite=False)
        else:
            rows = rows_for(self, X, keep=KEPT, finite=False)
        if before is not None and rows.shape[1] != len(before.mean):
            raise ValueError(
                f"X has {rows.shape[1]} features, but IncrementalPCA is expecting "
                f"{len(before.mean)} features as input."
            )
        moments = moments_of(rows, None)
        moments = moments if before is None else before + moments
        require_finite_moments(moments, None)
        d = len(moments.mean)
        k = as_rule(self.n_components, None, 0.0, d)
        if moments.n < 2:
            return self._publish(X, _moments=moments, n_features_in_=d)
        return self._published(X, moments, min(k, most_components(moments.n, moments.mass, d)),
                               rows.shape[0])  # fmt: skip

    def _check_parameters(self):
        self._checked()

    # ------------------------------------------------------------ the protocol of sums

    _rescales = True
    _solved_by = ("n_components", "whiten", "batch_size")

    def _prepare(self, X, y=None, sample_weight=None):
        self._check_parameters()
        rows = as_csr(X, n_min=2) if is_sparse(X) else as_rows(X, keep=KEPT, n_min=2, finite=False)
        return (rows, None), FitState(rows.shape[1], column_names(X))

    _sums_of_parts = True

    @staticmethod
    def _statistics(columns, state):
        return block_moments(columns, True)

    def _solve(self, moments, state):
        k = as_rule(self.n_components, moments.n, moments.mass, len(moments.mean))
        return self._published(None, moments, k, self.batch_size or 0, **state.published())

    def _published(self, X, moments, k, size, **more):
        found = settled(from_moments(moments, k))
        freedom, d = moments.mass - 1.0, len(moments.mean)
        variance, total = found.singular**2 / freedom, found.total / freedom
        most = most_components(moments.n, moments.mass, d)
        left = (total - variance.sum()) / (most - k) if k < most else 0.0
        projection = found.vectors
        if self.whiten:
            live = variance > 0.0
            by = np.where(live, 1.0 / np.sqrt(np.where(live, variance, 1.0)), 0.0)
            projection = by[:, None] * projection
        return self._publish(
            X,
            components_=found.vectors,
            explained_variance_=variance,
            explained_variance_ratio_=variance / total if total > 0.0 else np.zeros(k),
            singular_values_=found.singular,
            mean_=moments.mean,
            var_=moments.diagonal() / moments.mass,
            noise_variance_=max(0.0, float(left)),
            n_components_=k,
            n_samples_seen_=moments.n,
            n_samples_=moments.n,
            batch_size_=size,
            _moments=moments,
            _projection=projection,
            **{"n_features_in_": d, **more},
        )

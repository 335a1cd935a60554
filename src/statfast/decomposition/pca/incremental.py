# SPDX-License-Identifier: BSD-3-Clause
"""Incremental principal component analysis, exact: its sums merge."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any, Self

from statfast._engine import Chunks
from statfast._estimator import count, fitted, flag, nothing, param
from statfast._typing import Array, Matrix, Rows, Weights
from statfast._validation import as_flag
from statfast.decomposition.components.moments import moments_of
from statfast.decomposition.pca.moment_components import MomentComponents


class IncrementalPCA(MomentComponents):
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
        Kept for scikit-learn's sake: input is never modified.
    batch_size : int or None, default=None
        Rows that ``fit`` reads at a time; None is five times the columns. The answer is the same,
        except for rounding.

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

    scale_ = None  # Columns are never divided.

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
        return self._fit_sum(X, finite=True)

    def partial_fit(self, X: Rows, y: object = None, check_input: bool = True) -> Self:
        """Update the components with a batch of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
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
        as_flag(check_input, "check_input")
        columns, state = self._prepare(X, least=1)
        return self._merge_sum(columns, replace(state, more=columns[0].shape[0]))

    # ------------------------------------------------------------ the protocol of sums

    _solve_parameters = ("n_components", "whiten", "batch_size")

    def _prepare(
        self, X: Any, y: Any = None, sample_weight: Weights | None = None, **options: Any
    ) -> Any:
        """As of `PCA`; the state has the rows of a batch."""
        columns, state = super()._prepare(X, y, sample_weight, **options)
        return columns, replace(state, more=self.batch_size or 5 * state.n_features)

    def _total(self, columns: tuple[Matrix, None], state: Any) -> Any:
        rows, _ = columns
        if isinstance(rows, Chunks):
            return moments_of(rows, None)
        batches = (slice(i, i + state.more) for i in range(0, rows.shape[0], state.more))
        return reduce(add, (moments_of(rows[batch], None) for batch in batches))

    def _become(self, moments: Any, state: Any, choose: int, **more: Any) -> Self:
        return super()._become(
            moments,
            state,
            choose,
            var_=moments.diagonal() / moments.total_weight,
            n_samples_seen_=moments.n,
            batch_size_=state.more,
            **{"_moments": moments, **more},
        )

# SPDX-License-Identifier: BSD-3-Clause
"""Kernel matrices of samples whose images are moved to mean zero."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from statfast._estimator import Estimator, Transformer, fitted
from statfast._typing import Array, ArrayLike
from statfast._validation import as_rows, rows_for
from statfast.preprocessing.scaling.affine import NUMBERS_PER_BLOCK, in_blocks


class KernelCenterer(Transformer, Estimator):
    """Center a kernel matrix, as if the images of the samples had mean zero.

    Attributes
    ----------
    K_fit_rows_ : ndarray of shape (n,)
        Mean of each column of the fitted matrix, float64.
    K_fit_all_ : float
        Mean of the fitted matrix.
    n_features_in_ : int
        Number of fitted samples, n.
    feature_names_in_ : ndarray of shape (n,)
        Names of the columns, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.preprocessing.StandardScaler : Centers the samples themselves.

    Notes
    -----
    A kernel k(x, z) is the product of images phi(x) and phi(z). That of the images less the mean
    of the fitted ones is k(x, z) less the means of k(x, .) and k(., z) over the fitted samples,
    plus the mean over all of their pairs [1]_: the images are never computed. Cross-validation
    and pipelines cut rows and columns of the matrix together. Means are summed in float64. Cost:
    O(n^2) for the fit, O(m n) for m later samples, bound by memory.

    References
    ----------
    .. [1] Schölkopf, B., Smola, A. and Müller, K.-R. (1998). Nonlinear component analysis as a
       kernel eigenvalue problem. Neural Computation 10, 1299-1319.
       doi:10.1162/089976698300017467

    Examples
    --------
    Products of samples become those of the samples less their mean, here -3, 0 and 3:

    >>> from statfast.preprocessing import KernelCenterer
    >>> KernelCenterer().fit_transform([[1.0, 4.0, 7.0], [4.0, 16.0, 28.0], [7.0, 28.0, 49.0]])
    array([[ 9.,  0., -9.],
           [ 0.,  0.,  0.],
           [-9.,  0.,  9.]])
    """

    K_fit_rows_: Array = fitted()
    K_fit_all_: float = fitted()

    def fit(self, K: ArrayLike, y: object = None) -> Self:
        """Compute the means of a kernel matrix.

        Parameters
        ----------
        K : array-like of shape (n, n)
            Kernel values between the training samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : KernelCenterer

        Raises
        ------
        ValueError
            If K is not a square matrix of finite numbers, or its sums overflow.
        """
        values = as_rows(K, name="K")
        n, width = values.shape
        if n != width:
            raise ValueError(
                "K should be a square matrix, of the kernel values between all pairs of training "
                f"samples; got shape {values.shape}. Compute it by "
                "statfast.metrics.pairwise_kernels(X), and pass those of later samples to "
                "transform."
            )
        sums, step = np.zeros(n), max(1, NUMBERS_PER_BLOCK // n)
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, n, step):
                # Of one order, so that sums do not depend on how the matrix lies in memory.
                block = np.ascontiguousarray(values[start : start + step], dtype=np.float64)
                sums += block.sum(axis=0)
            means = sums / n
            mean = means.sum() / n
        _require_sums(means, mean)
        return self._publish(K, n_features_in_=n, K_fit_rows_=means, K_fit_all_=float(mean))

    def transform(self, K: ArrayLike, copy: bool = True) -> Any:
        """Center kernel values between samples and those of the fit.

        Parameters
        ----------
        K : array-like of shape (m, n)
            Kernel values between m samples and the training samples.
        copy : bool, default=True
            Kept for scikit-learn's sake: input is never modified.

        Returns
        -------
        ndarray of shape (m, n)
            float32 for float32 values, else float64; the table asked for by `set_output`.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If K is not a 2-d array of finite numbers with a column for each training sample, or
            its sums overflow.
        """
        return in_blocks(rows_for(self, K, name="K"), self._centered, "K centered")

    def _centered(self, values: Array, out: Array) -> None:
        """Rows of kernel values (m, n) less the means, into `out`, which may be the same."""
        with np.errstate(invalid="ignore"):
            means = np.ascontiguousarray(values).sum(axis=1) / values.shape[1]
        _require_sums(means)
        np.subtract(values, self.K_fit_rows_, out=out)
        out -= means[:, None] - self.K_fit_all_

    @property
    def _is_pairwise(self) -> bool:
        return True

    @property
    def _n_features_out(self) -> int:
        return self.n_features_in_


def _require_sums(*means: Any) -> None:
    if not all(np.isfinite(each).all() for each in means):
        raise ValueError(
            "K holds values so large that their sums overflow. Divide it by its largest value."
        )

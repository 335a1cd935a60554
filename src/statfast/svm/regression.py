# SPDX-License-Identifier: BSD-3-Clause
"""What `SVR` and `NuSVR` share."""

import numpy as np

from statfast._errors import warn_column_vector
from statfast._regression import Regressor, as_targets
from statfast._validation import as_weights
from statfast.svm.machines import KernelMachine


class RegressionMachine(Regressor, KernelMachine):
    """Base of the regressors."""

    def fit(self, X, y, sample_weight=None):
        """Fit the function.

        Parameters
        ----------
        X : array-like of shape (n, d), or list of strings
            Training rows, finite; strings for a kernel on strings; for ``kernel="precomputed"``
            the symmetric matrix of kernel values, (n, n).
        y : array-like of shape (n,)
            Targets, finite numbers.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows, which multiply C. An integer weight equals a repeated row.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X or y holds NaN or infinity, X is no symmetric matrix where one is due, y does not
            hold one target for each row, or a parameter is out of its range.
        TypeError
            If X holds strings where numbers are due, or the reverse, or if a parameter is of the
            wrong type.

        Warns
        -----
        ConvergenceWarning
            If `max_iter`, `time_limit`, `progress` or rounding ended the training; the model is
            usable.
        UserWarning
            If the columns of X lie far from 0, and the kernel is a polynomial; or if `cache_size`
            is None and rows of the kernel matrix are made again, as not all fit into memory.
        """
        settled = self._settled()
        targets = []

        def weights_of(n):
            found, flat = as_targets(y, n)
            if found.shape[1] != 1:
                raise ValueError(
                    f"y should be a 1d array, one target for each row; got {found.shape[1]} "
                    "columns. Fit one model for each."
                )
            if not flat:
                warn_column_vector()
            targets.append(found[:, 0])
            return as_weights(sample_weight, n)

        training = self._training(X, weights_of)
        rows, weights = training.used, training.points.weights
        weights = np.ones(len(rows)) if weights is None else weights[rows]
        machine = self._machine(training.run, rows, targets[0][rows], weights, settled)
        return self._publish(X, **self._single(training, machine), **self._more(machine))

    def _more(self, machine):
        """Fitted attributes of one class alone."""
        return {}

    def predict(self, X):
        """Return f(x).

        Parameters
        ----------
        X : array-like of shape (m, d), or list of strings
            Rows; for ``kernel="precomputed"`` their kernel values with the training rows, (m, n).

        Returns
        -------
        ndarray of shape (m,)
            float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            If X is not finite, or has other columns than the training rows.
        """
        sums, dtype = self._sums(X)
        return (sums[0][:, 0] + self.intercept_[0]).astype(dtype)

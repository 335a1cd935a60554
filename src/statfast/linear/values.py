# SPDX-License-Identifier: BSD-3-Clause
"""What linear regressors share: X b + b0 with the same bits however X lies in memory."""

import numpy as np

from statfast._blocks import grid
from statfast._validation import rows_for


def linear_values(rows, coef, intercept):
    """rows @ coef' + intercept for coef of shape (d,) or (T, d), summed in double and returned in
    the type of the rows."""
    if rows.flags.c_contiguous and rows.dtype == np.float64:
        return rows @ coef.T + intercept
    out = np.empty((len(rows), *coef.T.shape[1:]), dtype=rows.dtype)
    for some in [slice(0, len(rows))] if rows.size < 1_000_000 else grid(len(rows)):
        out[some] = np.ascontiguousarray(rows[some], np.float64) @ coef.T + intercept
    return out


class LinearPredictor:
    """Mixin: ``predict`` from ``coef_`` and ``intercept_``."""

    def predict(self, X):
        """Predict.

        Parameters
        ----------
        X : array-like of shape (m, d)

        Returns
        -------
        ndarray of shape (m,), or (m, T) if y was 2-d
            float32 if X is.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X has another width than at fit, or holds NaN or infinity.
        """
        return linear_values(rows_for(self, X), self.coef_, self.intercept_)

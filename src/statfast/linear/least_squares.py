# SPDX-License-Identifier: BSD-3-Clause
"""Linear regression by least squares."""

import numpy as np

from statfast._base import Estimator
from statfast._chunks import Chunks
from statfast._errors import warn_user
from statfast._regression import Regressor, as_targets
from statfast._validation import as_real, as_rows, as_weights, column_names
from statfast.linear.values import LinearPredictor
from statfast.linear.solve import least_squares


class LinearRegression(LinearPredictor, Regressor, Estimator):
    """Least squares with the accuracy of QR.

    Minimises sum_i w_i (y_i - b_0 - x_i'b)^2. Columns that the columns before them determine
    (constant ones, too) are left out as R's ``lm`` leaves them out: coefficient 0, a warning that
    names them, and `aliased_`.

    Parameters
    ----------
    fit_intercept : bool, default=True
    tol : float, default=1e-11
        A column is left out if the columns before it leave no more than this share of its length.
    n_jobs : int, optional
        Threads; None is one on each core.

    Attributes
    ----------
    coef_ : ndarray of shape (d,), or (T, d) if y was 2-d
    intercept_ : float, or ndarray of shape (T,)
    rank_ : int
        Independent columns, the intercept among them.
    aliased_ : list of str
        The columns left out, by name, or x0, x1, ... where there are no names.
    rss_ : float, or ndarray of shape (T,)
        Weighted sum of the squares of the residuals.
    df_residual_ : int
        Rows of positive weight less `rank_`.

    Raises
    ------
    ValueError
        By ``fit``: if X or y holds NaN or infinity, or their shapes do not match.

    Notes
    -----
    Few rows: QR of (1, X), then corrections with residuals in twice the precision while they gain
    digits. Many rows: one pass for the cross products, one for the residuals by which the solution
    is corrected (Björck 1987 [1]_); where the condition of the scaled columns exceeds 1e5, QR of
    blocks of rows, merged by QR [2]_. Time O(n d^2), memory O(d^2) a thread, beside the residuals.

    References
    ----------
    .. [1] Å. Björck (1987), "Stability analysis of the method of seminormal equations for linear
       least squares problems". doi:10.1016/0024-3795(87)90101-7
    .. [2] J. Demmel, L. Grigori, M. Hoemmen & J. Langou (2012), "Communication-optimal parallel
       and sequential QR and LU factorizations". doi:10.1137/080731992

    Examples
    --------
    >>> from statfast import LinearRegression
    >>> model = LinearRegression().fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 2.0])
    >>> model.coef_.round(12), round(model.intercept_, 12)
    (array([0.5]), 0.666666666667)
    """

    def __init__(self, *, fit_intercept=True, tol=1e-11, n_jobs=None):
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Fit.

        Parameters
        ----------
        X : array-like of shape (n, d), or Chunks
        y : array-like of shape (n,) or (n, T)
        sample_weight : array-like of shape (n,), optional
            Not negative; an integer counts as that many equal rows.

        Returns
        -------
        self
        """
        rows = X if isinstance(X, Chunks) else as_rows(X)
        Y, flat = as_targets(y, len(y) if isinstance(X, Chunks) else len(rows))
        weights = as_weights(sample_weight, len(Y))
        tol = as_real(self.tol, "tol", 0.0, 1.0, open_high=True)
        found = least_squares(rows, Y, weights, bool(self.fit_intercept), tol, self.n_jobs)
        names = column_names(X)
        aliased = [f"x{j}" if names is None else str(names[j]) for j in found.aliased]
        if aliased:
            warn_user(
                f"{len(aliased)} column(s) of X depend on the columns before them, or are constant,"
                f" and have coefficient 0: {', '.join(aliased[:10])}{', ...' * (len(aliased) > 10)}"
                ". Leave them out to silence this."
            )
        rank = len(found.R)
        counted = len(Y) if weights is None else int(np.count_nonzero(weights))
        return self._publish(
            rows,
            coef_=found.coef[0] if flat else found.coef,
            intercept_=float(found.intercept[0]) if flat else found.intercept,
            rank_=rank,
            aliased_=aliased,
            rss_=float(found.rss[0]) if flat else found.rss,
            df_residual_=counted - rank,
            _R=found.R,
            _kept=found.kept,
            **({} if names is None else {"feature_names_in_": names}),
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

# SPDX-License-Identifier: BSD-3-Clause
"""Missing values filled by one value for each column."""

import numpy as np

from statfast._estimator import Estimator, Transformer
from statfast._validation import (
    as_choice,
    as_flag,
    as_real,
    as_rows,
    explain_nonfinite,
    not_fitted,
    rows_for,
    warn_user,
)

STRATEGIES = ("mean", "median", "most_frequent", "constant")


class SimpleImputer(Transformer, Estimator):
    """Fill missing values by the mean, the median or the mode of their column, or by a constant.

    Parameters
    ----------
    missing_values : number, default=nan
        What stands for a missing value.
    strategy : {"mean", "median", "most_frequent", "constant"}, default="mean"
        Of several values as frequent, the least.
    fill_value : number, optional
        The constant; None is 0.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.
    add_indicator : bool, default=False
        Append a column of zeros and ones for each column that had missing values at fit.
    keep_empty_features : bool, default=False
        Keep columns of which all values are missing, filled by 0 (or the constant).

    Attributes
    ----------
    statistics_ : ndarray of shape (d,)
        What is filled in; NaN for columns that are left out.
    indicator_features_ : ndarray of int
        Columns with missing values at fit, if `add_indicator`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,)
        Column names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if X holds infinity, or NaN where `missing_values` is a number.

    Notes
    -----
    A column without values is left out, with a warning, unless `keep_empty_features`. O(n d) time
    for means, O(n d log n) for the others.

    References
    ----------
    Little & Rubin 2019, Statistical Analysis with Missing Data, doi:10.1002/9781119482260.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.preprocessing import SimpleImputer
    >>> SimpleImputer().fit_transform([[1.0, np.nan], [3.0, 4.0], [np.nan, 8.0]])
    array([[1., 6.],
           [3., 4.],
           [2., 8.]])
    """

    def __init__(
        self,
        *,
        missing_values=np.nan,
        strategy="mean",
        fill_value=None,
        copy=True,
        add_indicator=False,
        keep_empty_features=False,
    ):
        self.missing_values = missing_values
        self.strategy = strategy
        self.fill_value = fill_value
        self.copy = copy
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features

    def fit(self, X, y=None):
        """Find what to fill in.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : ignored

        Returns
        -------
        self : SimpleImputer
        """
        strategy = as_choice(self.strategy, "strategy", STRATEGIES)
        constant = 0.0 if self.fill_value is None else as_real(self.fill_value, "fill_value")
        for name in ("copy", "add_indicator", "keep_empty_features"):
            as_flag(getattr(self, name), name)
        rows = as_rows(X, finite=False)
        missing = self._missing(rows)
        empty = missing.all(axis=0)
        filled = np.full(rows.shape[1], constant)
        if strategy != "constant":
            for j in range(rows.shape[1]):
                known = rows[~missing[:, j], j].astype(np.float64)
                filled[j] = _typical(known, strategy) if len(known) else 0.0
            if not np.isfinite(filled).all():
                raise ValueError("X holds values so large that their sum overflows. Rescale it.")
        if empty.any() and not self.keep_empty_features and strategy != "constant":
            filled[empty] = np.nan
            listed = ", ".join(str(j) for j in np.flatnonzero(empty)[:5])
            warn_user(f"Left out, as all their values are missing: column(s) {listed} of X.")
        return self._publish(
            X,
            statistics_=filled,
            indicator_features_=np.flatnonzero(missing.any(axis=0)),
        )

    def transform(self, X):
        """Fill the missing values of rows.

        Parameters
        ----------
        X : array-like of shape (m, d)

        Returns
        -------
        ndarray of shape (m, columns that are kept)
            float32 for float32 rows, else float64; the table asked for by `set_output`.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a 2-d array with the columns of the fitted one.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        rows = rows_for(self, X, finite=False)
        missing = self._missing(rows)
        out = np.where(missing, self.statistics_.astype(rows.dtype), rows)[:, self._kept()]
        if self.add_indicator:
            out = np.hstack([out, missing[:, self.indicator_features_].astype(rows.dtype)])
        return out

    def _missing(self, rows):
        if isinstance(self.missing_values, float) and np.isnan(self.missing_values):
            missing = np.isnan(rows)
            if not np.isfinite(rows[~missing]).all():
                explain_nonfinite(np.where(missing, 0.0, rows), "X")
            return missing
        value = as_real(self.missing_values, "missing_values")
        explain_nonfinite(rows, "X")
        return rows == value

    def _kept(self):
        return np.flatnonzero(~np.isnan(self.statistics_))

    def _out_names(self):
        names = self.__dict__.get("feature_names_in_")
        names = [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)
        out = [names[j] for j in self._kept()]
        if self.add_indicator:
            out += [f"missingindicator_{names[j]}" for j in self.indicator_features_]
        return out

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        missing = self.missing_values
        tags.input_tags.allow_nan = isinstance(missing, float) and bool(np.isnan(missing))
        return tags


def _typical(known, strategy):
    """The mean, median or mode of a column; of several modes the least."""
    if strategy == "mean":
        with np.errstate(over="ignore"):
            return known.mean()
    if strategy == "median":
        return np.median(known)
    values, counts = np.unique(known, return_counts=True)
    return values[counts.argmax()]

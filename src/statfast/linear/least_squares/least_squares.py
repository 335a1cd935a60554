# SPDX-License-Identifier: BSD-3-Clause
"""Linear regression by least squares, with the inference of R's ``lm``."""

from dataclasses import replace
from math import log, nan, pi

import numpy as np

from statfast._engine import Chunks, aside
from statfast._estimator import Estimator, FitState, Regressor
from statfast._linalg import triangle_inverse
from statfast._validation import (
    as_choice,
    as_flag,
    as_real,
    as_targets,
    as_weights,
    column_names,
    is_sparse,
)
from statfast.linear.design.design import (
    AcceptsSparse,
    dense_if_small,
    linear_values,
    new_rows,
    table_of,
)
from statfast.linear.design.formula import FromFormula, predictors
from statfast.linear.glm.families import FAMILIES
from statfast.linear.glm.fit import names_of, warn_aliased
from statfast.linear.glm.influence import Diagnosed
from statfast.linear.glm.links import LINKS
from statfast.linear.glm.predictive import predictor_errors
from statfast.linear.glm.robust_fit import fit_robust, is_robust
from statfast.linear.inference.hypotheses import chi_squared
from statfast.linear.inference.inference import Inference, NoInferenceError, Result, intervals
from statfast.linear.least_squares.left_out import fitted_anew, residuals_left_out
from statfast.linear.least_squares.lstsq import LeastSquaresSolution, least_squares
from statfast.linear.least_squares.nonnegative import nonnegative_least_squares, nonnegative_of
from statfast.linear.least_squares.triangles import solution_of, triangle

SMALLEST = 1e-150  # responses of which the squares of residuals have all their digits
HELD = (
    "There are no standard errors of coefficients that were held at zero or above. Fit with "
    "positive=False, or bootstrap the rows."
)
VANISHED = "y holds values so small that squares of residuals vanish. Scale it up."
SEVERAL = (
    "There are several targets, each with its own errors and tests. Take those of one from "
    "results_, or fit one target at a time."
)


class LinearRegression(AcceptsSparse, FromFormula, Diagnosed, Inference, Regressor, Estimator):
    """Ordinary and weighted least squares with the accuracy of QR, and R's inference.

    Minimizes sum_i w_i (y_i - b_0 - x_i'b)^2. Columns that the columns before them determine
    (constant ones, too) are left out as R's ``lm`` leaves them out: coefficient 0, a warning that
    names them, and `aliased_`.

    Parameters
    ----------
    fit_intercept : bool, default=True
    tol : float, default=1e-11
        A column is left out if the columns before it leave no more than this share of its length.
    weight_type : {"frequency", "analytic"}, default="frequency"
        Whether a weight is a number of equal rows, or the reciprocal of a variance, as R's ``lm``
        takes it. It makes no difference to the coefficients.
    positive : bool, default=False
        No coefficient below zero, but for the intercept (non-negative least squares [3]_). Columns
        that depend on others are not left out, and there are no standard errors.
    n_jobs : int, optional
        Threads; None is one on each core.

    Attributes
    ----------
    coef_ : ndarray of shape (d,), or (T, d) if y was 2-d
    intercept_ : float, or ndarray of shape (T,)
    rank_ : int
        Independent columns, the intercept among them.
    rss_ : float, or ndarray of shape (T,)
        Weighted sum of the squares of the residuals.
    singular_ : ndarray of shape (r,)
        Singular values of the columns that are kept, centered if there is an intercept.
    condition_number_ : float
        Condition of the columns (1, X), each scaled to length one.
    design_ : FormulaDesign
        Of `from_formula` alone: the terms, and how new data become columns.
    results_ : list of Result
        Errors and tests for each target; those of a single one are also at hand as
        `standard_errors_`, `p_values_`, ``conf_int`` and so on.

    Raises
    ------
    ValueError
        By ``fit``: if X or y holds NaN or infinity, or their shapes do not match.

    Notes
    -----
    Few rows: QR of (1, X), then corrections with residuals in twice the precision while they gain
    digits. Many rows: one pass for the cross products and the residuals of a sample's solution,
    which are its correction (Björck 1987 [1]_), and another such pass or two where the columns'
    condition asks for it; where that exceeds 1e3, QR of blocks of rows, merged by QR [2]_. Time
    O(n d^2), memory O(d^2) a thread. Of sparse rows the cross products are those of their nonzeros,
    and QR takes them block by block. With ``positive=True`` the triangular factor is what is
    solved from, by an active set of columns, each change of which takes O(d^2) or so.

    References
    ----------
    .. [1] Å. Björck (1987), "Stability analysis of the method of seminormal equations for linear
       least squares problems". doi:10.1016/0024-3795(87)90101-7
    .. [2] J. Demmel, L. Grigori, M. Hoemmen & J. Langou (2012), "Communication-optimal parallel
       and sequential QR and LU factorizations". doi:10.1137/080731992
    .. [3] C. L. Lawson & R. J. Hanson (1974), *Solving Least Squares Problems*, chapter 23.
       doi:10.1137/1.9781611971217

    Examples
    --------
    >>> from statfast import LinearRegression
    >>> model = LinearRegression().fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 2.0])
    >>> model.coef_.round(12), round(model.intercept_, 12)
    (array([0.5]), 0.666666666667)
    """

    def __init__(
        self, *, fit_intercept=True, tol=1e-11, weight_type="frequency", positive=False, n_jobs=None
    ):
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.weight_type = weight_type
        self.positive = positive
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None, *, cov_type="nonrobust", groups=None):
        """Fit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or Chunks
        y : array-like of shape (n,) or (n, T)
        sample_weight : array-like of shape (n,), optional
            Not negative; an integer counts as that many equal rows.
        cov_type : {"nonrobust", "HC0", "HC1", "HC2", "HC3", "cluster"}, default="nonrobust"
            The covariance of the coefficients from which all tables, tests and intervals take
            their errors: the model's, or that of `robust_covariance`. Tests stay of t or z; t
            and F of clusters have one degree of freedom less than there are clusters.
        groups : array-like of shape (n,), optional
            Labels of clusters, for "cluster".

        Returns
        -------
        self
        """
        if is_robust(cov_type, groups):
            return fit_robust(self, cov_type, groups, X, y, sample_weight)
        (rows, Y, weights), state = self._checked(X, y, sample_weight)
        intercept, _ = state.more
        tol = as_real(self.tol, "tol", 0.0, 1.0, open_high=True)
        solve = nonnegative_least_squares if self.positive else least_squares
        found = solve(rows, Y, weights, intercept, tol, self.n_jobs)
        used = float(len(Y) if weights is None else np.count_nonzero(weights))
        total = used if weights is None else float(weights.sum())
        logs = 0.0 if weights is None else float(np.log(weights[weights > 0]).sum())
        return self._conclude(found, state, (used, total, logs), Y, weights)

    def _prepare(self, X, y, sample_weight):
        columns, state = self._checked(X, y, sample_weight)
        if hasattr(columns[0], "indptr"):  # whose statistics are not those of blocks
            raise NotImplementedError
        return columns, state

    def _checked(self, X, y, sample_weight):
        """Checked rows, targets (n, T) and weights; is there an intercept, was y 1-d?"""
        rows = X if isinstance(X, Chunks) else dense_if_small(table_of(X, finite=False))
        sized = hasattr(y, "__len__") and getattr(y, "ndim", 1) > 0
        n = (len(y) if sized else 0) if isinstance(X, Chunks) else rows.shape[0]
        Y, flat = as_targets(y, n)
        weights = as_weights(sample_weight, len(Y))
        as_real(self.tol, "tol", 0.0, 1.0, open_high=True)
        intercept = as_flag(self.fit_intercept, "fit_intercept")
        as_choice(self.weight_type, "weight_type", ("frequency", "analytic"))
        as_flag(self.positive, "positive")
        width = 0 if isinstance(X, Chunks) else rows.shape[1]  # not known before the pass
        return (rows, Y, weights), FitState(width, column_names(X), more=(intercept, flat))

    _statistics = staticmethod(triangle)
    _rescales = True  # its statistics tell those of scaled columns
    _solved_by = ("tol", "weight_type", "positive")

    def _solve(self, sums, state):
        intercept, _ = state.more
        tol = as_real(self.tol, "tol", 0.0, 1.0, open_high=True)
        if as_flag(self.positive, "positive"):
            found = nonnegative_of(sums, intercept, tol)
        else:
            found = LeastSquaresSolution(**solution_of(sums, intercept, tol))
        return self._conclude(found, state, (sums.used, sums.mass, sums.logs))

    def _leave_one_out(self, X, y, sample_weight, method):
        if method != "predict" or isinstance(X, Chunks) or is_sparse(X):
            return None
        columns, state = self._prepare(X, y, sample_weight)
        if self.positive:  # which columns are at zero changes without a row
            return None
        rows, Y, weights = columns
        one, flat = state.more
        found = least_squares(rows, Y, weights, one, as_real(self.tol, "tol", 0.0), self.n_jobs)
        if len(found.aliased):  # which columns depend on others may change without a row
            return None
        root = triangle_inverse(found.R)
        center = found.R[0, 1:] / found.R[0, 0] if one else np.zeros(rows.shape[1])
        mass = found.R[0, 0] ** 2 if one else None
        known = found.coef, found.intercept, root[int(one) :, int(one) :], center, mass
        out, certain = residuals_left_out(rows, Y, weights, known, self.n_jobs)
        if not fitted_anew(self, columns, state, out, certain):
            return None
        out = out.astype(rows.dtype, copy=False)
        return out[:, 0] if flat else out

    def _conclude(self, found, state, masses, Y=None, weights=None):
        """Become fitted; `masses` are the rows used, their weights, and the sum of the logs."""
        intercept, flat = state.more
        analytic = self.weight_type == "analytic"
        width = found.coef.shape[1]
        names = names_of(state.names, width, intercept)
        results = _results(found, Y, weights, masses, names, intercept, analytic)
        if self.positive:
            nothing = np.zeros(len(names), dtype=bool)
            results = [replace(one, refusal=HELD, aliased=nothing, facts=()) for one in results]
        warn_aliased([n for n, gone in zip(names, results[0].aliased, strict=True) if gone])
        given = {} if state.names is None else {"feature_names_in_": state.names}
        return self._publish(
            None,
            **given,
            coef_=found.coef[0] if flat else found.coef,
            intercept_=float(found.intercept[0]) if flat else found.intercept,
            rank_=len(found.R),
            rss_=float(found.rss[0]) if flat else found.rss,
            condition_number_=float(found.condition),
            results_=results,
            n_features_in_=width,
            _result=results[0],
            _factor=found.R[int(intercept) :, int(intercept) :],
        )

    def predict(self, X, *, se=False, interval=None, level=0.95):
        """Predict.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
        se : bool, default=False
            Also return the standard errors of the means.
        interval : {None, "confidence", "prediction"}, default=None
            Also return intervals of the means, or of new observations of weight 1.
        level : float, default=0.95
            Of the interval.

        Returns
        -------
        means : ndarray of shape (m,), or (m, T) if y was 2-d
            float32 if X is.
        errors : ndarray of shape (m,)
            Only with ``se=True``; NaN where no degrees of freedom are left.
        ends : ndarray of shape (m, 2)
            Only with an interval.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X has another width than at fit, or holds NaN or infinity.
        """
        rows = new_rows(self, predictors(self, X)[0], finite=True)
        means = linear_values(rows, self.coef_, self.intercept_)
        as_choice(interval, "interval", (None, "confidence", "prediction"))
        if not as_flag(se, "se") and interval is None:
            return means
        result = self._inferred()
        spread = predictor_errors(result, rows, self._has_intercept())
        out = [means]
        if se:
            out.append(spread)
        if interval is not None:
            level = as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
            if interval == "prediction":
                spread = np.sqrt(spread**2 + result.dispersion)
            out.append(intervals(means.astype(float), spread, result.quantile(level)))
        return tuple(out)

    @property
    def singular_(self):
        """Singular values of the columns that are kept, as fitted."""
        return aside(np.linalg.svd, self._factor, compute_uv=False)

    @property
    def r_squared_(self):
        """Share of the variance of y that is explained (about 0 without an intercept)."""
        result = self._inferred()
        return _r_squared(result)

    @property
    def adjusted_r_squared_(self):
        """The same with both sums of squares over their degrees of freedom."""
        result = self._inferred()
        return _adjusted(result)

    @property
    def sigma_(self):
        """Residual standard error."""
        return float(np.sqrt(self._inferred().dispersion))

    @property
    def f_test_(self):
        """F statistic of all columns together, its two degrees of freedom, and the p value."""
        return _f_test(self._inferred())

    def _inferred(self, *, refuse=True):
        result = super()._inferred(refuse=refuse)
        if refuse and len(self.results_) > 1:
            raise NoInferenceError(SEVERAL)
        return result

    def _facts_of(self, result):
        return _facts(result)

    def _has_intercept(self):
        return len(self.results_[0].names) > self.n_features_in_

    def _at(self, y, n):
        self._inferred()
        targets, _ = as_targets(y, n)
        if targets.shape[1] != 1:
            raise ValueError(f"y must be one target; got {targets.shape[1]} columns.")
        one = self._has_intercept()
        coef, intercept = np.reshape(self.coef_, -1), float(np.reshape(self.intercept_, -1)[0])
        return targets[:, 0], FAMILIES["gaussian"], LINKS["identity"], coef, intercept, one

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


# ---------------------------------------------------------------- what is known of a fit
def _results(found, Y, weights, masses, names, intercept, analytic):
    """A `Result` for each target; `Y` may be None where what the columns explain is known."""
    q, one, rank = len(names), int(intercept), len(found.R)
    kept = np.concatenate([np.arange(one), found.kept + one]).astype(np.intp)
    inverse = triangle_inverse(found.R)
    unscaled = np.zeros((q, q))
    with np.errstate(over="ignore", invalid="ignore"):  # of columns that rounding tells apart alone
        unscaled[np.ix_(kept, kept)] = aside(np.matmul, inverse, inverse.T)
    aliased = np.ones(q, dtype=bool)
    aliased[kept] = False
    center = about = None
    if one:  # about their mean, rows say nothing of the intercept
        center, about = np.zeros(q - 1), unscaled.copy()
        center[found.kept] = found.R[0, 1:] / found.R[0, 0]
        about[0], about[:, 0] = 0.0, 0.0
        about[0, 0] = 1 / found.R[0, 0] ** 2
    used, total, logs = masses
    count = used if analytic else total
    df = count - rank
    out = []
    for t, rss in enumerate(found.rss.tolist()):
        if found.explained is not None:
            tss = rss + float(found.explained[t])
        else:
            y = Y[:, t]
            mean = np.average(y, weights=weights) if intercept else 0.0
            apart = (y - mean) ** 2
            tss = float(apart.sum() if weights is None else weights @ apart)
        loglik = nan
        if rss > 0:
            loglik = -0.5 * count * (log(2 * pi) + log(rss) - log(count) + 1)
            if analytic:
                loglik += 0.5 * logs
        coef = np.concatenate([found.intercept[t : t + 1] * one, found.coef[t]])[1 - one :]
        dispersion = rss / df if df > 0 else nan
        largest = np.sqrt(tss) if Y is None else float(np.abs(Y[:, t]).max())
        refusal = VANISHED if 0 < largest < SMALLEST else ""
        bare = Result(
            "Linear regression", names, coef, unscaled, aliased, dispersion, False, count, df,
            count - one, rss, tss, rss, loglik, rank + 1, (), refusal, center=center, about=about,
        )  # fmt: skip
        out.append(bare if refusal else replace(bare, facts=_facts(bare)))
    return out


def _facts(result):
    f, df1, df2, p = _f_test(result)
    return (
        ("R squared", _r_squared(result)),
        ("Adjusted R squared", _adjusted(result)),
        ("F statistic", f"{f:.5g} on {df1:g} and {df2:g} df"),
        ("P>F", f"{p:.4g}"),
        ("Residual std. error", float(np.sqrt(result.dispersion))),
    )


def _r_squared(result):
    return 1 - result.deviance / result.null_deviance if result.null_deviance > 0 else nan


def _adjusted(result):
    if not (result.null_deviance > 0 and result.df_residual > 0):
        return nan
    return 1 - result.dispersion / (result.null_deviance / result.df_null)


def _f_test(result):
    import scipy.special

    df1, df2 = result.df_null - result.df_residual, result.df_residual
    if not (df1 > 0 and df2 > 0):
        return nan, df1, df2, nan
    if result.robust is not None:  # Wald's test of all columns
        told = np.flatnonzero(~result.aliased)
        told = told[int(result.names[0] == "(Intercept)") :]
        try:
            f = chi_squared(result.robust[np.ix_(told, told)], result.coef[told]) / df1
        except ValueError:  # as of fewer clusters than columns
            return nan, df1, df2, nan
        df2 = result.df_tests
        return f, df1, df2, float(scipy.special.fdtrc(df1, df2, f))
    explained = max(result.null_deviance - result.deviance, 0.0)
    if result.dispersion == 0:
        return np.inf, df1, df2, 0.0
    f = explained / df1 / result.dispersion
    return float(f), df1, df2, float(scipy.special.fdtrc(df1, df2, f))

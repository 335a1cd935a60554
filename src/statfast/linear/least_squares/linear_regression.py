# SPDX-License-Identifier: BSD-3-Clause
"""Linear regression by least squares, with the inference of R's ``lm``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self, cast

import numpy as np

from statfast._engine import Chunks, interruptible
from statfast._estimator import (
    FitState,
    Regressor,
    StoredIntervals,
    StoredLeftOut,
    SumFit,
    fitted,
    flag,
    jobs,
    one_of,
    param,
    real,
)
from statfast._linalg import triangle_inverse
from statfast._typing import Array, ArrayLike, Jobs, Matrix, Rows, Weights
from statfast._validation import (
    as_choice,
    as_flag,
    as_real,
    as_targets,
    as_weights,
    column_names,
    is_sparse,
    warn_not_converged,
)
from statfast.linear.design.design import (
    INFERENCE_COLUMNS,
    AcceptsSparse,
    dense_if_small,
    line_of,
    linear_values,
    new_rows,
    row_arguments,
    table_of,
)
from statfast.linear.design.formula import FromFormula, predictors
from statfast.linear.glm.families import FAMILIES
from statfast.linear.glm.fit import names_of, warn_aliased
from statfast.linear.glm.influence import Diagnosed
from statfast.linear.glm.links import LINKS
from statfast.linear.glm.predictive import predictor_errors
from statfast.linear.glm.robust_fit import fit_robust, is_robust
from statfast.linear.inference.inference import Inference, NoInferenceError, intervals
from statfast.linear.least_squares.bidiagonal import UNCONVERGED, wide_least_squares
from statfast.linear.least_squares.column_sweeps import column_sweeps
from statfast.linear.least_squares.inference_of_fit import (
    adjusted_r_squared,
    f_test,
    facts_of,
    r_squared,
    results_of,
)
from statfast.linear.least_squares.leave_one_out import (
    LeftOutByLeverages,
    LinearFit,
    left_out_fits,
)
from statfast.linear.least_squares.lstsq import LeastSquaresSolution, least_squares
from statfast.linear.least_squares.nonnegative import (
    nonnegative_from_factor,
    nonnegative_least_squares,
)
from statfast.linear.least_squares.triangles import solution_of, triangle

HELD_COEFFICIENTS = (
    "There are no standard errors of coefficients that were held at zero or above. Fit with "
    "positive=False, or bootstrap the rows."
)
SEVERAL_TARGETS = (
    "There are several targets, each with its own errors and tests. Take those of one from "
    "results_, or fit one target at a time."
)


class LinearRegression(
    AcceptsSparse, FromFormula, Diagnosed, Inference, LeftOutByLeverages, StoredIntervals,
    Regressor, SumFit,
):  # fmt: skip
    """Ordinary and weighted least squares, with inference as in R.

    Minimizes sum_i w_i (y_i - b_0 - x_i'b)^2. Columns that the columns before them determine
    (constant ones, too) are left out as R's ``lm`` leaves them out: coefficient 0, a warning that
    names them, and `aliased_`.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    tol : float, default=1e-11
        A column is left out if the columns before it leave no more than this fraction of its
        length.
    weight_type : {"frequency", "analytic"}, default="frequency"
        Whether a weight is a number of equal samples, or the reciprocal of a variance, as R's
        ``lm`` takes it. It makes no difference to the coefficients. Where numbers of samples sum to
        no more than there are coefficients, inference is NaN, with a warning.
    positive : bool, default=False
        No coefficient below zero, except for the intercept (non-negative least squares [3]_).
        Columns that depend on others are not left out, and there are no standard errors.
    store_left_out : bool, default=False
        Keep what the fits without each row need, n (d + 2) numbers, for ``interval="conformal"`` of
        ``predict``.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    coef_ : ndarray of shape (d,), or (T, d) if y was 2-d
        Coefficients.
    intercept_ : float, or ndarray of shape (T,)
        Intercept.
    rank_ : int
        Independent columns, the intercept among them; NaN where ``n_iter_`` is not None.
    rss_ : float, or ndarray of shape (T,)
        Weighted sum of the squares of the residuals.
    singular_ : ndarray of shape (r,)
        Singular values of the columns that are kept, centered if there is an intercept.
    condition_number_ : float
        Condition of the columns (1, X), each scaled to length one; NaN likewise.
    n_iter_ : int or None
        Iterations, of the target that took the most, for sparse rows of more than 4000 columns;
        None elsewhere.
    design_ : FormulaDesign
        Of `from_formula` alone: the terms, and how new data become columns.
    results_ : list of Result
        Errors and tests for each target; those of a single one are also available as
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
    and QR takes them block by block. Sparse rows of more than 4000 columns are solved by LSMR [4]_,
    in O(nnz) time an iteration and O(n + d) memory: of several solutions the shortest is found, no
    column is left out, and there are no standard errors, tests or singular values. With
    ``positive=True`` the triangular factor is what is solved from, by an active set of columns,
    each change of which takes O(d^2) or so.

    References
    ----------
    .. [1] Å. Björck (1987), "Stability analysis of the method of seminormal equations for linear
       least squares problems". doi:10.1016/0024-3795(87)90101-7
    .. [2] J. Demmel, L. Grigori, M. Hoemmen & J. Langou (2012), "Communication-optimal parallel
       and sequential QR and LU factorizations". doi:10.1137/080731992
    .. [3] C. L. Lawson & R. J. Hanson (1974), *Solving Least Squares Problems*, chapter 23.
       doi:10.1137/1.9781611971217
    .. [4] D. C.-L. Fong & M. Saunders (2011), "LSMR: an iterative algorithm for sparse
       least-squares problems". doi:10.1137/10079687X

    Examples
    --------
    >>> from statfast import LinearRegression
    >>> model = LinearRegression().fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 2.0])
    >>> model.coef_.round(12), round(model.intercept_, 12)
    (array([0.5]), 0.666666666667)
    """

    _factor: Any = fitted()  # The triangular factor of the columns, or None.

    fit_intercept: bool = param(flag, default=True)
    tol: float = param(real(0.0, 1.0, open_high=True), default=1e-11)
    weight_type: Literal["frequency", "analytic"] = param(
        one_of("frequency", "analytic"), default="frequency"
    )
    positive: bool = param(flag, default=False)
    store_left_out: bool = param(flag, default=False)
    n_jobs: Jobs = param(jobs, default=None)

    coef_: Array = fitted(follows_rows=True)
    intercept_: Any = fitted(follows_rows=True)
    rank_: float = fitted()
    rss_: Any = fitted()
    condition_number_: float = fitted()
    n_iter_: int | None = fitted()
    results_: list[Any] = fitted()

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: Weights = None,
        *,
        cov_type: Literal["nonrobust", "HC0", "HC1", "HC2", "HC3", "cluster", "HAC"] = "nonrobust",
        groups: ArrayLike | None = None,
        maxlags: int | None = None,
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or Chunks
            Training samples.
        y : array-like of shape (n,) or (n, T)
            Target values.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.
        cov_type : {"nonrobust", "HC0", "HC1", "HC2", "HC3", "cluster", "HAC"}, default="nonrobust"
            The covariance of the coefficients from which all tables, tests and intervals take
            their errors: the model's, or that of `robust_covariance`. Tests stay of t or z; t
            and F of clusters have one degree of freedom less than there are clusters.
        groups : array-like of shape (n,), optional
            Labels of clusters, for "cluster".
        maxlags : int, optional
            Samples before each that it may depend on, for "HAC".

        Returns
        -------
        self

        Warns
        -----
        ConvergenceWarning
            If the iterations for sparse rows of more than 4000 columns stop before their end.
        """
        if is_robust(cov_type, groups, maxlags):
            return fit_robust(self, cov_type, groups, maxlags, X, y, sample_weight)
        return self._fit_sum(X, y, sample_weight)

    # ------------------------------------------------------------ the protocol of sums

    _multi_output = True
    _solve_parameters = ("tol", "weight_type", "positive")
    _statistics = staticmethod(triangle)
    _statistics_can_be_rescaled = True
    _statistics_can_be_cut = True

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> Any:
        """Checked rows, targets (n, T) and weights; is there an intercept, was y 1-d?"""
        intercept = self._checked().fit_intercept
        rows: Any = X if isinstance(X, Chunks) else dense_if_small(table_of(X, finite=False))
        sized = hasattr(y, "__len__") and getattr(y, "ndim", 1) > 0
        n = (len(y) if sized else 0) if isinstance(X, Chunks) else rows.shape[0]
        Y, flat = as_targets(y, n)
        weights = as_weights(sample_weight, len(Y))
        # The width of chunks is known after the pass.
        width = 0 if isinstance(X, Chunks) else rows.shape[1]
        return (rows, Y, weights), FitState(width, column_names(X), more=(intercept, flat))

    def _adds_up(self, columns: Any = None) -> bool:
        return columns is None or not is_sparse(columns[0])

    def _fit_local(self, columns: tuple[Matrix, Array, Array | None], state: FitState) -> Self:
        """By one pass of residuals or QR of all rows, as their condition asks for."""
        rows, Y, weights = columns
        intercept, _ = state.more
        params, ended = self._checked(), True
        if params.positive:
            solution = nonnegative_least_squares(
                rows, Y, weights, intercept, params.tol, self.n_jobs
            )
        elif is_sparse(rows) and rows.shape[1] > INFERENCE_COLUMNS:
            solution, ended = wide_least_squares(rows, Y, weights, intercept)
        else:
            solution = least_squares(rows, Y, weights, intercept, params.tol, self.n_jobs)
        used = float(len(Y) if weights is None else np.count_nonzero(weights))
        total = used if weights is None else float(weights.sum())
        logs = 0.0 if weights is None else float(np.log(weights[weights > 0]).sum())
        stored = None
        if params.store_left_out and not isinstance(rows, Chunks):
            known = self._known_fit(solution, rows, intercept)
            stored = left_out_fits(rows, Y, weights, known, self.n_jobs)
        self._conclude(solution, state, (used, total, logs), Y, weights, stored)
        if not ended:
            warn_not_converged(self, cast(int, solution.n_iter), UNCONVERGED)
        return self

    def _solve(self, sums: Any, state: Any) -> Self:
        intercept, _ = state.more
        params = self._checked()
        if params.positive:
            solution = nonnegative_from_factor(sums, intercept, params.tol)
        else:
            solution = LeastSquaresSolution(**solution_of(sums, intercept, params.tol))
        return self._conclude(solution, state, (sums.used, sums.total_weight, sums.logs))

    def _fits_targets_independently(self) -> bool:
        return True

    def _column_sweeps(self, fitted: Any, held: Any, state: Any) -> Any:
        params, (intercept, flat) = self._checked(), state.more
        if params.positive or not flat:
            return None
        return column_sweeps(fitted, held, intercept, 0.0, params.tol)

    def _linear_fit(self, columns: tuple[Any, ...], state: FitState) -> LinearFit | None:
        """The fit with its leverages; None where the fit without a row may be of another kind."""
        # Without a row, other coefficients may be at zero, so that no closed form holds.
        rows, Y, weights = columns
        intercept, _ = state.more
        if self.positive or is_sparse(rows):
            return None
        solution = least_squares(
            rows, Y, weights, intercept, self._checked_value("tol"), self.n_jobs
        )
        return self._known_fit(solution, rows, intercept)

    def _known_fit(
        self, solution: LeastSquaresSolution, rows: Any, intercept: bool
    ) -> LinearFit | None:
        """The same of a solution."""
        # Without a row, other columns may depend on each other, so that no closed form holds.
        if self.positive or is_sparse(rows) or len(solution.aliased):
            return None
        triangle_of_all = cast(Array, solution.R)
        root = triangle_inverse(triangle_of_all)
        first = triangle_of_all[0]
        center = first[1:] / first[0] if intercept else np.zeros(rows.shape[1])
        total_weight = first[0] ** 2 if intercept else None
        return LinearFit(
            solution.coef,
            solution.intercept,
            root[int(intercept) :, int(intercept) :],
            center,
            total_weight,
        )

    def _conclude(
        self,
        solution: LeastSquaresSolution,
        state: FitState,
        masses: tuple[float, float, float],
        Y: Array | None = None,
        weights: Array | None = None,
        stored: StoredLeftOut | None = None,
    ) -> Self:
        """Become fitted; `masses` are the rows used, their weights, and the sum of the logs."""
        intercept, flat = state.more
        # For rows in parts, these sums are all that is known of the weights.
        used, total, logs = masses
        weighted = () if total == used and logs == 0.0 else ("sample_weight",)
        analytic = self.weight_type == "analytic"
        width = solution.coef.shape[1]
        names = names_of(state.names, width, intercept)
        results = results_of(solution, Y, weights, masses, names, intercept, analytic)
        if self.positive:
            nothing = np.zeros(len(names), dtype=bool)
            results = [
                replace(result, refusal=HELD_COEFFICIENTS, aliased=nothing, facts=())
                for result in results
            ]
        warn_aliased([n for n, gone in zip(names, results[0].aliased, strict=True) if gone])
        named = {} if state.names is None else {"feature_names_in_": state.names}
        return self._publish(
            None,
            **named,
            coef_=solution.coef[0] if flat else solution.coef,
            intercept_=float(solution.intercept[0]) if flat else solution.intercept,
            rank_=solution.rank,
            rss_=float(solution.rss[0]) if flat else solution.rss,
            condition_number_=float(solution.condition),
            results_=results,
            n_features_in_=width,
            _result=results[0],
            _stored=stored,
            _row_arguments=row_arguments(weights) or weighted,
            n_iter_=solution.n_iter,
            _factor=None if solution.R is None else solution.R[int(intercept) :, int(intercept) :],
        )

    def predict(
        self,
        X: Rows,
        *,
        se: bool = False,
        interval: Literal["confidence", "prediction", "conformal"] | None = None,
        level: float = 0.95,
    ) -> Any:
        """Predict the mean response.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.
        se : bool, default=False
            Also return the standard errors of the means.
        interval : {None, "confidence", "prediction", "conformal"}, default=None
            Also return intervals of the means, or of new observations of weight 1: by the normal
            distribution, or for any distribution by the jackknife+ (see `ConformalRegressor`), for
            which the fit needs ``store_left_out=True``.
        level : float, default=0.95
            Confidence level of the interval, between 0 and 1.

        Returns
        -------
        means : ndarray of shape (m,), or (m, T) if y was 2-d
            float32 if X is.
        errors : ndarray of shape (m,)
            Only with ``se=True``; NaN where no degrees of freedom are left.
        ends : ndarray of shape (m, 2)
            Only with an interval. Conformal ones of T targets are (m, T, 2), and infinite, with a
            warning, where there are too few rows for the level.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X has another width than at fit, or holds NaN or infinity, or if a conformal interval
            is asked for and the fit has not kept what it needs: rows that are sparse or in chunks,
            coefficients held at zero, columns that depend on others or on a single row.
        """
        rows = new_rows(self, predictors(self, X)[0], finite=True)
        means = linear_values(rows, *line_of(self))
        as_choice(interval, "interval", (None, "confidence", "prediction", "conformal"))
        se = as_flag(se, "se")
        if not se and interval is None:
            return means
        if interval == "conformal":
            conformal = self._conformal_ends(rows, level, np.ndim(self.coef_) == 1)
            if not se:
                return means, conformal
        result = self._inferred()
        spread = predictor_errors(result, rows, self._has_intercept())
        out = [means]
        if se:
            out.append(spread)
        if interval == "conformal":
            out.append(conformal)
        elif interval is not None:
            level = as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
            if interval == "prediction":
                spread = np.sqrt(spread**2 + result.dispersion)
            out.append(intervals(means.astype(float), spread, result.quantile(level)))
        return tuple(out)

    @property
    def singular_(self) -> Array:
        """Singular values of the features that are kept, as fitted."""
        if self._factor is None:
            self._inferred()  # Raises the error that says why there is no inference.
        return interruptible(np.linalg.svd, self._factor, compute_uv=False)

    @property
    def r_squared_(self) -> float:
        """Share of the variance of y that is explained (about 0 without an intercept)."""
        result = self._inferred()
        return r_squared(result)

    @property
    def adjusted_r_squared_(self) -> float:
        """The same with both sums of squares over their degrees of freedom."""
        result = self._inferred()
        return adjusted_r_squared(result)

    @property
    def sigma_(self) -> float:
        """Residual standard error."""
        return float(np.sqrt(self._inferred().dispersion))

    @property
    def f_test_(self) -> Any:
        """Overall F test: statistic, both degrees of freedom, and p value."""
        return f_test(self._inferred())

    def _inferred(self, *, refuse: bool = True) -> Any:
        result = super()._inferred(refuse=refuse)
        if refuse and len(self.results_) > 1:
            raise NoInferenceError(SEVERAL_TARGETS)
        return result

    def _facts_of(
        self, result: Any
    ) -> tuple[
        tuple[str, float], tuple[str, float], tuple[str, str], tuple[str, str], tuple[str, float]
    ]:
        return facts_of(result)

    def _has_intercept(self) -> bool:
        return len(self.results_[0].names) > self.n_features_in_

    def _influence_inputs(self, y: Any, n: int) -> tuple[Any, ...]:
        self._inferred()
        targets, _ = as_targets(y, n)
        if targets.shape[1] != 1:
            raise ValueError(f"y must be one target; got {targets.shape[1]} columns.")
        has_intercept = self._has_intercept()
        coef, intercept = (np.reshape(value, -1) for value in line_of(self))
        return (
            targets[:, 0],
            FAMILIES["gaussian"],
            LINKS["identity"],
            coef,
            float(intercept[0]),
            has_intercept,
        )

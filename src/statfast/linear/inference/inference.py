# SPDX-License-Identifier: BSD-3-Clause
"""What sampling theory says about a fitted linear model: errors, tests, intervals, the summary.

A model fills in `Result`; the mixin `Inference` turns it into what users ask for. Nothing here
looks at the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf, isnan, log, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import CoefficientTable, Summary
from statfast._typing import Array
from statfast._validation import as_choice, as_real, as_rows, not_fitted, warn_user

STATSMODELS = {  # The names of statsmodels' attributes, and those of ours.
    "aic": "aic_",
    "bic": "bic_",
    "bse": "standard_errors_",
    "cov_params": "covariance_",
    "deviance": "deviance_",
    "df_resid": "df_residual_",
    "llf": "log_likelihood_",
    "null_deviance": "null_deviance_",
    "pvalues": "p_values_",
    "rsquared": "r_squared_",
    "rsquared_adj": "adjusted_r_squared_",
    "scale": "dispersion_",
    "tvalues": "statistics_",
    "zvalues": "statistics_",
}


class NoInferenceError(ValueError, AttributeError):
    """Exception: a fit has no standard errors, as it was penalized or the MLE does not exist.

    Examples
    --------
    >>> from statfast import LogisticRegression
    >>> from statfast.linear import NoInferenceError
    >>> model = LogisticRegression(C=1.0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> try:
    ...     model.conf_int()
    ... except NoInferenceError as error:
    ...     print(error)
    A penalized fit has no standard errors, tests, intervals or information
    criteria: its estimates are biased toward 0. Fit with C=np.inf for inference.
    """


@dataclass(frozen=True)
class Result:
    """Inference of one model: coefficients, covariance, deviances; the intercept comes first.

    Attributes
    ----------
    title : str
    names : (q,) of str
    coef : (q,) float, 0 where aliased
    unscaled : (q, q) inverse information at dispersion 1, or None where there is a refusal
    aliased : (q,) bool
    dispersion : float, known or estimated
    known : bool: whether it is known, so that statistics are z, not t
    observations : float, the samples, or the sum of frequency weights
    df_residual, df_null : float
    deviance, null_deviance, chi2 : float
    loglik : float, NaN where there is no likelihood
    parameters : int, those of the likelihood, the dispersion or theta among them if estimated
    facts : tuple of (str, object), more lines for the summary
    refusal : str, why there is no inference; "" where there is
    notes : tuple of str
    center : (d,) a sample in the midst of the others, or None
    about : (q, q) what `unscaled` is for samples less the center
    robust : (q, q) the covariance instead, that was asked for at fit, NaN where aliased; or None
    clusters : int, of how many that is, or 0
    theta : float, of the negative binomial where it is estimated, by maximum likelihood; else NaN
    """

    title: str
    names: tuple[str, ...]
    coef: NDArray[np.float64]
    unscaled: NDArray[np.float64] | None
    aliased: NDArray[np.bool_]
    dispersion: float
    known: bool
    observations: float
    df_residual: float
    df_null: float
    deviance: float
    null_deviance: float
    chi2: float
    loglik: float = nan
    parameters: int = 0
    facts: tuple = ()
    refusal: str = ""
    notes: tuple[str, ...] = field(default=())
    center: NDArray[np.float64] | None = field(default=None, repr=False)
    about: NDArray[np.float64] | None = field(default=None, repr=False)
    robust: NDArray[np.float64] | None = field(default=None, repr=False)
    clusters: int = 0
    theta: float = nan

    @property
    def df_tests(self) -> float:
        """Degrees of freedom of t and F: of clusters, one less than there are."""
        return self.clusters - 1 if self.clusters else self.df_residual

    @property
    def misfit(self) -> float:
        """What comparisons are of: the deviance, or where theta is estimated minus twice the
        log-likelihood, as a deviance at another theta is on another scale."""
        return self.deviance if isnan(self.theta) else -2 * self.loglik

    def without_freedom(self) -> Result:
        """The same with NaN for all that weights without degrees of freedom do not tell."""
        return replace(self, dispersion=nan, df_residual=nan, loglik=nan)

    @property
    def rank(self) -> int:
        """How many coefficients are not aliased."""
        return int((~self.aliased).sum())

    def variances(self, rows: Any, intercept: bool) -> Any:
        """Variances of the linear predictors of rows (m, d)."""
        if self.robust is None:
            return self.dispersion * self.spread(rows, intercept)
        return np.maximum(quadratic(rows, np.nan_to_num(self.robust), intercept), 0.0)

    def spread(self, rows: Array, intercept: bool) -> Array:
        """z' unscaled z of rows (m, d), with a 1 before each if there is an intercept."""
        rows, cov = self._centered(rows, intercept)
        return np.maximum(quadratic(rows, cov, intercept), 0.0)

    def spreads(self, rows, intercept):
        """Covariances of those of the models that have their coefficients here: (m, K, K)."""
        return self.dispersion * quadratics(*self._centered(rows, intercept), intercept)

    def _centered(self, rows: Array, intercept: bool) -> Any:
        """Rows less the center, and `about`: the intercept's own variance at 0 may be rounding."""
        if intercept and self.center is not None and self.about is not None:
            return rows - self.center, self.about
        return rows, self.unscaled

    @property
    def covariance(self):
        """The covariance of the estimates; NaN for aliased ones."""
        if self.robust is not None:
            return self.robust.copy()
        with np.errstate(over="ignore"):
            out = self.dispersion * self.unscaled
        variances = out.diagonal()[~self.aliased]
        if np.isinf(variances).any() or (variances == 0.0).any() > (self.errors == 0.0).any():
            raise ValueError(
                "A variance of the coefficients is beyond float64. Divide the columns of X, or y, "
                "by their size, or use standard_errors_."
            )
        out[self.aliased] = nan
        out[:, self.aliased] = nan
        return out

    @property
    def errors(self):
        """The standard errors of the estimates; NaN for aliased ones."""
        if self.robust is not None:
            return np.sqrt(self.robust.diagonal())
        out = np.sqrt(self.dispersion) * np.sqrt(self.unscaled.diagonal())
        out[self.aliased] = nan
        return out

    def quantile(self, level: float) -> float:
        """The quantile of the statistics' distribution for a two-sided interval."""
        import scipy.special

        half = 0.5 * (1 + level)
        if isnan(self.df_residual):
            return nan
        if self.known:
            return float(scipy.special.ndtri(half))
        return float(scipy.special.stdtrit(self.df_tests, half)) if self.df_residual > 0 else nan

    def p_values(self, statistics: Array) -> Array:
        """Two-sided p values of z or t statistics."""
        import scipy.special

        if self.known:
            return 2 * scipy.special.ndtr(-np.abs(statistics))
        if self.df_residual <= 0:
            return np.full(np.shape(statistics), nan)
        return 2 * scipy.special.stdtr(self.df_tests, -np.abs(statistics))


def lacks_freedom(total_weight: float, rank: Any, used: Any, models: int = 1) -> bool:
    """Whether weights, which count rows, leave no degrees of freedom; warns if so.

    Of `models` of one response each with `rank` coefficients in all, fitted to `used` rows whose
    weights sum to `total_weight`.
    """
    if models * total_weight > rank or total_weight >= used:
        return False
    warn_user(
        f"sample_weight sums to {total_weight:g}, which leaves no degrees of freedom beside {rank} "
        "coefficients, as weights count rows: standard errors, tests, intervals and the "
        "likelihood are NaN. Scale the weights so that they sum to the number of rows, or pass "
        "weight_type='analytic' to LinearRegression or GeneralizedLinearModel."
    )
    return True


def quadratic(rows: Array, cov: Array, intercept: bool) -> Array:
    """z' cov z of rows (m, d), with a 1 before each if there is an intercept; cov (q, q)."""
    intercept = int(intercept)
    out = ((rows @ cov[intercept:, intercept:]) * rows).sum(axis=1)
    if intercept:
        out += rows @ (cov[1:, 0] + cov[0, 1:]) + cov[0, 0]
    return out


def quadratics(rows: Array, cov: Array, intercept: bool) -> Array:
    """`quadratic` of each pair of K models, whose coefficients follow each other: (m, K, K)."""
    q = rows.shape[1] + int(intercept)
    table = cov.reshape(-1, q, len(cov) // q, q)
    out = np.empty((len(rows), len(table), len(table)))
    for a in range(len(table)):
        for b in range(a + 1):
            out[:, a, b] = out[:, b, a] = quadratic(rows, table[a, :, b], intercept)
    return out


def intervals(estimates: Any, errors: Any, quantile: float) -> Any:
    """Estimates less and plus so many standard errors: (m, 2)."""
    return np.stack([estimates - quantile * errors, estimates + quantile * errors], axis=-1)


def as_level(level: float, alpha: float | None = None) -> float:
    """Check a confidence level, or 1 minus it."""
    if alpha is not None:
        return 1.0 - as_real(alpha, "alpha", 0.0, 1.0, open_low=True, open_high=True)
    return as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)


def interval_table(names: Array, ends: Array, level: float) -> CoefficientTable:
    """Intervals (q, 2) with the names of the coefficients."""
    return table_of(names, dict(zip(percent(level), ends.T, strict=True)))


def table_of(names: Array | tuple[Any, ...], columns: dict[str, Array]) -> CoefficientTable:
    """The rows that have a name: a model without columns has a nameless one, of zeros."""
    if all(names):
        return CoefficientTable(tuple(names), columns)
    kept = [bool(name) for name in names]
    shown = {heading: values[kept] for heading, values in columns.items()}
    return CoefficientTable(tuple(filter(None, names)), shown)


def percent(level: float) -> tuple[str, str]:
    """Headings of the ends of an interval, as R writes them."""
    low = 50 * (1 - level)
    return f"{low:.4g} %", f"{100 - low:.4g} %"


class Inference:
    """Mixin for estimators whose fit sets ``_result`` to a `Result`."""

    # What estimators have.
    fit: Any
    get_params: Any

    def _hint_of_missing(self, name: str) -> str:
        if name in STATSMODELS and hasattr(type(self), STATSMODELS[name]):
            return f" Did you mean {STATSMODELS[name]}?"
        return super()._hint_of_missing(name)  # type: ignore[misc]

    def _inferred(self, *, refuse: bool = True) -> Result:
        result = self.__dict__.get("_result")
        if result is None:
            raise not_fitted(self)
        if refuse and result.refusal:
            raise NoInferenceError(result.refusal)
        return result

    def _results(self, *, refuse: bool = True) -> list[Result]:
        """Those of each model of the fit: of one, mostly."""
        return [self._inferred(refuse=refuse)]

    def _replace_results(self, change: Any) -> None:
        """Change the results of a fit, those of several models each."""
        several = self.__dict__.get("results_")
        self.results_: Any
        if isinstance(several, dict):
            self.results_ = {label: change(result) for label, result in several.items()}
        elif several is not None:
            self.results_ = [change(result) for result in several]
            self._result = self.results_[0]
        else:
            self._result = change(self._result)

    @property
    def coef_names_(self) -> Array:
        """Names of the coefficients, ``"(Intercept)"`` first: ndarray of str (q,)."""
        return np.array(self._inferred(refuse=False).names, dtype=object)

    @property
    def aliased_(self) -> Array:
        """Whether each coefficient was left out, as its feature is collinear with others."""
        return self._inferred(refuse=False).aliased

    @property
    def covariance_(self) -> Array:
        """Covariance matrix of the coefficients (q, q), the intercept first."""
        return self._inferred().covariance

    @property
    def standard_errors_(self) -> Array:
        """Standard errors of the coefficients (q,), the intercept first."""
        return self._inferred().errors

    @property
    def statistics_(self) -> Array:
        """Coefficients over their standard errors (q,): z, or t where dispersion is estimated."""
        return self._inferred().coef / self.standard_errors_

    @property
    def p_values_(self) -> Array:
        """Two-sided p values of `statistics_` (q,)."""
        return self._inferred().p_values(self.statistics_)

    @property
    def deviance_(self) -> float:
        """Deviance of the fit."""
        return self._inferred(refuse=False).deviance

    @property
    def null_deviance_(self) -> float:
        """Deviance of the model with the intercept alone (or no coefficient, without one)."""
        return self._inferred(refuse=False).null_deviance

    @property
    def pearson_chi2_(self) -> float:
        """Pearson's chi-square, the sum of the squared Pearson residuals."""
        return self._inferred(refuse=False).chi2

    @property
    def dispersion_(self) -> float:
        """Dispersion: 1 where the family fixes it, else chi-square over residual freedom."""
        return self._inferred(refuse=False).dispersion

    @property
    def df_residual_(self) -> float:
        """Residual degrees of freedom."""
        return self._inferred(refuse=False).df_residual

    @property
    def df_null_(self) -> float:
        """Degrees of freedom of the null deviance."""
        return self._inferred(refuse=False).df_null

    @property
    def log_likelihood_(self) -> float:
        """Log-likelihood; NaN for quasi families."""
        return self._inferred(refuse=False).loglik

    @property
    def aic_(self) -> float:
        """Akaike's criterion, ``2 k - 2 log L`` with k parameters, of an unpenalized fit."""
        result = self._inferred()
        return 2 * result.parameters - 2 * result.loglik

    @property
    def bic_(self) -> float:
        """Schwarz's criterion, ``k log(n) - 2 log L``, of an unpenalized fit."""
        result = self._inferred()
        return log(result.observations) * result.parameters - 2 * result.loglik

    def conf_int(self, *, level: float = 0.95, alpha: float | None = None) -> CoefficientTable:
        """Wald confidence intervals of the coefficients.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals, between 0 and 1.
        alpha : float, optional
            1 - level, as statsmodels has it; instead of `level`.

        Returns
        -------
        CoefficientTable of q rows
            Columns of the lower and upper ends, the intercept first; ``np.asarray`` of it has shape
            (q, 2). From the normal distribution, or from Student's t where the dispersion is
            estimated; NaN for aliased coefficients and where no degrees of freedom are left.

        Raises
        ------
        ValueError
            If the fit was penalized, or the level is not between 0 and 1.
        """
        level = as_level(level, alpha)
        return interval_table(self.coef_names_, self._wald(level), level)

    def _wald(self, level: float) -> Any:
        """Ends (q, 2) of the intervals of `conf_int`."""
        result = self._inferred()
        return intervals(result.coef, self.standard_errors_, result.quantile(level))

    def _ratios(self, level: float) -> Any:
        """Exponentials of the coefficients, with the ends of Wald's intervals."""
        level = as_level(level)
        low, high = percent(level)
        result = self._inferred()
        with np.errstate(over="ignore"):
            ends = np.exp(self._wald(level))
            ratio = np.where(result.aliased, nan, np.exp(result.coef))
            change = 100 * (ratio - 1)
        columns = {
            "exp(coef)": ratio,
            "% change": change,
            low: ends[:, 0],
            high: ends[:, 1],
        }
        return table_of(result.names, columns)

    def summary(self, *, covariance: str | Array = "model") -> Summary:
        """Summarize the fit: coefficients with their errors and tests, and how good it is.

        Parameters
        ----------
        covariance : {"model"} or ndarray of shape (q, q), default="model"
            Covariance of the coefficients: that of the fit, or a matrix, such as
            `robust_covariance` returns.

        Returns
        -------
        Summary
            ``print`` it, show it in a notebook, or call its ``to_frame()``. Aliased coefficients
            have NaN, and so has what no degrees of freedom are left for.
        """
        result = self._inferred(refuse=False)
        notes = result.notes
        if result.refusal:
            columns = {"Estimate": result.coef}
            return Summary(
                result.title, _facts(result), table_of(result.names, columns),
                (*notes, result.refusal),
            )  # fmt: skip
        errors = self.standard_errors_
        if not isinstance(covariance, str):
            errors = np.sqrt(as_covariance(covariance, len(result.coef)).diagonal())
            notes = (*notes, "Standard errors are from the covariance given.")
        else:
            as_choice(covariance, "covariance", ("model",))
        letter = "z" if result.known else "t"
        coef = np.where(result.aliased, nan, result.coef)
        with np.errstate(divide="ignore", invalid="ignore"):
            statistics = coef / errors
        table = {
            "Estimate": coef,
            "Std. error": errors,
            f"{letter} value": statistics,
            f"P>|{letter}|": result.p_values(statistics),
        }
        return Summary(result.title, _facts(result), table_of(result.names, table), notes)


def as_covariance(covariance: Array, size: int) -> Any:
    """Check a covariance of all coefficients that users give: (size, size), NaN where aliased."""
    table = as_rows(covariance, name="covariance", keep=(np.float64,), finite=False)
    if table.shape != (size, size):
        raise ValueError(
            f"covariance must be 'model' or of shape ({size}, {size}), that of all coefficients "
            f"as of robust_covariance; got shape {table.shape}."
        )
    if (table.diagonal() < 0).any():
        raise ValueError("covariance must have a diagonal of variances; got one below 0.")
    return table


def _facts(result: Result) -> list[Any]:
    count = result.observations
    facts = [
        *result.facts,
        ("Observations", int(count) if count == int(count) else count),
        ("Residual df", f"{result.df_residual:g}"),
        ("Null deviance", result.null_deviance),
        ("Deviance", result.deviance),
    ]
    if not result.known:
        facts.append(("Dispersion", result.dispersion))
    if result.loglik == result.loglik and not result.refusal:
        facts.append(("Log-likelihood", result.loglik))
        facts.append(("AIC", 2 * result.parameters - 2 * result.loglik))
        if 0 < count < inf:
            facts.append(("BIC", log(count) * result.parameters - 2 * result.loglik))
    return facts

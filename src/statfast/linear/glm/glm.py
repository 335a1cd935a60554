# SPDX-License-Identifier: BSD-3-Clause
"""Generalized linear models: the estimator."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import nan
from typing import Any, Literal, Self

import numpy as np

from statfast._engine import Chunks
from statfast._estimator import (
    CoefficientTable,
    Estimator,
    NewtonTerms,
    SharedFits,
    checked_by,
    checks_of_all_rows,
    count,
    fitted,
    flag,
    jobs,
    nothing,
    one_of,
    param,
    real,
    with_params,
)
from statfast._typing import Array, ArrayLike, Jobs, Matrix, Rows, Weights
from statfast._validation import as_weights, column_names, warn_not_converged, warn_user
from statfast.linear.design.design import (
    added_offset,
    require_squares,
    row_arguments,
    rows_of,
)
from statfast.linear.design.formula import FromFormula
from statfast.linear.design.targets import as_target
from statfast.linear.glm.families import (
    FAMILIES,
    Family,
    as_family,
    as_power,
    negative_binomial,
    require_responses,
    tweedie,
)
from statfast.linear.glm.fit import fit_model, require_information
from statfast.linear.glm.fold_fits import MAX_PASSES, fit_folds, models_along_paths, models_of_folds
from statfast.linear.glm.influence import Diagnosed
from statfast.linear.glm.irls_sums import ModelRows
from statfast.linear.glm.links import LINKS, Link, as_link
from statfast.linear.glm.part_rows import response_of
from statfast.linear.glm.predictive import Predictive
from statfast.linear.glm.robust_fit import fit_robust, is_robust
from statfast.linear.glm.separation import warn_no_maximum
from statfast.linear.inference.inference import Inference

LINK = checked_by(as_link, *LINKS, "inverse_squared", 0.5)
POWER = checked_by(as_power, 0, 1.5, 3)


class GeneralizedLinearModel(FromFormula, Diagnosed, Inference, Predictive, Estimator):
    """Generalized linear model by maximum likelihood (IRLS) with inference, or with a penalty.

    The response has a distribution of the family, and the link of its mean is linear in the
    columns::

        link(E[y | x]) = offset + intercept + coef' x

    Parameters
    ----------
    family : str, default="gaussian"
        "gaussian", "binomial", "poisson", "gamma", "inverse_gaussian", "negative_binomial", or of
        no distribution but a variance: "quasi" (constant), "quasibinomial", "quasipoisson", and
        "tweedie" (a power of the mean).
    link : str or float, optional
        "identity", "log", "logit", "probit", "cloglog", "cauchit", "inverse", "inverse_squared",
        "sqrt", or a number for that power of the mean. None is the usual one of the family:
        identity, logit, log, inverse, inverse_squared, and log for counts and "tweedie".
    theta : float, optional
        Of the negative binomial: the variance is ``mu + mu^2 / theta``. None estimates it by
        maximum likelihood, as R's ``MASS::glm.nb``; other families do not have it.
    power : float, optional
        Of "tweedie": the variance is ``mu^power``, of a power that is not between 0 and 1. Between
        1 and 2 are sums of a Poisson number of gamma amounts, which may be 0 [2]_. None is 1.5;
        other families do not have it.
    alpha : float, default=0.0
        Strength of a penalty on the coefficients but the intercept: it is added, times the sum of
        the weights, to half the deviance. 0 is maximum likelihood. A penalized fit has no standard
        errors.
    l1_ratio : float, default=0.0
        The share of the penalty that is on absolute values,
        ``alpha * (l1_ratio * |coef|_1 + (1 - l1_ratio) / 2 * |coef|^2)``: 0 is a ridge penalty, 1
        that of the lasso, which leaves coefficients of 0.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    weight_type : {"frequency", "analytic"}, default="frequency"
        What `sample_weight` means: how often a row occurred, or how much more precise it is than
        one of weight 1, as in R (for "binomial": of how many trials y is the fraction of
        successes). Both give the same coefficients; they differ in degrees of freedom and
        likelihoods. Where numbers of rows sum to no more than there are coefficients, inference is
        NaN, with a warning.
    tol : float, default=1e-10
        The iterations end when a step moves the linear predictor by no more, in root mean square
        and in units of the standard deviation of a response; for l1_ratio > 0, when the duality
        gap is no larger a share of half the deviance of the null model.
    max_iter : int, default=100
        Maximum number of iterations.
    warm_start : bool, default=False
        Start with the coefficients of the last fit, if they are for as many columns.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        Coefficients; 0 where a column depends on those before it (see `aliased_`).
    intercept_ : float
        0 without an intercept.
    theta_ : float
        Of the negative binomial; NaN for others.
    n_iter_ : int
        Iterations over all samples, without those over a sample. Steps by scores alone, of which
        a run has at most 12 passes, are one iteration.
    converged_ : bool
        Whether the iterations converged.
    design_ : FormulaDesign
        Of `from_formula` alone: the terms, and how new data become columns.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.linear.LogisticRegression : Classes instead of numbers, and Firth's method, which has
        finite estimates where successes and failures are separated.
    statfast.linear.glm_path : Coefficients for many penalties.

    Notes
    -----
    Fisher's scoring [1]_, one pass over the rows an iteration, with a line search; where its steps
    shrink slowly, as they may with a link that is not canonical, Newton's, of the observed
    information. The pairs gaussian-identity, binomial-logit, poisson-log, gamma-log and
    gamma-inverse have vector code. Standard errors are of the expected information.

    With l1_ratio > 0, Newton's steps are lassos on the columns that are not 0 or ought not to be,
    solved by coordinate descent [3]_; X is read in memory. The gap is that of the quadratic
    approximation. The minimum is that of all coefficients where the deviance is convex, as it is
    for the usual links and for the log link with powers from 1 to 2; elsewhere it is a local one.

    Conventions are R's: the dispersion is Pearson's chi-square over the residual degrees of
    freedom, tests use Student's t where it is estimated, and AIC counts it as a parameter.

    `summary`, `standard_errors_`, `conf_int` and similar tables are of the coefficients with the
    intercept first.

    Cost: n d^2 operations a pass, and d^3. Memory: O(d^2) a thread; rows are read where they lie.

    References
    ----------
    .. [1] McCullagh, P. and Nelder, J. A. (1989). Generalized Linear Models, 2nd ed.
       https://doi.org/10.1007/978-1-4899-3242-6
    .. [2] Jørgensen, B. (1987). Exponential dispersion models. Journal of the Royal Statistical
       Society B 49, 127-162. https://doi.org/10.1111/j.2517-6161.1987.tb01685.x
    .. [3] Friedman, J., Hastie, T. and Tibshirani, R. (2010). Regularization paths for generalized
       linear models via coordinate descent. https://doi.org/10.18637/jss.v033.i01

    Examples
    --------
    The randomized trial of Dobson (1990), page 93, as in R's ``?glm``:

    >>> import numpy as np
    >>> from statfast.linear import GeneralizedLinearModel
    >>> counts = [18, 17, 15, 20, 10, 20, 25, 13, 12]
    >>> outcome, treatment = np.tile([1, 2, 3], 3), np.repeat([1, 2, 3], 3)
    >>> X = np.column_stack([outcome == 2, outcome == 3, treatment == 2, treatment == 3])
    >>> model = GeneralizedLinearModel("poisson").fit(X, counts)
    >>> model.coef_[:2].round(4)
    array([-0.4543, -0.293 ])
    >>> print(f"{model.deviance_:.4f}, {model.aic_:.2f}")
    5.1291, 56.76
    """

    family: str = param(checked_by(as_family, *FAMILIES), default="gaussian", kw_only=False)
    link: str | float | None = param(nothing | LINK, default=None, kw_only=False)
    theta: float | None = param(nothing | real(0, open_low=True), default=None)
    power: float | None = param(nothing | POWER, default=None)
    alpha: float = param(real(0), default=0.0)
    l1_ratio: float = param(real(0, 1), default=0.0)
    fit_intercept: bool = param(flag, default=True)
    weight_type: Literal["frequency", "analytic"] = param(
        one_of("frequency", "analytic"), default="frequency"
    )
    tol: float = param(real(0, open_low=True), default=1e-10)
    max_iter: int = param(count(), default=100)
    warm_start: bool = param(flag, default=False)
    n_jobs: Jobs = param(jobs, default=None)

    coef_: Array = fitted(follows_rows=True)
    intercept_: float = fitted()
    theta_: float = fitted()
    n_iter_: int = fitted()
    converged_: bool = fitted()

    def fit(
        self, X: Rows, y: ArrayLike, sample_weight: Weights = None, offset: ArrayLike | None = None,
        exposure: ArrayLike | None = None, *,
        cov_type: Literal["nonrobust", "HC0", "HC1", "HC2", "HC3", "cluster", "HAC"] = "nonrobust",
        groups: ArrayLike | None = None, maxlags: int | None = None,
    ) -> Self:  # fmt: skip
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or Chunks
            The samples, finite. A memory map is read block by block, and `Chunks` are read once for
            each pass.
        y : array-like of shape (n,)
            Responses: positive for gamma and inverse Gaussian, counts for Poisson and negative
            binomial, proportions of successes for binomial.
        sample_weight : array-like of shape (n,), optional
            Weights, meant as `weight_type` says; None is 1 for all.
        offset : array-like of shape (n,), optional
            Added to the linear predictor.
        exposure : array-like of shape (n,), optional
            Times or populations over which counts were taken: its logarithm is an offset, for the
            log link.
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
        self : GeneralizedLinearModel

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, or not in memory for l1_ratio > 0, if y is not one
            number of the family's range for each row, if no coefficients are found whose means lie
            in that range (as of the log link where the mean of y is negative), or if a parameter is
            out of its range.
        TypeError
            If a parameter is of the wrong type.

        Warns
        -----
        UserWarning
            If counts are not integers, if the likelihood has no finite maximum, or if its maximum
            is at the boundary of the coefficients that give means (as of the identity link where
            the mean of a row becomes 0), where errors and tests do not hold.
        CollinearityWarning
            If columns of X are constant or collinear.
        SeparationWarning
            If columns separate the successes of the binomial family from the failures, which makes
            the coefficients named infinite; for links whose means go from 0 to 1.
        ConvergenceWarning
            If max_iter passes were not enough.
        """
        if is_robust(cov_type, groups, maxlags):
            more = {"offset": offset, "exposure": exposure}
            return fit_robust(self, cov_type, groups, maxlags, X, y, sample_weight, **more)
        rows = rows_of(X)
        n = np.size(y) if isinstance(X, Chunks) else rows.shape[0]
        family, link = self._formulas()
        y = as_target(y, n)
        weights = as_weights(sample_weight, n)
        require_responses(family, y, weights, self._power(family))
        added = added_offset(link, offset, exposure, n)
        row_inputs = row_arguments(weights, offset, exposure)
        more = {
            **{"weights": weights, "offset": added, "columns": column_names(X)},
            **self._how(rows if not isinstance(X, Chunks) else next(iter(X))),
        }
        theta = nan
        if family.name == "negative_binomial":
            model, theta = self._fit_counts(rows, y, family, link, more)
        else:
            model = fit_model(rows, y, family=family, link=link, **more)
        return self._concluded(model, link, theta, X, row_inputs)

    def _fit_source(self, parts: Any, X: Any) -> Any:
        """The same of rows in parts, a round for each pass."""
        family, link = self._formulas()
        y = response_of(family, self.theta, self._power(family))
        how = {"columns": parts.column_names, **self._how(parts)}
        model = fit_model(parts, y, family=family, link=link, **how)
        theta = nan if self.theta is None else float(self.theta)
        return self._concluded(model, link, theta, X)

    def _how(self, rows: Matrix) -> dict[str, Any]:
        """The parameters, as arguments of `fit_model`."""
        params = self._checked()
        return {
            "intercept": params.fit_intercept,
            "analytic": self.weight_type == "analytic",
            "max_iter": params.max_iter,
            "tol": params.tol,
            "n_jobs": self.n_jobs,
            "title": "Generalized linear model",
            "alpha": params.alpha,
            "l1_ratio": params.l1_ratio,
            "start": self._coefs_before(rows),
        }

    def _coefs_before(self, rows: Matrix) -> Array | None:
        """Coefficients of the fit before, the intercept first, if this one is to go on there."""
        params, larger = self._checked(), self.__dict__.pop("_coefs_of_larger_alpha", None)
        if larger is not None:
            return larger
        known = params.warm_start and self.__sklearn_is_fitted__()
        if not known or rows.shape[1] != self.n_features_in_:
            return None
        return self._all_coefs()

    def _all_coefs(self) -> Array:
        """Coefficients (q,), the intercept first if there is one."""
        intercept = [self.intercept_] if self._checked_value("fit_intercept") else []
        return np.append(intercept, vars(self)["coef_"])

    def _concluded(
        self, model: Any, link: Link, theta: float, X: Any, arguments: tuple[Any, ...] = ()
    ) -> Self:
        """Become fitted, with a word where the iterations came to no end."""
        family = model.rows.family
        both = family.kernel_name == "binomial" and 0 < model.rows.mean < 1
        if model.fit.diverged and both and link.name in SHARES:
            names = model.result.names
            warn_no_maximum(model.rows, model.fit.coef, names, "Successes and failures are", ADVICE)
        elif model.fit.diverged:
            warn_user(
                "The likelihood has no finite maximum: some coefficients grow without bound, as "
                "where responses are at an end of their range for all rows of a group."
            )
        elif model.fit.boundary:
            warn_user(AT_BOUNDARY if model.fit.converged else TO_BOUNDARY)
        elif not model.fit.converged:
            warn_not_converged(self, model.fit.n_iter)
        fit = model.fit
        fitted = _fitted(link, fit.coef, model.rows.intercept, fit.n_iter, fit.converged)
        fitted |= {"theta_": theta, "_row_arguments": arguments}
        return self._publish(X, **fitted, _result=model.result)

    def odds_ratios(self, level: float = 0.95) -> CoefficientTable:
        """Odds ratios (exponentiated coefficients, logit link), with Wald intervals.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals, between 0 and 1.

        Returns
        -------
        CoefficientTable
            Columns "exp(coef)", "% change" and the ends of the interval; NaN for aliased
            coefficients, infinity beyond 1.8e308.

        Raises
        ------
        ValueError
            If the link is another, the fit has no inference, or the level is out of its range.
        """
        return self._exponentials("odds_ratios", "logit", level)

    def rate_ratios(self, level: float = 0.95) -> CoefficientTable:
        """Rate ratios (exponentiated coefficients, log link), with Wald intervals.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals, between 0 and 1.

        Returns
        -------
        CoefficientTable
            As of `odds_ratios`.

        Raises
        ------
        ValueError
            As `odds_ratios`.
        """
        return self._exponentials("rate_ratios", "log", level)

    def _exponentials(self, name: str, link: str, level: float) -> Any:
        self._inferred()
        if self._link != link:
            raise ValueError(
                f"{name} is of the {link} link; got link={self._link!r}, for which exponentials of "
                "coefficients have no such meaning. Use coef_ and conf_int."
            )
        return self._ratios(level)

    def _newton_terms(self, X: Array, y: Any, weights: Array) -> list[NewtonTerms] | None:
        if self._is_sparse() or np.ndim(y) != 1:
            return None
        family, link = self._formulas()
        means = np.asarray(self.predict(X), dtype=np.float64)
        slopes, variances = link.slope(link.link(means), means), family.variance(means)
        residuals = weights * (np.asarray(y, dtype=np.float64) - means) * slopes / variances
        penalty = self._checked_value("alpha") * float(weights.sum())
        terms = NewtonTerms(
            weights * slopes**2 / variances,
            residuals,
            vars(self)["coef_"],
            penalty,
            bool(self.fit_intercept),
        )
        return [terms]

    def _plan_folds(self, task: Any) -> Any:
        """Models of all folds, as far as they predict, fitted together; see `fold_fits`."""
        if task.methods is None:
            return None
        if all(with_params(self, params)._is_sparse() for params in task.candidates):
            return SharedFits(task.matrix(), models_along_paths(self, task))
        X, y, weights = task.matrix(), task.folds.y, task.folds.weights
        groups = task.folds.groups() if isinstance(X, np.ndarray) else None
        if groups is None:
            return None
        fits: list = []
        with checks_of_all_rows():
            rows = rows_of(X)
            for params in task.candidates:
                model = with_params(self, params)
                family, link = model._formulas()
                checked = model._checked()
                if checked.alpha:  # The penalty grows with the number of rows, which differs.
                    return None
                estimates_theta = family.name == "negative_binomial" and model.theta is None
                if estimates_theta or checked.max_iter < MAX_PASSES:
                    return None
                responses = as_target(y, len(rows))
                require_responses(family, responses, weights, model._power(family))
                require_squares(responses)
                require_information(responses, family, link)
                how = family, link, checked.fit_intercept, checked.tol
                fits.append((model, partial(model._folded, responses, weights, *how)))
        return SharedFits(X, models_of_folds(X, task.folds, groups, rows, fits))

    def _is_sparse(self) -> bool:
        """Whether there is a penalty on absolute values."""
        return bool(self._checked_value("alpha") and self._checked_value("l1_ratio"))

    def _folded(
        self,
        y: Any,
        weights: Array | None,
        family: Any,
        link: Link,
        intercept: bool,
        tol: float,
        layout: Any,
    ) -> Any:
        """Attributes of the models of all folds, or None."""
        model = ModelRows(
            layout.X, layout.cut(y), layout.cut(weights), None, family, link, intercept, self.n_jobs
        )
        theta = nan if self.theta is None else float(self.theta)
        return [
            fit and _fitted(link, fit[0], intercept, fit[1], True) | {"theta_": theta}
            for fit in fit_folds(model, layout, ridge=0.0, tol=tol)
        ]

    @property
    def _is_of_shares(self) -> bool:
        """Whether responses are shares of successes, which categories may stand for."""
        return isinstance(self.family, str) and self.family in ("binomial", "quasibinomial")

    def _influence_inputs(self, y: Any, n: int) -> tuple[Any, ...]:
        family, link = self._family(), as_link(self._link)
        has_intercept = self._has_intercept()
        coef = vars(self)["coef_"]
        return as_target(y, n), family, link, coef, self.intercept_, has_intercept

    def _family(self) -> Family:
        """That of the fit."""
        family = as_family(self.family)
        if family.name == "tweedie":
            return tweedie(self._power(family))
        return negative_binomial(self.theta_) if family.name == "negative_binomial" else family

    def _power(self, family: Family) -> float | None:
        """The exponent of the variance of a Tweedie family; None of others."""
        if family.name != "tweedie":
            return None
        return 1.5 if self.power is None else as_power(self.power)

    def _has_intercept(self) -> bool:
        return len(self._inferred(refuse=False).names) > self.n_features_in_

    def _formulas(self) -> tuple[Family, Link]:
        """Family and link, checked."""
        family, theta = self._checked_value("family"), self._checked_value("theta")
        if theta is not None:
            if family.name != "negative_binomial":
                raise ValueError(f"theta is for 'negative_binomial'; got family={family.name!r}.")
            label = f"negative binomial, theta {theta:g}"
            family = replace(negative_binomial(theta), label=label)
        if self.power is not None and family.name != "tweedie":
            raise ValueError(f"power is for 'tweedie'; got family={family.name!r}.")
        if family.name == "tweedie":
            family = tweedie(self._power(family))
        return family, self._checked_value("link") or as_link(family.link)

    def _fit_counts(
        self, rows: Matrix, y: Array, family: Family, link: Link, more: dict[str, Any]
    ) -> tuple[Any, float]:
        """The negative binomial, its theta given or estimated."""
        from statfast.linear.glm.negative_binomial import fit_negative_binomial

        if self.theta is None:
            return fit_negative_binomial(rows, y, link, more)
        return fit_model(rows, y, family=family, link=link, **more), float(self.theta)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _fitted(
    link: Link, coef: Array, intercept: bool, n_iter: int, converged: bool
) -> dict[str, Any]:
    """The attributes that predictions need."""
    n_intercepts = int(intercept)
    return {
        "coef_": coef[n_intercepts:],
        "intercept_": float(coef[0]) if n_intercepts else 0.0,
        "n_iter_": n_iter,
        "converged_": converged,
        "n_features_in_": len(coef) - n_intercepts,
        "_link": link.name if not link.name.startswith("power") else float(link.name[6:-1]),
    }


AT_BOUNDARY = (
    "The maximum of the likelihood is at the boundary of the coefficients that give means: some "
    "means are at an end of their range. The estimates are those of the maximum, but standard "
    "errors and tests do not hold there. Choose the family's usual link for inference."
)
TO_BOUNDARY = (
    "The steps lead to the boundary of the coefficients that give means, and found no maximum "
    "there: coefficients are where they stopped. Choose the family's usual link."
)
SHARES = ("logit", "probit", "cloglog", "cauchit")  # links whose means go from 0 to 1
ADVICE = (
    "Use Firth's method, whose estimates are finite (LogisticRegression(method='firth'), for the "
    "logit link), or drop columns."
)

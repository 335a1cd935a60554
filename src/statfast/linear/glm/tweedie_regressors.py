# SPDX-License-Identifier: BSD-3-Clause
"""Tweedie, Poisson and gamma regression with a penalty, as scikit-learn has them."""

from __future__ import annotations

from typing import Any, Literal

from statfast._estimator import absent, checked_by, param, real, removed
from statfast.linear.glm.families import Family, as_power, tweedie
from statfast.linear.glm.glm import POWER, GeneralizedLinearModel
from statfast.linear.glm.links import Link, as_link


def as_link_or_auto(value: object, name: str) -> Link | None:
    """Check a link; None stands for "auto"."""
    return None if isinstance(value, str) and value == "auto" else as_link(value, name)


class TweedieRegressor(GeneralizedLinearModel):
    """Tweedie regression: a GLM whose variance is a power of the mean, with a penalty.

    Minimizes, the intercept not penalized::

        sum_i w_i deviance_i / (2 sum_i w_i)
            + alpha * (l1_ratio * |coef|_1 + (1 - l1_ratio) / 2 * |coef|^2)

    Parameters
    ----------
    link : str or float, default="auto"
        Of `GeneralizedLinearModel`; "auto" is "log" for a power above 0, else "identity".
    power : float, default=0.0
        The variance is ``mu^power``, of power 0 (normal), 1 (Poisson), 2 (gamma), 3 (inverse
        Gaussian), between 1 and 2 (sums of a Poisson number of gamma amounts), above 2 (positive
        stable), or below 0 (extreme stable: any responses, with positive means).
    alpha : float, default=1.0
        Strength of the penalty. 0 is maximum likelihood, with all of the inference of
        `GeneralizedLinearModel` with the family "tweedie".
    l1_ratio : float, default=0.0
        The share of the penalty that is on absolute values: 0 is a ridge penalty, 1 that of the
        lasso, which leaves coefficients of 0.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    tol : float, default=1e-10
        The iterations end when a step moves the linear predictor by no more, in root mean square
        and in units of the standard deviation of a response; for l1_ratio > 0, when the duality
        gap is no larger a share of half the deviance of the null model.
    max_iter : int, default=100
        Maximum number of IRLS iterations.
    warm_start : bool, default=False
        Start with the coefficients of the last fit, if they are for as many columns.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        Coefficients.
    intercept_ : float
        0 without an intercept.
    n_iter_ : int
        Iterations over all samples, without those over a sample. Steps by scores alone, of which
        a run has at most 12 passes, are one iteration.
    converged_ : bool
        Whether the iterations converged.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.linear.GeneralizedLinearModel : Other families, and standard errors by default.

    Notes
    -----
    `fit` takes an offset or an exposure, too. Cost and memory are those of
    `GeneralizedLinearModel`. A penalized fit has no standard errors.

    References
    ----------
    Jørgensen, B. (1987). Exponential dispersion models. Journal of the Royal Statistical Society B
    49, 127-162. https://doi.org/10.1111/j.2517-6161.1987.tb01685.x

    Examples
    --------
    >>> from statfast.linear import TweedieRegressor
    >>> hours, amounts = [[1], [2], [4], [5], [7]], [0.0, 1.3, 0.0, 4.1, 6.5]
    >>> model = TweedieRegressor(power=1.5).fit(hours, amounts)
    >>> model.predict([[6]]).round(3), round(model.score(hours, amounts), 4)
    (array([3.881]), 0.4527)
    """

    family: str = removed(fixed="tweedie")
    theta: None = removed(fixed=None)
    weight_type: Literal["frequency", "analytic"] = removed(fixed="frequency")
    power: float = param(POWER, default=0.0)
    alpha: float = param(real(0), default=1.0)
    link: str | float = param(checked_by(as_link_or_auto, "auto", "log"), default="auto")

    def _formulas(self) -> tuple[Family, Link]:
        family = tweedie(as_power(self.power))
        return family, as_link_or_auto(self.link, "link") or as_link(family.link)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.power > 0
        return tags


class PoissonRegressor(TweedieRegressor):
    """Poisson regression with the log link and a ridge penalty.

    Minimizes, the intercept not penalized::

        sum_i w_i deviance_i / (2 sum_i w_i)
            + alpha * (l1_ratio * |coef|_1 + (1 - l1_ratio) / 2 * |coef|^2)

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty. 0 is maximum likelihood, with standard errors whose dispersion is
        estimated; see `GeneralizedLinearModel` for those of dispersion 1.
    l1_ratio : float, default=0.0
        The share of the penalty that is on absolute values: 0 is a ridge penalty, 1 that of the
        lasso, which leaves coefficients of 0.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
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
        Coefficients.
    intercept_ : float
        0 without an intercept.
    n_iter_ : int
        Iterations over all samples, without those over a sample. Steps by scores alone, of which
        a run has at most 12 passes, are one iteration.
    converged_ : bool
        Whether the iterations converged.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Notes
    -----
    Responses need not be integers: rates weighed by their exposures give the same coefficients as
    counts with ``fit(exposure=)``.

    References
    ----------
    McCullagh, P. and Nelder, J. A. (1989). Generalized Linear Models, 2nd ed., chapter 6.
    https://doi.org/10.1007/978-1-4899-3242-6

    Examples
    --------
    >>> from statfast.linear import PoissonRegressor
    >>> hours, counts = [[1], [2], [4], [5], [7]], [2, 3, 6, 8, 15]
    >>> model = PoissonRegressor().fit(hours, counts)
    >>> model.coef_.round(4), model.predict([[6]]).round(3)
    (array([0.3125]), array([10.863]))
    """

    power: float = removed(fixed=1.0)
    link: str = removed(fixed="log")

    odds_ratios = absent("its link is not the logit. Ask for rate_ratios.")


class GammaRegressor(PoissonRegressor):
    """Gamma regression with the log link and a ridge penalty.

    Minimizes, the intercept not penalized::

        sum_i w_i deviance_i / (2 sum_i w_i)
            + alpha * (l1_ratio * |coef|_1 + (1 - l1_ratio) / 2 * |coef|^2)

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty. 0 is maximum likelihood, with standard errors.
    l1_ratio : float, default=0.0
        The share of the penalty that is on absolute values: 0 is a ridge penalty, 1 that of the
        lasso, which leaves coefficients of 0.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
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
        Coefficients.
    intercept_ : float
        0 without an intercept.
    n_iter_ : int
        Iterations over all samples, without those over a sample. Steps by scores alone, of which
        a run has at most 12 passes, are one iteration.
    converged_ : bool
        Whether the iterations converged.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Notes
    -----
    It is `TweedieRegressor` of power 2 with the log link.

    References
    ----------
    McCullagh, P. and Nelder, J. A. (1989). Generalized Linear Models, 2nd ed., chapter 8.
    https://doi.org/10.1007/978-1-4899-3242-6

    Examples
    --------
    >>> from statfast.linear import GammaRegressor
    >>> hours, amounts = [[1], [2], [4], [5], [7]], [1.2, 0.9, 2.1, 2.8, 5.0]
    >>> model = GammaRegressor().fit(hours, amounts)
    >>> model.coef_.round(4), model.predict([[6]]).round(3)
    (array([0.2204]), array([3.31]))
    """

    power: float = removed(fixed=2.0)

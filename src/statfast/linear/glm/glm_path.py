# SPDX-License-Identifier: BSD-3-Clause
"""Generalized linear models with an l1 penalty, for a falling sequence of penalties."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import ArrayLike, Rows, Weights
from statfast._validation import (
    ConvergenceWarning,
    as_count,
    as_flag,
    as_real,
    as_weights,
    warn_user,
)
from statfast.linear.design.design import added_offset, require_squares, table_of
from statfast.linear.design.targets import as_target
from statfast.linear.glm.families import require_responses
from statfast.linear.glm.fit import require_information
from statfast.linear.glm.glm import GeneralizedLinearModel
from statfast.linear.glm.irls_sums import ModelRows
from statfast.linear.glm.sparse_glm import GlmDescent
from statfast.linear.penalized.lasso_path import RegularizationPath
from statfast.linear.penalized.penalties import as_alphas


def glm_path(
    X: Rows,
    y: ArrayLike,
    *,
    family: str = "poisson",
    link: str | float | None = None,
    theta: float | None = None,
    power: float | None = None,
    l1_ratio: float = 1.0,
    alphas: ArrayLike = 100,
    eps: float = 1e-3,
    sample_weight: Weights = None,
    offset: ArrayLike | None = None,
    exposure: ArrayLike | None = None,
    fit_intercept: bool = True,
    standardize: bool = False,
    tol: float = 1e-10,
    max_iter: int = 100,
    n_jobs: int | None = None,
) -> RegularizationPath:
    """Regularization path of a generalized linear model with an l1 or elastic-net penalty.

    At each alpha the coefficients minimize, with n the sum of the weights::

        sum_i w_i deviance_i / (2 n) + alpha (l1_ratio |b|_1 + (1 - l1_ratio) |b|^2 / 2)

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Samples.
    y : array-like of shape (n,)
        Responses, in the range of the family.
    family : str, default="poisson"
        Of `GeneralizedLinearModel`.
    link : str or float, optional
        Of `GeneralizedLinearModel`; None is the usual one of the family.
    theta : float, optional
        Of the negative binomial, which needs it here.
    power : float, optional
        Of the family "tweedie": None is 1.5.
    l1_ratio : float, default=1.0
        Between 0 (ridge) and 1 (lasso).
    alphas : int or array-like of shape (A,), default=100
        Penalties, used in falling order; or how many, evenly spaced on a log scale from the least
        that leaves no coefficient down to `eps` times it.
    eps : float, default=1e-3
        Smallest penalty relative to the largest.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    offset : array-like of shape (n,), optional
        Added to the linear predictor.
    exposure : array-like of shape (n,), optional
        Times or populations over which counts were taken: its logarithm is an offset, for the log
        link.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    standardize : bool, default=False
        Penalize each coefficient times the standard deviation of its column (divisor n).
    tol : float, default=1e-10
        Duality gap to reach, of the quadratic approximation, as a fraction of half the deviance of
        the null model.
    max_iter : int, default=100
        Maximum number of Newton steps for a penalty. Where they do not suffice the path ends, with
        a warning: smaller penalties have the coefficients found there, the gaps that those leave,
        and 0 steps.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    RegularizationPath
        Its ``predict`` gives the linear predictor, without the offset.

    Raises
    ------
    ValueError
        If X holds NaN or infinity, y is out of the range of the family, theta is missing for the
        negative binomial, or a parameter is out of range.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` steps were not enough for a penalty, and smaller ones were not tried.

    Notes
    -----
    Newton's method, each step a weighted lasso on the columns that the strong rule suspects, which
    are copied; about five steps and two passes over the columns for each penalty. Where the
    objective has several minima, as that of a log link with the gaussian family may, the path
    follows one of them.

    References
    ----------
    J. Friedman, T. Hastie & R. Tibshirani (2010), "Regularization paths for generalized linear
    models via coordinate descent". doi:10.18637/jss.v033.i01

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import glm_path
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0], [5.0, 0.0]])
    >>> path = glm_path(X, [1, 1, 3, 2, 9, 8], alphas=3, eps=0.01)
    >>> (path.coefs != 0).sum(axis=0)
    array([0, 2, 2])
    """
    model = GeneralizedLinearModel(
        family, link, theta=theta, power=power, fit_intercept=fit_intercept, n_jobs=n_jobs
    )
    kind, function = model._formulas()
    if kind.name == "negative_binomial" and theta is None:
        raise ValueError(
            "theta must be a number for a path of the family 'negative_binomial'; got None. Pass "
            "the theta_ of a GeneralizedLinearModel."
        )
    intercept, std = as_flag(fit_intercept, "fit_intercept"), as_flag(standardize, "standardize")
    ratio, limit = as_real(l1_ratio, "l1_ratio", 0.0, 1.0), as_real(tol, "tol", 0.0)
    most, penalties = as_count(max_iter, "max_iter"), as_alphas(alphas)
    table = table_of(X, finite=False)
    target, weights = as_target(y, table.shape[0]), as_weights(sample_weight, table.shape[0])
    require_responses(kind, target, weights, model._power(kind))
    require_squares(target)
    require_information(target, kind, function)
    added = added_offset(function, offset, exposure, table.shape[0])
    rows = ModelRows(table, target, weights, added, kind, function, intercept, n_jobs)
    descent = GlmDescent(rows, std)
    if isinstance(penalties, int):
        penalties = descent.grid(ratio, penalties, eps)
    path = _followed(descent, penalties, ratio, limit, most)
    if not path.n_iters.all():
        last = path.alphas[path.n_iters.argmin() - 1]
        warn_user(
            f"glm_path did not converge in {most} iterations at alpha={last:.3g}; smaller "
            "penalties were not tried and have its coefficients. Raise max_iter or tol.",
            ConvergenceWarning,
        )
    return path


def _followed(descent: GlmDescent, alphas: Any, ratio: float, tol: float, most: int) -> Any:
    """The path of checked arguments."""
    models, before = [], np.inf
    for alpha in alphas:
        model, before = descent.solve_penalty(
            alpha, ratio, before, tol, 0 if descent.spent else most
        )
        models.append(model)
    return RegularizationPath(
        alphas,
        np.array([model.coef for model in models]).T.copy(),
        np.array([model.intercept for model in models]),
        np.array([model.gap for model in models]) / descent.total_weight,
        np.array([model.n_iter for model in models]),
    )

# SPDX-License-Identifier: BSD-3-Clause
"""Negative binomial regression with its theta estimated, as R's ``MASS::glm.nb`` does.

Means given theta, and theta given the means, in turn; both are by maximum likelihood, and as they
are orthogonal the turns converge quickly. Venables & Ripley 2002, section 7.4,
doi:10.1007/978-0-387-21706-2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from statfast._typing import Array, Matrix
from statfast._validation import warn_user
from statfast.linear.glm.families import FAMILIES, MIN_THETA_OF_SERIES, negative_binomial
from statfast.linear.glm.fit import fit_model
from statfast.linear.glm.links import Link

MAX_TURNS = 50
MAX_THETA = 1e12  # Above this theta the variance is that of Poisson's distribution, up to rounding.
# Turns end when theta changes by no more than this share of its standard error.
MAX_LAST_CHANGE = 1e-7
MAX_U_OF_SERIES = 1e-3  # For smaller u, log(1 + u) - u is computed by its series.


@np.errstate(all="ignore")
def fit_negative_binomial(
    rows: Matrix, y: Array, link: Link, more: dict[str, Any]
) -> tuple[Any, float]:
    """A `Model`, and theta."""
    model = fit_model(rows, y, family=FAMILIES["poisson"], link=link, **more)
    theta = np.nan
    weights, passes = more["weights"], model.fit.n_iter
    for _ in range(MAX_TURNS):
        mu = _means(model)
        before, theta = theta, _best_theta(y, mu, weights, theta)
        settled = max(1e-10 * theta, MAX_LAST_CHANGE * _error_of(theta, y, mu, weights))
        if theta == before or abs(theta - before) <= settled:
            break
        family = negative_binomial(theta)
        more |= {"start": model.fit.coef, "warn": False}
        model = fit_model(rows, y, family=family, link=link, **more)
        passes += model.fit.n_iter
    else:
        model.fit.converged = False
    if theta == np.inf:
        warn_user(
            "theta has no finite estimate: the counts vary no more than those of a Poisson "
            "distribution, whose estimates these are. Choose family='poisson'."
        )
    error = _error_of(theta, y, _means(model), weights)
    result = replace(
        model.result,
        parameters=model.result.parameters + 1,
        theta=float(theta),
        facts=(*model.result.facts, ("theta", theta), ("Std. error of theta", error)),
    )
    model.result = result
    model.fit.n_iter = passes
    return model, float(theta)


def _means(model: Any) -> Array:
    return model.rows.link.mean(model.rows.predictor(model.rows.from_user(model.fit.coef)))


def _error_of(theta: float, y: Array, mu: Array, weights: Array) -> float:
    """The standard error of theta; NaN if it is infinite."""
    _, curve = _score(theta, y, mu, weights)
    return 1 / np.sqrt(-curve) if curve < 0 else np.nan


def _score(theta: float, y: Array, mu: Array, weights: Array) -> tuple[float, float]:
    """First and second derivative of the log-likelihood in theta.

    The first is digamma(y + theta) - digamma(theta) - log((y + theta) / theta), and log(1 + u) - u,
    where u = (y - mu) / (mu + theta). Of a large theta the two digammas have all digits in common,
    and are log t - 1 / 2t - 1 / 12t^2.
    """
    from scipy.special import digamma, polygamma

    a = 1.0 if weights is None else weights
    above, u = theta + y, (y - mu) / (mu + theta)
    if theta < MIN_THETA_OF_SERIES:
        first = digamma(above) - digamma(theta) - np.log1p(y / theta)
        second = polygamma(1, above) - polygamma(1, theta) + y / (theta * above)
    else:
        both = y * (theta + above) / (theta * above) ** 2
        first = y / (2 * theta * above) + both / 12
        second = -both / 2 - y / (2 * theta**4)
    series = u**2 * (u * (1 / 3 - u * (1 / 4 - u / 5)) - 1 / 2)
    first = first + np.where(np.abs(u) < MAX_U_OF_SERIES, series, np.log1p(u) - u)
    second = second + u**2 / ((1 + u) * (mu + theta))
    return float((a * first).sum()), float((a * second).sum())


def _best_theta(y: Array, mu: Array, weights: Array, start: float) -> float:
    """The maximum over theta, by Newton's steps on log theta, kept within a factor of 10.

    It is infinite if the likelihood does not fall towards Poisson's: where squared residuals sum to
    no more than the counts.
    """
    a = np.ones_like(y) if weights is None else weights
    if (a * (y - mu) ** 2).sum() <= (a * y).sum():
        return np.inf
    if not 0.0 < start < np.inf:
        start = a.sum() / max((a * (y / mu - 1) ** 2).sum(), 1e-8)
    log_theta = np.log(start)
    for _ in range(200):
        theta = np.exp(log_theta)
        if theta >= MAX_THETA:
            return np.inf
        first, second = _score(theta, y, mu, weights)
        slope, curve = first * theta, second * theta**2 + first * theta
        step = -slope / curve if curve < 0 else np.sign(slope)
        step = min(max(step, -2.3), 2.3)
        log_theta += step
        if abs(step) < 1e-12:
            break
    return float(np.exp(log_theta))

# SPDX-License-Identifier: BSD-3-Clause
"""Negative binomial regression with its theta estimated, as R's ``MASS::glm.nb`` does.

Means given theta, and theta given the means, in turn; both are by maximum likelihood, and as they
are orthogonal the turns converge quickly. Venables & Ripley 2002, section 7.4,
doi:10.1007/978-0-387-21706-2.
"""

from dataclasses import replace

import numpy as np

from statfast._validation import warn_user
from statfast.linear.glm.families import FAMILIES, negative_binomial
from statfast.linear.glm.fit import fit_model

TURNS = 50
LARGEST = 1e8  # theta: beyond, the counts are as good as Poisson's


@np.errstate(all="ignore")
def fit_negative_binomial(rows, y, link, more):
    """A `Model`, and theta."""
    model = fit_model(rows, y, family=FAMILIES["poisson"], link=link, **more)
    theta, start = np.nan, model.fit.coef
    weights = more["weights"]
    passes = 0
    for _ in range(TURNS):
        mu = model.rows.link.mean(model.rows.predictor(model.rows.from_user(model.fit.coef)))
        before, theta = theta, _best_theta(y, mu, weights, theta)
        if theta >= LARGEST or abs(theta - before) <= 1e-10 * theta:
            break
        family = negative_binomial(theta)
        model = fit_model(rows, y, family=family, link=link, start=start, **more)
        start = model.fit.coef
        passes += model.fit.n_iter
    else:
        model.fit.converged = False
    if theta >= LARGEST:
        warn_user(
            "theta has no finite estimate: the counts vary no more than those of a Poisson "
            "distribution. Choose family='poisson'."
        )
        family = negative_binomial(LARGEST)
        model = fit_model(rows, y, family=family, link=link, start=start, **more)
        theta = LARGEST
    mu = model.rows.link.mean(model.rows.predictor(model.rows.from_user(model.fit.coef)))
    _, curve = _score(theta, y, mu, weights)
    error = 1 / np.sqrt(-curve) if curve < 0 else np.nan
    result = replace(
        model.result,
        parameters=model.result.parameters + 1,
        theta=float(theta),
        facts=(*model.result.facts, ("theta", theta), ("Std. error of theta", error)),
    )
    model.result = result
    model.fit.n_iter += passes
    return model, float(theta)


def _score(theta, y, mu, weights):
    """First and second derivative of the log-likelihood in theta."""
    from scipy.special import digamma, polygamma

    a = 1.0 if weights is None else weights
    total = theta + mu
    first = digamma(y + theta) - digamma(theta) + np.log(theta / total) + 1 - (y + theta) / total
    second = polygamma(1, y + theta) - polygamma(1, theta) + 1 / theta - 2 / total
    second = second + (y + theta) / total**2
    return float((a * first).sum()), float((a * second).sum())


def _best_theta(y, mu, weights, start):
    """The maximum over theta, by Newton's steps on log theta, kept within a factor of 10."""
    if not start > 0:
        a = np.ones_like(y) if weights is None else weights
        start = a.sum() / max((a * (y / mu - 1) ** 2).sum(), 1e-8)
    log_theta = np.log(start)
    for _ in range(200):
        theta = np.exp(log_theta)
        if theta >= LARGEST:
            break
        first, second = _score(theta, y, mu, weights)
        slope, curve = first * theta, second * theta**2 + first * theta
        step = -slope / curve if curve < 0 else np.sign(slope)
        step = min(max(step, -2.3), 2.3)
        log_theta += step
        if abs(step) < 1e-12:
            break
    return float(min(np.exp(log_theta), LARGEST))

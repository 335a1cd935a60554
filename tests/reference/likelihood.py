# SPDX-License-Identifier: BSD-3-Clause
"""Twin of the fits of generalized linear models: the quasi-likelihood, climbed plainly.

Gradients are of the complex step, Hessians of differences of gradients, so that no derivative is
worked out by hand; negative curvatures are turned round, and steps halved until they gain.
"""

import numpy as np
from scipy.special import ndtr

FAMILIES = {
    "gaussian": lambda y, mu: -0.5 * (y - mu) ** 2,
    "binomial": lambda y, mu: _times_log(y, mu) + _times_log(1 - y, 1 - mu),
    "poisson": lambda y, mu: _times_log(y, mu) - mu,
    "gamma": lambda y, mu: -y / mu - np.log(mu),
    "inverse_gaussian": lambda y, mu: 1 / mu - 0.5 * y / mu**2,
}
MEANS = {
    "identity": lambda eta: eta,
    "log": np.exp,
    "logit": lambda eta: 1 / (1 + np.exp(-eta)),
    "probit": ndtr,
    "cloglog": lambda eta: 1 - np.exp(-np.exp(eta)),
    "cauchit": lambda eta: 0.5 + np.arctan(eta) / np.pi,
    "inverse": lambda eta: 1 / eta,
    "inverse_squared": lambda eta: eta**-0.5,
    "sqrt": lambda eta: eta**2,
}
POSITIVE = ("inverse_squared",)  # linear predictors


def _times_log(y, mu):
    return y * np.log(np.where(y == 0, 1.0, mu))


def negative_binomial(theta):
    return lambda y, mu: _times_log(y, mu) - (y + theta) * np.log(mu + theta)


def tweedie(power):
    return lambda y, mu: y * mu ** (1 - power) / (1 - power) - mu ** (2 - power) / (2 - power)


class Likelihood:
    """Of coefficients, the intercept first: its value, gradient and Hessian."""

    def __init__(self, X, y, family, link, weights=None, offset=0.0, penalty=0.0):
        self.Z = np.column_stack([np.ones(len(y)), X])
        self.y, self.unit, self.mean = y, family, MEANS[link]
        self.weights = np.ones(len(y)) if weights is None else weights
        self.offset, self.link = offset, link
        self.low = -np.inf if family is FAMILIES["gaussian"] else 0.0
        self.high = 1.0 if family is FAMILIES["binomial"] else np.inf
        self.penalty = np.append(0.0, np.full(self.Z.shape[1] - 1, penalty))

    def means(self, b):
        return self.mean(self.Z @ b + self.offset)

    def value(self, b):
        with np.errstate(all="ignore"):
            eta = self.Z @ b + self.offset
            mu = self.mean(eta)
            units = self.weights * self.unit(self.y, mu)
            total = units.sum() - 0.5 * self.penalty @ b**2
        wrong = self.link in POSITIVE and (eta.real <= 0).any()
        wrong |= (mu.real < self.low).any() or (mu.real > self.high).any()
        return -np.inf if wrong or not np.isfinite(total) else total

    def gradient(self, b):
        step = 1e-30
        turned = b + 1j * step * np.eye(len(b))
        return np.array([self.value(row).imag / step for row in turned])

    def terms(self, b):
        """What each row adds to the gradient, (n, q)."""
        eta = self.Z @ b + self.offset + 1e-30j
        with np.errstate(all="ignore"):
            slopes = self.unit(self.y, self.mean(eta)).imag / 1e-30
        return (self.weights * slopes)[:, None] * self.Z

    def hessian(self, b):
        widths = 1e-5 * np.maximum(np.abs(b), 1e-3)
        rows = [
            (self.gradient(b + width * unit) - self.gradient(b - width * unit)) / (2 * width)
            for width, unit in zip(widths, np.eye(len(b)), strict=True)
        ]
        return 0.5 * (np.array(rows) + np.array(rows).T)


def climb(problem, start, steps=200):
    """Coefficients where the gradient is zero, from `start`, as far as rounding lets it."""
    b, height = start, problem.value(start)
    for _ in range(steps):
        g = problem.gradient(b)
        curves, ways = np.linalg.eigh(problem.hessian(b))
        curves = np.maximum(np.abs(curves), 1e-12 * np.abs(curves).max())
        step = ways @ ((ways.T @ g) / curves)
        length = 1.0
        while length > 1e-10 and not problem.value(b + length * step) > height:
            length *= 0.5
        if length <= 1e-10:
            return b + step if problem.value(b + step) >= height - 1e-12 * abs(height) else b
        b = b + length * step
        height = problem.value(b)
    return b

# SPDX-License-Identifier: BSD-3-Clause
"""Twins of the IRLS kernel: the definitions, a row at a time where that is clearest."""

import numpy as np
from scipy.special import expit, log_expit, xlogy


def _logit(eta, y):
    mu = expit(eta)
    perfect = xlogy(y, y) + xlogy(1 - y, 1 - y)
    loss = perfect - y * log_expit(eta) - (1 - y) * log_expit(-eta)
    return y * expit(-eta) - (1 - y) * mu, mu * expit(-eta), loss


def _poisson(eta, y):
    mu = np.exp(eta)
    return y - mu, mu, xlogy(y, y / mu) - (y - mu)


def _gamma_log(eta, y):
    mu = np.exp(eta)
    return y / mu - 1, np.ones_like(mu), (y - mu) / mu - np.log(y / mu)


def _gamma_inverse(eta, y):
    mu = 1 / eta
    return mu - y, mu**2, (y - mu) / mu - np.log(y / mu)


def _identity(eta, y):
    return y - eta, np.ones_like(eta), 0.5 * (y - eta) ** 2


PAIRS = {
    ("binomial", "logit"): _logit,
    ("poisson", "log"): _poisson,
    ("gamma", "log"): _gamma_log,
    ("gamma", "inverse"): _gamma_inverse,
    ("gaussian", "identity"): _identity,
}


def sweep(X, shift, intercept, b, pair, y, weight, offset):
    """z'Wz (lower triangle), z's, half the deviance, Pearson's chi-square."""
    Z = X.astype(float) - shift
    if intercept:
        Z = np.column_stack([np.ones(len(Z)), Z])
    a = np.ones(len(Z)) if weight is None else weight
    eta = Z @ b + (0 if offset is None else offset)
    s, w, loss = PAIRS[pair](eta, y)
    h = (Z * (a * w)[:, None]).T @ Z
    return np.tril(h), Z.T @ (a * s), (a * loss).sum(), (a * s**2 / w).sum()

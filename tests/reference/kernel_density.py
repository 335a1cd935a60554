# SPDX-License-Identifier: BSD-3-Clause
"""Kernel density estimates by their definition, in logarithms."""

import numpy as np
from scipy.integrate import quad
from scipy.special import gammaln, logsumexp

KERNELS = {
    "gaussian": lambda r: np.exp(-0.5 * r**2),
    "tophat": lambda r: (r < 1.0) * 1.0,
    "epanechnikov": lambda r: np.maximum(0.0, 1.0 - r**2),
    "exponential": lambda r: np.exp(-r),
    "linear": lambda r: np.maximum(0.0, 1.0 - r),
    "cosine": lambda r: np.where(r < 1.0, np.cos(0.5 * np.pi * np.minimum(r, 1.0)), 0.0),
}
LOGARITHMS = {"gaussian": lambda r: -0.5 * r**2, "exponential": lambda r: -r}


def log_volume(d, p=2.0):
    """Of the unit ball of the p-norm."""
    if np.isinf(p):
        return d * np.log(2.0)
    return d * (np.log(2.0) + gammaln(1.0 + 1.0 / p)) - gammaln(1.0 + d / p)


def log_integral(kernel, d, p=2.0):
    """Of K(|x|) over d columns."""
    ends = (0.0, np.inf) if kernel in LOGARITHMS else (0.0, 1.0)
    radial = quad(lambda r: KERNELS[kernel](np.array(r)) * r ** (d - 1), *ends, epsabs=0.0)[0]
    return np.log(d) + log_volume(d, p) + np.log(radial)


def distances(Q, X, p=2.0):
    return np.linalg.norm(Q[:, None].astype(float) - X[None], ord=p, axis=2)


def log_densities(Q, X, weights, bandwidth, kernel, p=2.0):
    r = distances(Q, X, p) / bandwidth
    with np.errstate(divide="ignore"):
        logs = LOGARITHMS[kernel](r) if kernel in LOGARITHMS else np.log(KERNELS[kernel](r))
        sums = logsumexp(logs, axis=1, b=weights[None])
    d = X.shape[1]
    return sums - np.log(weights.sum()) - log_integral(kernel, d, p) - d * np.log(bandwidth)


def leave_one_out(X, weights, bandwidth, kernel):
    out = np.empty(len(X))
    for i in range(len(X)):
        kept = np.arange(len(X)) != i
        out[i] = log_densities(X[i : i + 1], X[kept], weights[kept], bandwidth, kernel)[0]
    return out


def neighbors_log_densities(Q, X, weights, k, p=2.0):
    """The weight within the least radius that holds a weight of k, over total and volume."""
    d, out = X.shape[1], np.empty(len(Q))
    for i, row in enumerate(distances(Q, X, p)):
        order = np.argsort(row, kind="stable")
        held = np.cumsum(weights[order])
        radius = row[order][np.flatnonzero(held >= k)[0]]
        with np.errstate(divide="ignore"):
            volume = log_volume(d, p) + d * np.log(radius)
        out[i] = np.log(k) - np.log(weights.sum()) - volume
    return out

# SPDX-License-Identifier: BSD-3-Clause
"""Slow, obvious twins: EM for normal mixtures, and the likelihood that an M step maximizes."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp
from scipy.stats import multivariate_normal


def log_joint(X, weights, means, covariances):
    """Logarithm of weight times density, (n, K)."""
    parts = zip(weights, means, covariances, strict=True)
    return np.column_stack(
        [np.log(t) + multivariate_normal(m, S, allow_singular=False).logpdf(X) for t, m, S in parts]
    ).reshape(len(X), -1)


def e_step(X, weights, means, covariances):
    """Posteriors, and log densities of the rows."""
    joint = log_joint(X, weights, means, covariances)
    density = logsumexp(joint, axis=1)
    return np.exp(joint - density[:, None]), density


def moments(X, posteriors):
    """Weights of components, their means, and scatters about them."""
    counts = posteriors.sum(axis=0)
    means = (posteriors.T @ X) / counts[:, None]
    scatters = [((X - m).T * p) @ (X - m) for m, p in zip(means, posteriors.T, strict=True)]
    return counts, means, np.array(scatters)


def em_full(X, weights, means, covariances, n_iter):
    """EM with a covariance of its own for each component."""
    for _ in range(n_iter):
        posteriors, _ = e_step(X, weights, means, covariances)
        counts, means, scatters = moments(X, posteriors)
        weights, covariances = counts / len(X), scatters / counts[:, None, None]
    return weights, means, covariances


def expected_log_likelihood(counts, scatters, covariances):
    """What an M step makes large, but for terms without covariances."""
    total = 0.0
    for n, W, S in zip(counts, scatters, covariances, strict=True):
        total -= 0.5 * (n * np.linalg.slogdet(S)[1] + np.trace(np.linalg.solve(S, W)))
    return total


def volumes_shapes_orientations(covariances):
    """The parts lambda, A (descending, of product 1) and D of covariances."""
    variances, axes = np.linalg.eigh(covariances)
    volumes = np.exp(np.log(variances).mean(axis=1))
    return volumes, variances[:, ::-1] / volumes[:, None], axes[:, :, ::-1]


def rotation(angles, d):
    """A product of plane rotations."""
    R, pairs = np.eye(d), [(i, j) for i in range(d) for j in range(i + 1, d)]
    for (i, j), angle in zip(pairs, angles, strict=True):
        G = np.eye(d)
        G[[i, j], [i, j]] = np.cos(angle)
        G[i, j], G[j, i] = -np.sin(angle), np.sin(angle)
        R = R @ G
    return R


def best_common_orientation(counts, scatters, equal_volume, n_starts=12, seed=0):
    """The greatest likelihood with common axes, by a search over rotations from many starts."""
    d = scatters.shape[1]

    def covariances(angles):
        D = rotation(angles, d)
        v = np.array([np.diag(D.T @ W @ D) for W in scatters])
        if equal_volume:
            g = np.exp(np.log(v).mean(axis=1))
            v = v / g[:, None] * g.sum() / sum(counts)
        else:
            v = v / np.asarray(counts)[:, None]
        return [D @ np.diag(each) @ D.T for each in v]

    def loss(angles):
        return -expected_log_likelihood(counts, scatters, covariances(angles))

    rng = np.random.default_rng(seed)
    starts = rng.uniform(-np.pi, np.pi, (n_starts, d * (d - 1) // 2))
    return -min(minimize(loss, start, method="BFGS").fun for start in starts)

# SPDX-License-Identifier: BSD-3-Clause
"""Slow, obvious twins: normal classes with covariances of their own, and fits without each row."""

import numpy as np


def class_covariances(X, codes, weights, n_classes, unbiased):
    """Weights, means and covariances of the classes, by definition."""
    X = np.asarray(X, dtype=np.float64)
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
    totals, means, out = [], [], []
    for k in range(n_classes):
        rows, w = X[codes == k], weights[codes == k]
        mean = w @ rows / w.sum()
        totals.append(w.sum())
        means.append(mean)
        out.append((rows - mean).T * w @ (rows - mean) / (w.sum() - unbiased))
    return np.array(totals), np.array(means), np.array(out)


def regularized(covariances, totals, alpha, gamma, unbiased):
    """alpha S_k + (1 - alpha) S, and gamma of that to a multiple of the identity."""
    scatters = [S * (n - unbiased) for S, n in zip(covariances, totals, strict=True)]
    pooled = sum(scatters) / (sum(totals) - unbiased * len(totals))
    out = []
    for S in covariances:
        mixed = alpha * S + (1 - alpha) * pooled
        out.append((1 - gamma) * mixed + gamma * np.trace(mixed) / len(S) * np.eye(len(S)))
    return out


def log_joint(X, priors, means, covariances):
    """Logarithm of prior times density without (2 pi)^(-d / 2), (n, K)."""
    out = np.empty((len(X), len(priors)))
    for k, S in enumerate(covariances):
        u = np.asarray(X, dtype=np.float64) - means[k]
        squares = (u * np.linalg.solve(S, u.T).T).sum(axis=1)
        out[:, k] = np.log(priors[k]) - (np.linalg.slogdet(S)[1] + squares) / 2
    return out


def refits(make, X, y, weights, method):
    """What a fit without each row says of it."""
    out = []
    for i in range(len(X)):
        kept = np.arange(len(X)) != i
        model = make().fit(X[kept], y[kept], None if weights is None else weights[kept])
        out.append(getattr(model, method)(X[i : i + 1])[0])
    return np.array(out)

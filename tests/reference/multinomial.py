# SPDX-License-Identifier: BSD-3-Clause
"""Multinomial logistic models as their definitions read, with every product written out."""

import numpy as np


def design(X, intercept=True):
    return np.column_stack([np.ones(len(X)), X]) if intercept else np.asarray(X, float)


def posteriors(Z, coef):
    eta = Z @ coef.T
    share = np.exp(eta - eta.max(axis=1, keepdims=True))
    return share / share.sum(axis=1, keepdims=True)


def loss(Z, codes, weights, coef):
    eta = Z @ coef.T
    top = eta.max(axis=1)
    own = eta[np.arange(len(Z)), codes]
    return float(weights @ (np.log(np.exp(eta - top[:, None]).sum(axis=1)) + top - own))


def gradient(Z, codes, weights, coef):
    wrong = posteriors(Z, coef) - np.eye(len(coef))[codes]
    return (weights[:, None] * wrong).T @ Z


def hessian(Z, weights, coef):
    """(K, q, K, q)"""
    p = posteriors(Z, coef)
    spread = np.einsum("ia,ab->iab", p, np.eye(len(coef))) - np.einsum("ia,ib->iab", p, p)
    return np.einsum("i,iab,ij,il->ajbl", weights, spread, Z, Z, optimize=True)


def pairs(Z, weights, coef):
    """Of classes a > b: sum of w p_a p_b z z'."""
    p = posteriors(Z, coef)
    a, b = np.tril_indices(len(coef), -1)
    return np.einsum("i,ip,ij,il->pjl", weights, p[:, a] * p[:, b], Z, Z, optimize=True)


def penalized_loglik(Z, codes, weights, coef):
    """Firth's l + log|I| / 2 for coefficients (K - 1, q) relative to the first class."""
    full = np.vstack([np.zeros(Z.shape[1]), coef])
    info = hessian(Z, weights, full)[1:, :, 1:].reshape(coef.size, coef.size)
    return -loss(Z, codes, weights, full) + 0.5 * np.linalg.slogdet(info)[1]

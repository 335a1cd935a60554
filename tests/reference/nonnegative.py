# SPDX-License-Identifier: BSD-3-Clause
"""Nonnegative factors by their definition: the objective, its slopes, and plain updates."""

import numpy as np

MIN_FITTED = float(np.finfo(np.float32).eps)


def divergence(X, fitted, beta):
    """The beta divergence, entry by entry, by the formula of its beta."""
    total = 0.0
    for x, f in zip(X.ravel(), fitted.ravel(), strict=True):
        product, f = f, f if beta == 2 else max(f, MIN_FITTED)
        if beta == 2:
            total += (x - f) ** 2 / 2
        elif beta == 1:
            total += (x * np.log(x / f) if x > 0 else 0.0) - x + product
        elif beta == 0:
            total += x / f - np.log(x / f) - 1
        else:
            total += (x**beta + (beta - 1) * f**beta - beta * x * f ** (beta - 1)) / (
                beta * (beta - 1)
            )
    return total


def penalty(W, H, alpha_W, alpha_H, l1_ratio):
    """What the objective adds to the divergence."""
    (n, _), (_, d) = W.shape, H.shape
    return alpha_W * d * (l1_ratio * W.sum() + (1 - l1_ratio) * (W**2).sum() / 2) + alpha_H * n * (
        l1_ratio * H.sum() + (1 - l1_ratio) * (H**2).sum() / 2
    )


def violation(X, W, H, alpha_W=0.0, alpha_H=0.0, l1_ratio=0.0):
    """The largest violation of the conditions of optimality for the squared error."""
    n, d = X.shape
    slope_W = (W @ H - X) @ H.T + alpha_W * d * (l1_ratio + (1 - l1_ratio) * W)
    slope_H = W.T @ (W @ H - X) + alpha_H * n * (l1_ratio + (1 - l1_ratio) * H)
    worst = 0.0
    for factor, slope in ((W, slope_W), (H, slope_H)):
        worst = max(worst, np.where(factor > 0, np.abs(slope), np.maximum(-slope, 0)).max())
    return worst


def updated(X, W, H, beta, alpha_W=0.0, alpha_H=0.0, l1_ratio=0.0):
    """Both factors after one multiplicative update of each, W first."""
    n, d = X.shape
    power = 1 / (2 - beta) if beta < 1 else 1 / (beta - 1) if beta > 2 else 1.0

    def fitted():
        return W @ H if beta == 2 else np.maximum(W @ H, MIN_FITTED)

    def factor(negative, positive):
        return (negative / np.where(positive == 0, MIN_FITTED, positive)) ** power

    ridge = alpha_W * d * (l1_ratio + (1 - l1_ratio) * W)
    F = fitted()
    W = W * factor((X * F ** (beta - 2)) @ H.T, F ** (beta - 1) @ H.T + ridge)
    ridge = alpha_H * n * (l1_ratio + (1 - l1_ratio) * H)
    F = fitted()
    return W, H * factor(W.T @ (X * F ** (beta - 2)), W.T @ F ** (beta - 1) + ridge)

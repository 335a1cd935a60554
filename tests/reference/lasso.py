# SPDX-License-Identifier: BSD-3-Clause
"""The lasso and the elastic net, slowly: coordinate descent on residuals until nothing moves."""

import numpy as np


def elastic_net(X, y, alpha, l1_ratio, weights=None, *, intercept=True, positive=False):
    """Coefficients and intercept of sum w (y - b0 - Xb)^2 / 2n + alpha (l1, l2); sum w = n."""
    n, p = X.shape
    w = np.ones(n) if weights is None else weights * n / weights.sum()
    x_mean = np.average(X, axis=0, weights=w) if intercept else np.zeros(p)
    y_mean = np.average(y, weights=w) if intercept else 0.0
    Z, r = X - x_mean, y - y_mean
    b = np.zeros(p)
    l1, l2 = n * alpha * l1_ratio, n * alpha * (1 - l1_ratio)
    for _ in range(20_000):
        moved = 0.0
        for j in range(p):
            size = w @ Z[:, j] ** 2
            if size + l2 == 0:
                continue
            z = (w * r) @ Z[:, j] + size * b[j]
            new = np.sign(z) * max(abs(z) - l1, 0.0) / (size + l2)
            if positive:
                new = max(z - l1, 0.0) / (size + l2)
            r = r - Z[:, j] * (new - b[j])
            moved = max(moved, abs(new - b[j]) * np.sqrt(size))
            b[j] = new
        if moved < 1e-14 * np.sqrt(w @ y**2):
            break
    return b, y_mean - x_mean @ b


def kkt_residual(X, y, b, b0, alpha, l1_ratio, weights=None):
    """The largest violation of the conditions of optimality, as a share of n alpha l1."""
    n = len(y)
    w = np.ones(n) if weights is None else weights * n / weights.sum()
    g = X.T @ (w * (y - b0 - X @ b)) - n * alpha * (1 - l1_ratio) * b
    l1 = n * alpha * l1_ratio
    off = np.where(b == 0, np.maximum(np.abs(g) - l1, 0), np.abs(g - l1 * np.sign(b)))
    return off.max() / l1

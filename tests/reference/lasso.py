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


def multi_task_elastic_net(X, Y, alpha, l1_ratio, weights=None, *, intercept=True):
    """Coefficients (T, p) and intercepts (T,) of sum w |y_i - b0 - B x_i|^2 / 2n + the penalty."""
    n, p = X.shape
    w = np.ones(n) if weights is None else weights * n / weights.sum()
    x_mean = np.average(X, axis=0, weights=w) if intercept else np.zeros(p)
    y_mean = np.average(Y, axis=0, weights=w) if intercept else np.zeros(Y.shape[1])
    Z, R, B = X - x_mean, Y - y_mean, np.zeros((Y.shape[1], p))
    l1, l2 = n * alpha * l1_ratio, n * alpha * (1 - l1_ratio)
    for _ in range(20_000):
        moved = 0.0
        for j in range(p):
            square = w @ Z[:, j] ** 2
            if square + l2 == 0:
                continue
            z = (w * Z[:, j]) @ R + square * B[:, j]
            length = np.sqrt(z @ z)
            new = z * (max(1 - l1 / length, 0.0) / (square + l2) if length > 0 else 0.0)
            R = R - np.outer(Z[:, j], new - B[:, j])
            moved = max(moved, np.abs(new - B[:, j]).max() * np.sqrt(square))
            B[:, j] = new
        if moved < 1e-14 * np.sqrt(w @ (Y**2).sum(axis=1)):
            break
    return B, y_mean - B @ x_mean


def multi_task_gap(X, Y, B, alpha, l1_ratio, weights=None, *, intercept=True):
    """The duality gap over n, at the residuals of the augmented rows, scaled until no product is
    above l1; or, with a ridge penalty, at the residuals as they are, whichever is less."""
    n, p = X.shape
    w = np.ones(n) if weights is None else weights * n / weights.sum()
    Z = X - np.average(X, axis=0, weights=w) if intercept else X
    V = Y - np.average(Y, axis=0, weights=w) if intercept else Y
    l1, l2 = n * alpha * l1_ratio, n * alpha * (1 - l1_ratio)
    root = np.sqrt(w)[:, None]
    Z = np.vstack([root * Z, np.sqrt(l2) * np.eye(p)])
    V = np.vstack([root * V, np.zeros((p, Y.shape[1]))])
    R = V - Z @ B.T
    length = np.linalg.norm(Z.T @ R, axis=1).max()
    theta = R * min(1.0, l1 / length if length > 0 else 1.0)
    primal = 0.5 * (R**2).sum() + l1 * np.linalg.norm(B, axis=0).sum()
    gap = primal - 0.5 * (V**2).sum() + 0.5 * ((V - theta) ** 2).sum()
    if l2 > 0:
        excess = np.maximum(np.linalg.norm(Z[:n].T @ R[:n], axis=1) - l1, 0.0)
        dual = (V * R).sum() - 0.5 * (R[:n] ** 2).sum() - 0.5 * (excess**2).sum() / l2
        gap = min(gap, primal - dual)
    return gap / n

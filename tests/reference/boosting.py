# SPDX-License-Identifier: BSD-3-Clause
"""Boosted trees grown leaf by leaf, in plain numpy: every candidate of every leaf is tried."""

import numpy as np


def boost(codes, y, w, loss, *, rounds, rate, **rules):
    """Raw predictions (rounds + 1, n) of a loss that has one, from the best constant on."""
    mean = np.average(y, weights=w)
    raw = np.full(len(y), np.log(mean / (1 - mean)) if loss == "log_loss" else np.log(mean))
    found = [raw]
    for _ in range(rounds):
        g, h = gradients(loss, y, raw)
        unit = w.mean() * (mean if loss == "poisson" else 1.0)
        expected = w if loss == "gamma" else w * h
        value = grow(codes, w * g, w * h, least_hessian=1e-3 * unit, expected=expected, **rules)
        # No step beyond log(1 + its Newton step), but for those up to 2.
        reach = np.maximum(2.0, np.log1p(np.abs(value)))
        raw = raw + np.clip(rate * value, -reach, reach)
        found.append(raw)
    return np.array(found)


def gradients(loss, y, raw):
    if loss == "log_loss":
        p = 1 / (1 + np.exp(-raw))
        return p - y, p * (1 - p)
    if loss == "poisson":
        return np.exp(raw) - y, np.exp(raw)
    return 1 - y * np.exp(-raw), y * np.exp(-raw)  # gamma


def grow(
    codes, g, h, *, max_leaf_nodes, min_samples_leaf, l2=0.0, missing=255, monotone=None,
    least_hessian=1e-3, expected=None,
):  # fmt: skip
    """The value that the tree gives each row; codes (n, p), `missing` marks missing values.

    `expected` are hessians that are expected where those of the rows differ.
    """
    support = h if expected is None else expected
    n, p = codes.shape
    monotone = np.zeros(p) if monotone is None else monotone
    leaves = [(np.arange(n), -g.sum() / (h.sum() + l2), -np.inf, np.inf)]
    while len(leaves) < max_leaf_nodes:
        found = [
            best_split(
                codes, g, h, support, leaf, min_samples_leaf, l2, missing, monotone, least_hessian
            )
            for leaf in leaves
        ]
        best = max(range(len(leaves)), key=lambda k: found[k][0])
        if found[best][1] is None:
            break
        _, j, goes, low, high = found[best]
        rows, _, lower, upper = leaves.pop(best)
        middle = (low + high) / 2
        left, right = (lower, upper), (lower, upper)
        if monotone[j] > 0:
            left, right = (lower, middle), (middle, upper)
        if monotone[j] < 0:
            left, right = (middle, upper), (lower, middle)
        leaves += [(rows[goes], low, *left), (rows[~goes], high, *right)]
    out = np.zeros(n)  # without a split the tree is 0
    for rows, value, *_ in leaves if len(leaves) > 1 else ():
        out[rows] = value
    return out


def best_split(codes, g, h, support, leaf, least, l2, missing, monotone, least_hessian):
    rows, parent, lower, upper = leaf
    best = (1e-12 * abs(parent * g[rows].sum()), None, None, None, None)
    for j in range(codes.shape[1]):
        c = codes[rows, j]
        lost = c == missing
        for left_too in (False, True) if lost.any() else (False,):
            for cut in range(codes[:, j][codes[:, j] != missing].max() + 1):
                goes = (c <= cut) & ~lost | (lost & left_too)
                if min(goes.sum(), (~goes).sum()) < least:
                    continue
                sums = [(g[rows[s]].sum(), h[rows[s]].sum()) for s in (goes, ~goes)]
                if min(support[rows[s]].sum() for s in (goes, ~goes)) < least_hessian:
                    continue
                low, high = (np.clip(-a / (b + l2), lower, upper) for a, b in sums)
                if monotone[j] * (high - low) < 0:
                    continue
                gain = parent * g[rows].sum() - sums[0][0] * low - sums[1][0] * high
                if gain > best[0] * (1 + 1e-12):
                    best = (gain, j, goes, low, high)
    return best

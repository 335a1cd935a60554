# SPDX-License-Identifier: BSD-3-Clause
"""Kernel ridge regression as it is defined: one system for each penalty, and for each fold."""

import numpy as np


def multipliers(K, Y, weights, alphas):
    """c of each column of Y: (K + alpha / w) c = y, and 0 for rows without weight."""
    used = np.flatnonzero(weights > 0)
    out = np.zeros(Y.shape)
    for t, alpha in enumerate(alphas):
        M = K[np.ix_(used, used)] + np.diag(alpha / weights[used])
        scale = 1 / np.sqrt(np.abs(M.diagonal()))  # as columns may be of any length
        out[used, t] = scale * np.linalg.solve(M * np.outer(scale, scale), scale * Y[used, t])
    return out


def held_out(K, Y, weights, alphas, pairs):
    """Predictions of each row by the fit that does not hold it, and what rounding may do to them:
    the condition of the fold's system, scaled to a diagonal of ones, times what is summed."""
    out, room = np.full(Y.shape, np.nan), np.zeros(len(Y))
    for train, test in pairs:
        train = train[weights[train] > 0]
        part = K[np.ix_(train, train)]
        c = multipliers(part, Y[train], weights[train], alphas)
        across = K[np.ix_(test, train)]
        out[test] = across @ c
        summed = np.maximum(np.abs(across) @ np.abs(c), np.abs(Y).max()).max(axis=1)
        for alpha in alphas:
            M = part + np.diag(alpha / weights[train])
            scale = 1 / np.sqrt(M.diagonal())
            worst = np.linalg.cond(M * np.outer(scale, scale))
            room[test] = np.maximum(room[test], worst * summed)
    return out, room

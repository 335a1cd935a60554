# SPDX-License-Identifier: BSD-3-Clause
"""Standard errors and intervals of the probabilities of classes, by the delta method.

Both are made of the log-odds of each class against all others, whose variance is g' M g for their
slopes g by the linear predictors, which have the covariance M: errors are p (1 - p) times its root,
ends of intervals those of the log-odds, turned into probabilities (as R's
``plogis(fit + c(-1, 1) * z * se)`` for two classes). Agresti 2013, Categorical Data Analysis,
3rd ed., section 16.1.
"""

import numpy as np

from statfast._engine import each, grid
from statfast.linear.glm.irls_sums import as_float
from statfast.linear.inference.inference import intervals, quadratics
from statfast.linear.logistic.class_influence import log_odds


def class_errors(rows, intercept, scores, posterior, varying, spreads):
    """Log-odds of each class against all others and their standard errors, (n, K) each.

    Parameters
    ----------
    rows : ndarray or CSR matrix of shape (n, d)
    one : bool
        Whether there is an intercept.
    scores : ndarray of shape (n, K)
        Linear predictors.
    posterior : {"softmax", "ovr"}
    others : ndarray of shape (m,)
        The classes whose linear predictors vary.
    spreads : callable
        ``spreads(block, one)``: the covariances (n, m, m) of these for some rows.
    """
    from scipy.special import expit, log_expit

    logs, bend = scores, None
    if posterior == "ovr":
        logs, bend = log_expit(scores), expit(-scores)
    logits, errors = np.empty(scores.shape), np.empty(scores.shape)

    def work(where):
        block = rows[where]
        M = spreads(block.toarray() if hasattr(block, "indptr") else as_float(block), intercept)
        for k in range(scores.shape[1]):
            logits[where, k], g = log_odds(logs[where], k)
            g = (g if bend is None else g * bend[where])[:, varying]
            variance = np.einsum("ia,iab,ib->i", g, M, g)
            errors[where, k] = np.sqrt(np.maximum(variance, 0.0))

    each(work, grid(scores.shape[0], 1024))
    return logits, errors


def uncertain(logits, errors, se, quantile):
    """Standard errors (n, K) if asked for, and ends (n, K, 2) if there is a quantile: a list."""
    from scipy.special import expit

    out = [expit(logits) * expit(-logits) * errors] if se else []
    if quantile is not None:
        out.append(expit(intervals(logits, errors, quantile)))
    return out


def spreads_of(covariance):
    """As `Result.spreads`, of another covariance of all coefficients; NaN is for aliased ones."""
    table = np.nan_to_num(covariance)
    return lambda block, one: quadratics(block, table, one)

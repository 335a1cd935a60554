# SPDX-License-Identifier: BSD-3-Clause
"""Leave-one-out of naive Bayes: what n refits would say of the row each has not seen.

Only the sums of a row's own class change when it is left out, and the class probabilities, of which
there are few; densities say what that does to their logarithms.
"""

import numpy as np

from statfast.generative.naive_bayes.density import normalize_scores, sum_statistics


def predict_left_out(model, prepared, method):
    """Held-out classes, posteriors or log posteriors; None if there is no closed form."""
    (rows, codes, weights), state = prepared
    if method not in ("predict", "predict_proba", "predict_log_proba"):
        return None
    rows = np.ascontiguousarray(rows) if isinstance(rows, np.ndarray) else rows
    sums = sum_statistics((rows, codes, weights), state, model.n_jobs)
    row_weights = np.ones(len(codes)) if weights is None else weights
    fixed = isinstance(getattr(model, model._priors_name), np.ndarray | list | tuple)
    if fixed and (sums.mass[codes] - row_weights <= 0.0).any():
        return None  # a refit would not know the class that goes with a prior
    scores = state.density.leave_one_out(rows, codes, weights, sums.columns, sums.mass)
    if scores is None:
        return None
    priors = priors_without(model, sums.mass, codes, row_weights, state.classes)
    if not np.isfinite(priors).any(axis=1).all():
        return None  # nothing is left
    with np.errstate(invalid="ignore"):
        scores = np.where(np.isneginf(priors), -np.inf, priors + scores)
    dead = np.isneginf(scores).all(axis=1)
    scores[dead] = priors[dead]
    scores = normalize_scores(scores, np.zeros(len(sums.mass)), "log")
    if method == "predict":
        return state.classes.take(scores.argmax(axis=1))
    return np.exp(scores) if method == "predict_proba" else scores


def priors_without(model, mass, codes, row_weights, classes):
    """Log class probabilities (n, K) without each row: few of them differ."""
    keys = np.stack([codes.astype(np.float64), row_weights], axis=1)
    distinct, place = np.unique(keys, axis=0, return_inverse=True)
    priors_of_rows = np.full((len(distinct), len(mass)), -np.inf)
    for k, (code, weight) in enumerate(distinct):
        left = mass.copy()
        left[int(code)] -= weight
        if left[int(code)] <= 1e-12 * mass[int(code)]:
            left[int(code)] = 0.0
        present = left > 0.0
        if present.any():
            priors = model._log_priors(left[present], classes[present])
            priors_of_rows[k, present] = model._joint_priors(priors)
    return priors_of_rows[np.asarray(place).reshape(-1)]

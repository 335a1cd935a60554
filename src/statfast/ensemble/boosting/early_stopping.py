# SPDX-License-Identifier: BSD-3-Clause
"""Scores after each round, of the rows of the fit and of rows held out, and when they say stop."""

from math import sqrt

import numpy as np

MOST_SCORED = 10_000  # rows of the fit that a score other than the loss is taken of


def hold_out(y, n, fraction, stratify, rng):
    """Row numbers to fit and to hold out, both ascending.

    With `stratify` the rows held out are spread over the classes in proportion; a class keeps at
    least one row to be fitted.
    """
    count = fraction if isinstance(fraction, int) else max(1, int(np.ceil(fraction * n)))
    if count >= n:
        raise ValueError(
            f"validation_fraction leaves no rows of X to fit: it holds out {count} of {n}. Lower "
            "it, pass more rows, or set early_stopping=False."
        )
    order = rng.permutation(n)
    if stratify:
        order = order[np.argsort(y[order], kind="stable")]
        order = order[((np.arange(count) + 0.5) * (n / count)).astype(np.intp)]
    held = np.zeros(n, dtype=bool)
    held[order[:count]] = True
    if stratify:
        codes = y.astype(np.intp)
        lost = np.flatnonzero(
            np.bincount(codes[~held], minlength=codes.max() + 1) < np.bincount(codes).clip(0, 1)
        )
        for code in lost.tolist():
            held[np.flatnonzero(codes == code)[0]] = False
        if not held.any():
            raise ValueError(
                "validation_fraction holds out no row of X, as each class needs one to be fitted. "
                "Pass more rows, or set early_stopping=False."
            )
    return np.flatnonzero(~held), np.flatnonzero(held)


def scored_rows(n, rng):
    """Rows of the fit that scores are taken of: all, or some."""
    if n <= MOST_SCORED:
        return np.arange(n)
    return np.sort(rng.choice(n, MOST_SCORED, replace=False))


def should_stop(scores, patience, tol):
    """Whether none of the last scores is better than the one before them, by more than tol."""
    if len(scores) <= patience:
        return False
    return not max(scores[-patience:]) > scores[-patience - 1] + tol


def score_by_name(name, y, predicted, weights, loss, raw):
    """A score, larger for better; `predicted` is on the scale of y."""
    if name in ("loss", "neg_log_loss"):
        return -loss.average(y, raw, weights)
    if name == "accuracy":
        return float(np.average(predicted == y, weights=weights))
    square = float(np.average((y - predicted) ** 2, weights=weights))
    if name == "neg_mean_squared_error":
        return -square
    if name == "neg_root_mean_squared_error":
        return -sqrt(square)
    if name == "neg_mean_absolute_error":
        return -float(np.average(np.abs(y - predicted), weights=weights))
    spread = float(np.average((y - np.average(y, weights=weights)) ** 2, weights=weights))
    return 1.0 - square / spread if spread > 0.0 else float(square == 0.0)

# SPDX-License-Identifier: BSD-3-Clause
"""Leave-one-out scores of linear discriminants: by the fit to all other rows, without n fits.

Taking a row off its class moves the class mean along x - m and takes a multiple of
(x - m)(x - m)' off the scatter, so that all distances follow from those to the full fit (Sherman
and Morrison 1950, doi:10.1214/aoms/1177729893). Rows by which a covariance all but stands or
falls, and the last row of a class, are fitted without, one by one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._engine import each, grid
from statfast._typing import Array
from statfast.generative.normal.whitening import Whitening, smallest_variance

MAX_REFITS = 16  # For more uncertain rows, merged statistics take less time than refits.
# A row is refitted where less than this share of the variance is left without it.
MIN_VARIANCE_LEFT = 1e-8


def predict_held_out(
    model: Any,
    columns: tuple[Array, Array, Array | None],
    state: Any,
    method: str,
    patient: bool = True,
) -> Any:
    """What ``method`` of a fit to all other rows gives for each row.

    None if more than some `MAX_REFITS` rows would have to be fitted one by one, or one cannot be,
    unless `patient`.
    """
    X, codes, weights = columns
    total = model._statistics(columns, state)
    n, n_classes = len(codes), len(state.classes)
    score = model._left_out_scores(state, total, method)
    scores, certain = np.empty((n, n_classes)), np.zeros(n, bool)

    def work(rows: slice) -> None:
        w = np.ones(rows.stop - rows.start) if weights is None else weights[rows]
        block = np.asarray(X[rows], dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            scores[rows], certain[rows] = score(block, codes[rows], w)

    if score is not None:
        each(work, grid(n, most=4096), n_jobs=model.n_jobs, effort=20.0 * X.size * n_classes)
    if not patient and (~certain).sum() > max(MAX_REFITS, n_classes):
        return None
    answers = answer_of_scores(scores, method, state.classes)
    for row in np.flatnonzero(~certain):
        try:
            answers[row] = refit_without_row(model, columns, state, row, method)
        except ValueError:  # The model cannot be fitted without this row.
            if patient:
                raise
            return None
    if method.startswith("predict_") and X.dtype == np.float32:
        answers = answers.astype(np.float32)
    return answers


def answer_of_scores(scores: Array, method: str, classes: Array) -> Array:
    """Labels, posteriors or scores from the scores of the classes."""
    if method == "predict":
        return classes.take(scores.argmax(axis=1))
    if method == "decision_function":
        return scores[:, 1] - scores[:, 0] if len(classes) == 2 else scores
    with np.errstate(invalid="ignore"):
        delta = scores - scores.max(axis=1, keepdims=True)
        delta -= np.log(np.exp(delta).sum(axis=1, keepdims=True))
    return np.exp(delta) if method == "predict_proba" else delta


def refit_without_row(
    model: Any, columns: tuple[Array, Array, Array | None], state: Any, row: Any, method: str
) -> Array:
    """What a fit without the row gives for it."""
    kept = np.arange(len(columns[1])) != row
    remaining = tuple(None if column is None else column[kept] for column in columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        refit = type(model)(**model.get_params(deep=False))
        refit._solve(refit._statistics(remaining, state), state)
        answer = getattr(refit, method)(columns[0][row : row + 1].astype(np.float64))[0]
    if method == "predict" or len(refit.classes_) == len(state.classes):
        return answer
    everywhere = np.full(len(state.classes), 0.0 if method == "predict_proba" else -np.inf)
    everywhere[np.isin(state.classes, refit.classes_)] = answer
    return everywhere


def priors_without(fixed: Array | None, class_counts: Array, w: Array, codes: Array) -> Array:
    """Priors (b, K) of a fit without each of b rows: those given, or the shares of the classes."""
    if fixed is not None:
        return np.broadcast_to(fixed, (len(w), len(class_counts)))
    remaining = np.repeat(class_counts[None], len(w), axis=0)
    remaining[np.arange(len(w)), codes] -= w
    return remaining / (class_counts.sum() - w)[:, None]


def linear_scorer(
    white: Whitening, total: Any, unbiased: bool, tol: float, fixed: Array | None
) -> Callable[..., Any] | None:
    """Scores of b rows by the linear rules of all others; None if the covariance is singular.

    With z the row, m its class mean and z - m = u in coordinates where the scatter W is the
    identity, the scatter without the row is I - c uu', c = w n_g / (n_g - w), and its inverse
    I + c uu' / (1 - c u'u).
    """
    if white.n_lost:
        return None
    class_counts, n_classes = total.class_counts, len(total.class_counts)
    center = class_counts @ total.means / class_counts.sum()
    freedom = class_counts.sum() - (n_classes if unbiased else 0)
    root = white.root / np.sqrt(freedom)
    middle = (total.means - center) @ root
    least = smallest_variance(len(total.within), tol)
    shakiness = ((white.root * white.spread[:, None]) ** 2).sum() * least

    def score(rows: Array, codes: Array, w: Array) -> tuple[Array, Array]:
        z = (rows - center) @ root
        here = np.arange(len(z)), codes
        remaining = class_counts[codes] - w
        u = z - middle[codes]
        c = w * class_counts[codes] / remaining
        f = 1.0 - c * (u**2).sum(axis=1)
        rate = freedom - w

        def distance(difference: Array) -> Array:
            return rate * ((difference**2).sum(axis=1) + c * (difference * u).sum(axis=1) ** 2 / f)

        far = np.stack([distance(z - m) for m in middle], axis=1)
        far[here] = rate * (class_counts[codes] / remaining) ** 2 * (1.0 - f) / (c * f)
        far[here] = np.where(w > 0.0, far[here], freedom * (u**2).sum(axis=1))
        priors = priors_without(fixed, class_counts, w, codes)
        centers = priors @ middle - (priors[here] * w / remaining)[:, None] * u
        scores = np.log(priors) - 0.5 * (far - distance(z - centers)[:, None])
        certain = (f > MIN_VARIANCE_LEFT) & (f**2 > shakiness) & (remaining > 0.0) & (rate > 0.0)
        return scores, certain & np.isfinite(scores).all(axis=1)

    return score

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
from numpy.typing import NDArray

from statfast._core.generative import linear_scores, quadratic_scores
from statfast._engine import each, grid
from statfast._typing import Array
from statfast.generative.normal.class_moments import MULTIPLICATIONS_OF_CALL
from statfast.generative.normal.whitening import Whitening, smallest_variance

MIN_ROWS_OF_BLOCK, MAX_ROWS_OF_BLOCK = 1 << 11, 1 << 14  # Rows that are scored together.

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
        block = np.ascontiguousarray(X[rows], dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            scores[rows], certain[rows] = score(block, codes[rows], w)

    if score is not None:
        d = X.shape[1]
        most = max(64, int(MULTIPLICATIONS_OF_CALL / max(n_classes * d * d, 1)))
        blocks = grid(n, least=min(most, MIN_ROWS_OF_BLOCK), most=min(most, MAX_ROWS_OF_BLOCK))
        each(work, blocks, n_jobs=model.n_jobs, effort=20.0 * X.size * n_classes)
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
        return classes.take(first_best(scores))
    if method == "decision_function":
        return scores[:, 1] - scores[:, 0] if len(classes) == 2 else scores
    with np.errstate(invalid="ignore"):
        delta = scores - scores.max(axis=1, keepdims=True)
        delta -= np.log(np.exp(delta).sum(axis=1, keepdims=True))
    return np.exp(delta) if method == "predict_proba" else delta


def first_best(scores: Array) -> NDArray[np.intp]:
    """The place of the largest number of each row (n, K), of equals the first."""
    best, place = scores[:, 0].copy(), np.zeros(len(scores), np.intp)
    for k in range(1, scores.shape[1]):
        place[scores[:, k] > best] = k
        np.maximum(best, scores[:, k], out=best)
    return place


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


def priors_without(fixed: Array | None, class_counts: Array, w: Array, codes: Array | int) -> Array:
    """Priors (b, K) of a fit without each of b rows: those given, or the shares of the classes."""
    if fixed is not None:
        return np.broadcast_to(fixed, (len(w), len(class_counts)))
    remaining = np.repeat(class_counts[None], len(w), axis=0)
    remaining[np.arange(len(w)), codes] -= w
    return remaining / (class_counts.sum() - w)[:, None]


def log_priors_without(
    fixed: Array | None, class_counts: Array, w: Array, codes: Array
) -> NDArray[np.float64]:
    """Their logarithms, (K, b) or (K, 1)."""
    if fixed is not None:
        return np.log(fixed)[:, None]
    log_priors: NDArray[np.float64] = np.repeat(np.log(class_counts)[:, None], len(w), axis=1)
    log_priors[codes, np.arange(len(w))] = np.log(class_counts[codes] - w)
    return log_priors - np.log(class_counts.sum() - w)


def linear_scorer(
    white: Whitening,
    total: Any,
    unbiased: bool,
    tol: float,
    fixed: Array | None,
    with_common_term: bool,
) -> Callable[..., Any] | None:
    """Scores of b rows by the linear rules of all others; None if the covariance is singular.

    Of a row x in class g, with u = x - m_g and the covariance S of all rows, q = u'S^-1 u and
    l_k = u'S^-1 (m_k - m_g) are all that is needed: without the row the scatter is W - c uu',
    c = w n_g / (n_g - w), and its inverse that of W and a multiple of S^-1 uu' S^-1. Scores are
    less those of u by that covariance, which all classes have in common, unless
    `with_common_term`: then less those of x - center, as in ``decision_function``.
    """
    if white.n_lost:
        return None
    class_counts, means, n_classes = total.class_counts, total.means, len(total.class_counts)
    freedom = class_counts.sum() - (n_classes if unbiased else 0)
    root, (d, r) = white.root, white.root.shape
    shakiness = ((root * white.spread[:, None]) ** 2).sum() * smallest_variance(d, tol)
    factor = np.ascontiguousarray(root.T)[None]
    triangular = r == d and not np.triu(root.T, 1).any()
    square = factor, np.zeros((1, r)), np.zeros((1, d), np.float32), np.zeros(1), triangular
    middle = (means - class_counts @ means / class_counts.sum()) @ root
    coef = np.ascontiguousarray(middle @ root.T)
    half_gaps = 0.5 * ((middle[:, None] - middle) ** 2).sum(axis=2)

    def score(rows: Array, codes: Array, w: Array) -> tuple[Array, Array]:
        own, weight = (codes, np.arange(len(codes))), class_counts[codes]
        u = rows - means[codes]
        halves, products = np.empty((len(u), 1)), np.empty((len(u), n_classes))
        quadratic_scores.scores(u, *square, halves)
        linear_scores.scores(u, coef, np.zeros(n_classes), products)
        scores = np.ascontiguousarray(products.T)
        scores -= scores[own]  # These are l.
        q, remaining, rate = -2.0 * halves[:, 0], weight - w, 1.0 - w / freedom
        c = w * weight / (remaining * freedom)
        f = 1.0 - c * q
        log_priors = log_priors_without(fixed, class_counts, w, codes)
        common = np.zeros(1)
        if with_common_term:
            priors = np.broadcast_to(np.exp(log_priors), scores.shape)
            mean, more = (priors * scores).sum(axis=0), 1.0 + priors[own] * w / remaining
            lengths = ((priors.T @ middle - middle[codes]) ** 2).sum(axis=1) - 2.0 * more * mean
            lengths += more**2 * q + c / f * (more * q - mean) ** 2
            common = 0.5 * rate * (lengths - q / f)
        growth = -0.5 * scores
        growth += q
        growth *= c / f
        growth += 1.0
        scores *= growth
        scores -= half_gaps[:, codes]
        scores *= rate
        scores[own] = -0.5 * rate * q / f * ((weight / remaining) ** 2 - 1.0)
        scores += log_priors
        scores += common
        certain = (f > MIN_VARIANCE_LEFT) & (f**2 > shakiness) & (remaining > 0.0) & (rate > 0.0)
        return scores.T, certain & np.isfinite(scores).all(axis=0)

    return score

# SPDX-License-Identifier: BSD-3-Clause
"""Scores after each round, of the rows of the fit and of rows held out, and when they say stop."""

from typing import Any

import numpy as np

from statfast._estimator import Answers
from statfast._typing import Array
from statfast.metrics import get_scorer

MAX_SCORED_ROWS = 10_000  # rows of the fit that a score other than the loss is taken of


def hold_out(
    y: Array, n: int, fraction: float, stratify: bool, rng: np.random.Generator
) -> tuple[Array, Array]:
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


def scored_rows(n: int, rng: np.random.Generator) -> Array:
    """Rows of the fit that scores are taken of: all, or some."""
    if n <= MAX_SCORED_ROWS:
        return np.arange(n)
    return np.sort(rng.choice(n, MAX_SCORED_ROWS, replace=False))


def should_stop(scores: list[float], patience: int, tol: float) -> bool:
    """Whether none of the last scores is better than the one before them, by more than tol."""
    if len(scores) <= patience:
        return False
    return not max(scores[-patience:]) > scores[-patience - 1] + tol


def score_by_name(name: Any, sample: Any, raw: Array, loss: Any, classes: Array | None) -> float:
    """A score of `statfast.metrics.get_scorer`, larger for better.

    `sample` has targets as the loss takes them, raw (n_raw, n); `classes` are None for numbers.
    """
    if classes is None:
        said, truth = {"predict": loss.mean(raw[0])}, sample.y
    else:
        shares = loss.probabilities(raw)
        truth = classes[sample.y.astype(np.intp)]
        said = {
            "predict": classes[shares.argmax(axis=1)],
            "predict_proba": shares,
            "decision_function": raw[0] if len(raw) == 1 else raw.T,
        }
    return float(get_scorer(name)(Answers(said, classes), None, truth, sample.weights))

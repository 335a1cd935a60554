# SPDX-License-Identifier: BSD-3-Clause
"""Early stopping: scores after each round on rows of the fit and on held-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._estimator import Answers
from statfast._typing import Array
from statfast.metrics import get_scorer

MAX_SCORED_ROWS = 10_000  # rows of the fit on which scores other than the loss are computed


def hold_out(
    y: Array, n: int, fraction: float, stratify: bool, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Row numbers to fit and to hold out, both ascending.

    With `stratify`, held-out rows are divided among the classes in proportion, and each class keeps
    at least one row of the fit.
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
    held_out = np.zeros(n, dtype=bool)
    held_out[order[:count]] = True
    if stratify:
        codes = y.astype(np.intp)
        lost_classes = np.flatnonzero(
            np.bincount(codes[~held_out], minlength=codes.max() + 1) < np.bincount(codes).clip(0, 1)
        )
        for code in lost_classes.tolist():
            held_out[np.flatnonzero(codes == code)[0]] = False
        if not held_out.any():
            raise ValueError(
                "validation_fraction holds out no row of X, as each class needs one to be fitted. "
                "Pass more rows, or set early_stopping=False."
            )
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)


def scored_rows(n: int, rng: np.random.Generator) -> Array:
    """Numbers of the rows of the fit on which scores are computed."""
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

    `sample` has targets in the form of the loss, `raw` is (n_raw, n); `classes` is None for
    numbers.
    """
    if classes is None:
        answers, truth = {"predict": loss.mean(raw[0])}, sample.y
    else:
        shares = loss.probabilities(raw)
        truth = classes[sample.y.astype(np.intp)]
        answers = {
            "predict": classes[shares.argmax(axis=1)],
            "predict_proba": shares,
            "decision_function": raw[0] if len(raw) == 1 else raw.T,
        }
    return float(get_scorer(name)(Answers(answers, classes), None, truth, sample.weights))

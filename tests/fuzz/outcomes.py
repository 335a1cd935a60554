# SPDX-License-Identifier: BSD-3-Clause
"""What was true and what was said of it: labels, numbers, scores and probabilities of rows."""

import numpy as np

from tests.fuzz.inputs import choose
from tests.fuzz.made import PICTURES_OF_SCORES, model

LABELED = ("labels", "two labels", "indicators")


def truth(drawing, thing):
    """What is true of each row; a classifier may stand for it in pictures."""
    if thing.name in PICTURES_OF_SCORES and drawing.rng.random() < 0.4:
        return model(drawing, thing)
    return target(drawing)


def target(drawing):
    if drawing.rng.random() < 0.05:
        drawing.y = None
    y = made(drawing)
    return drawing.data.dressed(y, plain=0.7, bags=False) if y.dtype.kind in "biuf" else y


def predicted(drawing, thing):
    """Labels or numbers as a model may give them, some of them right."""
    rng, true = drawing.rng, np.asarray(made(drawing))
    if thing.name == "score_decomposition":
        return probabilities(drawing, thing)
    if thing.name in PICTURES_OF_SCORES and drawing.case.steps:
        return drawing.common
    if true.dtype.kind == "f" and drawing.target_kind not in LABELED:
        size = np.abs(true).max(initial=0) * choose(rng, (0.0, 0.1, 1.0, 1e-9))
        said = np.abs(true) if drawing.target_kind in ("counts", "positive") else true
        with np.errstate(over="ignore"):
            said = np.nan_to_num(said + size * rng.uniform(0, 1, true.shape), posinf=1e308)
    else:
        said = np.where(rng.random(true.shape) < 0.6, true, rng.permutation(true))
    return drawing.data.dressed(said, plain=0.7, bags=False) if said.dtype.kind in "biuf" else said


def made(drawing):
    """The target, drawn if it is not yet."""
    if not isinstance(getattr(drawing, "y", None), np.ndarray) or drawing.y.ndim == 0:
        drawing.y = drawing.data.target(drawing.target_kind or "labels")
    return drawing.y


def scores(drawing, thing):
    """Scores of rows: a column, or one for each class; ties among them."""
    rng, data, true = drawing.rng, drawing.data, made(drawing)
    if thing.name in PICTURES_OF_SCORES and drawing.case.steps:
        return drawing.common
    k = len(np.unique(true))
    wide = (k > 2 and rng.random() < 0.8) or rng.random() < 0.05
    said = rng.normal(size=(data.n, k) if wide else data.n)
    if true.ndim == 1 and not wide:
        said = said + (true == true[:1])
    said = choose(rng, (said, said, np.round(said), said * 1e300, said * 1e-300, 0 * said))
    return drawing.data.dressed(said, plain=0.7, bags=False)


def probabilities(drawing, thing):
    """Probabilities of the second of two classes, or of each class."""
    rng, data = drawing.rng, drawing.data
    k = len(np.unique(made(drawing)))
    said = rng.dirichlet(np.full(max(k, 2), choose(rng, (0.05, 1.0))), data.n)
    said = choose(rng, (said, said, np.round(said)))
    said = said if k > 2 or rng.random() < 0.3 else said[:, 1].copy()
    return drawing.data.dressed(said, plain=0.7, bags=False)


def positive(drawing, thing):
    """The positive label; now and then one that there is not."""
    names = np.unique(made(drawing))
    return choose(drawing.rng, names) if len(names) and drawing.rng.random() < 0.95 else "nonsense"


def posteriors(drawing, thing):
    """A row of probabilities for each of some rows."""
    rng, data = drawing.rng, drawing.data
    made = rng.dirichlet(np.ones(max(data.k, 1)), data.n)
    return drawing.data.dressed(made, plain=0.7, bags=False)


def differences(drawing, thing):
    """Differences of scores of two models on resamples."""
    rng = drawing.rng
    shape = (5, 2) if thing.name == "five_by_two_test" else int(rng.integers(1, 30))
    if thing.name == "friedman_test":
        shape = (int(rng.integers(1, 9)), int(rng.integers(1, 6)))
    said = rng.normal(size=shape) * choose(rng, (0.0, 1.0, 1.0, 1e-160, 1e300))
    return drawing.data.dressed(
        np.round(said, 2) if rng.random() < 0.3 else said, plain=0.6, bags=False
    )


def score_or_table(drawing, thing):
    pictures = thing.name in PICTURES_OF_SCORES
    return scores(drawing, thing) if pictures else differences(drawing, thing)


OUTCOMES = {
    "truth": truth,
    "y_true": truth,
    "y1": truth,
    "y_true2": truth,
    "predicted": predicted,
    "y_pred": predicted,
    "y2": predicted,
    "decision": predicted,
    "y_score": scores,
    "y_score1": scores,
    "y_score2": scores,
    "pred_decision": scores,
    "margin": scores,
    "scores": score_or_table,
    "x": lambda drawing, thing: np.sort(drawing.rng.uniform(size=drawing.data.n)),
    "pos_label": positive,
    "y_proba": probabilities,
    "y_prob": probabilities,
    "posteriors": posteriors,
    "likelihoods": posteriors,
    "differences": differences,
}

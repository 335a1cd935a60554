# SPDX-License-Identifier: BSD-3-Clause
"""Losses of single rows, for estimates that average them."""

import numpy as np

from statfast._validation import as_choice, as_labels, as_targets
from statfast.model_selection.scoring import classifies

LOSSES = ("auto", "squared", "absolute", "zero_one")


def as_loss(loss, estimator):
    """The name of a loss: "auto" is 0-1 for classifiers, else squared."""
    if as_choice(loss, "loss", LOSSES) == "auto":
        return "zero_one" if classifies(estimator) else "squared"
    return loss


def truth_of(y, n, loss):
    """The targets: codes of labels and the labels, or numbers and None."""
    if loss == "zero_one":
        classes, codes = as_labels(y, n)
        return codes, classes
    values, _ = as_targets(y, n)
    if values.shape[1] != 1:
        raise ValueError(f"y must be one target; got {values.shape[1]} columns. Pass one.")
    return values[:, 0], None


def coded(said, classes):
    """Predictions as `truth_of` has the targets; -1 is a label that is none of the classes."""
    if classes is None:
        return np.asarray(said, dtype=np.float64).reshape(len(said))
    said = np.asarray(said)
    place = np.searchsorted(classes, said).clip(0, len(classes) - 1)
    return np.where(classes[place] == said, place, -1)


def losses(truth, said, loss):
    """The loss of each row."""
    if loss == "zero_one":
        return (truth != said).astype(np.float64)
    return (truth - said) ** 2 if loss == "squared" else np.abs(truth - said)


def no_information(truth, said, loss):
    """The mean loss if predictions and targets were paired at random."""
    if loss == "zero_one":
        k = int(max(truth.max(), said.max())) + 1
        p = np.bincount(truth, minlength=k) / len(truth)
        q = np.bincount(said[said >= 0], minlength=k) / len(said)
        return float(1.0 - p @ q)
    if loss == "squared":
        return float(((truth.mean() - said.mean()) ** 2) + truth.var() + said.var())
    order, n = np.sort(said), len(said)
    below = np.searchsorted(order, truth)
    total = np.append(0.0, np.cumsum(order))
    under = truth * below - total[below]
    over = total[-1] - total[below] - truth * (n - below)
    return float((under + over).mean() / n)

# SPDX-License-Identifier: BSD-3-Clause
"""Cross-validation of a path: folds, errors, and the two rules for a penalty."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from statfast._engine import each
from statfast._validation import as_count, wrong_type
from statfast.linear.design.design import linear_values

RULES = ("min", "1se")


def as_folds(cv, X, y, n, codes=None):
    """Rows held out by each fold: index arrays.

    An integer cuts the rows in that many runs of equal length, or those of each class where `codes`
    gives the classes; a splitter or an iterable of
    (train, test) pairs is taken as it is, but for rows in neither part of a fold.
    """
    if cv is None:
        cv = 5
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        k = as_count(cv, "cv", 2, n, limit="the number of rows")
        if codes is None:
            return [(None, part) for part in np.array_split(np.arange(n), k)]
        runs = [np.array_split(np.flatnonzero(codes == c), k) for c in range(codes.max() + 1)]
        parts = [np.sort(np.concatenate(part)) for part in zip(*runs, strict=True)]
        return [(None, part) for part in parts if len(part)]
    if hasattr(cv, "split") and not isinstance(cv, str | bytes):
        cv = cv.split(X, y)
    try:
        pairs = [(_places(a, n), _places(b, n)) for a, b in cv]
    except (TypeError, ValueError):
        raise wrong_type("cv", "an integer, a splitter or a list of index pairs", cv) from None
    for places in (part for pair in pairs for part in pair if len(part)):
        if places.min() < -n or places.max() >= n:
            far = places[(places < -n) | (places >= n)][0]
            raise ValueError(f"cv must hold places of the {n} rows, counted from 0; got {far}.")
    if not pairs or any(len(b) == 0 for _, b in pairs):
        raise ValueError("cv must give at least one fold with rows to hold out. Pass cv=5.")
    return pairs


def _places(part, n):
    """Places of rows, given as such or as a mask."""
    places = np.asarray(part)
    if places.dtype == bool and places.shape == (n,):
        return np.flatnonzero(places)
    if places.ndim != 1 or (places.size and places.dtype.kind not in "iu"):
        raise TypeError
    return places.astype(np.intp)


def fold_weights(fold, weights, n):
    """Weights of the rows a fold is fitted on, zero elsewhere; and those of the rows held out."""
    train, test = fold
    all_of_them = np.ones(n) if weights is None else weights
    used = np.zeros(n, dtype=bool) if train is not None else np.ones(n, dtype=bool)
    if train is not None:
        used[train] = True
    used[test] = False
    kept = np.where(used, all_of_them, 0.0)
    held = all_of_them[test]
    if not kept.any() or not held.any():
        raise ValueError(
            "sample_weight is zero for all rows of a fold, or for all others. Shuffle the rows, or "
            "pass fewer folds in cv."
        )
    return kept, held


@dataclass(frozen=True)
class Fold:
    """All rows, some of them held out by a weight of 0: nothing is copied."""

    kept: NDArray[np.float64]  # (n,) weights of the rows fitted
    test: NDArray[np.intp]  # rows held out
    held: NDArray[np.float64]  # their weights


def folds_of(cv, rows, y, weights, codes=None):
    """The folds of checked rows; arguments as those of `as_folds`."""
    n = rows.shape[0]
    pairs = as_folds(cv, rows, y, n, codes)
    parts = [fold_weights(pair, weights, n) for pair in pairs]
    return [Fold(kept, test, held) for (kept, held), (_, test) in zip(parts, pairs, strict=True)]


def held_out(folds, rows, fit, loss, n_jobs):
    """Mean losses of the rows held out (A, folds), the folds side by side.

    ``fit(weights)`` gives a path, ``loss(test, values)`` the losses (k, A) of its values for rows.
    """

    def work(fold):
        path = fit(fold.kept)
        values = linear_values(rows[fold.test], path.coefs.T, path.intercepts, dtype=np.float64)
        return (fold.held / fold.held.sum()) @ loss(fold.test, values)

    return np.array(each(work, folds, n_jobs=n_jobs)).T


def chosen(errors, masses, rule):
    """The penalties chosen from errors (A, folds) of falling penalties.

    Returns their means, the standard errors of those, the place of the least mean ("min"), and the
    place of the largest penalty whose mean is within a standard error of it ("1se").
    """
    share = masses / masses.sum()
    mean = errors @ share
    folds = errors.shape[1]
    power = np.frexp(np.abs(errors).max())[1]  # their squares might overflow
    spread = np.ldexp(errors - mean[:, None], -power) ** 2 @ share
    error = np.ldexp(np.sqrt(spread / max(folds - 1, 1)), power)
    best = int(np.argmin(mean))
    one = int(np.argmax(mean <= mean[best] + error[best]))
    return mean, error, best, one, best if rule == "min" else one

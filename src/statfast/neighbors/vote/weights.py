# SPDX-License-Identifier: BSD-3-Clause
"""The weights of neighbours, in votes and averages alike."""

import numpy as np

from statfast._core import vote
from statfast._validation import as_choice

WEIGHTS = ("uniform", "distance")


def as_weighting(weights):
    """Check the parameter: a name or a function of distances."""
    return weights if callable(weights) else as_choice(weights, "weights", WEIGHTS)


def weigh(weights, metric, starts: np.ndarray, reduced: np.ndarray, shape) -> np.ndarray | None:
    """Weights of the neighbours at these reduced distances; None: one each.

    A function is given the distances in this shape: a row of it for each query where all have
    equally many neighbours, else flat.
    """
    if weights == "uniform":
        return None
    distances = metric.finish(reduced)
    if callable(weights):
        return checked(weights(distances.reshape(shape)), starts, distances.reshape(shape).shape)
    inverse = np.empty_like(distances)
    vote.inverse_distances(starts, distances, inverse)
    return inverse


def checked(values, starts: np.ndarray, shape: tuple) -> np.ndarray:
    """Check what a function returned: float64 weights of this shape that can decide; flat."""
    w = np.ascontiguousarray(values, dtype=np.float64)
    if w.shape != shape:
        raise ValueError(
            f"weights must return one weight for each distance, shape {shape}; got shape "
            f"{w.shape}. Return an array of the shape it is given."
        )
    w = w.reshape(-1)
    first = starts[:-1][np.diff(starts) > 0]
    if len(first) == 0:
        return w
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.add.reduceat(w, first)
    # Written so that NaN fails too.
    if not (w.min() >= 0.0 and total.max() < np.inf):
        raise ValueError(
            f"weights must return finite weights of at least 0; got {w.min()} to {w.max()}. "
            'For 1 / distance use weights="distance", which allows for distance 0.'
        )
    if not total.min() > 0.0:
        raise ValueError(
            "weights must return a positive weight in each row; got a row of zeros. "
            "Give at least the nearest neighbour a positive weight."
        )
    return w

# SPDX-License-Identifier: BSD-3-Clause
"""The neighbours of indexed rows, each without itself."""

import numpy as np


def without_self(
    reduced: np.ndarray, ids: np.ndarray, own: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Drop each row's own id from its k + 1 neighbours.

    Where more than k duplicates of smaller index came first the row's own id is not among them:
    all k + 1 are then at distance 0, and the last is the one too many.
    """
    drop = ids == own[:, None]
    drop[:, -1] |= ~drop.any(axis=1)
    shape = ids.shape[0], ids.shape[1] - 1
    return reduced[~drop].reshape(shape), ids[~drop].reshape(shape)


def without_own(starts: np.ndarray, reduced: np.ndarray, ids: np.ndarray, first: int):
    """Drop from the neighbours of each row its own id, which is `first` and up."""
    m = len(starts) - 1
    others = ids != np.repeat(np.arange(first, first + m), np.diff(starts))
    kept = np.concatenate([[0], np.cumsum(others)])
    return kept[starts], reduced[others], ids[others]

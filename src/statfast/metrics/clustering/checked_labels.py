# SPDX-License-Identifier: BSD-3-Clause
"""Labels of clusterings, of which one may be noise, and what is left without its rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._distance import Condensed, Dissimilarities, MetricRows, Square
from statfast._engine import checkpoint
from statfast._typing import Array
from statfast._validation import as_labels, refuse_large, shown


def is_noise(classes: Array, noise_label: Any) -> Array:
    """Which of the distinct labels is that of noise; none where `noise_label` is None."""
    if noise_label is None:
        return np.zeros(len(classes), bool)
    if np.ndim(noise_label) != 0:
        raise ValueError(
            f"noise_label must be None or one label, such as -1; got {shown(noise_label)}. Pass "
            "the label of noise."
        )
    return np.broadcast_to(np.asarray(classes == noise_label, bool), len(classes))


def as_clusters(labels: Any, n: int, noise_label: Any) -> tuple[Array, Array, Array | None]:
    """Check labels, of which one may be noise.

    Returns
    -------
    classes : ndarray of shape (k,)
        The distinct labels except for that of noise, sorted.
    codes : ndarray of intp
        The cluster of each row that is not noise.
    kept : ndarray of intp, or None
        The numbers of these rows; None where they are all.

    Raises
    ------
    ValueError
        If there is not one label for each row, or all rows are noise.
    """
    classes, codes = as_labels(labels, n, name="labels")
    noise = is_noise(classes, noise_label)
    if noise.all():
        raise ValueError("labels hold noise alone, and no cluster. Score another clustering.")
    if not noise.any():
        return classes, codes, None
    kept = np.flatnonzero(~noise[codes])
    new_code = np.cumsum(~noise) - 1
    return classes[~noise], new_code[codes[kept]], kept


def require_clusters(k: int, kind: str = "clusters") -> None:
    """Refuse fewer than two clusters of a kind."""
    if k < 2:
        raise ValueError(f"labels must hold at least 2 {kind}; got {k}. Score another clustering.")


def require_fewer_clusters(k: int, n: int) -> None:
    """Refuse fewer than two clusters, and as many as n rows."""
    if not 2 <= k <= n - 1:
        raise ValueError(
            f"Number of labels is {k}. Valid values are 2 to n_samples - 1 (inclusive): {n - 1}. "
            "Cluster into another number."
        )


def among(source: Dissimilarities, kept: Array | None) -> Dissimilarities:
    """The dissimilarities of some rows alone."""
    if kept is None:
        return source
    m = len(kept)
    if isinstance(source, MetricRows):
        return MetricRows(source.X[kept], source.metric)
    if isinstance(source, Square):
        refuse_large(
            source.matrix.itemsize * m * m, "The matrix without noise", "Pass it without noise."
        )
        return Square(source.matrix[np.ix_(kept, kept)], source.mirrored)
    values, n = source.values, source.n
    refuse_large(
        values.itemsize * m * (m - 1) // 2, "The triangle without noise", "Pass it without noise."
    )
    out, start = np.empty(m * (m - 1) // 2, values.dtype), 0
    for place, row in enumerate(kept):
        checkpoint()
        after = kept[place + 1 :]
        out[start : start + len(after)] = values[row * (2 * n - row - 1) // 2 + after - row - 1]
        start += len(after)
    return Condensed(out, m)

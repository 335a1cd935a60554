# SPDX-License-Identifier: BSD-3-Clause
"""The bootstrap samples of the trees of a forest, which are drawn again from keys when needed."""

from __future__ import annotations

import numpy as np

from statfast._core.cart import samples
from statfast._engine import checkpoint
from statfast._typing import Array
from statfast._validation import as_count, as_real, refuse_large
from statfast.tree.growing.arguments import MAX_EXACT_SUM, RowWeights, scaled_weights


def sample_size(max_samples: float | None, n: int) -> int:
    """The number of rows to draw for a tree, of n with weight; a float is a share of these."""
    if max_samples is None:
        return n
    if isinstance(max_samples, int | np.integer) and not isinstance(max_samples, bool):
        size = max_samples
    else:
        share = as_real(max_samples, "max_samples", 0.0, open_low=True)
        size = int(min(max(1.0, share * n), 2.0**64))
    size = as_count(size, "max_samples")
    refuse_large(16 * size, f"A sample of max_samples={size} rows", "Lower it.")
    return size


def tree_keys(generator: np.random.Generator, count: int) -> Array:
    """Keys of the random numbers of trees."""
    return generator.integers(2**63, size=count)


def drawn_counts(key: int, n: int, size: int, chances: Array | None) -> Array:
    """How often each row is drawn, with replacement; `chances` are cumulative weights, or None."""
    count, drawn = np.zeros(n), 0
    while drawn < size:
        checkpoint()
        drawn = samples.draw(int(key), drawn, size, chances, count)
    return count


def counts_as_weights(count: Array, size: int) -> RowWeights:
    """The weights of a tree that is grown on a sample."""
    if size >= MAX_EXACT_SUM:
        return scaled_weights(count, len(count))
    rows = np.empty(len(count), np.int32)
    return RowWeights(count, rows[: samples.rows_drawn(count, rows)], True, float(size))

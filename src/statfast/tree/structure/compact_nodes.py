# SPDX-License-Identifier: BSD-3-Clause
"""Trees in 8 bytes for each node, for rows whose values are 16-bit numbers of thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._core.cart.walk import walk
from statfast._engine import checkpoint
from statfast._typing import Array

MAX_CUTS = 65_534  # thresholds of a column
MAX_COLUMNS = 8_192  # columns, whose numbers times 8 are stored in 16 bits
MAX_COLUMNS_PER_TREE = 4  # columns for each tree: coding a value costs a few steps of a walk
LEVEL_SPREAD = 4  # levels that the shallowest leaves have less than a balanced tree, about


def coded_trees(nodes: Array, root: Array, p: int) -> list[tuple[slice, Any]]:
    """Runs of trees, with their codes.

    Parameters
    ----------
    nodes : ndarray of uint64, shape (N, 2)
        Of `TreePredictor`, without sets.
    root : ndarray of int64, shape (T,)
    p : int
        Columns of rows.

    Returns
    -------
    list of (slice, walk.Codes or None)
        None where codes do not pay, or there are too many cuts.
    """
    if p > MAX_COLUMNS:
        return [(slice(0, len(root)), None)]
    place = np.append(root, len(nodes))
    sizes, trees = np.diff(place), len(root)
    number_in_tree = np.arange(len(nodes), dtype=np.uint32) - np.repeat(root, sizes).astype(
        np.uint32
    )
    # The right child of a leaf is the leaf itself.
    inner = np.flatnonzero(nodes[:, 1].astype(np.uint32) != number_in_tree)
    splits = _Splits(
        inner,
        (nodes[inner, 1] >> np.uint64(32)).astype(np.int64) & 0x7FFFFFFF,
        nodes[inner, 0].view(np.float64),
    )
    tree = np.repeat(np.arange(trees), sizes)[inner]
    counts = np.bincount(tree * p + splits.column, minlength=trees * p).reshape(trees, p)
    runs, begin, cuts = [], 0, np.zeros(p, np.int64)
    for t, count in enumerate([*counts, np.full(p, MAX_CUTS + 1)]):
        if (cuts + count).max() > MAX_CUTS and t > begin:
            runs.append(slice(begin, t))
            begin, cuts = t, np.zeros(p, np.int64)
        cuts += count
    out = [np.empty(len(nodes), dtype) for dtype in (np.uint64, np.uint32, np.uint16)]
    return [(run, _codes(nodes, place[run.start : run.stop + 1], splits, p, *out)) for run in runs]


@dataclass(frozen=True)
class _Splits:
    """The nodes that are not leaves."""

    place: np.ndarray  # among all nodes, ascending
    column: np.ndarray
    threshold: np.ndarray


def _codes(
    nodes: Array, place: Array, splits: _Splits, p: int, new: Array, leaf: Array, number: Array
) -> Any:
    """Codes of the trees at nodes place[0] .. place[-1], or None; fills their parts of arrays."""
    checkpoint()
    trees = len(place) - 1
    run = slice(*np.searchsorted(splits.place, [place[0], place[-1]]))
    inner, column, threshold = splits.place[run], splits.column[run], splits.threshold[run]
    order = np.argsort(column.astype(np.uint16), kind="stable")
    ends = np.cumsum(np.bincount(column, minlength=p))[:-1]
    cuts, numbers = zip(
        *(
            np.unique(thresholds, return_inverse=True)
            for thresholds in np.split(threshold[order], ends)
        ),
        strict=True,
    )
    begin = np.cumsum([0, *map(len, cuts)])
    if p > MAX_COLUMNS_PER_TREE * trees or np.diff(begin).max() > MAX_CUTS:
        return None
    number[inner[order]] = np.concatenate(numbers)
    min_levels = max(0, int((place[-1] - place[0]) / trees).bit_length() - 1 - LEVEL_SPREAD)
    codes = walk.Codes(new, leaf, np.concatenate([*cuts, [0.0]]), begin, min_levels)
    walk.coded(nodes, place, number, codes)
    return codes

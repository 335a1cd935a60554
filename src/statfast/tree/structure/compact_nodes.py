# SPDX-License-Identifier: BSD-3-Clause
"""Trees in 8 bytes a node, for rows whose values are 16-bit numbers of cuts."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._core.cart.walk import walk
from statfast._engine import checkpoint
from statfast._typing import Array

MAX_CUTS = 65_534  # of a column
MAX_COLUMNS = 8_192  # as the numbers of columns are stored eightfold in 16 bits
COLUMNS = 4  # for each tree: values are numbered once for all trees, which takes a few steps
EVEN = 4  # levels that a tree of as many nodes has less at its shallowest leaves, about


def coded_trees(nodes: Array, root: Array, p: int) -> list[tuple[slice, Any]]:
    """Runs of trees with their codes.

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
    own = np.arange(len(nodes), dtype=np.uint32) - np.repeat(root, sizes).astype(np.uint32)
    inner = np.flatnonzero(nodes[:, 1].astype(np.uint32) != own)  # whose right child is another
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
    """Nodes that are no leaves."""

    place: np.ndarray  # among all nodes, ascending
    column: np.ndarray
    threshold: np.ndarray


def _codes(
    nodes: Array, place: Array, splits: _Splits, p: int, new: Array, leaf: Array, number: Array
) -> Any:
    """The trees at nodes place[0] .. place[-1], or None; their parts of three arrays are filled."""
    checkpoint()
    trees = len(place) - 1
    some = slice(*np.searchsorted(splits.place, [place[0], place[-1]]))
    inner, column, threshold = splits.place[some], splits.column[some], splits.threshold[some]
    order = np.argsort(column.astype(np.uint16), kind="stable")
    ends = np.cumsum(np.bincount(column, minlength=p))[:-1]
    cuts, numbers = zip(
        *(np.unique(one, return_inverse=True) for one in np.split(threshold[order], ends)),
        strict=True,
    )
    begin = np.cumsum([0, *map(len, cuts)])
    if p > COLUMNS * trees or np.diff(begin).max() > MAX_CUTS:
        return None
    number[inner[order]] = np.concatenate(numbers)
    sure = max(0, int((place[-1] - place[0]) / trees).bit_length() - 1 - EVEN)
    codes = walk.Codes(new, leaf, np.concatenate([*cuts, [0.0]]), begin, sure)
    walk.coded(nodes, place, number, codes)
    return codes

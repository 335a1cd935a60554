# SPDX-License-Identifier: BSD-3-Clause
"""Trees in 8 bytes a node, for rows whose values are 16-bit numbers of cuts."""

import numpy as np

from statfast._core.cart import walk
from statfast._engine import checkpoint

MOST_CUTS = 65_534  # of a column
MOST_COLUMNS = 8_192  # as the numbers of columns are stored eightfold in 16 bits
COLUMNS = 4  # for each tree: values are numbered once for all trees, which takes a few steps
EVEN = 4  # levels that a tree of as many nodes has less at its shallowest leaves, about


def coded_trees(nodes, root, p):
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
    place = np.append(root, len(nodes))
    runs, begin, cuts = [], 0, np.zeros(p, np.int64)
    if p > MOST_COLUMNS:
        return [(slice(0, len(root)), None)]
    owns = [_splits(nodes[place[t] : place[t + 1]]) for t in range(len(root))]
    counts = [np.bincount(columns, minlength=p) for _, columns, _ in owns]
    for t, count in enumerate([*counts, np.full(p, MOST_CUTS + 1)]):
        if (cuts + count).max() > MOST_CUTS and t > begin:
            runs.append(slice(begin, t))
            begin, cuts = t, np.zeros(p, np.int64)
        cuts += count
    new, leaf = np.empty(len(nodes), np.uint64), np.empty(len(nodes), np.uint32)
    return [
        (run, _codes(nodes, place[run.start : run.stop + 1], owns[run], p, new, leaf))
        for run in runs
    ]


def _splits(nodes):
    """The places, columns and thresholds of the nodes of a tree that are no leaves."""
    right = (nodes[:, 1] & np.uint64(0xFFFFFFFF)).astype(np.int64)
    inner = np.flatnonzero(right != np.arange(len(nodes)))
    column = (nodes[inner, 1] >> np.uint64(32)).astype(np.int64) & 0x7FFFFFFF
    return inner, column, nodes[inner, 0].view(np.float64)


def _codes(nodes, place, owns, p, new, leaf):
    checkpoint()
    inner = np.concatenate([own[0] + begin for own, begin in zip(owns, place, strict=False)])
    columns, thresholds = (np.concatenate([own[k] for own in owns]) for k in (1, 2))
    order = np.argsort(columns.astype(np.uint16), kind="stable")
    ends = np.searchsorted(columns[order], np.arange(1, p))
    cuts, numbers = zip(
        *(np.unique(own, return_inverse=True) for own in np.split(thresholds[order], ends)),
        strict=True,
    )
    begin = np.cumsum([0, *map(len, cuts)])
    if p > COLUMNS * len(owns) or np.diff(begin).max() > MOST_CUTS:
        return None
    number = np.zeros(len(new), np.uint16)
    number[inner[order]] = np.concatenate(numbers)
    sure = max(0, int((place[-1] - place[0]) / len(owns)).bit_length() - 1 - EVEN)
    codes = walk.Codes(new, leaf, np.concatenate([*cuts, [0.0]]), begin, sure)
    walk.coded(nodes, place, number, codes)
    return codes

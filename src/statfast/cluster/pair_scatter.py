# SPDX-License-Identifier: BSD-3-Clause
"""Sums of squares of clusters of which dissimilarities alone are known.

The sum of squares about a mean is that of the squared distances of all pairs, over their number of
points (Anderson 2001, doi:10.1111/j.1442-9993.2001.01070.pp.x), which needs no mean. Of a matrix
that is not symmetric pairs count half in each direction.
"""

import numpy as np

from statfast._blocks import checkpoint, each, grid

STRIP = 1 << 20  # numbers squared at a time


def pair_scatter(source, labelings, n_jobs=None):
    """Sum of squares within clusters, for several clusterings.

    Parameters
    ----------
    source : Stored, Condensed or Made
    labelings : list of ndarray of shape (n,)
        Codes 0, ..., k - 1, of which each has a row.
    n_jobs : int, optional

    Returns
    -------
    sums : ndarray of shape (len(labelings),)
        In units of `unit` squared.
    unit : float
        The largest dissimilarity; 1 if that is 0.
    """
    n = source.n
    orders = [np.argsort(codes, kind="stable") for codes in labelings]
    sizes = [np.bincount(codes) for codes in labelings]
    step = max(1, STRIP // n)

    def work(block):
        found = []
        for start in range(block.start, block.stop, step):
            checkpoint()
            rows = slice(start, min(start + step, block.stop))
            squares = source.block(rows, slice(None)).astype(np.float64)
            high = float(squares.max(initial=0.0)) or 1.0
            squares /= high
            with np.errstate(under="ignore"):
                squares *= squares
            sums = np.empty(len(labelings))
            for i, codes in enumerate(labelings):
                begins = np.concatenate([[0], np.cumsum(sizes[i])[:-1]])
                inside = np.add.reduceat(squares[:, orders[i]], begins, axis=1)
                own = codes[rows]
                sums[i] = (inside[np.arange(len(own)), own] / sizes[i][own]).sum() / 2
            found.append((high, sums))
        return found

    blocks = grid(n, least=64, most=max(64, (1 << 24) // n))
    parts = each(work, blocks, n_jobs=n_jobs, effort=8.0 * n * n * len(labelings))
    strips = [strip for part in parts for strip in part]
    unit = max(high for high, _ in strips)
    return sum((high / unit) ** 2 * sums for high, sums in strips), unit

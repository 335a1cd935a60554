# SPDX-License-Identifier: BSD-3-Clause
"""Boxes of a k-d tree along the axes of its points, where those lie aslant.

Rows on a slanting line or plane, or those of correlated columns in general, fill little of a box
along the coordinates, and what is far from them cannot tell from the box how far it is. So the
boxes may enclose turned points, A (x - c), in the tree's stead; leaves keep the points as they are,
and distances are computed of those alone. Only what boxes rule out may err, and must not:

- A is (1 - LOSS) times an orthogonal matrix, to within ORTHOGONAL. This covers the rounding of sums
  of squares, and that of a turned query that is far from the points, which is relative to its
  distance: at most d eps |q - c|, in each of d <= MOST coordinates.
- Boxes are widened by `slack`. This covers the rounding of turned points, in float64 and in the
  type of the boxes, and of a query that is no further from the centre than twice the points are.

So the distance of a turned query to a box, as computed, is never above the distance of the query
to a point inside, as computed.

It costs O(n d^2), and O(d^2) a query. Whether it may pay is told by a sample's covariance: most
rows are let go after some 0.1 ms. Whether it does, `_kd_tree.pays` counts.
"""

import numpy as np

SAMPLE = 512  # rows that tell how the others lie
GOLDEN = 0.6180339887498949  # whose multiples spread evenly over the unit interval, in no period
LEAVES = 512  # in fewer a search is soon done
MOST = 64  # columns; KD_TURNED in kdturn.h
BITS = 1.0  # by which the box along the coordinates is larger where turning is thought of
FLAT = 1e-24  # share of all variance that counts as none
FAR = 8.0  # times the distance of nine tenths of the rows: outliers, which are to turn nothing
LOSS = 2.0**-36  # see also KD_SHORT in kdturn.h
ORTHOGONAL = 1e-12
RANGE = 1e-18, 1e18  # of numbers whose squares and roundings are far from the ends of float32


def turn_of(X: np.ndarray, leaf: int) -> np.ndarray | None:
    """How boxes may see rows X (n, d), for leaves of so many: the centre and the matrix A, in
    (d + 1, d); None if turning them makes little difference."""
    n, d = X.shape
    if n < LEAVES * leaf or not 2 <= d <= MOST:
        return None
    some = scattered(X, SAMPLE).astype(np.float64)
    with np.errstate(all="ignore"):
        if not excess(spread(some)) >= BITS:
            return None
    if not max(X.max(), -X.min()) < RANGE[1]:
        return None
    some = without_outliers(some)
    scatter = spread(some)
    if not np.sqrt(scatter.trace()) > RANGE[0]:
        return None
    axis = np.linalg.eigh(scatter)[1]
    if abs(axis.T @ axis - np.eye(d)).max() > ORTHOGONAL / d:
        return None
    return np.array([some.mean(axis=0), *(1 - LOSS) * axis.T])


def scattered(X: np.ndarray, count: int) -> np.ndarray:
    """So many rows from everywhere, always the same: a copy."""
    return X[(np.arange(count) * GOLDEN % 1 * len(X)).astype(np.intp)]


def slack(boxes: np.ndarray) -> np.ndarray:
    """What boxes (groups, d, 2, 8) of turned points have to be widened by, along each axis (d,)."""
    d = boxes.shape[1]
    reach = np.maximum(-boxes[0, :, 0].min(axis=1), boxes[0, :, 1].max(axis=1)).astype(np.float64)
    reach = np.maximum(reach, 0)
    rounding = 2 * (d + 4) * np.finfo(np.float64).eps * np.sqrt(reach @ reach)
    return rounding + 2 * np.finfo(boxes.dtype).eps * reach


def spread(rows):
    """The covariance of rows, which is positive definite though they may not spread everywhere."""
    rows = rows - rows.mean(axis=0)
    scatter = np.einsum("ij,ik->jk", rows, rows) / len(rows)  # no BLAS, whose threads spin
    scatter.flat[:: len(scatter) + 1] += FLAT * scatter.trace()
    return scatter


def excess(scatter):
    """Bits by which a box along the coordinates is larger than one along the axes of a cloud."""
    return (np.log2(scatter.diagonal()).sum() - np.linalg.slogdet(scatter)[1] / np.log(2)) / 2


def without_outliers(rows):
    """Those of the rows that are not far from the most."""
    away = abs(rows - np.median(rows, axis=0)).max(axis=1)
    return rows[away <= FAR * np.quantile(away, 0.9)]

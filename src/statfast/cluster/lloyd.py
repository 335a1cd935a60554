# SPDX-License-Identifier: BSD-3-Clause
"""Lloyd's algorithm as sums over blocks of rows: partial, merge, solve.

Lloyd 1982, doi:10.1109/TIT.1982.1056489. Every pass over the rows goes through ``_blocks.reduce``,
so they may be an array, a memory map or ``Chunks``, with the same result.
"""

from operator import add

import numpy as np

from statfast._blocks import checkpoint, reduce
from statfast._core import lloyd as kernel
from statfast._validation import as_rows, as_weights
from statfast.cluster.survey import KEPT, frame_of

# Multiply-adds between two looks at whether the run was interrupted: well under 0.1 s.
PIECE = 1 << 27


class LloydStep:
    """Statistics of some rows from which one k-means iteration is solved.

    They add up: of rows kept in many places, each place need only send its k (d + 1) numbers.
    `KMeans` itself is fitted this way, block by block.

    Parameters
    ----------
    k : int
        Number of centres.
    d : int
        Number of columns.

    Attributes
    ----------
    sums : ndarray of shape (k, d), float64
        Weighted sum of the rows nearest to each centre.
    mass : ndarray of shape (k,), float64
        Weight of the rows nearest to each centre.
    moved : int
        How many rows changed their cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.cluster import LloydStep
    >>> here, there = np.array([[0.0], [1.0]]), np.array([[8.0], [10.0], [12.0]])
    >>> centers = np.array([[0.0], [6.0]])
    >>> for _ in range(2):
    ...     step = LloydStep.partial(here, centers).merge(LloydStep.partial(there, centers))
    ...     centers = step.solve()
    >>> centers
    array([[ 0.5],
           [10. ]])
    """

    __slots__ = ("mass", "moved", "sums")

    def __init__(self, k, d):
        self.sums = np.zeros((k, d))
        self.mass = np.zeros(k)
        self.moved = 0

    @classmethod
    def partial(cls, X, centers, sample_weight=None, labels=None):
        """Assign rows to their nearest centres and sum them up.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows; float64, float32 and uint8 are taken as they are.
        centers : array-like of shape (k, d)
            The centres; a row equally near to several belongs to the first of them.
        sample_weight : array-like of shape (n,), optional
            Weight of each row; None gives each row weight 1.
        labels : ndarray of shape (n,), int32, optional
            The cluster of each row so far, updated in place; None counts every row as moved.

        Returns
        -------
        step : LloydStep

        Raises
        ------
        ValueError
            If X or centers is not a finite 2-d array, or if their shapes do not match.
        """
        X = np.ascontiguousarray(as_rows(X, keep=KEPT))
        centers = np.array(as_rows(centers, name="centers"), dtype=np.float64, order="C")
        n, d = X.shape
        if centers.shape[1] != d:
            raise ValueError(
                f"centers must have as many columns as X ({d}); got {centers.shape[1]}."
            )
        weights = as_weights(sample_weight, n)
        if labels is None:
            labels = np.full(n, -1, np.int32)
        elif getattr(labels, "dtype", None) != np.int32 or labels.shape != (n,):
            raise ValueError(f"labels must be an int32 array of shape ({n},), one for each row.")
        step = cls(*centers.shape)
        step._add(X, weights, centers, frame_of(centers), labels)
        return step

    def merge(self, other):
        """Add the statistics of other rows, in place.

        Parameters
        ----------
        other : LloydStep
            Made with the same centres.

        Returns
        -------
        self : LloydStep
        """
        self.sums += other.sums
        self.mass += other.mass
        self.moved += other.moved
        return self

    def solve(self):
        """Means of the clusters; an empty one is put where the heaviest is.

        Returns
        -------
        centers : ndarray of shape (k, d), float64
        """
        empty = self.mass == 0
        centers = self.sums / np.where(empty, 1.0, self.mass)[:, None]
        centers[empty] = centers[self.mass.argmax()]
        return centers

    def _add(self, X, weights, centers, frame, labels):
        """Assign the rows of a checked block, in place of `labels`, and add their statistics."""
        for part in pieces(X.shape[0], centers.size):
            some = None if weights is None else weights[part]
            self.moved += kernel.step(
                X[part], some, centers, frame, labels[part], self.sums, self.mass
            )

    def _clear(self):
        self.sums.fill(0.0)
        self.mass.fill(0.0)
        self.moved = 0
        return self

    def _give(self, row, weight, source, target):
        """Take a row from the cluster `source` and make it the only one of `target`."""
        rest = self.mass[source] - weight
        if rest > 1e-12 * self.mass[source]:
            self.sums[source] -= weight * row
        else:  # it was the only one: what is left is rounding
            self.sums[source] = rest = 0.0
        self.mass[source] = rest
        self.sums[target] = weight * row
        self.mass[target] = weight


def iterate(data, centers, *, tol, max_iter, report=None):
    """Run Lloyd's algorithm from a start.

    Stops when no row changes its cluster, when the squared shift of the centres is at most `tol`,
    or after `max_iter` iterations.

    Parameters
    ----------
    data : Survey
    centers : ndarray of shape (k, d), float64
    tol : float
    max_iter : int
    report : callable, optional
        Called with a line of text at each iteration.

    Returns
    -------
    centers : ndarray of shape (k, d), float64 numbers representable in `data.dtype`
    labels : ndarray of shape (n,), int32, the nearest of these centres for each row
    inertia : float
    n_iter : int
    """
    labels = np.full(data.shape[0], -1, np.int32)
    spare = []
    for n_iter in range(1, max_iter + 1):
        step = assign_and_sum(data, centers, labels, spare)
        if not step.mass.all():
            relocate(data, step, centers, labels)
        solved = data.rounded(step.solve())
        shift = float(np.square(solved - centers).sum())
        moved, centers = step.moved, solved
        spare.append(step)
        if report:
            report(f"iteration {n_iter}: {moved} rows moved, squared shift {shift:.6g}")
        if moved == 0 or shift <= tol:
            break
    settled = moved == 0 and shift == 0
    frame = None if settled else data.frame(centers)
    total = inertia(data.rows, data.weights, centers, frame, labels, data.n_jobs)
    return centers, labels, total, n_iter


def tolerance(data, tol):
    """`tol` times the mean variance of the columns: a bound on the squared shift of the centres."""
    if tol == 0:
        return 0.0
    one, labels = data.mean[None], np.zeros(data.shape[0], np.int32)
    if data.weights is not None:
        one = assign_and_sum(data, one, labels, []).solve()
    scatter = inertia(data.rows, data.weights, one, None, labels, data.n_jobs)
    return tol * scatter / (data.mass * data.shape[1])


def assign_and_sum(data, centers, labels, spare):
    """One pass: every row to its nearest centre, in place of `labels`, and the sums for the next.

    `spare` holds the statistics of earlier blocks, to be used again rather than allocated anew.
    """
    frame = data.frame(centers)

    def partial(rows, X, weights, labels):
        try:
            step = spare.pop()._clear()
        except IndexError:  # not tested first: other threads take from the same list
            step = LloydStep(*centers.shape)
        step._add(X, weights, centers, frame, labels)
        return step

    def merge(total, step):
        total.merge(step)
        spare.append(step)
        return total

    return sweep(
        partial, data.rows, data.weights, labels,
        merge=merge, size=centers.size, n_jobs=data.n_jobs,
    )  # fmt: skip


def relocate(data, step, centers, labels):
    """Give each empty cluster one of the rows farthest from their own centres.

    The empty clusters, in order of index, take the rows in order of (distance, descending; index,
    ascending). Rows of weight 0 do not count. Where every row lies on its centre nothing is done:
    there are fewer distinct rows than clusters.
    """
    empty = np.flatnonzero(step.mass == 0)
    far = farthest(data, centers, labels, len(empty))
    for target, row, weight, source in zip(empty, *far, strict=False):
        step._give(row, weight, source, target)


def farthest(data, centers, labels, count):
    """The `count` rows farthest from their centres, the farthest first: rows, weights, labels."""

    def partial(rows, X, weights, labels):
        d2 = np.empty(X.shape[0])
        kernel.distances(X, centers, labels, d2)
        if weights is None:
            weights = np.ones(X.shape[0])
        d2[weights == 0] = 0.0
        # All that tie with the last place are kept, so that the sort decides by index.
        last = np.partition(d2, -count)[-count] if count < len(d2) else 0.0
        far = np.flatnonzero((d2 >= last) & (d2 > 0.0))
        far = far[np.argsort(-d2[far], kind="stable")[:count]]
        return d2[far], X[far].astype(np.float64), weights[far], labels[far]

    def merge(a, b):
        both = [np.concatenate(pair) for pair in zip(a, b, strict=True)]
        far = np.argsort(-both[0], kind="stable")[:count]
        return [part[far] for part in both]

    return sweep(
        partial, data.rows, data.weights, labels,
        merge=merge, size=centers.shape[1], n_jobs=data.n_jobs,
    )[1:]  # fmt: skip


def nearest(rows, centers, frame, n_jobs=None):
    """The nearest centre of each row: labels (n,) int32."""

    def partial(where, X):
        labels = np.empty(X.shape[0], np.int32)
        for part in pieces(X.shape[0], centers.size):
            kernel.step(X[part], None, centers, frame, labels[part], None, None)
        return [labels]

    return np.concatenate(sweep(partial, rows, merge=joined, size=centers.size, n_jobs=n_jobs))


def inertia(rows, weights, centers, frame, labels=None, n_jobs=None):
    """The sum of weight * squared distance to the centre.

    With a frame the rows are first assigned to their nearest centres, in place of `labels` if
    there are any; without one `labels` says which centre is whose.
    """

    def partial(where, X, weights, labels):
        d2 = np.empty(X.shape[0])
        if labels is None:
            labels = np.empty(X.shape[0], np.int32)
        for part in pieces(X.shape[0], centers.size):
            if frame is not None:
                kernel.step(X[part], None, centers, frame, labels[part], None, None)
            kernel.distances(X[part], centers, labels[part], d2[part])
        return float((d2 if weights is None else d2 * weights).sum())

    size = centers.shape[1] if frame is None else centers.size
    return sweep(partial, rows, weights, labels, merge=add, size=size, n_jobs=n_jobs)


def distances(rows, centers, n_jobs=None):
    """Euclidean distances (n, k) of each row to each centre; float32 for float32 rows."""

    def partial(where, X):
        out = np.empty((X.shape[0], len(centers)))
        for part in pieces(X.shape[0], centers.size):
            kernel.transform(X[part], centers, out[part])
        return [out.astype(np.float32) if X.dtype == np.float32 else out]

    return np.concatenate(sweep(partial, rows, merge=joined, size=centers.size, n_jobs=n_jobs))


def sweep(partial, rows, *aligned, merge, size, n_jobs):
    """``reduce`` for a pass that compares each row with centres of `size` numbers altogether."""
    # Blocks with many statistics must hold many rows, or merging costs as much as making them.
    least = min(max(256, size // 32), 8192)
    effort = 2.0 * rows.shape[0] * size if isinstance(rows, np.ndarray) else np.inf
    return reduce(partial, rows, *aligned, merge=merge, n_jobs=n_jobs, effort=effort, least=least)


def pieces(n, size):
    """Slices of n rows, each little work against centres of this many numbers."""
    step = max(64, PIECE // size)
    yield slice(0, min(n, step))
    for start in range(step, n, step):
        checkpoint()
        yield slice(start, min(n, start + step))


def joined(a, b):
    """Merge of lists: results kept in the order of the blocks."""
    a.extend(b)
    return a

# SPDX-License-Identifier: BSD-3-Clause
"""Lloyd's algorithm as sums over blocks of rows: partial, merge, solve.

Lloyd 1982, doi:10.1109/TIT.1982.1056489. Every pass over the rows goes through ``_blocks.reduce``,
so they may be an array, a memory map or ``Chunks``, with the same result.
"""

from operator import add

import numpy as np

from statfast._blocks import checkpoint, each, grid, reduce
from statfast._core import lloyd as kernel
from statfast._extent import scale_of
from statfast._validation import as_rows, as_weights
from statfast.cluster.survey import KEPT, frame_of

# Multiply-adds between two looks at whether the run was interrupted: well under 0.1 s.
PIECE = 1 << 27
PANEL = 64  # rows: blocks and pieces begin at multiples of this, and so on a panel's border
LAID_OUT = 1 << 26  # numbers: the most rows that are kept as float32 panels (256 MB)


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

    def _add(
        self, X, weights, centers, frame, labels,
        changes=False, upper=None, lower=None, motion=None, panels=None, norms=None,
    ):  # fmt: skip
        """Assign the rows of a checked block, in place of `labels`, and add their statistics.

        With `changes` only rows that changed their cluster count, for the new and against the old.
        """
        for part in pieces(X.shape[0], centers.size):
            some, up, low = (None if a is None else a[part] for a in (weights, upper, lower))
            laid = None if panels is None else panels[part.start * X.shape[1] :]
            self.moved += kernel.step(
                X[part], some, centers, frame, labels[part], self.sums, self.mass,
                changes, up, low, motion, laid, None if laid is None else norms[part.start :],
            )  # fmt: skip

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
    state = Assignment(data, centers)
    for n_iter in range(1, max_iter + 1):
        step = state.advance()
        if not step.mass.all():
            relocate(data, step, state.centers, state.labels)
            state.forget()
        solved = data.rounded(step.solve())
        shift = float(np.square(solved - state.centers).sum())
        moved = step.moved
        state.move(solved)
        if report:
            report(f"iteration {n_iter}: {moved} rows moved, squared shift {shift:.6g}")
        if moved == 0 or shift <= tol:
            break
    if moved or shift:
        state.settle()
    total = inertia(data.rows, data.weights, state.centers, None, state.labels, data.n_jobs)
    return state.centers, state.labels, total, n_iter


class Assignment:
    """The rows with their nearest centres, from one iteration to the next.

    Bounds on the distances spare most rows a look once the centres move little, and the sums of an
    iteration are those of the last with the rows moved that changed their centre. Every `AFRESH`
    iterations they are summed anew, lest rounding pile up; and always where rows have weights,
    whose sums would not return to exactly zero.
    """

    AFRESH = 16

    def __init__(self, data, centers):
        self.data, self.centers = data, centers
        # One scale throughout: the bounds are in its units. Centres to come lie among the rows.
        self.scale = scale_of(max(data.reach, float(np.abs(centers - data.origin).max())))
        n = data.shape[0]
        self.labels = np.full(n, -1, np.int32)
        self.upper, self.lower = np.zeros((2, n), np.float32)
        self.last = None  # where the centres were when the bounds were made
        self.step, self.age = None, 0
        self.spare = []
        self.panels, self.norms = self._lay_out()

    def _lay_out(self):
        """The rows as the kernel wants them, in float32; None where that takes too much memory."""
        rows, (n, d) = self.data.rows, self.data.shape
        filled = -(-n // PANEL) * PANEL
        if not isinstance(rows, np.ndarray) or isinstance(rows, np.memmap) or filled * d > LAID_OUT:
            return None, None
        panels, norms = np.empty(filled * d, np.float32), np.empty(filled, np.float32)

        def work(part):
            X = np.ascontiguousarray(rows[part])
            kernel.lay_out(
                X, self.data.origin, self.scale, panels[part.start * d :], norms[part.start :]
            )

        each(work, grid(n), n_jobs=self.data.n_jobs, effort=4.0 * n * d)
        return panels, norms

    def forget(self):
        """Let the next look be at all rows, and sum them anew."""
        self.step = self.last = None

    def move(self, centers):
        """Put the centres elsewhere."""
        self.last = self.centers if self.step else None
        self.centers = centers

    def advance(self):
        """Give every row its nearest centre; returns the statistics of the clusters."""
        changes = self.step is not None and self.data.weights is None and self.age < self.AFRESH
        found = self._look(changes)
        if changes:
            self.spare.append(found)
            self.step.moved = 0
            self.step.merge(found)
            self.age += 1
        else:
            self.step, self.age = found, 1
        return self.step

    def settle(self):
        """Give every row its nearest centre."""
        self._look(True)

    def _look(self, changes):
        shape, centers, spare = self.centers.shape, self.centers, self.spare
        frame = kernel.frame(centers, self.data.origin, self.scale)
        motion = None if self.last is None else self._motion(frame)

        def partial(rows, X, weights, labels, upper, lower):
            try:
                step = spare.pop()._clear()
            except IndexError:  # not tested first: other threads take from the same list
                step = LloydStep(*shape)
            laid = None, None
            if self.panels is not None:
                laid = self.panels[rows.start * shape[1] :], self.norms[rows.start :]
            step._add(X, weights, centers, frame, labels, changes, upper, lower, motion, *laid)
            return step

        def merge(total, step):
            total.merge(step)
            spare.append(step)
            return total

        return sweep(
            partial, self.data.rows, self.data.weights, self.labels, self.upper, self.lower,
            merge=merge, size=centers.size, n_jobs=self.data.n_jobs,
        )  # fmt: skip

    def _motion(self, frame):
        """How far each centre has moved, how far the farthest of the others has, and half the
        distance to the nearest of them: (3, k) float32, rounded to the safe side."""
        centers = self.centers
        k = len(centers)
        motion = np.zeros((3, k), np.float32)
        moved = np.sqrt(np.square(centers - self.last).sum(axis=1)) * self.scale
        motion[0] = moved * (1 + 1e-6)
        motion[1] = motion[0].max()
        first = motion[0].argmax()
        motion[1, first] = np.delete(motion[0], first).max(initial=0)
        if k * k <= self.data.shape[0]:
            upper, lower = np.empty((2, k), np.float32)
            itself = np.empty(k, np.int32)
            kernel.step(centers, None, centers, frame, itself, None, None, False, upper, lower)
            motion[2] = np.maximum(lower, 0) / 2
        return motion


def tolerance(data, tol):
    """`tol` times the mean variance of the columns: a bound on the squared shift of the centres."""
    if tol == 0:
        return 0.0
    one, labels = data.mean[None], np.zeros(data.shape[0], np.int32)
    if data.weights is not None:
        one = Assignment(data, one).advance().solve()
    scatter = inertia(data.rows, data.weights, one, None, labels, data.n_jobs)
    return tol * scatter / (data.mass * data.shape[1])


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
    # Blocks with many statistics must hold many rows, or merging costs as much as making them; and
    # those of few centres too, or handing them out does.
    least = min(max(256, size // 32, (1 << 23) // size), 8192)
    effort = 2.0 * rows.shape[0] * size if isinstance(rows, np.ndarray) else np.inf
    return reduce(partial, rows, *aligned, merge=merge, n_jobs=n_jobs, effort=effort, least=least)


def pieces(n, size):
    """Slices of n rows, each little work against centres of this many numbers."""
    step = max(PANEL, PIECE // size // PANEL * PANEL)
    yield slice(0, min(n, step))
    for start in range(step, n, step):
        checkpoint()
        yield slice(start, min(n, start + step))


def joined(a, b):
    """Merge of lists: results kept in the order of the blocks."""
    a.extend(b)
    return a

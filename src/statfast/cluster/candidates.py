# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a start by k-means++, and what candidates for the next centres would gain."""

import numpy as np

from statfast._blocks import each
from statfast._core import seeding as kernel

ROUNDING = 1e-5  # more than what sums of gains in float lose: see simd/seeding_level.h
PART = 6e6  # operations of a task: it takes some 20 microseconds, a tenth of that to be called
WAIT = 6.0  # operations in the time in which a number of a row here or there comes from memory
CALL = 1.6e6  # operations in the time in which two threads are called


class Candidates:
    """The rows of a fit that lie in panels, with the squared distance to their nearest centre.

    Candidates for several centres are drawn and weighed together. Float32 scores bound what each
    gains, and name the few rows that may be nearer to it than to all centres so far; those rows
    alone are measured, in float64, when it becomes a centre. What the candidates that are left gain
    less for it is summed up before, over the rows they have in common. Where two candidates are too
    much alike for that, `choose` says which, and they have to be weighed by other means.

    Parameters
    ----------
    data : statfast.cluster.survey.Survey
    panels, norms : ndarray, float32
        What `Panels.at` made of the rows.
    scale : float
    n_trials : int
        How many candidates there are for each centre.

    Attributes
    ----------
    closest : ndarray of shape (n,), float64
    rows : ndarray of shape (m,), int32
        The candidates drawn last.
    points : ndarray of shape (m, d), float64
        The same.
    """

    def __init__(self, data, panels, norms, scale, n_trials):
        self.data, self._panels, self._norms, self._scale = data, panels, norms, scale
        n, filled = data.shape[0], len(norms)
        parts = 2.0 * n * data.shape[1] * n_trials / PART
        parts = 2 ** min(4, max(1, round(np.log2(max(parts, 1.0)))))  # the same for each thread
        step = kernel.stretch_rows()
        step *= max(4096 // step, -(-n // (parts * step)))  # tasks begin where stretches do
        self._tasks = [slice(start, min(n, start + step)) for start in range(0, n, step)]
        self.closest, self._squares = np.empty((2, n))
        self._sums, self._running = np.empty((2, -(-n // kernel.stretch_rows())))
        self._top = np.full(filled, -np.finfo(np.float32).max, np.float32)
        self._weights, heaviest = None, 1.0
        if data.weights is not None:
            heaviest = data.weights.max()
            self._weights = np.zeros(filled, np.float32)
            self._weights[:n] = data.weights / heaviest
        self._unit = scale / heaviest, scale / 2
        self._state = (
            data.rows.view(np.uint8), data.shape[1], data.weights, scale, self._squares,
            self.closest, self._top, self._sums,
        )  # fmt: skip
        self._room = np.empty(0, np.uint32)
        self._near = np.empty(n, np.int32)
        self._group = np.empty(n_trials, np.int32)
        self._most = np.ones((3, filled // kernel.panel_rows()), np.float32)  # of what errs
        # Rows that two threads would not measure sooner than one does.
        self._few = int(CALL / (WAIT * (data.shape[1] + 30)))

    def begin(self, center):
        """The first centre: any row."""
        data, panels = self.data, self._most.shape[1]
        origin = data.origin.astype(np.float64)

        def work(part):
            kernel.begin(*self._state, origin, center, part.start, part.stop)

        each(work, self._tasks, n_jobs=data.n_jobs, effort=6.0 * data.shape[0] * data.shape[1])
        kernel.bound_rest(self._norms, self._top, *data.shape, self._most[:2])
        if self._weights is not None:
            self._weights.reshape(panels, -1).max(axis=1, out=self._most[2])

    def draw(self, at, keep):
        """Draw a candidate for each number `at` in [0, 1); False if every row is a centre.

        `keep` are numbers for `kernel.thinned`, which tells the candidates for each centre.
        """
        (n, d), m, data = self.data.shape, len(at), self.data
        self.rows, self._keep = np.empty(m, np.int32), keep
        total = kernel.draw(self.closest, data.weights, self._sums, self._running, at, self.rows)
        if not total > 0:
            return False
        self.points, self._before = data.take(self.rows), self.closest[self.rows]
        self._now = self._before.copy()
        even = m + m % 2  # the last is no candidate where there is one too many
        a, terms = np.zeros((even, kernel.width(d)), np.float32), np.zeros((3, even), np.float32)
        terms[0, m:] = -np.finfo(np.float32).max
        kernel.propose(self._panels, d, self.rows, self._scale, a, terms)
        size = self._most.shape[1] * even
        if len(self._room) < size:
            self._room = np.empty(size, np.uint32)
        self._hits = self._room[:size].reshape(-1, even)
        found = np.zeros((len(self._tasks), 2, even))

        def work(task):
            part = self._tasks[task]
            kernel.weigh(
                self._panels, self._norms, self._top, self._weights, self._most, a,
                terms, d, part.start, part.stop, self._hits, found[task],
            )  # fmt: skip

        each(work, range(len(found)), n_jobs=data.n_jobs, effort=2.0 * n * d * m)
        high, off = found.sum(axis=0)[:, :m]
        tiny = 1e-30 * n  # what weights and gains lose that are next to nothing
        low = high * (1 - ROUNDING) - off * (1 + 10 * ROUNDING)
        self._bounds = np.array([high * (1 + ROUNDING) + tiny, low - tiny])
        self._later = 0
        return True

    def choose(self, most):
        """Let candidates become centres, one after the other.

        Parameters
        ----------
        most : int
            How many centres are wanted.

        Returns
        -------
        chosen : ndarray of shape (<= most,)
            The candidates that became centres. If they are `most` they do not join the others.
        rivals : ndarray
            Candidates of which the next is one, and has to `join`; none where `most` are chosen or
            others have to be drawn.
        """
        chosen = np.empty(most, np.int32)
        count, nearer = self._select(chosen, 0)
        if count < most:
            self._join(chosen[:count], nearer)
        group = self._group[: 0 if count == most or self._later < 0 else None]
        high, low = self._bounds[:, group]
        return chosen[:count], group[~(high < low.max(initial=-np.inf))]

    def join(self, which):
        """Let this candidate become a centre."""
        chosen = np.array([which], np.int32)
        _, nearer = self._select(chosen, 1)
        self._join(chosen, nearer)

    def _select(self, chosen, given):
        count, self._later, nearer = kernel.select(
            *self._state, self._hits, self.points, self.rows, self._before, self._now, self._keep,
            self._bounds, *self._unit, self._later, given, self._near, self._group, chosen,
        )  # fmt: skip
        return count, nearer

    def _join(self, chosen, nearer):
        tasks = self._tasks if nearer > self._few else [slice(0, self.data.shape[0])]

        def work(part):
            kernel.join(
                *self._state, self._hits, self.points, chosen, self._near, part.start, part.stop
            )

        if len(chosen) > 0:
            each(work, tasks, n_jobs=self.data.n_jobs)

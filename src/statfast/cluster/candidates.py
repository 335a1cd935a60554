# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a start by k-means++, and what candidates for the next centres would gain."""

import numpy as np

from statfast._blocks import each
from statfast._core import seeding as kernel
from statfast.cluster.passes import PANEL

ROUNDING = 1e-5  # more than what sums of gains in float lose: see simd/seeding_level.h
PART = 6e6  # operations of a task: it takes some 20 microseconds, a tenth of that to be called
WAIT = 6.0  # operations in the time in which a number of a row here or there comes from memory
KEPT = 0.65  # of the rows drawn, on average; chances are made anew before it are fewer
SHORT = 5e7  # operations: one of many calls is short to the engine, however long it takes
CALL = 1.6e6  # operations in the time in which two threads are called


def worn(now, before):
    """Whether of rows whose chances were `before` most would not be kept `now`."""
    return (now / before).mean() < KEPT


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
    scale : float
    n_trials : int
        How many candidates there are for each centre.

    Attributes
    ----------
    closest : ndarray of shape (n,), float64
    labels : ndarray of shape (n,), int32
        Which centre that is, the first of equals; a copy.
    rows : ndarray of shape (m,), int32
        The candidates drawn last.
    points : ndarray of shape (m, d), float64
        The same.
    """

    @staticmethod
    def suit(data):
        """Whether rows can be laid out, and looked at where they lie."""
        return data.panels.possible and data.rows.strides[1] == data.rows.itemsize

    def __init__(self, data, scale, n_trials):
        self.data, self._scale = data, scale
        n = data.shape[0]
        filled = -(-n // PANEL) * PANEL
        parts = 2.0 * n * data.shape[1] * n_trials / PART
        parts = 2 ** min(4, max(1, round(np.log2(max(parts, 1.0)))))  # the same for each thread
        step = kernel.stretch_rows()
        step *= max(4096 // step, -(-n // (parts * step)))  # tasks begin where stretches do
        self._tasks = [slice(start, min(n, start + step)) for start in range(0, n, step)]
        self.closest, self._own = np.empty(n), np.empty((n, 2), np.int32)
        self._centers = 1  # how many rows have been measured to
        self._sums, self._running = np.empty((2, -(-n // kernel.stretch_rows())))
        self._chances = self.closest, self._sums  # from which rows are drawn
        self._top = np.full(filled, -np.finfo(np.float32).max, np.float32)
        self._weights, heaviest = None, 1.0
        if data.weights is not None:
            heaviest = data.weights.max()
            self._weights = np.zeros(filled, np.float32)
            self._weights[:n] = data.weights / heaviest
        self._unit = scale / heaviest, scale / 2
        self._state = (
            data.rows.view(np.uint8), data.shape[1], data.weights, scale, self._own,
            self.closest, self._top, self._sums,
        )  # fmt: skip
        self._room, self._held_room = np.empty(0, np.uint32), np.empty(0, np.float32)
        self._near = np.empty(n, np.int32)
        self._group = np.empty(n_trials, np.int32)
        self._most = np.ones((3, filled // kernel.panel_rows()), np.float32)  # of what errs
        # Where scores are held: centres that rows have not been measured to yet, the candidate that
        # became the last of them, and which of them came nearest to each row.
        self._new, self._last, self._loose = [], -1, np.zeros(2, np.float32)
        self._who = np.full(filled, -1, np.int32)
        # Rows that two threads would not measure sooner than one does.
        self._few = int(CALL / (WAIT * (data.shape[1] + 30)))

    @property
    def labels(self):
        return self._own[:, 1].copy()

    def begin(self, center):
        """The first centre: any row."""
        data = self.data
        origin = data.origin.astype(np.float64)

        def work(part, panels, norms):
            kernel.begin(*self._state, origin, center, norms, part.start, part.stop, self._most)

        data.panels.read(self._scale, work)
        self._panels, self._norms = data.panels.at(self._scale)
        if self._weights is not None:
            self._weights.reshape(self._most.shape[1], -1).max(axis=1, out=self._most[2])

    def draw(self, at, keep, hold=False):
        """Draw a candidate for each number `at` in [0, 1); False if every row is a centre.

        `keep` are numbers for `kernel.thinned`, which tells the candidates for each centre. To
        `hold` their scores takes memory, and spares the rows to be read again where there are few
        centres, each of which changes much for the other candidates.
        """
        d, m, data = self.data.shape[1], len(at), self.data
        self.rows, self._keep = np.empty(m, np.int32), keep
        chance, sums = self._chances
        total = kernel.draw(chance, data.weights, sums, self._running, at, self.rows)
        if not total > 0:
            return False
        self.points, self._before = data.take(self.rows), chance[self.rows]
        self._now = self.closest[self.rows]
        if self._new:
            kernel.follow(np.array(self._new), self.points, self._now)
        even = m + m % 2  # the last is no candidate where there is one too many
        self._a = np.zeros((even, kernel.width(d)), np.float32)
        self._terms = np.zeros((3, even), np.float32)
        self._terms[0, m:] = -np.finfo(np.float32).max
        kernel.propose(self._panels, d, self.rows, self._scale, self._a, self._terms)
        size = self._most.shape[1] * even
        if len(self._room) < size:
            self._room = np.empty(size, np.uint32)
        self._hits = self._room[:size].reshape(-1, even)
        self._later, self._held = 0, None
        if not hold:
            self._weigh(self._score)
            return True
        size = even * len(self._norms)
        if len(self._held_room) < size:
            self._held_room = np.empty(size, np.float32)
        self._held, self._fresh = self._held_room[:size].reshape(even, -1), True
        return True

    @property
    def worn(self):
        """Whether of rows drawn from the chances as they were measured last most are not kept."""
        return worn(self._now, self._before)

    def _score(self, part, gains):
        kernel.weigh(
            self._panels, self._norms, self._top, self._weights, self._most, self._a, self._terms,
            self.data.shape[1], part.start, part.stop, self._held, self._hits, gains,
        )  # fmt: skip

    def _weigh(self, work):
        """Bound what candidates gain: `work` adds up the terms for some rows."""
        (n, d), m = self.data.shape, len(self.rows)
        found = np.zeros((len(self._tasks), 2, self._hits.shape[1]))

        def add(task):
            work(self._tasks[task], found[task])

        self._each(add, range(len(found)), effort=2.0 * n * d * m)
        high, off = found.sum(axis=0)[:, :m]
        tiny = 1e-30 * n  # what weights and gains lose that are next to nothing
        low = high * (1 - ROUNDING) - off * (1 + 10 * ROUNDING)
        self._bounds = np.array([high * (1 + ROUNDING) + tiny, low - tiny])

    def choose(self, most):
        """Let candidates become centres, one after the other.

        Parameters
        ----------
        most : int
            How many centres are wanted.

        Returns
        -------
        chosen : ndarray of shape (<= most,)
            The candidates that became centres.
        rivals : ndarray
            Candidates of which the next is one, and has to `join`; none where `most` are chosen or
            others have to be drawn.
        """
        chosen = np.empty(most, np.int32)
        if self._held is not None:
            return self._choose_held(chosen)
        count, nearer = self._select(chosen, 0)
        self._join(chosen[:count], nearer)
        return chosen[:count], self._rivals(count == most)

    def _rivals(self, done):
        group = self._group[: 0 if done or self._later < 0 else None]
        high, low = self._bounds[:, group]
        return group[~(high < low.max(initial=-np.inf))]

    def _choose_held(self, chosen):
        """`choose` where scores are held: they tell anew after each centre."""
        count = 0
        while count < len(chosen):
            self._later = kernel.thinned(
                self._now, self._before, self._keep, self._later, self._group
            )
            if self._later < 0:
                break
            best = self._best()
            if best < 0:
                self.catch_up(anew=False)  # draws must not depend on how good bounds are
                best = self._best()  # which are better now
            if best < 0:
                return chosen[:count], self._rivals(False)
            self._adopt(best)
            chosen[count] = best
            count += 1
        self._outdo()
        return chosen[:count], chosen[:0]

    def _best(self):
        self._weigh(self._weigh_group)
        self._outdone()
        return kernel.best_of(self._group, self._bounds)

    def _adopt(self, which):
        """A candidate becomes a centre that no row has been measured to yet."""
        kernel.follow(self.points[which : which + 1], self.points, self._now)
        self._new.append(self.points[which])
        self._last = which

    def _weigh_group(self, part, gains):
        if self._fresh:
            self._score(part, gains)
        self._hear(part, gains, self._group)

    def _hear(self, part, gains, group):
        kernel.weigh_held(
            self._norms, self._top, self._weights, self._most, self._terms, part.start, part.stop,
            self._held, gains, group, self._last, len(self._new) - 1, self._who, self._loose,
        )  # fmt: skip

    def _outdo(self):
        """Take the last centre into what rows are known to be nearer to."""
        if self._last >= 0:
            nobody, gains = self._group[:0], np.empty((2, 1))
            self._each(lambda part: self._hear(part, gains, nobody), self._tasks)
            self._outdone()

    def _outdone(self):
        if self._last >= 0:
            np.maximum(self._loose, self._terms[1:, self._last], out=self._loose)
        self._last, self._fresh = -1, False

    def catch_up(self, anew=True):
        """Measure the rows that are nearer to centres since; chances are `anew` those of now."""
        self._outdo()
        if anew:
            self._chances = self.closest, self._sums
        elif self._chances[0] is self.closest:
            self._chances = self.closest.copy(), self._sums.copy()
        if self._new:
            points = np.array(self._new)

            def settle(part):
                kernel.settle(
                    *self._state, points, self._centers, self._who, self._near,
                    part.start, part.stop,
                )  # fmt: skip

            self._each(settle, self._tasks)
            self._centers += len(points)
            self._new, self._loose[:] = [], 0

    def join(self, which):
        """Let this candidate become a centre."""
        if self._held is not None:
            self._adopt(which)
            return
        chosen = np.array([which], np.int32)
        _, nearer = self._select(chosen, 1)
        self._join(chosen, nearer)

    def _each(self, work, tasks, effort=SHORT):
        each(work, tasks, n_jobs=self.data.n_jobs, effort=min(effort, SHORT))

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
                *self._state, self._hits, self.points, chosen, self._centers, self._near,
                part.start, part.stop,
            )  # fmt: skip

        if len(chosen) > 0:
            self._each(work, tasks)
            self._centers += len(chosen)

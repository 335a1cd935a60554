# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a start by k-means++, and what candidates for the next centers would gain."""

import numpy as np

from statfast._core.kmeans import seeding as kernel
from statfast._distance import FLOAT32_MAX
from statfast._engine import Team
from statfast.cluster.kmeans.block_passes import PANEL

PART = 3e6  # operations of a part: some 10 microseconds
MOST = 1 << 29  # multiply-adds of scores between two looks at whether the run was interrupted
BLOCK = 1024  # rows: parts are so many or a multiple, whole panels and stretches
KEPT = 0.65  # of the rows drawn, on average; chances are made anew before it are fewer


def worn(now, before):
    """Whether of rows whose chances were `before` most would not be kept `now`."""
    return (now / before).mean() < KEPT


class Candidates:
    """The rows of a fit that lie in panels, with the squared distance to their nearest center.

    Candidates for several centers are drawn and weighed together. Float32 scores bound what each
    gains, and name the few rows that may be nearer to it than to all centers so far; those rows
    alone are measured, in float64, when it becomes a center. What candidates for the next center
    gain less for it is summed up before, over the rows they have in common. Where two candidates
    are too much alike for that, `choose` says which, and they have to be weighed by other means.

    Parameters
    ----------
    data : statfast.cluster.kmeans.prepared.PreparedRows
    k : int
        Number of centers.
    n_trials : int
        How many candidates there are for each.

    Attributes
    ----------
    centers : ndarray of shape (k, d), float64
    places : ndarray of shape (k,), int32
        Which rows they are.
    closest : ndarray of shape (n,), float64
    labels : ndarray of shape (n,), int32
        Which center that is, the first of equals; a copy.
    rows : ndarray of shape (m,), int32
        The candidates drawn last.
    points : ndarray of shape (m, d), float64
        The same.
    group : ndarray of shape (n_trials,), int32
        Those looked at last, for one center.
    bounds : ndarray of shape (2, m)
        From above and below on what each gains, as of when it was looked at.
    """

    @staticmethod
    def suit(data):
        """Whether rows can be laid out, and looked at where they lie."""
        if not data.panels.possible or data.rows.strides[1] != data.rows.itemsize:
            return False
        # Subnormal float32 rows cannot be scaled in their type, and their panels are infinite.
        return data.rows.dtype != np.float32 or data.scale <= FLOAT32_MAX

    def __init__(self, data, k, n_trials):
        self.data = data
        n, d = data.shape
        filled = -(-n // PANEL) * PANEL
        self.centers, self.closest = np.empty((k, d)), np.empty(n)
        self._own, self.places = np.empty((n, 2), np.int32), np.empty(k, np.int32)
        self.sums, running = np.empty((2, -(-n // kernel.stretch_rows())))
        top = np.full(filled, -np.finfo(np.float32).max, np.float32)
        across = kernel.panel_rows()
        panels = -(-n // across)  # that hold rows: others are not even made
        most = np.empty((3, panels), np.float32)
        most[2], shares, heaviest = 1.0, None, 1.0
        if data.weights is not None:
            heaviest = data.weights.max()
            shares = np.zeros(filled, np.float32)
            shares[:n] = data.weights / heaviest
            shares[: panels * across].reshape(panels, across).max(axis=1, out=most[2])
        effort = 2.0 * n * d * n_trials
        parts = 2 ** min(6, max(0, round(np.log2(max(effort / PART, 1.0)))))
        part = -(-n // (parts * BLOCK)) * BLOCK
        self.group = np.empty(n_trials, np.int32)
        self._shape = panels, -(-n // part), filled
        self._room, self._held_room = np.empty((0, panels), np.uint32), np.empty(0, np.float32)
        self.unit = data.scale / heaviest, data.scale / 2  # their product, of gains in bounds
        self._team = Team(data.n_jobs, effort * k)
        self._seeding = kernel.Seeding(
            data.rows.view(np.uint8), data.weights, shares, data.scale, *self.unit, self._own,
            self.closest, self.sums, running, np.empty(n + len(running)), top, most,
            np.full(filled, -1, np.int32), np.empty(n, np.int32), part, self.centers,
            self.places, self.group, self._team.state,
        )  # fmt: skip

    @property
    def labels(self):
        return self._own[:, 1].copy()

    @property
    def count(self):
        """Of centers."""
        return self._seeding.centers

    def begin(self, place):
        """The first center: any row."""
        data = self.data
        center = data.take([place])[0]
        origin = data.origin.astype(np.float64)

        def work(part, panels, norms):
            self._seeding.begin(origin, center, norms, part.start, part.stop)

        data.panels.read(data.scale, work)
        self._seeding.begun(center, place, data.panels.at(data.scale)[0])

    def draw(self, at, keep, hold=False):
        """Draw a candidate for each number `at` in [0, 1); False if every row is a center.

        `keep` are numbers for `thin` in _core/kmeans/potential.pxd, which tells the candidates for
        each center. To `hold` their scores takes memory, and spares the rows to be read again where
        there are few centers, each of which changes much for the other candidates.
        """
        m, (panels, parts, filled) = len(at), self._shape
        even, d = m + m % 2, self.data.shape[1]
        self.rows = np.empty(m, np.int32)
        if not self._seeding.draw(at, self.rows) > 0:
            return False
        self.points = self.data.take(self.rows)
        self._apart, self.bounds = np.empty((2, m)), np.empty((2, m))
        if len(self._room) < even + 2:
            self._room = np.empty((even + 2, panels), np.uint32)
        self.hits = self._room[: even + 2]
        held = None
        if hold:
            if len(self._held_room) < even * filled:
                self._held_room = np.empty(even * filled, np.float32)
            held = self._held_room[: even * filled].reshape(even, filled)
        room = (
            np.empty((d, even), np.float32), np.empty(kernel.width(d), np.float32),
            np.empty((3, even), np.float32), np.empty((parts, 2, even)), np.empty(m, np.int32),
        )  # fmt: skip
        self._seeding.offer(
            self.rows, self.points, keep, self._apart, self.hits, self.bounds, held, *room
        )
        n = self.data.shape[0]
        step = max(1, min(parts, int(MOST / (n * d * even / parts))))
        if step < parts or not hold:  # or `choose` makes them, and hears them in the cache
            for first in range(0, parts, step):
                self._team.gather()
                self._seeding.score(first, min(parts, first + step))
        return True

    @property
    def worn(self):
        """Whether of rows drawn from the chances as they were measured last most are not kept."""
        before, now = self._apart
        return worn(now, before)

    @property
    def left(self):
        """The first candidate that is not used up; -1 if too few are left for a center."""
        return self._seeding.left

    def choose(self, most):
        """Let candidates become centers, one after the other.

        Parameters
        ----------
        most : int
            How many centers are wanted.

        Returns
        -------
        chosen : ndarray of shape (<= most,)
            The candidates that became centers.
        rivals : ndarray
            Candidates of which the next is one, and has to `join`; none where `most` are chosen or
            others have to be drawn.
        """
        chosen = np.empty(most, np.int32)
        self._team.gather()
        count, undecided = self._seeding.choose(chosen)
        if not undecided:
            return chosen[:count], chosen[:0]
        high, low = self.bounds[:, self.group]
        return chosen[:count], self.group[~(high < low.max())]

    def join(self, which):
        """Let this candidate become a center."""
        self._team.gather()
        self._seeding.join(np.array([which], np.int32))

    def catch_up(self):
        """Measure the rows that are nearer to centers since; chances are those of now."""
        self._team.gather()
        self._seeding.catch_up()

    def release(self):
        """Let the threads that serve go: something else is to be done."""
        self._team.release()

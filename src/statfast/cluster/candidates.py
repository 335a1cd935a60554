# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a start by k-means++, and what candidates for the next centre would gain."""

import numpy as np

from statfast._blocks import SMALL, each
from statfast._core import differences
from statfast._core import seeding as kernel
from statfast.cluster.passes import pieces

ROUNDING = 1e-5  # more than what sums of gains in float lose: see simd/seeding_level.h
PART = 6e6  # operations of a task: it takes some 20 microseconds, a tenth of that to be called


class Candidates:
    """The rows of a fit that lie in panels, with the squared distance to their nearest centre.

    Float32 scores tell the best of some candidates and the few rows that are nearer to it than to
    all centres so far; those rows alone are measured, in float64. Where two candidates are too much
    alike for that, `best` says which, and they have to be weighed by other means.

    Parameters
    ----------
    data : statfast.cluster.survey.Survey
    panels, norms : ndarray, float32
        What `Panels.at` made of the rows.
    scale : float
    n_trials : int
        How many candidates there are at a time.

    Attributes
    ----------
    closest : ndarray of shape (n,), float64
    rows : ndarray of shape (n_trials,), int32
        The candidates drawn last.
    """

    def __init__(self, data, panels, norms, scale, n_trials):
        self.data, self._panels, self._norms, self._scale = data, panels, norms, scale
        (n, d), filled = data.shape, len(norms)
        parts = min(16, max(2, int(2.0 * n * d * n_trials / PART)))
        step = kernel.stretch_rows()
        step *= max(4096 // step, -(-n // (parts * step)))  # tasks begin where stretches do
        self._tasks = [slice(start, min(n, start + step)) for start in range(0, n, step)]
        self.closest = np.full(n, np.inf)
        self._sums = np.zeros(-(-n // kernel.stretch_rows()))
        self._top = np.full(filled, -np.finfo(np.float32).max, np.float32)
        self._squares = np.empty(n)
        self._weights = None
        if data.weights is not None:
            self._weights = np.zeros(filled, np.float32)
            self._weights[:n] = data.weights / data.weights.max()
        self._most = None  # in each panel, of what errs
        origin = data.origin.astype(np.float64)[None]
        nowhere = np.zeros(n, np.int32)

        def work(part):
            for at in pieces(part.stop - part.start, d):
                rows = slice(part.start + at.start, part.start + at.stop)
                differences.distances(data.rows[rows], origin, nowhere[rows], self._squares[rows])

        each(work, self._tasks, n_jobs=data.n_jobs, effort=3.0 * n * d)
        self.rows = np.empty(n_trials, np.int32)
        width = kernel.width(d)
        even = n_trials + n_trials % 2  # the last is no candidate where there is one too many
        self._a = np.zeros((even, width), np.float32)
        self._terms = np.zeros((3, even), np.float32)
        self._terms[0, n_trials:] = -np.finfo(np.float32).max
        self._hits = np.empty((filled // kernel.panel_rows(), even), np.uint32)

    def join(self, center, which=None):
        """Let a centre join the others: any row, or the candidate of this number."""
        data = self.data
        hits = None if which is None else self._hits
        nearer = data.shape[0] if hits is None else 4.0 * np.count_nonzero(hits[:, which])

        def work(part):
            kernel.join(
                data.rows, data.weights, center, hits, which or 0, self._squares, self._norms,
                self._scale, self.closest, self._top, self._sums, part.start, part.stop,
            )  # fmt: skip

        effort = 40.0 * nearer * (data.shape[1] + 30)  # it waits for memory
        tasks = self._tasks if effort > SMALL else [slice(0, data.shape[0])]
        each(work, tasks, n_jobs=data.n_jobs, effort=effort)
        if self._most is None:
            self._most = np.ones((3, len(self._hits)), np.float32)
            kernel.bound_rest(self._norms, self._top, *data.shape, self._most[:2])
            if self._weights is not None:
                self._weights.reshape(len(self._hits), -1).max(axis=1, out=self._most[2])

    def draw(self, at):
        """Draw a candidate for each of these numbers in [0, 1); False if every row is a centre."""
        total = kernel.draw(self.closest, self.data.weights, self._sums, at, self.rows)
        if total > 0:
            kernel.propose(
                self._panels, self.data.shape[1], self.rows, self._scale, self._a, self._terms
            )
        return total > 0

    def rivals(self):
        """The candidates of which one is the best: mostly one."""
        n, d = self.data.shape
        found = np.zeros((len(self._tasks), 2, len(self._a)))

        def work(task):
            kernel.weigh(
                self._panels, self._norms, self._top, self._weights, self._most, self._a,
                self._terms, d, self._tasks[task].start, self._tasks[task].stop,
                self._hits, found[task],
            )  # fmt: skip

        effort = 2.0 * n * d * len(self.rows)
        each(work, range(len(found)), n_jobs=self.data.n_jobs, effort=effort)
        high, off = found.sum(axis=0)[:, : len(self.rows)]
        low = high * (1 - ROUNDING) - off * (1 + 10 * ROUNDING)
        best = int(low.argmax())
        tiny = 1e-30 * n  # what weights and gains lose that are next to nothing
        return np.flatnonzero(high * (1 + ROUNDING) + tiny >= low[best] - tiny)

# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a fit in the float32 form the kernel reads, laid out once for all its passes."""

import numpy as np

from statfast._blocks import each, grid
from statfast._core import lloyd as kernel
from statfast.cluster.passes import PANEL

MOST = 1 << 26  # numbers: the most rows that are kept as panels (256 MB)


class Panels:
    """Rows in memory as float32 panels about an origin, made when first asked for.

    Parameters
    ----------
    rows : ndarray of shape (n, d), or statfast.Chunks
    origin : ndarray of shape (d,), float32
    n_jobs : int, optional
    """

    def __init__(self, rows, origin, n_jobs):
        self._rows, self._origin, self._n_jobs = rows, origin, n_jobs
        self._scale = self._made = None

    @property
    def possible(self):
        """Whether the rows are dense and in one piece, and their panels not too large."""
        rows = self._rows
        return isinstance(rows, np.ndarray) and self._filled() * rows.shape[1] <= MOST

    def at(self, scale):
        """Panels (n' d,) and norms (n',), n' = n filled up to whole panels; or twice None where
        they are not `possible`."""
        if self._scale != scale:  # starts among the rows have one scale
            self.read(scale, lambda part, panels, norms: None)
        return self._made

    def read(self, scale, work):
        """``work(part, panels, norms)`` for parts of the rows, whose panels are made before if they
        are not yet."""
        fresh = self._scale != scale
        if fresh:
            self._made = None  # not both at once
            self._made, self._scale = (None, None), scale
            if not self.possible:
                return
            filled = self._filled()
            self._made = np.empty(filled * self._rows.shape[1], np.float32), np.empty(filled, "f4")
        (panels, norms), (n, d) = self._made, self._rows.shape

        def work_on(part):
            if fresh:
                X, start = np.ascontiguousarray(self._rows[part]), part.start
                kernel.lay_out(X, self._origin, scale, panels[start * d :], norms[start:])
            work(part, panels, norms)

        each(work_on, grid(n), n_jobs=self._n_jobs, effort=4.0 * n * d)

    def _filled(self):
        return -(-self._rows.shape[0] // PANEL) * PANEL

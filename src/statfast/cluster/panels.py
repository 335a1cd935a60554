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

    def at(self, scale):
        """Panels (n' d,) and norms (n',), n' = n filled up to whole panels; or twice None.

        None where they take too much memory, or where the rows do not lie in memory themselves.
        """
        if self._scale != scale:  # starts among the rows have one scale
            self._made = None  # not both at once
            self._made, self._scale = self._lay_out(scale), scale
        return self._made

    def _lay_out(self, scale):
        rows = self._rows
        if not isinstance(rows, np.ndarray) or isinstance(rows, np.memmap):
            return None, None
        n, d = rows.shape
        filled = -(-n // PANEL) * PANEL
        if filled * d > MOST:
            return None, None
        panels, norms = np.empty(filled * d, np.float32), np.empty(filled, np.float32)

        def work(part):
            X, start = np.ascontiguousarray(rows[part]), part.start
            kernel.lay_out(X, self._origin, scale, panels[start * d :], norms[start:])

        each(work, grid(n), n_jobs=self._n_jobs, effort=4.0 * n * d)
        return panels, norms

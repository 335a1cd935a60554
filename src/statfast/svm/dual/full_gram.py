# SPDX-License-Identifier: BSD-3-Clause
"""A kernel matrix that is in memory as a whole, for many trainings on parts of its points.

It is kept in float64, from which sums come that decide when a training ends, and for the points of
a training once more in float32, on which it works.
"""

from __future__ import annotations

from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from statfast._core.svm import smo
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast.svm.dual.gram import ROWS_OF_STRIP
from statfast.svm.dual.gram_cache import Gram
from statfast.svm.dual.precision import away_of

VALUES_OF_PIECE = 1 << 22  # Ctrl-C is looked for after so many values.


class FullGram(Gram):
    """The matrix of some points, `places` in a larger one."""

    is_complete = True

    def __init__(self, matrix: Array, places: Any, n_jobs: Jobs = None) -> None:
        self.matrix, self.places = matrix, places
        diagonal, middle = matrix.diagonal()[places], len(places) // 2
        away = away_of(diagonal, matrix[places[middle]][places], middle)
        super().__init__(len(places), diagonal, inf, n_jobs, away)
        self._index: Any = None
        self._kept: Any = None

    def by_rows(self) -> Any:
        return False  # No row has to be made, as all are in memory.

    @cached_property
    def values(self) -> Any:
        """The float32 matrix, in whole cache lines a row."""
        out = np.zeros((self.n, self._ld), np.float32)

        def task(rows: Any) -> None:
            step = max(1, VALUES_OF_PIECE // len(self.matrix))
            for first in range(rows.start, rows.stop, step):
                checkpoint()
                piece = slice(first, min(first + step, rows.stop))
                made = self.matrix[self.places[piece]].take(self.places, axis=1)
                if self._away is not None:
                    made -= np.add.outer(self._away[piece], self._away)
                out[piece, : self.n] = made

        each(task, grid(self.n, 64), n_jobs=self.n_jobs, effort=8.0 * self.n * len(self.matrix))
        return out

    def rows(self, index: Any) -> Any:
        return self.values[index, : self.n]

    def block(self, index: Any) -> Any:
        # Trainings for one value of C after the other are on the same points.
        if self._index is None or not np.array_equal(index, self._index):
            self._kept = self.values
            if len(index) != self.n or (np.diff(index) != 1).any():
                self._kept = self._for_block(len(index))
                for first in range(0, len(index), ROWS_OF_STRIP):
                    checkpoint()
                    for i in range(first, min(first + ROWS_OF_STRIP, len(index))):
                        np.take(self.values[index[i]], index, out=self._kept[i, : len(index)])
            self._index = np.array(index)
        return self._kept

    def add(self, index: Any, weights: Array | None, total: Any, at: Any = None) -> None:
        total[: self.n] += self.exact(index, weights)

    def exact(self, index: Any, weights: Any, at: Any = None) -> Any:
        out = np.zeros(len(self.matrix))
        for first in range(0, len(index), ROWS_OF_STRIP):
            checkpoint()
            strip = self.matrix[self.places[index[first : first + ROWS_OF_STRIP]]]
            out += weights[first : first + ROWS_OF_STRIP] @ strip
        return out[self.places if at is None else self.places[at]]


def width_of(n: int) -> Any:
    """Bytes of a row of `FullGram.values`."""
    return 4 * -(-n // smo.ROW_MULTIPLE) * smo.ROW_MULTIPLE

# SPDX-License-Identifier: BSD-3-Clause
"""A forest that grows by the shortest edges from its parts: the bookkeeping of Boruvka's rounds."""

import numpy as np

from statfast._core import forest

Edges = tuple[np.ndarray, np.ndarray, np.ndarray]  # one row, the other (int32), the length


class Growth:
    """A forest that grows until it is a tree."""

    def __init__(self, n: int):
        self.parent, self.part = np.full(n, -1, np.int32), np.arange(n, dtype=np.int32)
        self.missing = n - 1
        self.largest = -1.0  # part
        self.found: list[Edges] = []

    def add(self, one: np.ndarray, other: np.ndarray, length: np.ndarray) -> None:
        """Take of candidates, among them the shortest edge from each part, what joins parts."""
        taken = np.empty(len(one), np.int32)
        some = forest.forest(one, other, length, self.part, self.parent, taken)
        taken = taken[:some]
        self.found.append((one[taken], other[taken], length[taken]))
        forest.roots(self.parent, self.part)
        if not some:
            raise ValueError("Distances between rows of X overflow. Scale X down.")
        self.missing -= some
        self.largest = float(np.bincount(self.part).argmax())

    def edges(self) -> Edges:
        """All that were taken."""
        if not self.found:
            return np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)
        one, other, length = map(np.concatenate, zip(*self.found, strict=True))
        return one, other, length

# SPDX-License-Identifier: BSD-3-Clause
"""Sparse rows that walks read in dense blocks, whose room is used again and cleared by entries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from statfast._core.cart.walk import walk
from statfast._engine import grid
from statfast._typing import Array, csr_array

VALUES_PER_DENSE_BLOCK = 1 << 18  # 2 MB, in the cache


class DenseBlocks:
    """Canonical CSR rows that are dense block by block.

    Memory: 2 MB for each thread, or one row.
    """

    dtype = np.dtype(np.float64)

    def __init__(self, rows: csr_array) -> None:
        self.rows, self.shape = rows, rows.shape
        self.start = rows.indptr.astype(np.int64, copy=False)
        self.column = rows.indices.astype(np.int32, copy=False)
        self._free: list[Array] = []

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, part: Any) -> DenseBlocks:
        return DenseBlocks(self.rows[part])

    @property
    def block_rows(self) -> int:
        """The most rows of a block."""
        return max(1, VALUES_PER_DENSE_BLOCK // self.shape[1])

    @contextmanager
    def room(self) -> Iterator[Array]:
        """Zeros (block_rows, p), which are to be zeros again in the end."""
        try:
            room = self._free.pop()
        except IndexError:
            room = np.zeros((self.block_rows, self.shape[1]))
        yield room
        self._free.append(room)

    @contextmanager
    def block(self, part: slice) -> Iterator[Array]:
        """Some rows, dense; at most `block_rows`."""
        first, last = self.start[part.start], self.start[part.stop]
        lengths = np.diff(self.start[part.start : part.stop + 1])
        place = np.repeat(np.arange(len(lengths)) * self.shape[1], lengths)
        place += self.column[first:last]
        with self.room() as room:
            room.ravel()[place] = self.rows.data[first:last]
            yield room[: len(lengths)]
            room.ravel()[place] = 0.0

    def leaves(self, nodes: Array, root: Array, part: slice) -> Array:
        """The leaves of some rows among those of all trees, (rows, trees)."""
        leaf = np.empty((part.stop - part.start, len(root)), np.int64)
        start = self.start[part.start : part.stop + 1]
        with self.room() as room:
            walk.leaves_of_entries(nodes, root, start, self.column, self.rows.data, room[0], leaf)
        return leaf


def blocks_of(rows: Any, least: int, most: int, parts: int = 64) -> list[slice]:
    """Cut rows as `grid` does; sparse ones into the blocks that may be dense."""
    n = len(rows)
    if not isinstance(rows, DenseBlocks):
        return grid(n, least, most, parts)
    step = min(rows.block_rows, most)
    return [slice(begin, min(begin + step, n)) for begin in range(0, n, step)]


@contextmanager
def dense_block(rows: Any, part: slice) -> Iterator[Array]:
    """The rows of a block, dense and contiguous."""
    if isinstance(rows, DenseBlocks):
        with rows.block(part) as block:
            yield block
    else:
        yield np.ascontiguousarray(rows[part])

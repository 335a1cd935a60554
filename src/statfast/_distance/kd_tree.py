# SPDX-License-Identifier: BSD-3-Clause
"""The k-d tree as a bundle of arrays, and how it is built.

What the arrays mean is explained in ``_core/kdtree/tree.pxd``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from statfast._core.kdtree import build as kdbuild
from statfast._engine import aligned, each, grid, interruptible
from statfast._typing import Array

LANES = 8  # children of a node
MAX_LEAF_POINTS = 256  # points of a leaf that the kernels have room for
POINTS_PER_SUBTREE = 1 << 14  # points of a task, which fit the level-2 cache
MAX_SUBTREES = 16  # tasks of a build, however many the points
POINTS_AT_ONCE = 1 << 21  # points that are divided in columns, beside which there are two copies
SAMPLE_POINTS = 1024  # points of which the first divisions take the widest axis
MIN_POINTS_FOR_TASKS = 1 << 11  # points: fewer are not worth two tasks


Segment: TypeAlias = tuple[int, int, int]  # a run of leaves, and which side holds its points


@dataclass(frozen=True)
class KDArrays:
    """A k-d tree: its points in blocks, the boxes of its nodes. Pickles; never changes."""

    blocks: np.ndarray  # (leaves, d, leaf) float64 or float32, 64-byte aligned
    ids: np.ndarray  # (leaves * leaf,) int32: the row of each place; -1 where there is none
    boxes: np.ndarray  # (groups, d, 2, 8) of the type of the blocks, 64-byte aligned
    least: np.ndarray  # (groups, 8) int32
    first: np.ndarray  # (levels,) intp
    n: int  # points

    @property
    def fields(self) -> tuple[Any, ...]:
        """What kernels take, in the order in which they take it."""
        return self.blocks, self.ids, self.boxes, self.least, self.first, self.n

    @property
    def nbytes(self) -> int:
        return sum(a.nbytes for a in self.fields if isinstance(a, np.ndarray))

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _rebuilt, self.fields

    @classmethod
    def build(cls, X: np.ndarray, leaf: int, n_jobs: int | None = None) -> KDArrays:
        """The tree of the rows X (n, d), float64 or float32; `leaf` is a multiple of 8."""
        n, d = X.shape
        leaves = -(-n // leaf)
        first, groups = levels_of(leaves)
        blocks, boxes = aligned((leaves, d, leaf), X.dtype), aligned((groups, d, 2, LANES), X.dtype)
        ids, least = np.empty(leaves * leaf, np.int32), np.empty((groups, LANES), np.int32)
        blocks[-1], ids[(leaves - 1) * leaf :] = np.inf, -1
        boxes[:, :, 0], boxes[:, :, 1], least[:] = np.inf, -np.inf, np.iinfo(np.int32).max

        blocks_of = blocks, ids, boxes[first[0] :], least[first[0] :]
        for rows, start, stop in _runs_of_leaves(X, leaf, leaves):
            _grow_leaves(X, rows, start, stop, leaf, blocks_of, n_jobs)
        kdbuild.enclose(boxes, least, first, leaves)
        return cls(blocks, ids, boxes, least, first, n)


def _grow_leaves(
    X: Array, rows: Array | None, start: int, stop: int, leaf: int,
    arrays: tuple[Array, Array, Array, Array], n_jobs: int | None,
) -> None:  # fmt: skip
    """Divide rows of X (None: all) among the leaves start .. stop - 1, and lay them there."""
    points = X if rows is None else X[rows]
    n, d = points.shape
    leaves, offset = stop - start, start // LANES
    blocks, ids, boxes, least = arrays
    own = blocks[start:stop], ids[start * leaf :], boxes[offset:], least[offset:]
    ld = (n + 15) // 16 * 16
    ld += 16 if ld % 512 == 0 else 0  # lest columns compete for the same cache sets
    sides = [(aligned((d, ld), X.dtype), np.empty(ld, np.int32)) for _ in range(2)]
    work = np.empty(ld, X.dtype)

    def lay(block: slice) -> None:
        kdbuild.columns(points, block.start, block.stop, *sides[0])
        if rows is not None:
            sides[0][1][block] = rows[block]

    def split(part: Segment) -> tuple[Segment, Segment]:
        first, last, side = part
        cut = kdbuild.split(*sides[side], *sides[1 - side], work, leaf, first, last, n)
        return (first, cut, 1 - side), (cut, last, 1 - side)

    def grow(part: Segment) -> None:
        first, last, side = part
        kdbuild.subtree(*sides[side], *sides[1 - side], work, first, last, n, *own)

    share = partial(each, n_jobs=n_jobs, effort=60.0 * n * (d + 1))
    share(lay, grid(n, least=16384))
    size = max(
        min(POINTS_PER_SUBTREE, n // 2) // leaf,
        MIN_POINTS_FOR_TASKS // leaf,
        -(-leaves // MAX_SUBTREES),
    )
    small, large = [], [(0, leaves, 0)]
    while large:
        small += [part for part in large if part[1] - part[0] <= size]
        large = [part for part in large if part[1] - part[0] > size]
        large = [half for halves in share(split, large) for half in halves]
    share(grow, small)


def _runs_of_leaves(X: Array, leaf: int, leaves: int) -> Iterator[tuple[Array | None, int, int]]:
    """Rows, and the leaves that they fill: of many rows parts, so that the space in which they are
    divided is not a second and third copy of all.

    The first divisions are then made of row numbers, which stay in their order: of points with
    equal coordinates the lower numbers go left.
    """
    if len(X) <= POINTS_AT_ONCE:
        yield None, 0, leaves
        return
    waiting = [(np.arange(len(X), dtype=np.int32), 0, leaves)]
    while waiting:
        rows, start, stop = waiting.pop()
        half = 1 << ((stop - start - 1).bit_length() - 1)  # the largest power of two below
        if len(rows) <= POINTS_AT_ONCE or half < LANES:
            yield rows, start, stop
            continue
        sample = X[rows[:: max(1, len(rows) // SAMPLE_POINTS)]]
        with np.errstate(over="ignore"):
            axis = int((sample.max(axis=0) - sample.min(axis=0)).argmax())
        left = interruptible(_lower_rows, rows, X, axis, half * leaf)
        waiting += [(rows[~left], start + half, stop), (rows[left], start, start + half)]
        del rows, left


def _lower_rows(rows: Array, X: Array, axis: int, count: int) -> Array:
    """Marks of the `count` rows that are lowest on an axis; of equal ones the first."""
    numbers = X[rows, axis]
    cut = np.partition(numbers, count - 1)[count - 1]
    left = numbers < cut
    left[np.flatnonzero(numbers == cut)[: count - np.count_nonzero(left)]] = True
    return left


def levels_of(leaves: int) -> tuple[np.ndarray, int]:
    """The first group of each level, the lowest first, and how many groups there are."""
    sizes = [-(-leaves // LANES)]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // LANES))
    first = [sum(sizes[level + 1 :]) for level in range(len(sizes))]
    return np.array(first, np.intp), sum(sizes)


def _rebuilt(
    blocks: Array, ids: Array, boxes: Array, least: Array, first: Array, n: int
) -> KDArrays:
    """The tree from a pickle, whose arrays may not be aligned."""
    places = aligned(blocks.shape, blocks.dtype), aligned(boxes.shape, boxes.dtype)
    places[0][:], places[1][:] = blocks, boxes
    return KDArrays(places[0], ids, places[1], least, first, n)

# SPDX-License-Identifier: BSD-3-Clause
"""One round over parts of the rows: work on each where it lies, and the sum of all statistics.

Parts are merged along a binary tree over their numbers, whichever worker holds them: the node
(level, i) is the sum of the parts i 2^level to (i + 1) 2^level - 1, always as the sum of its two
halves in their order. A worker sends the nodes that its parts complete, so that the total has the
same bits for any number of workers, any order, and any number of repetitions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from statfast._engine.blocks import granted
from statfast._engine.row_source import Work
from statfast._engine.worker_cache import keeping


class Stacked(NamedTuple):
    """Rows that parts return, which are concatenated in the order of the parts."""

    rows: np.ndarray

    def __add__(self, other: Stacked) -> Stacked:
        return Stacked(np.concatenate([self.rows, other.rows]))


class Failure(NamedTuple):
    """An error of work on a part. It is a result, not an exception, so no engine tries again."""

    part: int
    error: Exception
    row: int | None  # the row of the part that is not finite, if there is one


class Served(NamedTuple):
    """The result of work on some of the parts: nodes of the tree, or the first failure."""

    n_parts: int
    nodes: dict[tuple[int, int], Any]
    failure: Failure | None = None


def serve(
    work: Work, state: Any, items: Iterable[Any], count: int, threads: int = 1, *,
    parts_stay: bool = False,
) -> Served:  # fmt: skip
    """Work on some parts: a worker's share of a round.

    Parameters
    ----------
    work : Work
    state : object
    items : iterable of (int, object)
        Numbers of parts, and their columns or something with a method ``load`` that reads them.
    count : int
        Parts in all.
    threads : int
        That this call may use.
    parts_stay : bool
        Whether the parts are the same objects in later rounds, so that soft state may stay, too.
    """
    total = Served(count, {})
    with granted(threads), keeping(parts_stay):
        for number, part in items:
            columns = part.load() if hasattr(part, "load") else part
            try:
                if isinstance(columns, Exception):  # of reading the part
                    raise columns
                if hasattr(columns[0], "tocsr"):
                    raise TypeError(
                        "X is in parts of sparse rows, which have no sums here. Iterate over the "
                        "parts: for X in parts: model.partial_fit(X)."
                    )
                statistics = work.apply(columns, state, number)
            except Exception as error:
                failure = Failure(number, _portable(error), _wrong_row(columns))
                return merged([total, Served(count, {}, failure)])
            total = merged([total, Served(count, {(0, number): statistics})])
    return total


def merged(shares: Iterable[Served]) -> Served:
    """Merge shares of a round; nodes that are there already are not added twice."""
    nodes: dict[tuple[int, int], Any] = {}
    failures, count = [], 0
    for share in shares:
        count = share.n_parts
        failures += [share.failure] if share.failure is not None else []
        for place, value in share.nodes.items():
            _add_node(nodes, place, value, count)
    if failures:
        return Served(count, {}, min(failures, key=lambda failure: failure.part))
    return Served(count, nodes)


def total_of(served: Served) -> Any:
    """The sum over all parts; None if none holds rows."""
    height = (served.n_parts - 1).bit_length()
    if set(served.nodes) != {(height, 0)}:
        raise ValueError(
            f"A round over {served.n_parts} parts came back with some of them missing."
        )
    return served.nodes[height, 0]


def _add_node(
    nodes: dict[tuple[int, int], Any], place: tuple[int, int], value: Any, count: int
) -> None:
    """Add a node, and merge upwards as long as both halves are there."""
    level, i = place
    height = (count - 1).bit_length()
    while level < height:
        if any((up, i >> (up - level)) in nodes for up in range(level, height + 1)):
            return  # a repetition
        sibling = nodes.pop((level, i ^ 1), _ABSENT)
        if sibling is _ABSENT:
            if i & 1 or (i + 1) << level < count:
                break
            sibling = None  # there are no parts to the right
        value = _sum(value, sibling) if not i & 1 else _sum(sibling, value)
        level, i = level + 1, i >> 1
    for below, j in [key for key in nodes if key[0] < level]:
        if j >> (level - below) == i:
            del nodes[below, j]  # these are of a repetition with other shares
    nodes[level, i] = value


_ABSENT = object()


def _sum(first: Any, second: Any) -> Any:
    if first is None or second is None:
        return second if first is None else first
    return first + second


def _portable(error: Exception) -> Exception:
    """The error in a form that can be sent: of a built-in class, or with its text."""
    kinds = (ValueError, TypeError, OverflowError, MemoryError, np.linalg.LinAlgError)
    kind = next((kind for kind in reversed(kinds) if isinstance(error, kind)), RuntimeError)
    text = str(error) if kind is not RuntimeError else f"{type(error).__name__}: {error}"
    return kind(text)


def _wrong_row(columns: Any) -> int | None:
    """The first row with a number that is not finite."""
    rows = []
    for column in columns if isinstance(columns, tuple) else ():
        if isinstance(column, np.ndarray) and column.dtype.kind == "f":
            wrong = ~np.isfinite(column)
            wrong = wrong.any(axis=1) if wrong.ndim == 2 else wrong
            rows += np.flatnonzero(wrong)[:1].tolist()
    return min(rows, default=None)

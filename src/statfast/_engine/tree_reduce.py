# SPDX-License-Identifier: BSD-3-Clause
"""One round over parts of the rows: each is worked on where it lies, and statistics add up.

Parts are merged along a binary tree over their numbers, whoever holds them: the node (level, i) is
the sum of the parts i 2^level to (i + 1) 2^level - 1, always of its two halves in their order. What
a worker sends are the nodes that its parts complete, so that the total has the same bits for any
number of workers, any order, and any number of repetitions.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from statfast._engine.blocks import granted
from statfast._engine.row_source import Work
from statfast._engine.worker_cache import keeping


class Stacked(NamedTuple):
    """Rows that parts bring back, one after the other."""

    rows: np.ndarray

    def __add__(self, other: "Stacked") -> "Stacked":
        return Stacked(np.concatenate([self.rows, other.rows]))


class Failure(NamedTuple):
    """An error that work met on a part. Results, not exceptions: no engine tries it again."""

    part: int
    error: Exception
    row: int | None  # of the part, where one holds what is no number


class Served(NamedTuple):
    """What some of so many parts come to: nodes of the tree, or the first failure."""

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
                if isinstance(columns, Exception):  # found when the part was read
                    raise columns
                if hasattr(columns[0], "tocsr"):
                    raise TypeError(
                        "X is in parts of sparse rows, which have no sums here. Iterate over the "
                        "parts: for X in parts: model.partial_fit(X)."
                    )
                found = work.apply(columns, state, number)
            except Exception as error:
                failure = Failure(number, _portable(error), _wrong_row(columns))
                return merged([total, Served(count, {}, failure)])
            total = merged([total, Served(count, {(0, number): found})])
    return total


def merged(shares: Iterable[Served]) -> Served:
    """What several shares of a round come to. Nodes seen before are not added twice."""
    nodes: dict[tuple[int, int], Any] = {}
    failures, count = [], 0
    for share in shares:
        count = share.n_parts
        failures += [share.failure] if share.failure is not None else []
        for place, value in share.nodes.items():
            _place(nodes, place, value, count)
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


def _place(
    nodes: dict[tuple[int, int], Any], place: tuple[int, int], value: Any, count: int
) -> None:
    """Put a node where it belongs, and merge upwards as far as both halves are there."""
    level, i = place
    height = (count - 1).bit_length()
    while level < height:
        if any((up, i >> (up - level)) in nodes for up in range(level, height + 1)):
            return  # a repetition
        other = nodes.pop((level, i ^ 1), _ABSENT)
        if other is _ABSENT:
            if i & 1 or (i + 1) << level < count:
                break
            other = None  # there is no part so far right
        value = _sum(value, other) if not i & 1 else _sum(other, value)
        level, i = level + 1, i >> 1
    for below, j in [key for key in nodes if key[0] < level]:
        if j >> (level - below) == i:
            del nodes[below, j]  # of a repetition that was cut otherwise
    nodes[level, i] = value


_ABSENT = object()


def _sum(first: Any, second: Any) -> Any:
    if first is None or second is None:
        return second if first is None else first
    return first + second


def _portable(error: Exception) -> Exception:
    """The error as one that can be sent: of its class where that is built in, else its text."""
    kinds = (ValueError, TypeError, OverflowError, MemoryError, np.linalg.LinAlgError)
    kind = next((kind for kind in reversed(kinds) if isinstance(error, kind)), RuntimeError)
    text = str(error) if kind is not RuntimeError else f"{type(error).__name__}: {error}"
    return kind(text)


def _wrong_row(columns: Any) -> int | None:
    """The first row with a number that is none."""
    rows = []
    for column in columns if isinstance(columns, tuple) else ():
        if isinstance(column, np.ndarray) and column.dtype.kind == "f":
            wrong = ~np.isfinite(column)
            wrong = wrong.any(axis=1) if wrong.ndim == 2 else wrong
            rows += np.flatnonzero(wrong)[:1].tolist()
    return min(rows, default=None)

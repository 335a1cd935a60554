# SPDX-License-Identifier: BSD-3-Clause
"""Sums over rows: the statistics of all rows, of parts of them, and of all others (`SumFit`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from itertools import islice
from math import inf
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._engine import Chunks, Work, each, grid, rows_at, source_of
from statfast._typing import Array

_AT_ONCE = 1 << 21  # The copy of a block of so many numbers, where rows lie apart, takes 16 MB.


@dataclass(frozen=True)
class FitState:
    """What a fit knows of all rows beside their statistics."""

    n_features: int
    names: NDArray[np.object_] | None = None  # Names of the columns.
    classes: NDArray[Any] | None = None  # the distinct labels, sorted
    more: Any = None  # What the estimator itself keeps of all rows.

    def published(self) -> dict[str, Any]:
        """Attributes for ``_publish(None, **state.published(), ...)``."""
        names = {} if self.names is None else {"feature_names_in_": self.names}
        return {"n_features_in_": self.n_features, **names}


def summed(
    statistics: Callable[..., Any], columns: tuple[Any, ...], state: Any, *,
    n_jobs: int | None = None, effort: float = inf, least: int = 256,
) -> Any:  # fmt: skip
    """Statistics of all rows: of blocks, merged in their order; `effort` and `least` as in
    `reduce` and `grid` of the engine. The rows may be dense, CSR, or `Chunks`."""
    X = columns[0]
    n_rows = 0 if isinstance(X, Chunks) else X.shape[0]
    work = Work(statistics, row_cost=effort / n_rows if n_rows else inf, min_rows=least)
    return source_of(columns, n_jobs).total(work, state)


def sums_of(
    statistics: Callable[..., Any],
    columns: tuple[Any, ...],
    state: Any,
    parts: list[Any],
    *,
    n_jobs: int | None = None,
) -> list[Any]:
    """Statistics of each part of the rows: index arrays, each of at least one row."""
    width = max(1, columns[0].shape[1])
    least = max(256, 8 * width, _AT_ONCE // width)
    tasks, owner = [], []
    for number, part in enumerate(parts):
        for piece in grid(len(part), least, max(least, 16384)):
            tasks.append(_as_slice(part[piece]))
            owner.append(number)
    work = partial(_of_part, statistics, columns, state)
    sums: list[Any] = [None] * len(parts)
    effort = float(sum(map(len, parts))) * width * (width + 1)
    every = each(work, tasks, n_jobs=n_jobs, effort=effort)
    for number, block_sum in zip(owner, every, strict=True):
        sums[number] = block_sum if sums[number] is None else sums[number] + block_sum
    return sums


def without_each(sums: list[Any]) -> Iterator[Any]:
    """For each statistics the sum of all others, by sums from the front and from the back: none is
    subtracted, so that an outlier in one takes no digits of the others."""
    after = [None] * len(sums)
    for k in range(len(sums) - 1, 0, -1):
        after[k - 1] = sums[k] if after[k] is None else sums[k] + after[k]
    before = None
    for k, current in enumerate(sums):
        if before is None or after[k] is None:
            yield after[k] if before is None else before
        else:
            yield before + after[k]
        after[k] = None
        before = current if before is None else before + current


def sums_of_folds(sums: list[Any], count: int, kinds: Any = None) -> Iterator[Any]:
    """Statistics of the rows that each of `count` folds fits, merged from those of parts: of all
    but its own, the fold's part being in its place, or of the parts that `kinds` (folds, parts)
    marks; None where there are none."""
    if kinds is None:
        yield from islice(without_each(sums), count)
        return
    for used in kinds:
        members = [s for s, take_it in zip(sums, used, strict=True) if take_it]
        yield reduce(add, members) if members else None


def _of_part(
    statistics: Callable[..., Any], columns: tuple[Any, ...], state: Any, places: Array | slice
) -> Any:
    return statistics(tuple(rows_at(column, places) for column in columns), state)


def _as_slice(places: Array) -> Array | slice:
    """Places as a slice where they follow one another, so that nothing is copied."""
    first, last = int(places[0]), int(places[-1])
    if last - first + 1 == len(places) and (np.diff(places) == 1).all():
        return slice(first, last + 1)
    return places

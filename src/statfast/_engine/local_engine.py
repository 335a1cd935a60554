# SPDX-License-Identifier: BSD-3-Clause
"""The interface of engines, which work on parts where they lie, and the engine of this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np

from statfast._engine import worker_cache
from statfast._engine.blocks import checkpoint, usable_threads
from statfast._engine.row_source import Work
from statfast._engine.tree_reduce import Served, merged, serve
from statfast._validation import FLOATS, as_rows, wrong_type

PARTS_READ_AHEAD = 2  # parts that are read while one is worked on


class Engine(Protocol):
    """An engine: it keeps references to parts, and sends work to them."""

    def adopt(self, columns: Sequence[Any]) -> list[Any]:
        """Make references to the parts of X, y and weights, in the order of the rows."""

    def places(self, refs: list[Any]) -> list[list[int]]:
        """The numbers of the parts that lie together. Any answer is right; a good one is fast."""

    def round(self, refs: list[Any], work: Work, state: Any) -> Served:
        """`serve` all parts, and merge the results."""

    def keep(self, refs: list[Any], work: Callable[..., Any], state: Any) -> list[Any]:
        """Make parts of ``work(columns, state)`` of each, where it lies; returns references."""

    def forget(self, fit: str) -> None:
        """Drop the soft state of a fit on all workers, without waiting for them."""

    def whoami(self) -> list[dict[str, Any]]:
        """Versions of the workers."""


def as_columns(part: Any) -> Any:
    """X, y and weights of a part, as arrays or None; an exception if X is not a table."""
    X, *more = part if isinstance(part, tuple) else (part,)
    try:
        rows = as_rows(X, keep=(*FLOATS, np.uint8), n_min=0, finite=False)
        targets = [None if column is None else np.asarray(column) for column in more]
        targets += [None] * (2 - len(targets))
        for name, column in zip(("y", "sample_weight"), targets, strict=False):
            if column is not None and len(column) != len(rows):
                raise ValueError(f"{name} must have one value per row of X ({len(rows)}); got "
                                 f"{len(column)}.")  # fmt: skip
    except (TypeError, ValueError) as error:
        return error
    return (rows, *targets)


class LocalPart:
    """A part that lies in memory, or that a function makes."""

    def __init__(self, part: Any) -> None:
        self.part = part

    def load(self) -> Any:
        return as_columns(self.part() if callable(self.part) else self.part)


class LocalDocuments:
    """A list of documents, or a function that makes one."""

    def __init__(self, part: Any) -> None:
        self.part = part

    def load(self) -> Any:
        documents = self.part() if callable(self.part) else self.part
        if isinstance(documents, str | bytes):
            return wrong_type("a part", "a list of documents", documents)
        return list(documents), None, None


class Mapped:
    """A part that work computes from another part when it is loaded."""

    def __init__(self, ref: Any, work: Callable[..., Any], state: Any) -> None:
        self.ref, self.work, self.state = ref, work, state

    def load(self) -> Any:
        columns = loaded(self.ref)
        if isinstance(columns, Exception):
            return columns
        return (self.work(columns, self.state), *columns[1:])


def loaded(ref: Any) -> Any:
    """The columns of a part, which are read if necessary."""
    if hasattr(ref, "load"):
        return ref.load()
    if hasattr(ref, "compute"):
        return ref.compute()
    return ref


class HereEngine:
    """Parts that this process works on, one after the other."""

    def adopt(self, columns: Sequence[Any]) -> list[Any]:
        return [part if hasattr(part, "load") else LocalPart(part) for part in columns[0]]

    def places(self, refs: list[Any]) -> list[list[int]]:
        return [list(range(len(refs)))]

    def round(self, refs: list[Any], work: Work, state: Any) -> Served:
        threads, total = usable_threads(None), Served(len(refs), {})
        with ThreadPoolExecutor(1, "statfast-reader") as reader:
            coming: list[Any] = []
            todo = list(enumerate(refs))
            while todo or coming:
                while todo and len(coming) <= PARTS_READ_AHEAD:
                    number, ref = todo.pop(0)
                    coming.append((number, reader.submit(loaded, ref)))
                number, future = coming.pop(0)
                checkpoint()
                try:
                    item = number, future.result()
                    total = merged([total, serve(work, state, [item], len(refs), threads)])
                except BaseException:
                    for _, pending in coming:
                        pending.cancel()
                    raise
                if total.failure is not None:
                    todo.clear()
                    break
        return total

    def keep(self, refs: list[Any], work: Callable[..., Any], state: Any) -> list[Any]:
        return [Mapped(ref, work, state) for ref in refs]

    def forget(self, fit: str) -> None:
        worker_cache.forget(fit)

    def whoami(self) -> list[dict[str, Any]]:
        return [whoami()]


def whoami() -> dict[str, Any]:
    """Versions that must be the same on all workers for the same bits."""
    from statfast._core.tile import tiles

    version = sys.modules["statfast"].__version__
    return {"statfast": version, "numpy": np.__version__, "isa": tiles.isa()}

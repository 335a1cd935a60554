# SPDX-License-Identifier: BSD-3-Clause
"""Parts of files: runs of rows of .npy and Arrow files, row groups of Parquet files.

A source is a small description of where its rows are; the worker of a part loads them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from statfast._engine.local_engine import as_columns
from statfast._typing import Array
from statfast._validation import wrong_type

PART_BYTES = 1 << 24  # bytes of a part
ARROW = {".arrow", ".feather", ".ipc"}
PARQUET = {".parquet", ".pq"}


def as_sources(paths: Any, y: Any, weights: Any, columns: Any, rows: int | None) -> list[Any]:
    """The parts of files, in their order."""
    sources: list[Any] = []
    first = 0
    for path in paths:
        if not isinstance(path, str | Path):
            raise wrong_type("parts", "a list of paths, or a list of parts", path)
        path, kind = str(path), Path(path).suffix
        if kind == ".npy":
            table = _mapped(path)
            if table.ndim != 2:
                raise ValueError(f"{path} must hold a 2-d array; got shape {table.shape}.")
            n, step = len(table), rows or max(1, PART_BYTES // max(1, table[:1].nbytes))
            cuts = [(start, min(n, start + step)) for start in range(0, n, step)]
            sources += [
                ArrayRows(
                    path, a, b, _column_source(y, first, a, b), _column_source(weights, first, a, b)
                )
                for a, b in cuts
            ]
        elif kind in ARROW | PARQUET:
            lengths = _lengths(path, kind)
            n = sum(lengths)
            for group, (length, start) in enumerate(zip(lengths, _starts(lengths), strict=True)):
                step = rows or max(1, length)
                for a in range(0, length, step):
                    b = min(length, a + step)
                    first_of_group = first + start
                    targets = (
                        _column_source(y, first_of_group, a, b),
                        _column_source(weights, first_of_group, a, b),
                    )
                    names = None if columns is None else tuple(columns)
                    sources.append(TableRows(path, kind in PARQUET, group, a, b, names, *targets))
        else:
            raise ValueError(
                f"{path} must end in .npy, .arrow, .feather or .parquet. Pass other files as "
                "functions that return their rows."
            )
        first += n
    if not sources:
        raise ValueError("The files hold no rows.")
    return sources


@dataclass(frozen=True)
class ArrayRows:
    """Rows of a .npy file."""

    path: str
    start: int
    stop: int
    y: Any
    weights: Any

    def load(self) -> Any:
        return as_columns((
            _mapped(self.path)[self.start : self.stop],
            *(None if column is None else column.load(None) for column in (self.y, self.weights)),
        ))  # fmt: skip


@dataclass(frozen=True)
class TableRows:
    """Rows of a row group of a Parquet file, or of a batch of an Arrow file."""

    path: str
    parquet: bool
    group: int
    start: int
    stop: int
    columns: tuple[str, ...] | None
    y: Any
    weights: Any

    def load(self) -> Any:
        table = self._table()
        table = table.slice(self.start, self.stop - self.start)
        more = [None if column is None else column.load(table) for column in (self.y, self.weights)]
        return as_columns((table.select(self.names.tolist()), *more))

    @property
    def names(self) -> np.ndarray:
        """Names of the columns of X."""
        if self.columns is not None:
            return np.array(self.columns, dtype=object)
        schema = _parquet(self.path).schema_arrow if self.parquet else _batches(self.path).schema
        return np.array(
            [name for name in schema.names if name not in self._target_names()], dtype=object
        )

    def _target_names(self) -> list[str]:
        return [column.name for column in (self.y, self.weights) if isinstance(column, NamedColumn)]

    def _table(self) -> Any:
        if not self.parquet:
            import pyarrow

            return pyarrow.Table.from_batches([_batches(self.path).get_batch(self.group)])
        file, names = _parquet(self.path), None
        if self.columns is not None:
            names = [*self.columns, *self._target_names()]
        return file.read_row_group(self.group, columns=names, use_threads=False)


@dataclass(frozen=True)
class NamedColumn:
    """A column of the table with the rows."""

    name: str

    def load(self, table: Any) -> np.ndarray:
        return np.asarray(table.column(self.name).to_numpy())


@dataclass(frozen=True)
class FileColumn:
    """Values of a .npy file."""

    path: str
    start: int
    stop: int

    def load(self, table: Any) -> np.ndarray:
        return _mapped(self.path)[self.start : self.stop]


@dataclass(frozen=True)
class ArrayColumn:
    """Values that lie in memory."""

    values: np.ndarray

    def load(self, table: Any) -> np.ndarray:
        return self.values


def _column_source(column: Any, first: int, start: int, stop: int) -> Any:
    """The source of y or weights of a part; `first` rows are before its file or row group."""
    if column is None:
        return None
    if isinstance(column, str | Path):
        if Path(column).suffix == ".npy":
            return FileColumn(str(column), first + start, first + stop)
        return NamedColumn(str(column))
    return ArrayColumn(np.asarray(column)[first + start : first + stop])


def _starts(lengths: list[int]) -> list[int]:
    return np.concatenate([[0], np.cumsum(lengths)])[:-1].tolist()


def _lengths(path: str, kind: str) -> list[int]:
    """Rows of each row group or batch."""
    if kind in PARQUET:
        data = _parquet(path).metadata
        return [data.row_group(g).num_rows for g in range(data.num_row_groups)]
    file = _batches(path)
    return [file.get_batch(b).num_rows for b in range(file.num_record_batches)]


@lru_cache(maxsize=8)
def _mapped(path: str) -> Array:
    return np.load(path, mmap_mode="r")


@lru_cache(maxsize=8)
def _parquet(path: str) -> Any:
    from pyarrow import parquet

    return parquet.ParquetFile(path, memory_map=True)


@lru_cache(maxsize=8)
def _batches(path: str) -> Any:
    import pyarrow

    return pyarrow.ipc.open_file(pyarrow.memory_map(path))

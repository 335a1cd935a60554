# SPDX-License-Identifier: BSD-3-Clause
"""Rows in parts: in files, in memory, or on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from statfast._engine.executor import ExecutorEngine
from statfast._engine.files import as_sources
from statfast._engine.local_engine import Engine, HereEngine, LocalDocuments, loaded
from statfast._engine.row_source import Work, source_of
from statfast._engine.tree_reduce import Failure, total_of
from statfast._engine.worker_cache import remembered
from statfast._validation import as_flag, refuse_large, wrong_type


class Parts:
    """Rows in parts: arrays, files, or what an executor's workers read.

    Every estimator whose fit is a sum over rows takes them in place of X; labels and weights
    come with the rows. Each pass works on the parts where they are and brings back their sums
    alone, which are merged in the order of the parts: the result has the same bits for any number
    of workers and threads.

    Parameters
    ----------
    parts : list of parts, or of paths, or a path
        A part is an array-like of shape (m, d), a tuple (X, y), (X, y, sample_weight) or
        (X, None, sample_weight), or a function without arguments that returns one. Paths are of
        .npy files (of shape (n, d)), of Arrow files or of Parquet files, which are cut into parts.
    y, sample_weight : str, path or array-like, optional
        Of paths: the name of a column of an Arrow or Parquet file, the path of a .npy file of
        shape (n,), or an array of all rows.
    columns : list of str, optional
        The columns of Arrow and Parquet files that make up X; None takes all others.
    rows : int, optional
        Most rows of a part of a file; None takes about 16 MB.
    executor : concurrent.futures.Executor, optional
        Whose workers read the parts and work on them: of processes, of MPI or others. None works
        in this process, and reads two parts ahead. Paths must be those of the workers, functions
        be defined in a module.
    workers : int, optional
        Tasks in a round; None takes the executor's number of workers.
    documents : bool, default=False
        Whether parts are lists of documents, for `CountVectorizer`, or functions that return one.

    Attributes
    ----------
    n_parts : int
        How many parts there are.
    shape : tuple (n, d)
        n is None until a pass has counted the rows.
    lengths : list of int, or None
        Rows of each part.

    Raises
    ------
    TypeError
        If `parts` is none of these.
    ValueError
        If there are no parts, or files are of another kind.

    See Also
    --------
    statfast.Chunks : A stream of arrays read in order by this process.

    Notes
    -----
    A pass costs a task for each worker, and what the sums of a part take, sent once for each worker
    whose parts follow one another.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import LinearRegression, Parts
    >>> X = np.arange(12.0).reshape(6, 2) ** 2
    >>> y = X @ [1.0, -1.0]
    >>> parts = Parts([(X[:2], y[:2]), (X[2:5], y[2:5]), (X[5:], y[5:])])
    >>> LinearRegression().fit(parts).coef_.round(6)
    array([ 1., -1.])
    """

    def __init__(
        self, parts: Any, *, y: Any = None, sample_weight: Any = None,
        columns: list[str] | None = None, rows: int | None = None, executor: Any = None,
        workers: int | None = None, documents: bool = False,
    ) -> None:  # fmt: skip
        documents = as_flag(documents, "documents")
        if isinstance(parts, str | Path):
            parts = [parts]
        if not isinstance(parts, list | tuple) or not len(parts):
            raise wrong_type("parts", "a list of parts or of paths", parts)
        if not documents and any(isinstance(part, str | Path) for part in parts):
            parts = as_sources(parts, y, sample_weight, columns, rows)
        elif y is not None or sample_weight is not None or columns is not None:
            raise ValueError(
                "y, sample_weight and columns are for paths. Pass each part as a tuple (X, y, "
                "sample_weight)."
            )
        engine: Engine = HereEngine() if executor is None else ExecutorEngine(executor, workers)
        if documents:
            parts = [LocalDocuments(part) for part in parts]
        names = getattr(parts[0], "names", None)
        self._become(engine, engine.adopt([list(parts)]), names)
        self.documents = documents

    def _become(self, engine: Engine, refs: list[Any], names: Any = None) -> None:
        self.engine, self.refs, self.column_names = engine, refs, names
        self.lengths: list[int] | None = None
        self.width: int | None = None
        self.rounds = 0  # rounds so far
        self.fits: list[str] = []  # fits of which workers may hold soft state
        self.documents = False

    @classmethod
    def kept_by(cls, engine: Engine, columns: Sequence[Any], names: Any = None) -> Parts:
        """The parts of collections that an engine keeps."""
        self = cls.__new__(cls)
        self._become(engine, engine.adopt(columns), names)
        return self

    @property
    def n_parts(self) -> int:
        return len(self.refs)

    @property
    def shape(self) -> tuple[int | None, int | None]:
        return None if self.lengths is None else sum(self.lengths), self.width

    def total(self, work: Work, state: Any = None) -> Any:
        """Sum up statistics of the parts, in one round.

        Parameters
        ----------
        work : Work
            Of the columns (X, y, sample_weight) of a part: its statistics, or None if it has none.
        state : object
            Sent to all workers.

        Returns
        -------
        object
            The sum in the order of the parts, along a binary tree; None if all are None.

        Raises
        ------
        ValueError, TypeError
            Those of `work`, with the number of the part, and its row if that holds NaN.
        RuntimeError
            If the workers are lost.
        """
        served = self.engine.round(self.refs, work, state)
        self.rounds += 1
        if served.failure is not None:
            raise self._with_location(served.failure)
        return total_of(served)

    def prepared(self, prepare: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> PreparedParts:
        """Make parts whose columns are made ready where they lie, in each pass over them.

        Parameters
        ----------
        prepare : callable
            ``prepare((X, y, sample_weight))``: the columns that a pass is to see.

        Returns
        -------
        PreparedParts
            With `total` alone.
        """
        return PreparedParts(self, new_fit(self), prepare)

    def mapped(self, work: Callable[..., Any], state: Any) -> Parts:
        """Make parts of what is computed from each.

        Parameters
        ----------
        work : callable
            ``work((X, y, sample_weight), state)``: an array with a row for each of the part.
        state : object
            Sent to all workers.

        Returns
        -------
        Parts
            Whose X is that array; y and weights are those of these parts.
        """
        out = Parts.__new__(Parts)
        out._become(self.engine, self.engine.keep(self.refs, work, state))
        return out

    def __iter__(self) -> Iterator[np.ndarray]:
        """The rows of the parts, read one after the other by this process."""
        for ref in self.refs:
            columns = loaded(ref)
            if isinstance(columns, Exception):
                raise columns
            yield columns[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """All rows in memory."""
        blocks: list[np.ndarray] = []
        for block in self:
            if not isinstance(block, np.ndarray):
                raise TypeError("Documents and sparse rows are not arrays. Iterate over the parts.")
            blocks.append(block)
            nbytes = sum(rows.nbytes for rows in blocks)
            refuse_large(nbytes, "All rows of the parts", "Iterate over the parts.")
        out = np.concatenate(blocks)
        return out if dtype is None else out.astype(dtype)

    def _with_location(self, failure: Failure) -> Exception:
        """The error of a part, with its place in the message."""
        where = f"part {failure.part}"
        if failure.row is not None:
            where = f"row {failure.row} of {where}"
            if self.lengths is not None:
                before = [0, *accumulate(self.lengths)][failure.part]
                where += f", row {before + failure.row} of all"
        error = failure.error
        return type(error)(f"{error} This is of {where}.")


@dataclass(frozen=True)
class PreparedParts:
    """Parts whose columns are prepared on the workers, once if these keep them."""

    parts: Parts
    fit: str
    prepare: Callable[[tuple[Any, ...]], tuple[Any, ...]]

    def total(self, work: Work, state: Any = None) -> Any:
        """The sum, over all parts, of the totals of passes over their rows."""
        return self.parts.total(Work(total_of_part), (self.fit, self.prepare, work, state))


def total_of_part(columns: tuple[Any, ...], sent_state: tuple[Any, ...]) -> Any:
    """The total of a pass over the rows of a part, on the worker's threads."""
    fit, prepare, work, state = sent_state
    return source_of(remembered(fit, columns[0], lambda: prepare(columns))).total(work, state)


def new_fit(parts: Parts) -> str:
    """A new key for soft state that workers keep from round to round, until `end_fits`."""
    parts.fits.append(uuid4().hex)
    return parts.fits[-1]


def end_fits(parts: Parts) -> None:
    """Drop the soft state of all fits, which would keep rows in the memory of the workers."""
    while parts.fits:
        parts.engine.forget(parts.fits.pop())

# SPDX-License-Identifier: BSD-3-Clause
"""Rows that lie elsewhere: in files, or on the workers of a cluster."""

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import numpy as np

from statfast._engine import memory
from statfast._engine.blocks import checkpoint, usable_threads
from statfast._engine.rounds import Served, merged, serve, total_of
from statfast._validation import FLOATS, as_flag, as_rows, refuse_large, wrong_type

AHEAD = 2  # parts that are read while one is worked on


class Engine(Protocol):
    """What keeps parts, and sends work to them."""

    def adopt(self, columns: Sequence[Any]) -> list[Any]:
        """Make references to the parts of X, y and weights, in the order of the rows."""

    def places(self, refs: list[Any]) -> list[list[int]]:
        """Which parts lie together, by their numbers. Any answer is right; a good one is fast."""

    def round(self, refs: list[Any], work: Callable, state: Any) -> Served:
        """`serve` all parts, and merge what comes back."""

    def keep(self, refs: list[Any], work: Callable, state: Any) -> list[Any]:
        """``work(columns, state)`` of each part, left where it is: references to new parts."""

    def forget(self, fit: str) -> None:
        """Let go of what workers remember of a fit; does not wait for them."""

    def whoami(self) -> list[dict[str, Any]]:
        """Versions of the workers."""


class Parts:
    """Rows in parts: arrays, files, or what an executor's workers read.

    Every estimator whose fit is a sum over rows takes them in the place of X; labels and weights
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
        from statfast._engine.executor import ExecutorEngine
        from statfast._engine.files import as_sources

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
            parts = [GivenDocuments(part) for part in parts]
        names = getattr(parts[0], "names", None)
        self._become(engine, engine.adopt([list(parts)]), names)
        self.documents = documents

    def _become(self, engine, refs, names=None):
        self.engine, self.refs, self.names = engine, refs, names
        self.lengths: list[int] | None = None
        self.width: int | None = None
        self.rounds = 0  # so far
        self.fits: list[str] = []  # whose soft state workers may hold
        self.documents = False

    @classmethod
    def kept_by(cls, engine: Engine, columns: Sequence[Any], names: Any = None) -> "Parts":
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

    def total(self, work: Callable, state: Any) -> Any:
        """Sum up statistics of the parts, in one round.

        Parameters
        ----------
        work : callable
            ``work((X, y, sample_weight), state)``: the statistics of a part, which have a ``+``, or
            None if it has none. A function of a module, which changes neither; X has at least a
            row.
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
            raise self._told(served.failure)
        return total_of(served)

    def mapped(self, work: Callable, state: Any) -> "Parts":
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
            columns = _loaded(ref)
            if isinstance(columns, Exception):
                raise columns
            yield columns[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """All rows in memory."""
        blocks: list[np.ndarray] = []
        for block in self:
            if not isinstance(block, np.ndarray):
                raise TypeError("Documents and sparse rows are no array. Iterate over the parts.")
            blocks.append(block)
            nbytes = sum(one.nbytes for one in blocks)
            refuse_large(nbytes, "All rows of the parts", "Iterate over the parts.")
        out = np.concatenate(blocks)
        return out if dtype is None else out.astype(dtype)

    def _told(self, failure):
        """The error of a part, and where it is."""
        where = f"part {failure.part}"
        if failure.row is not None:
            where = f"row {failure.row} of {where}"
            if self.lengths is not None:
                before = [0, *accumulate(self.lengths)][failure.part]
                where += f", row {before + failure.row} of all"
        error = failure.error
        return type(error)(f"{error} This is of {where}.")


def new_fit(parts: Parts) -> str:
    """A name for what workers remember of the parts from round to round, until `end_fits`."""
    parts.fits.append(uuid4().hex)
    return parts.fits[-1]


def end_fits(parts: Parts) -> None:
    """Let the workers forget it: it holds rows, also those that have no other holder left."""
    while parts.fits:
        parts.engine.forget(parts.fits.pop())


def as_columns(part: Any) -> Any:
    """X, y and weights of a part, as arrays or None; an exception of X that is no table."""
    X, *more = part if isinstance(part, tuple) else (part,)
    try:
        rows = as_rows(X, keep=(*FLOATS, np.uint8), n_min=0, finite=False)
        others = [None if column is None else np.asarray(column) for column in more]
        others += [None] * (2 - len(others))
        for name, column in zip(("y", "sample_weight"), others, strict=False):
            if column is not None and len(column) != len(rows):
                raise ValueError(f"{name} must have one value per row of X ({len(rows)}); got "
                                 f"{len(column)}.")  # fmt: skip
    except (TypeError, ValueError) as error:
        return error
    return (rows, *others)


class GivenPart:
    """A part that lies in memory, or that a function makes."""

    def __init__(self, part: Any):
        self.part = part

    def load(self) -> Any:
        return as_columns(self.part() if callable(self.part) else self.part)


class GivenDocuments:
    """A list of documents, or a function that makes one."""

    def __init__(self, part: Any):
        self.part = part

    def load(self) -> Any:
        found = self.part() if callable(self.part) else self.part
        if isinstance(found, str | bytes):
            return wrong_type("a part", "a list of documents", found)
        return list(found), None, None


class Mapped:
    """What work makes of a part, when it is asked for."""

    def __init__(self, ref: Any, work: Callable, state: Any):
        self.ref, self.work, self.state = ref, work, state

    def load(self) -> Any:
        columns = _loaded(self.ref)
        if isinstance(columns, Exception):
            return columns
        return (self.work(columns, self.state), *columns[1:])


def _loaded(ref):
    if hasattr(ref, "load"):
        return ref.load()
    if hasattr(ref, "compute"):
        return ref.compute()
    return ref


class HereEngine:
    """Parts that this process works on, one after the other."""

    def adopt(self, columns: Sequence[Any]) -> list[Any]:
        return [part if hasattr(part, "load") else GivenPart(part) for part in columns[0]]

    def places(self, refs: list[Any]) -> list[list[int]]:
        return [list(range(len(refs)))]

    def round(self, refs: list[Any], work: Callable, state: Any) -> Served:
        threads, total = usable_threads(None), Served(len(refs), {})
        with ThreadPoolExecutor(1, "statfast-reader") as reader:
            coming: list[Any] = []
            todo = list(enumerate(refs))
            while todo or coming:
                while todo and len(coming) <= AHEAD:
                    number, ref = todo.pop(0)
                    coming.append((number, reader.submit(_loaded, ref)))
                number, future = coming.pop(0)
                checkpoint()
                try:
                    item = number, future.result()
                    total = merged([total, serve(work, state, [item], len(refs), threads)])
                except BaseException:
                    for _, other in coming:
                        other.cancel()
                    raise
                if total.failure is not None:
                    todo.clear()
                    break
        return total

    def keep(self, refs: list[Any], work: Callable, state: Any) -> list[Any]:
        return [Mapped(ref, work, state) for ref in refs]

    def forget(self, fit: str) -> None:
        memory.forget(fit)

    def whoami(self) -> list[dict[str, Any]]:
        return [whoami()]


def whoami() -> dict[str, Any]:
    """What must be the same on all workers for the same bits."""
    from statfast._core.tile import tiles

    version = sys.modules["statfast"].__version__
    return {"statfast": version, "numpy": np.__version__, "isa": tiles.isa()}

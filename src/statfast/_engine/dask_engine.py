# SPDX-License-Identifier: BSD-3-Clause
"""Parts that Dask's workers keep: chunks of an array, partitions of a data frame.

A round calls each worker that holds parts, which takes a sixth of the time of tasks. Where there
are many workers, or one does not answer, a round has tasks of its own: the state, a task for each
worker on the parts that lie there, and, if there are many workers, merges of ten results. They are
ordinary tasks, so that Dask computes again what a dead worker held. Without a client, this process
computes the parts one after the other.
"""

from __future__ import annotations

import asyncio
import pickle
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np

from statfast._engine import worker_cache
from statfast._engine.local_engine import HereEngine, as_columns, whoami
from statfast._engine.row_source import Work
from statfast._engine.tree_reduce import Served, merged, serve
from statfast._typing import Array
from statfast._validation import is_dask, warn_user

MAX_INLINE_BYTES = 1 << 20  # bytes of states sent with the tasks; larger ones are a task themselves
SHARES_PER_MERGE = 10  # shares that one task merges
MAX_SHARES_MERGED_HERE = 10  # shares that this process merges; if there are more, tasks merge them
MAX_TRIES = 3  # times that a lost round is tried
WARNING_SECONDS = 60.0  # seconds without a result before a warning
SILENCE_SECONDS = 20.0  # seconds a scheduler may be silent
PLACES_SECONDS = 10.0  # seconds after which the places of the parts are asked for again
SCHEDULER_LOST = (
    "The scheduler does not answer any more, and what it kept is lost. Nothing was fitted; start a "
    "new cluster and fit again."
)
MAX_PERSISTED_SHARE = 0.6  # of the workers' memory that rows may take to be kept there
TIMEOUT_ERRORS = TimeoutError, FutureTimeoutError  # one class since Python 3.11


def engine_for() -> Any:
    """The engine of the default client, or of this process if there is no client."""
    distributed = sys.modules.get("distributed")
    if distributed is not None:
        try:
            return DaskEngine(distributed.default_client())
        except ValueError:  # there is none
            pass
    return DaskHere()


class DaskHere(HereEngine):
    """Dask collections without a client: see `Engine`."""

    def adopt(self, columns: Sequence[Any], rows: bool = True) -> list[Any]:
        return [_Computed(part) for part in delayed_parts(columns, rows)]


class _Computed:
    def __init__(self, part: Any) -> None:
        self.part = part

    def load(self) -> Any:
        return self.part.compute(scheduler="synchronous")


class DaskEngine:
    """Parts kept by the workers of a client: see `Engine`."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.last = 0.0  # seconds of the longest round
        self.kept = True  # whether the parts stay with the workers
        self.tasks = 0  # tasks and calls of all rounds
        self.sent = 0  # bytes of the states of all rounds
        self._seen: dict[int, Any] = {}  # when parts were located, and where they lie

    def adopt(self, columns: Sequence[Any], rows: bool = True) -> list[Any]:
        parts = delayed_parts(columns, rows)
        nbytes = sum(column.nbytes for column in columns if hasattr(column, "chunks"))
        limit = sum(w["memory_limit"] or np.inf for w in self._workers().values())
        self.kept = not (nbytes == nbytes and nbytes > MAX_PERSISTED_SHARE * limit)
        refs = list(self.client.persist(parts)) if self.kept else parts
        self._require_same_versions()  # while the workers make the parts
        return refs

    def places(self, refs: list[Any]) -> list[list[int]]:
        return [numbers for _, numbers in self._groups(refs)]

    def _groups(self, refs: list[Any]) -> list[tuple[str | None, list[int]]]:
        """Workers, or None if unknown, and the numbers of the parts that each holds."""
        if not self.kept:
            return [(None, [number]) for number in range(len(refs))]
        when, groups = self._seen.get(id(refs), (0.0, []))
        if not when or time.monotonic() - when > PLACES_SECONDS:
            groups = self._locate(refs)
            self._seen = {id(refs): (time.monotonic(), groups)}
        return groups

    def _locate(self, refs: list[Any]) -> list[tuple[str | None, list[int]]]:
        from distributed import wait

        futures = [_future(ref) for ref in refs]
        with self.client.as_current():
            self._wait(lambda: wait(futures, timeout=1.0))
        where = self._asked(self.client.who_has, futures)
        groups: dict[str | None, list[int]] = {}
        for number, future in enumerate(futures):
            holder = min(where.get(future.key, ()), default=None)
            groups.setdefault(holder, []).append(number)
        return list(groups.items())

    def round(self, refs: list[Any], work: Work, state: Any) -> Served:
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        began = time.monotonic()
        for remaining_tries in reversed(range(MAX_TRIES)):
            try:
                served = self._serve_round(refs, work, state)
            except KilledWorker as error:
                raise RuntimeError(
                    f"Workers died one after the other on the same task ({error}). Give them more "
                    "memory, or cut X into smaller parts."
                ) from error
            except (FutureCancelledError, CancelledError) as error:
                reason = str(getattr(error, "reason", ""))
                if self.client.status != "running" or "scheduler" in reason:
                    raise RuntimeError(SCHEDULER_LOST) from error
                if not remaining_tries:
                    raise RuntimeError(
                        "Rows were lost with a worker, and there is no way to compute them again. "
                        "Read them on the workers (from files), not with scatter."
                    ) from error
            except Exception as error:
                if self.client.status == "running":
                    raise
                raise RuntimeError(SCHEDULER_LOST) from error
            else:
                self.last = max(self.last, time.monotonic() - began)
                return served
        raise AssertionError

    def keep(self, refs: list[Any], work: Callable[..., Any], state: Any) -> list[Any]:
        from dask import delayed

        run = delayed(_mapped, pure=False)
        parts = [run(ref, work, state) for ref in refs]
        return list(self.client.persist(parts)) if self.kept else parts

    def forget(self, fit: str) -> None:
        async def send() -> None:
            with suppress(Exception):  # workers and schedulers may be gone
                await self.client.run(worker_cache.forget, fit, on_error="ignore")

        if self.client.status == "running":
            self.client.loop.add_callback(send)

    def whoami(self) -> list[dict[str, Any]]:
        versions = self._asked(self.client.run, whoami, on_error="return").values()
        # A worker that dies meanwhile answers with a closed connection, an OSError.
        return [answer for answer in versions if not isinstance(answer, OSError)]

    # ------------------------------------------------------------ a round

    def _serve_round(self, refs: list[Any], work: Work, state: Any) -> Served:
        import cloudpickle
        from dask import delayed

        name, count = f"statfast-{uuid4().hex}", len(refs)
        groups, sent_state = self._groups(refs), cloudpickle.dumps((work, state))
        is_small = len(sent_state) * len(groups) <= MAX_INLINE_BYTES
        self.sent += len(sent_state) * len(groups)
        if is_small and self.kept and len(groups) <= MAX_SHARES_MERGED_HERE:
            answers = self._call_workers(refs, groups, sent_state)
            if all(isinstance(answer, Served) for answer in answers):
                self.tasks += len(groups)
                return merged(answers)
            self._seen = {}
            groups = self._groups(refs)
        run = partial(self.client.submit, pure=False, retries=2)
        if not is_small:
            sent_state = run(bytes, sent_state, key=f"{name}-state")
        keys = [f"{name}-serve-{i}" for i in range(len(groups))]
        if self.kept:
            shares = [
                run(
                    _serve, sent_state, group, count, True, *(_future(refs[k]) for k in group),
                    key=key, workers=worker, allow_other_workers=worker is not None,
                )
                for (worker, group), key in zip(groups, keys, strict=True)
            ]  # fmt: skip
        else:  # one graph, so that parts need not be in memory at once
            lazily = delayed(_serve, pure=False)
            shares = self.client.compute([
                lazily(
                    sent_state, group, count, False, *(refs[k] for k in group), dask_key_name=key
                )
                for (_, group), key in zip(groups, keys, strict=True)
            ], retries=2)  # fmt: skip
        level, made = 0, list(shares)
        while len(shares) > MAX_SHARES_MERGED_HERE:
            groups_to_merge = [
                shares[i : i + SHARES_PER_MERGE] for i in range(0, len(shares), SHARES_PER_MERGE)
            ]
            shares = [run(_merge, group, key=f"{name}-merge-{level}-{i}") for i, group in
                      enumerate(groups_to_merge)]  # fmt: skip
            made += shares
            level += 1
        self.tasks += len(made)
        try:
            return merged([self._wait(partial(future.result, timeout=1.0)) for future in shares])
        finally:
            unfinished = [future for future in made if not future.done()]
            if unfinished and self.client.status == "running":
                self.client.cancel(unfinished, force=True)

    def _call_workers(self, refs: list[Any], groups: list[Any], sent_state: bytes) -> list[Any]:
        """The shares of the workers, from calls outside of tasks; or else why there are none."""

        async def call(worker: str, group: list[int]) -> Any:
            keys = [_future(refs[number]).key for number in group]
            try:
                answers = await self.client.run(
                    _serve_call, sent_state, group, len(refs), keys, workers=[worker],
                    on_error="return",
                )  # fmt: skip
            except Exception as error:  # of the way to the worker
                return error
            return answers.get(worker)

        def answer_of(worker: str) -> Any:
            try:
                return calls[worker].result(timeout=1.0)
            except TIMEOUT_ERRORS:
                if worker in self._workers():
                    raise
                return None

        def busy_workers() -> list[str]:
            return [worker for worker, future in calls.items() if not future.done()]

        if self.client.status != "running" or any(worker is None for worker, _ in groups):
            return [None]
        loop = self.client.loop.asyncio_loop
        calls = {
            worker: asyncio.run_coroutine_threadsafe(call(worker, group), loop)
            for worker, group in groups
        }
        try:
            return [self._wait(partial(answer_of, worker), busy_workers) for worker in calls]
        finally:
            for future in calls.values():
                future.cancel()

    def _busy_workers(self) -> list[str]:
        tasks = self._asked(self.client.processing)
        return [worker for worker, keys in tasks.items() if keys]

    def _wait(
        self, step: Callable[[], Any], busy_workers: Callable[[], list[str]] | None = None
    ) -> Any:
        """Repeat ``step()`` until it does not time out, with a warning if that takes very long."""
        began = silent = time.monotonic()
        patience = max(WARNING_SECONDS, 10 * self.last)
        while True:
            try:
                return step()
            except TIMEOUT_ERRORS:
                pass
            now = time.monotonic()
            if self.client.status == "running":
                silent = now
            if now - silent > SILENCE_SECONDS or self.client.status == "closed":
                raise RuntimeError(SCHEDULER_LOST)
            if now - began > patience:
                began, patience = now, 2 * patience
                busy = (busy_workers or self._busy_workers)()
                warn_user(
                    f"No task of this fit has ended for {patience / 2:.0f} s. Workers still at "
                    f"work: {', '.join(sorted(busy)) or 'none'}. Ctrl-C ends the fit."
                )

    def _asked(self, question: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """What the scheduler answers. What a client held is lost with its connection, even where
        it finds the scheduler again."""
        try:
            return question(*args, **options)
        except OSError as error:
            raise RuntimeError(SCHEDULER_LOST) from error

    def _workers(self) -> dict[str, Any]:
        info = self._asked(self.client.scheduler_info, n_workers=-1)
        if "workers" not in info:  # the client has closed, as it does where it cannot reconnect
            raise RuntimeError(SCHEDULER_LOST)
        return info["workers"]

    def _require_same_versions(self) -> None:
        """Refuse workers of other versions; warn of those that may round differently."""
        here = whoami()
        worker_versions = self.whoami()
        for worker in worker_versions:
            if not isinstance(worker, dict):
                raise RuntimeError(
                    f"A worker cannot import statfast ({worker!r}). Install the same packages "
                    "there."
                )
            if worker["statfast"] != here["statfast"]:
                raise RuntimeError(
                    f"A worker has statfast {worker['statfast']}, this process {here['statfast']}. "
                    "Install the same version everywhere."
                )
        kinds = {(worker["isa"], worker["numpy"]) for worker in worker_versions}
        if len(kinds) > 1:
            warn_user(
                f"Workers differ in instruction sets or numpy ({sorted(kinds)}), and so may the "
                "last digits by where a part is worked on. Set STATFAST_ISA alike on all of them."
            )


def _future(ref: Any) -> Any:
    from distributed import futures_of

    return futures_of(ref)[0]


async def _serve_call(
    sent_state: bytes, numbers: list[int], count: int, keys: list[str], dask_worker: Any
) -> Served:
    """The share of a worker, in a thread of those of its tasks."""
    parts = [dask_worker.data[key] for key in keys]
    share = partial(_share, sent_state, numbers, count, True, dask_worker.state.nthreads, parts)
    executor = dask_worker.executors["default"]
    return await asyncio.get_running_loop().run_in_executor(executor, share)


def _serve(
    sent_state: bytes, numbers: list[int], count: int, parts_stay: bool, *parts: Any
) -> Served:
    """The share of a worker, on all of its threads, as each worker has one task."""
    from distributed import get_worker

    threads = get_worker().state.nthreads
    return _share(sent_state, numbers, count, parts_stay, threads, parts)


def _share(
    sent_state: bytes, numbers: list[int], count: int, parts_stay: bool, threads: int,
    parts: Sequence[Any],
) -> Served:  # fmt: skip
    work, state = pickle.loads(sent_state)
    items = zip(numbers, parts, strict=True)
    return serve(work, state, items, count, threads, parts_stay=parts_stay)


def _merge(shares: list[Served]) -> Served:
    return merged(shares)


def _mapped(columns: Any, work: Callable[..., Any], state: Any) -> Any:
    if isinstance(columns, Exception):
        return columns
    return (work(columns, state), *columns[1:])


# ------------------------------------------------------------------ collections


def delayed_parts(columns: Sequence[Any], rows: bool = True) -> list[Any]:
    """Delayed tuples (X, y, weights) of each part, where X are rows or, if not `rows`, a column."""
    from dask import delayed

    X, *more = columns
    blocks = _blocks(X, "X" if rows else "y_pred", None)
    chunks = X.chunks[0] if hasattr(X, "chunks") else None
    aligned = [_like(column, name, blocks, chunks) for column, name in
              zip(more, ("y", "sample_weight"), strict=False)]  # fmt: skip
    make = delayed(_columns if rows else _plain_columns, pure=False)
    return [make(*part) for part in zip(blocks, *aligned, strict=True)]


def _columns(*columns: Any) -> Any:
    return as_columns(columns)


def _plain_columns(*columns: Any) -> tuple[Array | None, ...]:
    return tuple(None if column is None else np.asarray(column) for column in columns)


def _blocks(X: Any, name: str, chunks: tuple[int, ...] | None) -> list[Any]:
    """Delayed blocks of rows."""
    if not hasattr(X, "chunks"):  # a data frame or a column of one
        if not hasattr(X, "npartitions"):
            raise TypeError(f"{name} must be an array or a data frame of Dask's; got {type(X)}.")
        return list(X.to_delayed())
    if name == "X" and X.ndim != 2:
        raise ValueError(f"X must be 2-d; got shape {X.shape}. Reshape it to (rows, features).")
    if X.ndim > 1 and len(X.chunks[1]) > 1:
        raise ValueError(
            f"{name} must not be cut by columns; got {len(X.chunks[1])} chunks of them. Use "
            f"{name}.rechunk({{1: -1}})."
        )
    if chunks is not None and X.chunks[0] != chunks and len(X.chunks[0]) > 0:
        known = not any(np.isnan(n) for n in (*chunks, *X.chunks[0]))
        if known and sum(chunks) == sum(X.chunks[0]):
            X = X.rechunk({0: chunks})
    return list(X.to_delayed().ravel())


def _like(column: Any, name: str, blocks: list[Any], chunks: tuple[int, ...] | None) -> list[Any]:
    """The blocks of a column, cut like the rows."""
    if column is None:
        return [None] * len(blocks)
    if not is_dask(column):
        values = np.asarray(column)
        if chunks is None or any(np.isnan(n) for n in chunks):
            raise ValueError(
                f"{name} is an array, and X has parts of unknown length. Pass a collection of "
                "Dask's with the same parts, or X with known chunks (X.compute_chunk_sizes())."
            )
        if len(values) != sum(chunks):
            raise ValueError(
                f"{name} must have one value per row of X ({sum(chunks)}); got {len(values)}."
            )
        stops = np.cumsum(chunks)
        return [values[b - n : b] for n, b in zip(chunks, stops, strict=True)]
    cut = _blocks(column, name, chunks)
    if len(cut) != len(blocks):
        raise ValueError(
            f"{name} must have the parts of X; got {len(cut)} parts, and {len(blocks)} of X. "
            f"Take both from one collection, or rechunk {name}."
        )
    return cut

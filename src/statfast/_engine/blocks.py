# SPDX-License-Identifier: BSD-3-Clause
"""The engine: work on blocks of rows, divided among threads, merged in the order of the blocks.

Which rows make a block depends on their number alone, and partial results merge in block order,
so an answer has the same bits for any number of threads. An estimator hands its work to `each`
(independent tasks) or `reduce` (a sum over row blocks) and never knows whether one thread or many
did it, nor whether the rows lie in memory, in a file, or come as `Chunks`.

A call in progress is a `_Run`, led by the calling thread. Threads of one pool, which is made when
it is first needed, may join it as helpers. When they come changes the time, never the answer.
"""

from __future__ import annotations

import os
import sys
import threading
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import Context, copy_context
from functools import cache
from math import ceil, inf
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np

from statfast._core.threads.spin_wait import wait_awake
from statfast._engine.chunks import Chunks
from statfast._typing import Array
from statfast._validation import place_of_call, warning_at, wrong_type

# Operations, about a millisecond: for fewer, waking a thread costs more than it saves.
MIN_FLOP_FOR_THREADS = 4e6
MIN_FLOP_FOR_AWAKE_THREADS = 1e6  # the same where threads wait awake, and start in microseconds
AWAKE_SECONDS = 1e-3  # seconds a thread waits awake, as waking it may take longer than a small call
# More threads than 4 for each core, or 16 in all, would only hinder one another.
MAX_THREADS_PER_CORE, MIN_THREAD_LIMIT = 4, 16
WAIT_SECONDS = 0.05  # seconds of the longest wait: on Windows, Ctrl-C is heard only between waits

_progress: Callable[..., Any] | None = None  # the hook of `set_progress`


def usable_threads(n_jobs: int | None = None) -> int:
    """How many threads a call may use; within a task of `each` or `reduce` always 1.

    `n_jobs` is a number of threads, of which no more than a few for each core are started; -1 is
    one on each core, -2 leaves one core free, and so on.
    None is the environment variable STATFAST_NUM_THREADS or, without it, one thread on each core
    that affinity and the container's quota allow; in threads and processes of others, one thread.
    """
    if _here.task is not None:
        return 1
    name, asked = "n_jobs", str(n_jobs)  # as text, so that True and 2.0 are not integers
    if n_jobs is None:
        name, asked = "STATFAST_NUM_THREADS", os.environ.get("STATFAST_NUM_THREADS", "")
        if not asked:
            return _here.threads or (1 if _shares_cores() else _cores())
    number = int(asked) if asked.lstrip("-").isdecimal() else 0
    if number == 0:
        raise ValueError(
            f"{name} must be a positive number of threads, or -1 for one on each core (-2 for "
            f"all cores but one); got {asked}."
        )
    if number < 0:
        return max(1, _cores() + 1 + number)
    return (
        number
        if number <= MIN_THREAD_LIMIT
        else min(number, max(MIN_THREAD_LIMIT, MAX_THREADS_PER_CORE * _cores()))
    )


@contextmanager
def granted(threads: int) -> Iterator[None]:
    """Let calls of this thread use so many threads, even if it belongs to another pool."""
    before, _here.threads = _here.threads, threads
    try:
        yield
    finally:
        _here.threads = before


def _shares_cores() -> bool:
    process = sys.modules.get("multiprocessing.process")  # loaded in all its children
    is_child = process is not None and process.parent_process() is not None
    return is_child or threading.get_ident() != threading.main_thread().ident


def _cores() -> int:
    if hasattr(os, "process_cpu_count"):  # Python >= 3.13
        allowed = os.process_cpu_count()
    else:
        allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    return ceil(min(allowed or os.cpu_count() or 1, _quota()))


@cache
def _quota(groups: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> float:
    """CPUs whose time the control groups (version 1 or 2) grant this process; inf if all."""
    quotas = [inf]
    lines = groups.read_text().splitlines() if groups.exists() else []
    for controllers, path in (line.split(":", 2)[1:] for line in lines):
        if controllers == "":
            mount, files = root, ["cpu.max"]
        elif "cpu" in controllers.split(","):
            mount, files = root / "cpu", ["cpu.cfs_quota_us", "cpu.cfs_period_us"]
        else:
            continue
        for folder in Path(path.lstrip("/"), "file").parents:  # groups above limit a group, too
            with suppress(OSError, ValueError):  # there is no such file, or it contains "max"
                texts = [(mount / folder / file).read_text() for file in files]
                quota, period = map(int, " ".join(texts).split())
                quotas.append(quota / period if quota > 0 else inf)
    return min(quotas)


def grid(n: int, least: int = 256, most: int = 16384, parts: int = 64) -> list[slice]:
    """Cut n rows into about `parts` blocks of `least` to `most` rows, whatever the threads.

    All but the last have a multiple of 64 rows, so that blocks begin where panels of rows do.
    """
    step = -(-min(max(-(-n // parts), least), most) // 64) * 64
    return list(map(slice, range(0, n, step), (*range(step, n, step), n)))


def each(
    work: Callable[[Any], Any], tasks: Iterable[Any], *, n_jobs: int | None = None,
    effort: float = inf, progress: Callable[..., Any] | None = None, ahead: float = inf,
) -> list[Any]:  # fmt: skip
    """Do independent tasks: ``work(task)`` for each, the results in a list in their order.

    A task may fill its own rows of an array that all share. No more than `ahead` tasks for each
    thread are begun before all in front of them are done. `effort` is about the number of
    floating-point operations of the whole call; small calls stay in one thread. `progress` takes
    the place of the hook of `set_progress`. Of the exceptions that tasks raise, that of the first
    task is raised. Ctrl-C raises KeyboardInterrupt once no thread is at work on the call any more:
    after the time of one task, or that between two calls of `checkpoint`.
    """
    tasks = list(tasks)
    return _run(work, [tasks], None, len(tasks), ahead, n_jobs, effort, progress)


def fold(
    work: Callable[[Any], Any], tasks: Sequence[Any], *, merge: Callable[..., Any],
    n_jobs: int | None = None, effort: float = inf, progress: Callable[..., Any] | None = None,
) -> Any:  # fmt: skip
    """Merge the results of independent tasks in their order; see `each`, and `reduce` for
    `merge`."""
    return _run(work, [tasks], merge, len(tasks), 2, n_jobs, effort, progress)[0]


def reduce(
    partial: Callable[..., Any], X: np.ndarray | Chunks, *aligned: np.ndarray | None,
    merge: Callable[..., Any], n_jobs: int | None = None, effort: float = inf, least: int = 256,
    progress: Callable[..., Any] | None = None,
) -> Any:  # fmt: skip
    """Sum up blocks of rows; returns the total.

    At most two results a thread wait to be merged. At most three chunks are held: the calling
    thread reads one while the one before is worked on.

    Parameters
    ----------
    partial : callable
        ``partial(rows, X_block, *aligned_blocks)``: the statistics of the rows in the slice
        `rows`. The blocks are C-contiguous; results for single rows go into arrays at `rows`.
    X : ndarray of shape (n, d), memory map, or Chunks
        The rows, read (and copied, where not C-contiguous) block by block.
    *aligned : ndarray of shape (n, ...), or None
        Cut like X; None stays None. Blocks of a C-contiguous one are views, to be written to.
    merge : callable
        ``merge(total, statistics)``: the new total, perhaps the old one changed in place. Called
        in the order of the blocks, by any thread, never twice at a time, first with two results.
    n_jobs, effort, progress, least
        As in `each` and `grid`; `least` should grow with the size of the statistics.
    """

    def work(task: tuple[slice, Array]) -> Any:
        rows, block = task
        parts = [None if a is None else np.ascontiguousarray(a[rows]) for a in aligned]
        return partial(rows, np.ascontiguousarray(block), *parts)

    if (
        isinstance(X, np.ndarray)
        and len(grid(len(X), least)) == 1
        and n_jobs is None
        and _is_idle(progress)
        and all(a is None or len(a) == len(X) for a in aligned)
    ):
        return work((slice(0, len(X)), X))  # one block
    if isinstance(X, Chunks):
        batches = _batches(X, aligned, least)
        lengths = X._lengths
        count = None if lengths is None else sum(len(grid(n, least)) for n in lengths)
    else:
        batches = list(_batches([np.asarray(X)], aligned, least))
        count = len(batches[0])
    return _run(work, batches, merge, count, 2, n_jobs, effort, progress)[0]


def _is_idle(progress: Callable[..., Any] | None) -> bool:
    """Whether nobody is to be told of progress, and this thread works on no task."""
    return progress is None and _progress is None and _here.task is None


def _batches(
    chunks: Iterable[Array], aligned: Sequence[Array | None], least: int
) -> Iterator[list[tuple[slice, Array]]]:
    """Yield the tasks of each chunk: pairs (slice of all rows, block)."""
    sizes = {len(a) for a in aligned if a is not None}
    stop = 0
    for chunk in chunks:
        start, stop = stop, stop + len(chunk)
        if stop > min(sizes, default=inf):
            break
        blocks = grid(len(chunk), least)
        yield [(slice(start + b.start, start + b.stop), chunk[b]) for b in blocks]
    if sizes not in (set(), {stop}):
        raise ValueError(f"X must have one row for each of {sorted(sizes)} values; got {stop}.")


def invite(function: Callable[..., Any], size: int) -> None:
    """Have one of `size` threads of the pool call a function soon."""
    _pool.call(copy_context(), function, size)


def set_progress(hook: Callable[[int, int | None], Any] | None) -> None:
    """Set a global progress callback.

    Parameters
    ----------
    hook : callable or None
        ``hook(done, total)``: the blocks of the present pass that are done, or the centers that
        k-means++ has drawn, and the number of all (None if not known yet). Called in the caller's
        thread, where an exception from it stops the work. None turns reports off; else a TypeError.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import KMeans, set_progress
    >>> counts = []
    >>> set_progress(lambda done, total: counts.append((done, total)))
    >>> X = np.random.default_rng(0).random((50_000, 8))
    >>> model = KMeans(3, init="random", n_init=1, max_iter=2, random_state=0).fit(X)
    >>> set_progress(None)  # no more reports
    >>> counts[-1]
    (4, 4)
    """
    global _progress
    if hook is not None and not callable(hook):
        raise wrong_type("hook", "a function of two counts, or None", hook)
    _progress = hook


def hook() -> Callable[..., Any] | None:
    """What `set_progress` set."""
    return _progress


def report(done: int, total: int | None) -> None:
    """Report the steps of a call whose work is not cut into tasks of the engine."""
    if _progress is not None and _here.task is None:
        getattr(_progress, "step", _progress)(done, total)


def checkpoint() -> None:
    """Leave the task if its result is not needed any more. Long tasks call this between kernels."""
    run, index = _here.task or (None, 0)
    if run is not None and (run.abandoned or index > run.limit):
        raise _Stopped


def in_task() -> bool:
    """Whether this thread works on a task, which `checkpoint` may leave."""
    return _here.task is not None


class _Stopped(BaseException):
    """Ends a task. It is not an Exception, so that handlers in the task do not catch it."""


class _Here(threading.local):
    task: tuple[_Run, int] | None = None  # the call and the number of the task of this thread
    threads = 0  # threads that calls of this thread may use; 0 if not set


_here = _Here()


def _run(
    work: Callable[[Any], Any],
    batches: Iterable[Sequence[Any]],
    merge: Callable[..., Any] | None,
    count: int | None,
    ahead: float,
    n_jobs: int | None,
    effort: float,
    progress: Callable[..., Any] | None,
) -> list[Any]:
    """The results of all tasks in their order, or a list of the one result they are merged to."""
    results: list[Any] = []
    if progress is None and _here.task is None:
        progress = _progress
    small = effort < (MIN_FLOP_FOR_AWAKE_THREADS if _pool.awake else MIN_FLOP_FOR_THREADS)
    sound = n_jobs is None or (type(n_jobs) is int and n_jobs)  # other values are refused
    threads = 1 if small and sound else usable_threads(n_jobs)
    if small:
        threads = 1
    elif count is not None:
        threads = min(threads, count)
    if threads > 1:

        def absorb(result: Any) -> None:
            results[:] = [merge(results[0], result) if results else result]  # type: ignore[misc]

        collect = results.append if merge is None else absorb
        _Run(work, collect, threads, ahead, progress, count).lead(batches)
        return results
    done = 0
    for batch in batches:
        for task in batch:
            if _here.task is not None:
                checkpoint()
            result = work(task)
            if merge is None or not results:
                results.append(result)
            else:
                results[0] = merge(results[0], result)
            done += 1
            if progress is not None:
                progress(done, count)
    return results


class _Run:
    """One call on several threads: a monitor, whose state changes only under its lock."""

    def __init__(
        self,
        work: Callable[[Any], Any],
        absorb: Callable[[Any], Any],
        threads: int,
        ahead: float,
        progress: Callable[..., Any] | None,
        count: int | None,
    ) -> None:
        self.work, self.absorb, self.threads = work, absorb, threads
        self.progress, self.count, self.reported = progress, count, 0
        self.lock = threading.Lock()
        self.change = threading.Condition(self.lock)
        self.tasks: deque[Any] = deque()  # posted, but not begun
        self.more = True  # whether more tasks may be posted
        self.taken = self.merged = 0  # numbers of tasks begun, and merged
        self.ahead = ahead * threads  # how many more tasks may be begun than are merged
        self.results: dict[int, Any] = {}  # results that wait for their turn to be merged
        self.limit = inf  # the number of a failed task, after which none need be done
        self.error: BaseException | None = None
        self.place = place_of_call()  # the line that warnings of helpers point at
        self.abandoned = False  # by the caller, so that no task need be done
        self.invited = self.helpers = 0
        self.departures = array("q", [0])  # the number of helpers that have left

    def lead(self, batches: Iterable[Sequence[Any]]) -> None:
        """Post tasks and work on them, in the calling thread, which is the last to leave."""
        try:
            for batch in batches:
                self.post(batch)
                # Read the next batch before this one is done, so that helpers need not wait.
                self.share(max(len(batch), self.threads))
                if self.limit < inf:
                    break
            self.post((), more=False)
            self.share()
            while self.helped():
                self.report()
        except BaseException as error:  # Ctrl-C between tasks; or reading or reporting failed
            self.abandoned = True  # seen by a long merge, which holds the lock
            self.stop(-1, error)
        while self.helped():
            pass
        # Neither a late helper nor a cycle through a traceback may keep arrays alive.
        del self.work, self.absorb
        self.tasks, self.results = deque(), {}
        self.place = None
        if self.error is not None:
            try:
                raise self.error
            finally:
                self.error = None
        self.report()

    def help(self) -> None:
        """Work on tasks, as a helper in a thread of the pool."""
        with self.lock:
            self.helpers += 1
        with warning_at(self.place):
            while self.step(helping=True):
                pass
        with self.lock:
            self.helpers -= 1
            self.departures[0] += 1
            self.change.notify_all()

    def helped(self) -> bool:
        """Whether helpers are at work; waits a little for a change."""
        seen = self.departures[0]
        if self.helpers:
            wait_awake(self.departures, seen, AWAKE_SECONDS)
        with self.lock:
            if self.helpers:
                self.change.wait(WAIT_SECONDS)
            return self.helpers > 0

    def post(self, batch: Sequence[Any], more: bool = True) -> None:
        with self.lock:
            self.tasks.extend(batch)
            self.more = more
            self.change.notify_all()
        while self.invited < min(self.threads - 1, self.taken + len(self.tasks)):
            self.invited += 1
            _pool.call(copy_context(), self.help, self.threads - 1)

    def share(self, n_remaining: int = -1) -> None:
        """Do tasks until only `n_remaining` are left, or there are none."""
        while len(self.tasks) > n_remaining and self.step():
            self.report()

    def step(self, helping: bool = False) -> bool:
        """Do one task; False if there is none for this thread."""
        index, task = self.take(helping)
        if index is None:
            return False
        _here.task = self, index
        try:
            self.give(index, self.work(task))
        except _Stopped:
            pass
        except BaseException as error:
            self.stop(index if isinstance(error, Exception) else -1, error)
        finally:
            _here.task = None
        return True

    def take(self, helping: bool) -> tuple[int | None, Any]:
        with self.lock:
            while self.limit == inf and (self.tasks or (helping and self.more)):
                if self.tasks and self.taken < self.merged + self.ahead:
                    self.taken += 1
                    return self.taken - 1, self.tasks.popleft()
                self.change.wait(WAIT_SECONDS)
        return None, None

    def give(self, index: int, result: Any) -> None:
        with self.lock:
            self.results[index] = result
            while self.merged in self.results:
                self.absorb(self.results.pop(self.merged))
                self.merged += 1
            self.change.notify_all()

    def stop(self, limit: int, error: BaseException) -> None:
        """Drop the tasks after `limit`; one before it may still fail, whose error counts then."""
        with self.lock:
            if limit < self.limit:
                self.limit, self.error = limit, error
            self.change.notify_all()

    def report(self) -> None:
        if self.progress is not None and self.merged > self.reported:
            self.reported = self.merged
            self.progress(self.reported, self.count)


class _Pool:
    """Threads that wait on a queue; they are daemons, so that the interpreter can exit."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # reentrant, as a finalizer may call the engine
        self.calls: SimpleQueue[tuple[Context, Callable[[], Any]]] = SimpleQueue()
        self.size = 0
        self.posted = array("q", [0])  # the number of calls
        self.awake = 0  # the number of threads that wait awake

    def call(self, context: Context, function: Callable[[], Any], size: int) -> None:
        """Have one of `size` threads call a function in this context (of np.errstate, say)."""
        with self.lock, suppress(RuntimeError):  # no thread can be started: others do its work
            while self.size < size:
                threading.Thread(target=self.serve, name="statfast", daemon=True).start()
                self.size += 1
        self.calls.put((context, function))
        with self.lock:
            self.posted[0] += 1

    def awaken(self, change: int) -> None:
        with self.lock:
            self.awake += change

    def serve(self) -> None:
        while True:
            seen = self.posted[0]
            if self.calls.empty():
                self.awaken(1)
                wait_awake(self.posted, seen, AWAKE_SECONDS)
                self.awaken(-1)
            context, function = self.calls.get()
            context.run(function)
            del context, function  # a waiting thread must not keep arrays alive


_pool = _Pool()


def _forget() -> None:
    global _pool
    _pool, _here.task = _Pool(), None


if hasattr(os, "register_at_fork"):  # a child has no threads, but may have locks
    os.register_at_fork(after_in_child=_forget)

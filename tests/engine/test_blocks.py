# SPDX-License-Identifier: BSD-3-Clause
"""The engine: the same answer for any number of threads, in order, and nothing left behind."""

import multiprocessing
import os
import subprocess
import sys
import threading
import time
import tracemalloc
import weakref
from math import inf
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._engine import blocks as _blocks
from statfast._engine.blocks import (
    Chunks,
    checkpoint,
    each,
    grid,
    reduce,
    set_progress,
    usable_threads,
)

THREADS = (1, 2, 7)
LONG = 20  # seconds no test should ever wait; reached only by one that fails


def meeting(threads):
    """A barrier for tasks that must run in as many threads at once."""
    return threading.Barrier(threads, timeout=LONG)


def rows_in(rows, block):
    return list(range(rows.start, rows.stop))


def joined(a, b):
    return a + b


# ---------------------------------------------------------------- the grid


@given(
    n=st.integers(0, 300_000),
    least=st.integers(1, 500),
    extra=st.integers(0, 20_000),
    parts=st.integers(1, 100),
)
def test_grid_covers_every_row_once(n, least, extra, parts):
    blocks = grid(n, least, least + extra, parts)
    edges = [0] + [block.stop for block in blocks]
    assert edges[-1] == n
    assert [block.start for block in blocks] == edges[:-1]
    sizes = np.diff(edges)
    assert (sizes > 0).all()
    assert (sizes[:-1] >= least).all()
    assert (sizes < least + extra + 64).all()
    assert (sizes[:-1] % 64 == 0).all()
    assert len(set(sizes[:-1])) <= 1


def test_grid_has_about_as_many_parts_as_asked():
    assert len(grid(64 * 1024)) == 64
    assert len(grid(64 * 16384 * 3)) == 64 * 3  # blocks never grow beyond `most`
    assert grid(256) == [slice(0, 256)]
    assert len(grid(257)) == 2


@pytest.mark.parametrize("threads", THREADS)
def test_reduce_uses_the_grid_whatever_the_threads(threads):
    X = np.zeros((5000, 1))
    seen = reduce(lambda rows, block: [rows], X, merge=joined, n_jobs=threads)
    assert seen == grid(5000)


# ---------------------------------------------------------------- order and bits


@pytest.mark.parametrize("threads", THREADS)
def test_each_keeps_the_order_of_the_tasks(threads):
    waits = [Random(3).choice((0, 0, 0.002)) for _ in range(60)]

    def work(task):
        time.sleep(waits[task])
        return task * task

    assert each(work, range(60), n_jobs=threads) == [i * i for i in range(60)]
    assert each(work, [], n_jobs=threads) == []


@pytest.mark.parametrize("threads", THREADS)
def test_results_merge_in_block_order(threads):
    random = Random(threads)
    waits = [random.choice((0, 0, 0.001, 0.004)) for _ in range(64)]

    def partial(rows, block):
        time.sleep(waits[rows.start // 256])
        return rows_in(rows, block)

    X = np.zeros((64 * 256, 1))
    assert reduce(partial, X, merge=joined, n_jobs=threads) == list(range(len(X)))


def test_same_bits_for_any_number_of_threads():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30_000, 3)) * 10.0 ** rng.integers(-12, 12, (30_000, 1))

    def total(rows, threads):
        return reduce(
            lambda rows, block: block.sum(axis=0), rows, merge=np.add, n_jobs=threads
        ).tobytes()

    assert len({total(X, threads) for threads in THREADS for _ in range(5)}) == 1
    chunks = Chunks([X[:7000], X[7000:7001], X[7001:]])
    assert len({total(chunks, threads) for threads in THREADS for _ in range(5)}) == 1
    # Here the order of the blocks does show in the bits, so the above can fail.
    backwards = [X[rows].sum(axis=0) for rows in reversed(grid(len(X)))]
    assert sum(backwards[1:], backwards[0]).tobytes() != total(X, 1)


@given(n=st.integers(1, 3000), threads=st.sampled_from(THREADS), data=st.data())
def test_results_for_rows_go_where_the_rows_are(n, threads, data):
    least = data.draw(st.integers(1, 300))
    X = np.arange(2.0 * n).reshape(n, 2)
    weights, out = np.arange(float(n)), np.full(n, -1.0)

    def partial(rows, block, w, nothing, column):
        assert nothing is None
        column[:] = w  # the blocks of a contiguous array are views
        out[rows] = block[:, 1] + w
        return len(block)

    column = np.zeros(n)
    count = reduce(
        partial, X, weights, None, column, merge=int.__add__, n_jobs=threads, least=least
    )
    assert count == n
    np.testing.assert_array_equal(out, X[:, 1] + weights)
    np.testing.assert_array_equal(column, weights)


def test_helpers_take_part():
    three = meeting(3)

    def work(task):
        three.wait()
        return threading.get_ident()

    threads = each(work, range(3), n_jobs=3)
    assert len(set(threads)) == 3
    assert threading.get_ident() in threads


def test_merging_in_any_thread_is_one_at_a_time():
    busy = threading.Lock()

    def merge(a, b):
        assert busy.acquire(blocking=False)
        time.sleep(0.0005)
        busy.release()
        return a + b

    X = np.ones((64 * 256, 1))
    assert reduce(lambda rows, block: len(block), X, merge=merge, n_jobs=4) == len(X)


def test_few_results_wait_to_be_merged():
    full, started = threading.Event(), []

    def partial(rows, block):
        started.append(rows.start // 256)
        if len(started) == 2 * 3:
            full.set()
        if rows.start == 0:
            assert full.wait(LONG)
            time.sleep(0.05)  # time enough to start another
            assert len(started) == 2 * 3
        return 0

    reduce(partial, np.zeros((64 * 256, 1)), merge=max, n_jobs=3)
    assert len(started) == 64


def test_small_calls_stay_in_the_thread_of_the_caller():
    here = threading.get_ident()
    ran = each(lambda _: (time.sleep(0.001), threading.get_ident())[1], range(20), effort=1e3)
    assert set(ran) == {here}
    ran = each(lambda _: threading.get_ident(), range(20), effort=1e3, n_jobs=7)
    assert set(ran) == {here}


def test_calls_that_are_not_quite_so_small_are_shared_with_a_thread_that_is_awake(monkeypatch):
    monkeypatch.setattr(_blocks, "_pool", _blocks._Pool())

    def ran():
        tasks = range(20)
        return each(
            lambda _: (time.sleep(0.001), threading.get_ident())[1], tasks, effort=2e6, n_jobs=2
        )

    assert set(ran()) == {threading.get_ident()}
    _blocks._pool.awake = 1
    assert len(set(ran())) == 2


# ---------------------------------------------------------------- blocks of arrays


@pytest.mark.parametrize(
    "X",
    [
        np.asfortranarray(np.arange(6000.0).reshape(1500, 4)),
        np.arange(12000.0).reshape(1500, 8)[:, ::2],
        np.arange(6000.0).reshape(1500, 4)[::-1],
        np.arange(6000, dtype=np.uint8).reshape(1500, 4),
    ],
    ids=["fortran", "strided", "reversed", "bytes"],
)
def test_blocks_are_contiguous_and_equal(X):
    def partial(rows, block, first):
        assert block.flags.c_contiguous
        assert first.flags.c_contiguous
        assert block.dtype == X.dtype
        return [(block.copy(), first.copy())]

    parts = reduce(partial, X, X[:, 0], merge=joined, n_jobs=2)
    np.testing.assert_array_equal(np.concatenate([block for block, _ in parts]), X)
    np.testing.assert_array_equal(np.concatenate([first for _, first in parts]), X[:, 0])


def test_a_memory_map_is_not_copied(tmp_path):
    X = np.memmap(tmp_path / "rows", np.float64, "w+", shape=(20_000, 4))
    X[:] = np.arange(80_000.0).reshape(20_000, 4)
    tracemalloc.start()
    try:
        shared = reduce(
            lambda rows, block: np.shares_memory(block, X) and type(block) is np.ndarray,
            X,
            merge=bool.__and__,
            n_jobs=2,
        )
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert shared
    assert peak < X.nbytes / 4


def test_only_blocks_are_copied_of_other_layouts():
    X = np.asfortranarray(np.ones((50_000, 8)))
    tracemalloc.start()
    try:
        total = reduce(lambda rows, block: block.sum(), X, merge=np.add, n_jobs=2)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert total == X.size
    assert peak < X.nbytes / 4


@pytest.mark.parametrize("rows", [99, 101])
def test_aligned_arrays_must_be_as_long(rows):
    X = np.zeros((100, 2))
    for source in (X, Chunks([X[:40], X[40:]])):
        with pytest.raises(ValueError, match=rf"each of \[{rows}\]"):
            reduce(lambda rows, *blocks: 0, source, np.zeros(rows), merge=max)


# ---------------------------------------------------------------- chunks


def pieces():
    return (np.full((m, 2), float(m)) for m in (300, 1, 0, 700))


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("source", [lambda: list(pieces()), lambda: pieces], ids=["list", "make"])
def test_chunks_are_read_again_for_each_pass(source, threads):
    X, weights = Chunks(source()), np.arange(1001.0)
    assert X.shape is None

    def partial(rows, block, w):
        np.testing.assert_array_equal(w, weights[rows])
        return block[:, 0].tolist()

    for _ in range(3):
        values = reduce(partial, X, weights, merge=joined, n_jobs=threads)
        assert values == [300.0] * 300 + [1.0] + [700.0] * 700
        assert X.shape == (1001, 2)
        assert X.dtype == np.float64


def test_chunks_of_an_iterator_can_be_read_once():
    X = Chunks(pieces())
    assert reduce(lambda rows, block: len(block), X, merge=int.__add__) == 1001
    with pytest.raises(ValueError, match="can be read once"):
        reduce(lambda rows, block: len(block), X, merge=int.__add__)


def test_an_exhausted_iterator_is_not_taken_for_no_rows():
    once = pieces()
    X = Chunks(lambda: once)
    list(X)
    with pytest.raises(ValueError, match="0 sample"):
        list(X)


@pytest.mark.parametrize("threads", [1, 4])
def test_chunks_are_read_in_the_thread_of_the_caller(threads):
    readers = set()

    def make():
        for _ in range(20):
            readers.add(threading.get_ident())
            yield np.ones((600, 2))

    total = reduce(lambda rows, x: x.sum(), Chunks(make), merge=np.add, n_jobs=threads)
    assert total == 20 * 600 * 2
    assert readers == {threading.get_ident()}


@pytest.mark.parametrize("threads", THREADS)
def test_at_most_three_chunks_are_held(threads):
    alive, most = [], 0

    def make():
        nonlocal most
        for _ in range(12):
            chunk = np.ones((64 * 256, 1))
            alive[:] = [ref for ref in alive if ref() is not None] + [weakref.ref(chunk)]
            most = max(most, len(alive))
            yield chunk
            del chunk

    def partial(rows, block):
        time.sleep(0.0001)
        return block.sum()

    assert reduce(partial, Chunks(make), merge=np.add, n_jobs=threads) == 12 * 64 * 256
    assert most <= 3


def test_helpers_work_while_a_chunk_is_read():
    at_work = threading.Event()

    def make():
        yield np.ones((256, 1))
        assert at_work.wait(LONG)
        yield np.ones((256, 1))

    def partial(rows, block):
        at_work.set()
        return len(block)

    assert reduce(partial, Chunks(make), merge=int.__add__, n_jobs=2) == 512


@pytest.mark.parametrize(
    ("chunk", "dtype"),
    [
        ([[1, 2], [3, 4]], np.float64),
        (np.ones((3, 2), np.int16), np.float64),
        (np.ones((3, 2), np.float32), np.float32),
        (np.ones((3, 2), np.uint8), np.uint8),
    ],
)
def test_dtype_of_chunks(chunk, dtype):
    X = Chunks([chunk, chunk])
    assert [block.dtype for block in X] == [dtype, dtype]
    assert X.dtype == dtype


@pytest.mark.parametrize(
    ("chunks", "words"),
    [
        ([np.ones((3, 2)), np.ones((3, 3))], "chunk 1 of X has columns"),
        ([np.ones((3, 2)), np.ones((3, 2), np.float32)], "float32"),
        ([np.ones((3, 2)), np.array([[0, np.nan]])], "chunk 1 of X contains NaN.*row 0, column 1"),
        ([np.ones(3)], "Expected 2D array"),
        ([np.ones((3, 2)) * 1j], "[Cc]omplex"),
        ([], r"0 sample\(s\)"),
        ([np.ones((0, 2))], r"0 sample\(s\)"),
    ],
)
def test_bad_chunks(chunks, words):
    for threads in (1, 2):
        X = Chunks(chunks)
        with pytest.raises(ValueError, match=words):
            reduce(lambda rows, block: 0, X, merge=max, n_jobs=threads)
        assert X.shape is None


def test_chunks_must_stay_the_same():
    lengths = iter([(5, 5), (5, 6)])
    X = Chunks(lambda: [np.ones((m, 1)) for m in next(lengths)])
    list(X)
    with pytest.raises(ValueError, match=r"\(10, 1\).*\(11, 1\)"):
        list(X)


def test_chunks_of_nothing():
    with pytest.raises(TypeError, match=r"make.*5"):
        Chunks(5)


# ---------------------------------------------------------------- failure


@pytest.mark.parametrize("threads", THREADS)
def test_the_first_failing_task_is_the_one_raised(threads):
    started, later = [], threading.Event()

    def work(task):
        started.append(task)
        if task == 3:
            later.wait(0.2)  # let a later one fail before
            raise ValueError("three")
        if task >= 4:
            later.set()
            raise KeyError(task)
        return task

    for _ in range(5):
        started.clear()
        later.clear()
        with pytest.raises(ValueError, match="three"):
            each(work, range(1000), n_jobs=threads)
        assert len(started) <= 3 + threads + 1
    assert each(lambda task: task, range(50), n_jobs=threads) == list(range(50))


@pytest.mark.parametrize("threads", THREADS)
def test_a_failing_merge_comes_before_later_failures(threads):
    def partial(rows, block):
        if rows.start > 4 * 256:
            raise KeyError("later")
        time.sleep(0.002)
        return rows.start

    def merge(a, b):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        reduce(partial, np.zeros((64 * 256, 1)), merge=merge, n_jobs=threads)


def test_tasks_after_a_failed_one_leave_at_a_checkpoint():
    two, left = meeting(2), []

    def work(task):
        two.wait()
        if task == 0:
            raise ValueError("zero")
        stop = time.monotonic() + LONG
        try:
            while time.monotonic() < stop:
                checkpoint()
                time.sleep(0.001)
        except Exception:  # must not catch what ends the task
            left.append("caught")
        finally:
            left.append("left")
        pytest.fail("the task was not stopped")

    for _ in range(10):
        left.clear()
        with pytest.raises(ValueError, match="zero"):
            each(work, range(2), n_jobs=2)
        assert left == ["left"]


def test_tasks_before_a_failed_one_go_on():
    two, failed = meeting(2), threading.Event()

    def work(task):
        two.wait()
        if task == 1:
            failed.set()
            raise ValueError("one")
        failed.wait(LONG)
        time.sleep(0.02)
        checkpoint()
        raise ValueError("zero")

    for _ in range(10):
        failed.clear()
        with pytest.raises(ValueError, match="zero"):
            each(work, range(2), n_jobs=2)


@pytest.mark.parametrize("threads", THREADS)
def test_a_failing_reader_stops_the_call(threads):
    def make():
        yield np.ones((1000, 2))
        raise OSError("disk")

    inside = []

    def partial(rows, block):
        inside.append(1)
        time.sleep(0.001)
        inside.pop()
        return 0

    with pytest.raises(OSError, match="disk"):
        reduce(partial, Chunks(make), merge=max, n_jobs=threads)
    assert inside == []


def test_exit_of_a_task_reaches_the_caller():
    two = meeting(2)

    def work(task):
        two.wait()
        if threading.current_thread() is not threading.main_thread():
            raise SystemExit(7)

    with pytest.raises(SystemExit):
        each(work, range(2), n_jobs=2)
    assert each(str, range(9), n_jobs=2) == list("012345678")


def test_nothing_of_the_call_is_kept():
    def failing(rows, block):
        if rows.start:
            raise ValueError("stop")

    for partial in (lambda rows, block: block.sum(), failing):
        X = np.ones((5000, 3))
        gone = weakref.ref(X)
        try:
            reduce(partial, X, merge=np.add, n_jobs=3)
        except ValueError:
            assert partial is failing
        del X
        stop = time.monotonic() + LONG
        while gone() is not None and time.monotonic() < stop:
            time.sleep(0.001)  # a helper that came too late may still be on its way out
        assert gone() is None


def test_without_threads_to_be_had_the_caller_does_it_all(monkeypatch):
    def start(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    monkeypatch.setattr(_blocks, "_pool", _blocks._Pool())
    assert each(lambda task: -task, range(30), n_jobs=5) == [-task for task in range(30)]


# ---------------------------------------------------------------- interrupts and exit

SCRIPT = """
import os, signal, sys, threading, time
import numpy as np
from statfast._engine.blocks import Chunks, checkpoint, each, reduce

began, ended = [], []

def interrupt():
    if os.name == "posix":
        os.kill(os.getpid(), signal.SIGINT)  # to the process
    else:
        signal.raise_signal(signal.SIGINT)

def many(task):
    began.append(task)
    if task == 20:
        interrupt()
    time.sleep(0.005)
    ended.append(task)

def one_waits(task):
    began.append(task)
    both.wait()
    if threading.current_thread() is threading.main_thread():
        ended.append(task)
        return
    time.sleep(0.05)  # the caller is waiting by now
    interrupt()
    try:
        stop = time.monotonic() + 20
        while time.monotonic() < stop:
            checkpoint()
            time.sleep(0.005)
        raise AssertionError("not stopped")
    finally:
        ended.append(task)

def slow_reader():
    yield np.ones((1000, 1))
    interrupt()
    time.sleep(20)
    yield np.ones((1000, 1))

def sums(rows, block):
    began.append(rows)
    time.sleep(0.005)
    ended.append(rows)
    return block.sum()

both = threading.Barrier(2, timeout=20)
calls = {
    "serial": lambda: each(many, range(4000), n_jobs=1),
    "parallel": lambda: each(many, range(4000), n_jobs=3),
    "waiting": lambda: each(one_waits, range(2), n_jobs=2),
    "reading": lambda: reduce(sums, Chunks(slow_reader), merge=np.add, n_jobs=2),
}
for _ in range(3):
    began.clear()
    ended.clear()
    try:
        calls[sys.argv[1]]()
    except KeyboardInterrupt:
        started, done = len(began), len(ended)
    else:
        sys.exit("not interrupted")
    time.sleep(0.05)
    assert len(began) == started < 100, "tasks went on"
    assert len(ended) == done, "a task was still at work"
    assert started - done <= 1, "only the caller's own task may be cut short"
    assert each(abs, range(-99, 0), n_jobs=3) == list(range(99, 0, -1)), "the pool is broken"
    pair = threading.Barrier(2, timeout=20)
    each(lambda task: pair.wait(), range(2), n_jobs=2)
print("healthy")
"""


def run_script(code, *args):
    return subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, text=True, timeout=6 * LONG
    )


@pytest.mark.once
@pytest.mark.parametrize("call", ["serial", "parallel", "waiting", "reading"])
def test_interrupt(call):
    done = run_script(SCRIPT, call)
    assert done.stdout == "healthy\n", done.stderr


def test_idle_threads_let_the_interpreter_exit():
    code = "from statfast._engine.blocks import each; print(each(abs, range(9), n_jobs=4))"
    done = run_script(code)
    assert (done.returncode, done.stderr) == (0, "")


# ---------------------------------------------------------------- processes, threads and nesting


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_threads_of_its_own():
    two = meeting(2)
    each(lambda task: two.wait(), range(2), n_jobs=2)  # the parent's pool is up
    child = os.fork()
    if child == 0:
        status = 1
        try:
            pair = meeting(2)

            def partial(rows, block):
                if rows.start < 512:
                    pair.wait()
                return block.sum()

            X = np.ones((4096, 2))
            status = 0 if reduce(partial, X, merge=np.add, n_jobs=2) == 8192 else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    each(lambda task: two.wait(), range(2), n_jobs=2)  # and the parent's own is unharmed


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_forked_inside_a_task_is_not_inside_it():
    def work(task):
        child = os.fork()
        if child == 0:
            os._exit(usable_threads(3))
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    assert each(work, range(2), n_jobs=2) == [3, 3]


def test_children_of_multiprocessing_use_one_thread(monkeypatch):
    monkeypatch.delenv("STATFAST_NUM_THREADS", raising=False)
    monkeypatch.setattr(_blocks, "_cores", lambda: 5)
    assert usable_threads() == 5
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(usable_threads) == 1
        assert pool.apply(usable_threads, (3,)) == 3


def test_other_threads_use_one_thread(monkeypatch):
    monkeypatch.delenv("STATFAST_NUM_THREADS", raising=False)
    monkeypatch.setattr(_blocks, "_cores", lambda: 5)
    assert in_thread(usable_threads) == 1
    assert in_thread(lambda: usable_threads(3)) == 3
    assert in_thread(lambda: usable_threads(-1)) == 5
    monkeypatch.setenv("STATFAST_NUM_THREADS", "4")
    assert in_thread(usable_threads) == 4


def in_thread(function):
    result = []
    thread = threading.Thread(target=lambda: result.append(function()))
    thread.start()
    thread.join(LONG)
    return result[0]


@pytest.mark.parametrize("threads", [2, 3])
def test_a_task_is_not_divided_again(monkeypatch, threads):
    monkeypatch.setenv("STATFAST_NUM_THREADS", "4")
    together = meeting(threads)

    def inner(_):
        return threading.get_ident()

    def outer(_):
        together.wait()
        here = threading.get_ident()
        return usable_threads(), usable_threads(9), set(each(inner, range(50), n_jobs=4)) == {here}

    assert each(outer, range(threads), n_jobs=threads) == [(1, 1, True)] * threads
    assert usable_threads() == 4


def test_two_threads_may_call_at_once():
    X = np.random.default_rng(1).standard_normal((20_000, 2))
    expected = reduce(lambda rows, block: block.sum(axis=0), X, merge=np.add, n_jobs=1).tobytes()
    results, ready = [], meeting(4)

    def caller(threads):
        ready.wait()
        for _ in range(30):
            total = reduce(lambda rows, x: x.sum(axis=0), X, merge=np.add, n_jobs=threads)
            results.append(total.tobytes())

    callers = [threading.Thread(target=caller, args=(1 + i,)) for i in range(4)]
    for thread in callers:
        thread.start()
    for thread in callers:
        thread.join(6 * LONG)
    assert results == [expected] * 120


def test_helpers_work_in_the_context_of_the_caller():
    two = meeting(2)

    def work(_):
        two.wait()
        return np.geterr()["over"]

    with np.errstate(over="raise"):
        assert each(work, range(2), n_jobs=2) == ["raise", "raise"]
    assert each(work, range(2), n_jobs=2) == ["warn", "warn"]


# ---------------------------------------------------------------- how many threads


def test_n_jobs(monkeypatch):
    monkeypatch.setattr(_blocks, "_cores", lambda: 4)
    monkeypatch.delenv("STATFAST_NUM_THREADS", raising=False)
    asked = [None, 1, 2, 7, np.int64(3), -1, -2, -4, -9]
    assert [usable_threads(n) for n in asked] == [4, 1, 2, 7, 3, 4, 3, 1, 1]


def test_no_more_threads_than_can_help(monkeypatch):
    for cores, most in ((1, 16), (4, 16), (24, 96)):
        monkeypatch.setattr(_blocks, "_cores", lambda cores=cores: cores)
        assert [usable_threads(n) for n in (most, most + 1, 3000, 10**30)] == [most] * 4
        assert usable_threads(-1) == cores


def test_environment_variable(monkeypatch):
    monkeypatch.setattr(_blocks, "_cores", lambda: 4)
    for value, threads in {"3": 3, "-1": 4, " ": None, "": 4, "two": None, "0": None}.items():
        monkeypatch.setenv("STATFAST_NUM_THREADS", value)
        assert usable_threads(2) == 2
        if threads:
            assert usable_threads() == threads
        else:
            with pytest.raises(ValueError, match="STATFAST_NUM_THREADS must be"):
                usable_threads()


@pytest.mark.parametrize("bad", [0, True, False, 2.0, 1.5, "all", [2], "-"])
def test_bad_n_jobs(bad):
    with pytest.raises(ValueError, match="n_jobs must be"):
        usable_threads(bad)
    with pytest.raises(ValueError, match="n_jobs must be"):
        each(abs, [1], n_jobs=bad, effort=1.0)  # however small the call


@pytest.mark.parametrize(
    ("groups", "files", "expected"),
    [
        ("0::/\n", {"cpu.max": "max 100000\n"}, inf),
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 1.5),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000", "a/cpu.max": "200000 100000"}, 2.0),
        ("0::/a/b\n", {"a/b/cpu.max": "50000 100000", "a/cpu.max": "200000 100000"}, 0.5),
        ("0::/of/the/host\n", {"cpu.max": "300000 100000"}, 3.0),
        (
            "5:cpuset:/\n4:cpu,cpuacct:/docker/x\n0::/\n",
            {"cpu/cpu.cfs_quota_us": "250000\n", "cpu/cpu.cfs_period_us": "100000\n"},
            2.5,
        ),
        (
            "2:cpuacct:/\n1:cpu:/\n",
            {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"},
            inf,
        ),
        ("1:cpu:/\n0::/\n", {}, inf),
        ("1:name=systemd:/a:b\n", {"cpu.max": "100000 100000"}, inf),
        (None, {"cpu.max": "100000 100000"}, inf),
    ],
)
def test_quota_of_control_groups(tmp_path, groups, files, expected):
    if groups is not None:
        (tmp_path / "groups").write_text(groups)
    for name, text in files.items():
        path = tmp_path / "mount" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert _blocks._quota(tmp_path / "groups", tmp_path / "mount") == expected


@pytest.mark.parametrize(("quota", "cores"), [(inf, 6), (2.5, 3), (0.2, 1), (9.0, 6)])
def test_cores_are_those_allowed_within_the_quota(monkeypatch, quota, cores):
    monkeypatch.setattr(_blocks, "_quota", lambda: quota)
    monkeypatch.setattr(os, "process_cpu_count", lambda: 6, raising=False)
    assert _blocks._cores() == cores


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs sched_setaffinity")
def test_cores_follow_the_affinity(monkeypatch):
    monkeypatch.setattr(_blocks, "_quota", lambda: inf)
    monkeypatch.delenv("PYTHON_CPU_COUNT", raising=False)
    all_of_them = os.sched_getaffinity(0)
    assert _blocks._cores() == len(all_of_them)
    os.sched_setaffinity(0, {min(all_of_them)})
    try:
        assert _blocks._cores() == 1
    finally:
        os.sched_setaffinity(0, all_of_them)


# ---------------------------------------------------------------- progress


@pytest.fixture
def reports():
    seen = []
    set_progress(lambda done, total: seen.append((done, total, threading.get_ident())))
    yield seen
    set_progress(None)


def assert_well_formed(seen, total):
    done, totals, threads = zip(*seen, strict=True)
    assert list(done) == sorted(set(done))
    assert done[-1] == total
    assert set(totals) == {total}
    assert set(threads) == {threading.get_ident()}


@pytest.mark.parametrize("threads", THREADS)
def test_progress_is_reported_to_the_caller(reports, threads):
    def work(task):
        time.sleep(0.0005)
        if threads > 1:  # where tasks run in several threads, what they call reports nothing
            each(abs, range(5), effort=1.0)

    each(work, range(40), n_jobs=threads)
    assert_well_formed(reports, 40)

    mine, before = [], len(reports)
    own = lambda done, total: mine.append((done, total, threading.get_ident()))  # noqa: E731
    X = np.zeros((5000, 1))
    reduce(lambda rows, block: 0, X, merge=max, n_jobs=threads, progress=own)
    assert_well_formed(mine, len(grid(5000)))
    assert len(reports) == before


@pytest.mark.parametrize("threads", THREADS)
def test_progress_of_chunks_has_a_total_from_the_second_pass(reports, threads):
    X = Chunks(pieces)
    for total in (None, 6):  # blocks of 300, 1 and 700 rows: 2 + 1 + 3
        reports.clear()
        reduce(lambda rows, block: 0, X, merge=max, n_jobs=threads)
        assert reports[-1][:2] == (6, total)


@pytest.mark.parametrize("threads", THREADS)
def test_a_hook_that_raises_stops_the_call(threads):
    started = []

    def hook(done, total):
        raise TimeoutError("enough")

    def work(task):
        started.append(task)
        time.sleep(0.002)

    with pytest.raises(TimeoutError, match="enough"):
        each(work, range(2000), n_jobs=threads, progress=hook)
    count = len(started)
    assert count < 1000
    time.sleep(0.01)
    assert len(started) == count


@pytest.mark.parametrize("hook", [b"x", 3, "print", []])
def test_a_hook_is_called(hook):
    with pytest.raises(TypeError, match="hook must be a function of two counts"):
        set_progress(hook)

# SPDX-License-Identifier: BSD-3-Clause
"""One library, one problem, one process: ``python -m benchmarks.harness.worker``, by run.py.

A process of its own keeps the libraries' thread pools and allocators apart, makes the peak memory
each one's own, and lets a crash be a line in the table. Pickles go in by stdin and out by stdout:
first a Job, then the commands "first" and "round"; every reply is a dict with a status.
"""

import contextlib
import importlib.util
import math
import os
import pickle
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROUND_SECONDS = 0.05  # A round repeats short work until it has taken this many seconds.
# A first call that takes less is timed again: its imports may take longer than its work.
SECONDS_OF_IMPORTS = 1.0
MAX_REPEATS = 20_000


class Job(NamedTuple):
    suite: str
    quick: bool
    problem: str
    library: str
    threads: int


def serve(commands, replies) -> None:
    """Reply to the job and to each command until there are no more."""

    def reply(message):
        pickle.dump(message, replies)
        replies.flush()

    job = pickle.load(commands)
    try:
        adapter = _prepare(job)
    except ModuleNotFoundError as error:
        # A missing module of an installed library is not a missing library.
        top = error.name.partition(".")[0]
        absent = importlib.util.find_spec(top) is None
        return reply({"status": "absent", "note": str(error)} if absent else _failed(error))
    except NotImplementedError as error:
        return reply({"status": "left out", "note": str(error)})
    except Exception as error:
        return reply(_failed(error))
    reply({"status": "ready"})
    repeats = 1
    with _limited(job.threads) as blas, contextlib.suppress(EOFError):
        while True:
            command = pickle.load(commands)
            try:
                if command == "first":
                    message, repeats = _first(adapter)
                    message["blas"] = blas
                else:
                    message = _round(adapter, repeats)
            except Exception as error:
                message = _failed(error)
            reply(message)


def _failed(error):
    return {"status": "failed", "note": f"{type(error).__name__}: {error}"}


def _prepare(job):
    from benchmarks.harness.registry import SUITES

    suite = SUITES[job.suite]
    problem = suite.named(job.problem, quick=job.quick)
    adapter = suite.adapter(job.library, problem)
    adapter.prepare(problem.data(), job.threads)
    return adapter


@contextlib.contextmanager
def _limited(threads):
    """Every BLAS and OpenMP pool in the process at `threads`; yields the BLAS core types."""
    try:
        import threadpoolctl
    except ModuleNotFoundError:
        yield []
        return
    with threadpoolctl.threadpool_limits(threads):
        pools = threadpoolctl.threadpool_info()
        yield sorted(
            {p["architecture"] for p in pools if p["user_api"] == "blas" and p.get("architecture")}
        )


def _first(adapter):
    """The run that is checked: its answer, its extra memory; then how often a round repeats it."""
    before = _reset_peak()
    once, answer = _timed(adapter)
    extra = max(0, _peak() - before)
    if once["total"] < SECONDS_OF_IMPORTS:
        # Timed without the lazy imports and thread pools of the first call.
        once, _ = _timed(adapter)
    repeats = math.ceil(ROUND_SECONDS / max(once["total"], 1e-7))
    if "seconds" in answer:  # The adapter has a clock of its own, and runs in a process of its own.
        repeats, extra = 1, None
    reply = {"status": "ok", "answer": answer, "extra_bytes": extra, "note": adapter.remark}
    return reply | once, min(repeats, MAX_REPEATS)


def _round(adapter, repeats):
    times = [_timed(adapter)[0] for _ in range(repeats)]
    parts = ("fit", "query", "total")
    means = {part: sum(timed[part] for timed in times) / repeats for part in parts}
    return {"status": "ok", "least": min(timed["total"] for timed in times)} | means


def _timed(adapter):
    start = time.perf_counter()
    adapter.fit()
    middle = time.perf_counter()
    answer = adapter.answer()
    end = time.perf_counter()
    total = float(answer.get("seconds", end - start))
    return {"fit": middle - start, "query": end - middle, "total": total}, answer


def _reset_peak():
    """Resident bytes now, which also become the peak so far (where the system allows it)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return _peak()


def _peak():
    """Highest resident bytes of the process."""
    try:
        status = Path("/proc/self/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    except (OSError, StopIteration):
        import resource  # Unix only

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # Output of a library must not be taken for a reply.
    serve(sys.stdin.buffer, out)

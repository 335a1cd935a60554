# SPDX-License-Identifier: BSD-3-Clause
"""Processes that carry out cases, with a time-out for each and a limit of memory.

A worker lives through many cases. One that dies, or takes too long, is a finding, and another takes
its place.
"""

import contextlib
import faulthandler
import importlib
import multiprocessing
import os
import signal
import tempfile
import time
import traceback
from multiprocessing.connection import wait
from pathlib import Path

CONTEXT = multiprocessing.get_context("fork")
ROOM = 4 << 30  # bytes a worker may take beyond what it has at its start
BATCH = 40  # seeds handed over at once
HOME = "tests.fuzz"


def serve(pipe, log, things, home):
    """The life of a worker: seeds come, reports go.

    `home` is the package whose ``cases.draw`` and ``judge.run`` are asked.
    """
    import resource

    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, signal.SIG_DFL)
    os.dup2(log.fileno(), 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.environ.setdefault("MPLBACKEND", "Agg")
    faulthandler.enable(log)
    faulthandler.register(signal.SIGUSR1, log, all_threads=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    draw = importlib.import_module(f"{home}.cases").draw
    run = importlib.import_module(f"{home}.judge").run
    with contextlib.suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        limit = pages * os.sysconf("SC_PAGE_SIZE") + ROOM
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for order, seed in iter(pipe.recv, None):
        case = draw(seed, things)
        answer = attempted(run, case) if order == "run" else getattr(case, order)
        pipe.send(answer)
        close_pictures()


def attempted(run, case):
    """A mistake of the fuzzer's own is told as one."""
    try:
        return run(case)
    except Exception:
        return "fuzzer", case.seed, traceback.format_exc()


def close_pictures():
    import sys

    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


class Worker:
    """A process, the seeds it is to do, and since when it has been at the first of them."""

    def __init__(self, things, home):
        self.things, self.home, self.seeds = things, home, []
        self.start()

    def start(self):
        self.log = tempfile.TemporaryFile()  # noqa: SIM115, closed with the worker
        self.pipe, theirs = CONTEXT.Pipe()
        self.process = CONTEXT.Process(
            target=serve, args=(theirs, self.log, self.things, self.home), daemon=True
        )
        self.process.start()
        theirs.close()
        self.since = time.monotonic()
        for seed in self.seeds:
            self.pipe.send(("run", seed))

    def give(self, seeds):
        self.seeds = list(seeds)
        self.since = time.monotonic()
        for seed in seeds:
            self.pipe.send(("run", seed))

    def take(self):
        """The report on the first seed; None if the worker died of it."""
        try:
            report = self.pipe.recv()
        except (EOFError, ConnectionError):
            return None
        self.seeds.pop(0)
        self.since = time.monotonic()
        return report

    def bury(self, *, ask=False):
        """End the process; the seed it died of or hung in, how it ended, and what it said last."""
        if ask:
            os.kill(self.process.pid, signal.SIGUSR1)
            time.sleep(0.3)
            self.process.kill()
        self.process.join()
        self.log.seek(0)
        said = self.log.read().decode("utf-8", "replace").split("Extension modules:")[0][-3000:]
        code = self.process.exitcode
        self.close()
        seed = self.seeds.pop(0)
        self.start()
        return seed, code, said

    def end(self):
        self.process.kill()
        self.process.join()
        self.close()

    def close(self):
        self.process.close()
        self.pipe.close()
        self.log.close()


def text_of(seed, things=None, *, name=False, home=HOME):
    """The text of a case, or its name, drawn in a process of its own."""
    worker = Worker(things, home)
    worker.pipe.send(("name" if name else "text", seed))
    try:
        return worker.pipe.recv() if worker.pipe.poll(60) else "(no text in a minute)"
    except EOFError:
        return "(died while drawing)"
    finally:
        worker.end()


def run_seeds(seeds, jobs, timeout, things=None, stop=None, home=HOME):
    """Yield a report for each seed, or (kind, seed, text) of a worker that died or hung."""
    seeds = iter(seeds)
    workers = [Worker(things, home) for _ in range(jobs)]
    try:
        yield from lead(workers, seeds, timeout, stop)
    finally:
        for worker in workers:
            worker.end()


def lead(workers, seeds, timeout, stop):
    while True:
        for worker in workers:
            if not worker.seeds and not (stop and stop()):
                worker.give([seed for seed, _ in zip(seeds, range(BATCH), strict=False)])
        busy = [worker for worker in workers if worker.seeds]
        if not busy:
            return
        ready = wait([worker.pipe for worker in busy], timeout=0.5)
        for worker in busy:
            if worker.pipe in ready:
                report = worker.take()
                if report is None:
                    seed, code, said = worker.bury()
                    report = "crash", seed, f"exit code {code}\n{said}"
                yield report
            elif time.monotonic() - worker.since > timeout:
                seed, _, said = worker.bury(ask=True)
                yield "hang", seed, f"no answer in {timeout:g} s\n{said}"

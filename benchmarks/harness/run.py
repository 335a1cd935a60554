# SPDX-License-Identifier: BSD-3-Clause
"""Race statfast against its peers: ``python -m benchmarks.harness.run SUITE [--quick]``.

Every library gets a process of its own with the same threads. Each first answers once, which is
checked; then come rounds, A B C A B C ..., so that a slower minute of the machine is everyone's.
"""

import argparse
import contextlib
import math
import os
import pickle
import statistics
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from benchmarks.harness import machine as limits
from benchmarks.harness import report, results
from benchmarks.harness.problem import HANG
from benchmarks.harness.registry import LIBRARIES, SUITES
from benchmarks.harness.suite import OURS, Suite
from benchmarks.harness.worker import Job

ROOT = Path(__file__).resolve().parents[2]
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "STATFAST_NUM_THREADS",
)
UNSET = "unset"  # OpenBLAS chooses its code by the processor.
# Seconds after which the idle threads of the last library, OpenBLAS's too, have stopped spinning.
SECONDS_OF_PAUSE = 0.2
SECONDS_FOR_ROUNDS = 20.0  # Seconds; a library that takes longer is run once.
MIN_SECONDS_ALLOWED = 4.0  # Seconds that a library always gets before it is ended as hopeless.
# A peer gets more than one round if it takes at most so many times as long as the fastest right
# one.
MAX_RATIO_FOR_ROUNDS = 2.5
SECONDS_OF_SHORT_RUN = 0.5  # Seconds; a run that takes less gets all rounds in any case.


class Racer:
    """A library's process, and the pipes to it."""

    def __init__(self, job: Job, environment):
        path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.harness.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**environment, "PYTHONPATH": path},
        )
        self._send(job)

    def _send(self, message):
        # Without the process there is no reply, which is reported.
        with contextlib.suppress(BrokenPipeError):
            pickle.dump(message, self.process.stdin)
            self.process.stdin.flush()

    def ask(self, command: str, limit: float = HANG) -> dict:
        time.sleep(SECONDS_OF_PAUSE)
        self._send(command)
        return self.reply(limit)

    def reply(self, limit: float = HANG) -> dict:
        late = threading.Event()
        alarm = threading.Timer(limit, lambda: (late.set(), self.process.kill()))
        alarm.start()
        try:
            return pickle.load(self.process.stdout)
        except (EOFError, pickle.UnpicklingError):
            if late.is_set():
                return {"status": "ended", "note": f"took more than {limit:.3g} s"}
            return {"status": "failed", "note": f"ended with exit code {self.process.wait()}"}
        finally:
            alarm.cancel()

    def stop(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def race(suite: Suite, problem, jobs: dict[str, Job], rounds: int, environments: dict) -> dict:
    """Every library's status, errors, times and memory on one problem.

    A library races in each of the environments, in a process for each; its better run counts.
    """
    try:
        check = suite.checker(problem, problem.data())
    except (ImportError, OSError, ValueError) as error:
        return {"skipped": f"{type(error).__name__}: {error}", "libraries": {}}
    racers, outcomes = {}, {}
    try:
        for setting, environment in environments.items():
            near = [name for name in jobs if _near(name, outcomes)]
            started = {(n, setting): Racer(jobs[n], environment) for n in near}
            racers |= started
            ready = {key: racer.reply() for key, racer in started.items()}
            for key, reply in ready.items():
                outcomes[key] = reply
                if reply["status"] == "ready":
                    reply = started[key].ask("first", _allowed(problem, key[0], outcomes))
                    outcomes[key] = _first(suite, problem, key[0], reply, check)
            for key in ready:
                if _goes_on(problem, outcomes[key]):
                    _add_round(outcomes[key], racers[key].ask("round"))
        for _ in range(rounds - 1):
            for key, entry in outcomes.items():
                if _goes_on(problem, entry) and _near(key[0], outcomes):
                    _add_round(entry, racers[key].ask("round"))
    finally:
        for racer in racers.values():
            racer.stop()
    for (_, setting), entry in outcomes.items():
        _summarize(entry)
        entry["coretype"] = setting
    return {"libraries": {name: _better(name, outcomes) for name in jobs}}


def _better(name, outcomes):
    """The library's entry of the setting with which it was right and fast."""
    rank = {"ok": 0, "differs": 1}
    entries = [entry for (library, _), entry in outcomes.items() if library == name]
    return min(entries, key=lambda e: (rank.get(e["status"], 2), e.get("median", 0.0)))


def _least(entry):
    """Seconds of the fastest run so far, the first one among them; infinity where there is none."""
    return min(
        [entry.get("first", math.inf), *(timed["total"] for timed in entry.get("rounds", ()))]
    )


def _fastest_peer(outcomes):
    """Seconds of the fastest peer that is right, infinity where there is none."""
    right = [e for (name, _), e in outcomes.items() if e["status"] == "ok" and name != OURS]
    return min(map(_least, right), default=math.inf)


def _near(name, outcomes):
    """Whether another setting, or another round, can make a library the fastest one."""
    runs = [_least(entry) for (library, _), entry in outcomes.items() if library == name]
    return (
        name == OURS
        or not runs
        or min(runs) <= max(SECONDS_OF_SHORT_RUN, MAX_RATIO_FOR_ROUNDS * _fastest_peer(outcomes))
    )


def _allowed(problem, name, outcomes):
    """Seconds for a library's first run: a peer far behind another one that is right is ended."""
    peer = _fastest_peer(outcomes)
    if name == OURS or peer == math.inf:
        return problem.limit
    return min(problem.limit, max(MIN_SECONDS_ALLOWED, problem.hopeless * peer))


def _goes_on(problem, entry):
    """Whether another round is due: not of what failed, takes minutes, or has had its share."""
    if entry["status"] not in ("ok", "differs") or entry["first"] >= SECONDS_FOR_ROUNDS:
        return False
    return entry["first"] + sum(timed["total"] for timed in entry["rounds"]) < problem.budget


def _first(suite, problem, name, reply, check):
    """The entry of a library after its checked run; ours is not timed unless it is right."""
    if reply["status"] != "ok":
        return reply
    library, answer, ours = suite.libraries[name], reply.pop("answer"), name == OURS
    errors = {} if library.rate else check(answer)
    right = library.rate or suite.verdict(problem, errors, ours=ours)
    reply["status"] = "ok" if right else "wrong" if ours else "differs"
    if library.not_a_peer:
        reply["note"] = ", ".join(filter(None, (reply["note"], library.not_a_peer)))
    parts = {part: reply.pop(part) for part in ("fit", "query", "total")}
    return reply | {"errors": errors, "first": parts["total"], "rounds": []}


def _add_round(entry, reply):
    if reply.pop("status") == "ok":
        entry["rounds"].append(reply)
    else:
        entry |= {"status": "failed", "note": reply["note"]}


def _summarize(entry):
    """Median and least of the rounds; of the one run there is where it took too long."""
    if entry["status"] not in ("ok", "differs"):
        entry.pop("rounds", None)
        return
    rounds = entry["rounds"] or [{"total": entry["first"], "least": entry["first"]}]
    totals = [timed["total"] for timed in rounds]
    entry |= {"median": statistics.median(totals), "min": min(timed["least"] for timed in rounds)}
    if entry["rounds"]:
        entry["fit"] = statistics.median(timed["fit"] for timed in rounds)
        entry["query"] = statistics.median(timed["query"] for timed in rounds)
    entry["rounds"] = len(totals)


def run(suite: Suite, options, keep=None) -> dict:
    """The document of a run; ``keep`` is called with it after every problem."""
    threads = suite.threads or options.threads
    environments = {setting: environment_of(threads, setting) for setting in options.coretype}
    earlier = results.medians(results.path_of(suite.name))
    packages = sorted(suite.packages() | {"numpy", "scipy"})
    document = {
        "suite": suite.name,
        "quick": options.quick,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "threads": threads,
        "rounds": options.rounds,
        "openblas_coretype": ", ".join(environments),
        "machine": limits.machine(),
        "versions": limits.versions(packages),
        "limits": limits.measure(threads, quick=options.quick),
        "problems": [],
    }
    if suite.sizes:
        document["sizes"] = limits.sizes(packages, _wheel())
    for problem in suite.find(quick=options.quick):
        if not any(text in problem.name for text in options.only):
            continue
        names = suite.entrants(problem)
        names = [n for n in names if not options.libraries or n in options.libraries]
        names.sort(key=lambda name: _turn(name, earlier.get((problem.name, name))))
        caches = document["machine"]["caches"]
        row = results.about(problem)
        row["limit_seconds"] = limits.least_seconds(problem, document["limits"], caches)
        jobs = {n: Job(suite.name, options.quick, problem.name, n, threads) for n in names}
        row |= race(suite, problem, jobs, options.rounds, environments)
        document["problems"].append(results.compare(row, suite))
        print(report.lines(row), flush=True)
        if keep:
            keep(document)
    document["geometric_means"] = results.geometric_means(document["problems"])
    return document


def _turn(name, earlier):
    """Ours, then peers by their earlier times: a slow one can be ended by what is known by then."""
    return (name != OURS, math.inf if earlier is None else earlier)


def environment_of(threads, coretype):
    """The racers' environment: libraries read these when they are loaded."""
    environment = dict(os.environ) | {variable: str(threads) for variable in THREAD_VARIABLES}
    if coretype == UNSET:
        for variable in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
            environment.pop(variable, None)
    else:
        environment["OPENBLAS_CORETYPE"] = coretype
    return environment


def commit():
    command = ["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _wheel():
    wheels = [path for folder in ("wheelhouse", "dist") for path in (ROOT / folder).glob("*.whl")]
    return max(wheels, key=lambda path: path.stat().st_mtime, default=None)


def _arguments(arguments):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.harness.run", description=__doc__)
    parser.add_argument("suite", nargs="+", choices=SUITES, metavar="SUITE", help=", ".join(SUITES))
    parser.add_argument("--list", action="store_true", help="print the problems' names, run none")
    parser.add_argument("--quick", action="store_true", help="small shapes, three rounds")
    parser.add_argument("--out", type=Path, help="the file (default: in benchmarks/results)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, help="timed rounds (default: 7, quick 3)")
    parser.add_argument(
        "--coretype",
        nargs="+",
        default=list(dict.fromkeys([UNSET, os.environ.get("OPENBLAS_CORETYPE", UNSET)])),
        help=f"values of OPENBLAS_CORETYPE: each library runs with each, and its better run "
        f"counts; {UNSET!r} is none (default: none, and that of the environment)",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        default=[""],
        metavar="TEXT",
        help="only problems whose name contains one of these",
    )
    parser.add_argument(
        "--libraries",
        nargs="+",
        choices=LIBRARIES,
        metavar="LIBRARY",
        help=f"only these of {', '.join(LIBRARIES)}",
    )
    parser.add_argument(
        "--add", action="store_true", help="keep the file's results of other problems"
    )
    options = parser.parse_args(arguments)
    if options.out and len(options.suite) > 1:
        parser.error("--out takes the results of one suite")
    if options.threads < 1:
        parser.error("--threads must be at least 1")
    options.rounds = options.rounds or (3 if options.quick else 7)
    return options


def main(arguments=None) -> None:
    options = _arguments(arguments)
    for suite in (SUITES[name] for name in options.suite):
        if options.list:
            print(*(problem.name for problem in suite.find(quick=options.quick)), sep="\n")
            continue
        out = options.out
        whole = not (options.quick or any(options.only) or options.libraries)
        # The results of a part of the problems are written only if that is asked for.
        if out is None and (whole or options.add):
            out = results.path_of(suite.name)
        document = run(suite, options, partial(_keep, out, options.add) if out else None)
        print(report.table(document))
        if out:
            print(f"written to {out}")


def _keep(out, add, document):
    """Write what there is: a run that is cut off keeps what it has measured."""
    results.write(results.merged(document, out) if add else document, out)


if __name__ == "__main__":
    main()

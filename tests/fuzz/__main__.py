# SPDX-License-Identifier: BSD-3-Clause
"""``python -m tests.fuzz``: run cases by their seeds, count what comes of them, show defects."""

import argparse
import os
import sys
import time
from collections import Counter, defaultdict

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(_name, "1")  # before numpy is loaded


def arguments(argv):
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--calls", type=int, help="end after so many calls (default 2000)")
    parser.add_argument("--minutes", type=float, help="end after so many minutes")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--only", type=int, help="show the case of this seed, and run it alone")
    parser.add_argument("--jobs", type=int, help="workers (default: usable cores)")
    parser.add_argument("--timeout", type=float, default=20.0, help="seconds that a case may take")
    parser.add_argument(
        "--things", help="module:function that gives what to call in place of statfast"
    )
    parsed = parser.parse_args(argv)
    if parsed.calls is None and parsed.minutes is None:
        parsed.calls = 2000
    return parsed


def main(argv=None):
    options = arguments(argv)
    from tests.fuzz import cases, judge, workers  # noqa: F401, once for all workers

    if options.only is not None:
        print(workers.text_of(options.only, options.things), flush=True)
        seeds = range(options.only, options.only + 1)
    else:
        seeds = range(options.seed, sys.maxsize)
    total, causes, began = Totals(), defaultdict(list), time.monotonic()

    def done():
        late = options.minutes and time.monotonic() - began > 60 * options.minutes
        return late or (options.calls and total.calls >= options.calls)

    jobs = options.jobs or len(os.sched_getaffinity(0))
    for report in workers.run_seeds(seeds, jobs, options.timeout, options.things, done):
        total.cases += 1
        for key, seed, text in total.add(report, options.things):
            if not causes[key]:
                print(f"\n--- seed {seed}: {key}\n{text}", flush=True)
            causes[key].append(seed)
    total.show(time.monotonic() - began, jobs, options.seed, causes)
    if options.only is None and options.things is None:
        total.show_unanswered()
    return 1 if causes else 0


class Totals:
    """Counts of cases, calls and outcomes."""

    def __init__(self):
        self.cases = self.calls = self.last = 0
        self.outcomes = Counter()
        self.answered = set()

    def add(self, report, things=None):
        """Count a report; yield (cause, seed, words) of its defects."""
        if isinstance(report, tuple):
            kind, seed, text = report
            self.calls += 1
            self.outcomes[f"defect: {kind}"] += 1
            self.last = max(self.last, seed)
            yield f"{kind}: {first_name(seed, things)}", seed, text
            return
        self.calls += report.calls
        self.outcomes.update(report.outcomes)
        self.answered |= report.answered
        self.last = max(self.last, report.seed)
        for defect in report.defects:
            yield defect.key(), report.seed, defect.text

    def show_unanswered(self):
        """Which public names gave no answer at all; in a long run these are none."""
        from tests.fuzz import surface

        names = surface.callable_names()
        missing = sorted(names - self.answered)
        print(f"{len(names) - len(missing)} of {len(names)} public names gave an answer")
        if missing:
            print(f"  never: {', '.join(missing)}")

    def show(self, seconds, jobs, first, causes, command="python -m tests.fuzz"):
        print(f"\n{self.cases} cases, {self.calls} calls, seeds {first} to {self.last}")
        for outcome, count in sorted(self.outcomes.items()):
            print(f"  {count:8d} {outcome}")
        cases, calls = self.cases / seconds, self.calls / seconds
        print(f"{seconds:.1f} s, {cases:.0f} cases/s, {calls:.0f} calls/s, {jobs} workers")
        for key, seeds in sorted(causes.items(), key=lambda pair: -len(pair[1])):
            print(f"{len(seeds):6d} x {key}")
            for seed in seeds[:3]:
                print(f"         {command} --only {seed}")


def first_name(seed, things):
    """What the case of a seed is about."""
    from tests.fuzz.workers import text_of

    return text_of(seed, things, name=True)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""Run cases: ``python -m tests.pairs --minutes 8 --seed 0 --jobs 2``, ``--only NUMBER``."""

import argparse
import os
import sys
import time
from collections import defaultdict
from itertools import combinations

from tests.fuzz.__main__ import Totals


def arguments(argv):
    parser = argparse.ArgumentParser("python -m tests.pairs")
    parser.add_argument("--minutes", type=float, help="stop after so long; all cases if not given")
    parser.add_argument("--cases", type=int, help="stop after so many")
    parser.add_argument("--seed", type=int, default=0, help="of the designs")
    parser.add_argument("--only", type=int, help="this case alone, which is described")
    parser.add_argument("--jobs", type=int, help="workers; all processors if not given")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for a case")
    parser.add_argument("--estimators", help="these alone, commas between them; numbers change")
    return parser.parse_args(argv)


def main(argv=None):
    options = arguments(argv)
    from tests.pairs import cases, judge

    os.environ[cases.SEED] = str(options.seed)
    from tests.fuzz import workers

    names, things = cases.chosen_names(options.estimators), options.estimators
    if options.only is not None:
        case = cases.draw(options.only, things)
        print(case.text, flush=True)
        numbers = [options.only]
    else:
        numbers = cases.numbers(things)
    total, causes, began = Totals(), defaultdict(list), time.monotonic()
    covered = defaultdict(set)

    def done():
        late = options.minutes and time.monotonic() - began > 60 * options.minutes
        return late or (options.cases and total.cases >= options.cases)

    jobs = options.jobs or len(os.sched_getaffinity(0))
    for report in workers.run_seeds(
        numbers, jobs, options.timeout, things, done, home="tests.pairs"
    ):
        total.cases += 1
        for key, number, text in counted(total, report, things):
            if not causes[key]:
                print(f"\n--- --seed {options.seed} --only {number}: {key}\n{text}", flush=True)
            causes[key].append(number)
        if isinstance(report, judge.Report) and report.levels:
            covered[report.name] |= set(combinations(report.levels.items(), 2))
    command = f"python -m tests.pairs --seed {options.seed}"
    command += f" --estimators {things}" if things else ""
    total.show(time.monotonic() - began, jobs, 0, causes, command)
    there = sum(cases.pairs_of(name) for name in names)
    print(f"{sum(map(len, covered.values()))} of {there} pairs answered, {len(names)} estimators")
    return 1 if causes else 0


def counted(total, report, things):
    """As `Totals.add`, but that a case that died is named by its own words."""
    if isinstance(report, tuple):
        from tests.pairs import cases

        kind, number, text = report
        case = cases.draw(number, things)
        total.calls += 1
        total.outcomes[f"defect: {kind}"] += 1
        return [(f"{kind}: {case.name}", number, f"{text}\n{case.text}")]
    return list(total.add(report, things))


if __name__ == "__main__":
    sys.exit(main())

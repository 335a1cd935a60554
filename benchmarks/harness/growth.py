# SPDX-License-Identifier: BSD-3-Clause
"""How time grows with the data: ``python -m benchmarks.harness.growth [SUITE ...]``.

Of each suite statfast alone solves the largest problem and an eighth of it, with checked answers as
in a race. The lines of suites that are not measured again stay as they are.
"""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.harness import machine, report, results, run
from benchmarks.harness.registry import SUITES
from benchmarks.harness.suite import OURS, Suite
from benchmarks.harness.worker import Job

MEASURED = ("status", "median", "min", "rounds", "extra_bytes", "note")


def measure(suite: Suite, threads: int, rounds: int) -> list[dict]:
    """A line for each of the two problems, the smaller one first."""
    threads, lines = suite.threads or threads, []
    environments = {run.UNSET: run.environment_of(threads, run.UNSET)}
    for problem in suite.growth.pair():
        job = Job(suite.name, False, problem.name, OURS, threads)
        row = run.race(suite, problem, {OURS: job}, rounds, environments)
        skipped = {"status": "skipped", "note": row.get("skipped", "")}
        entry = row["libraries"].get(OURS, skipped)
        about = {"suite": suite.name, "problem": problem.name, "threads": threads}
        lines.append(about | {key: entry[key] for key in MEASURED if entry.get(key)})
    return lines


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.harness.growth")
    growing = [name for name, suite in SUITES.items() if suite.growth]
    parser.add_argument(
        "suite", nargs="*", choices=growing, metavar="SUITE", default=growing, help="(all)"
    )
    parser.add_argument("--out", type=Path, default=results.GROWTH, help="the file")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3, help="of each problem (default: 3)")
    options = parser.parse_args(arguments)
    of_suite: dict[str, list[dict]] = {}
    for line in results.read_lines(options.out)[1:]:
        of_suite.setdefault(line["suite"], []).append(line)
    for name in options.suite:
        commit = {"commit": run.commit()}
        of_suite[name] = [
            line | commit for line in measure(SUITES[name], options.threads, options.rounds)
        ]
        head = {
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": machine.machine(),
            "versions": machine.versions(["numpy", "scipy", "statfast"]),
        }
        ordered = [line for suite in SUITES for line in of_suite.get(suite, ())]
        results.write_lines([head, *ordered], options.out)  # what there is, if it is cut off
        print(*report.markdown(report.GROWTH_HEAD, report.growth(of_suite[name])), sep="\n")
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()

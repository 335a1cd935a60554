# SPDX-License-Identifier: BSD-3-Clause
"""How many small changes of the source the tests notice.

``python -m tests.mutants --work FOLDER --count 200 --seed 1`` draws changes, makes them one at a
time in a copy of the tree, and runs the tests that reach the place: first those whose names say
that they are about it, up to `--seconds` of processor time, then the others. FOLDER keeps the copy,
the table of what tests reach (made by one run of the suite) and `results.jsonl`; a run that was
ended goes on. What `equivalent.tsv` explains is not run. ``--part 2 3`` takes the second of every
three, for runs beside each other in folders of their own. ``--within tree _core/cart`` draws from
these folders of the package alone, and ``--tests tests/tree tests/core`` measures what these tests
reach in place of the whole suite. ``--again`` runs the survivors against
the source and tests as they are now, with the full number of examples and the whole folder.
``--report`` prints the score of all the folders.
"""

import argparse
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path

from tests.mutants.call_table import measured, ranked
from tests.mutants.points import Mutant, draw, points
from tests.mutants.tree import Tree

ROOT = Path(__file__).resolve().parents[2]
FILES = 16  # collected at first
ALL = 60.0  # seconds of tests that run then
ALIVE = "survived", "not reached"
JUDGED = "killed", *ALIVE


def limited(seconds):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))

    return limit


def run(tree, work, table, tests, profile, more=()):
    """The first test that fails, "crash" or "time"; None if none does."""
    order, names = work / "order.json", [test for test, _ in tests]
    order.write_text(json.dumps([names, list(more), list(table)]))
    files = list(dict.fromkeys([test.split("::")[0] for test in names] + list(more)))
    files = [file for file in files if (tree.path / file).exists()]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=line", "-p", "no:cacheprovider"]
    command += ["-p", "tests.mutants.call_table", *files]
    env = {**tree.env, "TEST_ORDER": str(order), "HYPOTHESIS_PROFILE": profile}
    spent = 30 + int(4 * sum(seconds for _, seconds in tests)) * (1 + 2 * (profile != "brief"))
    with (work / "pytest.log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=tree.path, env=env, stdout=log, stderr=log, start_new_session=True,
            preexec_fn=limited(spent),
        )  # fmt: skip
        try:
            code = process.wait(10 * spent)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "time"
    said = (work / "pytest.log").read_text(errors="replace")
    if code in (0, 5):
        return None
    if code == 4:
        raise RuntimeError(said)
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", said, re.MULTILINE)
    late = code in (-signal.SIGXCPU, -signal.SIGKILL)
    return failed[1] if failed else "time" if late else f"crash ({code})"


def verdict(tree, work, table, mutant, seconds, again):
    """Make the change and run its tests: what became of it, by which test, in which pass."""
    built = tree.put(mutant)
    try:
        if built:
            return built, None
        python = mutant.file.endswith(".py")
        tests = ranked(table, mutant, [] if python else tree.extensions(mutant)[1])
        if again:
            family, stem = Path(mutant.file).parts[0], Path(mutant.file).stem.strip("_")
            where = f"{family.strip('_')}/test_*.py" if "/" in mutant.file else f"*/test_{stem}*.py"
            more = [f.relative_to(tree.path).as_posix() for f in tree.path.glob(f"tests/{where}")]
            by = run(tree, work, table, tests, "repeatable", more)
            return "killed" if by else "survived", by
        total, first = 0.0, []
        for test, cost in tests:
            total += cost + 0.01
            if total > seconds or len({name.split("::")[0] for name, _ in first}) > FILES:
                break
            first.append((test, cost))
        rest, total = [], 0.0
        for test, cost in tests[len(first) :]:
            total += cost
            if total < ALL:
                rest.append((test, cost))
        for some in (first, rest):
            if some and (by := run(tree, work, table, some, "brief")):
                return "killed", by
        return ("survived" if tests else "not reached"), None
    finally:
        tree.restore()


def judged(tree, work, table, mutant, seconds, again):
    """The same, by a test that passes without the change."""
    while True:
        what, by = verdict(tree, work, table, mutant, seconds, again)
        if not by or "::" not in by or not run(tree, work, table, [(by, seconds)], "repeatable"):
            return what, by
        table[by] = 0.0, []  # it reaches nothing from now on


def reasons():
    """Rows of the table of equivalent changes: file, line of code, old, new and the reason."""
    rows = (Path(__file__).parent / "equivalent.tsv").read_text().splitlines()[1:]
    return [row.split("\t") for row in rows]


def reason_of(known, mutant):
    """Why a change is equivalent, or None; in the table, a * stands for anything."""
    said = (mutant.file, mutant.text.strip(), mutant.old, mutant.new)
    for *row, reason in known:
        patterns = [re.escape(field).replace(r"\*", ".*") for field in row]
        if all(re.fullmatch(p, text) for p, text in zip(patterns, said, strict=True)):
            return reason
    return None


def read(folders):
    """What became of the mutants so far; the last word counts."""
    results = {}
    for folder in folders[1:] + folders[:1]:
        file = folder / "results.jsonl"
        for line in file.read_text().splitlines() if file.exists() else ():
            found = json.loads(line)
            results[Mutant(**found["mutant"])] = found["what"]
    return results


def report(results):
    """Print the survivors and the score."""
    known, counts = reasons(), {"Python": Counter(), "kernels": Counter()}
    for mutant, what in results.items():
        if what in ALIVE:
            what = "equivalent" if reason_of(known, mutant) else "survived"
        counts["Python" if mutant.file.endswith(".py") else "kernels"][what] += 1
        if what == "survived":
            print(mutant)
    for name, count in {**counts, "all": sum(counts.values(), Counter())}.items():
        score = count["killed"] / max(count["killed"] + count["survived"], 1)
        print(f"{name}: {dict(count)}, score {score:.1%}")


def survivors(results, package):
    """Those without a known reason, where their lines stand now."""
    for mutant in [mutant for mutant, what in results.items() if what in ALIVE]:
        file = package / mutant.file
        lines = file.read_text().splitlines() if file.exists() else []
        at = [number for number, line in enumerate(lines, 1) if line == mutant.text]
        if at and not reason_of(reasons(), mutant):
            line = min(at, key=lambda number: abs(number - mutant.line))
            yield mutant, replace(mutant, line=line)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--work", type=Path, nargs="+", required=True, help="folders of the user's")
    parser.add_argument("--count", type=int, default=200, help="all parts together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", type=int, nargs=2, default=(1, 1))
    parser.add_argument("--within", nargs="+", default=[""], help="folders of the package")
    parser.add_argument("--tests", nargs="+", default=["tests"], help="those that are measured")
    parser.add_argument("--seconds", type=float, default=10.0, help="of tests that run first")
    parser.add_argument("--again", action="store_true", help="the survivors")
    parser.add_argument("--report", action="store_true", help="the score so far, nothing else")
    asked = parser.parse_args()
    folders = [folder.resolve() for folder in asked.work]
    work, results = folders[0], read(folders)
    if asked.report:
        return report(results)
    work.mkdir(parents=True, exist_ok=True)
    tree = Tree(ROOT, work)
    table = measured(tree, work / "reach.json", asked.tests)
    if asked.again:
        wanted = list(survivors(results, tree.package))
    else:
        found = points(tree.package, tree.compiled())
        within = tuple(asked.within)
        found = {file: changes for file, changes in found.items() if file.startswith(within)}
        found = draw(found, asked.seed)
        wanted = (
            (mutant, mutant) for mutant in islice(found, asked.part[0] - 1, None, asked.part[1])
        )
    known, tried = reasons(), sum(what in JUDGED for what in results.values())
    for mutant, here in wanted:
        if tried >= asked.count // asked.part[1] and not asked.again:
            break
        if mutant in results and not asked.again:
            continue
        began = time.time()
        what, by = "survived", None
        if not reason_of(known, mutant):
            what, by = judged(tree, work, table, here, asked.seconds, asked.again)
        results[mutant] = what
        tried += what in JUDGED
        with (work / "results.jsonl").open("a") as out:
            print(json.dumps({"mutant": asdict(mutant), "what": what, "by": by}), file=out)
        print(f"{tried} {what} {time.time() - began:.0f} s {mutant} {by or ''}", flush=True)
    report(results)


if __name__ == "__main__":
    main()

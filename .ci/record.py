#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What has been run where, from files that the runs leave: ``docs/runs/NAME.json``.

``python .ci/record.py NAME -- COMMAND ... [-- COMMAND ...]`` runs the commands one after the other
and writes down when, on which commit and machine, with which versions, and how it ended. The
sessions of ``noxfile.py`` call it. ``python .ci/record.py`` then writes the table of
``docs/support.rst``, in which a claim without a file is one that nothing has shown yet.
"""

import json
import os
import re
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNS = ROOT / "docs/runs"
PAGE = ROOT / "docs/support.rst"
BEGIN, END = "..\n   The table is written by .ci/record.py.\n", "..\n   The table ends here.\n"

# What is claimed: a name of a run, where, and the session of nox or the workflow that runs it.
CLAIMS = [
    ("wheel-3.11-linux-x86_64", "Linux, x86-64, CPython 3.11", "nox -s wheel"),
    ("wheel-3.12-linux-x86_64", "Linux, x86-64, CPython 3.12", "nox -s wheel"),
    ("wheel-3.13-linux-x86_64", "Linux, x86-64, CPython 3.13", "nox -s wheel"),
    ("wheel-3.14-linux-x86_64", "Linux, x86-64, CPython 3.14", "nox -s wheel"),
    ("wheel-3.14t-linux-x86_64", "Linux, x86-64, free-threaded 3.14", "nox -s wheel"),
    ("oldest", "the least versions that are declared", "nox -s oldest"),
    ("newest", "the newest versions, pre-releases among them", "nox -s newest"),
    *(
        (f"scikit-learn-1.{k}", f"models from and to scikit-learn 1.{k}", "nox -s converters")
        for k in range(4, 10)
    ),
    ("clang", "a build by clang", "nox -s clang"),
    ("cross", "C compiled for Linux, macOS, Windows and WebAssembly", "nox -s cross"),
    ("aarch64", "Linux, 64-bit ARM, emulated", "nox -s aarch64"),
    ("wheels-linux-aarch64", "Linux, 64-bit ARM", "wheels.yml"),
    ("wheels-musl", "Linux, musl (Alpine), x86-64 and ARM", "wheels.yml"),
    ("wheels-macos", "macOS, Intel and ARM", "wheels.yml"),
    ("wheels-windows", "Windows, x86-64", "wheels.yml"),
    ("wheels-pyodide", "Pyodide, as an experiment", "wheels.yml"),
]


def run(commands):
    """Run commands; what pytest counted, and whether all have passed."""
    counts = []
    for command in commands:
        print("$", *command, flush=True)
        lines = []
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                print(line, end="", flush=True)
                lines.append(line)
        last = lines[-1] if lines else ""
        counts += re.findall(r"\b\d+ (?:passed|failed|errors?|skipped|files)\b", last)
        if process.returncode:
            return counts, False
    return counts, True


ASK = """
import importlib.metadata, json, platform
names = "numpy scipy scikit-learn pandas matplotlib dask pyarrow formulaic".split()
names += ["snowballstemmer", "stop-words"]
found = {each.name.lower(): each.version for each in importlib.metadata.distributions()}
versions = {"python": platform.python_version()} | {n: found[n] for n in names if n in found}
print(json.dumps({"machine": f"{platform.system()} {platform.machine()}", "versions": versions}))
"""


def python_of(commands):
    """The Python that the commands run, which may be another machine's; else the one in PATH."""
    return next((c[0] for c in commands if Path(c[0]).name.startswith("python")), "python")


def commit():
    """The commit in this folder, marked where files differ from it."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout.strip()


def record(name, commands):
    """Run and write down; the exit status."""
    began = time.monotonic()
    counts, passed = run(commands)
    RUNS.mkdir(exist_ok=True)
    found = {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        **json.loads(subprocess.run([python_of(commands), "-c", ASK], capture_output=True).stdout),
        "commands": [" ".join(command) for command in commands],
        "counts": counts,
        "minutes": round((time.monotonic() - began) / 60, 1),
        "passed": passed,
    }
    (RUNS / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    return 0 if passed else 1


def table():
    """The rows of the page, from what the runs have left."""
    lines = [
        ".. list-table::",
        "   :header-rows: 1",
        "",
        "   * - what",
        "     - by",
        "     - last run",
        "     - with",
        "     - outcome",
    ]
    for name, what, how in CLAIMS:
        file = RUNS / f"{name}.json"
        run = json.loads(file.read_text()) if file.exists() else None
        lines += [f"   * - {what}", f"     - ``{how}``"]
        if run is None:
            lines += ["     - not yet", "     -", "     -"]
            continue
        used = run["versions"]
        names = ("python", "numpy", "scipy", "scikit-learn")
        named = ", ".join(f"{n} {used[n]}" for n in names if n in used)
        outcome = "; ".join(run["counts"]) or "done"
        lines += [
            f"     - {run['date']}, ``{run['commit']}``",
            f"     - {named}",
            f"     - {outcome if run['passed'] else f'**failed**: {outcome}'}",
        ]
    return "\n".join(lines) + "\n"


def page():
    """The page as it has to be."""
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def main(arguments):
    """Run what is asked for, or write the page."""
    if not arguments:
        PAGE.write_text(page())
        return 0
    name, *rest = arguments
    if name not in [claim[0] for claim in CLAIMS]:
        sys.exit(f"{name} must be one of the runs that .ci/record.py names in CLAIMS.")
    commands = [part.split("\0") for part in "\0".join(rest).strip("-\0").split("\0--\0")]
    return record(name, commands)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    sys.exit(main(sys.argv[1:]))

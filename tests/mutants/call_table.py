# SPDX-License-Identifier: BSD-3-Clause
"""Which tests reach which functions and kernels: a pytest plugin, and what is read off its table.

``CALL_TABLE=FILE python -m pytest -p tests.mutants.call_table`` writes what each test that passes
called, as ``file.py:Class.method`` or ``file.pyx``, and its processor time.
``TEST_ORDER=FILE`` runs the tests named in the file, in their order, and no others but those of
some files that the table lacks.
"""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

PACKAGE = "statfast"
CORE = f"{PACKAGE}._core."


class Tracer:
    """A profile function that notes the package's functions called in a test, and the kernels
    that called functions name."""

    def __init__(self, table):
        self.table, self.tests, self.seen = table, {}, set()
        self.names = {}  # of each code object
        threading.setprofile(self)
        sys.setprofile(self)

    def __call__(self, frame, event, arg):
        if event == "call":
            code = frame.f_code
            if code not in self.names:
                self.names[code] = [*self.function(code), *self.kernels(code, frame.f_globals)]
            self.seen.update(self.names[code])

    def function(self, code):
        parts = Path(code.co_filename).parts
        if PACKAGE in parts and "tests" not in parts:
            file = "/".join(parts[len(parts) - parts[::-1].index(PACKAGE) :])
            yield f"{file}:{code.co_qualname.split('.<locals>')[0]}"

    def kernels(self, code, known):
        for thing in (known[name] for name in code.co_names if name in known):
            home = getattr(thing, "__module__", None) or getattr(thing, "__name__", None)
            if isinstance(home, str) and home.startswith(CORE):
                yield f"_core/{home.removeprefix(CORE).replace('.', '/')}.pyx"

    def pytest_runtest_logstart(self):
        self.seen = set()
        self.began = time.process_time()
        sys.setprofile(self)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            spent = time.process_time() - self.began
            self.tests[report.nodeid] = round(spent, 3), sorted(self.seen)

    def pytest_sessionfinish(self):
        sys.setprofile(None)
        Path(self.table).write_text(json.dumps(self.tests, indent=0))


class Order:
    """Keeps the tests of a list, in its order, and before them those of some files that the table
    lacks."""

    def __init__(self, file):
        order, self.files, known = json.loads(Path(file).read_text())
        self.rank = {name: place for place, name in enumerate(order)}
        self.known = set(known)

    def pytest_collection_modifyitems(self, items):
        def kept(item):
            new = item.nodeid.split("::")[0] in self.files and item.nodeid not in self.known
            return new or item.nodeid in self.rank

        items[:] = sorted(filter(kept, items), key=lambda item: self.rank.get(item.nodeid, -1))


def pytest_configure(config):
    if table := os.environ.get("CALL_TABLE"):
        config.pluginmanager.register(Tracer(table))
    if order := os.environ.get("TEST_ORDER"):
        config.pluginmanager.register(Order(order))


def measured(tree, file, tests):
    """The table, from one run of the tests if there is none."""
    if not file.exists():
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p"]
        command += ["tests.mutants.call_table", *tests, "--ignore=tests/benchmarks"]
        env = {**tree.env, "CALL_TABLE": str(file), "HYPOTHESIS_PROFILE": "brief"}
        subprocess.run(command, cwd=tree.path, env=env, check=False)
    return json.loads(file.read_text())


def ranked(table, mutant, kernels):
    """The tests that reach the place, the likely and the quick ones first."""
    file, parts = mutant.file, mutant.inside.split(".")
    if kernels:
        at = {f"_core/{kernel}.pyx" for kernel in kernels}
    else:
        at = {f"{file}:{'.'.join(parts[:n])}" for n in range(1, len(parts) + 1)}
    whole = not kernels and not any(at & set(seen) for _, seen in table.values())
    stems = {
        *(Path(kernel).name for kernel in kernels),
        Path(file).stem.removesuffix("_level").strip("_"),
    }
    family = "tests/core/" if kernels else f"tests/{Path(file).parent}/"
    found = []
    for test, (seconds, seen) in table.items():
        if at & set(seen) or (whole and any(name.startswith(f"{file}:") for name in seen)):
            about = Path(test.split("::")[0]).stem.removeprefix("test_")
            near = any(about == stem for stem in stems) * 2 + test.startswith(family)
            found.append((-near, seconds, test))
    return [(test, seconds) for _, seconds, test in sorted(found)]

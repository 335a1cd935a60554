# SPDX-License-Identifier: BSD-3-Clause
"""A suite is one file with all that it is; the harness knows none by name."""

import ast
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

from benchmarks.harness import registry
from benchmarks.harness.registry import SUITES

HARNESS = Path(registry.__file__).parent
LONGEST = 450  # lines of a file


def test_each_module_has_a_suite_and_no_name_is_given_twice():
    found = {module: registry.suites_of(module) for module in registry.modules()}
    assert all(found.values()), [module for module, suites in found.items() if not suites]
    names = Counter(suite.name for suite in chain.from_iterable(found.values()))
    assert names == dict.fromkeys(SUITES, 1)


@pytest.mark.parametrize("suite", SUITES.values(), ids=SUITES)
def test_a_suite_is_whole(suite):
    assert suite.title
    tasks = {problem.task for problem in suite.problems}
    assert tasks == set(suite.checks) == set(suite.tolerances)
    assert tasks == set(chain.from_iterable(lib.adapters for lib in suite.libraries.values()))
    for problems in (suite.problems, suite.quick):
        assert problems
        assert len({problem.name for problem in problems}) == len(problems)
        assert {problem.task for problem in problems} <= tasks
    assert all(bounds.strict for bounds in suite.tolerances.values())


@pytest.mark.parametrize("suite", SUITES.values(), ids=SUITES)
def test_a_suite_names_its_largest_problem_and_an_eighth_of_it(suite):
    if suite.name == "import":
        assert suite.growth is None  # it has no rows
        return
    eighth, whole = suite.growth.pair()
    by_name = {problem.name: problem for problem in suite.problems}
    assert whole.name in by_name
    assert eighth.name not in by_name
    assert (eighth.task, eighth.dtype) == (whole.task, whole.dtype)
    assert suite.named(eighth.name).name == eighth.name
    assert suite.named(whole.name) is by_name[whole.name]
    assert eighth.nbytes <= whole.nbytes
    assert suite.growth.power in (1, 2)


@pytest.mark.parametrize("suite", [s for s in SUITES.values() if s.bars], ids=lambda s: s.name)
def test_bars_have_problems_and_peers(suite):
    assert {problem.group or "" for problem in suite.problems} <= {*suite.bars, ""}
    assert set(suite.bars) <= {problem.group for problem in suite.problems}
    named = {peer for bars in suite.bars.values() for bar in bars for peer in bar.peers}
    assert named <= set(suite.libraries)


@pytest.mark.parametrize("file", sorted(HARNESS.glob("*.py")), ids=lambda file: file.stem)
def test_the_harness_names_no_suite(file):
    tree = ast.parse(file.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert not (node.module or "").startswith("benchmarks.suites"), node.module
        elif isinstance(node, ast.Import):
            assert not any(alias.name.startswith("benchmarks.suites") for alias in node.names)
        elif isinstance(node, ast.Constant):
            assert node.value not in SUITES, node.value


def test_no_file_is_too_long():
    lines = {
        file.name: file.read_text("utf-8").count("\n") for file in HARNESS.parent.rglob("*.py")
    }
    assert not {name: count for name, count in lines.items() if count > LONGEST}

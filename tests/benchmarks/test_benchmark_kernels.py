# SPDX-License-Identifier: BSD-3-Clause
"""The suite spectrum: its problems, the libraries' answers, and their check."""

import pytest

from benchmarks.bars import BARS
from benchmarks.checks import checker, verdict
from benchmarks.kernel_problems import PROBLEMS, QUICK
from benchmarks.libraries import LIBRARIES, entrants


def test_groups_have_bars():
    assert {problem.group for problem in PROBLEMS} == set(BARS["spectrum"])
    assert len({problem.name for problem in PROBLEMS}) == len(PROBLEMS)


@pytest.mark.parametrize("problem", QUICK, ids=lambda problem: problem.name)
def test_all_libraries_make_the_matrix(problem):
    data = problem.data()
    check = checker(problem, data)
    for name in entrants(problem):
        work = LIBRARIES[name].works[problem.work]()
        try:
            work.prepare(data, 2)
        except ModuleNotFoundError:
            continue
        answer = work.answer()
        assert verdict(problem, check(answer), ours=name == "statfast"), name
        wrong = {"matrix": answer["matrix"] * 1.01}
        assert not verdict(problem, check(wrong), ours=True)

# SPDX-License-Identifier: BSD-3-Clause
"""The suite spectrum: its problems, the libraries' answers, and their check."""

import pytest

from benchmarks.suites.text.strings import SUITE


def test_groups_have_bars():
    assert {problem.group for problem in SUITE.problems} == set(SUITE.bars)
    assert len({problem.name for problem in SUITE.problems}) == len(SUITE.problems)


@pytest.mark.parametrize("problem", SUITE.quick, ids=lambda problem: problem.name)
def test_all_libraries_make_the_matrix(problem):
    data = problem.data()
    check = SUITE.checker(problem, data)
    for name in SUITE.entrants(problem):
        adapter = SUITE.adapter(name, problem)
        try:
            adapter.prepare(data, 2)
        except ModuleNotFoundError:
            continue
        answer = adapter.answer()
        assert SUITE.verdict(problem, check(answer), ours=name == "statfast"), name
        wrong = {"matrix": answer["matrix"] * 1.01}
        assert not SUITE.verdict(problem, check(wrong), ours=True)

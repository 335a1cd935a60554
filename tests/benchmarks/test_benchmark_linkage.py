# SPDX-License-Identifier: BSD-3-Clause
"""The suite linkage: its problems, the libraries' answers, and their check."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from benchmarks.suites.cluster.linkage import SUITE, spanning_lengths


def test_groups_have_bars():
    assert {problem.group for problem in SUITE.problems} == set(SUITE.bars)
    assert len({problem.name for problem in SUITE.problems}) == len(SUITE.problems)


@pytest.mark.parametrize("problem", SUITE.quick, ids=lambda problem: problem.name)
def test_all_libraries_find_the_heights(problem):
    data = problem.data()
    check = SUITE.checker(problem, data)
    for name in SUITE.entrants(problem):
        adapter = SUITE.adapter(name, problem)
        try:
            adapter.prepare(data, 2)
        except ModuleNotFoundError:
            continue
        answer = adapter.answer()
        if name == "fast_hdbscan":  # float32: short edges lose digits; not counted
            assert check(answer)["height error"] < 1e-3
            continue
        assert SUITE.verdict(problem, check(answer), ours=name == "statfast"), name
        wrong = {"heights": answer["heights"] * (1 + 1e-6)}
        assert not SUITE.verdict(problem, check(wrong), ours=True)


@pytest.mark.parametrize("d", [2, 3, 5])
def test_the_reference_of_spanning_trees(d):
    X = np.random.default_rng(d).normal(size=(400, d))
    assert spanning_lengths(X) == pytest.approx(linkage(pdist(X), "single")[:, 2])

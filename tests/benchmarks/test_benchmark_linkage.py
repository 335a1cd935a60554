# SPDX-License-Identifier: BSD-3-Clause
"""The suite linkage: its problems, the libraries' answers, and their check."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from benchmarks.bars import BARS
from benchmarks.checks import checker, spanning_lengths, verdict
from benchmarks.libraries import LIBRARIES, entrants
from benchmarks.linkage_problems import PROBLEMS, QUICK


def test_groups_have_bars():
    assert {problem.group for problem in PROBLEMS} == set(BARS["linkage"])
    assert len({problem.name for problem in PROBLEMS}) == len(PROBLEMS)


@pytest.mark.parametrize("problem", QUICK, ids=lambda problem: problem.name)
def test_all_libraries_find_the_heights(problem):
    data = problem.data()
    check = checker(problem, data)
    for name in entrants(problem):
        work = LIBRARIES[name].works[problem.work]()
        try:
            work.prepare(data, 2)
        except ModuleNotFoundError:
            continue
        answer = work.answer()
        if name == "fast_hdbscan":  # float32: short edges lose digits; not counted
            assert check(answer)["height error"] < 1e-3
            continue
        assert verdict(problem, check(answer), ours=name == "statfast"), name
        wrong = {"heights": answer["heights"] * (1 + 1e-6)}
        assert not verdict(problem, check(wrong), ours=True)


@pytest.mark.parametrize("d", [2, 3, 5])
def test_the_reference_of_spanning_trees(d):
    X = np.random.default_rng(d).normal(size=(400, d))
    assert spanning_lengths(X) == pytest.approx(linkage(pdist(X), "single")[:, 2])

# SPDX-License-Identifier: BSD-3-Clause
"""The suites irls and glm: their problems, the libraries' fits, and the check of their answers."""

import numpy as np
import pytest

from benchmarks import glm_works
from benchmarks.bars import BARS
from benchmarks.checks import checker, verdict
from benchmarks.glm_problems import GLM, IRLS, QUICK_GLM, QUICK_IRLS
from benchmarks.libraries import LIBRARIES, entrants

WORKS = {
    "statfast": glm_works.Statfast,
    "sklearn": lambda: glm_works.Sklearn("newton-cholesky", 1e-8),
    "glum": glm_works.Glum,
    "statsmodels": glm_works.Statsmodels,
}


@pytest.mark.parametrize(("suite", "problems"), [("irls", IRLS), ("glm", GLM)])
def test_groups_have_bars_and_bars_have_problems_and_peers(suite, problems):
    assert {p.group for p in problems} == set(BARS[suite])
    assert all(p.beyond == (p.group == "") for p in problems)
    named = {peer for of_group in BARS[suite].values() for bar in of_group for peer in bar.peers}
    assert named <= set(LIBRARIES)
    for problem in problems:
        assert {"statfast", "glum", "statsmodels", "scikit-learn"} <= set(entrants(problem))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", WORKS)
@pytest.mark.parametrize("problem", [*QUICK_IRLS, *QUICK_GLM], ids=lambda p: p.name)
def test_answers_are_right(library, problem):
    data = problem.data()
    work = WORKS[library]()
    try:
        work.prepare(data, 1)
    except ModuleNotFoundError as error:
        pytest.skip(str(error))
    errors = checker(problem, data)(work.answer())
    assert verdict(problem, errors, ours=library == "statfast")


def test_wrong_answers_are_seen():
    problem = QUICK_IRLS[0]
    check = checker(problem, problem.data())
    assert not verdict(problem, check({"coefficients": check.best + 1e-6}), ours=False)
    assert not verdict(problem, check({"coefficients": np.zeros(2)}), ours=False)

# SPDX-License-Identifier: BSD-3-Clause
"""The suites irls and glm: their problems, the libraries' fits, and the check of their answers."""

import numpy as np
import pytest

from benchmarks.suites.linear import glm
from benchmarks.suites.linear.glm import GLM, IRLS

ADAPTERS = {
    "statfast": glm.Statfast,
    "sklearn": lambda: glm.Sklearn("newton-cholesky", 1e-8),
    "glum": glm.Glum,
    "statsmodels": glm.Statsmodels,
}


@pytest.mark.parametrize("suite", [IRLS, GLM], ids=lambda s: s.name)
def test_groups_have_bars_and_bars_have_problems_and_peers(suite):
    assert {p.group for p in suite.problems} == set(suite.bars)
    assert all(p.beyond == (p.group == "") for p in suite.problems)
    named = {peer for of_group in suite.bars.values() for bar in of_group for peer in bar.peers}
    assert named <= set(suite.libraries)
    for problem in suite.problems:
        assert {"statfast", "glum", "statsmodels", "scikit-learn"} <= set(suite.entrants(problem))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", ADAPTERS)
@pytest.mark.parametrize(
    ("suite", "problem"), [(suite, p) for suite in (IRLS, GLM) for p in suite.quick]
)
def test_answers_are_right(library, suite, problem):
    data = problem.data()
    adapter = ADAPTERS[library]()
    try:
        adapter.prepare(data, 1)
    except ModuleNotFoundError as error:
        pytest.skip(str(error))
    errors = suite.checker(problem, data)(adapter.answer())
    assert suite.verdict(problem, errors, ours=library == "statfast")


def test_wrong_answers_are_seen():
    problem = IRLS.quick[0]
    check = IRLS.checker(problem, problem.data())
    assert not IRLS.verdict(
        problem, check({"coefficients": check.expected["coefficients"] + 1e-6}), ours=False
    )
    assert not IRLS.verdict(problem, check({"coefficients": np.zeros(2)}), ours=False)

# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``defaults`` has every estimator that scikit-learn has under the same name."""

import pytest

import statfast
from benchmarks.suites.library.defaults import LEFT_OUT, MODULES, SLOW, SUITE, TASKS


def test_every_twin_is_called_or_left_out_with_a_reason():
    pytest.importorskip("sklearn.experimental.enable_halving_search_cv")  # lists them, too
    utils = pytest.importorskip("sklearn.utils")
    theirs = dict(utils.all_estimators())
    assert set(MODULES) | set(LEFT_OUT) == set(statfast.__all__) & set(theirs)
    assert not set(MODULES) & set(LEFT_OUT)
    assert set(TASKS) >= SLOW


@pytest.mark.parametrize("problem", SUITE.quick, ids=lambda problem: problem.name)
def test_answers_of_statfast_are_taken(problem):
    data = problem.data()
    adapter = SUITE.adapter("statfast", problem)
    adapter.prepare(data, 1)
    adapter.fit()
    errors = SUITE.checker(problem, data)(adapter.answer())
    assert SUITE.verdict(problem, errors, ours=True), errors

# SPDX-License-Identifier: BSD-3-Clause
"""The suite linear-svc: its problems, and the check of its answers."""

import numpy as np
import pytest
from scipy import sparse

from benchmarks.harness.rows import read_libsvm
from benchmarks.suites.svm.linear_svc import SUITE
from tests.reference import linear_svm as twin


def test_the_suite_is_whole():
    assert {p.group for p in SUITE.problems} == set(SUITE.bars)
    assert len({p.name for p in SUITE.problems}) == len(SUITE.problems)
    assert set(SUITE.libraries) == {"statfast", "scikit-learn"}


def test_a_file_is_read(shared_data):
    shared_data("libsvm", "a1a.gz")
    X, y = read_libsvm("a1a.gz", columns=123)
    assert X.shape == (1605, 123)
    assert (X.nnz, int((y > 0).sum())) == (22249, 395)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_check_knows_the_least_objective(loss):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    y = np.where(X[:, 0] + rng.standard_normal(80) > 0, 1.0, -1.0)
    Z = twin.with_constant(X)
    best, _ = twin.solve_dual(Z, y, np.ones(80), loss != "hinge", sweeps=3000)
    for given in (X, sparse.csr_matrix(X)):
        check = SUITE.checker(SUITE.quick[0], {"X": given, "y": y, "loss": loss})
        assert check({"v": best})["objective excess"] == pytest.approx(0.0, abs=1e-6)
        worse = check({"v": best * 1.01})["objective excess"]
        want = twin.primal(best * 1.01, Z, y, np.ones(80), loss != "hinge") / twin.primal(
            best, Z, y, np.ones(80), loss != "hinge"
        )
        assert worse == pytest.approx(want - 1, rel=0.1, abs=1e-6)
        assert SUITE.verdict(SUITE.quick[0], check({"v": best}), ours=True)
        assert not SUITE.verdict(SUITE.quick[0], check({"v": best * 0.5}), ours=False)


def test_the_check_knows_the_least_objective_of_several_classes():
    problem = SUITE.quick[-1]
    data = problem.make(3)
    check = SUITE.checker(problem, data)
    Z, y = np.column_stack([data["X"], np.ones(len(data["y"]))]), data["y"]

    def objective(V):
        scores = Z @ V.T
        leads = scores - scores[np.arange(len(y)), y][:, None] + 1.0
        leads[np.arange(len(y)), y] = 0.0
        return 0.5 * (V**2).sum() + leads.max(axis=1).sum()

    V, rate = np.zeros((3, 7)), 1.0
    for step in range(20_000):  # a subgradient, with falling steps, from below
        scores = Z @ V.T + 1.0
        scores[np.arange(len(y)), y] -= 1.0
        worst = scores.argmax(axis=1)
        pull = V.copy()
        np.add.at(pull, worst, Z)
        np.add.at(pull, y, -Z)
        V = V - rate / (step + 100) * pull
    assert objective(V) >= check.least
    assert check({"v": V})["objective excess"] == pytest.approx(0.0, abs=1e-2)
    want = objective(V * 1.1) / check.least - 1
    assert check({"v": V * 1.1})["objective excess"] == pytest.approx(want, rel=1e-12)
    assert not SUITE.verdict(problem, check({"v": V * 0.5}), ours=False)

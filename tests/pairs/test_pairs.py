# SPDX-License-Identifier: BSD-3-Clause
"""A slice of the pairs; that designs cover all pairs, and that the judge sees what is wrong."""

import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from statfast import Ridge
from tests.pairs import cases, judge
from tests.pairs.covering import count_pairs, covering_rows
from tests.pairs.factors import OF_KERNELS, estimators

ROOT = Path(__file__).resolve().parents[2]
N_ROUNDS = 2  # rows of each design that run with the tests: some 180 cases, half a minute


@pytest.mark.once
def test_the_first_rows_of_each_design_are_answered_soundly():
    """In a process of its own: neither threads nor polars live through a fork."""
    wanted = str(N_ROUNDS * len(cases.chosen_names()))
    command = [sys.executable, "-m", "tests.pairs", "--seed", "0", "--jobs", "2"]
    command += ["--cases", wanted, "--timeout", "300"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split(" cases, ")[0].split()[-1]) >= int(wanted), done.stdout


@pytest.mark.parametrize("sizes", [[2, 2], [3, 1, 4, 2], [2] * 12, [9, 2, 7, 3, 3]])
def test_rows_of_a_design_cover_all_pairs(sizes):
    rows = np.array(list(covering_rows(sizes, np.random.default_rng(0))))
    assert (rows >= 0).all()
    assert (rows < sizes).all()
    seen = {(i, row[i], j, row[j]) for row in rows for i, j in combinations(range(len(sizes)), 2)}
    assert len(seen) == count_pairs(sizes)
    assert len(rows) <= 2 * np.prod(np.sort(sizes)[-2:])


def test_every_estimator_has_factors_of_its_fit():
    assert len(estimators()) >= 90
    for name in cases.chosen_names():
        assert cases.pairs_of(name) > 50 or name in OF_KERNELS, name  # no parameters


# ------------------------------------------------------------------ what the judge sees


def of_a_frame(X):
    return hasattr(X, "columns")


def in_place(y):
    if isinstance(y, np.ndarray):
        y[0] += 1


# What goes wrong after a fit of Ridge to these rows and this target -> the kind of defect.
FAULTS = {
    "differs": lambda model, X, y: of_a_frame(X) and setattr(model, "coef_", 2 * model.coef_),
    "leak": lambda model, X, y: {}[0],
    "refusal": lambda model, X, y: FIT(Ridge(alpha=-1.0), np.eye(3), np.ones(3)),
    "parameters": lambda model, X, y: setattr(model, "alpha", 7.0),
    "not finite": lambda model, X, y: setattr(model, "predict", lambda Q: np.full(len(Q), np.nan)),
    "input": lambda model, X, y: in_place(y),
    "warning": lambda model, X, y: np.log(np.zeros(1)),
}
FIT = Ridge.fit


@pytest.mark.parametrize("kind", FAULTS)
def test_the_judge_sees_a_fault(kind, monkeypatch):
    def fit(model, X, y, sample_weight=None):
        FIT(model, X, y, sample_weight)
        FAULTS[kind](model, X, y)
        return model

    first = cases.draw(0, "Ridge")
    case = cases.Case(0, "Ridge", {**first.levels, "rows": "pandas"})
    assert not judge.run(case).defects
    monkeypatch.setattr(Ridge, "fit", fit)
    assert kind in {defect.kind for defect in judge.run(case).defects}


def test_the_judge_passes_rows_that_tie():
    answers = {"predict[0]": np.array([0, 1, 1]), "decision_function[0]": np.array([1e-17, 2, -3])}
    assert judge.tied_rows(answers).tolist() == [True, False, False]
    shares = {"predict_proba[0]": np.array([[0.5, 0.5, 0.0], [0.4, 0.0, 0.6], [0.2, 0.4, 0.4]])}
    assert judge.tied_rows(shares).tolist() == [True, False, True]
    assert not judge.tied_rows({"predict[0]": np.array([0])}).any()

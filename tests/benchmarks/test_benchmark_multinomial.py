# SPDX-License-Identifier: BSD-3-Clause
"""The suite multinomial: its problems, ours and a peer's answers, and the check."""

import numpy as np
import pytest

from benchmarks.bars import BARS
from benchmarks.checks import checker, verdict
from benchmarks.libraries import LIBRARIES
from benchmarks.multinomial_problems import PROBLEMS, QUICK


def test_groups_have_bars_and_bars_have_peers():
    bars = BARS["multinomial"]
    assert {p.group for p in PROBLEMS} == set(bars) == {p.group for p in QUICK}
    named = {peer for of_group in bars.values() for bar in of_group for peer in bar.peers}
    assert named <= {name for name, lib in LIBRARIES.items() if "multinomial" in lib.works}


@pytest.mark.parametrize("name", ["statfast", "scikit-learn (newton-cholesky)"])
def test_answers_are_right(name):
    if name != "statfast":
        pytest.importorskip("sklearn")
    for problem in QUICK:
        data = problem.data()
        work = LIBRARIES[name].works["multinomial"]()
        work.prepare(data, 1)
        work.fit()
        answer = work.answer()
        errors = checker(problem, data)(answer)
        assert verdict(problem, errors, ours=name == "statfast")
        wrong = {"coef": answer["coef"] + np.linspace(0, 1e-5, len(answer["coef"]))[:, None]}
        assert not verdict(problem, checker(problem, data)(wrong), ours=name == "statfast")

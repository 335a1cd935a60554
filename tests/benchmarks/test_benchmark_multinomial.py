# SPDX-License-Identifier: BSD-3-Clause
"""The suite multinomial: its problems, ours and a peer's answers, and the check."""

import numpy as np
import pytest

from benchmarks.suites.linear.multinomial import SUITE


def test_groups_have_bars_and_bars_have_peers():
    bars = SUITE.bars
    assert {p.group for p in SUITE.problems} == set(bars) == {p.group for p in SUITE.quick}
    named = {peer for of_group in bars.values() for bar in of_group for peer in bar.peers}
    assert named <= set(SUITE.libraries)


@pytest.mark.parametrize("name", ["statfast", "scikit-learn (newton-cholesky)"])
def test_answers_are_right(name):
    if name != "statfast":
        pytest.importorskip("sklearn")
    for problem in SUITE.quick:
        data = problem.data()
        adapter = SUITE.adapter(name, problem)
        adapter.prepare(data, 1)
        adapter.fit()
        answer = adapter.answer()
        errors = SUITE.checker(problem, data)(answer)
        assert SUITE.verdict(problem, errors, ours=name == "statfast")
        wrong = {"coef": answer["coef"] + np.linspace(0, 1e-5, len(answer["coef"]))[:, None]}
        assert not SUITE.verdict(
            problem, SUITE.checker(problem, data)(wrong), ours=name == "statfast"
        )

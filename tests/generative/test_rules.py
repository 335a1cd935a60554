# SPDX-License-Identifier: BSD-3-Clause
"""Linear rules on rows in steps that a key press may come between."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from statfast._core.generative import linear_scores
from statfast.generative.normal import discriminant_rules


@pytest.mark.parametrize(
    "kernel", [linear_scores.softmax, discriminant_rules.log_softmax_of(linear_scores)]
)
def test_steps_of_any_size_give_the_same_values(kernel, monkeypatch):
    rng = np.random.default_rng(0)
    rows, rule = rng.normal(size=(3001, 5)), (rng.normal(size=(4, 5)), rng.normal(size=4))
    expected = discriminant_rules.apply_rule(kernel, rows, rule, 1)
    steps, pauses = [], []

    def stepwise(block, *rest):
        steps.append(len(block))
        return kernel(block, *rest)

    monkeypatch.setattr(discriminant_rules, "MULTIPLICATIONS_OF_CALL", 8400)  # 84 a row
    monkeypatch.setattr(discriminant_rules, "checkpoint", lambda: pauses.append(1))
    assert_array_equal(discriminant_rules.apply_rule(stepwise, rows, rule, 1), expected)
    assert sum(steps) == 3001
    assert max(steps) == 100
    assert len(pauses) == len(steps)


@pytest.mark.parametrize("bad", [0, 1500, 3000])
def test_each_step_tells_whether_it_is_finite(bad, monkeypatch):
    rows, rule = np.zeros((3001, 2)), (np.ones((3, 2)), np.zeros(3))
    rows[bad, 1] = np.nan
    monkeypatch.setattr(discriminant_rules, "MULTIPLICATIONS_OF_CALL", 100)
    with pytest.raises(ValueError, match=rf"NaN.*row {bad}, column 1"):
        discriminant_rules.apply_rule(linear_scores.scores, rows, rule, 1)

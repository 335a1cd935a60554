# SPDX-License-Identifier: BSD-3-Clause
"""Twins beside scikit-learn's for pairs of settings; `parameter_pairs` runs more of them."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from tests.peers import parameter_pairs
from tests.peers.parameter_pairs import TWINS, Report, compare, differs

SETTINGS_OF_TEST = 10


@pytest.mark.parametrize("name", TWINS)
def test_answers_are_those_of_scikit_learn(name):
    report = Report()
    compare(name, 1, report, SETTINGS_OF_TEST)
    assert not report.lines, "\n".join(report.lines)
    assert report.compared >= 2


def test_a_difference_is_seen(monkeypatch):
    import statfast

    class Wrong(statfast.Ridge):
        def predict(self, X):
            return super().predict(X) * (1 + 1e-2)

    monkeypatch.setattr(statfast, "Ridge", Wrong)
    report = Report()
    compare("Ridge", 1, report, 3)
    assert len(report.lines) == report.compared > 0
    assert "predict differs by" in report.lines[0]
    monkeypatch.setattr(Wrong, "fit", lambda self, *args, **more: 1 / 0)
    compare("Ridge", 1, report, 1)
    assert "ZeroDivisionError" in report.lines[-1]


def test_shapes_and_signs():
    twin = TWINS["PCA"]
    scores = np.array([[1.0, 2.0], [3.0, -4.0]])
    assert not differs("transform", scores * [1, -1], scores, twin, np.float64)
    assert differs("predict", scores * [1, -1], scores, twin, np.float64)
    assert "has shape" in differs("transform", scores[:, :1], scores, twin, np.float64)


def test_the_script_prints_what_differs(capsys):
    assert parameter_pairs.main(["--twins", "StandardScaler"]) == 0
    assert "0 differ" in capsys.readouterr().out

# SPDX-License-Identifier: BSD-3-Clause
"""Classes of a user's that change a fit or an answer are cross-validated by what they do."""

import numpy as np
import pytest

from statfast import LinearDiscriminantAnalysis, Ridge, make_pipeline
from statfast.datasets import load_iris
from statfast.model_selection import cross_val_predict, cross_validate
from statfast.preprocessing import StandardScaler

X, y = load_iris(return_X_y=True)


class FirstClass(LinearDiscriminantAnalysis):
    """Answers the first class, whatever the rows are."""

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class WithoutHalf(Ridge):
    """Fitted to every other row."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X[::2], y[::2])


class Renamed(LinearDiscriminantAnalysis):
    """Changes nothing."""


def test_an_answer_of_its_own_is_asked():
    scores = cross_validate(FirstClass(), X, y, cv=5)
    assert scores["test_score"] == pytest.approx(np.full(5, 1 / 3))
    assert set(cross_val_predict(FirstClass(), X, y, cv=5)) == {0}


@pytest.mark.parametrize("cv", [3, 5])
def test_a_fit_of_its_own_is_called(cv):
    folds = np.arange(len(X)) % cv
    splits = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(cv)]
    scores = cross_validate(WithoutHalf(), X[:, :3], X[:, 3], cv=splits)["test_score"]
    for score, (train, test) in zip(scores, splits, strict=True):
        model = Ridge().fit(X[train[::2], :3], X[train[::2], 3])
        assert score == pytest.approx(model.score(X[test, :3], X[test, 3]), rel=1e-12)


def test_a_pipeline_calls_the_fit_of_its_last_step():
    chained = make_pipeline(StandardScaler(), WithoutHalf())
    scores = cross_validate(chained, X[:, :3], X[:, 3], cv=3)["test_score"]
    plain = cross_validate(make_pipeline(StandardScaler(), Ridge()), X[:, :3], X[:, 3], cv=3)
    assert not np.allclose(scores, plain["test_score"], rtol=1e-6)


def test_a_class_that_changes_nothing_keeps_the_quick_way():
    strategies = [
        cross_validate(kind(), X, y, cv=5).path
        for kind in (LinearDiscriminantAnalysis, Renamed, FirstClass)
    ]
    assert strategies == ["merged statistics", "merged statistics", "refit"]

# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of penalties and searches show the models' numbers."""

import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from statfast import (
    SVC,
    ElasticNetCV,
    GridSearchCV,
    KNeighborsClassifier,
    LassoCV,
    LinearRegression,
    LogisticRegressionCV,
    NotFittedError,
    RidgeCV,
)
from statfast.datasets import load_iris
from statfast.plot import penalty_errors, search_scores


@pytest.fixture
def data():
    iris = load_iris()
    return iris.data[:, :3], iris.data[:, 3]


def marks(ax):
    """Where the upright lines stand."""
    return [line.get_xdata()[0] for line in ax.lines if len(set(line.get_xdata())) == 1]


@pytest.mark.parametrize("rule", ["min", "1se"])
def test_errors_of_penalties(ax, data, rule):
    model = LassoCV(rule=rule).fit(*data)
    shown = penalty_errors(model, ax=ax, color="black")
    assert shown.ax_ is ax
    assert shown.figure_ is ax.figure
    assert_allclose(shown.errors, model.mse_mean_)
    assert_allclose(shown.se, model.mse_error_)
    assert marks(ax) == [model.alpha_min_, model.alpha_1se_]
    chosen = [
        text.get_text() for text in ax.get_legend().get_texts() if "chosen" in text.get_text()
    ]
    assert len(chosen) == 1
    assert ("one standard error" in chosen[0]) == (rule == "1se")
    assert ax.lines[0].get_color() == "black"
    assert ax.get_xlim()[0] > ax.get_xlim()[1]


def test_other_penalized_models(ax, data):
    X, y = data
    model = ElasticNetCV(l1_ratio=[0.2, 0.9]).fit(X, y)
    row = [0.2, 0.9].index(model.l1_ratio_)
    assert_allclose(penalty_errors(model, ax=ax).penalties, model.alphas_[row])
    ridge = RidgeCV(alphas=[0.0, 0.1, 10.0]).fit(X, y)
    assert penalty_errors(ridge, ax=Figure().subplots()).penalties.tolist() == [10.0, 0.1]
    labels = load_iris().target
    logistic = LogisticRegressionCV(Cs=4, scoring="accuracy").fit(X, labels)
    shown = penalty_errors(logistic, ax=Figure().subplots())
    assert_allclose(-shown.errors, logistic.scores_[:, 0].mean(axis=0))
    assert shown.chosen == 1 / logistic.C_
    with pytest.raises(TypeError, match="model must be a fitted LassoCV"):
        penalty_errors(LinearRegression().fit(X, y), ax=ax)
    with pytest.raises(NotFittedError):
        penalty_errors(LassoCV(), ax=ax)
    with pytest.raises(NotFittedError):
        penalty_errors(LogisticRegressionCV(), ax=ax)


def test_scores_of_a_search(ax):
    X, y = load_iris(return_X_y=True)
    grid = {"gamma": [0.1, 0.01], "C": [1, 10, 100]}
    search = GridSearchCV(SVC(), grid, cv=3).fit(X, y)
    shown = search_scores(search, ax=ax)
    for some, score in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
    ):
        place = tuple(
            values.index(some[name]) for name, values in zip(shown.names, shown.values, strict=True)
        )
        assert shown.scores[place] == score
    across, up = (int(some[0]) for some in ax.lines[0].get_data())
    assert shown.scores[up, across] == search.best_score_
    one = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5, 9]}).fit(X, y)
    shown = search_scores(one, ax=Figure().subplots())
    assert_allclose(shown.scores, one.cv_results_["mean_test_score"])
    assert [text.get_text() for text in shown.ax_.get_xticklabels()] == ["1", "5", "9"]


def test_searches_that_cannot_be_drawn(ax):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="search must be a fitted search"):
        search_scores(SVC(), ax=ax)
    with pytest.raises(ValueError, match="1 or 2 parameters of several values; got 0"):
        search_scores(GridSearchCV(SVC(), {"C": [1]}).fit(X, y), ax=ax)
    grids = [{"C": [1, 2]}, {"gamma": [0.1, 1]}]
    with pytest.raises(ValueError, match="search must try all 4 pairs of values"):
        search_scores(GridSearchCV(SVC(), grids).fit(X, y), ax=ax)

# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of model selection show the numbers they are made of."""

import numpy as np
import pytest

from statfast import RFECV, LinearDiscriminantAnalysis, LinearRegression, Ridge, best_subset
from statfast.model_selection import bias_variance, compare, learning_curve, validation_curve
from statfast.plot import (
    bias_variance_target,
    comparison,
    learning_curves,
    selection_path,
    validation_curves,
)

Figure = pytest.importorskip("matplotlib.figure").Figure


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 3))
    return X, X[:, 0] + rng.standard_normal(90)


def test_curves_show_mean_scores(data):
    X, y = data
    shown = learning_curves(Ridge(), X, y, ax=Figure().subplots(), cv=3, style={"lw": 3})
    sizes, train, test = learning_curve(Ridge(), X, y, cv=3)
    np.testing.assert_array_equal(shown.x, sizes)
    np.testing.assert_allclose(shown.ax_.lines[0].get_ydata(), train.mean(axis=1))
    np.testing.assert_allclose(shown.ax_.lines[1].get_ydata(), test.mean(axis=1))
    assert shown.ax_.lines[0].get_linewidth() == 3
    assert (shown.ax_.get_xlabel(), shown.ax_.get_ylabel()) == ("training samples", "score")
    values = [0.1, 1.0, 1000.0]
    given = {"param_name": "alpha", "param_range": values, "cv": 3}
    curve = validation_curves(Ridge(), X, y, ax=Figure().subplots(), **given)
    np.testing.assert_array_equal(curve.test_scores, validation_curve(Ridge(), X, y, **given)[1])
    assert curve.ax_.get_xscale() == "log"
    assert curve.ax_.get_xlabel() == "alpha"
    assert curve.figure_ is curve.ax_.figure


def test_a_path_shows_scores_by_number_of_features(data):
    X, y = data
    fitted = RFECV(LinearRegression(), cv=4, nested=True).fit(X, y)
    sizes = fitted.size_scores_
    for shown in (
        selection_path(fitted, ax=Figure().subplots(), color="k"),
        sizes.plot(ax=Figure().subplots(), color="k"),
    ):
        assert (shown.ax_.get_xlabel(), shown.ax_.get_ylabel()) == ("features", "score")
        np.testing.assert_array_equal(shown.n_features, [1, 2, 3])
        np.testing.assert_allclose(shown.ax_.lines[0].get_ydata(), sizes.scores.mean(axis=1))
        assert shown.ax_.lines[0].get_color() == "k"
        assert shown.nested == sizes.nested.mean()
    result = best_subset(X, y, cv=4)
    drawn = selection_path(result, ax=Figure().subplots())
    np.testing.assert_array_equal(drawn.means, result.size_scores.means)
    assert np.isnan(drawn.nested)
    with pytest.raises(TypeError, match="result must be SizeScores"):
        selection_path(3)


def test_a_comparison_shows_intervals(data):
    X, y = data
    found = compare({"line": LinearRegression(), "ridge": Ridge(100.0)}, X, y, cv=5)
    shown = found.plot(ax=Figure().subplots())
    assert [t.get_text() for t in shown.ax_.get_yticklabels()] == ["line", "ridge"]
    np.testing.assert_allclose(shown.ax_.lines[2].get_xdata(), found.means)
    segments = shown.ax_.collections[0].get_segments()
    np.testing.assert_allclose([s[:, 0] for s in segments], found.intervals)
    with pytest.raises(TypeError, match="result must be what compare returned"):
        comparison(3)


def test_the_target_has_bias_and_variance(data):
    X, y = data
    parts = {
        "line": bias_variance(LinearRegression(), X, y, n_rounds=30, random_state=0),
        "ridge": bias_variance(Ridge(1000.0), X, y, n_rounds=30, random_state=0),
    }
    shown = bias_variance_target(parts, ax=Figure().subplots(1, 2))
    for shots, found in zip(shown.shots, parts.values(), strict=True):
        middle = shots.mean(axis=0)
        assert (middle**2).sum() == pytest.approx(found.bias)
        assert ((shots - middle) ** 2).sum(axis=1).mean() == pytest.approx(found.variance)
    assert shown.ax_[0].get_xlabel() == "line"
    assert np.array_equal(parts["line"].plot(ax=[Figure().subplots()]).shots[0], shown.shots[0])
    with pytest.raises(TypeError, match="result must be what bias_variance returned"):
        bias_variance_target(LinearDiscriminantAnalysis())
    with pytest.raises(ValueError, match="got an empty dict"):
        bias_variance_target({})

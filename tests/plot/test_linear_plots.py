# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of coefficients and of diagnostics: what is drawn is what the model says."""

import io

import numpy as np
import pytest
from numpy.testing import assert_allclose

from statfast import GeneralizedLinearModel, Lasso, LogisticRegression, NotFittedError
from statfast.datasets import load_iris
from statfast.plot import coefficients, diagnostics

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture
def figure():
    from matplotlib.figure import Figure

    return Figure()


@pytest.fixture(scope="module")
def iris():
    table = load_iris()
    return table.data[50:, :2], table.target[50:]


def drawn(ax):
    """The points of all markers, and the ends of all lines."""
    points = np.vstack([line.get_xydata() for line in ax.lines if line.get_marker() == "o"])
    ends = [path.vertices[:, 0] for lines in ax.collections for path in lines.get_paths()]
    return points[np.argsort(-points[:, 1])], np.array(sorted(map(tuple, ends)))


def test_coefficients_and_intervals(figure, iris):
    model = LogisticRegression().fit(*iris)
    ax = coefficients(model, ax=figure.subplots(), intercept=True, level=0.9).ax_
    points, ends = drawn(ax)
    assert_allclose(points[:, 0], np.append(model.intercept_, model.coef_))
    assert_allclose(ends, np.sort(model.conf_int(level=0.9), axis=0))
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == ["(Intercept)", "x0", "x1"]


def test_coefficients_without_an_intercept(figure, iris):
    model = LogisticRegression(fit_intercept=False).fit(*iris)
    ax = coefficients(model, ax=figure.subplots(), intercept=True).ax_
    assert_allclose(drawn(ax)[0][:, 0], model.coef_[0])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["x0", "x1"]


def test_odds_ratios_on_a_logarithmic_axis(figure, iris):
    model = LogisticRegression().fit(*iris)
    ends = np.array([[np.nan, np.nan], [1.0, 3.0], [-1.0, 2.0]])
    ax = coefficients(model, scale="ratio", ax=figure.subplots(), intervals=ends).ax_
    points, shown = drawn(ax)
    assert_allclose(points[:, 0], np.exp(model.coef_[0]))
    assert_allclose(shown, np.exp([[-1.0, 2.0], [1.0, 3.0]]))
    assert ax.get_xscale() == "log"
    figure.canvas.draw()


def test_models_without_inference_are_drawn_without_intervals(figure, iris):
    X, y = iris
    for model in (LogisticRegression(C=1.0), Lasso(alpha=0.01)):
        shown = coefficients(model.fit(X, y), ax=figure.subplots())
        assert_allclose(shown.values, np.ravel(model.coef_))
        assert np.isnan(shown.intervals).all()
        points, ends = drawn(shown.ax_)
        assert_allclose(np.sort(points[:, 0]), np.sort(np.ravel(model.coef_)))
        assert not len(ends)
        assert shown.ax_.get_xlabel() == "coefficient"
        figure.clear()
    shown = coefficients(model, intercept=True, ax=figure.subplots())
    assert_allclose(shown.values, [model.intercept_, *model.coef_])
    assert shown.names == ["(Intercept)", "x0", "x1"]


def test_classes_have_a_color_each(figure):
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(C=1.0).fit(X, y)
    shown = coefficients(model, ax=figure.subplots())
    assert_allclose(shown.values, model.coef_)
    texts = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert texts == ["0", "1", "2"]
    with pytest.raises(ValueError, match="got a model of 3 classes"):
        coefficients(model, intervals=np.ones((4, 2)), ax=figure.subplots())


@pytest.mark.parametrize("model", [GeneralizedLinearModel(), LogisticRegression()])
def test_four_pictures(model, figure, iris):
    X, y = iris
    model.fit(X, y)
    axes = diagnostics(model, X, y, ax=figure.subplots(2, 2), n_labels=2).ax_
    found = model.influence(X, y)
    points = [
        next(line for line in ax.lines if line.get_marker() == "o").get_xydata() for ax in axes
    ]
    assert_allclose(points[0], np.column_stack([found.linear_predictor, model.residuals(X, y)]))
    assert_allclose(points[1][:, 1], found.standardized)
    assert (np.diff(points[1][np.argsort(found.standardized, kind="stable"), 0]) > 0).all()
    assert_allclose(points[2][:, 1] ** 2, np.abs(found.standardized))
    assert_allclose(points[3], np.column_stack([found.leverage, found.standardized_pearson]))
    labels = [text.get_text() for text in axes[3].texts]
    assert labels == [str(row) for row in np.argsort(-found.cooks_distance, kind="stable")[:2]]
    figure.canvas.draw()


def test_a_new_figure():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 1)), rng.standard_normal(20)
    axes = diagnostics(GeneralizedLinearModel().fit(X, y), X, y, n_labels=0).ax_
    assert len(axes) == 4
    matplotlib.pyplot.close("all")


def test_diagnostics_are_of_one_response_a_row():
    iris = load_iris()
    X, y = iris.data[:, 1:2], iris.target
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="one residual a row; got 3, one for each class"):
        diagnostics(model, X, y)


def test_coefficients_want_a_fitted_model():
    for model, error in (
        (LogisticRegression(), NotFittedError),
        (3, TypeError),
        (Lasso(), NotFittedError),
        (load_iris(), TypeError),
    ):
        with pytest.raises(error):
            coefficients(model)


@pytest.mark.parametrize("ends", [[[1.0, 2.0], [3.0]], [[1.0, 2.0]], [10**400], 1.0])
def test_intervals_are_two_numbers_a_coefficient(ends, figure, iris):
    with pytest.raises((TypeError, ValueError), match="intervals must"):
        coefficients(LogisticRegression().fit(*iris), ax=figure.subplots(), intervals=ends)


@pytest.mark.parametrize("scale", ["coefficient", "ratio"])
def test_intervals_without_an_end_reach_to_the_edge(scale, figure, iris):
    inf = np.inf
    model = LogisticRegression().fit(*iris)
    given = np.array([[0, 0], [-inf, 1.0], [-3.0, inf]])
    shown = coefficients(model, intervals=given, scale=scale, ax=figure.subplots())
    figure.savefig(io.BytesIO())
    low, high = shown.ax_.get_xlim()
    _, ends = drawn(shown.ax_)
    one, three = np.exp([1.0, -3.0]) if scale == "ratio" else (1.0, -3.0)
    assert np.isfinite([low, high]).all()
    assert_allclose(ends, [[low, one], [three, high]])
    assert_allclose(shown.intervals, np.exp(given[1:]) if scale == "ratio" else given[1:])


@pytest.mark.parametrize("end", [np.inf, np.nan, 1e308])
def test_no_interval_has_an_end(end, figure, iris):
    ends = np.array([[-end, end]] * 3)
    shown = coefficients(LogisticRegression().fit(*iris), intervals=ends, ax=figure.subplots())
    figure.savefig(io.BytesIO())
    points, _ = drawn(shown.ax_)
    low, high = shown.ax_.get_xlim()
    assert (low < points[:, 0]).all()
    assert (points[:, 0] < high).all()


@pytest.mark.parametrize("model", [2.5, None, "glm", Lasso()])
def test_diagnostics_are_of_a_linear_model(model, iris):
    with pytest.raises(TypeError, match="model must be a linear model with influence"):
        diagnostics(model, *iris)


def test_intervals_of_a_model_whose_terms_have_no_names(figure):
    X = np.arange(12.0).reshape(6, 2) ** 2
    ends = np.array([[0.0, 1.0], [1.0, 2.0], [3.0, 4.0]])
    shown = coefficients(Lasso().fit(X, X[:, 0]), intervals=ends, ax=figure.subplots())
    assert_allclose(shown.intervals, ends[1:])
    assert shown.names == ["x0", "x1"]


def test_diagnostics_of_weights_and_exposures(figure):
    rng = np.random.default_rng(0)
    X, time, weights = rng.normal(size=(50, 2)), rng.uniform(1, 5, 50), rng.integers(1, 4, 50)
    y = rng.poisson(np.exp(0.5 * X[:, 0]) * time)
    model = GeneralizedLinearModel("poisson").fit(X, y, weights, exposure=time)
    axes = figure.subplots(2, 2)
    with pytest.raises(ValueError, match="was fitted with sample_weight and exposure"):
        diagnostics(model, X, y, ax=axes)
    with pytest.raises(ValueError, match="was fitted with exposure"):
        diagnostics(model, X, y, sample_weight=weights, ax=axes)
    shown = diagnostics(model, X, y, sample_weight=weights, exposure=time, ax=axes)
    assert_allclose((shown.residuals**2).sum(), model.deviance_, rtol=1e-8)
    assert_allclose(shown.leverage.sum(), 3.0, rtol=1e-8)
    means = np.exp(model.intercept_ + X @ model.coef_) * time
    assert_allclose(np.exp(shown.linear_predictor), means, rtol=1e-10)

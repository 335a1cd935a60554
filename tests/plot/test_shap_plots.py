# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of Shapley values: what is drawn is what is told."""

from dataclasses import replace

import numpy as np
import pytest

import statfast as sf
from statfast.inspection import shap_values

figure = pytest.importorskip("matplotlib.figure")
plot = pytest.importorskip("statfast.plot")


@pytest.fixture(scope="module")
def explanations():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 12))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 2] * 2 - X[:, 7])
    number = sf.RandomForestRegressor(5, random_state=0).fit(X, y)
    classes = sf.RandomForestClassifier(5, random_state=0).fit(X, np.digitize(y, [-1, 1]))
    return shap_values(number, X), shap_values(classes, X)


def axes():
    return figure.Figure().subplots()


def test_swarms(explanations):
    number, classes = explanations
    shown = number.plot(ax=axes(), s=3)
    assert shown.names[:2] == ["x2", "x7"]
    assert shown.values.shape == (300, 10)
    known = shown.ax_.collections[1]
    data = shown.data[:, 0]
    np.testing.assert_array_equal(known.get_offsets()[:, 0], shown.values[~np.isnan(data), 0])
    assert (np.abs(known.get_offsets()[:, 1]) < 0.5).all()
    np.testing.assert_array_equal(known.get_sizes(), [3])
    order = np.argsort(known.get_array(), kind="stable")
    assert (np.diff(data[~np.isnan(data)][order])[50:-50] >= 0).all()
    shown = plot.shap_beeswarm(classes, output="1", most=3, ax=axes())
    sizes = np.abs(classes.values[:, :, 1]).mean(axis=0)
    np.testing.assert_allclose(np.abs(shown.values).mean(axis=0), np.sort(sizes)[:-4:-1])
    with pytest.raises(ValueError, match="several rows"):
        plot.shap_beeswarm(number[0], ax=axes())
    with pytest.raises(ValueError, match="output must be"):
        plot.shap_beeswarm(classes, output=3, ax=axes())
    with pytest.raises(TypeError, match="shap_values"):
        plot.shap_beeswarm(number.values, ax=axes())


def test_many_rows_and_words(explanations):
    number, _ = explanations
    rows = np.arange(5000) % 300
    many = number[rows]
    many = replace(many, data=np.where(np.isnan(many.data), "none", "some").astype(object))
    shown = plot.shap_beeswarm(many, ax=axes())
    assert shown.ax_.collections[0].get_rasterized()
    assert len(shown.ax_.collections[0].get_offsets()) == 5000
    constant = replace(number, values=np.zeros((300, 12)), data=np.full((300, 12), np.nan))
    plot.shap_beeswarm(constant, ax=axes()).figure_.canvas.draw()


def test_bars(explanations):
    number, classes = explanations
    shown = plot.shap_bar(number, most=3, ax=axes())
    widths = [bar.get_width() for bar in shown.ax_.patches]
    np.testing.assert_allclose(widths, np.sort(np.abs(number.values).mean(axis=0))[:-4:-1])
    shown = plot.shap_bar(classes, most=4, ax=axes())
    assert shown.sizes.shape == (4, 3)
    assert len(shown.ax_.patches) == 12
    assert [text.get_text() for text in shown.ax_.get_legend().texts] == ["0", "1", "2"]
    assert plot.shap_bar(classes, output=0, ax=axes()).sizes.shape == (10, 1)
    assert classes[4].plot("bar", ax=axes()).sizes.shape == (10, 3)


def test_waterfalls(explanations):
    number, classes = explanations
    shown = plot.shap_waterfall(number, 4, ax=axes())
    assert shown.answer == pytest.approx(number.base_values[4] + number.values[4].sum())
    assert shown.ends[0] == pytest.approx(shown.answer)
    assert shown.ends[-1] - shown.values[-1] == pytest.approx(shown.base)
    assert shown.names[-1] == "3 other columns"
    assert len(shown.ax_.patches) == 10
    one = number[4].plot("waterfall", most=20, ax=axes())
    assert one.answer == pytest.approx(shown.answer)
    assert len(one.names) == 12
    assert plot.shap_waterfall(classes, output="0", ax=axes()).base == classes.base_values[0, 0]
    with pytest.raises(ValueError, match="row"):
        plot.shap_waterfall(number, 300, ax=axes())


def test_dependence(explanations):
    number, classes = explanations
    known = ~np.isnan(number.data[:, 2])
    shown = plot.shap_dependence(number, "x2", ax=axes())
    np.testing.assert_array_equal(shown.values, number.values[known, 2])
    np.testing.assert_array_equal(shown.data, number.data[known, 2])
    assert shown.shades is None
    shown = plot.shap_dependence(classes, 2, color="x7", output=0, ax=axes())
    assert shown.shades.shape == (known.sum(),)
    words = replace(number, data=np.where(number.data > 0, "more", "less").astype(object))
    shown = plot.shap_dependence(words, 0, color=1, ax=axes())
    assert [label.get_text() for label in shown.ax_.get_xticklabels()] == ["less", "more"]
    with pytest.raises(ValueError, match="feature must be"):
        plot.shap_dependence(number, "x99", ax=axes())
    with pytest.raises(ValueError, match="color must be"):
        plot.shap_dependence(number, 0, color="x99", ax=axes())


def test_interactions_are_drawn_as_sums():
    X = np.random.default_rng(0).normal(size=(40, 3))
    model = sf.RandomForestRegressor(5, random_state=0).fit(X, X[:, 0] * X[:, 1])
    pairs = shap_values(model, X, interactions=True)
    want = shap_values(model, X)
    shown = plot.shap_dependence(pairs, 1, ax=axes())
    np.testing.assert_allclose(shown.values, want.values[:, 1], atol=1e-12)
    np.testing.assert_allclose(pairs.table()[:, 0], want.table()[:, 0])

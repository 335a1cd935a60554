# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of principal components: what they show, and what they refuse."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from statfast import PCA, choose_components
from statfast.datasets import load_digits, load_iris

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from statfast import plot

IRIS = load_iris()


def axes():
    return Figure().subplots()


def test_scree():
    chosen = choose_components(IRIS.data, random_state=0)
    drawn = chosen.plot(ax=axes(), color="k")
    lines = drawn.ax_.get_lines()
    assert lines[0].get_color() == "k"
    assert_allclose(lines[0].get_ydata(), chosen.eigenvalues)
    assert_allclose(lines[1].get_ydata(), chosen.broken_stick * chosen.eigenvalues.sum())
    assert_allclose(lines[2].get_ydata(), chosen.reference)
    alone = plot.scree(PCA().fit(IRIS.data), ax=axes())
    assert len(alone.ax_.get_lines()) == 1
    with pytest.raises(TypeError, match="choice must be what choose_components returned"):
        plot.scree([1.0, 2.0])


def test_scores_and_biplot():
    model = PCA().fit(IRIS.data)
    drawn = plot.component_scores(model, IRIS.data, IRIS.target, components=(1, 2), ax=axes())
    assert_allclose(drawn.scores, model.transform(IRIS.data)[:, [1, 2]])
    assert len(drawn.ax_.collections) == 3
    assert drawn.ax_.get_xlabel() == "component 2 (5.3 %)"
    both = plot.biplot(model, IRIS.data, feature_names=IRIS.feature_names, ax=axes())
    cosine = (both.arrows * model.loadings_[:, :2]).sum(1)
    lengths = np.linalg.norm(both.arrows, axis=1) * np.linalg.norm(model.loadings_[:, :2], axis=1)
    assert_allclose(cosine, lengths)
    assert {text.get_text() for text in both.ax_.texts} == set(IRIS.feature_names)
    assert both.plot(ax=axes()).ax_ is not drawn.ax_
    with pytest.raises(ValueError, match="components must be between 0 and 3"):
        plot.biplot(model, IRIS.data, components=(0, 4))
    with pytest.raises(TypeError, match="model must be a PCA"):
        plot.biplot(IRIS, IRIS.data)
    with pytest.raises(ValueError, match="not fitted"):
        plot.component_scores(PCA(), IRIS.data)
    for components in (1, np.array(1), None, [0]):
        with pytest.raises(ValueError, match="components must be two"):
            plot.component_scores(model, IRIS.data, components=components)
    with pytest.raises(ValueError, match="names must name the 4 columns"):
        plot.biplot(model, IRIS.data, feature_names=["a"])


def test_correlation_circle():
    model = PCA(correlation=True).fit(IRIS.data)
    drawn = plot.correlation_circle(model, ax=axes())
    assert_allclose(drawn.correlations, model.variable_correlations()[:, :2])
    assert (np.linalg.norm(drawn.correlations, axis=1) <= 1).all()


def test_reconstructions():
    X = load_digits().data
    model = PCA().fit(X)
    drawn = plot.reconstructions(model, X[:3], (8, 8), n_components=(0, 10, 64), ax=axes())
    assert drawn.images.shape == (3, 4, 64)
    assert_allclose(drawn.images[:, 0], X[:3])
    assert_allclose(drawn.images[:, 1], np.tile(model.mean_, (3, 1)))
    assert_allclose(drawn.images[:, 3], X[:3], atol=1e-10)
    assert [t.get_text() for t in drawn.ax_.get_xticklabels()][1] == "0"
    with pytest.raises(ValueError, match="shape must be that of 64 columns"):
        plot.reconstructions(model, X[:3], (8, 9))


@pytest.mark.parametrize("names", [("", "a"), ("_b", "a")])
def test_classes_that_a_legend_would_leave_out(names):
    from matplotlib.figure import Figure

    X, y = np.random.default_rng(0).normal(size=(8, 2)), np.repeat(names, 4)
    ax = plot.biplot(PCA().fit(X), X, y, ax=Figure().subplots()).ax_
    assert len(ax.get_legend().get_texts()) == 2

# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of normal classes: contours, canonical variates, regions, and the grid of shares."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from statfast import (
    BayesClassifier,
    GaussianNB,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    MultivariateNormal,
    MultivariateT,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    RegularizedDiscriminantAnalysisCV,
)
from statfast._validation import NotFittedError
from statfast.datasets import load_wine
from statfast.plot import canonical_variates, decision_regions, density_contours, rda_grid

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

WINE = load_wine()
X, Y = WINE.data[:, [0, 6]], np.array(WINE.target_names)[WINE.target]


@pytest.mark.parametrize(
    "model",
    [
        QuadraticDiscriminantAnalysis(store_covariance=True),
        RegularizedDiscriminantAnalysis(0.4, 0.1, store_covariance=True),
        LinearDiscriminantAnalysis(store_covariance=True),
    ],
)
def test_contours_are_those_of_the_classes(model, ax):
    model.fit(X, Y)
    shown = density_contours(model, X, Y, contents=[0.9, 0.5], ax=ax, linewidth=2.5)
    assert shown.ax_ is ax
    assert shown.figure_ is ax.figure
    assert_array_equal(shown.contents, [0.5, 0.9])
    for k in range(3):
        S = model.covariance_[k] if isinstance(model.covariance_, list) else model.covariance_
        normal = MultivariateNormal.of(model.means_[k], S)
        for outline, content in zip(shown.ellipses[k], (0.5, 0.9), strict=True):
            radius2 = normal.ellipsoid(content).radius2
            assert_allclose(normal.mahalanobis(outline), radius2, rtol=1e-6)
    assert len(ax.lines) == 6
    assert ax.lines[0].get_linewidth() == 2.5
    assert [text.get_text() for text in ax.get_legend().get_texts()] == sorted(set(Y))
    assert ax.get_xlabel() == "feature 0"


@pytest.mark.parametrize("model", [GaussianNB(), BayesClassifier(MultivariateNormal())])
def test_contours_of_densities(model, ax):
    model.fit(X, Y)
    shown = density_contours(model, X, Y, contents=[0.8], ax=ax)
    for k in range(3):
        mine = X[model.classes_[k] == Y]
        S = np.cov(mine.T) if hasattr(model, "densities_") else np.diag(mine.var(axis=0))
        normal = MultivariateNormal.of(mine.mean(axis=0), S)
        radius2 = normal.ellipsoid(0.8).radius2
        assert_allclose(normal.mahalanobis(shown.ellipses[k][0]), radius2, rtol=1e-5)
    assert shown.labels == sorted(set(Y))


def test_contours_of_t_distributions(ax):
    model = MultivariateT(3.0).fit(X)
    shown = density_contours(model, X, contents=[0.5, 0.9], ax=ax)
    assert_allclose(shown.means, model.location_[None])
    for outline, content in zip(shown.ellipses[0], (0.5, 0.9), strict=True):
        assert_allclose(model.mahalanobis(outline), model.ellipsoid(content).radius2, rtol=1e-6)
    classes = BayesClassifier(MultivariateT(3.0)).fit(X, Y)
    of_classes = density_contours(classes, X, Y, contents=[0.8])
    for k, density in enumerate(classes.densities_):
        squares = density.mahalanobis(of_classes.ellipses[k][0])
        assert_allclose(squares, density.ellipsoid(0.8).radius2, rtol=1e-6)
    assert of_classes.labels == sorted(set(Y))
    with pytest.raises(NotFittedError):
        density_contours(MultivariateT())


def test_contours_of_one_distribution(ax):
    import pandas

    table = pandas.DataFrame(X, columns=["alcohol", "flavanoids"])
    normal = MultivariateNormal().fit(table)
    shown = density_contours(normal, table, ax=ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("alcohol", "flavanoids")
    assert ax.get_legend() is None
    assert shown.labels == [""]
    again = shown.plot()
    assert again.ax_ is not ax


def test_canonical_variates_and_their_ellipses(ax):
    model = LinearDiscriminantAnalysis().fit(WINE.data, Y)
    shown = canonical_variates(model, WINE.data, Y, content=0.8, ax=ax, s=30.0)
    assert_allclose(shown.variates, model.transform(WINE.data))
    for k, label in enumerate(model.classes_):
        some = shown.variates[label == Y]
        normal = MultivariateNormal().fit(some)
        radius2 = normal.ellipsoid(0.8).radius2
        assert_allclose(normal.mahalanobis(shown.ellipses[k]), radius2, rtol=1e-8)
        assert_allclose(shown.means[k], some.mean(axis=0))
    assert ax.collections[0].get_sizes()[0] == 30.0
    assert ax.get_xlabel() == "canonical variate 1 (68.7%)"
    turned = canonical_variates(model, WINE.data, Y, components=(1, 0))
    assert_array_equal(turned.variates, shown.variates[:, ::-1])


def test_one_canonical_variate(ax):
    some = Y[0] != Y
    model = LinearDiscriminantAnalysis().fit(WINE.data[some], Y[some])
    shown = canonical_variates(model, WINE.data[some], Y[some], ax=ax)
    assert shown.variates.shape == (119, 1)
    assert [text.get_text() for text in ax.get_yticklabels()] == sorted(set(Y[some]))


def test_regions_of_quadratic_rules(ax):
    for model in (QuadraticDiscriminantAnalysis(), RegularizedDiscriminantAnalysis(0.3, 0.2)):
        decision_regions(model.fit(X, Y), X, Y, ax=ax, resolution=60)
    assert len(ax.images) == 2


def test_grid(ax):
    model = RegularizedDiscriminantAnalysisCV([0.0, 0.5, 1.0], [0.0, 0.4]).fit(X, Y)
    shown = rda_grid(model, ax=ax, cmap="magma")
    assert_array_equal(shown.values, model.errors_)
    assert shown.chosen == (model.alpha_, model.gamma_)
    assert ax.images[0].get_cmap().name == "magma"
    assert [text.get_text() for text in ax.get_yticklabels()] == ["0", "0.5", "1"]
    at = ax.collections[0].get_offsets()[0]
    assert model.errors_[int(at[1]), int(at[0])] == model.errors_.min()
    loss = rda_grid(model, quantity="log loss")
    assert_array_equal(loss.values, model.log_losses_)


def test_refusals():
    wide = MultivariateNormal.of(np.zeros(3), np.eye(3))
    with pytest.raises(ValueError, match="model must have 2 columns"):
        density_contours(wide)
    with pytest.raises(TypeError, match="model must be"):
        density_contours(KNeighborsClassifier().fit(X, Y))
    with pytest.raises(ValueError, match="Fit it with store_covariance=True"):
        density_contours(LinearDiscriminantAnalysis().fit(X, Y))
    flat = MultivariateNormal.of(np.zeros(2), np.eye(2))
    with pytest.raises(ValueError, match="contents must be less than 1"):
        density_contours(flat, contents=[1.0])
    with pytest.raises(ValueError, match="X must have 2 columns"):
        density_contours(flat, np.zeros((4, 3)))
    with pytest.raises(AttributeError, match="not fitted"):
        density_contours(MultivariateNormal())
    model = LinearDiscriminantAnalysis().fit(WINE.data, Y)
    for components in ((0, 2), 1, np.array(1), (), None, [0, [1]]):
        with pytest.raises(ValueError, match="components must be two of the 2 variates"):
            canonical_variates(model, WINE.data, Y, components=components)
    with pytest.raises(TypeError, match="LinearDiscriminantAnalysis"):
        canonical_variates(flat, X, Y)
    with pytest.raises(TypeError, match="RegularizedDiscriminantAnalysisCV"):
        rda_grid(model)
    search = RegularizedDiscriminantAnalysisCV([0.5], [0.5]).fit(X, Y)
    with pytest.raises(ValueError, match="quantity"):
        rda_grid(search, quantity="accuracy")

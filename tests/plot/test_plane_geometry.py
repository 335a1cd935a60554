# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of projections on lines, and of neighbors, have the geometry that they show."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("matplotlib")

from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

import statfast as sf
from statfast.datasets import load_iris
from statfast.plot import nearest, projection

IRIS = load_iris()
X, Y = IRIS.data[:, 2:], np.array(IRIS.target_names)[IRIS.target]


def segments(ax):
    return [c.get_segments() for c in ax.collections if isinstance(c, LineCollection)]


@pytest.mark.parametrize("direction", [(1.0, 2.0), [-3.0, 0.0], np.array([0.0, -1e-200])])
def test_feet_are_the_nearest_points_of_the_line(ax, direction):
    shown = projection(X, Y, direction, ax=ax)
    d = np.asarray(direction) / np.max(np.abs(direction))
    assert shown.direction @ shown.direction == pytest.approx(1.0)
    assert abs(shown.direction @ d) == pytest.approx(np.sqrt(d @ d))  # parallel
    assert shown.direction[0] > 0 or (shown.direction[0] == 0 and shown.direction[1] > 0)
    assert_allclose(shown.center, X.mean(axis=0))
    assert_allclose((X - shown.feet) @ shown.direction, 0, atol=1e-12)
    assert_allclose(shown.feet, shown.center + shown.scores[:, None] * shown.direction)
    drawn = np.concatenate(segments(ax))
    assert_allclose(np.sort(drawn[:, 1], axis=0), np.sort(shown.feet, axis=0))
    assert_allclose(np.sort(drawn[:, 0], axis=0), np.sort(X, axis=0))
    assert ax.get_aspect() == 1.0


def test_the_strip_has_the_histograms_of_the_scores(ax):
    shown = projection(X, Y, [1.0, 1.0], ax=ax)
    (strip,) = (child for child in ax.child_axes if child.get_gid() == "strip")
    counts = [patch.get_data().values for patch in strip.patches]
    assert [c.sum() for c in counts] == [50, 50, 50]
    means = [shown.scores[name == Y].mean() for name in np.unique(Y)]
    assert_allclose([line.get_xdata()[0] for line in strip.lines], means)
    assert max(ax.get_yticks()) <= max(X[:, 1].max(), shown.feet[:, 1].max()) + 0.2


def test_directions_of_models(ax):
    one = Y != "setosa"
    lda = sf.LinearDiscriminantAnalysis().fit(X[one], Y[one])
    w = lda.scalings_[:, 0]
    shown = projection(X[one], Y[one], lda, ax=ax)
    assert_allclose(shown.direction, np.sign(w[0]) * w / np.sqrt(w @ w))
    pca = sf.PCA().fit(X)
    for component in (0, 1):
        shown = projection(X, None, pca, component=component, ax=Figure().subplots())
        v = pca.components_[component]
        assert_allclose(shown.direction, np.sign(v[0]) * v)
        assert shown.scores.var(ddof=1) == pytest.approx(pca.explained_variance_[component])
    logistic = sf.LogisticRegression(C=1.0).fit(X[one], Y[one])
    shown = projection(X[one], Y[one], logistic, ax=Figure().subplots())
    assert shown.direction @ logistic.coef_[0] == pytest.approx(
        np.sqrt((logistic.coef_**2).sum()))  # fmt: skip


def test_points_without_classes_have_no_legend(ax):
    projection(X, None, [1.0, 0.0], feet=False, ax=ax)
    assert ax.get_legend() is None
    assert not segments(ax)
    labeled = projection(X, Y, [1.0, 0.0], ax=Figure().subplots()).ax_
    assert [t.get_text() for t in labeled.get_legend().get_texts()] == list(np.unique(Y))


def test_scales_that_differ_are_not_made_equal(ax):
    projection(X * [1.0, 100.0], Y, [0.0, 1.0], ax=ax)
    assert ax.get_aspect() == "auto"


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"X": IRIS.data}, ValueError, "X must have 2 columns, .*; got 4"),
        ({"X": X * np.nan}, ValueError, "X contains NaN"),
        ({"y": Y[:2]}, ValueError, "y must have one label per row"),
        ({"direction": [0.0, 0.0]}, ValueError, "direction must not be zero"),
        ({"direction": [1.0, 0.0, 0.0]}, ValueError, "direction must have 2 numbers"),
        ({"direction": "right"}, TypeError, "direction must be"),
        ({"direction": sf.PCA()}, sf.NotFittedError, "PCA"),
        (
            {"direction": sf.KMeans(2, random_state=0).fit(X)},
            TypeError,
            "direction must be numbers",
        ),
        ({"direction": sf.PCA().fit(IRIS.data)}, ValueError, "direction must have 2 numbers"),
        ({"direction": sf.PCA().fit(X), "component": 2}, ValueError, "component must be between 0"),
        ({"feet": "no"}, TypeError, "feet must be"),
        ({"point_size": -1.0}, ValueError, "point_size must be at least 0"),
        ({"colors": ["red"]}, ValueError, "colors must hold one for each of 3 classes"),
    ],
)
def test_projections_refused(ax, change, error, words):
    given = {"X": X, "y": Y, "direction": [1.0, 1.0], "ax": ax, **change}
    with pytest.raises(error, match=words):
        projection(given.pop("X"), given.pop("y"), given.pop("direction"), **given)


# ------------------------------------------------------------------ neighbors
NORMS = {
    ("euclidean", None): lambda d: np.sqrt((d * d).sum(axis=1)),
    ("manhattan", None): lambda d: np.abs(d).sum(axis=1),
    ("chebyshev", None): lambda d: np.abs(d).max(axis=1),
    ("minkowski", 3): lambda d: (np.abs(d) ** 3).sum(axis=1) ** (1 / 3),
}


@pytest.mark.parametrize("metric", NORMS)
def test_the_ball_reaches_to_the_last_neighbor(ax, metric):
    name, p = metric
    model = sf.KNeighborsClassifier(4, metric=name, **({} if p is None else {"p": p})).fit(X, Y)
    queries = [[2.4, 0.8], [5.0, 1.7]]
    shown = nearest(model, X, Y, queries, ax=ax)
    distances, indices = model.kneighbors(queries)
    assert_array_equal(shown.indices, indices)
    assert_array_equal(shown.radii, distances[:, -1])
    for q, radius, outline in zip(queries, shown.radii, shown.outlines, strict=True):
        assert_allclose(NORMS[metric](outline - q), radius)
        within = NORMS[metric](X - q) < radius
        assert within.sum() <= 3
    assert_array_equal(shown.predictions, model.predict(queries))
    lines = segments(ax)
    assert_allclose(lines[0][2], [queries[0], X[indices[0, 2]]])
    star = ax.collections[-1]
    assert_array_equal(star.get_offsets(), queries)
    dots = {
        c.get_label(): c.get_facecolors()[0] for c in ax.collections if len(c.get_offsets()) == 0
    }
    assert_allclose(star.get_facecolors()[1], dots[shown.predictions[1]])


def test_the_ball_of_a_covariance_is_an_ellipse(ax):
    V = np.cov(X.T)
    model = sf.NearestNeighbors(n_neighbors=3, metric="mahalanobis", metric_params={"V": V}).fit(X)
    shown = nearest(model, X, None, [2.4, 0.8], ax=ax)
    d = shown.outlines[0] - [2.4, 0.8]
    assert_allclose(np.sqrt((d @ np.linalg.inv(V) * d).sum(axis=1)), shown.radii[0])
    assert shown.predictions is None


def test_a_metric_that_is_no_norm_has_no_ball(ax):
    model = sf.NearestNeighbors(n_neighbors=3, metric="cosine").fit(X)
    assert nearest(model, X, Y, [2.4, 0.8], ax=ax).outlines == []


def test_targets_of_a_regressor_are_shades(ax):
    model = sf.KNeighborsRegressor(5).fit(X, IRIS.data[:, 0])
    shown = nearest(model, X, IRIS.data[:, 0], [4.0, 1.0], ax=ax)
    assert_allclose(shown.predictions, IRIS.data[shown.indices[0], 0].mean())
    assert [a.get_ylabel() for a in ax.figure.axes] == ["feature 1", "target"]
    with pytest.raises(ValueError, match="y must have 150 targets, as X; got 3"):
        nearest(model, X, [1.0, 2.0, 3.0], [4.0, 1.0])


def test_other_numbers_of_neighbors(ax):
    model = sf.KNeighborsClassifier(3).fit(X, Y)
    shown = nearest(model, X, Y, [4.0, 1.0], n_neighbors=9, ax=ax)
    assert shown.indices.shape == (1, 9)
    assert shown.predictions is None  # the model's are of three


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"model": sf.PCA().fit(X)}, TypeError, "model must be a fitted nearest-neighbor model"),
        ({"model": sf.KNeighborsClassifier()}, sf.NotFittedError, "KNeighborsClassifier"),
        ({"X": IRIS.data}, ValueError, "X must have 2 columns"),
        ({"X": X[:9]}, ValueError, "X must be the 150 rows that the model was fitted to; got 9"),
        ({"y": Y[:2]}, ValueError, "y must have one label per row"),
        ({"query": [1.0, 2.0, 3.0]}, ValueError, "query must have 2 columns"),
        ({"query": [np.nan, 2.0]}, ValueError, "query contains NaN"),
        ({"n_neighbors": 0}, ValueError, "n_neighbors must be"),
        ({"point_size": "large"}, TypeError, "point_size must be a number"),
    ],
)
def test_neighbors_refused(ax, change, error, words):
    given = {"model": sf.KNeighborsClassifier(3).fit(X, Y), "X": X, "y": Y, "query": [4.0, 1.0]}
    given |= {"ax": ax, **change}
    with pytest.raises(error, match=words):
        nearest(**given)


@pytest.mark.parametrize("value", [0.0, 3.0, 3e150])
def test_a_column_of_one_value_has_a_width(ax, value):
    rows = np.column_stack([np.arange(5.0), np.full(5, value)])
    projection(rows, None, [1.0, 0.0], ax=ax)
    low, high = ax.get_ylim()
    assert low < value < high

# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of decision regions."""

import numpy as np
import pytest

from statfast import KNeighborsClassifier, LinearDiscriminantAnalysis
from statfast.datasets import load_iris
from statfast.plot import decision_regions

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def iris():
    table = load_iris()
    return table.data[:, 2:], np.array(table.target_names)[table.target]


def painted(ax):
    """The color index of each point asked."""
    image = ax.images[0].get_array()
    return np.unique(image.reshape(-1, 3), axis=0, return_inverse=True)[1].reshape(image.shape[:2])


def lines(ax):
    """The points of the boundary lines."""
    paths = [
        path for drawn in ax.collections if hasattr(drawn, "levels") for path in drawn.get_paths()
    ]
    return np.vstack([path.vertices for path in paths if len(path.vertices)])


def test_regions_are_those_of_predict(ax, iris):
    X, y = iris
    model = KNeighborsClassifier(5).fit(X, y)
    assert decision_regions(model, X, y, ax=ax, resolution=40).ax_ is ax
    across, down = (np.linspace(*limits(), 40) for limits in (ax.get_xlim, ax.get_ylim))
    points = np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2)
    regions = painted(ax)
    for name in np.unique(y):
        codes = regions.reshape(-1)[model.predict(points) == name]
        assert len(set(codes.tolist())) == 1
    assert len(np.unique(regions)) == 3


def test_points_are_labeled_and_all_there(ax, iris):
    X, y = iris
    decision_regions(KNeighborsClassifier(5).fit(X, y), X, y, ax=ax, resolution=20)
    handles, labels = ax.get_legend_handles_labels()
    assert labels == ["setosa", "versicolor", "virginica"]
    shown = np.vstack([handle.get_offsets() for handle in handles])
    np.testing.assert_allclose(np.sort(shown, axis=0), np.sort(X, axis=0))
    assert ax.get_xlim()[0] < X[:, 0].min() < X[:, 0].max() < ax.get_xlim()[1]


def test_axes_are_labeled(ax, iris):
    X, y = iris
    decision_regions(KNeighborsClassifier().fit(X, y), X, y, ax=ax, resolution=9)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("feature 0", "feature 1")


def test_the_boundary_of_two_classes_is_where_the_posterior_is_one_half(ax, iris):
    X, y = iris[0][50:], iris[1][50:]
    model = LinearDiscriminantAnalysis().fit(X, y)
    decision_regions(model, X, y, ax=ax, resolution=60)
    np.testing.assert_allclose(model.predict_proba(lines(ax))[:, 0], 0.5, atol=0.01)


@pytest.mark.parametrize("ties", ["lowest", "nearest"])
def test_tied_shares_are_drawn_as_predicted(ax, ties):
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    model = KNeighborsClassifier(4, ties=ties).fit(X, [0, 1, 0, 1])
    decision_regions(model, X, [0, 1, 0, 1], ax=ax, resolution=31)
    if ties == "lowest":
        assert (painted(ax) == 0).all()
    else:
        np.testing.assert_allclose(lines(ax)[:, 0], 0.5, atol=0.04)


class Halves:
    """A classifier that has only predict, and labels of its own."""

    def predict(self, X):
        return np.where(X[:, 0] > 0, "right", "left")


def test_any_classifier_with_predict(ax):
    X = np.array([[-1.0, 2.0], [1.0, 2.0]])  # of no height
    decision_regions(Halves(), X, ["left", "elsewhere"], ax=ax, resolution=41)
    np.testing.assert_allclose(lines(ax)[:, 0], 0, atol=0.06)
    assert ax.get_legend_handles_labels()[1] == ["elsewhere", "left"]


def test_no_points(ax, iris):
    X, y = iris
    model = KNeighborsClassifier(5).fit(X, y)
    decision_regions(model, X, y, ax=ax, resolution=20, point_size=0)
    assert ax.get_legend_handles_labels() == ([], [])


def test_a_new_figure_is_made():
    from matplotlib import pyplot

    X = np.array([[0.0, 0.0], [1.0, 1.0]])
    ax = decision_regions(KNeighborsClassifier(1).fit(X, [0, 1]), X, [0, 1], resolution=9).ax_
    assert pyplot.gcf() is ax.figure
    pyplot.close(ax.figure)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"X": np.ones((150, 3))}, ValueError, "X must have 2 columns, .* got 3"),
        ({"X": np.full((150, 2), np.nan)}, ValueError, "X contains NaN"),
        ({"y": [1, 2]}, ValueError, "y must have one label per row"),
        ({"resolution": 1}, ValueError, "resolution must be at least 2"),
        ({"resolution": 2**31}, ValueError, "resolution must be between 2 and 1000000"),
        ({"resolution": 10**6}, MemoryError, "A picture of resolution=1000000 needs"),
        ({"resolution": 10.0}, TypeError, "resolution must be an integer"),
        ({"margin": -1}, ValueError, "margin must be at least 0"),
        ({"point_size": "large"}, TypeError, "point_size must be a number"),
        ({"colors": ["red"]}, ValueError, "colors must hold one for each of 3 classes; got 1"),
    ],
)
def test_arguments_refused(iris, ax, change, error, words):
    X, y = iris
    given = {"X": X, "y": y, "ax": ax, "resolution": 10, **change}
    with pytest.raises(error, match=words):
        decision_regions(KNeighborsClassifier(5).fit(X, y), **given)


def test_what_does_not_predict_has_no_regions():
    with pytest.raises(TypeError, match="model must be a fitted classifier"):
        decision_regions(3, [[1.0, 2.0]], [0])


def test_colors_come_in_a_list(iris):
    X, y = iris
    model = KNeighborsClassifier(5).fit(X, y)
    for colors in (1.5, {"red", "blue"}, np.array(1.0)):
        with pytest.raises(TypeError, match="colors must be a list of colors"):
            decision_regions(model, X, y, colors=colors, resolution=5)

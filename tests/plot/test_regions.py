# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of decision regions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

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
        ({"X": np.ones((150, 3))}, ValueError, "X must have 2 columns, .* or 1; got 3"),
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


# ------------------------------------------------------------------ one column
def upright(ax):
    return sorted(line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 2)


def test_regions_of_one_column_are_intervals(ax, iris):
    X, y = iris[0][:, :1], iris[1]
    model = LinearDiscriminantAnalysis().fit(X, y)
    shown = decision_regions(model, X, y, ax=ax, resolution=40)
    means = model.means_[:, 0]
    assert_allclose(shown.boundaries, (means[1:] + means[:-1]) / 2, atol=1e-9)
    assert_allclose(upright(ax), shown.boundaries)
    assert shown.up is None
    assert shown.response.tolist() == model.predict(shown.across[:, None]).tolist()
    bands = [patch for patch in ax.patches if patch.get_facecolor() != (1, 1, 1, 1)]
    assert len(bands) == 3
    assert [label.get_text() for label in ax.get_yticklabels()] == sorted(set(y))
    handles, labels = ax.get_legend_handles_labels()
    for row, (handle, label) in enumerate(zip(handles, labels, strict=True)):
        points = np.asarray(handle.get_offsets())
        assert_allclose(np.sort(points[:, 0]), np.sort(X[y == label, 0]))
        assert (np.abs(points[:, 1] - row) <= 0.25).all()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("feature 0", "class")


def test_one_column_of_a_single_decision(ax):
    shown = decision_regions(Halves(), [[1.0], [2.0]], ["right", "left"], ax=ax, resolution=5)
    assert len(shown.boundaries) == 0
    assert set(shown.response) == {"right"}


# ------------------------------------------------------------------ boundaries of other models
def test_a_second_boundary_is_where_that_model_decides(ax, iris):
    X, y = iris[0][50:], iris[1][50:]
    model, other = KNeighborsClassifier(5).fit(X, y), LinearDiscriminantAnalysis().fit(X, y)
    drawn = len(decision_regions(model, X, y, ax=ax, resolution=60).ax_.collections)
    ax = matplotlib.figure.Figure().subplots()
    decision_regions(model, X, y, ax=ax, resolution=60, reference=other)
    assert len(ax.collections) == drawn + 1
    added = [c for c in ax.collections if hasattr(c, "levels") and c.get_linewidth()[0] > 1]
    points = np.vstack([path.vertices for c in added for path in c.get_paths()])
    assert_allclose(other.predict_proba(points)[:, 0], 0.5, atol=0.01)
    assert ax.get_legend_handles_labels()[1] == ["reference", "versicolor", "virginica"]


def test_several_boundaries_have_their_names_and_dashes(ax, iris):
    X, y = iris
    models = {
        "five": KNeighborsClassifier(5).fit(X, y),
        "lda": LinearDiscriminantAnalysis().fit(X, y),
    }
    decision_regions(models["five"], X, y, ax=ax, resolution=30, reference=models)
    handles, labels = ax.get_legend_handles_labels()
    assert labels == ["five", "lda", "setosa", "versicolor", "virginica"]
    assert handles[0].get_linestyle() == handles[1].get_linestyle() == "--"
    assert handles[0]._dash_pattern != handles[1]._dash_pattern


def test_second_boundaries_of_one_column(ax, iris):
    X, y = iris[0][:, :1], iris[1]
    other = LinearDiscriminantAnalysis().fit(X, y)
    model = KNeighborsClassifier(5).fit(X, y)
    shown = decision_regions(model, X, y, ax=ax, reference=other)
    means = other.means_[:, 0]
    expected = [*shown.boundaries, *((means[1:] + means[:-1]) / 2)]
    assert_allclose(upright(ax), sorted(expected), atol=1e-9)


@pytest.mark.parametrize("reference", [3, KNeighborsClassifier, {"a": 3}])
def test_what_does_not_predict_has_no_boundary(ax, iris, reference):
    X, y = iris
    with pytest.raises(TypeError, match="reference must be a fitted model with predict"):
        decision_regions(Halves(), X, y, ax=ax, reference=reference)

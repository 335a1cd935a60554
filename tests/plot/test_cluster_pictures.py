# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of clusterings: what is drawn is what was computed."""

from itertools import pairwise

import numpy as np
import pytest

from statfast import DBSCAN, KMedoids, NotFittedError, choose_n_clusters, gap_statistic, metrics
from statfast.datasets import load_iris
from statfast.plot import clusters, elbow, gap, neighbor_distances, silhouette

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def iris():
    X = load_iris().data
    return X, KMedoids(3).fit(X)


def test_silhouettes_are_sorted_within_their_clusters(ax, iris):
    X, model = iris
    assert silhouette(X, model.labels_, ax=ax).ax_ is ax
    widths = metrics.silhouette_samples(X, model.labels_)
    assert len(ax.collections) == 3
    for code, drawn in enumerate(ax.collections):
        reach = drawn.get_paths()[0].vertices[:, 0]
        assert reach.max() == pytest.approx(widths[model.labels_ == code].max())
    texts = [text.get_text() for text in ax.texts]
    assert texts[0].startswith(f"0: {np.sum(model.labels_ == 0)} samples")
    assert f"{widths.mean():.2f}" in ax.get_title()


def test_clusters_and_medoids_are_where_they_are(ax, iris):
    X, model = iris
    clusters(X, model, columns=(2, 3), ax=ax)
    *points, centers = ax.collections
    for code, drawn in enumerate(points):
        assert np.array_equal(drawn.get_offsets(), X[model.labels_ == code][:, 2:])
    assert np.array_equal(centers.get_offsets(), X[model.medoid_indices_][:, 2:])
    ax.clear()
    assert len(clusters(X, model.labels_, ax=ax).ax_.collections) == 3


def test_gap_and_elbow_mark_the_number_taken(ax):
    X = np.concatenate([np.random.default_rng(0).normal(size=(30, 2)) + 9 * i for i in (0, 1)])
    found = choose_n_clusters(X, ks=range(1, 4), criterion="gap", n_boot=10, random_state=0)
    gap(found, ax=ax)
    assert np.allclose(ax.lines[0].get_ydata(), found.gap.gap)
    assert ax.lines[-1].get_xdata()[0] == found.gap.best()
    ax.clear()
    elbow(found, "silhouette", ax=ax)
    assert np.array_equal(ax.lines[0].get_ydata()[1:], found.scores["silhouette"][1:])
    assert ax.lines[-1].get_xdata()[0] == found.recommended


def test_bad_input(ax, iris):
    X, model = iris
    with pytest.raises(TypeError, match="result must be what gap_statistic returned"):
        gap(3, ax=ax)
    with pytest.raises(TypeError, match="Call choose_n_clusters with criterion='gap'"):
        gap(choose_n_clusters(X[:20], ks=[2]), ax=ax)
    with pytest.raises(TypeError, match="choice must be what choose_n_clusters returned"):
        elbow(gap_statistic(X[:20], k_max=2, n_boot=3), ax=ax)
    with pytest.raises(ValueError, match="score must be 'within', 'silhouette'"):
        elbow(choose_n_clusters(X[:20], ks=[2]), "aic", ax=ax)
    with pytest.raises(TypeError, match="score must be 'within', 'silhouette'"):
        elbow(choose_n_clusters(X[:20], ks=[2]), ["within"], ax=ax)
    with pytest.raises(ValueError, match="columns must be between 0 and the last column"):
        clusters(X, model, columns=(0, 4), ax=ax)
    with pytest.raises(TypeError, match="columns must be a pair"):
        clusters(X, model, columns=3, ax=ax)
    with pytest.raises(ValueError, match="centers must have 4 columns"):
        clusters(X, model.labels_, centers=[[0.0, 1.0]], ax=ax)
    with pytest.raises(NotFittedError, match="not fitted"):
        clusters(X, KMedoids(3), ax=ax)
    with pytest.raises(NotFittedError, match="not fitted"):
        silhouette(X, KMedoids(3), ax=ax)


def test_a_clusterer_in_place_of_labels(ax, iris):
    X, model = iris
    silhouette(X, model, metric="minkowski", p=3, ax=ax)
    expected = metrics.silhouette_score(X, model.labels_, metric="minkowski", p=3)
    assert f"{expected:.2f}" in ax.get_title()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_axes_are_named_by_columns(ax, iris, library):
    module = pytest.importorskip(library)
    columns = dict(zip(["a", "b", "c", "d"], iris[0].T.tolist(), strict=True))
    table = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    clusters(table, iris[1].labels_, columns=(1, 3), ax=ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("b", "d")


@pytest.mark.parametrize("count", [2, 25, 40, 120])
def test_texts_beside_silhouettes_do_not_meet(ax, count):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    sizes = np.where(np.arange(count) % 3, 2, 40)
    labels = np.repeat(np.arange(count), sizes)
    silhouette(np.random.default_rng(0).normal(size=(len(labels), 2)), labels, ax=ax)
    assert bool(ax.texts) == (count < 120)
    draw = FigureCanvasAgg(ax.figure).get_renderer()
    boxes, frame = [text.get_window_extent(draw) for text in ax.texts], ax.get_window_extent(draw)
    for upper, lower in pairwise(boxes):
        assert lower.y0 < upper.y0
        assert lower.y1 <= upper.y0 + 2  # what letters reach above their line
    for box in boxes:
        assert frame.y0 <= box.y0
        assert box.x1 <= frame.x1


def test_noise_is_gray_and_no_cluster(ax, iris):
    from matplotlib.colors import to_rgb

    X, _ = iris
    model = DBSCAN(eps=0.6, min_samples=8).fit(X)
    labels = model.labels_
    assert set(labels) == {-1, 0, 1}
    clusters(X, model, ax=ax, colors=["red", "blue"])
    noise, *drawn = ax.collections
    assert np.array_equal(noise.get_offsets(), X[labels < 0][:, :2])
    assert len(set(noise.get_facecolor()[0, :3])) == 1  # gray
    for code, (points, color) in enumerate(zip(drawn, ["red", "blue"], strict=True)):
        assert np.array_equal(points.get_offsets(), X[labels == code][:, :2])
        assert np.allclose(points.get_facecolor()[0, :3], to_rgb(color))
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["noise", "0", "1"]
    ax.clear()
    clusters(X, labels, noise_label=None, ax=ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["-1", "0", "1"]
    ax.clear()
    names = np.array(["none", "a", "b"])[labels + 1]
    clusters(X, names, noise_label="none", ax=ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["noise", "a", "b"]


def test_noise_alone_is_drawn(ax, iris):
    clusters(iris[0], np.full(150, -1), ax=ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["noise"]


def test_silhouettes_without_noise(ax, iris):
    X, _ = iris
    labels = DBSCAN(eps=0.6, min_samples=8).fit(X).labels_
    shown = silhouette(X, labels, noise_label=-1, ax=ax)
    assert np.isnan(shown.widths[labels < 0]).all()
    assert shown.mean == pytest.approx(metrics.silhouette_score(X, labels, noise_label=-1))
    assert len(ax.collections) == 2
    assert f"{np.mean(labels < 0):.1%} noise left out" in ax.get_title()
    ax.clear()
    silhouette(X, labels, ax=ax)
    assert len(ax.collections) == 3
    assert "noise" not in ax.get_title()


@pytest.mark.parametrize("min_samples", [1, 4, 150])
def test_rows_below_eps_are_core_rows(ax, iris, min_samples):
    X, _ = iris
    D = np.sort(np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)), axis=1)
    shown = neighbor_distances(X, min_samples, eps=0.5, ax=ax)
    assert np.allclose(ax.lines[0].get_ydata(), np.sort(D[:, min_samples - 1]))
    model = DBSCAN(eps=0.5, min_samples=min_samples).fit(X)
    assert shown.core == len(model.core_sample_indices_) / 150
    assert f"{shown.core:.1%} core rows" in ax.get_legend().get_texts()[0].get_text()
    ax.clear()
    assert neighbor_distances(D * 0 + 1 - np.eye(150), metric="precomputed", ax=ax).core is None
    assert (ax.lines[0].get_ydata() == 1).all()
    assert len(ax.lines) == 1


def test_bad_neighbor_distances(ax, iris):
    with pytest.raises(ValueError, match="min_samples must be between 1 and the number of rows"):
        neighbor_distances(iris[0], 151, ax=ax)
    with pytest.raises(ValueError, match="eps must be"):
        neighbor_distances(iris[0], eps=-1, ax=ax)

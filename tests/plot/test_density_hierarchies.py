# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of the hierarchy of HDBSCAN."""

import numpy as np
import pytest

from statfast import HDBSCAN, KMeans
from statfast.plot import condensed_tree, reachability

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(c, 0.3, (40, 2)) for c in (0.0, 2.0, 6.0)])


@pytest.fixture(scope="module")
def model(X):
    return HDBSCAN(min_cluster_size=10, min_samples=4).fit(X)


def area(corners):
    x, y = np.asarray(corners).T
    return abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def test_areas_are_stabilities(ax, model):
    shown = condensed_tree(model, ax=ax)
    paths = [path.vertices for path in ax.collections[0].get_paths()]
    tree = model.condensed_tree_
    excess = (tree["lambda_val"] - shown.birth[tree["parent"] - 120]) * tree["child_size"]
    stability = np.bincount(tree["parent"] - 120, excess)
    np.testing.assert_allclose([area(path) for path in paths], stability, rtol=1e-9)
    for c, path in enumerate(paths):
        assert path[:, 1].min() == pytest.approx(shown.birth[c])
        assert path[:, 1].max() == pytest.approx(shown.death[c])
        assert (path[:, 0].min() + path[:, 0].max()) / 2 == pytest.approx(shown.center[c])


def test_selected_clusters_have_colors(ax, model):
    shown = condensed_tree(model, colors=["red", "green", "blue"], ax=ax)
    inks = ax.collections[0].get_facecolors()[:, :3]
    wanted = np.array([[1, 0, 0], [0, 128 / 255, 0], [0, 0, 1]])
    for label, ink in zip(shown.labels, inks, strict=True):
        np.testing.assert_allclose(ink, wanted[label] if label >= 0 else [0.7] * 3)
    assert set(shown.labels) == {-1, 0, 1, 2}


def test_parts_stand_side_by_side(ax, model):
    shown = condensed_tree(model, ax=ax)
    tree = model.condensed_tree_
    splits = tree[tree["child"] >= 120]
    for parent in np.unique(splits["parent"]):
        parts = splits[splits["parent"] == parent]
        middle, size = shown.center[parts["child"] - 120], parts["child_size"]
        ends = np.sort(np.concatenate([middle - size / 2, middle + size / 2]))
        assert ends[1] == pytest.approx(ends[2])
        assert (ends[0] + ends[-1]) / 2 == pytest.approx(shown.center[parent - 120])


def test_a_line_cuts_the_picture_into_clusters(ax, model):
    shown = reachability(model, ax=ax)
    order = shown.order
    assert sorted(order) == list(range(120))
    assert shown.reachability[0] == np.inf
    for cut in (0.2, 0.5, 1.0):
        pieces = np.cumsum(shown.reachability > cut)
        labels = model.dbscan_clustering(cut, 1)[order]
        assert (pieces[:, None] == pieces).tolist() == (labels[:, None] == labels).tolist()
    inks = ax.collections[0].get_facecolors()[:, :3]
    gray = np.ptp(inks, axis=1) == 0
    np.testing.assert_array_equal(gray, model.labels_[order] < 0)


def test_equal_rows_weights_and_rows_that_are_left_out(ax):
    X = np.repeat([[0.0], [1.0], [5.0]], [20, 20, 3], axis=0)
    X[-1] = np.nan
    weight = np.ones(43)
    weight[0] = 0.0
    model = HDBSCAN().fit(X, sample_weight=weight)
    shown = reachability(model, ax=ax)
    assert sorted(shown.order) == list(range(1, 42))
    ax.clear()
    shown = condensed_tree(model, ax=ax)
    assert np.isinf(shown.death[1:]).all()
    assert np.isfinite(ax.get_ylim()).all()
    ax.clear()
    alone = HDBSCAN(min_samples=1).fit([[1.0]])
    assert condensed_tree(alone, ax=ax).labels.tolist() == [-1]
    assert reachability(alone, ax=ax).order.tolist() == [0]


@pytest.mark.parametrize("draw", [condensed_tree, reachability])
def test_wrong_arguments(draw, model):
    with pytest.raises(TypeError, match="HDBSCAN"):
        draw(KMeans(2, random_state=0).fit(np.arange(10.0)[:, None]))
    with pytest.raises(ValueError, match="fit"):
        draw(HDBSCAN())
    with pytest.raises(ValueError, match="colors must hold one for each of 3"):
        draw(model, colors=["red"])

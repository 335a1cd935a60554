# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of dendrograms."""

import numpy as np
import pytest

from statfast import cut_tree, leaves_list, linkage
from statfast.plot import dendrogram

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def Z():
    return linkage(np.random.default_rng(1).normal(size=(30, 2)), "average")


def paths(ax):
    return np.array(ax.collections[0].get_segments())


def test_merges_are_lines_at_their_heights(ax, Z):
    assert dendrogram(Z, ax=ax).ax_ is ax
    lines = paths(ax)
    assert lines.shape == (29, 4, 2)
    assert np.array_equal(lines[:, 1, 1], Z[:, 2])
    assert np.array_equal(lines[:, 2, 1], Z[:, 2])
    names = [text.get_text() for text in ax.get_xticklabels()]
    assert names == [str(leaf) for leaf in leaves_list(Z)]


@pytest.mark.parametrize("orientation", ["top", "bottom", "left", "right"])
def test_orientation(ax, Z, orientation):
    dendrogram(Z, orientation=orientation, height=1.0, ax=ax)
    up = paths(ax)[:, 1, 1 if orientation in ("top", "bottom") else 0]
    assert np.array_equal(up, Z[:, 2])
    limits = ax.get_ylim() if orientation in ("top", "bottom") else ax.get_xlim()
    assert (limits[0] < limits[1]) == (orientation in ("top", "right"))
    assert len(ax.lines) == 1


def test_clusters_have_colors_below_the_cut(ax, Z):
    dendrogram(Z, n_clusters=4, ax=ax)
    colors = ax.collections[0].get_colors()
    gray = (np.ptp(colors[:, :3], axis=1) == 0).sum()
    assert gray == 3
    several = (np.bincount(cut_tree(Z, 4)) > 1).sum()
    assert len(np.unique(colors, axis=0)) == several + 1
    (line,) = ax.lines
    assert Z[25, 2] < line.get_ydata()[0] < Z[26, 2]


def test_truncation(ax, Z):
    dendrogram(Z, max_leaves=5, labels=[f"row {i}" for i in range(30)], ax=ax)
    names = [text.get_text() for text in ax.get_xticklabels()]
    sizes = [int(name[1:-1]) if name[0] == "(" else 1 for name in names]
    assert len(names) == 5
    assert sum(sizes) == 30
    assert len(paths(ax)) == 4


def test_deep_and_large_trees(ax):
    n = 100_000
    Z = np.empty((n - 1, 4))
    Z[:, 0], Z[0, 0] = np.arange(n - 1) + n - 1, 0
    Z[:, 1], Z[:, 2], Z[:, 3] = np.arange(1, n), np.arange(1.0, n), np.arange(2, n + 1)
    dendrogram(Z, n_clusters=5, ax=ax)
    assert len(ax.collections[0].get_paths()) == n - 1
    assert len(ax.get_xticks()) == 0


def test_heights_that_fall_and_two_rows(ax):
    dendrogram([[0, 1, 2.0, 2], [2, 3, 1.5, 3]], height=1.8, ax=ax)
    assert len(ax.collections[0].get_colors()) == 2
    dendrogram([[0, 1, 0.0, 2]], n_clusters=1, ax=ax)


def test_bad_input(Z):
    with pytest.raises(ValueError, match="Only one of"):
        dendrogram(Z, n_clusters=2, height=1.0)
    with pytest.raises(ValueError, match="labels must name"):
        dendrogram(Z, labels=["a"])
    with pytest.raises(ValueError, match="orientation must be"):
        dendrogram(Z, orientation="up")
    with pytest.raises(ValueError, match="max_leaves must be"):
        dendrogram(Z, max_leaves=1)
    with pytest.raises(ValueError, match="at least one color"):
        dendrogram(Z, colors=[])
    with pytest.raises(TypeError, match="colors must be a sequence of colors"):
        dendrogram(Z, colors=3)


def test_labels_go_by_place():
    pandas = pytest.importorskip("pandas")
    from matplotlib.figure import Figure

    Z = linkage([[0.0], [1.0], [5.0], [7.0]], "average")
    names = pandas.Series(list("abcd"), index=[3, 2, 1, 0])
    ax = dendrogram(Z, labels=names, ax=Figure().subplots()).ax_
    assert [label.get_text() for label in ax.get_xticklabels()] == list("abcd")
    with pytest.raises(TypeError, match="labels must be a name for each of the 4 rows; got 5"):
        dendrogram(Z, labels=5)


def test_leaves_have_names_where_there_is_room(ax):
    from matplotlib.figure import Figure

    Z = linkage(np.random.default_rng(0).normal(size=(120, 2)), "average")
    assert len(dendrogram(Z, ax=ax).ax_.get_xticks()) == 0
    assert len(dendrogram(Z, ax=Figure((20, 5)).subplots()).ax_.get_xticks()) == 120
    tall = dendrogram(Z, orientation="left", ax=Figure((5, 20)).subplots()).ax_
    assert len(tall.get_yticks()) == 120
    assert tall.get_yticklabels()[0].get_size() < 8.1

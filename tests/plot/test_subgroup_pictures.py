# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of subgroups: points are sums that are counted here row by row."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from statfast import SubgroupDiscovery, plot
from statfast._validation import NotFittedError
from statfast.datasets import load_iris

IRIS = load_iris()


@pytest.fixture
def model():
    return SubgroupDiscovery(8, pos_label=1, direction="both").fit(IRIS.data, IRIS.target)


def test_points_are_covered_rows(model, ax):
    shown = plot.subgroups(model, ax=ax)
    covers = model.covers(IRIS.data)
    np.testing.assert_allclose(shown.y, covers[IRIS.target == 1].sum(axis=0))
    np.testing.assert_allclose(shown.x, covers[IRIS.target != 1].sum(axis=0))
    assert shown.descriptions == model.subgroups_.descriptions
    assert ax.get_xlabel() == "others covered (of 100)"
    assert ax.get_ylabel() == "class 1 covered (of 50)"
    diagonal, best, points = ax.lines
    assert diagonal.get_xydata().tolist() == [[0.0, 0.0], [100.0, 50.0]]
    start, end = best.get_xydata()
    slope = (end[1] - start[1]) / (end[0] - start[0])
    assert slope == pytest.approx(0.5)  # through the best subgroup, parallel to the diagonal
    assert start[1] + slope * shown.x[0] == pytest.approx(shown.y[0])
    assert len(points.get_xdata()) == 8


def test_points_of_numbers_are_shares_and_means(ax):
    values = IRIS.data[:, 3]
    weight = np.where(IRIS.target == 0, 2.0, 1.0)
    model = SubgroupDiscovery(4).fit(IRIS.data[:, :3], values, weight)
    shown = model.subgroups_.plot(ax=ax)
    covers = model.covers(IRIS.data[:, :3])
    np.testing.assert_allclose(shown.x, weight @ covers / 200.0)
    np.testing.assert_allclose(shown.y, (weight * values) @ covers / (weight @ covers))
    assert ax.lines[0].get_ydata()[0] == pytest.approx(weight @ values / 200.0)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("share of the rows", "mean of the target")


def test_numbers_and_words_of_the_first(model, ax):
    shown = plot.subgroups(model, most=3, n_named=2, ax=ax, color="red")
    assert len(shown.x) == 3
    assert ax.lines[-1].get_color() == "red"
    texts = [text.get_text() for text in ax.texts]
    assert texts[-1] == f"1  {shown.descriptions[0]}\n2  {shown.descriptions[1]}"
    assert sorted(",".join(texts[:-1]).replace(" ", "").split(",")) == ["1", "2"]


def test_no_subgroup(ax):
    X = np.zeros((4, 1))
    with pytest.warns(UserWarning, match="no subgroup"):
        model = SubgroupDiscovery().fit(X, [0, 0, 1, 1])
    assert len(plot.subgroups(model, ax=ax).x) == 0


def test_what_is_refused(ax):
    with pytest.raises(NotFittedError):
        plot.subgroups(SubgroupDiscovery(), ax=ax)
    with pytest.raises(TypeError, match="model must be a SubgroupDiscovery or SubgroupTable"):
        plot.subgroups([1.0, 2.0], ax=ax)

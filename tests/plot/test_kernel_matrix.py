# SPDX-License-Identifier: BSD-3-Clause
"""The picture of a kernel matrix shows the matrix, ordered by class."""

import numpy as np
import pytest

from statfast.datasets import load_iris
from statfast.kernels import RBF, Linear, Spectrum
from statfast.plot import kernel_matrix

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


def test_points_are_ordered_by_class(ax):
    X, y = load_iris().data, load_iris().target
    mixed = np.random.default_rng(0).permutation(len(X))
    assert kernel_matrix("rbf", X[mixed], y[mixed], ax=ax).ax_ is ax
    order = mixed[np.argsort(y[mixed], kind="stable")]
    expected = RBF(1 / (4 * X.var())).matrix(X[order])
    np.testing.assert_allclose(ax.images[0].get_array(), expected, rtol=1e-12)
    assert [line.get_ydata()[0] for line in ax.lines[::2]] == [49.5, 99.5]
    assert np.array_equal(ax.get_yticks(), [24.5, 74.5, 124.5])
    assert len(ax.figure.axes) == 2  # the bar of colors
    assert ax.images[0].get_cmap().name == "viridis"
    assert ax.get_title() == "RBF(gamma=0.06417)"


def test_negative_values_are_of_another_color(ax):
    X = load_iris().data - load_iris().data.mean(axis=0)
    kernel_matrix(Linear(), X, colorbar=False, ax=ax)
    image = ax.images[0]
    assert image.get_cmap().name == "RdBu_r"
    assert image.norm.vmin == -image.norm.vmax
    assert np.array_equal(image.get_array(), Linear().matrix(X))
    assert len(ax.figure.axes) == 1
    assert ax.get_title() == "Linear()"


def test_strings_functions_and_matrices_are_drawn(ax):
    kernel_matrix(Spectrum(1), ["ab", "b"], ["x", "y"], cmap="gray", ax=ax)
    assert np.array_equal(ax.images[0].get_array(), [[2, 1], [1, 1]])
    assert ax.images[0].get_cmap().name == "gray"
    kernel_matrix("precomputed", np.eye(3), ax=ax)
    assert kernel_matrix(lambda X, Y: X @ Y.T, [[1.0], [2.0]]).ax_.images
    with pytest.raises(ValueError, match="one label per row"):
        kernel_matrix("linear", [[1.0], [2.0]], [1], ax=ax)
    matplotlib.pyplot.close("all")

# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of regularization paths."""

import numpy as np
import pytest

from statfast import LassoCV, lasso_path
from statfast.plot import regularization_path

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 10))
    return X, X[:, :3] @ [3.0, -2.0, 1.0] + rng.standard_normal(80)


def test_lines_are_the_coefficients(ax, data):
    path = lasso_path(*data)
    regularization_path(path, ax=ax, n_labels=3, feature_names=list("abcdefghij"))
    assert {line.get_label() for line in ax.lines} >= {"a", "b", "c"}
    drawn = sorted(tuple(line.get_ydata()) for line in ax.lines)
    assert drawn == sorted(map(tuple, path.coefs))
    assert ax.get_xscale() == "log"
    assert ax.get_xlim()[0] > ax.get_xlim()[1]


def test_both_rules_are_marked(ax, data):
    model = LassoCV().fit(*data)
    regularization_path(lasso_path(*data), model=model, ax=ax)
    marks = {line.get_gid(): line.get_xdata()[0] for line in ax.lines if line.get_gid()}
    assert marks == {"alpha_min_": model.alpha_min_, "alpha_1se_": model.alpha_1se_}
    ax.figure.canvas.draw()


def test_what_cannot_be_drawn(ax, data):
    with pytest.raises(TypeError, match="path must be a RegularizationPath"):
        regularization_path(data[0], ax=ax)
    with pytest.raises(ValueError, match="names must have one"):
        regularization_path(lasso_path(*data), feature_names=["a"], ax=ax)


def test_a_path_of_one_penalty():
    path = lasso_path(np.eye(4), np.arange(4.0), alphas=[0.1])
    assert regularization_path(path).ax_.get_xscale() == "log"  # and matplotlib does not warn


def test_lengths_of_several_targets(ax, data):
    X, y = data
    path = lasso_path(X, np.column_stack([y, 2 * y - X[:, 4]]))
    shown = regularization_path(path, ax=ax, n_labels=3)
    np.testing.assert_allclose(shown.coefs, np.sqrt((path.coefs**2).sum(axis=0)))
    assert ax.get_ylabel() == "length of coefficients"
    assert shown.named[0] == 0

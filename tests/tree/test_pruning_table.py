# SPDX-License-Identifier: BSD-3-Clause
"""Which tree of a table is chosen, and what it refuses."""

import numpy as np
import pytest

from statfast import DecisionTreeClassifier, DecisionTreeRegressor, LogisticRegression
from statfast.tree import pruning_table


def iris():
    from statfast.datasets import load_iris

    data = load_iris()
    return data.data, data.target


def test_the_smallest_tree_within_a_standard_error():
    X, y = iris()
    table = pruning_table(DecisionTreeClassifier(), X, y, cv=np.arange(150) % 10, cp=0.0)
    limit = table.xerror[table.best] + table.xstd[table.best]
    assert table.xerror[table.best] == table.xerror.min()
    assert table.xerror[table.one_standard_error] <= limit
    assert (table.xerror[: table.one_standard_error] > limit).all()
    model = table.pruned()
    assert model.get_n_leaves() == table.n_splits[table.one_standard_error] + 1
    assert 1 - model.score(X, y) == pytest.approx(2 / 3 * table.rel_error[table.one_standard_error])
    assert table.pruned("best").get_n_leaves() == table.n_splits[table.best] + 1
    pytest.importorskip("pandas")
    assert list(table.to_frame()) == ["cp", "n_splits", "rel_error", "xerror", "xstd"]


def test_bad_folds():
    X, y = iris()
    with pytest.raises(ValueError, match="cv must be between 2"):
        pruning_table(DecisionTreeClassifier(), X, y, cv=1)
    with pytest.raises(ValueError, match="cv must have two folds"):
        pruning_table(DecisionTreeClassifier(), X, y, cv=np.zeros(150, int))
    with pytest.raises(ValueError, match="cv must be a count"):
        pruning_table(DecisionTreeClassifier(), X, y, cv=np.zeros(3, int))
    for wrong in (LogisticRegression(), DecisionTreeClassifier, None):
        with pytest.raises(TypeError, match="estimator must be a DecisionTreeClassifier or"):
            pruning_table(wrong, X, y)


def test_any_size_of_targets_and_weights():
    """Fourth powers of residuals enter the standard errors."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = X[:, 0] + rng.normal(size=90)
    fold = np.arange(90) % 5
    model = DecisionTreeRegressor(min_samples_split=20, min_samples_leaf=7)
    want = pruning_table(model, X, y, np.ones(90), cv=fold)
    for power, heavy in ((330, 0), (-330, 0), (100, 200), (-100, -200)):
        weights = np.full(90, 2.0**heavy)
        got = pruning_table(model, X, y * 2.0**power, weights, cv=fold)
        np.testing.assert_allclose(got.cp, want.cp, rtol=1e-9)
        np.testing.assert_allclose(got.xerror, want.xerror, rtol=1e-9)
        np.testing.assert_allclose(got.xstd * 2.0 ** (heavy / 2), want.xstd, rtol=1e-9)


def test_rows_of_one_class_have_nothing_to_prune():
    table = pruning_table(DecisionTreeClassifier(), [[0.0], [1.0]], ["a", "a"], cv=2)
    assert table.cp.tolist() == [0.01]
    assert table.xerror.tolist() == [0.0]

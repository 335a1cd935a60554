# SPDX-License-Identifier: BSD-3-Clause
"""rpart's trees and its tables of complexities, for given folds."""

import json
from pathlib import Path

import numpy as np
import pytest

from statfast import DecisionTreeClassifier, DecisionTreeRegressor
from statfast.tree import pruning_table

RULES = {"min_samples_split": 20, "min_samples_leaf": 7}  # rpart's defaults


@pytest.fixture(scope="module")
def reference(shared_data):
    folder = Path(shared_data()).parent / "reference"
    if not (folder / "rpart_more.json").exists():
        pytest.skip("rpart_more.json is not beside the data")
    return json.loads((folder / "rpart_more.json").read_text("utf-8"))


def columns(data, *names):
    return np.array([data[name] for name in names], dtype=float).T


def iris():
    from statfast.datasets import load_iris

    data = load_iris()
    return data.data, data.target


CASES = {
    "iris": (iris, "gini", RULES, 0.01),
    "iris_full": (iris, "gini", {}, 0.0),
    "kyphosis": (("Age", "Number", "Start"), "gini", RULES, 0.01),
    "kyphosis_info": (("Age", "Number", "Start"), "entropy", RULES, 0.01),
    "kyphosis_full": (("Age", "Number", "Start"), "gini", {}, 0.0),
    "car_mileage": (("Weight",), "squared_error", RULES, 0.01),
}


def case(name, reference):
    source, criterion, rules, cp = CASES[name]
    if callable(source):
        X, y = source()
    elif name == "car_mileage":
        X, y = columns(reference["data"]["car"], *source), reference["data"]["car"]["Mileage"]
    else:
        data = reference["data"]["kyphosis"]
        X, y = columns(data, *source), data["Kyphosis"]
    kind = DecisionTreeRegressor if criterion == "squared_error" else DecisionTreeClassifier
    return kind(criterion=criterion, **rules), X, np.array(y), cp


@pytest.mark.parametrize("name", CASES)
def test_rparts_table(name, reference):
    model, X, y, cp = case(name, reference)
    got = pruning_table(model, X, y, cp=cp, cv=np.arange(len(y)) % 10)
    want = np.array(reference[name]["cptable"]["rows"], dtype=float)
    np.testing.assert_allclose(got.cp, want[:, 0], atol=1e-8)
    np.testing.assert_array_equal(got.n_splits, want[:, 1])
    np.testing.assert_allclose(got.rel_error, want[:, 2], atol=1e-8)
    np.testing.assert_allclose(got.xerror, want[:, 3], atol=1e-8)
    np.testing.assert_allclose(got.xstd, want[:, 4], atol=1e-8)
    last = got.pruned(len(got.cp) - 1)
    assert last.get_n_leaves() == want[-1, 1] + 1
    leaf = [var == "<leaf>" for var in reference[name]["var"]]
    assert last.get_n_leaves() == sum(leaf)


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

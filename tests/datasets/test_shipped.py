# SPDX-License-Identifier: BSD-3-Clause
"""The shipped tables against scikit-learn's copies of the same, and against the UCI files."""

import csv
import dataclasses
from importlib.resources import files

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn import datasets as theirs

from statfast.datasets import load_breast_cancer, load_digits, load_iris, load_wine

LOADERS = {
    "wine": load_wine,
    "iris": load_iris,
    "breast_cancer": load_breast_cancer,
    "digits": load_digits,
}


@pytest.mark.parametrize("name", LOADERS)
def test_equals_scikit_learns_copy(name):
    ours, other = LOADERS[name](), getattr(theirs, f"load_{name}")()
    assert_array_equal(ours.data, other.data)
    assert_array_equal(ours.target, other.target)
    assert ours.target.dtype == np.intp
    assert ours.data.dtype == (np.uint8 if name == "digits" else np.float64)
    assert ours.data.flags.c_contiguous
    assert len(ours.feature_names) == len(set(ours.feature_names)) == ours.data.shape[1]
    assert len(ours.target_names) == ours.target.max() + 1


def test_wine_is_the_uci_file(shared_data):
    wine = load_wine()
    cells = np.loadtxt(shared_data("uci", "wine.data"), delimiter=",")
    assert_array_equal(wine.data, cells[:, 1:])
    assert_array_equal(wine.target, cells[:, 0] - 1)


def test_measurements_of_tumors_have_the_published_extremes():
    tumors = load_breast_cancer()
    assert tumors.feature_names == tuple(theirs.load_breast_cancer().feature_names)
    assert np.bincount(tumors.target).tolist() == [212, 357]
    columns = [0, 3, 10, 13, 20, 23]  # radius and area: mean, standard error, worst
    assert tumors.data.min(axis=0)[columns].tolist() == [6.981, 143.5, 0.1115, 6.802, 7.93, 185.2]
    assert tumors.data.max(axis=0)[columns].tolist() == [28.11, 2501, 2.873, 542.2, 36.04, 4254]


def test_iris_is_the_uci_file_but_for_two_flowers(shared_data):
    iris = load_iris()
    with shared_data("uci", "iris.data").open(newline="") as lines:
        cells = [row for row in csv.reader(lines) if row]
    rows = np.array([row[:4] for row in cells], dtype=float)
    assert_array_equal(np.flatnonzero((rows != iris.data).any(axis=1)), [34, 37])
    assert_array_equal(iris.data[[34, 37]], [[4.9, 3.1, 1.5, 0.2], [4.9, 3.6, 1.4, 0.1]])
    assert [f"Iris-{iris.target_names[k]}" for k in iris.target] == [row[4] for row in cells]


@pytest.mark.parametrize("name", LOADERS)
def test_is_credited(name):
    table = LOADERS[name]()
    notes = files("statfast.datasets").joinpath("README.md").read_text("utf-8")
    doi = table.source.split("doi:")[1].split(",")[0]
    assert "CC BY 4.0" in table.source
    assert f"doi:{doi}" in notes
    assert f"`{name}.csv.gz`" in notes


def test_tables_are_frozen_and_fresh():
    table = load_iris()
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.data = table.data[:3]
    table.data[:] = 0.0
    assert load_iris().data.min() == 0.1
    assert "setosa" in repr(table)
    assert len(repr(table)) < 300


@pytest.mark.parametrize("name", LOADERS)
def test_representations_leave_out_what_is_long(name):
    assert repr(LOADERS[name]()).startswith("Dataset(target_names=(")


@pytest.mark.parametrize("name", sorted(LOADERS))
def test_rows_and_classes_alone_and_as_frames(name):
    load = LOADERS[name]
    table = load()
    X, y = load(return_X_y=True)
    np.testing.assert_array_equal(X, table.data)
    np.testing.assert_array_equal(y, table.target)
    pytest.importorskip("pandas")
    X, y = load(return_X_y=True, as_frame=True)
    assert list(X.columns) == list(table.feature_names)
    np.testing.assert_array_equal(y.to_numpy(), table.target)
    np.testing.assert_array_equal(load(as_frame=True).data.to_numpy(), table.data)


def test_digits_as_floats():
    assert load_digits(dtype=float).data.dtype == np.float64


@pytest.mark.parametrize("wrong", [True, "nonsense", "U3", 3.0, object()])
def test_pixels_are_numbers(wrong):
    with pytest.raises(TypeError, match="dtype must be a type of numbers"):
        load_digits(dtype=wrong)

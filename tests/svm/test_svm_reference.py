# SPDX-License-Identifier: BSD-3-Clause
"""Published and computed answers of others: R's e1071 (LIBSVM), and the guide to LIBSVM.

LIBSVM keeps its kernel matrix in float32, so that its decision values are good to 1e-7 or so of
the sum of the coefficients' sizes; ours are those of the float64 problem.
"""

import csv
import gzip
import json

import numpy as np
import pytest

from statfast.datasets import load_iris
from statfast.svm import SVC, SVR, NuSVC

TIGHT = {"tol": 1e-10}


@pytest.fixture(scope="module")
def reference(shared_data):
    return json.loads(shared_data("..", "reference", "svm.json").read_text("utf-8"))


def libsvm_rows(path, d):
    """Labels and rows of a file in LIBSVM's format."""
    read = gzip.open if path.suffix == ".gz" else open
    labels, rows = [], []
    with read(path, "rt") as file:
        for line in file:
            label, *pairs = line.split()
            row = np.zeros(d)
            for pair in pairs:
                column, value = pair.split(":")
                row[int(column) - 1] = float(value)
            labels.append(int(float(label)))
            rows.append(row)
    return np.array(rows), np.array(labels)


def table(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def iris_rows(_):
    iris = load_iris()
    return iris.data, iris.target


def last_two(_):
    iris = load_iris()
    return iris.data[50:], iris.target[50:] - 1


def pima_rows(shared_data, part="train"):
    rows = table(shared_data("r", f"MASS_Pima.{part[:2]}.csv"))
    names = ("npreg", "glu", "bp", "skin", "bmi", "ped", "age")
    X = np.array([[float(row[name]) for name in names] for row in rows])
    return X, np.array([row["type"] == "Yes" for row in rows]).astype(int)


def heart_rows(shared_data):
    X, y = libsvm_rows(shared_data("libsvm", "heart_scale"), 13)
    return X, (y < 0).astype(int)


def params(want):
    names = {0: "linear", 1: "poly", 2: "rbf"}
    keys = ("gamma", "coef0", "degree")
    return {"kernel": names[want["kernel"]], **{key: want[key] for key in keys}, **TIGHT}


def scaled(X, want):
    return (X - want["x_center"]) / want["x_scale"] if want["scaled"] else X


CLASSIFIED = {
    "iris_linear": iris_rows,
    "iris_radial": iris_rows,
    "iris_vc_linear_noscale": last_two,
    "iris_vc_poly": last_two,
    "pima_radial": pima_rows,
    "pima_nu": pima_rows,
    "heart_scale_radial": heart_rows,
}


@pytest.mark.parametrize("name", CLASSIFIED)
def test_as_e1071(name, reference, shared_data):
    want = reference[name]
    X, y = CLASSIFIED[name](shared_data)
    X = scaled(X, want)
    if want["type"] == 1:
        model = NuSVC(nu=0.5, decision_function_shape="ovo", **params(want))
    else:
        model = SVC(C=want["cost"], decision_function_shape="ovo", **params(want))
    model.fit(X, y)
    two = len(want["levels"]) == 2
    turn = -1 if two else 1  # R's values are positive for the first of a pair
    values = turn * model.decision_function(X[:10]).reshape(10, -1)
    # Rounding the matrix to float32 moves sums of this size.
    K = model.kernel_.matrix(X)
    atol = 2.0**-24 * np.abs(K).max() * max(1.0, np.abs(model.dual_coef_).sum())
    np.testing.assert_allclose(values, want["decision_first10"], atol=atol)
    np.testing.assert_allclose(-turn * model.intercept_, want["rho"], atol=atol)
    assert list(model.n_support_) == want["nSV_per_class"]
    assert list(model.support_ + 1) == want["sv_index_1based"]
    assert 1 - model.score(X, y) == pytest.approx(want["training_error"], abs=1e-12)
    if name == "pima_radial":
        X_new, y_new = pima_rows(shared_data, "test")
        assert 1 - model.score(scaled(X_new, want), y_new) == pytest.approx(want["test_error"])


def test_iris_at_the_usual_tolerance(reference):
    want = reference["iris_radial_default_tol"]
    iris = load_iris()
    X = scaled(iris.data, want)
    model = SVC(gamma=want["gamma"], decision_function_shape="ovo").fit(X, iris.target)
    values = model.decision_function(X[:10])
    np.testing.assert_allclose(values, want["decision_first10"], atol=2e-3)
    assert 1 - model.score(X, iris.target) == pytest.approx(want["training_error"])


def test_regression_as_e1071(reference, shared_data):
    want = reference["prostate_eps"]
    rows = [row for row in table(shared_data("esl", "prostate.csv")) if row["train"] == "TRUE"]
    names = [name for name in rows[0] if name not in ("lpsa", "train")]
    X = scaled(np.array([[float(row[name]) for name in names] for row in rows]), want)
    y = (np.array([float(row["lpsa"]) for row in rows]) - want["y_center"]) / want["y_scale"]
    model = SVR(epsilon=0.1, **params(want)).fit(X, y)
    np.testing.assert_allclose(model.predict(X[:10])[:, None], want["decision_first10"], atol=2e-6)
    np.testing.assert_allclose(-model.intercept_, want["rho"], atol=2e-6)
    assert list(model.support_ + 1) == want["sv_index_1based"]


@pytest.mark.parametrize(
    ("is_scaled", "options", "right"),
    [
        (False, {"gamma": 0.25}, 2677),
        (True, {"gamma": 0.25}, 3846),
        (True, {"C": 2.0, "gamma": 2.0}, 3875),
    ],
)
def test_accuracies_of_the_guide_to_libsvm(is_scaled, options, right, shared_data):
    """Hsu, Chang & Lin, A practical guide to support vector classification, table 1."""
    X, y = libsvm_rows(shared_data("libsvm", "svmguide1.gz"), 4)
    X_new, y_new = libsvm_rows(shared_data("libsvm", "svmguide1.t.gz"), 4)
    if is_scaled:
        low, high = X.min(axis=0), X.max(axis=0)
        X, X_new = (2 * (some - low) / (high - low) - 1 for some in (X, X_new))
    model = SVC(**options).fit(X, y)
    correct = model.predict(X_new) == y_new
    sure = np.abs(model.decision_function(X_new)) > model.tol  # of the others, LIBSVM may say both
    assert (correct & sure).sum() <= right <= (correct | ~sure).sum()
    assert sure.mean() > 0.999

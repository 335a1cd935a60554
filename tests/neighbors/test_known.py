# SPDX-License-Identifier: BSD-3-Clause
"""Known answers: R's package class on iris, Pima and the zip digits, and MNIST.

R breaks ties of the vote at random and lets all rows at the k-th distance vote, so it is compared
where neither happens.
"""

import json

import numpy as np
import pytest

from statfast.datasets import load_iris, load_mnist
from statfast.neighbors import KNeighborsClassifier
from statfast.neighbors.brute.brute import BruteIndex
from tests.reference.neighbors import winners as vote


@pytest.fixture(scope="module")
def reference(shared_data):
    return json.loads(shared_data("..", "reference", "knn.json").read_text())


def decided(model, rows):
    """Rows whose k nearest are the same under any rule, and whose vote has one winner."""
    m = model.n_samples_fit_ if rows is None else len(rows)
    distances, _ = model.kneighbors(rows, model.n_neighbors + 1)
    shares = np.sort(model.predict_proba(rows), axis=1)
    # R computes in another order: distances that differ by rounding alone are ties to it.
    clear = distances[:, -1] > distances[:, -2] * (1 + 1e-9)
    assert clear.shape == (m,)
    return clear & (shares[:, -1] > shares[:, -2])


def confusion(truth, predicted, classes):
    return [[int(((truth == t) & (predicted == p)).sum()) for p in classes] for t in classes]


def off_diagonal(counts):
    counts = np.array(counts)
    return int(counts.sum() - np.trace(counts))


@pytest.mark.parametrize("k", [1, 3, 5, 7, 15])
def test_iris_halves(reference, k):
    expected = reference["iris3_half"]["results"][f"k{k}"]
    iris = load_iris()
    flowers, letters = iris.data.reshape(3, 50, 4), np.array(["s", "c", "v"])
    train, test = flowers[:, :25].reshape(75, 4), flowers[:, 25:].reshape(75, 4)
    y = np.repeat(letters, 25)
    model = KNeighborsClassifier(k).fit(train, y)
    sure = decided(model, test)
    assert sure.sum() > 55
    np.testing.assert_array_equal(model.predict(test)[sure], np.array(expected["pred"])[sure])
    np.testing.assert_allclose(
        model.predict_proba(test).max(axis=1)[sure], np.array(expected["prob"])[sure], rtol=1e-14
    )
    counts = expected["confusion_true_by_predicted"]
    errors = off_diagonal(confusion(y, model.predict(test), counts["rows"]))
    assert abs(errors - off_diagonal(counts["counts"])) <= (~sure).sum()


@pytest.mark.parametrize("k", [1, 3, 5, 7, 15])
def test_iris_leave_one_out(reference, k):
    iris = load_iris()
    model = KNeighborsClassifier(k).fit(iris.data, iris.target)
    errors = (model.predict() != iris.target).sum()
    undecided = (~decided(model, None)).sum()
    assert undecided < 40
    assert abs(errors - reference["iris_loo"]["results"][f"k{k}"]["errors"]) <= min(2, undecided)


def read_table(path):
    cells = np.genfromtxt(path, delimiter=",", dtype=str, skip_header=1)
    return cells[:, :-1].astype(np.float64), cells[:, -1]


def test_pima(reference, shared_data):
    (X, y), (Q, truth) = (read_table(shared_data("r", f"MASS_Pima.t{end}.csv")) for end in "re")
    found = KNeighborsClassifier(1).fit(X, y).predict(Q)
    expected = reference["pima"]
    np.testing.assert_array_equal(found, expected["pred"])
    counts = expected["confusion_true_by_predicted"]
    assert confusion(truth, found, counts["rows"]) == counts["counts"]


def test_zip_digits(reference, shared_data):
    train, test = (
        np.loadtxt(shared_data("esl", f"zip.{part}.csv.gz"), delimiter=",", skiprows=1)
        for part in ("train", "test")
    )
    found = KNeighborsClassifier(1).fit(train[:, 1:], train[:, 0]).predict(test[:, 1:])
    expected = reference["zip"]
    counts = expected["confusion_true_by_predicted"]
    assert (found != test[:, 0]).sum() == expected["errors"] == 113
    assert confusion(test[:, 0], found, range(10)) == counts["counts"]


@pytest.mark.once
def test_mnist_ties(shared_data):
    """The table of docs/theory/neighbors.rst: votes of parts of one search."""
    mnist = load_mnist(shared_data("mnist"))
    d2, ids = BruteIndex.build(mnist.X_train).query(mnist.X_test, 11)
    codes, weights = mnist.y_train.astype(np.intp), np.ones(ids.shape)
    errors = {
        ties: [
            int((vote(codes, ids[:, :k], d2[:, :k], weights, 10, ties) != mnist.y_test).sum())
            for k in (1, 3, 5, 7, 9, 11)
        ]
        for ties in ("lowest", "nearest")
    }
    assert errors["lowest"] == [309, 295, 312, 306, 341, 332]
    assert errors["nearest"] == [309, 283, 307, 301, 331, 327]

# SPDX-License-Identifier: BSD-3-Clause
"""Linear discriminant analysis against R's MASS::lda and the known answers of the wine table."""

import csv
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from statfast.datasets import load_iris, load_wine
from statfast.generative import LinearDiscriminantAnalysis


@pytest.fixture(scope="module")
def reference(shared_data):
    return json.loads(shared_data("..", "reference", "lda_qda.json").read_text("utf-8"))


def table(path, delimiter=","):
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter=delimiter, skipinitialspace=True))


def columns(rows, names):
    return np.array([[float(row[name]) for name in names] for row in rows])


def bundled(load, chosen=slice(None)):
    def rows(shared_data):
        data = load()
        return data.data[:, chosen], np.array(data.target_names)[data.target]

    return rows


def crabs(transform):
    def rows(shared_data):
        found = table(shared_data("r", "MASS_crabs.csv"))
        y = np.array([row["sp"] + row["sex"] for row in found])
        return transform(columns(found, ["FL", "RW", "CL", "CW", "BD"])), y

    return rows


def earthquake(shared_data):
    lines = shared_data("misc", "earthquake.txt").read_text("utf-8").split("\n")[1:]
    cells = [line.replace('"', "").split() for line in lines if line.strip()]
    return np.array([row[-2:] for row in cells], float), np.array([row[-3] for row in cells])


BLOCKS = {
    "wine13": bundled(load_wine),
    "wine_alcohol_flavanoids": bundled(load_wine, [0, 6]),
    "iris": bundled(load_iris),
    "crabs_group4": crabs(np.asarray),
    "crabs_log_group4": crabs(np.log),
    "earthquake": earthquake,
}


def confusion(model, X, y):
    predicted = model.predict(X)
    return [
        [int(((y == a) & (predicted == b)).sum()) for b in model.classes_] for a in model.classes_
    ]


@pytest.mark.parametrize("block", BLOCKS)
def test_agrees_with_r(block, reference, shared_data):
    X, y = BLOCKS[block](shared_data)
    known = reference[block]["lda"]
    model = LinearDiscriminantAnalysis().fit(X, y)

    assert model.classes_.tolist() == reference[block]["levels"]
    assert_allclose(model.priors_, known["prior"], rtol=1e-15)
    assert_allclose(model.means_, known["means"]["values"], rtol=1e-13)
    assert_allclose(model.singular_values_, known["svd"], rtol=1e-11)
    assert_allclose(model.explained_variance_ratio_, known["proportion_of_trace"], rtol=1e-11)

    theirs = np.array(known["scaling"]["values"])
    signs = np.sign((theirs * model.scalings_).sum(axis=0))
    assert_allclose(model.scalings_, theirs * signs, rtol=1e-9, atol=1e-11 * np.abs(theirs).max())

    rows = X[np.array(reference[block]["posterior_rows_1based"]) - 1]
    variates = np.array(known["discriminant_scores"]) * signs
    assert_allclose(model.transform(rows), variates, rtol=1e-9, atol=1e-10)
    # A probability of 1e-60 is the exponential of a difference of scores near 140.
    posteriors = np.array(known["posterior"])
    assert_allclose(model.predict_proba(rows), posteriors, rtol=1e-9, atol=0)
    assert_allclose(model.predict_log_proba(rows), np.log(posteriors), rtol=1e-10, atol=1e-12)
    assert confusion(model, X, y) == known["confusion_true_by_predicted"]["counts"]


def test_pima_train_and_test(reference, shared_data):
    known = reference["pima_train_test"]["lda"]
    names = reference["pima_train_test"]["features"]
    train = table(shared_data("r", "MASS_Pima.tr.csv"))
    test = table(shared_data("r", "MASS_Pima.te.csv"))  # codespell:ignore te
    y_train, y_test = (np.array([row["type"] for row in part]) for part in (train, test))
    model = LinearDiscriminantAnalysis().fit(columns(train, names), y_train)

    theirs = np.array(known["scaling"]["values"])
    sign = np.sign((theirs * model.scalings_).sum())
    assert_allclose(model.scalings_, sign * theirs, rtol=1e-10)
    X_test = columns(test, names)
    assert_allclose(model.predict_proba(X_test[:5]), known["posterior_first5"], rtol=1e-10)
    assert confusion(model, X_test, y_test) == known["confusion_true_by_predicted"]["counts"]
    assert 1.0 - model.score(X_test, y_test) == pytest.approx(known["test_error"], rel=1e-12)


def test_vowel(reference, shared_data):
    known = reference["vowel"]
    names = [f"x.{j}" for j in range(1, 11)]
    train, test = (table(shared_data("esl", f"vowel.{part}.csv")) for part in ("train", "test"))
    y_train, y_test = (np.array([int(row["y"]) for row in part]) for part in (train, test))
    model = LinearDiscriminantAnalysis().fit(columns(train, names), y_train)
    assert_allclose(model.singular_values_, known["lda_svd"], rtol=1e-11)
    train_error = 1.0 - model.score(columns(train, names), y_train)
    assert train_error == pytest.approx(known["lda_train_error"], rel=1e-12)
    test_error = 1.0 - model.score(columns(test, names), y_test)
    assert test_error == pytest.approx(known["lda_test_error"], rel=1e-12)


def test_wine_by_alcohol_and_flavanoids():
    wine = load_wine()
    X = wine.data[:, [wine.feature_names.index(name) for name in ("alcohol", "flavanoids")]]
    model = LinearDiscriminantAnalysis().fit(X, wine.target)
    assert confusion(model, X, wine.target) == [[56, 3, 0], [4, 60, 7], [0, 0, 48]]
    assert model.score(X, wine.target) == 164 / 178
    assert_array_equal(model.class_count_, [59, 71, 48])


def test_covertype_as_published(shared_data):
    """Blackard and Dean (1999): 58 % of the 565892 test rows, fitted on the first 11340."""
    found = np.load(shared_data("uci", "covtype.npz"))
    soil, wilderness = np.arange(1, 41), np.arange(1, 5)
    X = np.hstack(
        [
            found["numeric"].astype(np.float64),
            found["wilderness"][:, None] == wilderness,
            found["soil"][:, None] == soil,
        ]
    )
    train, test = slice(0, 11340), slice(15120, None)
    model = LinearDiscriminantAnalysis()
    with pytest.warns(UserWarning, match="Left out of the fit|collinear"):
        model.fit(X[train], found["y"][train])
    assert model.score(X[test], found["y"][test]) == pytest.approx(0.5838, abs=5e-5)

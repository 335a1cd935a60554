# SPDX-License-Identifier: BSD-3-Clause
"""LogisticRegression of several classes, with Firth's penalty, and where classes are separated."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from statfast import Chunks
from statfast._validation.errors import ConvergenceWarning, SeparationWarning
from statfast.datasets import load_iris
from statfast.linear import LogisticRegression
from tests.linear.test_multinomial import birthwt, problem

KINDS = [
    {**penalty, "multi_class": kind}
    for kind in ("multinomial", "ovr")
    for penalty in ({}, {"C": 1.0}, {"method": "firth"})
]


def test_birthwt_as_r(shared_data):
    path = shared_data("..", "reference", "multinom.json")
    expected = json.loads(path.read_text("utf-8"))["birthwt_race"]
    refined = json.loads(path.read_text("utf-8"))["newton_refined"]["birthwt_race"]
    X, y, _ = birthwt(shared_data)
    model = LogisticRegression().fit(
        X,
        np.array(["white", "black", "other"])[y],
    )
    assert model.classes_.tolist() == ["black", "other", "white"]
    model = LogisticRegression(reference="white").fit(X, np.array(["white", "black", "other"])[y])
    told = np.column_stack([model.intercept_, model.coef_])
    assert_allclose(told[:2], refined["coef"], rtol=1e-9)
    assert (told[2] == 0.0).all()
    errors = model.standard_errors_.reshape(2, 4)
    assert_allclose(errors, refined["se"], rtol=1e-8)
    assert_allclose(model.deviance_, expected["deviance"], rtol=1e-12)
    assert_allclose(model.aic_, expected["aic"], rtol=1e-12)
    fitted = np.array(expected["fitted_first5"], dtype=float)
    assert_allclose(model.predict_proba(X[:5])[:, [2, 0, 1]], fitted, rtol=1e-5)
    text = str(model.summary())
    assert "other: (Intercept)" in text
    assert "Reference class:" in text


@pytest.mark.parametrize("kind", KINDS)
def test_methods_agree(kind):
    X, y = problem(400, 3, 4)
    model = LogisticRegression(**kind).fit(X, y)
    proba = model.predict_proba(X)
    scores = model.decision_function(X)
    assert proba.shape == scores.shape == (400, 4)
    assert_allclose(proba.sum(axis=1), 1.0)
    assert_allclose(np.exp(model.predict_log_proba(X)), proba, rtol=1e-12)
    assert_array_equal(model.predict(X), scores.argmax(axis=1))
    assert_array_equal(model.predict(X), proba.argmax(axis=1))
    assert_allclose(scores, X @ model.coef_.T + model.intercept_, atol=1e-10)
    assert model.converged_
    assert "Estimate" in str(model.summary())
    assert "<table>" in model.summary()._repr_html_()
    all_classes = "C" in kind or kind["multi_class"] == "ovr"
    assert len(model.summary().to_frame()) == (16 if all_classes else 12)


@pytest.mark.parametrize("kind", KINDS)
def test_chunks_and_sparse_rows_are_rows(kind):
    X, y = problem(500, 3, 3)
    X = np.round(X) + 8.0
    model = LogisticRegression(**kind, class_weight="balanced")
    whole = model.fit(X, y).coef_
    pieces = Chunks(
        [X[:200].astype(np.uint8), X[200:350].astype(np.uint8), X[350:].astype(np.uint8)]
    )
    assert_allclose(model.fit(pieces, y).coef_, whole, rtol=1e-7, atol=1e-9)
    assert_allclose(model.fit(csr_array(X), y).coef_, whole, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_a_reference_changes_no_prediction(kind):
    X, y = problem(300, 3, 3)
    model = LogisticRegression(**kind).fit(X, y)
    other = LogisticRegression(**kind, reference=2).fit(X, y)
    assert_allclose(other.predict_proba(X), model.predict_proba(X), rtol=1e-8)


def test_aliased_columns_are_named():
    X, y = problem(300, 2, 3)
    with pytest.warns(UserWarning, match="constant: x1, x3"):
        model = LogisticRegression().fit(
            np.column_stack([X[:, 0], np.ones(300), X[:, 1], X.sum(axis=1)]), y
        )
    assert (model.coef_[:, [1, 3]] == 0.0).all()
    assert "(aliased)" in str(model.summary())
    assert_allclose(model.predict_proba(np.column_stack([X[:, 0], np.ones(300), X[:, 1], X[:, 0]])),
                    LogisticRegression().fit(X, y).predict_proba(X), rtol=1e-7)  # fmt: skip


@pytest.mark.parametrize("kind", ["multinomial", "ovr"])
def test_separation_names_the_columns_of_a_table(kind):
    pandas = pytest.importorskip("pandas")
    data = load_iris()
    table = pandas.DataFrame(data.data[:, :2], columns=["length", "width"])
    with pytest.warns(SeparationWarning, match=r"separated by \(Intercept\), length, width"):
        model = LogisticRegression(multi_class=kind).fit(table, data.target)
    if kind == "multinomial":
        with pytest.raises(ValueError, match="no finite maximum"):
            model.conf_int()
    assert model.score(table, data.target) > 0.8


def test_separation_of_two_classes_names_the_column():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=300), rng.random(300) < 0.1])
    y = np.where(X[:, 1] == 1, "yes", rng.choice(["no", "yes"], 300))
    with pytest.warns(SeparationWarning, match="quasi-completely separated by x1:"):
        LogisticRegression().fit(X, y)


@pytest.mark.parametrize("classes", [2, 3])
def test_firth_where_classes_are_separated(classes):
    x = np.arange(6.0 * classes)[:, None]
    y = np.repeat(np.array(["ash", "elm", "oak"])[:classes], 6)
    model = LogisticRegression(method="firth").fit(x, y)
    assert np.isfinite(model.standard_errors_).all()
    table = model.profile(x, y)
    low, high = table.columns["2.5 %"], table.columns["97.5 %"]
    assert (low < table.columns["Estimate"]).all()
    assert (high > table.columns["Estimate"]).all()
    slopes = [name.endswith("x0") for name in table.names]
    assert (table.columns["P>chi2"][slopes] < 0.05).all()
    assert (low[slopes] > 0.0).all()
    assert "Firth" in str(model.summary())


def test_profile_is_of_each_class_for_ovr():
    X, y = problem(60, 1, 3)
    model = LogisticRegression(method="firth", multi_class="ovr").fit(X, y)
    table = model.profile(X, y, level=0.9)
    assert list(table.columns) == ["Estimate", "5 %", "95 %", "P>chi2"]
    assert table.names[:2] == ("0: (Intercept)", "0: x0")
    assert_allclose(table.columns["Estimate"][1::2], model.coef_[:, 0], rtol=1e-8)


def test_sentences():
    X, y = problem(60, 1, 3)
    with pytest.raises(ValueError, match="profile is of method='firth'; got 'ml'"):
        LogisticRegression().profile(X, y)
    with pytest.raises(ValueError, match="at least 2 classes; got one class, 2"):
        LogisticRegression().fit(X, y, (y == 2).astype(float))
    with pytest.raises(ValueError, match="each class has a model of its own"):
        LogisticRegression(multi_class="ovr").fit(X, y).standard_errors_  # noqa: B018
    with pytest.raises(ValueError, match="offset is for two classes"):
        LogisticRegression().fit(X, y, offset=np.zeros(60))
    with pytest.raises(ValueError, match="offset has no part in method='firth'"):
        LogisticRegression(method="firth").fit(X, y > 0, offset=np.zeros(60))
    with pytest.raises(ValueError, match="linear combinations of others"):
        LogisticRegression(method="firth").fit(np.column_stack([X, X]), y)
    with pytest.warns(ConvergenceWarning, match="did not converge in 2 iterations"):
        LogisticRegression(max_iter=2).fit(X, y)
    with pytest.raises(ValueError, match="NaN, first at row 3, column 0"):
        LogisticRegression().fit(np.where(np.arange(60)[:, None] == 3, np.nan, X), y)
    with pytest.raises(ValueError, match="overflow"):
        LogisticRegression().fit(X * np.array([1.7e308 / np.abs(X).max()]), y)


def test_profiles_know_of_the_penalty_and_the_weights_of_classes():
    X, y = problem(80, 2, 2)
    firth = LogisticRegression(method="firth").fit(X, y)
    ends = firth.conf_int(method="profile", X=X, y=y)
    assert_allclose(ends[:, 0], firth.profile(X, y).columns["2.5 %"])
    balanced = LogisticRegression(class_weight={0: 2.0}).fit(X, y)
    weighted = LogisticRegression().fit(X, y, 1.0 + (y == 0))
    assert_allclose(
        balanced.conf_int(method="profile", X=X, y=y),
        weighted.conf_int(method="profile", X=X, y=y, sample_weight=1.0 + (y == 0)),
    )


@pytest.mark.parametrize("C", [1e2, 1e3, 1e4, 1e5, 1e6])
def test_weak_penalties_of_separated_classes_converge(C, recwarn):
    # Columns of many sizes: products with the Hessian are many, and pay for its factor.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 250)) @ np.diag(np.geomspace(1.0, 1e-3, 250))
    y = (X[:, :10] + 0.1 * rng.normal(size=(300, 10))).argmax(axis=1)
    model = LogisticRegression(C=C).fit(X, y)
    assert not recwarn.list
    shares = model.predict_proba(X)
    gradient = C * (shares - (y[:, None] == model.classes_)).T @ X + model.coef_
    gradient -= gradient.mean(axis=0)
    assert np.abs(gradient).max() < 1e-6 * C

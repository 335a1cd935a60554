# SPDX-License-Identifier: BSD-3-Clause
"""Wilks' lambda and its kin, and Box's M, against R and by hand."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from statfast import LinearDiscriminantAnalysis
from statfast.datasets import load_iris
from statfast.generative import box_m, manova
from tests.generative.test_reference import BLOCKS

IRIS = load_iris()


@pytest.fixture(scope="module")
def reference(shared_data):
    return json.loads(shared_data("..", "reference", "multivariate.json").read_text("utf-8"))


@pytest.mark.parametrize("block", ["iris", "iris2", "crabs"])
def test_four_tests_agree_with_r(block, reference, shared_data):
    if block == "crabs":
        X, y = BLOCKS["crabs_group4"](shared_data)
    else:
        X, y = IRIS.data, IRIS.target
        if block == "iris2":
            X, y = _pair(X, y, reference["iris2"]["Wilks"]["value"])
    found = manova(X, y).tests
    for i, name in enumerate(found.names):
        known = reference[block][name]
        ours = [found.columns[key][i] for key in ("value", "F", "df1", "df2")]
        theirs = [known[key] for key in ("value", "F", "num_df", "den_df")]
        assert_allclose(ours, theirs, rtol=1e-10)
        assert_allclose(found.columns["P>F"][i], known["p"], rtol=1e-7)


def _pair(X, y, wilks):
    """The two species of the reference, which does not name them."""
    for out in range(3):
        some = y != out
        if abs(manova(X[some], y[some]).tests.columns["value"][0] - wilks) < 1e-9:
            return X[some], y[some]
    raise AssertionError("no pair of species has the lambda of the reference")


def test_box_m_agrees_with_r(reference, shared_data):
    for block, (X, y) in {
        "iris": (IRIS.data, IRIS.target),
        "crabs": BLOCKS["crabs_log_group4"](shared_data),
    }.items():
        found, known = box_m(X, y), reference["box_m"][block]
        ours = found.statistic, found.chi2, found.df
        assert_allclose(ours, [known[key] for key in ("M", "chi2", "df")], rtol=1e-9)
        assert_allclose(found.p_value, known["p"], rtol=1e-6)


def test_eigenvalues_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 4)), np.arange(80) % 4
    X[:, 0] += y
    weights = rng.integers(1, 4, 80).astype(float)
    result = manova(X, y, weights)
    R, z = np.repeat(X, weights.astype(int), axis=0), np.repeat(y, weights.astype(int))
    means = np.array([R[z == k].mean(axis=0) for k in range(4)])
    W = (R - means[z]).T @ (R - means[z])
    B = (means[z] - R.mean(axis=0)).T @ (means[z] - R.mean(axis=0))
    values = np.sort(np.linalg.eigvals(np.linalg.solve(W, B)).real)[::-1][:3]
    assert_allclose(result.eigenvalues, values, rtol=1e-9)
    scatter = result.scalings.T @ W @ result.scalings / (len(R) - 4)
    assert_allclose(scatter, np.eye(3), atol=1e-10)
    wilks = np.linalg.det(W) / np.linalg.det(W + B)
    assert_allclose(result.tests.columns["value"][0], wilks, rtol=1e-9)
    # Bartlett: no variate at all is a test by Wilks' lambda.
    chi2 = -(len(R) - 1 - (4 + 4) / 2) * np.log(wilks)
    assert_allclose(result.dimensions.columns["chi2"][0], chi2, rtol=1e-9)
    assert result.dimensions.columns["df"].tolist() == [12.0, 6.0, 2.0]
    assert result.n_samples == weights.sum()


def test_canonical_vectors_are_those_of_lda():
    result = manova(IRIS.data, IRIS.target)
    theirs = LinearDiscriminantAnalysis().fit(IRIS.data, IRIS.target).scalings_
    signs = np.sign((theirs * result.scalings).sum(axis=0))
    assert_allclose(result.scalings * signs, theirs, rtol=1e-9)


def test_more_columns_than_classes_and_the_reverse_print():
    text = str(manova(IRIS.data, IRIS.target))
    assert "Wilks" in text
    assert "Pillai" in text
    assert manova(IRIS.data[:, :1], IRIS.target).eigenvalues.shape == (1,)
    assert "Wilks" in manova(IRIS.data, IRIS.target)._repr_html_()
    assert manova(IRIS.data, IRIS.target).to_frame().shape == (4, 5)


@pytest.mark.parametrize("test", [manova, box_m])
def test_what_cannot_be_tested(test):
    X, y = IRIS.data, IRIS.target
    with pytest.raises(ValueError, match="at least 2 classes"):
        test(X, np.zeros(150, int))
    with pytest.raises(ValueError, match="NaN"):
        test(np.full((150, 2), np.nan), y)
    with pytest.raises(ValueError, match=r"singular: constant in column 4\."):
        test(np.column_stack([X, y]), y)
    with pytest.raises(ValueError, match="singular: 1 direction"):
        test(np.column_stack([X, X[:, 0] - X[:, 1]]), y)
    with pytest.raises(ValueError, match=r"more rows|more than one row"):
        test(X[[0, 50, 100, 101]], y[[0, 50, 100, 101]])

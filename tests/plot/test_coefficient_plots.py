# SPDX-License-Identifier: BSD-3-Clause
"""Stems and histograms of coefficients."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("matplotlib")

from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from scipy import sparse

import statfast as sf
from statfast.datasets import load_wine
from statfast.plot import coefficient_histogram, coefficient_stems

WINE = load_wine()
X, Y = WINE.data[:, 1:], WINE.data[:, 0]
LASSO, RIDGE = sf.Lasso(alpha=0.1).fit(X, Y), sf.Ridge(alpha=10.0).fit(X, Y)


def dots(ax, filled):
    kept = [line for line in ax.lines if line.get_marker() == "o"]
    kept = [line for line in kept if (to_rgb(line.get_markerfacecolor()) != (1, 1, 1)) == filled]
    return np.concatenate([line.get_xydata() for line in kept])


def test_stems_are_the_coefficients(ax):
    shown = coefficient_stems(LASSO, ax=ax)
    assert_array_equal(shown.coefs, LASSO.coef_)
    assert shown.n_nonzero == np.count_nonzero(LASSO.coef_) == 4
    assert_array_equal(dots(ax, True), np.argwhere(LASSO.coef_ != 0)[:, [0]] * [1, 0]
                       + np.column_stack([np.zeros(4), LASSO.coef_[LASSO.coef_ != 0]]))  # fmt: skip
    assert_array_equal(dots(ax, False)[:, 0], np.flatnonzero(LASSO.coef_ == 0))
    ends = np.array([segment[1] for segment in ax.collections[0].get_segments()])
    assert_array_equal(ends, np.column_stack([np.arange(12), LASSO.coef_]))
    assert [text.get_text() for text in ax.get_xticklabels()] == [f"x{j}" for j in range(12)]
    assert ax.get_legend().get_texts()[0].get_text() == "4 of 12 not zero"


def test_several_models_stand_beside_each_other(ax):
    truth = np.linspace(-1, 1, 12)
    shown = coefficient_stems({"lasso": LASSO, "ridge": RIDGE}, truth=truth, ax=ax)
    assert_array_equal(shown.coefs["ridge"], RIDGE.coef_)
    assert shown.n_nonzero == {"lasso": 4, "ridge": 12}
    places = np.sort(np.concatenate([dots(ax, True), dots(ax, False)])[:, 0])
    assert_allclose(places.reshape(12, 2), np.arange(12)[:, None] + [-0.15, 0.15])
    crosses = next(line for line in ax.lines if line.get_marker() == "x")
    assert_array_equal(crosses.get_xydata(), np.column_stack([np.arange(12), truth]))
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["lasso (4 of 12 not zero)", "ridge (12 of 12 not zero)", "truth"]


def test_coefficients_of_all_kinds(ax):
    two = WINE.target[:130] > 0
    logistic = sf.LogisticRegression(C=0.1).fit(X[:130], two)
    assert_array_equal(coefficient_stems(logistic, ax=ax).coefs, logistic.coef_[0])
    given = coefficient_stems([0.0, 2.0], ax=Figure().subplots())
    assert given.n_nonzero == 1

    class Sparse:
        coef_ = sparse.csr_array([[0.0, 3.0, 0.0]])

    assert_array_equal(coefficient_stems(Sparse(), ax=Figure().subplots()).coefs, [0, 3, 0])


def test_names(ax):
    pd = pytest.importorskip("pandas")
    names = list(WINE.feature_names[1:])
    model = sf.Lasso(alpha=0.1).fit(pd.DataFrame(X, columns=names), Y)
    coefficient_stems(model, ax=ax)
    assert [text.get_text() for text in ax.get_xticklabels()] == names
    assert ax.get_xticklabels()[0].get_rotation() == 45
    ax = coefficient_stems(LASSO, feature_names=list("abcdefghijkl"), ax=Figure().subplots()).ax_
    assert ax.get_xticklabels()[11].get_text() == "l"
    many = coefficient_stems(np.arange(40.0), ax=Figure().subplots()).ax_
    assert many.get_xlabel() == "column"


def test_histograms_count_all_columns(ax):
    shown = coefficient_histogram({"lasso": LASSO, "ridge": RIDGE}, bins=7, ax=ax)
    assert {name: counts.sum() for name, counts in shown.counts.items()} == {
        "lasso": 12,
        "ridge": 12,
    }
    assert shown.n_zero == {"lasso": 8, "ridge": 0}
    assert len(shown.edges) == 8
    assert shown.edges[0] == min(LASSO.coef_.min(), RIDGE.coef_.min())
    assert shown.edges[-1] == max(LASSO.coef_.max(), RIDGE.coef_.max())
    drawn = ax.patches[1].get_data()
    assert_array_equal(drawn.values, shown.counts["lasso"])
    assert_array_equal(drawn.edges, shown.edges)
    single = coefficient_histogram(RIDGE, ax=Figure().subplots())
    assert single.counts.sum() == 12
    assert single.n_zero == 0


@pytest.mark.parametrize("draw", [coefficient_stems, coefficient_histogram])
@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        (sf.Lasso(), sf.NotFittedError, "Lasso"),
        (sf.PCA().fit(X), TypeError, "model must be a fitted linear model with coef_"),
        (3.0, TypeError, "model must be a fitted linear model with coef_"),
        ({}, TypeError, "or a dict of one or more"),
        (
            sf.LinearSVC().fit(X, WINE.target),
            ValueError,
            "model must have one coefficient a column",
        ),
        ([1.0, np.nan], ValueError, "model contains NaN"),
        ([[1.0, 2.0]], ValueError, "model must be a column of at least 1 finite numbers"),
    ],
)
def test_models_refused(ax, draw, model, error, words):
    with pytest.raises(error, match=words):
        draw(model, ax=ax)


def test_arguments_refused(ax):
    with pytest.raises(ValueError, match="truth must have a coefficient for each of 12 columns"):
        coefficient_stems(LASSO, truth=[1.0], ax=ax)
    with pytest.raises(ValueError, match="names must name the 12 columns; got 1"):
        coefficient_stems(LASSO, feature_names=["a"], ax=ax)
    with pytest.raises(ValueError, match="model must have as many columns each"):
        coefficient_stems({"a": LASSO, "b": [1.0]}, ax=ax)
    with pytest.raises(ValueError, match="bins must be between 1"):
        coefficient_histogram(LASSO, bins=0, ax=ax)

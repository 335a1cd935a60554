# SPDX-License-Identifier: BSD-3-Clause
"""Arguments that are none, and numbers whose squares overflow: a sentence, never a wrong number."""

import numpy as np
import pytest

import statfast
from statfast import (
    BernoulliNB,
    CategoricalNB,
    Chunks,
    ComplementNB,
    GammaNB,
    GaussianNB,
    KernelDensityNB,
    LinearDiscriminantAnalysis,
    MixedNB,
    MultivariateNormal,
    PoissonNB,
    QuadraticDiscriminantAnalysis,
)
from statfast.generative import (
    RegularizedDiscriminantAnalysisCV,
    cor2cov,
    cov2cor,
    generalized_variance,
)

RAGGED = [[1.0, 2.0], [3.0]]
X = np.array([[1.0, 4.0], [2.0, 1.0], [3.0, 3.0], [5.0, 2.0], [4.0, 7.0], [1.0, 6.0]])
y = np.array([0, 1, 0, 1, 0, 1])


@pytest.fixture
def normal():
    return MultivariateNormal().fit(X)


# ------------------------------------------------------------------ the normal distribution
@pytest.mark.parametrize("columns", [RAGGED, 0, "ab", None, {0}, [[0]], np.array(0)])
def test_columns_are_a_list(normal, columns):
    for ask in (lambda: normal.marginal(columns), lambda: normal.conditional(columns, [1.0])):
        with pytest.raises((TypeError, ValueError), match=r"^columns "):
            ask()


def test_values_are_numbers(normal):
    for wrong in (RAGGED, "a", None, [1.0, 2.0]):
        with pytest.raises((TypeError, ValueError), match=r"^values "):
            normal.conditional([0], wrong)
        with pytest.raises((TypeError, ValueError), match=r"^shift "):
            normal.affine([[1.0, 0.0]], wrong)
        with pytest.raises((TypeError, ValueError), match=r"^mean "):
            MultivariateNormal.of(wrong, np.eye(3))
    with pytest.raises(ValueError, match="A or shift holds values so large"):
        normal.affine([[1e200, 0.0]])


def test_rows_that_cannot_be_left_out(normal):
    for rows, weights in ((X[:1], None), (X, [0.0, 0.0, 3.0, 0.0, 0.0, 0.0])):
        for model in (normal, MultivariateNormal(allow_singular=True)):
            with pytest.raises(ValueError, match="X must have two rows with weight or more"):
                model.leave_one_out(rows, weights)
    with pytest.raises(TypeError, match="X must be rows in memory"):
        normal.leave_one_out(Chunks([X]))


def test_matrices_that_are_no_covariance():
    for matrix in (
        [[1e-300, 1e300], [1e300, 1e-300]],
        [[1.7e308, -1.7e308], [1.7e308, 1.7e308]],
        [[1.0, 1.7e308], [1.7e308, 1.0]],
    ):
        for ask in (cov2cor, generalized_variance):
            with pytest.raises(ValueError, match=r"covariance must be (positive|symmetric)"):
                ask(matrix)
    huge = np.eye(2) * 1.7e308
    np.testing.assert_array_equal(cov2cor(huge), np.eye(2))
    assert generalized_variance(huge) == np.inf
    for spread in ([1e200, 1e200], RAGGED, None, "ab", [-1.0, 1.0]):
        with pytest.raises((TypeError, ValueError), match=r"^standard_deviations "):
            cor2cov(np.eye(2), spread)


@pytest.mark.parametrize("cls", [
    MultivariateNormal, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis,
])  # fmt: skip
def test_parts_too_far_apart_to_be_merged(cls):
    """Each part has squares; their difference has none."""
    labels = () if cls is MultivariateNormal else (y, [0, 1])
    model = cls().partial_fit(X, *labels)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="X holds values so large that their squares overflow"):
        model.partial_fit(X + 1e200, *labels)
    assert vars(model).keys() == before.keys()


@pytest.mark.parametrize("alphas", [10**400, RAGGED, [np.nan], "ab", [0.5, 2.0], [[0.1]]])
def test_shares_are_numbers_from_0_to_1(alphas):
    with pytest.raises((TypeError, ValueError), match="alphas must be numbers from 0 to 1"):
        RegularizedDiscriminantAnalysisCV(alphas).fit(X, y)


# ------------------------------------------------------------------ naive Bayes
@pytest.mark.parametrize("cls", [
    BernoulliNB, CategoricalNB, GammaNB, GaussianNB, KernelDensityNB, MixedNB, PoissonNB,
])  # fmt: skip
@pytest.mark.parametrize("missing", [np.array([1.0, 2.0]), None, "ignored", True])
def test_missing_is_a_choice(cls, missing):
    with pytest.raises((TypeError, ValueError), match="missing must be 'error' or 'ignore'"):
        cls(missing=missing).fit(X, y)


@pytest.mark.parametrize(("model", "words"), [
    (ComplementNB(alpha=np.array([])), "alpha must be a number"),
    (ComplementNB(alpha=RAGGED), "alpha must be a number, or one for each column"),
    (CategoricalNB(min_categories=RAGGED), "min_categories should be None, an integer, or one"),
    (CategoricalNB(min_categories=np.array([])), "min_categories must be None, an integer, or one"),
    (CategoricalNB(min_categories=2.5), "min_categories must be"),
    (GaussianNB(var_smoothing=1e308), r"var_smoothing=1e\+308 times the largest variance of X"),
])  # fmt: skip
def test_parameters_that_are_no_numbers(model, words):
    with pytest.raises((TypeError, ValueError), match=words):
        model.fit(X * 10, y)


@pytest.mark.parametrize("cls", [GaussianNB, LinearDiscriminantAnalysis])
@pytest.mark.parametrize("labels", [RAGGED, None, 3, [[1, 0], [0, 1]]])
def test_labels_of_chunks(cls, labels):
    with pytest.raises((TypeError, ValueError), match=r"\by\b"):
        cls().fit(Chunks([X]), labels)


@pytest.mark.parametrize("weights", [RAGGED, [], np.ones((6, 1)), np.ones(5)])
def test_weights_of_chunks(weights):
    for fit in (GaussianNB().fit, LinearDiscriminantAnalysis().fit):
        with pytest.raises((TypeError, ValueError), match=r"sample_weight"):
            fit(Chunks([X]), y, sample_weight=weights)


def test_explanations_are_of_rows_there_are():
    found = GaussianNB().fit(X, y).explain(X[:2])
    assert len(found.top(1, 1)) == 1
    with pytest.raises(ValueError, match=r"row must be between 0 and the last row \(1\); got 2"):
        found.top(2)
    for wrong in ({"row": "a"}, {"n": 1.5}, {"n": None}):
        with pytest.raises(TypeError, match=next(iter(wrong))):
            found.top(**wrong)
    for label in ([0, 1], RAGGED, "a", 7, np.array([0])):
        with pytest.raises(ValueError, match="of must be one of the classes"):
            GaussianNB().fit(X, y).explain(X, of=label)


def test_rates_that_cannot_be_drawn():
    model = PoissonNB().fit(np.rint(X) * 1e30, y)
    with pytest.raises(ValueError, match=r"sample needs rates of at most 9.2e\+18"):
        model.sample(3)


@pytest.mark.filterwarnings("error")
def test_kernels_of_no_width_are_finite():
    model = KernelDensityNB(1e-160).fit(X, y)
    joint = model.predict_joint_log_proba(X + 0.5)
    assert np.isfinite(joint).all()
    np.testing.assert_allclose(model.predict_proba(X + 0.5).sum(axis=1), 1.0)
    assert model.predict(X).tolist() == y.tolist()


def test_counts_whose_sum_overflows():
    with pytest.raises(ValueError, match="X holds values so large"):
        PoissonNB().fit(np.full((3, 2), 1.7e308), [0, 1, 2])


@pytest.mark.filterwarnings("error")
def test_what_has_no_variance_at_all():
    with pytest.warns(UserWarning, match="rank 0 of 2"):
        point = MultivariateNormal.of([1.0, 2.0], np.zeros((2, 2)), allow_singular=True)
    assert point.ellipsoid().radius2 == 0.0
    assert point.outliers([[1.0, 2.0]]).tolist() == [False]
    assert generalized_variance(np.full((9, 9), 1.7e308)) == 0.0


@pytest.mark.filterwarnings("error")
def test_weights_of_one_class_have_no_norm():
    model = ComplementNB(alpha=0, norm=True).fit([[2.0], [3.0]], [5, 5])
    assert model.feature_log_prob_.tolist() == [[0.0]]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("cls", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_means_whose_squares_overflow(cls):
    far = np.array([[0.0, 0.0], *[[9e153, 9e153]] * 3, [1.0, 2.0], [2.0, 1.0], [3.0, 5.0]])
    with pytest.raises(ValueError, match="X holds values so large that their squares overflow"):
        cls().fit(far, [0, 0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize("name", ["BernoulliNB", "MultinomialNB", "PoissonNB", "CategoricalNB"])
def test_smoothing_beyond_all_sums(name):
    model = getattr(statfast, name)(alpha=1.7e308)
    with pytest.raises(ValueError, match=r"alpha must be at most 1e\+100"):
        model.fit([[0], [1]], [0, 1])


def test_variates_that_overflow():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 3.0], [2.0, 1.5]])
    model = LinearDiscriminantAnalysis().fit(X, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="variates overflow"):
        model.transform([[1.7e308, -1.7e308]])

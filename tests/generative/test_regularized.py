# SPDX-License-Identifier: BSD-3-Clause
"""Regularized discriminants, LDA with shrinkage, and the search for the shares."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as TheirLDA

from statfast import (
    Chunks,
    LinearDiscriminantAnalysis,
    PolynomialFeatures,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    RegularizedDiscriminantAnalysisCV,
)
from tests.generative.test_quadratic import METHODS, blobs
from tests.model_selection.closed_form import left_out
from tests.reference import discriminant as twin


@pytest.mark.parametrize("method", ["moment", "mle"])
@pytest.mark.parametrize(("alpha", "gamma"), [(0.3, 0.0), (0.0, 0.4), (0.7, 0.2), (0, 1), (1, 1)])
def test_matches_the_definition(alpha, gamma, method):
    X, y = blobs()
    weights = np.random.default_rng(0).integers(1, 4, 600).astype(float)
    model = RegularizedDiscriminantAnalysis(alpha, gamma, method=method, store_covariance=True)
    model.fit(X, y, weights)
    unbiased = method == "moment"
    mass, means, covariances = twin.class_covariances(X, y, weights, 4, unbiased)
    expected = twin.regularized(covariances, mass, alpha, gamma, unbiased)
    assert_allclose(model.covariance_, expected, rtol=1e-10, atol=1e-10)
    joint = twin.log_joint(X, mass / mass.sum(), means, expected)
    assert_allclose(model.decision_function(X), joint, rtol=1e-9, atol=1e-9)


def test_ends_are_the_linear_and_the_quadratic_rule():
    X, y = blobs()
    rda, lda = RegularizedDiscriminantAnalysis, LinearDiscriminantAnalysis()
    assert_allclose(rda(0.0).fit(X, y).predict_proba(X), lda.fit(X, y).predict_proba(X), atol=1e-10)
    qda = QuadraticDiscriminantAnalysis(method="moment").fit(X, y)
    assert_allclose(rda(1.0).fit(X, y).predict_proba(X), qda.predict_proba(X), atol=1e-12)
    spheres = rda(0.0, 1.0, priors=[0.25] * 4).fit(X, y)
    nearest = ((X[:, None] - spheres.means_) ** 2).sum(axis=2).argmin(axis=1)
    assert_array_equal(spheres.predict(X), nearest)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        lambda: RegularizedDiscriminantAnalysis(0.3),
        lambda: RegularizedDiscriminantAnalysis(0.7, 0.2, method="mle", priors=[0.2, 0.5, 0.3]),
        lambda: RegularizedDiscriminantAnalysis(0.0, 1.0),
        lambda: LinearDiscriminantAnalysis(solver="lsqr"),
        lambda: LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.3, method="mle"),
    ],
)
def test_leave_one_out_is_n_fits(make, weighted, method):
    X, y = blobs(60, 3, 3)
    weights = np.random.default_rng(1).integers(0, 4, 60).astype(float) if weighted else None
    held = make().leave_one_out(X, y, weights, method=method)
    expected = twin.refits(make, X, y, weights, method)
    if method == "predict":
        assert_array_equal(held, expected)
    else:
        assert_allclose(held, expected, rtol=1e-9, atol=1e-10)


def test_leave_one_out_with_shares_of_many_weights_is_by_fits():
    X, y = blobs(50, 2, 2)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 50)
    make = lambda: RegularizedDiscriminantAnalysis(0.5)  # noqa: E731
    assert left_out(make(), X, y, weights, "predict_proba") is None
    held = make().leave_one_out(X, y, weights)
    assert_allclose(held, twin.refits(make, X, y, weights, "predict_proba"), rtol=1e-10)


@pytest.mark.parametrize("priors", [None, [0.1, 0.2, 0.3, 0.4]])
@pytest.mark.parametrize(
    "params",
    [
        {"solver": "lsqr"},
        {"solver": "eigen"},
        {"solver": "svd"},
        {"solver": "lsqr", "shrinkage": 0.3},
        {"solver": "eigen", "shrinkage": 0.0},
        {"solver": "lsqr", "shrinkage": "auto"},
        {"solver": "eigen", "shrinkage": "auto"},
    ],
)
def test_lda_agrees_with_scikit_learn(params, priors):
    X, y = blobs()
    ours = LinearDiscriminantAnalysis(
        method="mle", priors=priors, store_covariance=True, **params
    ).fit(X, y)
    theirs = TheirLDA(priors=priors, store_covariance=True, **params).fit(X, y)
    for method in METHODS[:2]:
        assert_allclose(getattr(ours, method)(X), getattr(theirs, method)(X), rtol=1e-8, atol=1e-9)
    if params["solver"] != "svd":
        assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-10, atol=1e-10)
    assert ours.n_parameters_ == 4 * 6 + 15 - 1


def test_unbiased_shrinkage_keeps_the_divisor():
    X, y = blobs()
    kept = {"store_covariance": True, "solver": "lsqr"}
    plain = LinearDiscriminantAnalysis(store_covariance=True).fit(X, y).covariance_
    for share in (None, 0.0):
        same = LinearDiscriminantAnalysis(shrinkage=share, **kept).fit(X, y).covariance_
        assert_allclose(same, plain, rtol=1e-11)
    half = LinearDiscriminantAnalysis(shrinkage=0.5, **kept).fit(X, y).covariance_
    expected = 0.5 * plain + 0.5 * np.trace(plain) / 5 * np.eye(5)
    assert_allclose(half, expected, rtol=1e-10, atol=1e-12)
    with pytest.raises(ValueError, match='shrinkage needs solver="lsqr"'):
        LinearDiscriminantAnalysis(shrinkage=0.5).fit(X, y)


def test_shrinkage_helps_where_columns_are_many():
    X, y = blobs(40, 60, 2)
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto", method="mle").fit(X, y)
    theirs = TheirLDA(solver="lsqr", shrinkage="auto").fit(X, y)
    assert_allclose(model.predict_proba(X), theirs.predict_proba(X), rtol=1e-6, atol=1e-9)


def test_grid_is_n_fits_for_each_pair():
    X, y = blobs(60, 3, 3)
    alphas, gammas = [0.0, 0.4, 1.0], [0.0, 0.3, 1.0]
    search = RegularizedDiscriminantAnalysisCV(alphas, gammas).fit(X, y)
    for i, alpha in enumerate(alphas):
        for j, gamma in enumerate(gammas):
            make = lambda a=alpha, g=gamma: RegularizedDiscriminantAnalysis(a, g)  # noqa: E731
            log = twin.refits(make, X, y, None, "predict_log_proba")
            assert search.errors_[i, j] == pytest.approx((log.argmax(axis=1) != y).mean())
            assert search.log_losses_[i, j] == pytest.approx(-log[np.arange(60), y].mean())
    best = search.errors_[alphas.index(search.alpha_), gammas.index(search.gamma_)]
    assert best == search.errors_.min()
    again = RegularizedDiscriminantAnalysis(search.alpha_, search.gamma_).fit(X, y)
    assert_array_equal(again.predict_proba(X), search.predict_proba(X))
    by_loss = RegularizedDiscriminantAnalysisCV(alphas, gammas, criterion="log_loss").fit(X, y)
    i, j = alphas.index(by_loss.alpha_), gammas.index(by_loss.gamma_)
    assert by_loss.log_losses_[i, j] == by_loss.log_losses_.min()


def test_grid_with_weights_leaves_rows_out_with_all_of_their_weight():
    X, y = blobs(60, 3, 3)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 60)
    search = RegularizedDiscriminantAnalysisCV([0.4], [0.0, 0.3]).fit(X, y, weights)
    for j, gamma in enumerate([0.0, 0.3]):
        make = lambda g=gamma: RegularizedDiscriminantAnalysis(0.4, g)  # noqa: E731
        log = twin.refits(make, X, y, weights, "predict_log_proba")
        loss = -np.average(log[np.arange(60), y], weights=weights)
        assert search.log_losses_[0, j] == pytest.approx(loss)


def test_grid_has_the_same_bits_for_any_threads():
    X, y = blobs(5000)
    found = [RegularizedDiscriminantAnalysisCV(n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2, 7)]
    for other in found[1:]:
        assert_array_equal(other.log_losses_, found[0].log_losses_)
        assert_array_equal(other.errors_, found[0].errors_)
    assert found[0].errors_.shape == (11, 11)


def test_singular_pairs_of_the_grid_are_left_out():
    X, y = blobs(90, 3, 3)
    X = np.column_stack([X, np.where(y == 1, 0.0, X[:, 0] ** 2)])
    with pytest.warns(UserWarning, match="Singular for 1 of 4 pairs"):
        search = RegularizedDiscriminantAnalysisCV([0.5, 1.0], [0.0, 0.5]).fit(X, y)
    assert np.isnan(search.errors_).tolist() == [[False, False], [True, False]]
    with pytest.raises(ValueError, match="for each pair of alphas and gammas"):
        RegularizedDiscriminantAnalysisCV([1.0], [0.0]).fit(X, y)
    with pytest.raises(ValueError, match="class 1 is singular: it is constant in column 3"):
        RegularizedDiscriminantAnalysis(1.0).fit(X, y)


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"alphas": [0.5, 1.5]}, ValueError, "alphas must be numbers from 0 to 1"),
        ({"gammas": []}, ValueError, "gammas must be numbers"),
        ({"gammas": "all"}, TypeError, "gammas must be numbers"),
        ({"criterion": "auc"}, ValueError, "criterion"),
        ({"method": "ml"}, ValueError, "method"),
    ],
)
def test_search_refuses(params, error, words):
    with pytest.raises(error, match=words):
        RegularizedDiscriminantAnalysisCV(**params).fit(*blobs())


def test_refusals():
    X, y = blobs()
    for params in ({"alpha": 1.5}, {"gamma": -0.1}):
        with pytest.raises(ValueError, match=next(iter(params))):
            RegularizedDiscriminantAnalysis(**params).fit(X, y)
    with pytest.raises(TypeError, match="rows in memory"):
        RegularizedDiscriminantAnalysisCV().fit(Chunks([X]), y)
    y = np.where(np.arange(600) == 3, 9, y)
    with pytest.raises(ValueError, match="the class 9 has 1"):
        RegularizedDiscriminantAnalysis(0.5).fit(X, y)
    assert 9 in RegularizedDiscriminantAnalysis(0.0).fit(X, y).classes_


def test_sums_and_parts_are_one_fit():
    X, y = blobs()
    whole, parts = RegularizedDiscriminantAnalysis(0.4, 0.1).fit(X, y), None
    parts = RegularizedDiscriminantAnalysis(0.4, 0.1)
    for start in range(0, 600, 50):
        parts.partial_fit(X[start : start + 50], y[start : start + 50], classes=range(4))
    assert_allclose(parts.predict_proba(X), whole.predict_proba(X), rtol=1e-9)


def test_linear_rule_on_quadratic_terms():
    """Curved boundaries from LDA in the space of squares and products."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    y = ((X**2).sum(axis=1) > 1.4).astype(int)
    Q = PolynomialFeatures(2).fit_transform(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the column of ones
        curved = LinearDiscriminantAnalysis().fit(Q, y)
    squares = np.column_stack([X, X[:, :1] ** 2, X[:, :1] * X[:, 1:], X[:, 1:] ** 2])
    same = LinearDiscriminantAnalysis().fit(squares, y)
    assert_allclose(curved.predict_proba(Q), same.predict_proba(squares), atol=1e-9)
    assert curved.score(Q, y) > 0.85 > LinearDiscriminantAnalysis().fit(X, y).score(X, y)


def test_a_tolerance_of_float32():
    # A bound on it is beyond its type.
    X, y = np.random.default_rng(0).normal(size=(30, 3)), np.arange(30) % 2
    models = [
        RegularizedDiscriminantAnalysisCV(tol=kind(2.0**-20)).fit(X, y)
        for kind in (float, np.float32)
    ]
    assert_array_equal(models[0].predict_proba(X), models[1].predict_proba(X))

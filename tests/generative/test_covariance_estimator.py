# SPDX-License-Identifier: BSD-3-Clause
"""Discriminants whose covariances come from an estimator, and Mahalanobis distances."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import covariance
from sklearn import discriminant_analysis as theirs

from statfast import (
    Chunks,
    LinearDiscriminantAnalysis,
    MultivariateNormal,
    QuadraticDiscriminantAnalysis,
)
from statfast.generative import ledoit_wolf, mahalanobis, oas
from statfast.model_selection import cross_validate

RULES = [
    (LinearDiscriminantAnalysis, theirs.LinearDiscriminantAnalysis, "lsqr"),
    (LinearDiscriminantAnalysis, theirs.LinearDiscriminantAnalysis, "eigen"),
    (QuadraticDiscriminantAnalysis, theirs.QuadraticDiscriminantAnalysis, "eigen"),
]


def rows(n=90, d=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 2.0 * y[:, None], y


@pytest.mark.parametrize(("ours", "peer", "solver"), RULES)
@pytest.mark.parametrize("priors", [None, [0.2, 0.5, 0.3]])
@pytest.mark.parametrize(
    "make", [covariance.OAS, covariance.LedoitWolf, covariance.ShrunkCovariance]
)
def test_scikit_learns_answers(ours, peer, solver, priors, make):
    X, y = rows()
    model = ours(solver=solver, covariance_estimator=make(), priors=priors, store_covariance=True)
    known = peer(solver=solver, covariance_estimator=make(), priors=priors, store_covariance=True)
    model.fit(X, y), known.fit(X, y)
    assert_allclose(model.covariance_, known.covariance_, rtol=1e-9)
    assert_allclose(model.predict_proba(X), known.predict_proba(X), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("ours", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_our_own_estimator_is_the_rule_by_name(ours):
    X, y = rows()
    likely = MultivariateNormal(method="mle", shrinkage=0.3)
    model = ours(solver="eigen", covariance_estimator=likely, method="mle").fit(X, y)
    plain = ours(solver="eigen", shrinkage=0.3, method="mle").fit(X, y)
    assert_allclose(model.decision_function(X), plain.decision_function(X), rtol=1e-9)
    assert not likely.__sklearn_is_fitted__()
    held = model.leave_one_out(X, y)
    assert_allclose(held, plain.leave_one_out(X, y), rtol=1e-7)
    found = cross_validate(model, X, y, cv=3)
    assert found.path == "refit"
    assert_array_equal(found["test_score"], cross_validate(plain, X, y, cv=3)["test_score"])


def test_weights_are_passed_on():
    X, y = rows()
    w = np.arange(len(y)) % 3
    make = LinearDiscriminantAnalysis(
        solver="lsqr", covariance_estimator=MultivariateNormal(shrinkage="oas")
    )
    weighted = make.fit(X, y, sample_weight=w).predict_proba(X)
    assert_allclose(weighted, make.fit(np.repeat(X, w, 0), np.repeat(y, w)).predict_proba(X))
    with pytest.raises(TypeError, match="sample_weight is not taken by OAS"):
        make.set_params(covariance_estimator=covariance.OAS()).fit(X, y, sample_weight=w)


class Crooked:
    def fit(self, X):
        self.covariance_ = np.ones((2, 3))
        return self


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"solver": "svd"}, ValueError, "covariance_estimator needs solver="),
        ({"shrinkage": 0.1}, ValueError, "covariance_estimator and shrinkage=0.1 exclude"),
        ({"covariance_estimator": 3}, TypeError, "covariance_estimator must be None or an"),
        ({"covariance_estimator": "oas"}, TypeError, "covariance_estimator must be None or an"),
        ({"covariance_estimator": MultivariateNormal}, TypeError, "covariance_estimator must be"),
        ({"covariance_estimator": Crooked()}, ValueError, "must have covariance_ of shape"),
    ],
)
@pytest.mark.parametrize("ours", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_refusals(ours, params, error, words):
    X, y = rows()
    given = {"solver": "eigen", "covariance_estimator": MultivariateNormal()} | params
    with pytest.raises(error, match=words):
        ours(**given).fit(X, y)


def test_no_sums():
    X, y = rows()
    model = LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=MultivariateNormal())
    with pytest.raises(ValueError, match="partial_fit adds moments up"):
        model.partial_fit(X, y, classes=[0, 1, 2])
    model.fit(X, y).set_params(covariance_estimator=None)
    with pytest.raises(ValueError, match="partial_fit adds moments up"):
        model.partial_fit(X, y)
    model.set_params(covariance_estimator=MultivariateNormal())
    with pytest.raises(TypeError, match="X must be rows in memory"):
        model.fit(Chunks(lambda: iter([X])), y)


# ------------------------------------------------------------------ distances
def test_mahalanobis_of_all_forms():
    X, _ = rows()
    center, S = X[0], np.cov(X.T)
    u = X - center
    want = np.einsum("ij,ij->i", u, np.linalg.solve(S, u.T).T)
    assert_allclose(mahalanobis(X, center, S), want, rtol=1e-9, atol=1e-12)
    by_columns = (u**2 / S.diagonal()).sum(axis=1)
    assert_allclose(mahalanobis(X, center, S.diagonal()), by_columns, rtol=1e-12, atol=1e-30)
    assert_allclose(mahalanobis(X, center, 4.0), (u**2).sum(axis=1) / 4.0, atol=1e-30)
    assert mahalanobis(X.astype(np.float32), center, S).dtype == np.float32
    assert not np.signbit(mahalanobis(X, center, 1.0)[0])


def test_mahalanobis_refusals():
    X, _ = rows()
    with pytest.raises(np.linalg.LinAlgError, match="is constant in column 0"):
        mahalanobis(X, X[0], [0.0, 1.0, 1.0, 1.0])
    with pytest.warns(UserWarning, match="The covariance has rank 3 of 4"):
        flat = mahalanobis(X, X[0], [0.0, 1.0, 1.0, 1.0], allow_singular=True)
    assert_allclose(flat, ((X - X[0])[:, 1:] ** 2).sum(axis=1), atol=1e-30)
    for center, S in ((X[0, :2], 1.0), (X[:2], 1.0), (X[0], [1.0]), (X[0], -1.0)):
        with pytest.raises(ValueError, match=r"must|expecting"):
            mahalanobis(X, center, S)
    with pytest.raises(ValueError, match=r"center .*2"):
        mahalanobis(X, [[1.0, 3.0], 2.0], 1.0)
    with pytest.raises(TypeError, match="covariance must be a matrix, or a list of numbers"):
        mahalanobis(X, X[0], "a")


@pytest.mark.parametrize("estimate", [ledoit_wolf, oas])
@pytest.mark.parametrize("power", [-500, -300, -90, 200, 480])
def test_shrinkage_does_not_know_the_unit(estimate, power):
    # Fourth powers of such rows vanish, or overflow.
    X = np.random.default_rng(0).normal(size=(20, 3)) + 0.5
    for more in ({}, {"assume_centered": True}):
        known, share = estimate(X, **more)
        covariance, found = estimate(np.ldexp(X, power), **more)
        assert found == pytest.approx(share, rel=1e-12)
        np.testing.assert_allclose(np.ldexp(covariance, -2 * power), known, rtol=1e-12)


@pytest.mark.parametrize("estimate", [ledoit_wolf, oas])
def test_covariances_that_overflow_are_refused(estimate):
    with pytest.raises(ValueError, match="squares overflow"):
        estimate(np.full((3, 2), 1.7e308), assume_centered=True)

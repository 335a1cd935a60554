# SPDX-License-Identifier: BSD-3-Clause
"""Multivariate t distributions against scipy; the likelihood at its maximum; promises, refusals."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.stats import chi2, f, kstest, multivariate_normal, multivariate_t

from statfast import BayesClassifier, MultivariateNormal, MultivariateT
from statfast._engine import blocks
from statfast._validation import ConvergenceWarning
from statfast.datasets import load_iris

SHAPE = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, -0.3], [0.1, -0.3, 0.7]])
LOCATION = np.array([1.0, -2.0, 0.5])


def t_rows(n=400, df=4.0, seed=0):
    return multivariate_t(LOCATION, SHAPE, df, seed=seed).rvs(n)


def log_likelihood(location, shape, df, X, weights=None):
    logs = multivariate_t(location, shape, df).logpdf(X)
    return logs.sum() if weights is None else weights @ logs


# ------------------------------------------------------------------ given distributions


@pytest.mark.parametrize("df", [0.1, 1.0, 2.5, 30.0, 1e4])
def test_densities_of_scipy(df):
    Q = np.vstack([t_rows(50), 1e6 * t_rows(5, seed=1)])
    model = MultivariateT.of(LOCATION, SHAPE, df)
    theirs = multivariate_t(LOCATION, SHAPE, df)
    assert_allclose(model.score_samples(Q), theirs.logpdf(Q), rtol=1e-11)
    assert_allclose(model.score(Q), theirs.logpdf(Q).mean(), rtol=1e-11)


def test_the_limit_is_normal():
    Q = t_rows(50)
    normal = multivariate_normal(LOCATION, SHAPE).logpdf(Q)
    assert_allclose(MultivariateT.of(LOCATION, SHAPE, np.inf).score_samples(Q), normal, rtol=1e-12)
    assert_allclose(MultivariateT.of(LOCATION, SHAPE, 1e9).score_samples(Q), normal, rtol=1e-6)


@pytest.mark.parametrize("df", [1.0, 3.0, np.inf])
def test_ellipsoids_hold_their_probability(df):
    model = MultivariateT.of(LOCATION, SHAPE, df)
    X = model.sample(20_000, random_state=0)
    squares = model.mahalanobis(X)
    law = chi2(3).cdf if np.isinf(df) else f(3, df).cdf
    assert kstest(squares if np.isinf(df) else squares / 3.0, law).pvalue > 1e-3
    for content in (0.5, 0.9, 0.99):
        inside = ~model.outliers(X, content)
        assert_allclose(inside.mean(), content, atol=0.01)
        assert_array_equal(model.ellipsoid(content).contains(X), inside)


def test_samples_are_reproducible():
    model = MultivariateT.of(LOCATION, SHAPE, 3.0)
    assert_array_equal(model.sample(9, random_state=3), model.sample(9, random_state=3))
    assert_allclose(np.median(model.sample(50_000, 0), axis=0), LOCATION, atol=0.02)
    assert np.isfinite(MultivariateT.of([0.0], [[1.0]], 1e-3).sample(100, 0)).any()


@pytest.mark.parametrize("df", [2.0, 7.0, np.inf])
def test_marginals_conditionals_and_maps(df):
    """The joint density is the marginal one times the conditional one."""
    model = MultivariateT.of(LOCATION, SHAPE, df)
    for x in t_rows(10):
        given = model.marginal([2, 0])
        rest = model.conditional([2, 0], x[[2, 0]])
        total = given.score_samples(x[None, [2, 0]]) + rest.score_samples(x[None, [1]])
        assert_allclose(model.score_samples(x[None]), total, rtol=1e-11)
    A, shift = np.array([[1.0, 2.0, 0.0], [0.0, -1.0, 1.0], [0.5, 0.0, 3.0]]), [1.0, 2.0, 3.0]
    moved = model.affine(A, shift)
    X = t_rows(20)
    want = model.score_samples(X) - np.log(abs(np.linalg.det(A)))
    assert_allclose(moved.score_samples(X @ A.T + shift), want, rtol=1e-11)
    assert moved.df_ == model.marginal([1]).df_ == df


def test_covariance():
    assert_allclose(MultivariateT.of(LOCATION, SHAPE, 5.0).covariance_, SHAPE * 5.0 / 3.0)
    assert_allclose(MultivariateT.of(LOCATION, SHAPE, np.inf).covariance_, SHAPE)
    assert np.isnan(MultivariateT.of(LOCATION, SHAPE, 2.0).covariance_).all()


# ------------------------------------------------------------------ maximum likelihood


@pytest.mark.parametrize("df", [None, 0.7, 3.0, 50.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_no_step_raises_the_likelihood(df, weighted):
    X = t_rows(300)
    weights = np.random.default_rng(1).integers(0, 4, 300).astype(float) if weighted else None
    model = MultivariateT(df, tol=1e-14).fit(X, sample_weight=weights)
    best = log_likelihood(model.location_, model.shape_, model.df_, X, weights)
    assert_allclose(model.log_likelihood_, best, rtol=1e-11)
    rng = np.random.default_rng(2)
    for _ in range(40):
        step = 1e-4 * rng.standard_normal((3, 3))
        moved = model.location_ + 1e-4 * rng.standard_normal(3), model.shape_ + step + step.T
        assert log_likelihood(*moved, model.df_, X, weights) <= best + 1e-7
    for factor in (0.999, 1.001) if df is None else ():
        assert log_likelihood(model.location_, model.shape_, factor * model.df_, X, weights) <= best


def test_a_general_optimizer_finds_the_same():
    X = t_rows(200)[:, :2]

    def loss(v):
        L = np.array([[np.exp(v[2]), 0.0], [v[3], np.exp(v[4])]])
        return -log_likelihood(v[:2], L @ L.T, np.exp(v[5]), X)

    found = minimize(loss, [1.0, -2.0, 0.0, 0.0, 0.0, 1.0], method="BFGS", options={"gtol": 1e-6})
    model = MultivariateT().fit(X)
    assert_allclose(model.log_likelihood_, -found.fun, rtol=1e-8)
    assert_allclose(model.location_, found.x[:2], atol=1e-4)
    assert_allclose(model.df_, np.exp(found.x[5]), rtol=1e-3)


def test_parameters_are_recovered():
    model = MultivariateT().fit(t_rows(50_000))
    assert_allclose(model.location_, LOCATION, atol=0.03)
    assert_allclose(model.shape_, SHAPE, atol=0.05)
    assert_allclose(model.df_, 4.0, rtol=0.05)
    assert model.converged_
    assert model.n_parameters_ == 10
    assert_allclose(model.bic_, 10 * np.log(50_000) - 2.0 * model.log_likelihood_)


def test_rows_without_tails_are_normal():
    X = np.random.default_rng(0).uniform(size=(500, 2))
    model, normal = MultivariateT().fit(X), MultivariateNormal(method="mle").fit(X)
    assert model.df_ == np.inf
    assert_allclose(model.shape_, normal.covariance_, rtol=1e-12)
    assert_allclose(MultivariateT(np.inf).fit(X).log_likelihood_, normal.score(X) * 500, rtol=1e-12)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([None, 2.0]), st.sampled_from([1e-100, 1.0, 1e100]))
def test_linear_maps_move_the_fit(seed, df, scale):
    rng = np.random.default_rng(seed)
    X = rng.standard_t(3.0, (60, 2))
    A = np.eye(2) + 0.4 * rng.standard_normal((2, 2))
    if abs(np.linalg.det(A)) < 0.1:
        A = np.eye(2)
    shift = rng.standard_normal(2)
    plain = MultivariateT(df, tol=1e-13).fit(X)
    moved = MultivariateT(df, tol=1e-13).fit(scale * (X @ A.T + shift))
    assert_allclose(moved.location_ / scale, A @ plain.location_ + shift, atol=1e-4)
    assert_allclose(moved.shape_ / scale**2, A @ plain.shape_ @ A.T, rtol=1e-3, atol=1e-4)
    assert_allclose(min(moved.df_, 1e4), min(plain.df_, 1e4), rtol=1e-3)


# ------------------------------------------------------------------ promises


def test_a_weight_is_a_repeated_row():
    X = t_rows(120)
    weights = np.random.default_rng(0).integers(0, 4, 120)
    for df in (None, 3.0):
        weighted = MultivariateT(df).fit(X, sample_weight=weights)
        repeated = MultivariateT(df).fit(np.repeat(X, weights, axis=0))
        for name in ("location_", "shape_", "df_", "log_likelihood_", "bic_"):
            assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_same_bits_for_any_number_of_threads(dtype, monkeypatch):
    monkeypatch.setattr(blocks, "usable_threads", lambda *a, **k: 7)
    X = t_rows(20_000).astype(dtype)
    got = []
    for n_jobs in (1, 2, 7):
        model = MultivariateT(n_jobs=n_jobs).fit(X)
        answers = model.shape_, model.score_samples(X), model.sample(5000, random_state=0)
        got.append([a.tobytes() for a in answers])
        assert answers[1].dtype == dtype
    assert got[0] == got[1] == got[2]


def test_names_and_pickles():
    frame = pd.DataFrame(t_rows(50), columns=["a", "b", "c"])
    model = MultivariateT(3.0).fit(frame)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert list(model.marginal(["c", "a"]).feature_names_in_) == ["c", "a"]
    assert list(model.conditional(["b"], [0.0]).feature_names_in_) == ["a", "c"]
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.score_samples(frame), model.score_samples(frame))


def test_class_densities():
    iris = load_iris()
    model = BayesClassifier(MultivariateT(5.0)).fit(iris.data, iris.target)
    logs = [
        MultivariateT(5.0).fit(iris.data[iris.target == k]).score_samples(iris.data)
        for k in range(3)
    ]
    joint = np.array(logs).T - np.log(3.0)
    assert_allclose(model.predict_joint_log_proba(iris.data), joint, rtol=1e-9)
    own = joint[np.arange(150), iris.target].sum()
    assert_allclose(model.log_likelihood_, own, rtol=1e-9)
    assert (model.predict(iris.data) == iris.target).mean() > 0.96
    drawn, labels = model.sample(100, random_state=0)
    assert drawn.shape == (100, 4)
    assert set(labels) == {0, 1, 2}


# ------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"df": 0.0}, "df must be"),
        ({"df": -1.0}, "df must be"),
        ({"df": np.nan}, "df must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"tol": -1.0}, "tol must be"),
    ],
)
def test_parameters_that_are_refused(params, sentence):
    with pytest.raises(ValueError, match=sentence):
        MultivariateT(**params).fit(t_rows(30))


def test_data_that_are_refused():
    X = t_rows(30)
    with pytest.raises(ValueError, match="singular"):
        MultivariateT(3.0).fit(np.column_stack([X, X[:, 0]]))
    with pytest.raises(ValueError, match="more rows of positive weight"):
        MultivariateT(3.0).fit(X[:3])
    flat = np.vstack([np.column_stack([X[:, :2], np.zeros(30)]), X[:2]])
    with pytest.raises(ValueError, match="singular"):  # its likelihood has no bound
        MultivariateT(0.1).fit(flat)
    piled = np.vstack([X, np.tile(X[:1], (60, 1)) + [[0.0, 0.0, 1.0]] * np.arange(60)[:, None]])
    with pytest.warns(ConvergenceWarning, match="fell to"):
        MultivariateT(max_iter=100).fit(piled)
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        MultivariateT(max_iter=2).fit(X)
    with pytest.raises(ValueError, match="shape must be square"):
        MultivariateT.of([0.0], [[1.0, 2.0]], 3.0)
    with pytest.raises(ValueError, match="location must hold 2"):
        MultivariateT.of([0.0], np.eye(2), 3.0)
    with pytest.raises(ValueError, match="singular"):
        MultivariateT.of([0.0, 0.0], np.ones((2, 2)), 3.0)
    with pytest.raises(ValueError, match="df must be"):
        MultivariateT.of([0.0], [[1.0]], 0.0)
    model = MultivariateT(3.0).fit(X)
    with pytest.raises(ValueError, match="content"):
        model.outliers(X, 1.0)
    with pytest.raises(ValueError, match="columns"):
        model.conditional([0, 1, 2], [0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="columns"):
        model.marginal([7])

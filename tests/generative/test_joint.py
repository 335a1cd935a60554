# SPDX-License-Identifier: BSD-3-Clause
"""Discriminants as joint distributions: densities, likelihoods, samples and summaries."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from statfast.datasets import load_iris, load_wine
from statfast.decision import BayesClassifier
from statfast.generative import (
    LinearDiscriminantAnalysis,
    MultivariateNormal,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    RegularizedDiscriminantAnalysisCV,
)

MODELS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(method="mle", priors=[0.5, 0.3, 0.2]),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=MultivariateNormal()),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(method="mle", reg_param=0.1),
    QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
    QuadraticDiscriminantAnalysis(solver="eigen", covariance_estimator=MultivariateNormal()),
    RegularizedDiscriminantAnalysis(0.3, 0.2),
    RegularizedDiscriminantAnalysisCV([0.0, 0.5], [0.0, 0.5]),
]


def stored(model, X, y, weights=None):
    return model.set_params(store_covariance=True).fit(X, y, sample_weight=weights)


def covariances(model):
    S = model.covariance_
    return S if isinstance(S, list) else [S] * len(model.classes_)


def twin(model, X):
    """Logarithm of prior times density by scipy's normal densities."""
    parts = zip(model.priors_, model.means_, covariances(model), strict=True)
    return np.stack([np.log(p) + multivariate_normal(m, S).logpdf(X) for p, m, S in parts], axis=1)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_densities_and_likelihood(model, weighted):
    iris = load_iris()
    X, y = iris.data, np.array(iris.target_names)[iris.target]
    weights = np.random.default_rng(1).integers(0, 3, 150).astype(float) if weighted else None
    model = stored(model, X, y, weights)
    joint = twin(model, X)
    assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-9, atol=1e-9)
    assert_allclose(model.score_samples(X), logsumexp(joint, axis=1), rtol=1e-9, atol=1e-9)
    posteriors = joint - logsumexp(joint, axis=1)[:, None]
    assert_allclose(model.predict_log_proba(X), posteriors, rtol=1e-7, atol=1e-7)
    mine = joint[np.arange(150), np.searchsorted(model.classes_, y)]
    n = 150 if weights is None else weights.sum()
    total = np.sum(mine if weights is None else weights * mine)
    assert model.log_likelihood_ == pytest.approx(total, rel=1e-9)
    assert model.aic_ == pytest.approx(2 * model.n_parameters_ - 2 * total, rel=1e-9)
    assert model.bic_ == pytest.approx(np.log(n) * model.n_parameters_ - 2 * total, rel=1e-9)


@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 5), n_classes=st.integers(2, 4))
@settings(deadline=None)
def test_random_problems(seed, d, n_classes):
    rng = np.random.default_rng(seed)
    y = np.arange(30 * n_classes) % n_classes
    X = rng.normal(size=(n_classes, d))[y] * 3 + rng.normal(size=(len(y), d)) + 1e3
    for model in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()):
        model = stored(model, X, y)
        assert_allclose(model.predict_joint_log_proba(X), twin(model, X), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (RegularizedDiscriminantAnalysis(0.0, 0.0), 24),  # as linear discriminant analysis
        (RegularizedDiscriminantAnalysis(1.0, 0.0), 44),  # as quadratic
        (RegularizedDiscriminantAnalysis(0.0, 1.0), 15),
        (RegularizedDiscriminantAnalysis(1.0, 1.0), 17),
        (LinearDiscriminantAnalysis(), 24),
        (QuadraticDiscriminantAnalysis(), 44),
    ],
)
def test_parameters(model, expected):
    iris = load_iris()
    assert model.fit(iris.data, iris.target).n_parameters_ == expected


@pytest.mark.parametrize("model", MODELS[:5] + MODELS[-2:], ids=repr)
def test_samples(model):
    """Moments of the samples of each class are the model's, within five standard errors."""
    wine = load_wine()
    model = stored(model, wine.data[:, [0, 6, 9]], np.array(wine.target_names)[wine.target])
    n = 40_000
    X, y = model.sample(n, random_state=3)
    for again, first in zip(model.sample(n, random_state=3), (X, y), strict=True):
        assert_array_equal(again, first)
    for k, label in enumerate(model.classes_):
        rows, S = X[y == label], covariances(model)[k]
        prior, m = model.priors_[k], len(rows)
        assert abs(m / n - prior) < 5 * np.sqrt(prior * (1 - prior) / n)
        assert (np.abs(rows.mean(axis=0) - model.means_[k]) < 5 * np.sqrt(S.diagonal() / m)).all()
        spread = np.sqrt((S**2 + np.outer(S.diagonal(), S.diagonal())) / m)
        assert (np.abs(np.cov(rows.T) - S) < 5 * spread).all()


def test_a_constant_column_is_that_of_its_class():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.column_stack([rng.normal(size=60) + y, 3.0 + y])
    with pytest.warns(UserWarning, match="constant within each class"):
        model = LinearDiscriminantAnalysis().fit(X, y)
    rows, labels = model.sample(50, random_state=0)
    assert_array_equal(rows[:, 1], 3.0 + labels)
    assert np.ptp(rows[:, 0]) > 1.0


def test_summary_of_r(shared_data):
    """R's print of MASS::lda: group means, coefficients and the proportion of trace."""
    known = json.loads(shared_data("..", "reference", "lda_qda.json").read_text("utf-8"))
    known = known["iris"]["lda"]
    iris = load_iris()
    y = np.array(iris.target_names)[iris.target]
    summary = LinearDiscriminantAnalysis().fit(iris.data, y).summary()
    trace = np.asarray(known["svd"]) ** 2
    share = summary.table["Proportion of trace"].columns["Proportion"]
    assert_allclose(share, trace / trace.sum(), rtol=1e-7)
    coefficients = np.asarray(summary.table["Coefficients of linear discriminants"])
    assert_allclose(np.abs(coefficients), np.abs(known["scaling"]["values"]), rtol=1e-6)
    text = str(summary)
    assert "Group means" in text
    assert "virginica" in text
    of_classes = QuadraticDiscriminantAnalysis().fit(iris.data, y).summary()
    assert list(of_classes.table) == ["Prior probabilities", "Group means"]


def test_bayes_classifier_is_a_joint_distribution():
    iris = load_iris()
    X, y = iris.data, np.array(iris.target_names)[iris.target]
    weights = np.random.default_rng(2).integers(1, 4, 150).astype(float)
    for w in (None, weights):
        model = BayesClassifier(MultivariateNormal(method="mle")).fit(X, y, w)
        qda = QuadraticDiscriminantAnalysis(method="mle").fit(X, y, sample_weight=w)
        ours, peer = model.predict_joint_log_proba(X), qda.predict_joint_log_proba(X)
        assert_allclose(ours, peer, rtol=1e-9)
        assert_allclose(model.score_samples(X), qda.score_samples(X), rtol=1e-9)
        for name in ("log_likelihood_", "aic_", "bic_"):
            assert getattr(model, name) == pytest.approx(getattr(qda, name), rel=1e-9)
    rows, labels = model.sample(20_000, random_state=0)
    assert rows.shape == (20_000, 4)
    for k, label in enumerate(model.classes_):
        density, mine = model.densities_[k], rows[labels == label]
        spread = np.sqrt(density.covariance_.diagonal() / len(mine))
        assert (np.abs(mine.mean(axis=0) - density.mean_) < 5 * spread).all()


def test_known_densities_have_no_likelihood():
    normals = [MultivariateNormal.of([m], [[1.0]]) for m in (0.0, 2.0)]
    model = BayesClassifier.of(normals, priors=[0.25, 0.75])
    assert not hasattr(model, "log_likelihood_")
    mixture = 0.25 * multivariate_normal(0, 1).pdf(0.5) + 0.75 * multivariate_normal(2, 1).pdf(0.5)
    assert model.score_samples([[0.5]])[0] == pytest.approx(np.log(mixture), rel=1e-12)
    assert set(model.sample(100, random_state=0)[1]) == {0, 1}


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), BayesClassifier()])
def test_what_is_refused(model):
    with pytest.raises(ValueError, match="not fitted"):
        model.sample(3)
    iris = load_iris()
    fitted = BayesClassifier(MultivariateNormal()) if "Bayes" in repr(model) else model
    fitted.fit(iris.data, iris.target)
    with pytest.raises(ValueError, match="n_samples must be"):
        fitted.sample(0)
    with pytest.raises(ValueError, match="features"):
        fitted.score_samples([[1.0]])

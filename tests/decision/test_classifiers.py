# SPDX-License-Identifier: BSD-3-Clause
"""Bayes' rule with any densities, and costs around any classifier."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.neighbors import KernelDensity

from statfast import (
    BayesClassifier,
    CostSensitiveClassifier,
    LinearDiscriminantAnalysis,
    MultivariateNormal,
    QuadraticDiscriminantAnalysis,
)
from statfast.datasets import load_wine
from statfast.decision import decide
from statfast.metrics import expected_cost

WINE = load_wine()
X, Y = WINE.data[:, [0, 6]], WINE.target
DEAR = [[0, 1, 1], [1, 0, 1], [20, 20, 0]]


def test_normal_densities_are_qda():
    model = BayesClassifier(MultivariateNormal(method="mle")).fit(X, Y)
    qda = QuadraticDiscriminantAnalysis().fit(X, Y)
    assert_allclose(model.predict_proba(X), qda.predict_proba(X), rtol=1e-8, atol=1e-12)
    assert_array_equal(model.predict(X), qda.predict(X))
    assert_array_equal(model.class_count_, [59, 71, 48])
    even = BayesClassifier(MultivariateNormal(method="mle"), rule="ml").fit(X, Y)
    flat = QuadraticDiscriminantAnalysis(priors=[1 / 3] * 3).fit(X, Y)
    assert_allclose(even.predict_proba(X), flat.predict_proba(X), rtol=1e-8, atol=1e-12)
    given = BayesClassifier(MultivariateNormal(method="mle"), priors=[0.2, 0.3, 0.5]).fit(X, Y)
    theirs = QuadraticDiscriminantAnalysis(priors=[0.2, 0.3, 0.5]).fit(X, Y)
    assert_allclose(given.predict_proba(X), theirs.predict_proba(X), rtol=1e-8, atol=1e-12)


def test_densities_of_others_and_one_for_each_class():
    kernel = BayesClassifier(KernelDensity(bandwidth=0.3)).fit(X, Y)
    assert kernel.score(X, Y) > 0.9
    mixed = {0: MultivariateNormal(), 1: KernelDensity(bandwidth=0.3), 2: MultivariateNormal()}
    assert BayesClassifier(mixed).fit(X, Y).score(X, Y) > 0.9
    with pytest.raises(ValueError, match="density has none for the class 2"):
        BayesClassifier({0: KernelDensity(), 1: KernelDensity()}).fit(X, Y)


def test_weights_are_repeated_rows():
    weights = np.random.default_rng(0).integers(0, 4, 178)
    weighted = BayesClassifier(MultivariateNormal()).fit(X, Y, weights.astype(float))
    repeated = BayesClassifier(MultivariateNormal()).fit(X.repeat(weights, 0), Y.repeat(weights))
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-9, atol=1e-12)


def test_known_densities():
    """Two normal classes, the boundary moved by the ratio of priors and costs."""
    normals = [stats.norm(0, 1), stats.norm(2, 1)]
    densities = [lambda rows, d=d: d.logpdf(rows[:, 0]) for d in normals]
    for priors, cost in (([0.5, 0.5], None), ([0.9, 0.1], None), ([0.5, 0.5], [[0, 1], [4, 0]])):
        model = BayesClassifier.of(densities, priors=priors, cost=cost, classes=["a", "b"])
        ratio = priors[0] / priors[1] * (1.0 if cost is None else 0.25)
        at = 1.0 + np.log(ratio) / 2.0
        assert model.predict([[at - 1e-9], [at + 1e-9]]).tolist() == ["a", "b"]
    assert BayesClassifier.of(normals).predict([[0.5], [1.5]]).tolist() == [0, 1]
    assert BayesClassifier.of(normals, rule="ml", priors=[0.9, 0.1]).predict([[1.1]]) == [1]


def test_bayes_error_by_simulation():
    normals = [MultivariateNormal.of([m], [[1.0]]) for m in (0.0, 2.0)]
    model = BayesClassifier.of(normals)
    found = model.bayes_error(200_000, random_state=0)
    assert found.n_samples == 200_000
    assert 0 < found.standard_error < 5e-4
    assert found.error == pytest.approx(stats.norm.sf(1.0), abs=4 * found.standard_error)
    assert model.bayes_error(1000, random_state=1) == model.bayes_error(1000, random_state=1)
    rejecting = BayesClassifier.of(normals, reject=0.1).bayes_error(50_000, random_state=0)
    assert rejecting.error < 0.1
    scipys = BayesClassifier.of([stats.norm(0), stats.norm(2)]).bayes_error(50_000, random_state=0)
    assert scipys.error == pytest.approx(stats.norm.sf(1.0), abs=4 * scipys.standard_error)
    dear = BayesClassifier.of(normals, cost=[[0, 1], [9, 0]]).bayes_error(100_000, random_state=0)
    at = 1.0 - np.log(9.0) / 2.0
    exact = 0.5 * stats.norm.sf(at) + 0.5 * 9 * stats.norm.cdf(at - 2.0)
    assert dear.error == pytest.approx(exact, abs=4 * dear.standard_error)
    with pytest.raises(TypeError, match="neither sample nor rvs"):
        BayesClassifier.of([lambda rows: -(rows[:, 0] ** 2)] * 2).bayes_error(10)


def test_densities_that_underflow_decide():
    normals = [MultivariateNormal.of([m], [[1.0]]) for m in (0.0, 2.0)]
    model = BayesClassifier.of(normals)
    assert model.predict([[-200.0], [200.0]]).tolist() == [0, 1]
    assert np.isfinite(model.predict_log_proba([[200.0]])).all()


def test_impossible_rows():
    uniform = [lambda rows, a=a: stats.uniform(a, 1).logpdf(rows[:, 0]) for a in (0.0, 0.5)]
    model = BayesClassifier.of(uniform)
    assert_array_equal(model.predict_proba([[0.2], [1.2], [0.7]]), [[1, 0], [0, 1], [0.5, 0.5]])
    with pytest.raises(ValueError, match=r"row \(1\) whose density is 0"):
        model.predict([[0.2], [3.0]])


@pytest.mark.parametrize("make", [
    lambda **k: CostSensitiveClassifier(QuadraticDiscriminantAnalysis(), k.pop("cost", None), **k),
    lambda **k: BayesClassifier(MultivariateNormal(method="mle"), **k),
])  # fmt: skip
def test_costs_and_rejection(make):
    proba = QuadraticDiscriminantAnalysis().fit(X, Y).predict_proba(X)
    model = make(cost=DEAR).fit(X, Y)
    assert_array_equal(model.predict(X), decide(proba, DEAR))
    assert_allclose(model.conditional_risk(X), proba @ np.array(DEAR, float), atol=1e-9)
    plain = make().fit(X, Y).predict(X)
    assert expected_cost(Y, model.predict(X), DEAR) < expected_cost(Y, plain, DEAR)
    some = make(reject=0.1).fit(X, Y).predict(X)
    assert_array_equal(some, decide(proba, reject=0.1))
    names = np.array(["a", "b", "c"])[Y]
    told = make(reject=0.1).fit(X, names).predict(X)
    assert set(told) == {"a", "b", "c", "reject"}
    assert_array_equal(told == "reject", some == -1)
    own = make(reject=0.1, reject_label="ask").fit(X, Y).predict(X)
    assert_array_equal(own == "ask", some == -1)
    assert own[some == 0][0] == 0
    with pytest.raises(ValueError, match="reject_label must not be a class; got 2"):
        make(reject=0.1, reject_label=2).fit(X, Y)
    with pytest.raises(ValueError, match="cost must have a row for each of 3"):
        make(cost=[[0, 1], [1, 0]]).fit(X, Y)
    with pytest.raises(ValueError, match="cost must have a column for each of 3"):
        make(cost=[[0, 1], [1, 0], [1, 1]]).fit(X, Y)


def test_threshold_of_two_classes():
    some = Y < 2
    model = CostSensitiveClassifier(LinearDiscriminantAnalysis(), [[0, 1], [4, 0]])
    model.fit(X[some], Y[some])
    assert model.threshold_ == pytest.approx(0.2)
    second = model.predict_proba(X[some])[:, 1] >= model.threshold_
    assert_array_equal(model.predict(X[some]), second.astype(int))
    skewed = CostSensitiveClassifier(LinearDiscriminantAnalysis(), [[-1, 1], [3, 1]])
    assert skewed.fit(X[some], Y[some]).threshold_ == pytest.approx(0.5)
    always = CostSensitiveClassifier(LinearDiscriminantAnalysis(), [[0, 0], [1, 0]])
    assert always.fit(X[some], Y[some]).threshold_ == 0.0
    assert np.isnan(CostSensitiveClassifier(LinearDiscriminantAnalysis()).fit(X, Y).threshold_)


def test_around_estimators_of_others():
    model = CostSensitiveClassifier(TheirLogistic(max_iter=1000), DEAR).fit(X, Y)
    theirs = TheirLogistic(max_iter=1000).fit(X, Y).predict_proba(X)
    assert_array_equal(model.predict(X), decide(theirs, DEAR))
    nested = model.set_params(estimator__C=0.1)
    assert nested.estimator.C == 0.1


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: CostSensitiveClassifier(), TypeError, "estimator must be a classifier"),
        (lambda: CostSensitiveClassifier(MultivariateNormal()), TypeError, "predict_proba"),
        (lambda: BayesClassifier(), TypeError, "density must have fit and score_samples"),
        (lambda: BayesClassifier(MultivariateNormal), TypeError, "density must have"),
        (lambda: BayesClassifier(MultivariateNormal(), rule="x"), ValueError, "rule must be"),
        (lambda: BayesClassifier(MultivariateNormal(), priors=[1.0]), ValueError, "priors must"),
    ],
)
def test_fits_refuse(make, error, words):
    with pytest.raises(error, match=words):
        make().fit(X, Y)


def test_given_densities_refuse():
    one = stats.norm(0, 1)
    for arguments, error, words in (
        (([one],), ValueError, "at least 2"),
        (("ab",), TypeError, "a list of densities"),
        (([one, 3],), TypeError, "A density must be a function"),
    ):
        with pytest.raises(error, match=words):
            BayesClassifier.of(*arguments)
    with pytest.raises(ValueError, match="distinct and ascending"):
        BayesClassifier.of([one, one], classes=[1, 0])
    with pytest.raises(ValueError, match="one number for each of 2 rows"):
        BayesClassifier.of([lambda rows: 0.0, one]).predict([[0.0], [1.0]])
    with pytest.raises(AttributeError, match="not fitted"):
        BayesClassifier(MultivariateNormal()).predict_proba(X)
    with pytest.raises(ValueError, match="at least 2 classes"):
        BayesClassifier(MultivariateNormal()).fit(X, np.zeros(178, int))

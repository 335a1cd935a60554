# SPDX-License-Identifier: BSD-3-Clause
"""The penalty of logistic regression chosen by cross-validation: by hand, and as scikit-learn."""

import numpy as np
import pytest

from statfast import LogisticRegression, LogisticRegressionCV
from statfast.datasets import load_iris
from statfast.linear import NoInferenceError
from statfast.metrics import log_loss
from statfast.model_selection import StratifiedKFold


def rows(classes, n=120):
    rng = np.random.default_rng(classes)
    X = rng.standard_normal((n, 4))
    scores = X @ rng.standard_normal((4, classes)) + rng.gumbel(size=(n, classes))
    return X, np.array(["a", "b", "c", "d"])[scores.argmax(1)], rng.uniform(0.5, 2.0, n)


@pytest.mark.once
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rule", ["min", "1se"])
def test_by_hand(classes, weighted, rule):
    X, y, w = rows(classes)
    w = w if weighted else None
    Cs, ratios = [0.03, 0.3, 3.0], [0.0, 0.6, 1.0]
    model = LogisticRegressionCV(Cs=Cs[::-1], l1_ratios=ratios, cv=4, rule=rule)
    model.fit(X, y, sample_weight=w)
    expected = np.empty((4, 3, 3))
    masses = np.empty(4)
    for fold, (train, test) in enumerate(StratifiedKFold(4).split(X, y)):
        kept, held = (None, None) if w is None else (w[train], w[test])
        masses[fold] = len(test) if w is None else held.sum()
        for r, ratio in enumerate(ratios):
            for c, C in enumerate(Cs):
                one = LogisticRegression(C=C, l1_ratio=ratio).fit(X[train], y[train], kept)
                expected[fold, r, c] = -log_loss(
                    y[test], one.predict_proba(X[test]), sample_weight=held
                )
    np.testing.assert_allclose(model.scores_, expected, atol=1e-7)
    assert model.Cs_.tolist() == Cs
    assert model.l1_ratios_.tolist() == ratios
    if rule == "min":
        r, c = np.unravel_index(model.scores_.mean(0).argmax(), (3, 3))
        assert (model.l1_ratio_, model.C_) == (ratios[r], Cs[c])
    whole = LogisticRegression(C=model.C_, l1_ratio=model.l1_ratio_).fit(X, y, w)
    np.testing.assert_array_equal(model.coef_, whole.coef_)
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))
    assert model.score(X, y) == whole.score(X, y)


def test_one_standard_error_takes_a_smaller_c():
    X, y, _ = rows(2, 60)
    least = LogisticRegressionCV(Cs=20).fit(X, y)
    simple = LogisticRegressionCV(Cs=20, rule="1se").fit(X, y)
    assert simple.C_ < least.C_


@pytest.mark.once
@pytest.mark.parametrize("scoring", ["neg_log_loss", "accuracy", "neg_brier_score"])
def test_as_scikit_learn(scoring):
    peers = pytest.importorskip("sklearn.linear_model")
    X, y = load_iris(return_X_y=True)
    if scoring == "neg_brier_score":
        X, y = X[50:], y[50:]
    peer = peers.LogisticRegressionCV(
        scoring=scoring, l1_ratios=(0,), use_legacy_attributes=False, tol=1e-8, max_iter=10_000
    ).fit(X, y)
    model = LogisticRegressionCV(scoring=scoring).fit(X, y)
    np.testing.assert_allclose(model.scores_, peer.scores_, atol=1e-5)
    np.testing.assert_allclose(model.Cs_, peer.Cs_)
    assert pytest.approx(peer.C_) == model.C_
    assert model.score(X, y) == pytest.approx(peer.score(X, y), abs=1e-5)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ratios", [(0.0,), (0.0, 1.0)])
def test_means_of_the_best_fits_of_folds(classes, weighted, ratios):
    X, y, w = rows(classes)
    w = w if weighted else None
    model = LogisticRegressionCV(Cs=[0.03, 0.3, 3.0], l1_ratios=ratios, cv=4, refit=False)
    model.fit(X, y, sample_weight=w)
    best, models = [], []
    for scores, (train, _) in zip(model.scores_, StratifiedKFold(4).split(X, y), strict=True):
        r, c = np.unravel_index(scores.argmax(), scores.shape)
        best.append((model.Cs_[c], ratios[r]))
        one = LogisticRegression(C=model.Cs_[c], l1_ratio=ratios[r])
        models.append(one.fit(X[train], y[train], None if w is None else w[train]))
    for name in ("coef_", "intercept_"):
        want = np.mean([getattr(one, name) for one in models], axis=0)
        np.testing.assert_allclose(getattr(model, name), want, rtol=1e-9)
    np.testing.assert_allclose((model.C_, model.l1_ratio_), np.mean(best, axis=0))
    assert model.n_iter_.max() == max(one.n_iter_.max() for one in models)
    assert model.converged_
    chances = model.predict_proba(X)
    np.testing.assert_array_equal(model.predict(X), model.classes_[chances.argmax(axis=1)])
    for call in (model.summary, lambda: model.log_likelihood_):
        with pytest.raises(NoInferenceError, match="With refit=False coefficients are means"):
            call()


def test_methods_of_unpenalized_fits_are_not_there():
    X, y, _ = rows(2)
    model = LogisticRegressionCV(Cs=[1.0]).fit(X, y)
    for name in ("conf_int", "influence", "odds_ratios", "profile", "robust_covariance", "t_test"):
        assert hasattr(LogisticRegression, name)
        assert not hasattr(model, name)
        assert not hasattr(LogisticRegressionCV, name)
    with pytest.raises(AttributeError, match=r"'wald_test': a penalized fit .* with C=np.inf for"):
        _ = model.wald_test
    assert "Wald" not in str(model.summary())


@pytest.mark.parametrize("classes", [2, 3])
def test_means_of_folds_as_scikit_learn(classes):
    peers = pytest.importorskip("sklearn.linear_model")
    X, y, _ = rows(classes)
    params = {"Cs": [0.03, 0.3, 3.0], "refit": False, "scoring": "neg_log_loss", "cv": 4}
    peer = peers.LogisticRegressionCV(
        l1_ratios=(0,), use_legacy_attributes=False, tol=1e-10, max_iter=10_000, **params
    ).fit(X, y)
    model = LogisticRegressionCV(**params).fit(X, y)
    assert pytest.approx(peer.C_) == model.C_
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=1e-5)


def test_a_class_held_out_whole():
    X, y = np.arange(6.0)[:, None], [0, 0, 0, 0, 1, 1]
    with pytest.raises(ValueError, match="y has a class whose rows are all held out"):
        LogisticRegressionCV(cv=[(np.arange(4), np.arange(4, 6))]).fit(X, y)


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"Cs": 0}, ValueError, "Cs must be at least 1; got 0"),
        ({"Cs": [0.0, 1.0]}, ValueError, "Cs must be greater than 0"),
        ({"Cs": []}, TypeError, "Cs must be a list of numbers"),
        ({"Cs": "ten"}, TypeError, "Cs must be a list of numbers"),
        ({"l1_ratios": 0.5}, TypeError, "l1_ratios must be a list of numbers"),
        ({"l1_ratios": [2.0]}, ValueError, "l1_ratios must be at most 1"),
        ({"rule": "2se"}, ValueError, "rule must be"),
        ({"scoring": "r3"}, ValueError, "r3"),
        ({"refit": "no"}, TypeError, "refit must be"),
        ({"refit": False, "rule": "1se"}, ValueError, "rule='1se' compares means over folds"),
    ],
)
def test_bad_parameters(params, error, message):
    X, y, _ = rows(2)
    with pytest.raises(error, match=message):
        LogisticRegressionCV(**params).fit(X, y)

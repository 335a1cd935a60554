# SPDX-License-Identifier: BSD-3-Clause
"""Penalized logistic paths: conditions of optimality, the duality gap, glmnet's values."""

import csv
import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast import ConvergenceWarning, LogisticRegressionCV, logistic_path
from statfast._estimator import stratified_runs
from statfast.linear.logistic.logistic_path import solve_logistic


@settings(max_examples=15)
@given(
    n=st.integers(20, 80), p=st.integers(1, 40), seed=st.integers(0, 2**32 - 1),
    ratio=st.sampled_from([1.0, 0.5]), one=st.booleans(), weighted=st.booleans(),
)  # fmt: skip
def test_conditions_of_optimality(n, p, seed, ratio, one, weighted):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 0.5
    y = (X[:, 0] + rng.standard_normal(n) > 0).astype(int)
    if y.min() == y.max():
        y[0] = 1 - y[0]
    w = rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    path = logistic_path(
        X, y, l1_ratio=ratio, n_alphas=6, eps=0.05, sample_weight=w, fit_intercept=one, tol=1e-13
    )
    mass = w.sum()
    for alpha, b, b0 in zip(path.alphas, path.coefs.T, path.intercepts, strict=True):
        score = w * (y - 1 / (1 + np.exp(-(X @ b + b0))))
        g = X.T @ score - mass * alpha * (1 - ratio) * b
        l1 = mass * alpha * ratio
        off = np.where(b == 0, np.maximum(np.abs(g) - l1, 0), np.abs(g - l1 * np.sign(b)))
        assert off.max() < 1e-5 * l1
        if one:
            assert abs(score.sum()) < 1e-9 * mass
    assert (path.dual_gaps * mass < 1e-10 * mass).all()


@pytest.mark.parametrize(("name", "ratio"), [("lasso", 1.0), ("enet", 0.5), ("ridge", 0.0)])
def test_glmnet(name, ratio, shared_data):
    """glmnet's own conditions of optimality hold to 2e-9 here: see reference/README.md."""
    want = json.loads(shared_data("..", "reference", "glmnet.json").read_text())[f"SAheart_{name}"]
    with shared_data("esl", "SAheart.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    X = np.array([
        [float(r[k] == "Present") if k == "famhist" else float(r[k]) for k in want["features"]]
        for r in rows
    ])  # fmt: skip
    y = np.array([int(r["chd"]) for r in rows])
    path = logistic_path(X, y, alphas=want["lambda"], l1_ratio=ratio, standardize=True, tol=1e-13)
    beta = np.array(want["beta_rows_features_columns_lambda"])
    some = slice(ratio == 0, None)  # its first ridge fit is at infinity
    np.testing.assert_allclose(path.coefs[:, some], beta[:, some], rtol=1e-6, atol=2e-8)
    np.testing.assert_allclose(path.intercepts[some], want["intercept"][some], atol=3e-7)


def test_solve_is_a_point_of_the_path():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 5))
    y = (X[:, 0] + rng.standard_normal(60) > 0).astype(float)
    path = logistic_path(X, y, alphas=[0.02], tol=1e-12)
    coef, first, gap, _, done = solve_logistic(X, y, None, 60 * 0.02, 0.0)
    assert done
    assert gap < 1e-8
    np.testing.assert_allclose([first, *coef], [path.intercepts[0], *path.coefs[:, 0]], atol=1e-6)


def test_labels_of_other_numbers():
    with pytest.raises(ValueError, match="y must hold two classes; got 3"):
        logistic_path(np.ones((3, 1)), ["a", "b", "c"])


def test_cross_validation_by_hand():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((90, 4))
    y = np.where(X[:, 0] + rng.standard_normal(90) > 0, "yes", "no")
    model = LogisticRegressionCV(n_alphas=8, cv=3).fit(X, y)
    held = stratified_runs((y == "yes").astype(int), 3)[0]
    assert 14 <= (y[held] == "yes").sum() / (y == "yes").mean() / 2 <= 16
    kept = np.setdiff1d(np.arange(90), held)
    path = logistic_path(X[kept], y[kept], alphas=model.alphas_[0])
    eta = path.predict(X[held])
    loss = 2 * (np.logaddexp(0, eta) - (y[held] == "yes")[:, None] * eta).mean(0)
    np.testing.assert_allclose(model.deviance_path_[0, :, 0], loss, rtol=1e-5)
    best = model.deviance_mean_[0].argmin()
    assert model.alpha_[0] == model.alphas_[0, best] <= model.alpha_1se_[0]
    whole = logistic_path(X, y, alphas=model.alphas_[0, : best + 1])
    np.testing.assert_allclose(model.coef_[0], whole.coefs[:, -1], atol=1e-6)


def test_three_classes_are_each_against_the_others():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((120, 3))
    y = X.argmax(1)
    model = LogisticRegressionCV(n_alphas=4, cv=2).fit(X, y)
    alone = LogisticRegressionCV(n_alphas=4, cv=[(np.arange(60, 120), np.arange(60)),
                                                 (np.arange(60), np.arange(60, 120))])  # fmt: skip
    assert model.coef_.shape == (3, 3)
    np.testing.assert_allclose(model.predict_proba(X).sum(1), 1.0)
    assert model.score(X, y) > 0.9
    assert alone.fit(X, y).deviance_path_.shape == (3, 4, 2)


def test_passes_that_were_not_enough_are_said():
    rng = np.random.default_rng(6)
    X = rng.standard_normal((80, 4))
    y = (X[:, 0] + 0.5 * rng.standard_normal(80) > 0).astype(int)
    alphas = [0.1, 1e-3]
    with pytest.warns(ConvergenceWarning, match="LogisticRegressionCV did not converge in 1 "):
        hasty = LogisticRegressionCV(alphas=alphas, cv=2, max_iter=1).fit(X, y)
    assert hasty.n_iter_ == 1
    patient = LogisticRegressionCV(alphas=alphas, cv=2).fit(X, y)  # a warning is an error here
    assert patient.n_iter_ > 1
    assert (patient.dual_gap_ < hasty.dual_gap_).all()


def test_a_class_held_out_whole():
    X, y = np.arange(6.0)[:, None], [0, 0, 0, 0, 1, 1]
    with pytest.raises(ValueError, match="y has a class whose rows are all held out"):
        LogisticRegressionCV(cv=[(np.arange(4), np.arange(4, 6))]).fit(X, y)


def test_classes_without_weight_are_none():
    X = np.random.default_rng(0).normal(size=(6, 2))
    with pytest.raises(ValueError, match="two classes among the rows of positive weight"):
        logistic_path(X, [0, 1, 0, 1, 0, 1], sample_weight=[1, 0, 1, 0, 1, 0])


@pytest.mark.parametrize("most", [1, 2, *range(8, 14)])
def test_steps_of_all_working_sets_together_are_at_most_max_iter(most):
    rng = np.random.default_rng(11)  # the working set grows once, after nine steps
    X = rng.standard_normal((60, 20)) @ rng.standard_normal((20, 300))
    X += 0.1 * rng.standard_normal((60, 300))
    X[:, 150:] -= 0.9 * X[:, :150]
    y = X[:, 0] + rng.standard_normal(60) > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        path = logistic_path(X, y, alphas=[0.05], tol=1e-15, max_iter=most)
    assert 1 <= path.n_iters[0] <= most

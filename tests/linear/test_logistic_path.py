# SPDX-License-Identifier: BSD-3-Clause
"""Penalized logistic paths: conditions of optimality, the duality gap, glmnet's values."""

import csv
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast import logistic_path
from statfast.linear.logistic.logistic_path import solve_logistic


@settings(max_examples=15)
@given(
    n=st.integers(20, 80), p=st.integers(1, 40), seed=st.integers(0, 2**32 - 1),
    ratio=st.sampled_from([1.0, 0.5]), intercept=st.booleans(), weighted=st.booleans(),
)  # fmt: skip
def test_conditions_of_optimality(n, p, seed, ratio, intercept, weighted):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 0.5
    y = (X[:, 0] + rng.standard_normal(n) > 0).astype(int)
    if y.min() == y.max():
        y[0] = 1 - y[0]
    w = rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    path = logistic_path(
        X,
        y,
        l1_ratio=ratio,
        alphas=6,
        eps=0.05,
        sample_weight=w,
        fit_intercept=intercept,
        tol=1e-13,
    )
    mass = w.sum()
    for alpha, b, b0 in zip(path.alphas, path.coefs.T, path.intercepts, strict=True):
        score = w * (y - 1 / (1 + np.exp(-(X @ b + b0))))
        g = X.T @ score - mass * alpha * (1 - ratio) * b
        l1 = mass * alpha * ratio
        off = np.where(b == 0, np.maximum(np.abs(g) - l1, 0), np.abs(g - l1 * np.sign(b)))
        assert off.max() < 1e-5 * l1
        if intercept:
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
